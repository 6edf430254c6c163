//! Mesh files that are cut short or have wrong bytes in them: every one is either read or refused, none brings the
//! program down, and none takes long.

use phyxel::shape::{TetMesh, TriMesh};
use phyxel_io::surface::{SurfaceFormat, SurfaceOptions, parse_surface, write_surface_as};
use phyxel_io::tet_mesh::{TetFormat, TetMeshOptions, parse_tet_mesh, write_tet_mesh_as};
use std::path::{Path, PathBuf};

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Cuts, overwrites, repeats, removes; text gets signs that text has.
fn damaged(random: &mut Random, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    let signs = b"0123456789-.eE \n\r/#\"'{}[]()<>=$,\xff\0nai";
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => bytes[at] = signs[random.below(signs.len())],
            3 => bytes.insert(at, signs[random.below(signs.len())]),
            4 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + random.below(40)).min(bytes.len());
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

fn corner() -> TriMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    TriMesh { points, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

fn two_tets() -> TetMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
    TetMesh { points, tets: vec![[0, 1, 2, 3], [1, 4, 2, 3]] }
}

const OBJ: &str = "mtllib a.mtl\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 0.1 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\nusemtl a\n\
    f 1/1/1 2/1/1 3 4 \\\n -1//-1\nf 1 2 5\nl 1 2\n";

const GLTF: &str = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"children": [1], "scale": [1, 2, -3]},
    {"mesh": 0, "rotation": [0, 0, 0.6, 0.8]}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
    {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36, "byteStride": 12}, {"buffer": 0, "byteOffset": 36, "byteLength": 3}],
    "buffers": [{"uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAEC", "byteLength": 39}]}"#;

fn glb() -> Vec<u8> {
    let json = GLTF.replace(r#""uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAEC", "#, "");
    let mut file = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    let mut bytes = [0.0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<u8>>();
    bytes.extend([0, 1, 2]);
    for (kind, chunk) in [(b"JSON", json.as_bytes()), (b"BIN\0", &bytes)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

#[test]
fn damaged_surfaces_are_read_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut samples: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for (i, format) in
        [SurfaceFormat::Stl, SurfaceFormat::StlText, SurfaceFormat::Ply, SurfaceFormat::PlyText].into_iter().enumerate()
    {
        let path = dir.path().join(format!("{i}.{}", if i < 2 { "stl" } else { "ply" }));
        write_surface_as(&path, &corner(), format).unwrap();
        samples.push((path.clone(), std::fs::read(path).unwrap()));
    }
    samples.push(("a.obj".into(), OBJ.into()));
    samples.push(("a.gltf".into(), GLTF.into()));
    samples.push(("a.glb".into(), glb()));
    let big = "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\nproperty uchar z\n\
        element face 1\nproperty list ushort ushort vertex_index\nend_header\n";
    let rows = b"\0\0\0\x01\0\0\0\x01\0\0\x03\0\0\0\x01\0\x02";
    samples.push(("b.ply".into(), [big.as_bytes(), rows].concat()));
    let options = SurfaceOptions::default();
    let (mut random, mut read, mut refused) = (Random(1), 0, 0);
    for (path, bytes) in &samples {
        parse_surface(path, bytes.clone(), &options).unwrap_or_else(|e| panic!("the sample itself: {e}"));
        for _ in 0..600 {
            match parse_surface(path, damaged(&mut random, bytes), &options) {
                Ok(file) => {
                    let count = file.mesh.points.len() as u32;
                    assert!(file.mesh.triangles.iter().flatten().all(|v| *v < count));
                    assert!(file.mesh.points.iter().flatten().all(|c| c.is_finite()));
                    file.repaired(&Default::default()).expect("a surface that was read can be repaired");
                    read += 1;
                }
                Err(error) => {
                    assert!(error.to_string().contains(';'), "no remedy: {error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 200 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn damaged_tetrahedral_meshes_are_read_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let options = [false, true].map(|drop_flat| TetMeshOptions { drop_flat, ..TetMeshOptions::default() });
    let (mut random, mut read, mut refused) = (Random(2), 0, 0);
    let mut try_one = |path: &Path, bytes: Vec<u8>, i: usize| match parse_tet_mesh(path, bytes, &options[i % 2]) {
        Ok((mesh, _)) => {
            let count = mesh.points.len() as u32;
            assert!(mesh.tets.iter().flatten().all(|n| *n < count));
            read += 1;
        }
        Err(error) => {
            assert!(error.to_string().contains(';'), "no remedy: {error}");
            refused += 1;
        }
    };
    for format in TetFormat::ALL {
        let path = dir.path().join(format!("{format:?}.{}", format.extension()));
        write_tet_mesh_as(&path, &two_tets(), format).unwrap();
        let files =
            if format == TetFormat::TetGen { vec![path.clone(), path.with_extension("ele")] } else { vec![path] };
        for path in files {
            let bytes = std::fs::read(&path).unwrap();
            (0..400).for_each(|i| try_one(&path, damaged(&mut random, &bytes), i));
        }
    }
    assert!(read > 200 && refused > 1000, "{read} read, {refused} refused");
}

/// Every beginning of every file, byte by byte.
#[test]
fn files_cut_anywhere_are_refused_or_read() {
    let dir = tempfile::tempdir().unwrap();
    for format in TetFormat::ALL.into_iter().filter(|f| *f != TetFormat::TetGen) {
        let path = dir.path().join(format!("{format:?}.{}", format.extension()));
        write_tet_mesh_as(&path, &two_tets(), format).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for end in 0..bytes.len() {
            if let Ok((mesh, _)) = parse_tet_mesh(&path, bytes[..end].to_vec(), &TetMeshOptions::default()) {
                assert!(!mesh.tets.is_empty());
            }
        }
    }
    for (name, bytes) in [("a.obj", OBJ.as_bytes().to_vec()), ("a.gltf", GLTF.into()), ("a.glb", glb())] {
        for end in 0..bytes.len() {
            let cut = parse_surface(Path::new(name), bytes[..end].to_vec(), &SurfaceOptions::default());
            assert!(cut.is_err() || name == "a.obj", "{name} cut at {end}");
        }
    }
}
