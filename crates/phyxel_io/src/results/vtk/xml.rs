//! VTK's XML files. The arrays are appended to the XML as raw little-endian bytes, each behind its length (u64): the form
//! that ParaView itself prefers, exact and without blow-up.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

const TIME_OPENING: &str = "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">";

/// An array of a file: its element in the XML, short of the offset, and its bytes.
pub(super) struct Array<'a> {
    attributes: &'static str,
    bytes: &'a [u8],
}

/// An element and the arrays in it.
pub(super) type Section<'a> = (&'static str, Vec<Array<'a>>);

pub(super) fn array<'a>(attributes: &'static str, bytes: &'a [u8]) -> Array<'a> {
    Array { attributes, bytes }
}

pub(super) fn doubles(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(f64::to_le_bytes).collect()
}

/// Writes a file of one piece: `kind` is its type, `counts` the attributes that tell how much is in it.
pub(super) fn write_file(
    kind: &str,
    time: f64,
    counts: &str,
    sections: &[Section<'_>],
    w: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        w,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
    )?;
    writeln!(w, "  <{kind}>\n    <FieldData>\n      <DataArray type=\"Float64\" {TIME_OPENING}{time}</DataArray>")?;
    writeln!(w, "    </FieldData>\n    <Piece {counts}>")?;
    let mut offset = 0;
    for (section, arrays) in sections {
        writeln!(w, "      <{section}>")?;
        for Array { attributes, bytes } in arrays {
            writeln!(w, "        <DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>")?;
            offset += 8 + bytes.len();
        }
        writeln!(w, "      </{section}>")?;
    }
    write!(w, "    </Piece>\n  </{kind}>\n  <AppendedData encoding=\"raw\">\n_")?;
    for Array { bytes, .. } in sections.iter().flat_map(|(_, arrays)| arrays) {
        w.write_all(&(bytes.len() as u64).to_le_bytes())?;
        w.write_all(bytes)?;
    }
    writeln!(w, "\n  </AppendedData>\n</VTKFile>")
}

/// The time that a frame of an earlier run carries [s]; nothing when there is no such frame.
pub(super) fn time_of(path: &Path) -> Option<f64> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(1024).read_to_end(&mut head).ok()?;
    let text = String::from_utf8_lossy(&head);
    text.split_once(TIME_OPENING)?.1.split_once('<')?.0.parse().ok()
}
