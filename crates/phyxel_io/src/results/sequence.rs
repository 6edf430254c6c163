//! A folder with one file per frame.

use super::Run;
use crate::file::{AtomicFile, OutputError, remove_if_there, writable_folder};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// The files `FOLDER/frame_00000.EXT`, `FOLDER/frame_00001.EXT`, ….
pub(super) struct Sequence {
    folder: PathBuf,
    extension: &'static str,
}

impl Sequence {
    /// Makes the folder `name` in the folder of the run. Frames that an earlier run left there are removed, those
    /// before the frame to resume from excepted: a viewer would show them as the end of this run.
    pub(super) fn create(run: &Run, name: &str, extension: &'static str) -> Result<Self, OutputError> {
        let sequence = Sequence { folder: run.dir.join(name), extension };
        writable_folder(&sequence.folder)?;
        let failed = |e| OutputError::at(&sequence.folder, e);
        for entry in fs::read_dir(&sequence.folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if sequence.index_of(&path).is_some_and(|index| index >= run.resume_from) {
                remove_if_there(&path)?;
            }
        }
        Ok(sequence)
    }

    fn index_of(&self, path: &Path) -> Option<usize> {
        let name = path.file_name()?.to_str()?;
        let index = name.strip_prefix("frame_")?.strip_suffix(self.extension)?.strip_suffix('.')?.parse().ok()?;
        (self.file_name(index) == name).then_some(index)
    }

    fn file_name(&self, index: usize) -> String {
        format!("frame_{index:05}.{}", self.extension)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn path(&self, index: usize) -> PathBuf {
        self.folder.join(self.file_name(index))
    }

    pub(super) fn write(
        &self,
        index: usize,
        content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        AtomicFile::write(&self.path(index), content)
    }
}
