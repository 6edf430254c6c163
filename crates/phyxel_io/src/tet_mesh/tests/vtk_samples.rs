//! VTK as ParaView and others lay it out.

use super::*;
use crate::input::base64;
use std::io::Write;

/// The layout since version 5.1, with a field in front and metadata between.
const LEGACY_5: &str = "\
# vtk DataFile Version 5.1
vtk output
ASCII
DATASET UNSTRUCTURED_GRID
FIELD FieldData 1
TIME 1 1 double
0.5
POINTS 5 float
0 0 0 1 0 0 0 1 0
0 0 1 1 1 1
METADATA
INFORMATION 0

CELLS 4 11
OFFSETS vtktypeint64
0 4 7 11
CONNECTIVITY vtktypeint64
0 1 2 3 0 1 2
1 4 2 3
CELL_TYPES 3
10
5
10

CELL_DATA 3
";

const LEGACY_2: &str = "\
# vtk DataFile Version 2.0
by hand
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0
1 0 0
0 1 0
0 0 1
CELLS 2 8
4 0 1 2 3
2 0 1
CELL_TYPES 2
10
3
";

const XML: &str = "\
<?xml version=\"1.0\"?>
<!-- <Piece> by hand -->
<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">
<UnstructuredGrid>
<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">
<PointData><DataArray type=\"Float32\" Name=\"heat\" format=\"ascii\">1 2 3 4</DataArray></PointData>
<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>
0 0 0 1 0 0 0 1 0 0 0 1
</DataArray></Points>
<Cells>
<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>
<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>
<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray>
</Cells>
</Piece>
</UnstructuredGrid>
</VTKFile>
";

#[test]
fn both_layouts_of_the_legacy_form() {
    let (mesh, report) = parse("a.vtk", LEGACY_5).unwrap();
    assert_eq!((mesh.points.len(), mesh.tets.as_slice()), (5, &[[0, 1, 2, 3], [1, 4, 2, 3]][..]));
    assert_eq!(report.skipped, [("triangles".to_string(), 1)]);
    let (mesh, report) = parse("a.vtk", LEGACY_2).unwrap();
    assert_eq!((mesh.tets.as_slice(), report.skipped[0].0.as_str()), (&[[0, 1, 2, 3]][..], "lines"));
}

#[test]
fn xml_with_comments_both_quotation_marks_and_several_pieces() {
    let (mesh, _) = parse("a.vtu", XML).unwrap();
    assert_eq!((mesh.points.len(), mesh.tets.as_slice()), (4, &[[0, 1, 2, 3]][..]));
    let begin = XML.find("<Piece N").unwrap();
    let end = XML.find("</UnstructuredGrid>").unwrap();
    let twice = [&XML[..end], &XML[begin..end].replace("0 0 1\n", "0 0 2\n"), &XML[end..]].concat();
    let (mesh, _) = parse("a.vtu", twice).unwrap();
    assert_eq!((mesh.points.len(), mesh.tets.as_slice()), (8, &[[0, 1, 2, 3], [4, 5, 6, 7]][..]));
}

/// An array deflated in blocks of `block` bytes: header and data.
fn deflated(bytes: &[u8], block: usize) -> (Vec<u8>, Vec<u8>) {
    let blocks: Vec<Vec<u8>> = bytes
        .chunks(block)
        .map(|chunk| {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(chunk).unwrap();
            encoder.finish().unwrap()
        })
        .collect();
    let last = bytes.len() % block;
    let sizes = blocks.iter().map(Vec::len);
    let header = [blocks.len(), block, last].into_iter().chain(sizes).flat_map(|n| (n as u32).to_le_bytes()).collect();
    (header, blocks.concat())
}

