//! STL: triangles with corners of their own, as text or as records of fifty bytes.

use super::SurfaceFile;
use super::polygons::{Polygons, index};
use crate::input::{Axes, Cursor, MeshFileError, Source, array};

type Result<T> = std::result::Result<T, MeshFileError>;

/// Bytes of a triangle: normal, three corners, two bytes of anything.
const RECORD: usize = 50;

/// Reads records; what stands behind them is left alone.
pub(super) fn read_binary(source: &Source, axes: Axes) -> Result<SurfaceFile> {
    let mut cursor = Cursor::new(source).in_bytes();
    cursor.take(80, "the header")?;
    let count = u32::from_le_bytes(array(cursor.take(4, "the number of triangles")?, 0));
    cursor.need(u64::from(count), RECORD as u64, &format!("the {count} triangles announced"))?;
    let mut surface = Polygons::default();
    surface.points.reserve(3 * count as usize);
    surface.corners.reserve(3 * count as usize);
    for _ in 0..count {
        let start = cursor.at;
        let record = cursor.take(RECORD as u64, "a triangle")?;
        for corner in 0..3 {
            let number = |k: usize| f64::from(f32::from_le_bytes(array(record, 12 + 12 * corner + 4 * k)));
            let point = axes.point([number(0), number(1), number(2)]);
            surface.points.push(point.map_err(|problem| source.error_at_byte(start + 12 + 12 * corner, problem))?);
            let last = index(surface.points.len(), "vertices").map_err(|p| source.error(p))?;
            surface.corners.push(last - 1);
        }
        surface.close_face().map_err(|problem| source.error_at_byte(start, problem))?;
    }
    surface.finish(source, axes, "binary STL")
}

/// Reads any number of `solid … endsolid`.
pub(super) fn read_text(source: &Source, axes: Axes) -> Result<SurfaceFile> {
    let mut cursor = Cursor::new(source);
    let mut surface = Polygons::default();
    while let Some(word) = cursor.word() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(cursor.bad_word(word, "`solid`"));
        }
        // The rest of the line is a name.
        cursor.line();
        read_solid(&mut cursor, axes, &mut surface)?;
    }
    surface.finish(source, axes, "text STL")
}

fn read_solid(cursor: &mut Cursor, axes: Axes, surface: &mut Polygons) -> Result<()> {
    loop {
        let word = cursor.expect("`facet` or `endsolid`")?;
        if word.eq_ignore_ascii_case(b"endsolid") {
            cursor.line();
            return Ok(());
        }
        if !word.eq_ignore_ascii_case(b"facet") {
            return Err(cursor.bad_word(word, "`facet` or `endsolid`"));
        }
        read_facet(cursor, axes, surface)?;
    }
}

fn read_facet(cursor: &mut Cursor, axes: Axes, surface: &mut Polygons) -> Result<()> {
    // Normals are often zero or wrong; some writers put words such as `nan` there. The corners say it all.
    let mut words = 0;
    while !cursor.expect("`outer loop`")?.eq_ignore_ascii_case(b"outer") {
        words += 1;
        if words > 4 {
            return Err(cursor.bad_word(b"facet", "`facet normal`, three numbers and `outer loop`"));
        }
    }
    cursor.keyword("loop")?;
    loop {
        let word = cursor.expect("`vertex` or `endloop`")?;
        if word.eq_ignore_ascii_case(b"endloop") {
            break;
        }
        if !word.eq_ignore_ascii_case(b"vertex") {
            return Err(cursor.bad_word(word, "`vertex` or `endloop`"));
        }
        let corner = cursor.triple("a coordinate of a corner")?;
        surface.points.push(axes.point(corner).map_err(|problem| cursor.error(problem))?);
        let last = index(surface.points.len(), "vertices").map_err(|problem| cursor.error(problem))?;
        surface.corners.push(last - 1);
    }
    surface.close_face().map_err(|problem| cursor.error(problem))?;
    cursor.keyword("endfacet")
}
