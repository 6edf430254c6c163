//! The surfaces of the scenes in which matter melts, parts and merges.

use phyxel::scene::SurfaceKind;
use phyxel::{AnySimulation, Precision};
use phyxel_surface::{Dresser, ReconstructionSettings, closedness, volume};

/// Runs a scene, with fewer phyxels than people see, and looks at every frame.
fn every_frame(name: &str, seconds: f64, (size, coarse): (&str, &str)) {
    let scene = phyxel_scenes::find(name).expect("a scene");
    let text = scene.text.replace(size, coarse);
    let scene = phyxel_io::scene::parse_scene(&text, name, &[]).expect("readable");
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
        let held = volume(&free.points, &free.triangles) / matter;
        assert!((held - 1.0).abs() < 0.1, "frame {index} of {name}: {held} of its volume");
    }
}

#[test]
fn the_donut_is_closed_on_every_frame() {
    every_frame("donut", 4.0, ("size = 0.02", "size = 0.03"));
}

#[test]
fn the_funnel_is_closed_on_every_frame() {
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
