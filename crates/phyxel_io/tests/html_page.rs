//! The page of a result, played in a real browser.

mod browser;
mod sample;

use browser::Browser;
use phyxel::record::{BodyFrame, BodyLayout, Frame, FreeSurface, Look, PartLook};
use phyxel::scene::{Collider, ColliderShape, Motion};
use phyxel_io::picture::Image;
use phyxel_io::{Format, FrameStats, Recorder};
use std::path::{Path, PathBuf};

const SIZE: [usize; 2] = [640, 480];

fn record(dir: &Path, frames: usize) -> PathBuf {
    let recorder = Recorder::create(dir, "sample", &[Format::Html], &sample::layouts(), 30.0, frames, 0).unwrap();
    let mut recorder = recorder.with_ground(0.0);
    for index in 0..frames {
        recorder.push(&sample::frame(index), &FrameStats::default()).unwrap();
    }
    recorder.finish().unwrap().remove(0)
}

/// Goes where the part of the address behind `#` says, and takes a picture of the frame.
fn picture(browser: &mut Browser, frame: usize, wishes: &str) -> Image {
    browser.wait_for("document.body !== null && 'frame' in document.body.dataset");
    browser.evaluate(&format!("location.hash = 'frame={frame}{wishes}'"));
    browser.wait_for(&format!("document.body.dataset.frame === '{frame}' && document.body.dataset.idle === 'yes'"));
    browser.picture()
}

/// How many pixels differ clearly.
fn changed(a: &Image, b: &Image) -> usize {
    let differs = |(p, q): (&[u8], &[u8])| p.iter().zip(q).any(|(x, y)| x.abs_diff(*y) > 24);
    a.rgb.chunks_exact(3).zip(b.rgb.chunks_exact(3)).filter(|pair| differs(*pair)).count()
}

/// How many pixels of the middle, away from the controls, are like this.
fn count(image: &Image, like: impl Fn([u8; 3]) -> bool) -> usize {
    let inside = (100..400).flat_map(|y| (150..600).map(move |x| (x, y)));
    inside.filter(|(x, y)| like(image.pixel(*x, *y))).count()
}

fn is_vivid(p: [u8; 3]) -> bool {
    p.iter().max().unwrap() - p.iter().min().unwrap() > 60
}

#[test]
fn a_page_plays_in_a_browser_without_a_complaint() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::open(&record(dir.path(), 25), SIZE) else { return };
    let start = picture(&mut browser, 0, "");
    let later = picture(&mut browser, 20, "");
    let vivid = [&start, &later].map(|image| count(image, is_vivid));
    assert!(vivid.iter().all(|n| *n > 5_000), "{vivid:?} pixels have a colour");
    assert!(changed(&start, &later) > 3_000, "{} pixels changed", changed(&start, &later));

    let stressed = picture(&mut browser, 20, "&colour=stress");
    assert!(changed(&stressed, &later) > 3_000, "scalars are coloured");
    assert_eq!(browser.evaluate("getComputedStyle(document.getElementById('bar')).display !== 'none'"), true);
    let wired = picture(&mut browser, 20, "&colour=&wire");
    assert!(changed(&wired, &later) > 500, "edges are drawn: {}", changed(&wired, &later));

    picture(&mut browser, 3, "");
    browser.evaluate("document.getElementById('play').click()");
    browser.wait_for("Number(document.body.dataset.frame) > 5");
    let listed = browser.evaluate("document.querySelectorAll('#bodies li').length");
    assert_eq!(listed, 4);
    assert!(browser.complaints.is_empty(), "the page said: {:#?}", browser.complaints);
}

/// The last point of every body, as the browser unpacked it.
#[test]
fn the_browser_reads_the_numbers_that_were_written() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::open(&record(dir.path(), 12), SIZE) else { return };
    picture(&mut browser, 9, "");
    let corners = browser.evaluate("document.body.dataset.corner");
    let corners: Vec<f64> = corners.as_str().unwrap().split([' ', ',']).map(|n| n.parse().unwrap()).collect();
    let frame = sample::frame(9);
    let drawn = frame.bodies.iter().map(|b| if b.skin.is_empty() { &b.positions } else { &b.skin });
    let expected: Vec<f64> = drawn.flat_map(|points| *points.last().unwrap()).collect();
    assert_eq!(corners.len(), expected.len());
    for (found, wanted) in corners.iter().zip(&expected) {
        // Half a step of a box of one metre.
        assert!((found - wanted).abs() < 4e-5, "{found} instead of {wanted}");
    }
}

