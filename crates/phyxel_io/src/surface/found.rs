//! What a surface file had beside its triangles.

/// What was found in a surface file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Vertices.
    pub vertices: usize,
    /// Faces, of any number of corners.
    pub faces: usize,
    /// Faces with more than three corners, which were cut into triangles.
    pub polygons: usize,
    /// Things that are no surface and were left out, such as `lines`, with their number.
    pub skipped: Vec<(&'static str, usize)>,
    /// Files that the surface names for its looks and that could not be read; its shape is complete without them.
    pub missing: Vec<String>,
}

impl Found {
    /// Counts something that was left out.
    pub(super) fn skip(&mut self, what: &'static str, count: usize) {
        if count == 0 {
            return;
        }
        match self.skipped.iter_mut().find(|(name, _)| *name == what) {
            Some((_, total)) => *total += count,
            None => self.skipped.push((what, count)),
        }
    }

    /// What was left out, as text; empty when nothing.
    pub(super) fn skipped_words(&self) -> String {
        self.skipped.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }

    /// What was found, one sentence each, without a full stop.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = vec![format!("read {} vertices and {} faces", self.vertices, self.faces)];
        if self.polygons > 0 {
            all.push(format!("cut {} faces of more than three corners into triangles", self.polygons));
        }
        all.extend(self.skipped.iter().map(|(what, count)| format!("left out {count} {what}")));
        all.extend(
            self.missing.iter().map(|file| format!("`{file}` could not be read: colours or textures are missing")),
        );
        all
    }
}

/// How a part of a surface looks, as far as the file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMaterial {
    /// The name in the file; empty when it has none.
    pub name: String,
    /// Red, green, blue and opacity, from 0 to 1, as the file has them.
    pub colour: Option<[f32; 4]>,
    /// The picture that carries the colour, as the file names it, relative to the file; nothing when it lies inside.
    pub texture: Option<String>,
}
