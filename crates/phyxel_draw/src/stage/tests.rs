//! The stage: cameras that see all, colours that mean the same, things that are not there.

use super::*;
use crate::outline::Outline;
use crate::picture::Paint;
use phyxel::record::{BodyFrame, Cells, FreeSurface, Look, PartLook, Surfels};
use phyxel::scene::Motion;

/// A tetrahedron with a skin of its four corners.
fn layout() -> BodyLayout {
    let tets = vec![[0, 1, 2, 3]];
    let skin_triangles = boundary(&tets);
    BodyLayout { name: "tet".into(), node_count: 4, cells: Cells::Tets(tets), skin_triangles, ..BodyLayout::default() }
}

fn frame(index: usize, shift: f64) -> Frame {
    let positions: Vec<[f64; 3]> = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|[x, y, z]| [x + shift, y, z])
        .to_vec();
    let body = BodyFrame {
        velocities: vec![[1.0 + shift, 0.0, 0.0]; 4],
        von_mises: vec![0.0, 1e4, 2e4, 3e4],
        skin: positions.clone(),
        positions,
        ..BodyFrame::default()
    };
    Frame { index, time: index as f64, bodies: vec![body], ..Frame::default() }
}

fn stage(settings: StageSettings) -> Stage {
    let mut stage = Stage::new(&[layout()], settings).unwrap();
    [frame(0, 0.0), frame(1, 5.0)].iter().for_each(|f| stage.survey(f).unwrap());
    stage
}

#[test]
fn one_camera_sees_every_frame() {
    let stage = stage(StageSettings::default());
    let camera = stage.camera();
    let view = crate::view::View::of_camera(&camera, 960, 540);
    for p in [0.0, 5.0].into_iter().flat_map(|s| frame(0, s).bodies[0].positions.clone()) {
        let at = view.project(V::of(p)).unwrap();
        assert!((0.0..960.0).contains(&at.x) && (0.0..540.0).contains(&at.y), "{p:?} at {at:?}");
    }
    assert_eq!(stage.picture(&frame(0, 0.0)).unwrap().camera, camera);
}

#[test]
fn what_moves_is_drawn_where_it_is_and_seen_to_the_end() {
    let motion = Motion { velocity: [0.0, 10.0, 0.0], ..Motion::default() };
    let outlines = vec![Outline { segments: vec![[[0.0; 3], [1.0, 0.0, 0.0]]], motion }];
    let stage = stage(StageSettings { outlines, ..StageSettings::default() });
    let rod = |time: f64| {
        let picture = stage.picture(&Frame { time, ..frame(0, 0.0) }).unwrap();
        let rods =
            picture.items.into_iter().find_map(|i| if let Shape::Rods(rods) = i.shape { Some(rods) } else { None });
        rods.unwrap()[0]
    };
    assert_eq!((rod(0.0).from, rod(0.3).from, rod(0.3).to), ([0.0; 3], [0.0, 3.0, 0.0], [1.0, 3.0, 0.0]));
}

#[test]
fn a_surface_of_several_bodies_shows_the_numbers_of_all() {
    let layouts = [layout(), layout()];
    let mut stage = Stage::new(&layouts, StageSettings { hue: Hue::Stress, ..StageSettings::default() }).unwrap();
    let mut both = frame(0, 0.0);
    let mut other = frame(0, 5.0).bodies.remove(0);
    other.von_mises = vec![6e4; 4];
    let points = [both.bodies[0].positions.clone(), other.positions.clone()].concat();
    let triangles = vec![[0, 1, 2], [4, 5, 6]];
    both.bodies[0].free = Some(FreeSurface { points, triangles, ..FreeSurface::default() });
    other.free = Some(FreeSurface::default());
    both.bodies.push(other);
    stage.survey(&both).unwrap();
    let picture = stage.picture(&both).unwrap();
    let Shape::Mesh(mesh) = &picture.items[0].shape else { panic!("one mesh") };
    let of = |x: f32| mesh.corners.iter().find(|c| c.position[0] == x).unwrap().coordinates[0];
    assert!(of(0.0) < 0.02 && of(5.0) > 0.98, "{} {}", of(0.0), of(5.0));
    assert!(matches!(picture.items[1].shape, Shape::Rods(_)), "the other body is drawn by the first");
}

