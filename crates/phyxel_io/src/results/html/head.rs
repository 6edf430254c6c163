//! What a page knows of the bodies before the first frame: names, colours, textures, triangles.

use super::super::Run;
use super::frame::srgb_byte;
use super::squeeze::{push_bytes, push_indices};
use crate::drawable::{Drawable, DrawnShape, body_colour};
use crate::input::base64;
use crate::picture::{Outline, Segment};
use phyxel::record::PartLook;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Pictures larger than this stay out of the page [bytes].
const LARGEST_TEXTURE: usize = 16 << 20;

/// The page's description of the run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head<'a> {
    name: &'a str,
    frame_rate: f64,
    ground: Option<f64>,
    /// Of what stands still.
    outlines: Vec<[[f32; 3]; 2]>,
    /// Of each thing that moves; frames say where it is.
    moving: Vec<Vec<[[f32; 3]; 2]>>,
    bodies: Vec<BodyHead<'a>>,
    /// Pictures as `data:` addresses.
    textures: Vec<String>,
    /// What could not be shown, for the reader of the page.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct BodyHead<'a> {
    name: &'a str,
    kind: &'static str,
    /// As on a screen, 0 to 1.
    colour: [f32; 3],
    parts: Vec<PartHead<'a>>,
}

#[derive(Serialize)]
struct PartHead<'a> {
    name: &'a str,
    /// Linear red, green, blue and opacity.
    colour: Option<[f32; 4]>,
    /// Which of the page's textures.
    texture: Option<usize>,
}

impl<'a> Head<'a> {
    pub(super) fn of(run: &'a Run, ground: Option<f64>, outlines: &[Outline]) -> Self {
        let mut textures = Textures::default();
        let bodies = run.drawables.iter().enumerate().map(|(i, d)| BodyHead::of(i, d, &mut textures)).collect();
        let single = |ends: &Segment| ends.map(|p| p.map(|c| c as f32));
        let moving = moving(outlines).map(|o| o.segments.iter().map(single).collect()).collect();
        let still = outlines.iter().filter(|o| !o.motion.moves());
        let outlines = still.flat_map(|o| &o.segments).map(single).collect();
        let Textures { pictures, notes, .. } = textures;
        let (name, frame_rate) = (&run.name[..], run.frame_rate);
        Head { name, frame_rate, ground, outlines, moving, bodies, textures: pictures, notes }
    }
}

/// The outlines of what moves.
pub(super) fn moving(outlines: &[Outline]) -> impl Iterator<Item = &Outline> {
    outlines.iter().filter(|o| o.motion.moves())
}

impl<'a> BodyHead<'a> {
    fn of(index: usize, drawable: &'a Drawable, textures: &mut Textures) -> Self {
        let kind = match drawable.shape {
            DrawnShape::Triangles(_) => "triangles",
            DrawnShape::Spheres => "spheres",
            DrawnShape::Segments(_) => "segments",
        };
        let textured = !drawable.look.uvs.is_empty();
        let part = |part: &'a PartLook| PartHead {
            name: &part.name,
            colour: part.colour,
            texture: part.texture.as_deref().filter(|_| textured).and_then(|path| textures.number(path)),
        };
        let parts = drawable.look.parts.iter().map(part).collect();
        BodyHead { name: &drawable.name, kind, colour: body_colour(index, &drawable.look), parts }
    }
}

/// Pictures that have been put into the page.
#[derive(Default)]
struct Textures {
    seen: Vec<(PathBuf, Option<usize>)>,
    pictures: Vec<String>,
    notes: Vec<String>,
}

impl Textures {
    /// The number of a picture in the page; nothing, and a note, when it cannot be there.
    fn number(&mut self, path: &Path) -> Option<usize> {
        if let Some((_, number)) = self.seen.iter().find(|(p, _)| p == path) {
            return *number;
        }
        let number = match picture(path) {
            Ok(address) => {
                self.pictures.push(address);
                Some(self.pictures.len() - 1)
            }
            Err(why) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                self.notes.push(format!("The texture {name} is not shown: {why}."));
                None
            }
        };
        self.seen.push((path.to_path_buf(), number));
        number
    }
}

