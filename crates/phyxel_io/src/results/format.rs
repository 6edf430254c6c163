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
    /// Everything that is drawn, in one binary file for `phyxel render`.
    Frames,
    /// A sheet of pictures.
    Png,
    /// A film for pages.
    Gif,
    /// A film.
    Mp4,
}

/// A word that names no format that can be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// A word that means nothing.
    #[error("format `{name}` is unknown: choose from {}", Format::ALL.map(Format::name).join(", "))]
    Unknown {
        /// The word.
        name: String,
    },
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 11] = [
        Format::Usd,
        Format::Vtk,
        Format::Ply,
        Format::Obj,
        Format::Csv,
        Format::Gltf,
        Format::Html,
        Format::Frames,
        Format::Png,
        Format::Gif,
        Format::Mp4,
    ];

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
            Format::Frames => "frames",
            Format::Png => "png",
            Format::Gif => "gif",
            Format::Mp4 => "mp4",
        }
    }

    /// Whether it is the file of frames or is drawn from it.
    pub(crate) const fn comes_from_frames(self) -> bool {
        matches!(self, Format::Frames | Format::Png | Format::Gif | Format::Mp4)
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
    fn unknown_words_are_answered_with_the_known_ones() {
        let message = Format::parse_list("usd,fbx").unwrap_err().to_string();
        assert!(
            message.contains("`fbx` is unknown")
                && message.contains("usd, vtk, ply, obj, csv, gltf, html, frames, png, gif, mp4"),
            "{message}"
        );
    }
}
