//! Melts that run into each other are one closed surface with the colours of both; apart, they are two.

mod cover;

use phyxel::record::{Frame, PartLook};
use phyxel::{AnySimulation, Precision};
use phyxel_surface::{Dresser, Field, ReconstructionSettings, closedness, components, volume};

const SCENE: &str = r#"
name = "blobs"
duration = 1.0
[materials.melt]
law = "corotated"
young_modulus = 1.0e5
poisson_ratio = 0.35
density = 1000.0
conductivity = 100.0
specific_heat = 500.0
melting_point = 330.0
latent_heat = 1000.0
melt_viscosity = 2.0
[[bodies]]
name = "left"
shape = { box = [0.2, 0.2, 0.2] }
size = 0.025
method = "mls"
lagrangian = "updated"
material = "melt"
position = [-0.1, 0.2, 0]
temperature = TEMPERATURE
[[bodies]]
name = "right"
shape = { box = [0.2, 0.16, 0.16] }
size = 0.02
method = "mls"
lagrangian = "updated"
material = "melt"
position = [RIGHT, 0.2, 0]
temperature = TEMPERATURE
"#;

const RED: [f32; 3] = [0.8, 0.1, 0.1];
const BLUE: [f32; 3] = [0.1, 0.1, 0.8];

/// The first frame of two blobs, `gap` [m] apart.
fn blobs(gap: f64, temperature: f64, own_colour: bool) -> (AnySimulation, Frame) {
    let text = SCENE.replace("RIGHT", &format!("{}", 0.1 + gap)).replace("TEMPERATURE", &temperature.to_string());
    let mut scene = phyxel_io::scene::parse_scene(&text, "blobs", &[]).expect("readable");
    if own_colour {
        let colour = Some([RED[0], RED[1], RED[2], 1.0]);
        scene.bodies[0].look.parts = vec![PartLook { colour, ..PartLook::default() }];
    }
    let mut simulation = AnySimulation::build(&scene, Precision::F32).expect("built");
    let dresser = Dresser::new(&simulation, ReconstructionSettings::default()).expect("a dresser");
    let mut dresser = dresser.with_colours(|body| if body == 0 { RED } else { BLUE });
    let mut frame = simulation.take_frame(0);
    let report = dresser.dress(&simulation, &mut frame).expect("a surface");
    assert_eq!((report.bodies, report.closedness.boundary_edges), (2, 0));
    (simulation, frame)
}

fn near(a: [f32; 3], b: [f32; 3]) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < 0.05)
}

#[test]
fn two_blobs_pressed_together_are_one_closed_component() {
    for own_colour in [true, false] {
        let (simulation, frame) = blobs(0.005, 360.0, own_colour);
        let free = frame.bodies[0].free.as_ref().expect("a surface");
        assert_eq!((closedness(&free.triangles).boundary_edges, components(&free.triangles)), (0, 1));
        assert_eq!(frame.bodies[1].free.as_ref().map(|f| f.triangles.len()), Some(0), "drawn with the other");
        let matter: f64 = simulation.bodies().iter().map(|b| b.volume_m3).sum();
        let held = volume(&free.points, &free.triangles) / matter;
        assert!((held - 1.0).abs() < 0.05, "{held} of the volume of both");
        assert_eq!(free.colours.len(), free.points.len());
        for (p, c) in free.points.iter().zip(&free.colours) {
            assert!(p[0].abs() < 0.06 || near(*c, if p[0] < 0.0 { RED } else { BLUE }), "{p:?} is {c:?}");
        }
        let blended = free.colours.iter().filter(|c| c[0] > 0.3 && c[0] < 0.6).count();
        assert!(blended > 0, "colours run into each other where the bodies do");
    }
}

#[test]
fn apart_or_solid_they_are_two() {
    for (gap, temperature) in [(0.1, 360.0), (0.005, 300.0)] {
        let (_, frame) = blobs(gap, temperature, false);
        for body in &frame.bodies {
            let free = body.free.as_ref().expect("a surface");
            assert_eq!((closedness(&free.triangles).boundary_edges, components(&free.triangles)), (0, 1));
            assert!(free.colours.is_empty(), "drawn in the colour of its body");
        }
    }
}

/// Two molten blobs of discs, `gap` [m] apart, and what draws them.
fn discs(gap: f64, temperature: f64, right: &str) -> (AnySimulation, Dresser) {
    let text = SCENE.replace("RIGHT", &format!("{}", 0.1 + gap)).replace("TEMPERATURE", &temperature.to_string());
    let text = text.replace("size = 0.02\n", right);
    let text = text.replace("method = \"mls\"", "method = \"mls\"\nsurface = \"multi\"\nsurfels = 4000");
    let scene = phyxel_io::scene::parse_scene(&text, "blobs", &[]).expect("readable");
    let simulation = AnySimulation::build(&scene, Precision::F32).expect("built");
    let dresser = Dresser::new(&simulation, ReconstructionSettings::default()).expect("a dresser");
    (simulation, dresser.with_colours(|body| if body == 0 { RED } else { BLUE }))
}

