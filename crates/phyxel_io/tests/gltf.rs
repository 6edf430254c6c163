//! The glTF file of a run, read back by a small reader that shares no code with the writer.

mod sample;

use phyxel::record::{BodyFrame, Frame, FreeSurface, PartLook};
use phyxel_io::picture::{Image, write_png};
use phyxel_io::{Format, FrameStats, Recorder};
use serde_json::Value;
use std::path::Path;

struct Glb {
    json: Value,
    bin: Vec<u8>,
}

impl Glb {
    fn read(path: &Path) -> Glb {
        let bytes = std::fs::read(path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
        let json_length = word(12);
        assert_eq!((&bytes[16..20], json_length % 4), (&b"JSON"[..], 0));
        let json = serde_json::from_slice(&bytes[20..20 + json_length]).unwrap();
        let at = 20 + json_length;
        assert_eq!((&bytes[at + 4..at + 8], word(at), word(at) % 4), (&b"BIN\0"[..], bytes.len() - at - 8, 0));
        let glb = Glb { json, bin: bytes[at + 8..].to_vec() };
        glb.check();
        glb
    }

    fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], Vec::as_slice)
    }

    fn raw(&self, accessor: usize) -> (&[u8], usize) {
        let accessor = &self.list("accessors")[accessor];
        let view = &self.list("bufferViews")[accessor["bufferView"].as_u64().unwrap() as usize];
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            other => panic!("{other}"),
        };
        let (at, length) =
            (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
        assert_eq!(length, 4 * width * accessor["count"].as_u64().unwrap() as usize);
        assert_eq!(at % 4, 0);
        (&self.bin[at..at + length], width)
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        let (bytes, _) = self.raw(accessor.as_u64().unwrap() as usize);
        bytes.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
    }

    fn triples(&self, accessor: &Value) -> Vec<[f32; 3]> {
        self.floats(accessor).chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect()
    }

    fn indices(&self, accessor: &Value) -> Vec<usize> {
        let (bytes, _) = self.raw(accessor.as_u64().unwrap() as usize);
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap()) as usize).collect()
    }

    /// What the standard demands of any file.
    fn check(&self) {
        assert_eq!(self.json["buffers"][0]["byteLength"].as_u64(), Some(self.bin.len() as u64));
        for (i, accessor) in self.list("accessors").iter().enumerate() {
            let (bytes, width) = self.raw(i);
            if let Some(low) = accessor["min"].as_array() {
                let values: Vec<f32> =
                    bytes.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
                for k in 0..width {
                    let least = values.iter().skip(k).step_by(width).copied().fold(f32::INFINITY, f32::min);
                    assert_eq!(low[k].as_f64().unwrap() as f32, least, "accessor {i}");
                }
            }
        }
        for mesh in self.list("meshes") {
            for primitive in mesh["primitives"].as_array().unwrap() {
                let position = &primitive["attributes"]["POSITION"];
                let count = self.triples(position).len();
                assert!(self.indices(&primitive["indices"]).iter().all(|v| *v < count));
                let targets = primitive["targets"].as_array().map_or(0, Vec::len);
                assert_eq!(targets, mesh["weights"].as_array().map_or(0, Vec::len));
                for target in primitive["targets"].as_array().into_iter().flatten() {
                    let deltas = &target["POSITION"];
                    assert_eq!(self.triples(deltas).len(), count);
                    assert!(self.list("accessors")[deltas.as_u64().unwrap() as usize]["min"].is_array());
                }
                assert!((primitive["material"].as_u64().unwrap() as usize) < self.list("materials").len());
            }
        }
        for sampler in self.json["animations"][0]["samplers"].as_array().into_iter().flatten() {
            let times = self.floats(&sampler["input"]);
            assert!(times.windows(2).all(|w| w[0] < w[1]));
        }
    }

    fn node(&self, name: &str) -> (usize, &Value) {
        let has_mesh = |n: &(usize, &Value)| n.1["name"] == name && n.1["mesh"].is_u64();
        self.list("nodes").iter().enumerate().find(has_mesh).unwrap_or_else(|| panic!("{name}"))
    }

    /// Times and values of an animation of a node.
    fn motion(&self, node: usize, path: &str) -> Option<(Vec<f32>, Vec<f32>)> {
        let animation = &self.json["animations"][0];
        let is_it = |c: &&Value| c["target"]["node"] == node && c["target"]["path"] == path;
        let channel = animation["channels"].as_array()?.iter().find(is_it)?;
        let sampler = &animation["samplers"][channel["sampler"].as_u64()? as usize];
        Some((self.floats(&sampler["input"]), self.floats(&sampler["output"])))
    }
}

