//! What the parts of a surface look like, where the file says so and where it does not.

use crate::drawable::{Drawable, body_colour, inside_colour};
use std::path::Path;

/// The look of a part.
pub(super) struct LookOf<'a> {
    /// Linear red, green, blue and opacity.
    pub colour: [f32; 4],
    /// Only where there are texture coordinates.
    pub texture: Option<&'a Path>,
}

/// The look of a part of a body: its own, that of the body, or that of the inside of broken matter. A texture
/// without a colour is shown as it is.
pub(super) fn look_of(body: usize, drawable: &Drawable, part: u32) -> LookOf<'_> {
    let own = drawable.look.parts.get(part as usize);
    let texture = own.and_then(|p| p.texture.as_deref()).filter(|_| !drawable.look.uvs.is_empty());
    let [r, g, b] = body_colour(body, &drawable.look).map(|c| c.powf(2.2));
    let inside = inside_colour([r, g, b]);
    let inside = [inside[0], inside[1], inside[2], 1.0];
    let default = match (texture, part) {
        (Some(_), _) => [1.0; 4],
        (None, 0) => [r, g, b, 1.0],
        (None, _) => inside,
    };
    LookOf { colour: own.and_then(|p| p.colour).unwrap_or(default), texture }
}

/// The parts that occur, each once, in rising order.
pub(super) fn distinct_parts(drawable: &Drawable) -> Vec<u32> {
    let mut parts = drawable.parts.clone();
    parts.sort_unstable();
    parts.dedup();
    if parts.is_empty() { vec![0] } else { parts }
}
