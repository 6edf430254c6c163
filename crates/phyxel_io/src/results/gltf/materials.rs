//! Materials of glTF, with pictures inside the file.

use super::super::html::media_type;
use super::super::looks::look_of;
use super::bin::Bin;
use crate::drawable::{Drawable, body_colour};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The materials so far.
#[derive(Default)]
pub(super) struct Materials {
    pub list: Vec<Value>,
    pub images: Vec<Value>,
    pub textures: Vec<Value>,
    /// Pictures by their files; nothing for those that cannot be read or are of a kind that glTF does not know.
    known: HashMap<PathBuf, Option<usize>>,
    of_vertices: Option<usize>,
    /// Those of parts of surfaces found anew, by body and part.
    of_free: HashMap<(usize, u32), usize>,
}

impl Materials {
    /// The material of a part of a body.
    pub(super) fn of_part(&mut self, body: usize, drawable: &Drawable, part: u32, bin: &mut Bin) -> usize {
        let look = look_of(body, drawable, part);
        let texture = look.texture.and_then(|path| self.texture(path, bin));
        let mut colour = look.colour;
        if look.texture.is_some()
            && texture.is_none()
            && drawable.look.parts.get(part as usize).is_none_or(|p| p.colour.is_none())
        {
            let [r, g, b] = body_colour(body, &drawable.look).map(|c| c.powf(2.2));
            colour = [r, g, b, 1.0];
        }
        // Vertices with colours of their own are not tinted.
        if !drawable.look.colours.is_empty() && texture.is_none() {
            colour = [1.0, 1.0, 1.0, colour[3]];
        }
        let name = drawable.look.parts.get(part as usize).map_or(&drawable.name, |p| &p.name);
        self.push(name, colour, texture)
    }

    /// The material of a part of a body's surfaces found anew: the same in all frames.
    pub(super) fn of_free(&mut self, body: usize, drawable: &Drawable, part: u32, bin: &mut Bin) -> usize {
        if let Some(known) = self.of_free.get(&(body, part)) {
            return *known;
        }
        let made = self.of_part(body, drawable, part, bin);
        self.of_free.insert((body, part), made);
        made
    }

    /// The material of surfaces whose vertices have colours.
    pub(super) fn of_vertices(&mut self) -> usize {
        if let Some(known) = self.of_vertices {
            return known;
        }
        let made = self.push("molten", [1.0; 4], None);
        *self.of_vertices.insert(made)
    }

    fn push(&mut self, name: &str, colour: [f32; 4], texture: Option<usize>) -> usize {
        let mut surface = json!({ "baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.5 });
        if let Some(texture) = texture {
            surface["baseColorTexture"] = json!({ "index": texture });
        }
        let mut material = json!({ "name": name, "pbrMetallicRoughness": surface, "doubleSided": true });
        if colour[3] < 1.0 {
            material["alphaMode"] = json!("BLEND");
        }
        self.list.push(material);
        self.list.len() - 1
    }

    fn texture(&mut self, path: &Path, bin: &mut Bin) -> Option<usize> {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let read = std::fs::read(path).ok();
        let picture = read.and_then(|bytes| Some((media_type(&bytes).filter(|kind| *kind != "image/webp")?, bytes)));
        let number = picture.map(|(kind, bytes)| {
            self.images.push(json!({ "bufferView": bin.picture(&bytes), "mimeType": kind }));
            self.textures.push(json!({ "source": self.images.len() - 1 }));
            self.textures.len() - 1
        });
        self.known.insert(path.to_path_buf(), number);
        number
    }
}
