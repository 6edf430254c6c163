//! Surfaces found anew, surfels, textures, parts and colours in the files of results.

mod sample;

use phyxel::record::{BodyLayout, Frame, FreeSurface, PartLook, Surfels};
use phyxel_io::picture::{Image, write_png};
use phyxel_io::{Format, FrameStats, Recorder};
use std::fs;
use std::path::Path;

const FORMATS: [Format; 5] = [Format::Usd, Format::Ply, Format::Obj, Format::Gltf, Format::Html];

/// The cube has texture coordinates and two parts, one with a picture.
fn layouts(picture: &Path) -> Vec<BodyLayout> {
    let mut layouts = sample::layouts();
    let cube = &mut layouts[0];
    let count = cube.skin_triangles.len();
    cube.skin_parts = (0..count).map(|t| u32::from(t % 3 == 0)).collect();
    cube.look.uvs = (0..count).map(|t| [[0.0, 0.0], [1.0, 0.0], [0.5, (t % 2) as f32]]).collect();
    let paint = PartLook { name: "paint".into(), texture: Some(picture.to_path_buf()), ..PartLook::default() };
    let glass = PartLook { name: "glass".into(), colour: Some([0.1, 0.2, 0.3, 0.5]), ..PartLook::default() };
    cube.look.parts = vec![paint, glass];
    layouts
}

/// The cube is molten in frames 2 and 3, with more triangles each time; the phyxels have surfels throughout.
fn frame(index: usize) -> Frame {
    let mut frame = sample::frame(index);
    if (2..4).contains(&index) {
        frame.bodies[0].free = Some(pyramid(index + 1));
    }
    let points: Vec<[f64; 3]> = frame.bodies[1].positions.iter().take(20).copied().collect();
    frame.bodies[1].surfels = Some(Surfels {
        normals: vec![[0.0, 1.0, 0.0]; points.len()],
        tangents: vec![[[0.02, 0.0, 0.0], [0.0, 0.0, 0.005]]; points.len()],
        colours: vec![[1.0, 0.0, 0.0]; points.len()],
        points,
    });
    frame
}

/// A closed pyramid over a polygon, whose bottom is the face of a crack.
fn pyramid(sides: usize) -> FreeSurface {
    let corner = |k: usize| (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
    let mut points: Vec<[f64; 3]> = (0..sides).map(corner).map(|(s, c)| [0.3 * s, 0.0, 0.3 * c]).collect();
    points.extend([[0.0, 0.5, 0.0], [0.0, 0.0, 0.0]]);
    let (n, top, middle) = (sides as u32, sides as u32, sides as u32 + 1);
    let triangles = (0..n).flat_map(|k| [[k, (k + 1) % n, top], [(k + 1) % n, k, middle]]).collect();
    let normals = vec![[0.0, 1.0, 0.0]; points.len()];
    FreeSurface {
        colours: vec![[0.0, 0.5, 1.0]; points.len()],
        points,
        normals,
        triangles,
        parts: [0, 7].repeat(sides),
    }
}

fn record(dir: &Path, picture: &Path, frames: std::ops::Range<usize>) {
    let mut recorder = Recorder::create(dir, "melt", &FORMATS, &layouts(picture), 30.0, 6, frames.start).unwrap();
    for index in frames {
        recorder.push(&frame(index), &FrameStats::default()).unwrap();
    }
    recorder.finish().unwrap();
}

fn painted(dir: &Path) -> std::path::PathBuf {
    let picture = dir.join("stripes of paint.png");
    write_png(&picture, &Image { width: 2, height: 2, rgb: vec![9; 12] }).unwrap();
    picture
}

/// The text of a binary glTF.
fn gltf_text(path: &Path) -> serde_json::Value {
    let glb = fs::read(path).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

/// The lines of a prim of a USD text, and its children's.
fn prim<'a>(text: &'a str, head: &str) -> &'a str {
    let from = text.find(&format!("def {head}")).unwrap_or_else(|| panic!("{head} is missing"));
    let rest = &text[from..];
    &rest[..rest.find("\n    }\n").unwrap()]
}

