//! Writing `.vtu`.

use super::cells::TETRA;
use crate::input::base64;
use phyxel::shape::TetMesh;
use std::io::{self, Write};

/// How arrays are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::tet_mesh) enum Arrays {
    Text,
    Base64,
    Appended,
}

struct Array {
    attributes: &'static str,
    bytes: Vec<u8>,
    words: Vec<String>,
}

/// Writes one piece.
pub(in crate::tet_mesh) fn write(w: &mut impl Write, mesh: &TetMesh, form: Arrays) -> io::Result<()> {
    writeln!(w, "<?xml version=\"1.0\"?>")?;
    write!(w, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" ")?;
    writeln!(w, "header_type=\"UInt64\">\n  <UnstructuredGrid>")?;
    writeln!(w, "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">", mesh.points.len(), mesh.tets.len())?;
    let sections = arrays(mesh, form == Arrays::Text);
    let mut offset = 0;
    for (section, arrays) in &sections {
        writeln!(w, "      <{section}>")?;
        for array in arrays {
            write!(w, "        <DataArray {}", array.attributes)?;
            match form {
                Arrays::Text => writeln!(w, " format=\"ascii\">\n{}\n        </DataArray>", array.words.join(" "))?,
                Arrays::Base64 => {
                    let bytes = [&(array.bytes.len() as u64).to_le_bytes()[..], &array.bytes].concat();
                    writeln!(w, " format=\"binary\">{}</DataArray>", base64::encode(&bytes))?;
                }
                Arrays::Appended => writeln!(w, " format=\"appended\" offset=\"{offset}\"/>")?,
            }
            offset += 8 + array.bytes.len();
        }
        writeln!(w, "      </{section}>")?;
    }
    writeln!(w, "    </Piece>\n  </UnstructuredGrid>")?;
    if form == Arrays::Appended {
        write!(w, "  <AppendedData encoding=\"raw\">\n_")?;
        for array in sections.iter().flat_map(|(_, arrays)| arrays) {
            w.write_all(&(array.bytes.len() as u64).to_le_bytes())?;
            w.write_all(&array.bytes)?;
        }
        writeln!(w, "\n  </AppendedData>")?;
    }
    writeln!(w, "</VTKFile>")
}

fn arrays(mesh: &TetMesh, text: bool) -> [(&'static str, Vec<Array>); 2] {
    let points = mesh.points.as_flattened();
    let nodes: Vec<i64> = mesh.tets.iter().flatten().map(|n| i64::from(*n)).collect();
    let ends: Vec<i64> = (1..=mesh.tets.len() as i64).map(|i| 4 * i).collect();
    let words = |n: &[i64]| if text { n.iter().map(i64::to_string).collect() } else { Vec::new() };
    let int = |attributes, n: &[i64]| Array {
        attributes,
        bytes: n.iter().flat_map(|n| n.to_le_bytes()).collect(),
        words: words(n),
    };
    let positions = Array {
        attributes: "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"",
        bytes: points.iter().flat_map(|c| c.to_le_bytes()).collect(),
        words: if text { points.iter().map(|c| format!("{c:?}")).collect() } else { Vec::new() },
    };
    let types = Array {
        attributes: "type=\"UInt8\" Name=\"types\"",
        bytes: vec![TETRA; mesh.tets.len()],
        words: if text { vec![TETRA.to_string(); mesh.tets.len()] } else { Vec::new() },
    };
    let connectivity = int("type=\"Int64\" Name=\"connectivity\"", &nodes);
    let offsets = int("type=\"Int64\" Name=\"offsets\"", &ends);
    [("Points", vec![positions]), ("Cells", vec![connectivity, offsets, types])]
}
