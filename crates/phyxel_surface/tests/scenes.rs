//! The surfaces of the scenes in which matter melts, parts and merges.

use phyxel::record::BodyFrame;
use phyxel::scene::{Scene, SurfaceKind};
use phyxel::shape::Geometry;
use phyxel::{AnySimulation, Precision};
use phyxel_surface::{Dresser, ReconstructionSettings, closedness, volume};

const RED: [f32; 3] = [1.0, 0.0, 0.0];
const BLUE: [f32; 3] = [0.0, 0.0, 1.0];

/// Paints the skin of the first body: red on one side, blue on the other. The colour of each of its phyxels then.
fn paint(scene: &mut Scene) -> (Vec<[f32; 3]>, f64) {
    let of = |p: &[f64; 3]| if p[0] < 0.0 { RED } else { BLUE };
    let body = &mut scene.bodies[0];
    let Geometry::Points(sampling) = &body.geometry else { panic!("phyxels") };
    body.look.colours = sampling.skin.points.iter().map(of).collect();
    (sampling.points.iter().map(of).collect(), sampling.spacing)
}

/// Every vertex has the colour of the matter around it; where both meet, one in between.
fn check_colours(body: &BodyFrame, matter: &[[f32; 3]], spacing: f64, what: &str) {
    let free = body.free.as_ref().expect("a free surface");
    assert_eq!(free.colours.len(), free.points.len(), "{what}");
    let square = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
    let (mut plain, mut counts) = (0, [0; 2]);
    for (x, colour) in free.points.iter().zip(&free.colours) {
        assert!((colour[0] + colour[2] - 1.0).abs() < 1e-3 && colour[1] == 0.0, "{what}: {colour:?}");
        counts[usize::from(colour[2] > 0.5)] += 1;
        let near = (0..matter.len()).filter(|j| square(&body.positions[*j], x) < (1.7 * spacing).powi(2));
        let mut around = near.map(|j| matter[j]);
        let Some(first) = around.next() else { continue };
        if around.all(|c| c == first) {
            plain += 1;
            assert!((0..3).all(|k| (colour[k] - first[k]).abs() < 1e-3), "{what}: {colour:?} in {first:?}");
        }
    }
    assert!(plain > free.points.len() / 5, "{what}: {plain} of {} are of one colour", free.points.len());
    assert!(counts.iter().all(|n| *n > free.points.len() / 5), "{what}: both colours are seen: {counts:?}");
}

/// Runs a scene, with fewer phyxels than people see, and looks at every frame.
fn every_frame(name: &str, seconds: f64, (size, coarse): (&str, &str)) {
    let scene = phyxel_scenes::find(name).expect("a scene");
    let text = scene.text.replace(size, coarse);
    let mut scene = phyxel_io::scene::parse_scene(&text, name, &[]).expect("readable");
    let (colours, spacing) = paint(&mut scene);
    let mut simulation = AnySimulation::build(&scene, Precision::F32).expect("built");
    let mut dresser = Dresser::new(&simulation, ReconstructionSettings::default()).expect("a dresser");
    assert!(dresser.is_needed());
    let matter: f64 = simulation.bodies()[0].volume_m3;
    for index in 0..=(seconds * scene.frame_rate) as usize {
        simulation.advance_to(index as f64 / scene.frame_rate).expect("a step");
        let mut frame = simulation.take_frame(index);
        let report = dresser.dress(&simulation, &mut frame).expect("a surface");
        assert_eq!((report.bodies, report.closedness.boundary_edges), (1, 0), "frame {index} of {name}");
        let free = frame.bodies[0].free.as_ref().expect("a free surface");
        assert_eq!(closedness(&free.triangles).boundary_edges, 0);
        assert_eq!((free.normals.len(), frame.bodies[0].skin.len()), (free.points.len(), 0));
        assert!(free.points.iter().flatten().all(|c| c.is_finite()));
        check_colours(&frame.bodies[0], &colours, spacing, &format!("frame {index} of {name}"));
        let held = volume(&free.points, &free.triangles) / matter;
        assert!((held - 1.0).abs() < 0.1, "frame {index} of {name}: {held} of its volume");
    }
}

#[test]
fn the_donut_is_closed_and_keeps_its_colours_on_every_frame() {
    every_frame("donut", 4.0, ("size = 0.02", "size = 0.03"));
}

#[test]
fn the_funnel_is_closed_and_keeps_its_colours_on_every_frame() {
    every_frame("funnel", 5.0, ("size = 0.018", "size = 0.027"));
}

#[test]
fn what_does_not_flow_keeps_its_skin() {
    let kind = |name: &str| {
        let scene = phyxel_scenes::find(name).expect("a scene");
        let scene = phyxel_io::scene::parse_scene(scene.text, name, &[]).expect("readable");
        let simulation = phyxel::Simulation::<f32>::build(&scene).expect("built");
        simulation.model().bodies[0].surface.kind
    };
    assert_eq!(kind("jelly"), SurfaceKind::Skin);
    assert_eq!(kind("zhou-cube"), SurfaceKind::Skin);
    assert_eq!(kind("zhou-figure-soft"), SurfaceKind::Reconstructed);
}
