use super::*;
use crate::input::base64;

/// Positions of the tetrahedron at the origin as `f32`, then its indices as `u16`.
fn buffer() -> Vec<u8> {
    let points = [0.0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.];
    let indices = [0u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    let bytes = points.iter().flat_map(|p| p.to_le_bytes());
    bytes.chain(indices.iter().flat_map(|i| i.to_le_bytes())).collect()
}

fn document(uri: &str, nodes: &str) -> String {
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [{nodes}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1, "material": 0}}]}}],
        "materials": [{{"name": "gold", "pbrMetallicRoughness": {{"baseColorFactor": [1, 0.5, 0, 1]}}}}],
        "accessors": [
          {{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]}},
          {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
        "buffers": [{{{uri}"byteLength": 72}}]}}"#
    )
}

fn inline() -> String {
    format!(r#""uri": "data:application/octet-stream;base64,{}", "#, base64::encode(&buffer()))
}

fn glb(json: &str, bytes: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut file = b"glTF".to_vec();
    file.extend(2u32.to_le_bytes());
    file.extend((28 + json.len() as u32 + bytes.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json[..]), (b"BIN\0", bytes)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

const PLAIN: &str = r#"{"mesh": 0}"#;

#[test]
fn inline_chunk_and_companion_hold_the_same() {
    let file = parse("a.gltf", document(&inline(), PLAIN)).unwrap();
    assert_eq!(file.format, "glTF");
    assert!((enclosed_volume(&file.mesh) - 1.0 / 6.0).abs() < 1e-15);
    assert_eq!(file.materials[0].colour, Some([1.0, 0.5, 0.0, 1.0]));
    assert_eq!(file.material_of.clone().unwrap(), [Some(0); 4]);
    let packed = parse("a.glb", glb(&document("", PLAIN), &buffer())).unwrap();
    assert_eq!((packed.format, &packed.mesh), ("GLB", &file.mesh));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gltf");
    std::fs::write(&path, document(r#""uri": "my%20data.bin", "#, PLAIN)).unwrap();
    let error = read_surface(&path, &SurfaceOptions::default()).unwrap_err().to_string();
    assert!(error.contains("my data.bin") && error.contains("put it beside this one"), "{error}");
    std::fs::write(dir.path().join("my data.bin"), buffer()).unwrap();
    assert_eq!(read_surface(&path, &SurfaceOptions::default()).unwrap().mesh, file.mesh);
}

#[test]
fn nodes_place_meshes_and_mirrors_keep_them_outward() {
    // A quarter turn about z, then a parent that moves and doubles; the child mirrors in x.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let nodes = format!(
        r#"{{"children": [1, 2], "translation": [10, 0, 0], "scale": [2, 2, 2]}},
        {{"mesh": 0, "rotation": [0, 0, {half}, {half}]}},
        {{"mesh": 0, "matrix": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]}}"#
    );
    let file = parse("a.gltf", document(&inline(), &nodes)).unwrap();
    assert_eq!(file.mesh.points.len(), 8);
    let near = |p: [f64; 3], q: [f64; 3]| (0..3).all(|k| (p[k] - q[k]).abs() < 1e-12);
    assert!(near(file.mesh.points[1], [10.0, 2.0, 0.0]), "x became y: {:?}", file.mesh.points[1]);
    assert!(near(file.mesh.points[2], [8.0, 0.0, 0.0]));
    assert!(near(file.mesh.points[5], [8.0, 0.0, 10.0]), "{:?}", file.mesh.points[5]);
    assert!((enclosed_volume(&file.mesh) - 16.0 / 6.0).abs() < 1e-12, "both wound outward");
}

#[test]
fn strips_fans_lists_without_indices_and_points() {
    let with = |mode: u32, indices: &str| {
        let text = document(&inline(), PLAIN).replace(r#""indices": 1"#, &format!(r#""mode": {mode}{indices}"#));
        parse("a.gltf", text)
    };
    assert_eq!(with(5, "").unwrap().mesh.triangles, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(with(6, "").unwrap().mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(with(4, "").unwrap().mesh.triangles, [[0, 1, 2]]);
    assert_eq!(with(4, r#", "indices": 1"#).unwrap().mesh.triangles.len(), 4);
    let error = with(1, "").unwrap_err().to_string();
    assert!(error.contains("has no triangles (only 1 groups of points and lines)"), "{error}");
}

#[test]
fn all_scenes_count_and_without_scenes_all_roots() {
    let nodes = r#"{"mesh": 0}, {"mesh": 0, "translation": [5, 0, 0]}, {"children": [0]}"#;
    let count = |text: String| parse("a.gltf", text).unwrap().mesh.triangles.len();
    let one = document(&inline(), nodes);
    assert_eq!(count(one.clone()), 4);
    assert_eq!(count(one.replace(r#"[{"nodes": [0]}]"#, r#"[{"nodes": [0]}, {"nodes": [0, 1]}]"#)), 8);
    assert_eq!(count(one.replace(r#""scenes": [{"nodes": [0]}],"#, "")), 8);
}

#[test]
fn normalised_positions_and_data_of_vertices() {
    let mut bytes: Vec<u8> =
        [0i16, 0, 0, 0, 32767, 0, 0, 0, 0, 32767, 0, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    bytes.extend([0u8, 0, 255, 0, 0, 255]);
    let json = r#"{"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_mesh_quantization"], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}}]}],
        "accessors": [
          {"bufferView": 0, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC3"},
          {"bufferView": 1, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC2"}],
        "bufferViews": [{"buffer": 0, "byteLength": 24, "byteStride": 8}, {"buffer": 0, "byteOffset": 24, "byteLength": 6}],
        "buffers": [{"byteLength": 30}]}"#;
    let file = parse("a.glb", glb(json, &bytes)).unwrap();
    assert_eq!(file.mesh.points, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(file.uvs.unwrap(), [[[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]]);
}

#[test]
fn mistakes_are_named() {
    let good = document(&inline(), PLAIN);
    let cases = [
        (
            good.replace("\"count\": 4", "\"count\": 10000000000"),
            "ends too early: an accessor needs 120000000000 bytes",
        ),
        (good.replace("\"count\": 12", "\"count\": 18446744073709551615"), "ends too early: an accessor"),
        (good.replace("\"byteLength\": 72", "\"byteLength\": 7200"), "a buffer needs 7200 bytes, 72 are left"),
        (good.replace("\"byteOffset\": 48", "\"byteOffset\": 18446744073709551615"), "ends too early: a buffer view"),
        (good.replace("\"POSITION\": 0", "\"POSITION\": 9"), "accessor 9 is used, but the file has 2"),
        (good.replace("{\"mesh\": 0}", "{\"mesh\": 3}"), "mesh 3 is used, but the file has 1"),
        (good.replace("{\"mesh\": 0}", "{\"mesh\": 0, \"children\": [5]}"), "node 5 is used"),
        (good.replace("VEC3", "VEC2"), "is of type `VEC2`, not VEC3"),
        (good.replace("5123", "5126"), "ends too early: an accessor"),
        (good.replace("\"version\": \"2.0\"", "\"version\": \"1.0\""), "version `1.0` of glTF cannot be read"),
        (good.replace("\"nodes\": [0]}", "\"nodes\": 0}"), "line 1: the JSON is not that of a glTF file"),
        (good.replace(";base64,", ";base64,!"), "a data URI is not in base64"),
        (
            good.replace("\"scene\": 0", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]"),
            "without compression",
        ),
        (good.replace("\"count\": 4", "\"count\": 3"), "vertex 3 is used, but the file has 3"),
        (good.replace("\"bufferView\": 0, ", ""), "accessor 0 (sparse, or without a buffer) cannot be read"),
        (good.replace(&inline(), "\"uri\": \"https://example.org/a.bin\", "), "store it beside the file"),
        ("{}".into(), "version `` of glTF"),
    ];
    for (text, expected) in cases {
        let error = complaint("a.gltf", &text);
        assert!(error.contains(expected), "{error}\n expected {expected}");
    }
    let cycle = r#"{"mesh": 0, "children": [1]}, {"children": [0]}"#;
    assert_eq!(parse("a.gltf", document(&inline(), cycle)).unwrap().mesh.triangles.len(), 4);
    let twice = r#"{"mesh": 0, "children": [1, 1]}, {"mesh": 0}"#;
    assert!(complaint("a.gltf", document(&inline(), twice)).contains("node 1 has two parents"));
    let whole = glb(&document("", PLAIN), &buffer());
    assert!(complaint("a.glb", &whole[..whole.len() - 5]).contains("ends too early: a chunk of the GLB"));
}

/// Nodes that place one mesh again and again must not multiply a small file without bound.
#[test]
fn copies_have_a_limit() {
    let bytes = vec![0u8; 12 * 100_000];
    let nodes: Vec<String> = (0..1000).map(|_| PLAIN.into()).collect();
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{}], "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}},
        "indices": 1}}]}}], "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 100000, "type": "VEC3"}},
        {{"bufferView": 0, "componentType": 5121, "count": 0, "type": "SCALAR"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 1200000}}], "buffers": [{{"byteLength": 1200000}}]}}"#,
        nodes.join(",")
    );
    assert!(complaint("a.glb", glb(&json, &bytes)).contains("more than the limit of 50000000"));
}
