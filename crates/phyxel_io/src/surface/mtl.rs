//! MTL: the materials of an OBJ file. Only looks depend on it, so a file that is missing or broken is no error.

use super::SurfaceMaterial;
use crate::input::Source;
use std::path::Path;

/// Longer files are no material libraries.
const MOST_BYTES: u64 = 16 << 20;

/// The materials of a library; nothing when it cannot be read.
pub(super) fn read(path: &Path) -> Option<Vec<SurfaceMaterial>> {
    let about = std::fs::metadata(path).ok()?;
    if about.len() > MOST_BYTES {
        return None;
    }
    let source = Source::read(path).ok()?;
    let text = String::from_utf8_lossy(&source.bytes);
    let mut materials: Vec<SurfaceMaterial> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if key == "newmtl" {
            materials.push(SurfaceMaterial { name: rest.into(), ..Default::default() });
        } else if let Some(material) = materials.last_mut() {
            property(material, key, rest);
        }
    }
    Some(materials)
}

fn property(material: &mut SurfaceMaterial, key: &str, rest: &str) {
    let numbers: Vec<f32> = rest.split_whitespace().map_while(|w| w.parse().ok()).collect();
    let opacity = material.colour.map_or(1.0, |c| c[3]);
    let rgb = material.colour.map_or([1.0; 3], |[r, g, b, _]| [r, g, b]);
    match (key, &numbers[..]) {
        ("Kd", [r, g, b, ..]) => material.colour = Some([*r, *g, *b, opacity]),
        ("d", [d, ..]) => material.colour = Some([rgb[0], rgb[1], rgb[2], *d]),
        // Options, each a word with a minus and its numbers, may stand before the name.
        ("map_Kd", _) if !rest.starts_with('-') => material.texture = Some(rest.into()),
        ("map_Kd", _) => material.texture = rest.split_whitespace().last().map(Into::into),
        _ => {}
    }
}
