//! Machine-readable results.

use crate::file::{AtomicFile, OutputError};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// Writes `value` as indented JSON: to the file at `path`, which appears only when it is whole, or to the standard
/// output when `path` is `-`.
pub fn write_json(path: impl AsRef<Path>, value: &impl Serialize) -> Result<(), OutputError> {
    let path = path.as_ref();
    let mut text =
        serde_json::to_string_pretty(value).map_err(|source| OutputError::Json { path: path.to_path_buf(), source })?;
    text.push('\n');
    if path == Path::new("-") {
        let mut out = io::stdout().lock();
        return out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|e| OutputError::at(path, e));
    }
    AtomicFile::write(path, |w| w.write_all(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn what_is_written_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("result.json");
        write_json(&path, &serde_json::json!({"frames": 3, "momentum": [0.0, 1.5, -2.0]})).unwrap();
        let back: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(back["momentum"][1], 1.5);
    }

    #[test]
    fn a_value_without_json_words_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("result.json");
        let bad: HashMap<Vec<u8>, u8> = [(vec![1], 2)].into();
        assert!(matches!(write_json(&path, &bad), Err(OutputError::Json { .. })));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