/// A picture that browsers know, as an address that holds all of it.
fn picture(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    if bytes.len() > LARGEST_TEXTURE {
        return Err(format!("it is larger than {} MB", LARGEST_TEXTURE >> 20));
    }
    let kind = media_type(&bytes).ok_or("it is neither PNG, JPEG nor WebP")?;
    Ok(format!("data:{kind};base64,{}", base64::encode(&bytes)))
}

/// The kind of a picture, by its first bytes.
pub(in super::super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The shapes of all bodies as bytes: corners, parts, normals, texture coordinates, colours.
pub(super) fn topology(drawables: &[Drawable]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for drawable in drawables {
        match &drawable.shape {
            DrawnShape::Triangles(triangles) => push_indices(triangles.iter().flatten().copied(), &mut bytes),
            DrawnShape::Segments(segments) => push_indices(segments.iter().flatten().copied(), &mut bytes),
            DrawnShape::Spheres => push_indices([].into_iter(), &mut bytes),
        }
        push_indices(drawable.parts.iter().copied(), &mut bytes);
        let normals = match &drawable.shape {
            DrawnShape::Triangles(triangles) => normal_numbers(triangles, &drawable.look.normals),
            DrawnShape::Segments(_) | DrawnShape::Spheres => Vec::new(),
        };
        push_indices(normals.into_iter().flatten(), &mut bytes);
        let uvs: Vec<f32> = drawable.look.uvs.iter().flatten().flatten().copied().collect();
        bytes.extend((uvs.len() as u32).to_le_bytes());
        let finite = |c: f32| if c.is_finite() { c } else { 0.0 };
        bytes.extend(uvs.iter().flat_map(|c| finite(*c).to_le_bytes()));
        let colours: Vec<u8> = drawable.look.colours.iter().flatten().map(|c| srgb_byte(*c)).collect();
        bytes.extend((colours.len() as u32).to_le_bytes());
        push_bytes(&colours, 3, &mut bytes);
    }
    bytes
}

/// The number of a normal that the input does not have: the triangles around the corner tell it.
const NOT_GIVEN: u32 = u32::MAX;

/// Which normal each corner has, where the input says which corners share one; nothing where it says nothing anywhere.
fn normal_numbers(triangles: &[[u32; 3]], given: &[[[f32; 3]; 3]]) -> Vec<[u32; 3]> {
    if given.iter().flatten().all(|n| *n == [0.0; 3]) {
        return Vec::new();
    }
    let mut numbers = HashMap::new();
    let mut number = |vertex: u32, normal: [f32; 3]| {
        if normal == [0.0; 3] {
            return NOT_GIVEN;
        }
        let next = numbers.len() as u32;
        *numbers.entry((vertex, normal.map(|c| (c * 256.0).round() as i32))).or_insert(next)
    };
    triangles.iter().zip(given).map(|(t, n)| [0, 1, 2].map(|k| number(t[k], n[k]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_that_are_given_stay_shared_where_others_are_missing() {
        let (triangles, up, none) = ([[0, 1, 2], [0, 2, 3]], [0.0, 0.0, 1.0], [0.0; 3]);
        assert_eq!(normal_numbers(&triangles, &[[up; 3]; 2]), [[0, 1, 2], [0, 2, 3]]);
        let some = normal_numbers(&triangles, &[[up; 3], [up, none, up]]);
        assert_eq!(some, [[0, 1, 2], [0, NOT_GIVEN, 3]], "one missing normal leaves the others");
        assert!(normal_numbers(&triangles, &[[none; 3]; 2]).is_empty());
        assert!(normal_numbers(&triangles, &[]).is_empty());
    }
}
