//! Pictures that results refer to, copied beside them, so that a folder of results can be moved whole.

use super::Run;
use crate::file::{AtomicFile, OutputError, writable_folder};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where each picture lies in the folder of the run.
#[derive(Default)]
pub(super) struct Textures {
    copies: HashMap<PathBuf, String>,
}

impl Textures {
    /// Copies the pictures of all bodies to `textures/`. One that cannot be read stays where it is said to be: the
    /// program that opens the result looks for it there, and says so when it is missing.
    pub(super) fn gather(run: &Run) -> Result<Self, OutputError> {
        let mut textures = Textures::default();
        let folder = run.dir.join("textures");
        let parts = run.drawables.iter().filter(|d| !d.look.uvs.is_empty()).flat_map(|d| &d.look.parts);
        for path in parts.filter_map(|part| part.texture.as_ref()) {
            if textures.copies.contains_key(path) {
                continue;
            }
            let Ok(bytes) = std::fs::read(path) else { continue };
            writable_folder(&folder)?;
            let name = textures.free_name(path);
            AtomicFile::write(&folder.join(&name), |w| w.write_all(&bytes))?;
            textures.copies.insert(path.clone(), name);
        }
        Ok(textures)
    }

    /// A name that no other picture has.
    fn free_name(&self, path: &Path) -> String {
        let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().map(safe).collect();
        let taken = |candidate: &String| self.copies.values().any(|n| n == candidate);
        let mut candidates = std::iter::once(name.clone()).chain((2..).map(|n| format!("{n}_{name}")));
        candidates.find(|c| !taken(c)).unwrap_or(name)
    }

    /// The address of a picture, as seen from a file that lies `up` (`""` or `"../"`) from the folder of the run.
    pub(super) fn place(&self, path: &Path, up: &str) -> String {
        match self.copies.get(path) {
            Some(name) => format!("{up}textures/{name}"),
            None => path.display().to_string(),
        }
    }
}