/// The cube melts: from the third frame on, it is a surface with other triangles, and coloured.
#[test]
fn surfaces_found_anew_and_textures_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let mut layouts = sample::layouts();
    let uvs = vec![[[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]; layouts[0].skin_triangles.len()];
    let green = dir.path().join("green.png");
    phyxel_io::picture::write_png(&green, &Image { width: 8, height: 8, rgb: [20, 200, 60].repeat(64) }).unwrap();
    layouts[0].look.uvs = uvs;
    layouts[0].look.parts = vec![PartLook { name: "paint".into(), colour: None, texture: Some(green) }];
    let mut recorder = Recorder::create(dir.path(), "melt", &[Format::Html], &layouts, 30.0, 4, 0).unwrap();
    for index in 0..4 {
        let mut frame = sample::frame(index);
        if index >= 2 {
            frame.bodies[0].free = Some(tetrahedron([0.9, 0.02, 0.02]));
        }
        recorder.push(&frame, &FrameStats::default()).unwrap();
    }
    let Some(mut browser) = Browser::open(&recorder.finish().unwrap().remove(0), SIZE) else { return };
    let is_green = |[r, g, b]: [u8; 3]| g > 90 && g / 2 > r && g / 2 > b;
    let is_red = |[r, g, b]: [u8; 3]| r > 120 && r / 3 > g && r / 3 > b;
    picture(&mut browser, 1, "");
    browser.wait_for("document.body.dataset.textures === '1'");
    let (painted, molten) = (picture(&mut browser, 1, ""), picture(&mut browser, 3, ""));
    assert!(count(&painted, is_green) > 1_000, "{} green pixels", count(&painted, is_green));
    assert!(count(&molten, is_red) > 1_000, "{} red pixels", count(&molten, is_red));
    assert!(count(&molten, is_green) < 100, "the skin is gone");
    assert!(browser.complaints.is_empty(), "the page said: {:#?}", browser.complaints);
}

/// A bar that swings around a corner: the page shows it where bodies meet it.
#[test]
fn what_moves_is_drawn_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let mut bar = Collider::new(ColliderShape::Box { size: [0.6, 0.1, 0.1] });
    bar.placement.position = [0.3, 0.5, 0.0];
    bar.motion = Motion { velocity: [0.0, 0.3, 0.0], spin: [0.0, 0.0, 4.0], ..Motion::default() };
    let outlines = phyxel_io::picture::outlines(&[bar.clone()]);
    let recorder = Recorder::create(dir.path(), "swing", &[Format::Html], &sample::layouts(), 30.0, 12, 0).unwrap();
    let mut recorder = recorder.with_outlines(&outlines);
    for index in 0..12 {
        let still = Frame { index, time: index as f64 / 30.0, ..sample::frame(0) };
        recorder.push(&still, &FrameStats::default()).unwrap();
    }
    let Some(mut browser) = Browser::open(&recorder.finish().unwrap().remove(0), SIZE) else { return };
    let (start, later) = (picture(&mut browser, 0, ""), picture(&mut browser, 11, ""));
    assert!(changed(&start, &later) > 100, "only the bar moves: {} pixels", changed(&start, &later));
    let found = browser.evaluate("document.body.dataset.moving");
    let found: Vec<f64> = found.as_str().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
    let wanted = outlines[0].pose(11.0 / 30.0).1;
    assert!((0..3).all(|k| (found[k] - wanted[k]).abs() < 1e-6), "{found:?} {wanted:?}");
    assert!(browser.complaints.is_empty(), "the page said: {:#?}", browser.complaints);
}

