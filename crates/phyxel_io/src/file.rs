//! Files that appear only when they are whole, and the errors of those that cannot be written.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a result could not be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The folder asked for is the name of a file.
    #[error("`{}` is a file, not a folder: remove it, or choose another folder for the results", .path.display())]
    NotAFolder {
        /// The file in the way.
        path: PathBuf,
    },
    /// The folder asked for does not exist and cannot be made.
    #[error("the folder `{}` cannot be made ({source}): make it first, or choose another folder for the results", .path.display())]
    CannotMakeFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No permission to write there, or a file system that is read-only.
    #[error("`{}` cannot be written: it is read-only for this user; allow writing, or choose another folder", .path.display())]
    ReadOnly {
        /// The folder or file.
        path: PathBuf,
    },
    /// No room left.
    #[error("no room left on the disk while writing `{}`: free some space and resume", .path.display())]
    DiskFull {
        /// The file being written.
        path: PathBuf,
    },
    /// Any other failure of the system.
    #[error("`{}` could not be written: {source}", .path.display())]
    Io {
        /// The file being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A value that JSON has no words for.
    #[error("`{}` could not be written as JSON: {source}", .path.display())]
    Json {
        /// The file being written.
        path: PathBuf,
        /// What the serialiser said.
        source: serde_json::Error,
    },
    /// A body whose cells or triangles name nodes that it has not.
    #[error("body `{body}` cannot be recorded: its {what} name node {index}, but it has {count}")]
    BadIndex {
        /// The body.
        body: String,
        /// `cells` or `surface triangles`.
        what: &'static str,
        /// The node named.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// A look that does not fit the triangles of the skin.
    #[error(
        "body `{body}` cannot be recorded: its look has {found} {what} for a skin of {expected} triangles: give one for each, or none"
    )]
    BadLook {
        /// The body.
        body: String,
        /// What does not fit.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many triangles there are.
        expected: usize,
    },
    /// A result that its format has no numbers for.
    #[error("`{}` would be larger than the 4 GiB that its format can count: use `{instead}`, or record fewer frames", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// A format without that limit.
        instead: &'static str,
    },
    /// A file whose name says nothing about its format.
    #[error("`{}` has an extension that stands for no format written here: use one of {known}", .path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// The extensions that do.
        known: &'static str,
    },
    /// A picture that could not be drawn.
    #[error("`{}` could not be drawn: {why}", .path.display())]
    NotDrawn {
        /// The picture.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A frame that does not fit the bodies that the recorder was made for.
    #[error("frame {frame} does not fit the recorder: {what} is {found} long, {expected} expected")]
    FrameMismatch {
        /// The frame's index.
        frame: usize,
        /// What does not fit.
        what: String,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A frame older than one already recorded.
    #[error("frame {frame} was pushed where frame {expected} or a later one was expected")]
    FrameOrder {
        /// The frame's index.
        frame: usize,
        /// The lowest index allowed.
        expected: usize,
    },
    /// A frame rate that is not a positive number.
    #[error("a frame rate of {rate} frames/s cannot be recorded: it must be positive and finite")]
    FrameRate {
        /// The rate asked for [1/s].
        rate: f64,
    },
}

impl OutputError {
    /// What `source` means for the file at `path`.
    pub(crate) fn at(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => OutputError::ReadOnly { path },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => OutputError::DiskFull { path },
            _ => OutputError::Io { path, source },
        }
    }
}

/// The hidden neighbour of `path` that is written until the file is whole.
pub(crate) fn partial_name(path: &Path) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.partial"))
}

/// A file written under a temporary name in the same folder, and renamed by [`AtomicFile::commit`].
/// Dropped without it, the temporary file is removed and a previous file of the same name stays as it was.
pub(crate) struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Opens the temporary file.
    pub(crate) fn create(path: &Path) -> Result<Self, OutputError> {
        let temporary = partial_name(path);
        let file = File::create(&temporary).map_err(|e| OutputError::at(path, e))?;
        Ok(AtomicFile { path: path.to_path_buf(), temporary, writer: Some(BufWriter::with_capacity(1 << 16, file)) })
    }

    /// Writes everything that `content` writes, then gives the file its name.
    pub(crate) fn write(
        path: &Path,
        content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let mut file = AtomicFile::create(path)?;
        if let Some(writer) = &mut file.writer {
            content(writer).map_err(|e| OutputError::at(path, e))?;
        }
        file.commit()
    }

    /// Flushes, and gives the file its name.
    fn commit(mut self) -> Result<(), OutputError> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let finished = writer.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
            drop(file);
            fs::rename(&self.temporary, &self.path)
        });
        finished.map_err(|e| {
            let _ = fs::remove_file(&self.temporary);
            OutputError::at(&self.path, e)
        })
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // The write has failed already, and that is the error reported; a left-over is only untidy.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Adds to the end of a file, which is made when missing.
pub(crate) fn append(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    let open = File::options().create(true).append(true).open(path);
    open.and_then(|file| {
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        content(&mut writer)?;
        writer.flush()
    })
    .map_err(|e| OutputError::at(path, e))
}

/// Removes a file if there is one.
pub(crate) fn remove_if_there(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(OutputError::at(path, e)),
        _ => Ok(()),
    }
}

/// Makes the folder when needed, and proves by a probe file that it can be written.
pub(crate) fn writable_folder(path: &Path) -> Result<(), OutputError> {
    if path.exists() && !path.is_dir() {
        return Err(OutputError::NotAFolder { path: path.to_path_buf() });
    }
    if let Some(file) = path.ancestors().skip(1).find(|a| a.exists()).filter(|a| !a.is_dir()) {
        return Err(OutputError::NotAFolder { path: file.to_path_buf() });
    }
    fs::create_dir_all(path).map_err(|source| OutputError::CannotMakeFolder { path: path.to_path_buf(), source })?;
    let probe = path.join(".phyxel-probe.partial");
    File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(|e| OutputError::at(path, e))
}

/// Visits the lines of a file, each with its end, until the visitor has had enough; a file that is not there has none.
pub(crate) fn each_line(
    path: &Path,
    mut visit: impl FnMut(&[u8]) -> Result<bool, OutputError>,
) -> Result<(), OutputError> {
    let file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(|e| OutputError::at(path, e))?,
    };
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(|e| OutputError::at(path, e))? > 0 {
        if !visit(&line)? {
            break;
        }
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_temporary() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        AtomicFile::write(&path, |w| w.write_all(b"old")).unwrap();
        let failed = AtomicFile::write(&path, |w| {
            w.write_all(b"half")?;
            Err(ErrorKind::StorageFull.into())
        });
        assert!(matches!(failed, Err(OutputError::DiskFull { path: p }) if p == path));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_full_disk_and_a_read_only_one_have_their_own_words() {
        let path = Path::new("out/jelly.csv");
        let full = OutputError::at(path, ErrorKind::StorageFull.into()).to_string();
        assert!(full.contains("no room left") && full.contains("out/jelly.csv"), "{full}");
        let locked = OutputError::at(path, ErrorKind::ReadOnlyFilesystem.into()).to_string();
        assert!(locked.contains("read-only") && locked.contains("out/jelly.csv"), "{locked}");
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("taken");
        fs::write(&file, "x").unwrap();
        assert!(matches!(writable_folder(&file), Err(OutputError::NotAFolder { path }) if path == file));
        let below = file.join("deeper").join("still");
        assert!(matches!(writable_folder(&below), Err(OutputError::NotAFolder { path }) if path == file));
        assert_eq!(fs::read(&file).unwrap(), b"x");
    }
}
