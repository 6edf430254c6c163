//! What the recorder writes, read back by small readers that share no code with the writers.

mod sample;

use phyxel::record::{FreeSurface, Surfels};
use phyxel_io::{Format, FrameStats, OutputError, Recorder};
use std::fs;
use std::path::Path;

fn record(dir: &Path, formats: &[Format], frames: std::ops::Range<usize>, expected: usize) {
    let layouts = sample::layouts();
    let mut recorder = Recorder::create(dir, "sample", formats, &layouts, 30.0, expected, frames.start).unwrap();
    for index in frames {
        let stats = FrameStats { kinetic_j: index as f64 * 0.5, min_det_f: 0.9, ..FrameStats::default() };
        recorder.push(&sample::frame(index), &stats).unwrap();
    }
    recorder.finish().unwrap();
}

fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The value of an XML attribute behind `marker`.
fn attribute<'a>(text: &'a str, marker: &str, name: &str) -> &'a str {
    let from = text.find(marker).unwrap_or_else(|| panic!("{marker} is missing"));
    let rest = &text[from..];
    let from = rest.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
    rest[from..].split('"').next().unwrap()
}

/// A raw appended array: finds its offset in the XML and its length in the bytes.
fn vtu_array<'a>(bytes: &'a [u8], name: &str) -> &'a [u8] {
    let marker = b"<AppendedData encoding=\"raw\">\n_";
    let data = bytes.windows(marker.len()).position(|w| w == marker).unwrap() + marker.len();
    let header = std::str::from_utf8(&bytes[..data]).unwrap();
    let offset: usize = attribute(header, &format!("Name=\"{name}\""), "offset").parse().unwrap();
    let length = u64::from_le_bytes(bytes[data + offset..data + offset + 8].try_into().unwrap()) as usize;
    &bytes[data + offset + 8..data + offset + 8 + length]
}

fn u32s(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn f64s(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn vtk_holds_every_node_cell_and_field() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[Format::Vtk], 0..3, 3);
    let bytes = fs::read(dir.path().join("vtk/frame_00002.vtu")).unwrap();
    let frame = sample::frame(2);
    let positions: Vec<f64> = frame.bodies.iter().flat_map(|b| b.positions.iter().flatten().copied()).collect();
    assert_eq!(f64s(vtu_array(&bytes, "Points")), positions);
    let velocities: Vec<f64> = frame.bodies.iter().flat_map(|b| b.velocities.iter().flatten().copied()).collect();
    assert_eq!(f64s(vtu_array(&bytes, "velocity")), velocities);
    assert_eq!(f64s(vtu_array(&bytes, "von_mises")).len() * 3, positions.len());

    let header = String::from_utf8_lossy(&bytes[..bytes.len().min(3000)]).into_owned();
    assert!(!header.contains("temperature"), "nothing here has one");

    let (offsets, types) = (u32s(vtu_array(&bytes, "offsets")), vtu_array(&bytes, "types"));
    let connectivity = u32s(vtu_array(&bytes, "connectivity"));
    assert_eq!((offsets.len(), *offsets.last().unwrap() as usize), (types.len(), connectivity.len()));
    let mut start = 0;
    for (end, kind) in offsets.iter().zip(types) {
        let nodes = match kind {
            1 => 1,
            3 => 2,
            10 => 4,
            other => panic!("unexpected cell type {other}"),
        };
        assert_eq!(end - start, nodes);
        start = *end;
    }
    let last_tet = &connectivity[connectivity.len() - 4..];
    assert!(last_tet.iter().all(|&n| (n as usize) < positions.len() / 3 && n as usize >= positions.len() / 3 - 99));

    let list = fs::read_to_string(dir.path().join("sample.pvd")).unwrap();
    assert_eq!(list.matches("<DataSet").count(), 3);
    let time: f64 = attribute(&list, "timestep=\"0.06", "timestep").parse().unwrap();
    assert_eq!(time, 2.0 / 30.0);
    assert!(dir.path().join(attribute(&list, "<DataSet", "file")).exists());
}

