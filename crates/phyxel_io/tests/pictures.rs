//! Pictures: the right size, something where the body is, nothing where it is not, and the same every time.

mod sample;

use phyxel::record::{BodyFrame, BodyLayout, Cells, Frame};
use phyxel_draw::{DrawError, Image, Painter, Software, Stage, StageSettings};
use phyxel_io::{Format, FrameStats, Recorder};
use std::path::Path;

fn read_png(path: &Path) -> Image {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    Image { width: info.width as usize, height: info.height as usize, rgb }
}

fn draw_frames(layouts: &[BodyLayout], frames: &[Frame], settings: &StageSettings) -> Result<Vec<Image>, DrawError> {
    let mut stage = Stage::new(layouts, settings.clone())?;
    frames.iter().try_for_each(|frame| stage.survey(frame))?;
    frames.iter().map(|frame| Software.draw(&stage.picture(frame)?)).collect()
}

/// How far a colour is from grey.
fn vividness(colour: [u8; 3]) -> u8 {
    colour.iter().max().unwrap() - colour.iter().min().unwrap()
}

fn one_phyxel(at: [f64; 3]) -> (Vec<BodyLayout>, Frame) {
    let layout = BodyLayout { name: "p".into(), node_count: 1, cells: Cells::Points, ..BodyLayout::default() };
    let body =
        BodyFrame { positions: vec![at], velocities: vec![[0.0; 3]], von_mises: vec![0.0], ..BodyFrame::default() };
    (vec![layout], Frame { index: 0, time: 0.0, bodies: vec![body], ..Frame::default() })
}

#[test]
fn a_single_ball_is_round_and_in_the_middle() {
    let (layouts, frame) = one_phyxel([3.0, 1.0, -2.0]);
    let settings = StageSettings { width: 120, height: 90, samples: 2, ground: None, ..StageSettings::default() };
    let image = &draw_frames(&layouts, &[frame], &settings).unwrap()[0];
    let coloured = |x: usize, y: usize| vividness(image.pixel(x, y)) > 60;
    assert!(coloured(60, 45));
    assert!(!coloured(3, 3) && !coloured(116, 3) && !coloured(3, 86));
    let across = (0..120).filter(|&x| coloured(x, 45)).count();
    let upright = (0..90).filter(|&y| coloured(60, y)).count();
    // 86 % of 90 pixels, less what the highlight and the dark rim hide from the measure.
    assert!((70..=79).contains(&across) && (66..=79).contains(&upright), "{across} × {upright}");
}

#[test]
fn a_body_over_the_floor_darkens_it() {
    let (layouts, frame) = one_phyxel([0.0, 0.6, 0.0]);
    let settings = StageSettings { width: 160, height: 120, samples: 2, ground: Some(0.0), ..StageSettings::default() };
    let image = &draw_frames(&layouts, &[frame], &settings).unwrap()[0];
    let grey = |p: [u8; 3]| vividness(p) < 30;
    let floor: Vec<u8> =
        image.rgb.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).filter(|&p| grey(p)).map(|p| p[1]).collect();
    let (darkest, brightest) = (*floor.iter().min().unwrap(), *floor.iter().max().unwrap());
    assert!(darkest < 165 && brightest > 210, "shadow {darkest}, open floor {brightest}");
}

#[test]
fn the_nearer_body_hides_the_farther_one() {
    let (mut layouts, mut frame) = one_phyxel([0.0; 3]);
    let (other, farther) = one_phyxel([-0.52, -0.42, -0.86]);
    layouts.extend(other);
    frame.bodies.extend(farther.bodies);
    let settings = StageSettings { width: 64, height: 48, samples: 1, ground: None, ..StageSettings::default() };
    let middle = |frame: Frame| draw_frames(&layouts, &[frame], &settings).unwrap()[0].pixel(32, 24);
    let red_in_front = middle(frame.clone());
    frame.bodies.swap(0, 1);
    let blue_in_front = middle(frame);
    assert!(red_in_front[0] > red_in_front[2] + 30 && blue_in_front[2] > blue_in_front[0] + 30);
}

#[test]
fn numbers_that_are_none_and_empty_scenes_are_drawn_without_harm() {
    let (layouts, frame) = one_phyxel([f64::NAN, 0.0, f64::INFINITY]);
    let settings = StageSettings { width: 96, height: 72, samples: 1, ..StageSettings::default() };
    draw_frames(&layouts, &[frame], &settings).unwrap();
    draw_frames(&[], &[Frame::default()], &settings).unwrap();
    let mut torn = sample::frame(0);
    torn.bodies[0].skin[5] = [f64::NAN; 3];
    draw_frames(&sample::layouts(), &[torn], &settings).unwrap();
}

#[test]
fn the_sheet_has_twelve_tiles_with_the_bodies_in_each_and_resumes() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let layouts = sample::layouts();
    let record = |dir: &Path, frames: std::ops::Range<usize>| {
        let made = Recorder::create(dir, "s", &[Format::Png], &layouts, 30.0, 45, frames.start);
        let mut recorder = made.unwrap().with_ground(0.0);
        for index in frames {
            recorder.push(&sample::frame(index), &FrameStats::default()).unwrap();
        }
        recorder.finish().unwrap();
        read_png(&dir.join("sheet.png"))
    };
    let sheet = record(whole.path(), 0..45);
    assert!((1590..=1600).contains(&sheet.width) && (900..=1050).contains(&sheet.height));
    for tile in 0..12 {
        let (left, top) = (10 + tile % 4 * 397, 10 + tile / 4 * 324);
        let pixels = (0..290).flat_map(|y| (0..380).map(move |x| (left + x, top + y)));
        let vivid = pixels.filter(|&(x, y)| vividness(sheet.pixel(x, y)) > 60).count();
        assert!(vivid > 4000, "tile {tile} shows {vivid} coloured pixels");
    }
    let interrupted = record(parts.path(), 0..20);
    assert_eq!(interrupted.width, sheet.width);
    assert!(record(parts.path(), 18..45) == sheet, "the resumed sheet is that of the whole run");
    assert_eq!(std::fs::read_dir(parts.path()).unwrap().count(), 1, "nothing is left but the sheet");
}

#[test]
fn films_are_drawn_at_the_end_and_only_what_was_asked_for_stays() {
    let dir = tempfile::tempdir().unwrap();
    let layouts = sample::layouts();
    let made = Recorder::create(dir.path(), "s", &[Format::Gif, Format::Frames], &layouts, 30.0, 6, 0);
    let mut recorder = made.unwrap();
    (0..6).for_each(|index| recorder.push(&sample::frame(index), &FrameStats::default()).unwrap());
    let mut paths = recorder.finish().unwrap();
    paths.sort();
    assert_eq!(paths, [dir.path().join("s.frames"), dir.path().join("s.gif")]);
    let film = std::fs::read(dir.path().join("s.gif")).unwrap();
    assert!(film.starts_with(b"GIF89a") && film.len() > 2000, "{}", film.len());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    let result = phyxel_io::FramesFile::open(dir.path()).unwrap();
    assert_eq!((result.len(), result.head().frame_rate), (6, 30.0));
}