/// The samples of an attribute: frame and text.
fn samples<'a>(prim: &'a str, attribute: &str) -> Vec<(usize, &'a str)> {
    let from = prim.find(&format!("{attribute}.timeSamples = {{\n")).unwrap_or_else(|| panic!("{attribute}"));
    let lines = prim[from..].lines().skip(1).take_while(|l| !l.trim().starts_with('}'));
    lines.map(|l| l.trim().split_once(": ").unwrap()).map(|(f, rest)| (f.parse().unwrap(), rest)).collect()
}

#[test]
fn usd_has_a_mesh_of_its_own_for_surfaces_found_anew_seen_while_they_last() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &painted(dir.path()), 0..6);
    let text = fs::read_to_string(dir.path().join("melt.usda")).unwrap();
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    let (own, free) = (prim(&text, "Mesh \"cube\""), prim(&text, "Mesh \"cube_surface\""));
    let frames = |prim, attribute| samples(prim, attribute).into_iter().map(|s| s.0).collect::<Vec<_>>();
    assert_eq!(frames(own, "points"), [0, 1, 4, 5]);
    assert_eq!(frames(free, "points"), [2, 3]);
    for (frame, sides) in [(2, 3), (3, 4)] {
        let sample = |attribute| samples(free, attribute).into_iter().find(|s| s.0 == frame).unwrap().1;
        assert_eq!(sample("points").matches('(').count(), sides + 2);
        assert_eq!(sample("normals").matches('(').count(), sides + 2);
        assert_eq!(sample("displayColor").matches("(0, 0.5, 1)").count(), sides + 2);
        assert_eq!(sample("faceVertexCounts").matches('3').count(), 2 * sides);
        let corners = sample("faceVertexIndices").trim_matches(['[', ']', ',']).split(", ");
        let corners: Vec<usize> = corners.map(|c| c.parse().unwrap()).collect();
        assert_eq!((corners.len(), *corners.iter().max().unwrap()), (6 * sides, sides + 1));
    }
    let word =
        |prim| samples(prim, "visibility").into_iter().map(|(f, w)| (f, w.contains("inherited"))).collect::<Vec<_>>();
    assert_eq!(word(own), [(0, true), (2, false), (4, true)]);
    assert_eq!(word(free), [(0, false), (2, true), (4, false)]);
    assert!(!text.contains("net_surface"), "only bodies that need one have one");
}

#[test]
fn faces_of_cracks_have_the_material_of_the_inside() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &painted(dir.path()), 0..6);
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    // OBJ: four triangles of the outside and four of the inside, with a colour of their own.
    let (frame, materials) = (read("obj/frame_00003.obj"), read("obj/materials.mtl"));
    let cube = &frame[frame.find("o cube").unwrap()..];
    let (mut used, mut counts) = ("", std::collections::HashMap::new());
    for line in cube.lines().skip(1).take_while(|l| !l.starts_with("o ")) {
        used = line.strip_prefix("usemtl ").unwrap_or(used);
        *counts.entry(used).or_insert(0) += usize::from(line.starts_with("f "));
    }
    assert_eq!((counts["cube_0_0"], counts["cube_0_7"]), (4, 4));
    let colour = |name: &str| {
        let from = materials.find(&format!("newmtl {name}\n")).unwrap_or_else(|| panic!("{name} is missing"));
        materials[from..].lines().nth(1).unwrap()
    };
    assert_ne!(colour("cube_0_0"), colour("cube_0_7"));
    // USD: numbers of parts, and a material for those that are inside.
    let usd = read("melt.usda");
    let free = prim(&usd, "Mesh \"cube_surface\"");
    assert_eq!(samples(free, "primvars:phyxel:part")[1], (3, "[0, 7, 0, 7, 0, 7, 0, 7],"));
    let inside = &free[free.find("def GeomSubset \"inside\"").unwrap()..];
    assert_eq!(samples(inside, "int[] indices"), [(2, "[1, 3, 5],"), (3, "[1, 3, 5, 7],")]);
    assert!(inside.contains("rel material:binding = </World/Looks/cube_surface_inside>"));
    assert!(usd.contains("def Material \"cube_surface_inside\""));
    // glTF: two primitives, and the same material in both frames.
    let json = gltf_text(&dir.path().join("melt.glb"));
    let free = |mesh: &&serde_json::Value| mesh["name"].as_str().unwrap().starts_with("cube at");
    let meshes: Vec<_> = json["meshes"].as_array().unwrap().iter().filter(free).collect();
    let material = |mesh: usize, primitive: usize| meshes[mesh]["primitives"][primitive]["material"].as_u64().unwrap();
    assert_eq!(meshes.len(), 2);
    assert_ne!(material(0, 0), material(0, 1));
    assert_eq!(material(0, 1), material(1, 1));
    let inside = &json["materials"][material(0, 1) as usize]["pbrMetallicRoughness"]["baseColorFactor"];
    let said: Vec<f64> = colour("cube_0_7").split(' ').skip(1).map(|c| c.parse().unwrap()).collect();
    assert!((0..3).all(|k| (inside[k].as_f64().unwrap() - said[k]).abs() < 1e-6), "{inside} {said:?}");
    assert!(meshes[0]["primitives"][1]["attributes"]["COLOR_0"].is_null());
}

