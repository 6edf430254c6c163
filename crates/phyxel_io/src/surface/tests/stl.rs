use super::*;
use phyxel::shape::TriMesh;

/// The tetrahedron at the origin.
pub(super) fn corner() -> TriMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    TriMesh { points, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

/// As the format's description has it, by hand.
pub(super) fn binary(header: &[u8], mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in &mesh.triangles {
        bytes.extend([0; 12]);
        for c in t.iter().flat_map(|v| mesh.points[*v as usize]) {
            bytes.extend((c as f32).to_le_bytes());
        }
        bytes.extend([7, 7]);
    }
    bytes
}

const TEXT: &str = "\
solid made by hand
  facet normal 0 0 -1
    outer loop
      vertex 0 0 0
      vertex 0 1 0
      vertex 1.0e0 0 0
    endloop
  endfacet
endsolid made by hand
solid second
FACET NORMAL nan nan nan OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 0 1 ENDLOOP ENDFACET
  facet normal 0 0 0
    outer loop
      vertex 0 0 0
      vertex 0 0 1
      vertex 0 1 0
    endloop
  endfacet
  facet
    outer loop
      vertex 1 0 0
      vertex 0 1 0
      vertex 0 0 1
    endloop
  endfacet
endsolid
";

fn assert_corner(file: SurfaceFile, format: &str) {
    assert_eq!(file.format, format);
    assert_eq!(file.found.faces, 4);
    let (file, report) = file.repaired(&RepairSettings::default()).unwrap();
    assert!(report.closed && report.welded == 8);
    assert!((enclosed_volume(&file.mesh) - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn bytes_are_read_whatever_their_header_and_name_say() {
    assert_corner(parse("a.stl", binary(b"", &corner())).unwrap(), "binary STL");
    assert_corner(parse("a.stl", binary(b"solid but binary", &corner())).unwrap(), "binary STL");
    assert_corner(parse("a.bin", binary(b"solid facet normal", &corner())).unwrap(), "binary STL");
    let mut longer = binary(b"x", &corner());
    longer.extend(b"colour table");
    assert_corner(parse("a.stl", longer).unwrap(), "binary STL");
}

#[test]
fn text_of_several_solids_in_any_case() {
    assert_corner(parse("a.stl", TEXT).unwrap(), "text STL");
    assert_corner(parse("a.txt", TEXT.replace('\n', "\r\n")).unwrap(), "text STL");
}

#[test]
fn mistakes_are_named_with_their_line_or_byte() {
    let cut = |n: usize| complaint("a.stl", &binary(b"", &corner())[..n]);
    assert!(cut(200).contains("byte 84: ends too early: the 4 triangles announced needs 200 bytes, 116 are left"));
    assert!(cut(50).contains("ends too early"));
    let mut huge = binary(b"", &corner());
    huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(complaint("a.stl", huge).contains("needs 214748364750 bytes"));
    let mut nan = binary(b"", &corner());
    nan[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(complaint("a.stl", nan).contains("byte 96: a coordinate is NaN"));
    let cases = [
        (TEXT.replace("1.0e0", "one"), "line 6: `one` stands where a coordinate of a corner"),
        (TEXT.replacen("endloop", "endlop", 1), "line 7: `endlop` stands where `vertex` or `endloop`"),
        (TEXT.replacen("      vertex 0 1 0\n", "", 1), "line 6: a face has 2 corner(s)"),
        (TEXT[..TEXT.len() - 10].into(), "ends too early: `facet` or `endsolid` is missing"),
        ("solid nothing\nendsolid nothing\n".into(), "has no triangles"),
    ];
    for (text, expected) in cases {
        let error = complaint("a.stl", &text);
        assert!(error.contains(expected), "{error}");
    }
}