fn record(dir: &Path, frames: usize, change: impl Fn(&mut Frame)) -> Glb {
    let layouts = sample::layouts();
    let mut recorder = Recorder::create(dir, "run", &[Format::Gltf], &layouts, 30.0, frames, 0).unwrap();
    for index in 0..frames {
        let mut frame = sample::frame(index);
        change(&mut frame);
        recorder.push(&frame, &FrameStats::default()).unwrap();
    }
    Glb::read(&recorder.finish().unwrap()[0])
}

fn assert_near(found: [f32; 3], wanted: [f64; 3]) {
    assert!((0..3).all(|k| (f64::from(found[k]) - wanted[k]).abs() < 1e-6), "{found:?} instead of {wanted:?}");
}

/// The weights at a key frame, times the targets, give the positions of that frame.
#[test]
fn morph_targets_play_the_deformation() {
    let dir = tempfile::tempdir().unwrap();
    let glb = record(dir.path(), 7, |_| {});
    let (number, node) = glb.node("cube");
    let mesh = &glb.list("meshes")[node["mesh"].as_u64().unwrap() as usize];
    let primitive = &mesh["primitives"][0];
    let (times, weights) = glb.motion(number, "weights").unwrap();
    assert_eq!((times.len(), weights.len()), (7, 7 * 6));
    assert!((times[5] - 5.0 / 30.0).abs() < 1e-6);
    let base = glb.triples(&primitive["attributes"]["POSITION"]);
    let corners = glb.indices(&primitive["indices"]);
    let layouts = sample::layouts();
    for index in [0, 3, 6] {
        let mut moved = base.clone();
        for (k, target) in primitive["targets"].as_array().unwrap().iter().enumerate() {
            let weight = weights[index * 6 + k];
            for (p, d) in moved.iter_mut().zip(glb.triples(&target["POSITION"])) {
                (0..3).for_each(|c| p[c] += weight * d[c]);
            }
        }
        let frame = sample::frame(index);
        for (found, v) in corners.iter().zip(layouts[0].skin_triangles.iter().flatten()) {
            assert_near(moved[*found], frame.bodies[0].skin[*v as usize]);
        }
    }
    // Sharp edges: three normals at each corner of the cube, one on its sides.
    assert_eq!(base.len(), 6 * 81);
}

#[test]
fn rigid_bodies_turn_instead_of_morphing() {
    let dir = tempfile::tempdir().unwrap();
    let rest = sample::frame(0).bodies[3].positions.clone();
    let place = |time: f64, [x, y, z]: [f64; 3]| {
        let (s, c) = (2.0 * time).sin_cos();
        [c * x - s * y + time, s * x + c * y, z - 0.5 * time]
    };
    let glb = record(dir.path(), 5, |frame| {
        let time = frame.time;
        frame.bodies[3].positions = rest.iter().map(|p| place(time, *p)).collect();
    });
    let bar = glb.list("nodes").iter().rposition(|n| n["name"] == "cube" && n["mesh"].is_u64()).unwrap();
    assert!(glb.motion(bar, "weights").is_none());
    let (times, turns) = glb.motion(bar, "rotation").unwrap();
    let (_, travels) = glb.motion(bar, "translation").unwrap();
    let mesh = &glb.list("meshes")[glb.list("nodes")[bar]["mesh"].as_u64().unwrap() as usize];
    let base = glb.triples(&mesh["primitives"][0]["attributes"]["POSITION"]);
    for (k, time) in times.iter().enumerate() {
        let q: [f64; 4] = std::array::from_fn(|i| f64::from(turns[4 * k + i]));
        for p in &base {
            // About z: the angle is twice that of the quaternion.
            let angle = 2.0 * q[2].atan2(q[3]);
            let [x, y, z] = p.map(f64::from);
            let turned = [angle.cos() * x - angle.sin() * y, angle.sin() * x + angle.cos() * y, z];
            let found = std::array::from_fn(|i| turned[i] as f32 + travels[3 * k + i]);
            assert_near(found, place(f64::from(*time), [x, y, z]));
        }
    }
}