#[test]
fn usd_has_textures_and_parts() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &painted(dir.path()), 0..1);
    let text = fs::read_to_string(dir.path().join("melt.usda")).unwrap();
    let cube = prim(&text, "Mesh \"cube\"");
    let list = |prim: &str, name: &str| {
        let from = prim.find(&format!("{name} = [")).unwrap() + name.len() + 4;
        prim[from..].split(']').next().unwrap().split(", ").map(String::from).collect::<Vec<_>>()
    };
    let triangles = list(cube, "faceVertexCounts").len();
    assert_eq!(list(cube, "primvars:st:indices").len(), 3 * triangles);
    assert_eq!(list(cube, "primvars:normals:indices").len(), 3 * triangles);
    assert_eq!(list(cube, "primvars:st").len(), 2 * 4, "four pairs differ");
    let subsets: Vec<&str> = cube.split("def GeomSubset").skip(1).collect();
    let faces: usize = subsets.iter().map(|s| list(s, "indices").len()).sum();
    assert_eq!((subsets.len(), faces), (2, triangles));
    assert!(text.contains("asset inputs:file = @textures/stripes_of_paint.png@"));
    assert!(dir.path().join("textures/stripes_of_paint.png").is_file());
    assert!(text.contains("color3f inputs:diffuseColor = (0.1, 0.2, 0.3)\n                float inputs:opacity = 0.5"));
    // Every material that is bound is there.
    for path in text.split("material:binding = </World/Looks/").skip(1).map(|t| t.split('>').next().unwrap()) {
        assert!(text.contains(&format!("def Material \"{path}\"")), "{path}");
    }
}

/// The cube's flat faces keep one normal each, of unit length.
#[test]
fn normals_of_a_skin_are_those_of_its_sides() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &painted(dir.path()), 0..1);
    let text = fs::read_to_string(dir.path().join("melt.usda")).unwrap();
    let normals = samples(prim(&text, "Mesh \"cube\""), "primvars:normals");
    let numbers = normals[0].1.split(|c: char| !(c.is_ascii_digit() || "-.e".contains(c)));
    let numbers: Vec<f64> = numbers.filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect();
    // 9 x 9 points on each of six sides.
    assert_eq!(numbers.len(), 3 * 6 * 81);
    for n in numbers.chunks_exact(3) {
        assert_eq!(n.iter().filter(|c| c.abs() > 0.999).count(), 1, "{n:?}");
    }
}