#[test]
fn vtk_holds_surfaces_found_anew_and_surfels() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::create(dir.path(), "s", &[Format::Vtk], &sample::layouts(), 30.0, 2, 0).unwrap();
    let free = FreeSurface {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        normals: vec![[0.0, 1.0, 0.0]; 4],
        colours: vec![[0.5, 0.25, 0.0]; 4],
        triangles: vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]],
        parts: vec![0, 0, 7, 0],
    };
    let surfels = Surfels {
        points: vec![[2.0; 3]; 2],
        normals: vec![[0.0, 0.0, 1.0]; 2],
        tangents: vec![[[0.1, 0.0, 0.0], [0.0, 0.2, 0.0]]; 2],
        colours: vec![],
    };
    for index in 0..2 {
        let mut frame = sample::frame(index);
        if index == 1 {
            (frame.bodies[0].free, frame.bodies[1].surfels) = (Some(free.clone()), Some(surfels.clone()));
        }
        recorder.push(&frame, &FrameStats::default()).unwrap();
    }
    recorder.finish().unwrap();
    assert!(!dir.path().join("vtk/frame_00000.vtp").exists(), "nothing but nodes and cells then");
    let bytes = fs::read(dir.path().join("vtk/frame_00001.vtp")).unwrap();
    let points: Vec<f64> = surfels.points.iter().chain(&free.points).flatten().copied().collect();
    assert_eq!(f64s(vtu_array(&bytes, "Points")), points);
    assert_eq!(u32s(vtu_array(&bytes, "body")), [1, 1, 0, 0, 0, 0]);
    assert_eq!(u32s(vtu_array(&bytes, "part")), [0, 0, 0, 0, 7, 0]);
    assert_eq!(f64s(vtu_array(&bytes, "half_axis_2"))[..6], [0.0, 0.2, 0.0, 0.0, 0.2, 0.0]);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(text.contains("NumberOfVerts=\"2\"") && text.contains("NumberOfPolys=\"4\""), "{text:.600}");
    // The triangles follow the vertices.
    let polys = &bytes[text.find("<Polys>").unwrap()..];
    assert!(String::from_utf8_lossy(polys).contains("connectivity"));
    let list = fs::read_to_string(dir.path().join("s.pvd")).unwrap();
    assert_eq!((list.matches("<DataSet").count(), list.matches("part=\"1\"").count()), (3, 1));
}

#[test]
fn temperatures_are_a_field_where_something_is_warm() {
    let dir = tempfile::tempdir().unwrap();
    let mut frame = sample::frame(0);
    let count = frame.bodies[0].positions.len();
    frame.bodies[0].temperatures = (0..count).map(|i| 300.0 + i as f64).collect();
    let mut recorder = Recorder::create(dir.path(), "s", &[Format::Vtk], &sample::layouts(), 30.0, 1, 0).unwrap();
    recorder.push(&frame, &FrameStats::default()).unwrap();
    recorder.finish().unwrap();
    let bytes = fs::read(dir.path().join("vtk/frame_00000.vtu")).unwrap();
    let field = f64s(vtu_array(&bytes, "temperature"));
    assert_eq!(field[..count], frame.bodies[0].temperatures);
    assert_eq!(field.len(), frame.bodies.iter().map(|b| b.positions.len()).sum::<usize>());
    assert!(field[count..].iter().all(|t| t.is_nan()), "the others have none");
}

#[test]
fn ply_has_the_size_that_its_header_promises() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[Format::Ply], 0..2, 2);
    let bytes = fs::read(dir.path().join("ply/frame_00001.ply")).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let count = |element: &str| -> usize {
        header.lines().find_map(|l| l.strip_prefix(&format!("element {element} "))).unwrap().parse().unwrap()
    };
    let (vertices, faces) = (count("vertex"), count("face"));
    assert_eq!(bytes.len() - end, vertices * 31 + faces * 13);

    let frame = sample::frame(1);
    let bar = vertices - 99;
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let vertex = end + 31 * bar;
    assert_eq!(float(vertex), frame.bodies[3].positions[0][0] as f32);
    let normal: f32 = [12, 16, 20].map(|k| float(vertex + k).powi(2)).iter().sum();
    assert!((normal - 1.0).abs() < 1e-5, "normals have unit length");
    assert!(bytes[vertex + 24..vertex + 27].iter().any(|c| *c > 50), "it has a colour");
    assert_eq!(u32s(&bytes[vertex + 27..vertex + 31]), [3], "the bar is body 3");
    let last_face = u32s(&bytes[bytes.len() - 12..]);
    assert!(last_face.iter().all(|&v| (v as usize) >= bar && (v as usize) < vertices), "{last_face:?}");
}