#[test]
fn numbers_become_colours_with_a_bar() {
    let stage = stage(StageSettings { hue: Hue::Stress, ..StageSettings::default() });
    stage.ready().unwrap();
    let picture = stage.picture(&frame(0, 0.0)).unwrap();
    let bar = picture.overlay.bar.unwrap();
    assert_eq!((bar.low, bar.high, bar.unit.as_str()), (0.0, 3e4, "Pa"));
    let Shape::Mesh(mesh) = &picture.items[0].shape else { panic!("a mesh") };
    assert!(matches!(mesh.paint, Paint::Texture(_)));
    let top = mesh.corners.iter().find(|c| c.position[2] > 0.5).unwrap();
    assert!(top.coordinates[0] > 0.99, "the fourth node bears the most");
}

#[test]
fn what_is_not_there_is_said() {
    for (hue, word) in [(Hue::Temperature, "temperature"), (Hue::Damage, "break"), (Hue::Strain, "again")] {
        let sentence = stage(StageSettings { hue, ..StageSettings::default() }).ready().unwrap_err().to_string();
        assert!(sentence.contains(word), "{sentence}");
    }
    let surfels = stage(StageSettings { what: What::Surfels, ..StageSettings::default() });
    assert!(surfels.ready().unwrap_err().to_string().contains("--view skin"));
    let reversed = Stage::new(&[layout()], StageSettings { range: Some([2.0, 1.0]), ..StageSettings::default() });
    assert!(matches!(reversed, Err(DrawError::Range { .. })));
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let mut stage = stage(StageSettings::default());
    let mut short = frame(2, 0.0);
    short.bodies[0].skin.pop();
    assert!(stage.survey(&short).unwrap_err().to_string().contains("surface of body `tet`"));
    short.bodies.clear();
    assert!(stage.picture(&short).unwrap_err().to_string().contains("0 bodies"));
}

#[test]
fn every_view_has_its_primitives() {
    let kinds = |what: What, frame: &Frame| {
        let stage = stage(StageSettings { what, ..StageSettings::default() });
        let picture = stage.picture(frame).unwrap();
        picture.items.iter().map(|i| std::mem::discriminant(&i.shape)).collect::<Vec<_>>()
    };
    let of = |shape: Shape| std::mem::discriminant(&shape);
    let (rods, balls, discs) = (of(Shape::Rods(vec![])), of(Shape::Balls(vec![])), of(Shape::Discs(vec![])));
    let plain = frame(0, 0.0);
    assert_eq!(kinds(What::Wire, &plain)[1], rods);
    assert_eq!(kinds(What::Phyxels, &plain)[0], balls);
    let mut melted = frame(0, 0.0);
    melted.bodies[0].surfels = Some(Surfels {
        points: vec![[0.1; 3]],
        normals: vec![[0.0, 1.0, 0.0]],
        tangents: vec![[[0.1, 0.0, 0.0], [0.0, 0.0, 0.1]]],
        colours: vec![[0.5; 3]],
    });
    assert_eq!(kinds(What::Surfels, &melted)[0], discs);
    melted.bodies[0].free = Some(FreeSurface {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        colours: vec![[0.1, 0.2, 0.3]; 3],
        triangles: vec![[0, 1, 2]],
        parts: vec![],
    });
    let stage = stage(StageSettings::default());
    let picture = stage.picture(&melted).unwrap();
    let Shape::Mesh(mesh) = &picture.items[0].shape else { panic!("the free surface") };
    assert_eq!((mesh.corners.len(), mesh.corners[0].colour), (3, [0.1, 0.2, 0.3]));
}

#[test]
fn looks_of_parts_are_kept_and_missing_textures_are_told() {
    let mut layout = layout();
    layout.skin_parts = vec![0, 0, 1, 2];
    let part =
        |colour, texture: Option<&str>| PartLook { name: String::new(), colour, texture: texture.map(Into::into) };
    let parts = vec![part(Some([0.1, 0.2, 0.3, 1.0]), None), part(None, Some("no/such/file.png"))];
    layout.look = Look { uvs: vec![[[0.0; 2]; 3]; 4], parts, ..Look::default() };
    let mut stage = Stage::new(&[layout], StageSettings::default()).unwrap();
    assert!(stage.notes()[0].contains("file.png"), "{:?}", stage.notes());
    stage.survey(&frame(0, 0.0)).unwrap();
    let picture = stage.picture(&frame(0, 0.0)).unwrap();
    let Shape::Mesh(mesh) = &picture.items[0].shape else { panic!("a mesh") };
    assert_eq!(mesh.corners[0].colour, [0.1, 0.2, 0.3]);
    assert_ne!(mesh.corners[9].colour, [0.1, 0.2, 0.3], "the third part has a colour of its own");
}
