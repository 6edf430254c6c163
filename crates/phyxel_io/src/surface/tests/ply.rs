use super::*;

const TEXT: &str = "\
ply
format ascii 1.0
comment made by hand
obj_info nothing
element camera 1
property list uchar int views
property float angle
element vertex 4
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
property float s
property float t
element face 3
property list uchar int vertex_indices
element edge 1
property int vertex1
property int vertex2
end_header
2 7 8 0.5
0 0 0 255 0 0 0 0
1 0 0 0 255 0 0.5 0
0 1 0 0 0 255 0 0.5
0 0 1 9 9 9 1 1
3 0 2 1
3 0 1 3
3 0 3 2
0 1
";

fn binary(big: bool) -> Vec<u8> {
    let order = if big { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = format!(
        "ply\nformat {order} 1.0\nelement vertex 4\nproperty double x\nproperty short y\nproperty float z\n\
         element face 3\nproperty uchar flag\nproperty list ushort uint vertex_index\nend_header\n"
    )
    .into_bytes();
    let mut put = |le: &[u8]| if big { bytes.extend(le.iter().rev()) } else { bytes.extend(le) };
    for (x, y, z) in [(0.0f64, 0i16, 0.0f32), (1.0, 0, 0.0), (0.0, 1, 0.0), (0.0, 0, 1.0)] {
        put(&x.to_le_bytes());
        put(&y.to_le_bytes());
        put(&z.to_le_bytes());
    }
    for face in [&[0u32, 2, 1][..], &[0, 1, 3], &[1, 2, 0, 3]] {
        put(&[9]);
        put(&(face.len() as u16).to_le_bytes());
        face.iter().for_each(|v| put(&v.to_le_bytes()));
    }
    bytes
}

#[test]
fn text_with_elements_of_other_kinds() {
    let file = parse("a.ply", TEXT).unwrap();
    assert_eq!(file.format, "text PLY");
    assert_eq!(file.mesh.triangles, [[0, 2, 1], [0, 1, 3], [0, 3, 2]]);
    assert_eq!(file.mesh.points[2], [0.0, 1.0, 0.0]);
    assert_eq!(file.colours.unwrap()[0], [[255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 255]]);
    assert_eq!(file.uvs.unwrap()[1], [[0.0, 0.0], [0.5, 0.0], [1.0, 1.0]]);
    assert_eq!(file.found.skipped, [("elements of other kinds", 2)]);
    assert_eq!(parse("a.ply", TEXT.replace('\n', "\r\n")).unwrap().mesh, file.mesh);
}

#[test]
fn bytes_of_both_orders() {
    let [little, big] = [false, true].map(|b| parse("a.ply", binary(b)).unwrap());
    assert_eq!(little, big);
    assert_eq!(little.mesh.points, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!((little.mesh.triangles.len(), little.found.polygons), (4, 1));
}

#[test]
fn strips_of_triangles_and_texture_coordinates_of_corners() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 1 3\n";
    assert_eq!(parse("a.ply", text).unwrap().mesh.triangles, [[0, 1, 2], [2, 1, 3], [0, 1, 3]]);
    let wedges = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0.5 1 0.5 0 1\n";
    assert_eq!(parse("a.ply", wedges).unwrap().uvs.unwrap(), [[[0.0, 0.5], [1.0, 0.5], [0.0, 1.0]]]);
}

#[test]
fn mistakes_are_named_with_their_line_or_byte() {
    let cases = [
        (TEXT.replace("3 0 3 2", "3 0 3 4"), "line 30: vertex 4 is used, but the file has 4"),
        (TEXT.replace("3 0 3 2", "3 0 3 -1"), "line 30: vertex -1 is used"),
        (TEXT.replace("3 0 3 2", "2 0 3"), "line 30: a face has 2 corner(s)"),
        (TEXT.replace("1 0 0 0 255", "1 0 z 0 255"), "line 25: `z` stands where a number"),
        (TEXT.replace("1 0 0 0 255", "1 0 1e30 0 255"), "line 25: a coordinate is 1e30 m"),
        (TEXT.replace("vertex 4", "vertex 10000000000"), "needs 150000000000 bytes"),
        (TEXT.replace("property float x\n", ""), "has no properties `x`, `y` and `z`"),
        (TEXT.replace("ascii", "ebcdic"), "line 2: `ebcdic` stands where `ascii`"),
        (TEXT.replace("property float angle", "property quad angle"), "line 7: `quad` stands where a type"),
        (TEXT.replace("end_header\n", ""), "line 22: `2` stands where a line of a PLY header"),
        ("ply\nformat ascii 1.0\n".into(), "`end_header` is missing"),
        ("ply\nend_header\n".into(), "a line `format` in the header is missing"),
    ];
    for (text, expected) in cases {
        let error = complaint("a.ply", &text);
        assert!(error.contains(expected), "{error}");
    }
    let whole = binary(false);
    let cut = complaint("a.ply", &whole[..whole.len() - 3]);
    assert!(cut.contains("byte ") && cut.contains("ends too early"), "{cut}");
    let announced = String::from_utf8_lossy(&whole).replacen("face 3", "face 9999999999", 1);
    assert!(complaint("a.ply", announced.as_bytes()).contains("the 9999999999 elements `face` announced"));
    let idle = "ply\nformat ascii 1.0\nelement idle 99999999999999\nend_header\n";
    assert!(complaint("a.ply", idle).contains("has no triangles"), "an element without properties takes no time");
}
