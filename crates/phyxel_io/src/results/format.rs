//! The words for the forms in which a result can be written.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A form of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Animated Universal Scene Description, as text: Blender, Houdini, usdview.
    Usd,
    /// One `.vtu` per frame and a `.pvd` that lists them: ParaView.
    Vtk,
    /// One binary PLY of the surface per frame.
    Ply,
    /// One OBJ of the surface per frame.
    Obj,
    /// A table of energies and counters, one row per frame.
    Csv,
    /// One animated binary glTF (`.glb`): viewers, engines, Blender.
    Gltf,
    /// One page that plays the result in a browser.
    Html,
    /// A sheet of pictures.
    Png,
}

/// A word that names no format that can be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// A format that will come.
    #[error("format `{name}` is not available yet: use `{instead}`")]
    NotYet {
        /// The word.
        name: String,
        /// What serves the purpose meanwhile.
        instead: &'static str,
    },
    /// A word that means nothing.
    #[error("format `{name}` is unknown: choose from {}", Format::ALL.map(Format::name).join(", "))]
    Unknown {
        /// The word.
        name: String,
    },
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 8] =
        [Format::Usd, Format::Vtk, Format::Ply, Format::Obj, Format::Csv, Format::Gltf, Format::Html, Format::Png];

    /// The word that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Usd => "usd",
            Format::Vtk => "vtk",
            Format::Ply => "ply",
            Format::Obj => "obj",
            Format::Csv => "csv",
            Format::Gltf => "gltf",
            Format::Html => "html",
            Format::Png => "png",
        }
    }

    /// Reads a list with commas, such as `usd,csv`; a format named twice counts once.
    pub fn parse_list(text: &str) -> Result<Vec<Format>, FormatError> {
        let mut formats = Vec::new();
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let format = word.parse()?;
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        Ok(formats)
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        let name = text.trim().to_ascii_lowercase();
        if let Some(format) = Format::ALL.into_iter().find(|f| f.name() == name) {
            return Ok(format);
        }
        match name.as_str() {
            "glb" => Ok(Format::Gltf),
            "htm" => Ok(Format::Html),
            "gif" | "mp4" => Err(FormatError::NotYet { name, instead: "png" }),
            _ => Err(FormatError::Unknown { name }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("GLB".parse(), Ok(Format::Gltf));
        assert_eq!(Format::parse_list(" usd, CSV,usd,"), Ok(vec![Format::Usd, Format::Csv]));
    }

    #[test]
    fn words_for_later_say_what_to_use_now() {
        for (word, instead) in [("gif", "png"), ("mp4", "png")] {
            let message = word.parse::<Format>().unwrap_err().to_string();
            assert!(
                message.contains("not available yet") && message.contains(&format!("use `{instead}`")),
                "{message}"
            );
        }
        let message = Format::parse_list("usd,fbx").unwrap_err().to_string();
        assert!(
            message.contains("`fbx` is unknown") && message.contains("usd, vtk, ply, obj, csv, gltf, html, png"),
            "{message}"
        );
    }
}
