//! `shape = { file = "…" }`.

use std::path::{Path, PathBuf};

use phyxel::scene::Method;
use phyxel::shape::{Geometry, Placement, Resolution, ShapeError};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::words::listed;
use crate::input::UpAxis;
use crate::solid::{Content, Counted, FileOptions, Filled, Filling, Origin, SolidError, fill, outside, read_solid};

const KEYS: &[&str] = &["file", "unit", "up", "height", "origin", "fill", "features", "levels", "uniform"];

/// Whether a shape comes from a file.
pub(super) fn is_file(shape: &Field<'_>) -> bool {
    shape.named_entries().is_ok_and(|entries| entries.iter().any(|(key, _)| *key == "file"))
}

/// Reads the file and cuts it into pieces, in world coordinates.
pub(super) fn body(
    shape: &Field<'_>,
    method: Method,
    resolution: &Resolution,
    placement: &Placement,
) -> Result<Filled, SceneError> {
    let fields = shape.fields(KEYS)?;
    let (file, path) = path(&fields)?;
    let filling = filling(&fields, method)?;
    let options = options(&fields)?;
    let read = read_solid(&path, &options).map_err(|error| file.fail(Problem::Solid(error)))?;
    let fail =
        |source: ShapeError| file.fail(Problem::Solid(SolidError::Shape { file: path.display().to_string(), source }));
    let mut filled = match read.content {
        Content::Tets(mesh) if method != Method::Mls && fields.get("fill").is_none() => {
            Filled { geometry: Geometry::Tets(mesh), notes: Vec::new(), size: None }
        }
        Content::Tets(mesh) => {
            fill(&outside(&mesh).map_err(fail)?, &filling, resolution, Counted::Nodes).map_err(fail)?
        }
        Content::Surface(solid) => fill(&solid, &filling, resolution, Counted::Nodes).map_err(fail)?,
    };
    filled.geometry.place(placement);
    Ok(filled)
}

/// The file that a table names, and its path; it must exist.
pub(super) fn path<'a>(fields: &Fields<'a>) -> Result<(Field<'a>, PathBuf), SceneError> {
    let file = fields.require("file", "file = \"…\", relative to the scene")?;
    let folder = Path::new(file.file).parent().unwrap_or(Path::new(""));
    let path = folder.join(file.text()?);
    if path.is_file() { Ok((file, path)) } else { Err(file.fail(Problem::MissingFile(path))) }
}

fn filling(fields: &Fields<'_>, method: Method) -> Result<Filling, SceneError> {
    let Some(usual) = Filling::usual(method) else {
        return Err(fields.fail(Problem::Conflict(
            "comes from a file, which springs cannot fill; use method \"tet\", \"edge\" or \"mls\"",
        )));
    };
    let mut filling = usual;
    if let Some(field) = fields.get("fill") {
        let word = field.text()?;
        let unknown = || field.unknown_word("filling", word, Filling::NAMES.to_vec());
        filling = Filling::named(word).ok_or_else(unknown)?;
        if !filling.suits(method) {
            let suited = Filling::NAMES.into_iter().filter(|n| Filling::named(n).is_some_and(|f| f.suits(method)));
            let wanted = format!("one of {} for method \"{}\"", listed(suited), method.name());
            return Err(field.fail(Problem::WrongType { wanted, found: format!("\"{word}\"") }));
        }
    }
    if let Filling::Stuffing { grading, features } = &mut filling {
        *grading = !fields.flag("uniform", false)?;
        *features = fields.or("features", None, |f| f.number(Range::Positive).map(|angle| Some(angle.to_radians())))?;
    }
    if let Filling::Phyxels { levels, .. } = &mut filling {
        *levels = fields.whole("levels", 0, *levels)?;
    }
    Ok(filling)
}

/// What a table says about the file that it names.
pub(super) fn options(fields: &Fields<'_>) -> Result<FileOptions, SceneError> {
    let default = FileOptions::default();
    fields.at_most_one(&["unit", "height"])?;
    Ok(FileOptions {
        unit: fields.number("unit", Range::Positive, default.unit)?,
        up: fields.word("up", "axis", &[("y", UpAxis::Y), ("z", UpAxis::Z), ("x", UpAxis::X)], default.up)?,
        height: fields.or("height", None, |field| field.number(Range::Positive).map(Some))?,
        origin: fields.word("origin", "origin", &Origin::NAMES, default.origin)?,
        ..default
    })
}