#[test]
fn surfaces_found_anew_are_there_in_their_frames_alone() {
    let dir = tempfile::tempdir().unwrap();
    let glb = record(dir.path(), 5, |frame| {
        if (2..4).contains(&frame.index) {
            let top = [0.0, 0.1 * frame.index as f64, 0.0];
            let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], top];
            let triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
            frame.bodies[0].free =
                Some(FreeSurface { points, triangles, colours: vec![[1.0, 0.0, 0.0]; 4], ..FreeSurface::default() });
        }
    });
    let (own, _) = glb.node("cube");
    let (times, sizes) = glb.motion(own, "scale").unwrap();
    assert_eq!(sizes, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert!((times[1] * 30.0 - 2.0).abs() < 1e-4 && (times[2] * 30.0 - 4.0).abs() < 1e-4);
    assert_eq!(glb.motion(own, "weights").unwrap().0.len(), 3, "frames 0, 1 and 4");
    let (third, node) = glb.list("nodes").iter().enumerate().find(|(_, n)| n["name"] == "cube at 0.1 s").unwrap();
    assert_eq!(glb.motion(third, "scale").unwrap().1, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let mesh = &glb.list("meshes")[node["mesh"].as_u64().unwrap() as usize];
    let attributes = &mesh["primitives"][0]["attributes"];
    assert_near(glb.triples(&attributes["POSITION"])[3], [0.0, 0.3, 0.0]);
    assert_eq!(glb.triples(&attributes["COLOR_0"]), [[1.0, 0.0, 0.0]; 4]);
}

#[test]
fn long_runs_keep_a_bounded_number_of_frames_and_the_last_one() {
    let dir = tempfile::tempdir().unwrap();
    let glb = record(dir.path(), 1001, |_| {});
    let (cube, _) = glb.node("cube");
    let times = glb.motion(cube, "weights").unwrap().0;
    assert!((100..=122).contains(&times.len()), "{}", times.len());
    assert!((times.last().unwrap() - 1000.0 / 30.0).abs() < 1e-4);
}

#[test]
fn textures_are_inside_the_file_and_its_own_reader_finds_the_shape() {
    let dir = tempfile::tempdir().unwrap();
    let picture = dir.path().join("paint.png");
    write_png(&picture, &Image { width: 2, height: 2, rgb: vec![200; 12] }).unwrap();
    let mut layouts = vec![sample::layouts().remove(0)];
    layouts[0].look.uvs = vec![[[0.0, 0.25], [1.0, 0.0], [0.5, 1.0]]; layouts[0].skin_triangles.len()];
    layouts[0].look.parts = vec![PartLook { name: "paint".into(), colour: None, texture: Some(picture.clone()) }];
    let mut recorder = Recorder::create(dir.path(), "run", &[Format::Gltf], &layouts, 30.0, 1, 0).unwrap();
    let body: BodyFrame = sample::frame(0).bodies.remove(0);
    let skin = body.skin.clone();
    recorder.push(&Frame { bodies: vec![body], ..Frame::default() }, &FrameStats::default()).unwrap();
    let path = recorder.finish().unwrap().remove(0);
    let glb = Glb::read(&path);
    let view = &glb.list("bufferViews")[glb.json["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let at = view["byteOffset"].as_u64().unwrap() as usize;
    let bytes = std::fs::read(&picture).unwrap();
    assert_eq!(glb.bin[at..at + bytes.len()], bytes);
    let uvs = glb.floats(&glb.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"]);
    assert_eq!(uvs[..2], [0.0, 0.75], "v counts downwards");
    assert!(glb.json["animations"].is_null(), "one frame does not move");
    let surface = phyxel_io::read_surface(&path, &phyxel_io::SurfaceOptions::default()).unwrap();
    assert_eq!(surface.mesh.triangles.len(), layouts[0].skin_triangles.len());
    let highest = |points: &[[f64; 3]]| points.iter().map(|p| p[1]).fold(f64::MIN, f64::max);
    assert!((highest(&surface.mesh.points) - highest(&skin)).abs() < 1e-6);
}
