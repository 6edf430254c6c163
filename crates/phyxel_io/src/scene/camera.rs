//! `[camera]`: from where pictures are drawn.

use phyxel::scene::Camera;

use super::error::{Problem, SceneError};
use super::fields::{Field, Range};

/// Angle of view where none is given [degrees].
const FOV: f64 = 30.0;

pub(super) fn read(field: &Field<'_>) -> Result<Camera, SceneError> {
    let fields = field.fields(&["position", "target", "fov"])?;
    let place = |key: &'static str, remedy: &'static str| fields.require(key, remedy)?.numbers::<3>(Range::Any);
    let position = place("position", "write where the eye is, such as [2, 1, 3]")?;
    let target_field = fields.require("target", "write what it looks at, such as [0, 0.5, 0]")?;
    let target = target_field.numbers::<3>(Range::Any)?;
    if position == target {
        return Err(target_field.fail(Problem::OutOfRange { value: 0.0, wanted: "away from the camera's position" }));
    }
    let fov = fields.number("fov", Range::Positive, FOV)?;
    if !(1.0..=150.0).contains(&fov) {
        return Err(fields.fail(Problem::OutOfRange { value: fov, wanted: "a fov from 1 to 150 degrees" }));
    }
    Ok(Camera { position, target, fov })
}
