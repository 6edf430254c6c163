use super::*;

#[test]
fn quads_become_triangles_and_are_counted() {
    let file = parse("box.obj", BOX_OBJ).unwrap();
    assert_eq!(file.format, "OBJ");
    assert_eq!((file.found.vertices, file.found.faces, file.found.polygons), (8, 6, 6));
    assert!(file.uvs.is_none() && file.normals.is_none() && file.colours.is_none() && file.material_of.is_none());
    assert_box(&file);
}

#[test]
fn windows_line_ends_continuations_and_indices_from_the_end() {
    let text = BOX_OBJ.replace("f 4 3 2 1", "f -5 -6 \\\n   -7\\\n -8 # bottom").replace('\n', "\r\n");
    assert_box(&parse("box.obj", text).unwrap());
    assert_box(&parse("box.obj", BOX_OBJ.replace('\n', "\r")).unwrap());
    assert_box(&parse("box.obj", format!("\u{feff}{BOX_OBJ}")).unwrap());
    assert_box(&parse("no extension", BOX_OBJ).unwrap());
}

#[test]
fn unit_and_axis_are_applied() {
    let options = SurfaceOptions { unit: 0.001, up: UpAxis::Z };
    let file = parse_surface(Path::new("box.obj"), BOX_OBJ.into(), &options).unwrap();
    assert_eq!(file.mesh.points[6], [0.001, 0.003, -0.002]);
    assert!((enclosed_volume(&file.mesh) - 6e-9).abs() < 1e-20);
    let bad = SurfaceOptions { unit: -1.0, up: UpAxis::Y };
    let error = parse_surface(Path::new("box.obj"), BOX_OBJ.into(), &bad).unwrap_err().to_string();
    assert!(error.contains("positive, finite number of metres"), "{error}");
}

#[test]
fn texture_coordinates_normals_colours_and_materials_stay_with_their_corners() {
    let text = "\
mtllib nowhere.mtl
v 0 0 0 1 0 0
v 1 0 0 0 1 0
v 0 1 0 0 0 1
v 1 1 0
vt 0.25 0.5
vt 1 0
vn 0 0 1
f 1/1/1 2/2/1 3/1/1
usemtl red rubber
f 2//1 4//1 3//1
l 1 2
";
    let file = parse("a.obj", text).unwrap();
    assert_eq!(file.uvs.unwrap(), [[[0.25, 0.5], [1.0, 0.0], [0.25, 0.5]], [[0.0; 2]; 3]]);
    assert_eq!(file.normals.unwrap()[1], [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(file.colours.unwrap()[1], [[0, 255, 0, 255], [255; 4], [0, 0, 255, 255]]);
    assert_eq!(file.materials[0].name, "red rubber");
    assert_eq!(file.material_of.unwrap(), [None, Some(0)]);
    assert_eq!(file.found.missing, ["nowhere.mtl"]);
    assert_eq!(file.found.skipped, [("lines", 1)]);
}

#[test]
fn material_libraries_beside_the_file_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("box.obj");
    let mtl = "# looks\nnewmtl skin\nKd 0.5 0.25 1\nd 0.5\nmap_Kd -s 1 1 1 skin.png\nnewmtl unused\n";
    std::fs::write(dir.path().join("box.mtl"), mtl).unwrap();
    std::fs::write(&path, format!("mtllib box.mtl\nusemtl skin\n{BOX_OBJ}")).unwrap();
    let file = read_surface(&path, &SurfaceOptions::default()).unwrap();
    let texture = Some("skin.png".to_string());
    assert_eq!(file.materials, [SurfaceMaterial { name: "skin".into(), colour: Some([0.5, 0.25, 1.0, 0.5]), texture }]);
    assert_eq!(file.material_of.unwrap(), [Some(0); 12]);
    assert!(file.found.missing.is_empty());
}

#[test]
fn a_repair_carries_data_of_corners_along() {
    let text = "\
v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 1
vt 0 0\nvt 1 0\nvt 2 0\nvt 3 0
f 1/1 3/3 2/2\nf 1/1 1/1 2/2\nf 1/1 2/2 4/4\nf 2/2 3/3 5/4\nf 3/3 1/1 5/4
";
    let (file, report) = parse("a.obj", text).unwrap().repaired(&RepairSettings::default()).unwrap();
    assert_eq!((report.degenerate, report.turned, report.closed), (1, 0, true));
    for (triangle, uvs) in file.mesh.triangles.iter().zip(file.uvs.unwrap()) {
        assert_eq!(triangle.map(|v| v as f32), uvs.map(|uv| uv[0]));
    }
    let flipped = text.replace("f 1/1 2/2 4/4", "f 2/2 1/1 4/4");
    let (file, report) = parse("a.obj", flipped).unwrap().repaired(&RepairSettings::default()).unwrap();
    assert_eq!(report.turned, 1);
    for (triangle, uvs) in file.mesh.triangles.iter().zip(file.uvs.unwrap()) {
        assert_eq!(triangle.map(|v| v as f32), uvs.map(|uv| uv[0]));
    }
}

#[test]
fn a_concave_face_is_cut_inside_its_outline() {
    let text = "v 0 0 0\nv 2 -1 0\nv 0 3 0\nv -2 -1 0\nf 2 3 4 1\n";
    let file = parse("arrow.obj", text).unwrap();
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| file.mesh.points[v as usize]);
        0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
    };
    let areas: Vec<f64> = file.mesh.triangles.iter().map(area).collect();
    assert_eq!(areas, [3.0, 3.0]);
}

#[test]
fn mistakes_are_named_with_their_line() {
    let cases = [
        ("v 0 0 0\nv 1 0 0\n\nf 1 2\n", "line 4: a face has 2 corner(s)"),
        ("v 0 0 0\nv 1 0 x\n", "line 2: `x` stands where a coordinate"),
        ("v 0 0 0\nv 1 0\n", "line 2: ends too early: a coordinate"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: vertex 4 is used, but the file has 3"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "line 4: vertex -4 is used, but the file has 3"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4: `0` stands where the index of a vertex"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/7 2/1 3/1\n", "line 4: texture coordinate 7 is used, but the file has 0"),
        ("v 0 0 0\r\nv nan 0 0\r\n", "line 2: a coordinate is NaN"),
        ("v 0 0 0\nv inf 0 0\n", "line 2: a coordinate is inf"),
        ("v 0 0 0\nv 0 1e30 0\n", "line 2: a coordinate is 1e30 m, beyond the limit of 1e9 m"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "has no triangles"),
        ("v 0 0 0\nv 1 0 0\nl 1 2\n", "has no triangles (only 1 lines)"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999\n", "line 4: vertex 99999999999 is used"),
    ];
    for (text, expected) in cases {
        let error = complaint("a.obj", text);
        assert!(error.starts_with("a.obj") && error.contains(expected), "{error}");
    }
}