#[test]
fn obj_names_materials_that_exist_and_corners_that_exist() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &painted(dir.path()), 0..4);
    let materials = fs::read_to_string(dir.path().join("obj/materials.mtl")).unwrap();
    assert!(materials.contains("map_Kd ../textures/stripes_of_paint.png"));
    assert!(materials.contains("Kd 0.1 0.2 0.3\nd 0.5"));
    for index in [1, 3] {
        let text = fs::read_to_string(dir.path().join(format!("obj/frame_0000{index}.obj"))).unwrap();
        let count = |kind: &str| text.lines().filter(|l| l.starts_with(kind)).count();
        for face in text.lines().filter_map(|l| l.strip_prefix("f ")) {
            for corner in face.split(' ') {
                let at: Vec<usize> = corner.split('/').map(|n| n.parse().unwrap_or(0)).collect();
                assert!((1..=count("v ")).contains(&at[0]) && (1..=count("vn ")).contains(&at[2]), "{corner}");
                assert!(at[1] <= count("vt "), "{corner}");
            }
        }
        assert_eq!(count("vt ") > 0, index == 1, "a surface found anew has no texture");
        for name in text.lines().filter_map(|l| l.strip_prefix("usemtl ")) {
            assert!(materials.contains(&format!("newmtl {name}\n")), "{name}");
        }
    }
}

#[test]
fn surfels_have_files_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &painted(dir.path()), 0..2);
    let bytes = fs::read(dir.path().join("surfels/frame_00001.ply")).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    assert!(String::from_utf8_lossy(&bytes[..end]).contains("element vertex 20\n"));
    assert_eq!(bytes.len() - end, 20 * 35);
    let first = &bytes[end..end + 35];
    assert_eq!(first[24..27], [255, 0, 0]);
    let radius = f32::from_le_bytes(first[31..].try_into().unwrap());
    assert!((radius - 0.01).abs() < 1e-6, "the root of 0.02 times 0.005: {radius}");
}

#[test]
fn a_melting_run_that_was_cut_off_resumes_to_the_same_files() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shared = tempfile::tempdir().unwrap();
    let picture = painted(shared.path());
    record(whole.path(), &picture, 0..6);
    // Ended after frame 3, then simulated again from frame 3 on.
    record(parts.path(), &picture, 0..4);
    record(parts.path(), &picture, 3..6);
    for file in [
        "melt.usda",
        "melt.html",
        "melt.glb",
        "ply/frame_00003.ply",
        "obj/frame_00003.obj",
        "surfels/frame_00005.ply",
        "obj/materials.mtl",
    ] {
        let [a, b] = [&whole, &parts].map(|dir| fs::read(dir.path().join(file)).unwrap());
        assert!(a == b, "{file} differs");
    }
}

#[test]
fn a_texture_that_is_missing_is_noted_and_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), Path::new("no/such/paint.png"), 0..1);
    let page = fs::read_to_string(dir.path().join("melt.html")).unwrap();
    assert!(page.contains("The texture paint.png is not shown"));
    let usd = fs::read_to_string(dir.path().join("melt.usda")).unwrap();
    assert!(usd.contains("@no/such/paint.png@"));
}

#[test]
fn bodies_have_the_colour_that_they_were_given() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut layouts = sample::layouts();
    layouts[0].look.colour = Some([255, 0, 51]);
    let mut recorder =
        Recorder::create(dir.path(), "run", &[Format::Usd, Format::Gltf], &layouts, 10.0, 1, 0).expect("files");
    recorder.push(&sample::frame(0), &FrameStats::default()).expect("a frame");
    recorder.finish().expect("results");
    let usd = fs::read_to_string(dir.path().join("run.usda")).expect("text");
    let expected = [1.0, 0.0, 0.2f64.powf(2.2)];
    let is_given = |found: &[f64]| found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6);
    let text = usd.split("inputs:diffuseColor = ").nth(1).expect("a material");
    let numbers = text.split(&['(', ',', ')'][..]).filter_map(|n| n.trim().parse().ok());
    assert!(is_given(&numbers.take(3).collect::<Vec<f64>>()), "{usd}");
    let json = gltf_text(&dir.path().join("run.glb"));
    let factor = &json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"];
    assert!(is_given(&[0, 1, 2].map(|k| factor[k].as_f64().expect("a number"))), "{factor}");
}
