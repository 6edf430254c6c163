//! `shape = { file = "…" }`.

use std::path::{Path, PathBuf};

use phyxel::math::Vec3;
use phyxel::record::Look;
use phyxel::scene::Method;
use phyxel::shape::{Geometry, Placement, Resolution, ShapeError, TriMesh};

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::words::listed;
use crate::input::UpAxis;
use crate::solid::{
    Content, Counted, Dressing, FileOptions, Filled, Filling, Origin, SolidError, fill, outside, read_solid,
};

const KEYS: &[&str] = &["file", "unit", "up", "height", "origin", "fill", "features", "levels", "uniform"];
const SKIN_KEYS: &[&str] = &["file", "unit", "up", "height", "origin"];

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
    own_skin: bool,
) -> Result<(Filled, Skinned), SceneError> {
    let fields = shape.fields(KEYS)?;
    let (file, path) = path(&fields)?;
    let filling = filling(&fields, method)?;
    let options = options(&fields)?;
    let read = read_solid(&path, &options).map_err(|error| file.fail(Problem::Solid(error)))?;
    let fail =
        |source: ShapeError| file.fail(Problem::Solid(SolidError::Shape { file: path.display().to_string(), source }));
    let mut skinned = Skinned::default();
    let mut filled = match read.content {
        Content::Tets(mesh) if method != Method::Mls && fields.get("fill").is_none() => {
            Filled { geometry: Geometry::Tets(mesh), notes: Vec::new(), size: None }
        }
        Content::Tets(mesh) => {
            fill(&outside(&mesh).map_err(fail)?, &filling, resolution, Counted::Nodes).map_err(fail)?
        }
        Content::Surface(solid) => {
            let filled = fill(&solid, &filling, resolution, Counted::Nodes).map_err(fail)?;
            skinned = Skinned::of(&filled, read.dressing, solid.mesh(), own_skin);
            filled
        }
    };
    filled.geometry.place(placement);
    skinned.place(placement);
    filled.notes.extend(read.flaws);
    filled.notes.append(&mut skinned.notes);
    Ok((filled, skinned))
}

/// `skin = { file = "…" }`: a surface of its own for a body of any shape, placed like the body.
pub(super) fn skin(skin: &Field<'_>, filled: &mut Filled, placement: &Placement) -> Result<Skinned, SceneError> {
    let fields = skin.fields(SKIN_KEYS)?;
    let (file, path) = path(&fields)?;
    let read = read_solid(&path, &options(&fields)?).map_err(|error| file.fail(Problem::Solid(error)))?;
    let Content::Surface(solid) = read.content else {
        return Err(
            file.fail(Problem::Conflict("holds tetrahedra, and a skin is a surface; use OBJ, STL, PLY or glTF"))
        );
    };
    let Dressing { look, parts, remarks } = read.dressing;
    let mut skinned = Skinned { skin: Some(solid.mesh().clone()), look, parts, notes: Vec::new() };
    skinned.place(placement);
    match &mut filled.geometry {
        Geometry::Tets(_) => {}
        Geometry::Points(sampling) => sampling.skin = skinned.skin.take().unwrap_or_default(),
        Geometry::Embedded(embedded) => embedded.skin = skinned.skin.take().unwrap_or_default(),
        Geometry::Springs(_) => {
            return Err(skin.fail(Problem::Conflict("needs tetrahedra or phyxels that carry it; springs have neither")));
        }
    }
    let of_skin = |note: String| note.replacen("its file", "the file of its skin", 1);
    filled.notes.extend(read.flaws.into_iter().chain(remarks).map(of_skin));
    Ok(skinned)
}

/// How a body from a file is drawn.
#[derive(Default)]
pub(super) struct Skinned {
    /// The file's own surface, where the body would show another.
    pub skin: Option<TriMesh>,
    pub look: Look,
    pub parts: Vec<u32>,
    notes: Vec<String>,
}

impl Skinned {
    /// Phyxels and covers carry the file's surface; tetrahedra that fit it show their own boundary unless asked for it.
    fn of(filled: &Filled, dressing: Dressing, surface: &TriMesh, own_skin: bool) -> Self {
        let fits = matches!(filled.geometry, Geometry::Tets(_));
        let Dressing { look, parts, remarks: mut notes } = dressing;
        if fits && !own_skin {
            let plain = look.uvs.is_empty() && look.colours.is_empty() && look.parts.is_empty();
            notes.clear();
            if !plain {
                notes.push(
                    "its file has colours or textures, which the boundary of its tetrahedra does not show; write skin = \"file\" \
                     to draw the file's own surface"
                        .into(),
                );
            }
            return Skinned { notes, ..Skinned::default() };
        }
        Skinned { skin: fits.then(|| surface.clone()), look, parts, notes }
    }

    /// Moves the surface and turns its normals as the body is.
    fn place(&mut self, placement: &Placement) {
        if let Some(skin) = &mut self.skin {
            placement.apply(&mut skin.points);
        }
        let turn = placement.rotation_matrix();
        for normal in self.look.normals.iter_mut().flatten() {
            *normal = (turn * Vec3(normal.map(f64::from))).0.map(|c| c as f32);
        }
    }
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