/// ParaView's default: deflated arrays, inline or appended.
#[test]
fn deflated_arrays_in_base64_and_raw() {
    let points: Vec<u8> =
        [0.0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.].iter().flat_map(|c| c.to_le_bytes()).collect();
    let nodes: Vec<u8> = [0i32, 1, 2, 3].iter().flat_map(|c| c.to_le_bytes()).collect();
    let (header, data) = deflated(&points, 20);
    let head = XML.replace("byte_order", "compressor=\"vtkZLibDataCompressor\" byte_order");
    let inline = format!("\n  {}{}\n", base64::encode(&header), base64::encode(&data));
    let text = head.replace("format='ascii'>\n0 0 0 1 0 0 0 1 0 0 0 1\n", &format!("format='binary'>{inline}"));
    assert_eq!(parse("a.vtu", &text).unwrap().0.points[3], [0.0, 0.0, 1.0]);
    let (mut appended, mut offsets) = (Vec::new(), Vec::new());
    for array in [&points, &nodes] {
        offsets.push(appended.len());
        let (header, data) = deflated(array, 1 << 15);
        appended.extend(header);
        appended.extend(data);
    }
    let text = head
        .replace("format='ascii'>\n0 0 0 1 0 0 0 1 0 0 0 1\n", &format!("format='appended' offset='{}'>", offsets[0]))
        .replace("format=\"ascii\">0 1 2 3<", &format!("format=\"appended\" offset=\"{}\"><", offsets[1]))
        .replace("</VTKFile>", "<AppendedData encoding=\"raw\">\n   _");
    let whole = [text.trim_end().as_bytes(), &appended, b"\n</AppendedData></VTKFile>"].concat();
    assert_eq!(parse("a.vtu", &whole).unwrap().0.points[3], [0.0, 0.0, 1.0]);
    let lzma = String::from_utf8_lossy(&whole).replace("vtkZLib", "vtkLZMA");
    assert!(complaint("a.vtu", lzma.as_bytes()).contains("data compressed by `vtkLZMADataCompressor` cannot be read"));
    // A block that announces far more than it can hold is refused before room is made for it.
    let mut bomb = header.clone();
    bomb[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    let inline = format!("{}{}", base64::encode(&bomb), base64::encode(&data));
    let text = head.replace("format='ascii'>\n0 0 0 1 0 0 0 1 0 0 0 1\n", &format!("format='binary'>{inline}"));
    assert!(complaint("a.vtu", &text).contains("ends too early"));
}

/// A thousand pieces that all point at one array.
#[test]
fn shared_arrays_do_not_multiply_a_file() {
    let array = "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>";
    let piece = format!("<Piece><Points>{array}</Points><Cells></Cells></Piece>");
    let head = "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\"><UnstructuredGrid>";
    let text = format!("{head}{}</UnstructuredGrid><AppendedData encoding=\"raw\">_", piece.repeat(1000));
    let data = vec![0u8; 2_400_000];
    let whole = [text.as_bytes(), &2_400_000u64.to_le_bytes(), &data].concat();
    // The first piece lacks its cells; with cells the second one would exceed the bytes of the file.
    assert!(complaint("a.vtu", &whole).contains("the array of connectivity is missing"));
    let cells = ["connectivity", "offsets", "types"]
        .map(|name| format!("<DataArray type=\"Int32\" Name=\"{name}\" format=\"ascii\"></DataArray>"));
    let text = text.replace("<Cells>", &format!("<Cells>{}", cells.concat()));
    let whole = [text.as_bytes(), &2_400_000u64.to_le_bytes(), &data].concat();
    assert!(complaint("a.vtu", &whole).contains("arrays that several pieces share cannot be read"));
}

#[test]
fn mistakes_are_named() {
    let cases = [
        ("a.vtk", LEGACY_5.replace("0 1 2 3 0 1 2", "0 1 2 9 0 1 2"), "node 9 is used, but the file has 5"),
        ("a.vtk", LEGACY_5.replace("0 0 1 1 1 1", "0 0 1 1 1 z"), "line 10: `z` stands where a number"),
        ("a.vtk", LEGACY_5.replace("POINTS 5", "POINTS 5000000000"), "ends too early"),
        ("a.vtk", LEGACY_5.replace("UNSTRUCTURED_GRID", "POLYDATA"), "line 4: a VTK dataset of type `POLYDATA`"),
        ("a.vtk", LEGACY_2.replace("4 0 1 2 3", "9 0 1 2 3"), "shorter than its counts say"),
        (
            "a.vtk",
            LEGACY_2.replace("10\n3\n", "24\n3\n"),
            "has no tetrahedra (only 1 tetrahedra of higher order, 1 lines)",
        ),
        ("a.vtk", LEGACY_2.replace("4 0 1 2 3", "4 0 1 2 -3"), "node -3 is used"),
        ("a.vtu", XML.replace("UnstructuredGrid\" version", "PolyData\" version"), "a VTK file of type `PolyData`"),
        ("a.vtu", XML.replace("1 0 0 0 1 0 0 0 1\n", "1 0 0 q\n"), "line 8: `q` stands where a number"),
        ("a.vtu", XML.replace(">4<", "><"), "not as many types as ends"),
        ("a.vtu", XML.replace(">4<", ">3<"), "a tetrahedron has not four nodes"),
        ("a.vtu", XML.replace("'ascii'", "'appended' offset='9'"), "`<AppendedData>` is missing"),
        ("a.vtu", XML.replace("\"offsets\"", "\"other\""), "the array of offsets is missing"),
        ("a.vtu", XML[..150].into(), "the end of an XML tag is missing"),
    ];
    for (name, text, expected) in cases {
        let error = complaint(name, &text);
        assert!(error.contains(expected), "{error}\n expected {expected}");
    }
}
