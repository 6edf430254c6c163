//! A plate with a notch that is struck beside it: the shear at the notch's tip turns the crack by some 70 degrees.
//!
//! Kalthoff and Winkler 1988. Of the plate of 100 x 200 mm with two notches half of it is enough, as it is symmetric.

use super::in_precision;
use crate::elasticity::specimen::{block, cells_name};
use crate::{Options, Row};
use phyxel::Simulation;
use phyxel::material::{Fracture, LawKind, Material};
use phyxel::math::Real;
use phyxel::scene::{Action, Body, Cut, Event, Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const SIDE: f64 = 0.1;
/// How it is made, and cells along each side: phyxels look farther than elements, and need fewer.
const PLATES: [(Method, usize); 2] = [(Method::Tet, 40), (Method::Mls, 30)];
/// The notch: how long it is, and how far from the plane of symmetry.
const LENGTH: f64 = 0.05;
const HEIGHT: f64 = 0.025;
/// Half of the speed of the striker, which is of the same steel.
const SPEED: f64 = 16.5;
const RAMP: f64 = 1e-6;
/// Parts of the ramp.
const PARTS: usize = 20;
/// The crack has crossed the plate by then [s].
const END: f64 = 9e-5;
/// Maraging steel 18Ni1900: 68 MPa √m in plane strain.
const ENERGY: f64 = 2.213e4;
const STRENGTH: f64 = 2e9;

/// The angle between the notch and the crack that begins at its tip.
pub fn kalthoff(options: &Options) -> Vec<Row> {
    PLATES.iter().flat_map(|(method, across)| rows(*method, *across, options)).collect()
}

fn rows(method: Method, across: usize, options: &Options) -> [Row; 5] {
    let started = Instant::now();
    let found = in_precision!(options, struck(method, across));
    let row = || Row::of("kalthoff", method.name(), cells_name(method, [across, across, 1]), started);
    [
        row().quantity("angle of the crack [degrees]", found.angle, 70.0).within(10.0 / 70.0),
        row().quantity("distance of its end from the tip of the notch [m]", found.reach, 0.0).shown(),
        row().quantity("mean distance of cracks from that line [m]", found.astray, 0.0).shown(),
        row().quantity("begins [s]", found.begins, 0.0).shown(),
        row().quantity("ends [s]", found.ends, 0.0).shown(),
    ]
}

#[derive(Default)]
struct Path {
    angle: f64,
    reach: f64,
    astray: f64,
    begins: f64,
    ends: f64,
}

/// Half of the plate; its lower edge is the plane of symmetry.
fn plate(method: Method, across: usize) -> Body {
    let cell = SIDE / across as f64;
    // The faces of a cube in five run zigzag through the thickness of the plate; those of a cube in six are square to it.
    let geometry = block(method, [across, across, 1], [0.0; 3], [SIDE, SIDE, cell], CubeSplit::Six);
    let fracture = Some(Fracture { fracture_energy: ENERGY, ..Fracture::brittle(STRENGTH) });
    let law = LawKind::Corotated;
    let (young_modulus, poisson_ratio, density) = (1.9e11, 0.3, 8000.0);
    let material = Material { law, young_modulus, poisson_ratio, density, fracture, ..Material::default() };
    let mut body = Body::new("plate", geometry, method, material);
    body.contact.enabled = false;
    // Along faces a crack could only choose between 45 and 90 degrees.
    body.cut_elements = method == Method::Tet;
    body
}

/// Nodes of an edge, which has moved by a little when it is looked at.
fn edge(cell: f64, max: [f64; 2]) -> Region {
    let near = 0.25 * cell;
    Region::Box { min: [-near, -near, -1.0], max: [max[0] + near, max[1] + near, 1.0] }
}

/// Plane strain, symmetry, and the struck edge at a speed [m/s].
fn pins(cell: f64, speed: f64) -> Vec<Pin> {
    let along = |axes, region| Pin { axes, ..Pin::hold(region) };
    // Up to the notch, whose lower face begins there.
    let struck = along([true, false, false], edge(cell, [0.0, HEIGHT - 0.5 * cell]));
    vec![
        along([false, false, true], Region::All),
        along([false, true, false], edge(cell, [SIDE, 0.0])),
        Pin { velocity: [speed, 0.0, 0.0], ..struck },
    ]
}

fn struck<R: Real>(method: Method, across: usize) -> Path {
    let cell = SIDE / across as f64;
    let mut body = plate(method, across);
    body.pins = pins(cell, 0.5 * SPEED / PARTS as f64);
    let at_once = |at: f64, action| Event { at, body: None, action };
    // A large disc whose rim is as good as straight.
    let cut = Cut { point: [-10.0, HEIGHT, 0.5 * cell], normal: [0.0, 1.0, 0.0], radius: 10.0 + LENGTH - 0.1 * cell };
    let mut events = vec![at_once(0.0, Action::Cut(cut))];
    for part in 1..=PARTS {
        let (share, next) = (part as f64 / PARTS as f64, (part as f64 + 0.5) / PARTS as f64);
        events.push(at_once(share * RAMP, Action::Release));
        events.push(at_once(share * RAMP, Action::Pin(pins(cell, SPEED * next.min(1.0)))));
    }
    let solver = SolverSettings { integrator: Integrator::LeapFrog, step: 1e-7, ..SolverSettings::default() };
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, events, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene).expect("the cases are well-formed scenes");
    let mut cracks = Vec::new();
    for k in 1..=(END / 5e-7) as usize {
        if simulation.advance_to(5e-7 * k as f64).is_err() {
            break;
        }
        cracks.extend(simulation.take_cracks().into_iter().filter(|c| c.time > 0.0));
    }
    path(&cracks.iter().map(|c| (c.time, [c.point[0] - LENGTH, c.point[1] - HEIGHT], c.area)).collect::<Vec<_>>())
}

/// The straight line from the tip of the notch that comes nearest to all cracks, by area.
fn path(cracks: &[(f64, [f64; 2], f64)]) -> Path {
    let Some((begins, ..)) = cracks.first() else { return Path { angle: f64::NAN, ..Path::default() } };
    let sum = |of: &dyn Fn([f64; 2]) -> f64| cracks.iter().map(|(_, x, area)| of(*x) * area).sum::<f64>();
    let [xx, xy, yy] = [sum(&|x| x[0] * x[0]), sum(&|x| x[0] * x[1]), sum(&|x| x[1] * x[1])];
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (sin, cos) = angle.sin_cos();
    let reach = cracks.iter().map(|(_, x, _)| x[0] * cos + x[1] * sin).fold(0.0, f64::max);
    let astray = sum(&|x| (x[1] * cos - x[0] * sin).powi(2)) / sum(&|_| 1.0);
    let ends = cracks.last().map_or(0.0, |c| c.0);
    Path { angle: angle.to_degrees(), reach, astray: astray.sqrt(), begins: *begins, ends }
}