/// Normals of a ball on a cube: the page shows no edge where the input has none.
#[test]
fn edges_are_where_the_input_has_them() {
    let dir = tempfile::tempdir().unwrap();
    let page = |name: &str, smooth: bool, missing: usize| {
        let mut layouts = sample::layouts();
        let skin = &sample::frame(0).bodies[0].skin;
        let away = |v: &u32| skin[*v as usize].map(|c| c as f32 - 0.2);
        if smooth {
            layouts[0].look.normals = layouts[0].skin_triangles.iter().map(|t| t.each_ref().map(away)).collect();
            layouts[0].look.normals.iter_mut().take(missing).for_each(|n| *n = [[0.0; 3]; 3]);
        }
        let mut recorder = Recorder::create(dir.path(), name, &[Format::Html], &layouts, 30.0, 1, 0).unwrap();
        recorder.push(&sample::frame(0), &FrameStats::default()).unwrap();
        recorder.finish().unwrap().remove(0)
    };
    let Some(mut sharp) = Browser::open(&page("sharp", false, 0), SIZE) else { return };
    let Some(mut smooth) = Browser::open(&page("smooth", true, 0), SIZE) else { return };
    let Some(mut mostly) = Browser::open(&page("mostly", true, 1), SIZE) else { return };
    let pictures = [&mut sharp, &mut smooth, &mut mostly].map(|browser| picture(browser, 0, ""));
    let differ = |a: usize, b: usize| changed(&pictures[a], &pictures[b]);
    assert!(differ(0, 1) > 300, "edges are lit in another way: {} pixels", differ(0, 1));
    // Without the normals of one triangle, the others are as they were.
    assert!(differ(0, 2) > 300 && differ(1, 2) < differ(0, 1), "{} and {} pixels", differ(0, 2), differ(1, 2));
    for browser in [smooth, mostly] {
        assert!(browser.complaints.is_empty(), "the page said: {:#?}", browser.complaints);
    }
}

/// Two blocks that lie on each other share a face from both sides; it is seen only when they part.
#[test]
fn closed_cracks_are_not_seen() {
    let dir = tempfile::tempdir().unwrap();
    let corner = |x: f64, y: f64| [[x, y, 0.0], [x, y, 1.0]];
    let skin = |gap: f64| {
        let lower = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 0.5), corner(0.0, 0.5)];
        let upper = [corner(0.0, 0.5), corner(1.0, 0.5), corner(1.0, 1.0), corner(0.0, 1.0)];
        let lifted = upper.map(|ends| ends.map(|[x, y, z]| [x, y + gap, z]));
        [lower, lifted].as_flattened().as_flattened().to_vec()
    };
    let (mut triangles, mut parts) = (vec![], vec![]);
    for block in 0..2u32 {
        for (side, &[a, b, c, d]) in
            [[1, 3, 2, 0], [2, 3, 5, 4], [4, 5, 7, 6], [6, 7, 1, 0], [1, 7, 5, 3], [0, 2, 4, 6]].iter().enumerate()
        {
            let inside = u32::from(side == if block == 0 { 2 } else { 0 });
            triangles.extend([[a, b, c], [a, c, d]].map(|t| t.map(|v| v + 8 * block)));
            parts.extend([inside; 2]);
        }
    }
    let blue = PartLook { name: "inside".into(), colour: Some([0.0, 0.0, 1.0, 1.0]), texture: None };
    let look = Look { parts: vec![PartLook::default(), blue], ..Look::default() };
    let layout = BodyLayout {
        name: "block".into(),
        skin_triangles: triangles,
        skin_parts: parts,
        look,
        ..BodyLayout::default()
    };
    let mut recorder = Recorder::create(dir.path(), "crack", &[Format::Html], &[layout], 30.0, 2, 0).unwrap();
    for index in 0..2 {
        let body = BodyFrame { skin: skin(0.5 * index as f64), ..BodyFrame::default() };
        let frame = Frame { index, time: index as f64, bodies: vec![body], ..Frame::default() };
        recorder.push(&frame, &FrameStats::default()).unwrap();
    }
    let Some(mut browser) = Browser::open(&recorder.finish().unwrap().remove(0), SIZE) else { return };
    let is_blue = |[r, g, b]: [u8; 3]| b > 100 && b / 2 > r && b / 2 > g;
    assert_eq!(count(&picture(&mut browser, 0, ""), is_blue), 0);
    assert!(count(&picture(&mut browser, 1, ""), is_blue) > 1_000);
}

fn tetrahedron(colour: [f32; 3]) -> FreeSurface {
    let points = vec![[-0.3, 0.0, -0.3], [0.3, 0.0, -0.3], [0.0, 0.0, 0.4], [0.0, 0.5, 0.0]];
    let triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
    FreeSurface { points, normals: vec![], colours: vec![colour; 4], triangles, parts: vec![] }
}