#[test]
fn obj_has_one_object_per_body_and_counts_from_one() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[Format::Obj], 0..1, 1);
    let text = fs::read_to_string(dir.path().join("obj/frame_00000.obj")).unwrap();
    let objects: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("o ")).collect();
    assert_eq!(objects, ["cube", "ball_of_phyxels", "net", "cube"]);
    let vertices = text.lines().filter(|l| l.starts_with("v ")).count();
    let named = text.lines().filter(|l| l.starts_with(['f', 'l', 'p'])).flat_map(|l| l.split(' ').skip(1));
    let named: Vec<usize> = named.map(|v| v.split('/').next().unwrap().parse().unwrap()).collect();
    assert_eq!((*named.iter().min().unwrap(), *named.iter().max().unwrap()), (1, vertices));
    let normals = text.lines().filter(|l| l.starts_with("vn ")).count();
    let used = text.lines().filter(|l| l.starts_with("f ")).flat_map(|l| l.split(' ').skip(1));
    let used: Vec<usize> = used.map(|v| v.split("//").nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!((*used.iter().min().unwrap(), *used.iter().max().unwrap()), (1, normals));
    let materials = fs::read_to_string(dir.path().join("obj/materials.mtl")).unwrap();
    for name in text.lines().filter_map(|l| l.strip_prefix("usemtl ")) {
        assert!(materials.contains(&format!("newmtl {name}\n")), "{name}");
    }
}

/// An animated attribute of a USD text: its type and name, the times, and the number of tuples per sample.
type Attribute = (String, Vec<usize>, usize);

/// Bodies of a USD text: type and name, and the animated attributes.
fn usd_samples(text: &str) -> Vec<(String, Vec<Attribute>)> {
    let mut bodies: Vec<(String, Vec<Attribute>)> = vec![];
    for line in text.lines().map(str::trim) {
        let words = line.strip_prefix("def ").filter(|h| ["Mesh", "Points", "Basis"].iter().any(|k| h.starts_with(k)));
        if let Some(head) = words {
            bodies.push((head.trim_end_matches(" (").to_string(), vec![]));
        } else if let Some(name) = line.strip_suffix(".timeSamples = {") {
            bodies.last_mut().unwrap().1.push((name.to_string(), vec![], 0));
        } else if let Some((time, tuples)) = line.split_once(": [(") {
            let attribute = bodies.last_mut().unwrap().1.last_mut().unwrap();
            attribute.1.push(time.parse().unwrap());
            attribute.2 = tuples.matches("), (").count() + 1;
        }
    }
    bodies
}

#[test]
fn usd_has_a_prim_per_body_and_a_sample_per_frame() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[Format::Usd], 0..4, 4);
    let text = fs::read_to_string(dir.path().join("sample.usda")).unwrap();
    for expected in ["#usda 1.0", "upAxis = \"Y\"", "metersPerUnit = 1", "endTimeCode = 3", "timeCodesPerSecond = 30"] {
        assert!(text.contains(expected), "{expected}");
    }
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    let bodies = usd_samples(&text);
    let heads: Vec<&str> = bodies.iter().map(|b| b.0.as_str()).collect();
    assert_eq!(heads, ["Mesh \"cube\"", "Points \"ball_of_phyxels\"", "BasisCurves \"net\"", "Mesh \"cube_2\""]);
    let frame = sample::frame(0);
    let counts =
        [frame.bodies[0].skin.len(), frame.bodies[1].positions.len(), 2 * 144, frame.bodies[3].positions.len()];
    for ((_, attributes), count) in bodies.iter().zip(counts) {
        assert_eq!(attributes[0], ("float3[] extent".into(), vec![0, 1, 2, 3], 2));
        assert_eq!(attributes[1], ("point3f[] points".into(), vec![0, 1, 2, 3], count));
    }
    assert_eq!(names_in(dir.path()), ["sample.usda"], "the hidden parts are gone");
}

#[test]
fn csv_has_a_row_per_frame() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[Format::Csv], 0..5, 5);
    let text = fs::read_to_string(dir.path().join("sample.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 6);
    let kinetic = rows[0].iter().position(|h| *h == "kinetic_j").unwrap();
    assert_eq!((rows[5][0], rows[5][kinetic].parse()), ("4", Ok(2.0)));
}

/// Everything but the sheet, whose pictures are compared by their own test.
const EXACT: [Format; 8] =
    [Format::Usd, Format::Vtk, Format::Ply, Format::Obj, Format::Csv, Format::Gltf, Format::Html, Format::Frames];

fn assert_same_folder(a: &Path, b: &Path) {
    assert_eq!(names_in(a), names_in(b));
    for name in names_in(a) {
        let (left, right) = (a.join(&name), b.join(&name));
        if left.is_dir() {
            assert_same_folder(&left, &right);
        } else {
            assert!(fs::read(&left).unwrap() == fs::read(&right).unwrap(), "{name} differs");
        }
    }
}

#[test]
fn an_interrupted_run_lists_only_what_exists_and_resumes_to_the_same_files() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    record(whole.path(), &EXACT, 0..7, 7);
    // Frame 3 was recorded after the checkpoint, and is simulated again.
    record(parts.path(), &EXACT, 0..4, 7);
    let list = fs::read_to_string(parts.path().join("sample.pvd")).unwrap();
    assert_eq!(list.matches("<DataSet").count(), 4);
    let usd = fs::read_to_string(parts.path().join("sample.usda")).unwrap();
    assert!(usd.contains("endTimeCode = 3"));
    assert_eq!(fs::read_to_string(parts.path().join("sample.csv")).unwrap().lines().count(), 5);
    record(parts.path(), &EXACT, 3..7, 7);
    assert_same_folder(whole.path(), parts.path());
}