fn draw(simulation: &mut AnySimulation, dresser: &mut Dresser, index: usize) -> Frame {
    simulation.advance_to(index as f64 / 60.0).expect("a step");
    let mut frame = simulation.take_frame(index);
    assert_eq!(dresser.dress(simulation, &mut frame).expect("discs").bodies, 2);
    frame
}

#[test]
fn discs_of_two_blobs_are_one_surface_without_holes_and_keep_their_colours() {
    let (mut simulation, mut dresser) = discs(0.005, 360.0, "size = 0.025\n");
    let mut last = Frame::default();
    for index in 0..8 {
        let frame = draw(&mut simulation, &mut dresser, index);
        assert_eq!(frame.bodies[1].surfels.as_ref().map(|s| s.points.len()), Some(0), "drawn with the other");
        last = frame;
    }
    let surfels = last.bodies[0].surfels.as_ref().expect("discs");
    let phyxels = [&last.bodies[0].positions[..], &last.bodies[1].positions[..]].concat();
    assert_eq!(surfels.colours.len(), surfels.points.len());
    // Nothing is left of the two faces that met, and nothing lies inside.
    let center = phyxels.iter().map(|p| p[1]).sum::<f64>() / phyxels.len() as f64;
    let field = Field::new(&phyxels, 0.025);
    let deep = |p: &&[f64; 3]| p[0].abs() < 0.02 && (p[1] - center).abs().max(p[2].abs()) < 0.045;
    assert_eq!(surfels.points.iter().filter(deep).count(), 0, "discs lie between both bodies");
    let inside = surfels.points.iter().filter(|p| field.at(phyxel::math::Vec3(**p)).0 > 4.6).count();
    assert_eq!(inside, 0, "discs lie inside");
    for (p, c) in surfels.points.iter().zip(&surfels.colours).filter(|(p, _)| p[0].abs() > 0.05) {
        assert!(near(*c, if p[0] < 0.0 { RED } else { BLUE }), "{p:?} is {c:?}");
    }
    let found = cover::look(&phyxels, 0.025, surfels, &|_| f64::INFINITY);
    assert_eq!((found.strays, found.hidden), (0, 0), "{found:?}");
    let (looks, leaks) = cover::looks_inside(&phyxels, 0.025, surfels);
    println!("{leaks} of {looks} looks go inside");
    assert!(leaks * 1000 < looks, "{leaks} of {looks} looks go inside");
}

#[test]
fn blobs_of_other_sizes_join_too_and_go_on_after_an_interruption() {
    let (mut simulation, mut dresser) = discs(0.004, 360.0, "size = 0.02\n");
    draw(&mut simulation, &mut dresser, 0);
    let joined = draw(&mut simulation, &mut dresser, 1);
    let spheres =
        |f: &Frame| f.bodies.iter().map(|b| b.surfels.as_ref().map_or(0, |s| s.points.len())).collect::<Vec<_>>();
    assert!(spheres(&joined)[0] > 2000 && spheres(&joined)[1] == 0, "{:?}", spheres(&joined));
    let saved = dresser.save();
    let (_, fresh) = discs(0.004, 360.0, "size = 0.02\n");
    let mut resumed = fresh;
    resumed.restore(&saved).expect("its own surfaces");
    let (a, b) = (draw(&mut simulation, &mut dresser, 2), draw(&mut simulation, &mut resumed, 2));
    assert_eq!(a.bodies[0].surfels, b.bodies[0].surfels);
}

/// Where a wide blob of coarse matter meets a narrow one of finer matter, there is a step in the surface.
#[test]
fn blobs_of_other_sizes_leave_no_slits_between_them() {
    let (mut simulation, mut dresser) = discs(0.004, 360.0, "size = 0.02\n");
    for index in 0..6 {
        let frame = draw(&mut simulation, &mut dresser, index);
        let surfels = frame.bodies[0].surfels.as_ref().expect("discs");
        let phyxels = [&frame.bodies[0].positions[..], &frame.bodies[1].positions[..]].concat();
        let (looks, leaks) = cover::looks_inside(&phyxels, 0.025, surfels);
        // Seen: 0.29 % in the frame in which the bodies become one, before discs have been pushed apart on the step, and 0.06 to
        // 0.14 % in those after it; equal bodies have less than 0.1 %.
        let allowed = if index == 0 { 5 } else { 2 };
        assert!(leaks * 1000 < looks * allowed, "frame {index}: {leaks} of {looks} looks go inside");
    }
}

#[test]
fn discs_of_solid_or_distant_bodies_stay_with_their_bodies() {
    for (gap, temperature) in [(0.1, 360.0), (0.005, 300.0)] {
        let (mut simulation, mut dresser) = discs(gap, temperature, "size = 0.02\n");
        let frame = draw(&mut simulation, &mut dresser, 1);
        for body in &frame.bodies {
            let surfels = body.surfels.as_ref().expect("discs");
            assert!(surfels.points.len() > 2000 && surfels.colours.is_empty());
        }
    }
}
