//! Frames come back as they were, from whole, cut off and damaged files.

use super::*;
use phyxel::record::{BodyFrame, Cells, FreeSurface, Look, PartLook, Surfels};
use phyxel::scene::Motion;

fn head() -> Head {
    let part = PartLook { name: "oak".into(), colour: Some([0.5, 0.25, 0.125, 1.0]), texture: Some("wood.png".into()) };
    let look = Look {
        colour: Some([196, 12, 255]),
        uvs: vec![[[0.0, 0.5], [1.0, 0.25], [0.5, 0.75]]],
        normals: vec![[[0.0, 1.0, 0.0]; 3]],
        colours: vec![[0.5, 1.0, 0.0]; 3],
        parts: vec![part],
    };
    let body = BodyLayout {
        name: "bär".into(),
        node_count: 4,
        cells: Cells::Tets(vec![[0, 1, 2, 3]]),
        skin_triangles: vec![[0, 1, 2]],
        skin_parts: vec![0],
        look,
    };
    let rope = BodyLayout { node_count: 2, cells: Cells::Lines(vec![[0, 1]]), ..BodyLayout::default() };
    Head {
        name: "test".into(),
        frame_rate: 60.0,
        ground: Some(-0.1),
        outlines: vec![Outline {
            segments: vec![[[0.0; 3], [1.0, 0.3, 0.0]]],
            motion: Motion { spin: [0.0, 2.0, 0.0], keys: vec![(0.5, [0.1; 3])], ..Motion::default() },
        }],
        camera: Some(Camera { position: [1.0, 2.0, 3.0], target: [0.1; 3], fov: 33.0 }),
        layouts: vec![body, rope],
    }
}

fn frame(index: usize) -> Frame {
    let x = index as f64 * 0.5;
    let body = BodyFrame {
        positions: vec![[x, 0.25, -1.0]; 4],
        velocities: vec![[0.5, 0.0, x]; 4],
        von_mises: vec![1e5; 4],
        strain: vec![0.125; 4],
        temperatures: vec![300.0; 4],
        skin: vec![[x, 0.0, 0.5]; 3],
        free: Some(FreeSurface {
            points: vec![[x; 3]; 3],
            normals: vec![[0.0, 1.0, 0.0]; 3],
            colours: vec![[0.25; 3]; 3],
            triangles: vec![[0, 1, 2]],
            parts: vec![7],
        }),
        surfels: Some(Surfels {
            points: vec![[x; 3]],
            normals: vec![[0.0, 1.0, 0.0]],
            tangents: vec![[[0.5, 0.0, 0.0], [0.0, 0.0, 0.5]]],
            colours: vec![[0.75; 3]],
        }),
        ..BodyFrame::default()
    };
    let rope = BodyFrame { positions: vec![[x; 3]; 2], skin: vec![[x; 3]; 2], ..BodyFrame::default() };
    Frame { index, time: x, bodies: vec![body, rope], ..Frame::default() }
}

fn written(folder: &Path, frames: std::ops::Range<usize>) -> PathBuf {
    let path = folder.join("test.frames");
    let mut output = FramesOutput::create(&path, &head(), frames.start).unwrap();
    frames.for_each(|i| output.push(&frame(i)).unwrap());
    path
}

#[test]
fn frames_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), 0..3);
    let mut file = FramesFile::open(folder.path()).unwrap();
    assert_eq!((file.head(), file.len(), file.label(2)), (&head(), 3, (2, 1.0)));
    for at in [2, 0, 1] {
        assert_eq!(file.read(at).unwrap(), frame(at));
    }
}

#[test]
fn a_resumed_file_is_that_of_the_whole_run() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let wanted = std::fs::read(written(whole.path(), 0..5)).unwrap();
    let path = written(parts.path(), 0..4);
    let cut = std::fs::read(&path).unwrap();
    std::fs::write(&path, &cut[..cut.len() - 7]).unwrap();
    assert_eq!(FramesFile::open(&path).unwrap().len(), 3, "the last frame is cut off");
    assert!(std::fs::read(written(parts.path(), 2..5)).unwrap() == wanted);
}

#[test]
fn what_is_no_result_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let says = |path: &Path, part: &str| {
        let sentence = FramesFile::open(path).err().expect("refused").to_string();
        assert!(sentence.contains(part), "{sentence}");
    };
    says(&folder.path().join("nothing"), "no result");
    says(folder.path(), "no .frames file");
    let path = folder.path().join("a.frames");
    std::fs::write(&path, "some text that is long enough").unwrap();
    says(&path, "not a result");
    std::fs::write(&path, MAGIC).unwrap();
    says(&path, "damaged");
    std::fs::write(folder.path().join("b.frames"), "").unwrap();
    says(folder.path(), "several results (a.frames, b.frames)");
}

#[test]
fn damage_is_noticed_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), 0..2);
    let sound = std::fs::read(&path).unwrap();
    let mut seed = 7_u64;
    for _ in 0..300 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut bytes = sound.clone();
        let at = (seed >> 33) as usize % bytes.len();
        bytes[at] ^= 1 << (seed >> 29 & 7);
        std::fs::write(&path, &bytes).unwrap();
        let whole = FramesFile::open(&path).and_then(|mut f| {
            let frames = (0..f.len()).map(|i| f.read(i)).collect::<Result<Vec<_>, _>>()?;
            Ok((f.head().clone(), frames))
        });
        assert!(whole.is_err() || whole.is_ok_and(|(h, f)| h != head() || f != [frame(0), frame(1)]), "byte {at}");
    }
}