#[test]
fn a_run_that_was_killed_resumes_to_the_same_files() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    record(whole.path(), &EXACT, 0..6, 6);
    let layouts = sample::layouts();
    let mut killed = Recorder::create(parts.path(), "sample", &EXACT, &layouts, 30.0, 6, 0).unwrap();
    for index in 0..4 {
        let stats = FrameStats { kinetic_j: index as f64 * 0.5, min_det_f: 0.9, ..FrameStats::default() };
        killed.push(&sample::frame(index), &stats).unwrap();
    }
    drop(killed);
    record(parts.path(), &EXACT, 3..6, 6);
    assert_same_folder(whole.path(), parts.path());
}

#[test]
fn a_shorter_run_leaves_no_frames_of_a_longer_one() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[Format::Ply], 0..5, 5);
    fs::write(dir.path().join("ply/notes.txt"), "mine").unwrap();
    record(dir.path(), &[Format::Ply], 0..2, 2);
    assert_eq!(names_in(&dir.path().join("ply")), ["frame_00000.ply", "frame_00001.ply", "notes.txt"]);
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::create(dir.path(), "s", &Format::ALL, &sample::layouts(), 30.0, 9, 0).unwrap();
    let stats = FrameStats::default();
    let mut short = sample::frame(0);
    short.bodies[0].skin.pop();
    let message = recorder.push(&short, &stats).unwrap_err().to_string();
    assert!(message.contains("skin of body `cube`") && message.contains("frame 0"), "{message}");
    recorder.push(&sample::frame(1), &stats).unwrap();
    let again = recorder.push(&sample::frame(1), &stats);
    assert!(matches!(again, Err(OutputError::FrameOrder { frame: 1, expected: 2 })));
    let rate = Recorder::create(dir.path(), "s", &[], &[], f64::NAN, 1, 0);
    assert!(matches!(rate, Err(OutputError::FrameRate { .. })));
}

#[test]
fn a_folder_that_cannot_be_used_is_named_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("taken");
    fs::write(&file, "x").unwrap();
    let refused = Recorder::create(&file, "s", &Format::ALL, &[], 30.0, 1, 0).err().unwrap();
    assert!(matches!(&refused, OutputError::NotAFolder { path } if *path == file));
    assert!(refused.to_string().contains("taken"));
    let made = dir.path().join("new/deeper");
    Recorder::create(&made, "s", &[Format::Csv], &[], 30.0, 1, 0).unwrap();
    assert!(made.is_dir());
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let locked = dir.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere; then the file system of the kernel serves as the read-only folder.
    let superuser = fs::write(locked.join("probe"), "").is_ok();
    let folder = if superuser { Path::new("/proc/sys") } else { &locked };
    let refused = Recorder::create(folder, "s", &Format::ALL, &[], 30.0, 1, 0).err().unwrap();
    let named = refused.to_string();
    assert!(named.contains(&folder.display().to_string()), "{named}");
    assert!(superuser || matches!(refused, OutputError::ReadOnly { .. }), "{refused:?}");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_and_the_old_result_stays() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[Format::Csv], 0..2, 2);
    let before = fs::read(dir.path().join("sample.csv")).unwrap();
    // The kernel's device that is always full, in the place of the temporary file.
    std::os::unix::fs::symlink("/dev/full", dir.path().join(".sample.csv.partial")).unwrap();
    let mut recorder = Recorder::create(dir.path(), "sample", &[Format::Csv], &[], 30.0, 1, 0).unwrap();
    recorder.push(&phyxel::record::Frame::default(), &FrameStats::default()).unwrap();
    let full = recorder.finish().unwrap_err();
    assert!(matches!(&full, OutputError::DiskFull { path } if path.ends_with("sample.csv")), "{full:?}");
    assert_eq!(fs::read(dir.path().join("sample.csv")).unwrap(), before);
}
