//! Three-point bending of a brittle beam, with and without a notch.

use super::{METHODS, brittle, exactness, held, in_precision};
use crate::elasticity::rig::judged;
use crate::elasticity::specimen::{block, cells_name};
use crate::{Options, Row};
use phyxel::material::{Fracture, LawKind};
use phyxel::math::Real;
use phyxel::scene::{Action, Body, Cut, Event, Integrator, LinearSolver, Method, Pin, Region, Scene, SolverSettings};
use phyxel::shape::structured::CubeSplit;
use phyxel::{Precision, Simulation};
use std::time::Instant;

const SPAN: f64 = 0.4;
const HEIGHT: f64 = 0.1;
const WIDTH: f64 = 0.05;
const STRENGTH: f64 = 3e6;
/// `2 B W² σ / (3 S)` [N].
const LOAD: f64 = 2.0 * WIDTH * HEIGHT * HEIGHT * STRENGTH / (3.0 * SPAN);

/// The load that breaks the beam, and where it breaks; at two resolutions.
pub fn bend(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        for across in [8, 16] {
            let started = Instant::now();
            let cells = [5 * across, across, across / 2];
            let (load, place) = in_precision!(options, bent(method, cells, options.precision, None));
            let row = || Row::of("bend", method.name(), cells_name(method, cells), started);
            rows.push(judged(row().quantity("load when it breaks [N]", load, LOAD), 0.15, options));
            let place = row().quantity("distance of the first crack from midspan [m]", place, 0.0);
            rows.push(place.scaled_by(SPAN).within(0.05));
        }
    }
    rows
}

/// The same beam cut half through, of a fracture toughness of 1 MPa √m: linear fracture mechanics gives 1485 N.
pub fn notch(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        for across in [12, 16] {
            let started = Instant::now();
            let cells = [5 * across, across, across / 2];
            let (load, _) = in_precision!(options, bent(method, cells, options.precision, Some(0.5 * HEIGHT)));
            let setting = format!("{}, strength ten times that of `bend`", cells_name(method, cells));
            let row = Row::of("notch", method.name(), setting, started);
            rows.push(judged(row.quantity("load when the crack runs on [N]", load, 1485.0), 0.20, options));
        }
    }
    rows
}

/// The largest load before the first crack, and where that is.
fn bent<R: Real>(method: Method, cells: [usize; 3], precision: Precision, notch: Option<f64>) -> (f64, f64) {
    let half = 0.5 * SPAN + 0.05;
    let geometry = block(method, cells, [-half, 0.0, 0.0], [half, HEIGHT, WIDTH], CubeSplit::Five);
    let mut material = brittle(LawKind::Linear, STRENGTH);
    if notch.is_some() {
        // Toughness decides, not strength: the zone in which matter would fail by stress is as large as the beam.
        let fracture_energy = Fracture::energy_of_toughness(1e6, 1e9);
        material.fracture = Some(Fracture { fracture_energy, ..Fracture::brittle(10.0 * STRENGTH) });
    }
    let mut body = Body::new("beam", geometry, method, material);
    body.contact.enabled = false;
    let line = |x: f64, y: f64| {
        let near = 1e-6;
        Region::Box { min: [x - near, y - near, -1.0], max: [x + near, y + near, 1.0] }
    };
    let vertical = |region| Pin { axes: [false, true, false], ..Pin::hold(region) };
    // Simple beam theory: the middle goes down by P S³/(48 E I), and half as much again by shear.
    let inertia = WIDTH * HEIGHT.powi(3) / 12.0;
    let sag = 1.25 * LOAD * SPAN.powi(3) / (48.0 * 1e9 * inertia);
    let push = Pin { velocity: [0.0, -sag, 0.0], axes: [true, true, true], ..Pin::hold(line(0.0, HEIGHT)) };
    body.pins = vec![vertical(line(-0.5 * SPAN, 0.0)), vertical(line(0.5 * SPAN, 0.0)), push];
    let (tolerance, newton_tolerance) = exactness(precision);
    let linear = if method == Method::Mls { LinearSolver::Cg } else { LinearSolver::Auto };
    let solver = SolverSettings {
        integrator: Integrator::QuasiStatic,
        linear,
        tolerance,
        newton_tolerance,
        ..SolverSettings::default()
    };
    // A large disc whose rim is as good as straight.
    let events = notch.map(|depth| {
        let cut = Cut { point: [0.0, -10.0, 0.5 * WIDTH], normal: [1.0, 0.0, 0.0], radius: 10.0 + depth - 1e-3 };
        Event { at: 0.0, body: None, action: Action::Cut(cut) }
    });
    let events = events.into_iter().collect();
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, events, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene).expect("the cases are well-formed scenes");
    let mut load: f64 = 0.0;
    for _ in 0..200 {
        if simulation.step(0.025).is_err() {
            break;
        }
        let pushed = held(&mut simulation, |x| x[0].abs() < 1e-6 && x[1] > 0.999 * HEIGHT);
        load = load.max(-pushed[1]);
        let cracks = simulation.take_cracks();
        if let Some(first) = cracks.iter().find(|c| c.time > 0.0) {
            return (load, first.point[0].abs());
        }
    }
    (f64::NAN, f64::NAN)
}
