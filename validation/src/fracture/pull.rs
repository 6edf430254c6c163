//! Bars that are pulled apart.

use super::{METHODS, brittle, exactness, held, in_precision, plane};
use crate::elasticity::rig::judged;
use crate::elasticity::specimen::{block, cells_name};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Action, Body, Event, Integrator, LinearSolver, Method, Pin, Scene, SolverSettings, Weakness};
use phyxel::shape::structured::CubeSplit;
use phyxel::{Precision, Simulation};
use std::time::Instant;

const LENGTH: f64 = 0.5;

/// What became of a bar.
struct Broken {
    load: f64,
    pieces: usize,
    /// Where the crack that is farthest from the middle lies, from there [m].
    off: f64,
}

/// A bar of 0.1 x 0.1 m with a weaker plane in its middle, pulled slowly; at two resolutions.
pub fn tensile(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        for cells in [[10, 2, 2], [20, 4, 4]] {
            let started = Instant::now();
            let broken = in_precision!(options, pulled(method, cells, options.precision));
            let row = || Row::of("tensile", method.name(), cells_name(method, cells), started);
            rows.push(judged(row().quantity("load when it breaks [N]", broken.load, 1e4), 0.05, options));
            rows.push(row().quantity("pieces", broken.pieces as f64, 2.0).within(0.0));
            let place = row().quantity("distance of the crack from the middle [m]", broken.off, 0.0);
            rows.push(place.scaled_by(LENGTH).within(1e-3));
        }
    }
    rows
}

fn bar(method: Method, cells: [usize; 3], (law, strength): (LawKind, f64)) -> Body {
    let geometry = block(method, cells, [0.0; 3], [LENGTH, 0.1, 0.1], CubeSplit::Five);
    let mut body = Body::new("bar", geometry, method, brittle(law, 2.0 * strength));
    body.weaknesses = vec![Weakness { region: plane(0.5 * LENGTH), factor: 0.5 }];
    body.contact.enabled = false;
    body
}

fn pulled<R: Real>(method: Method, cells: [usize; 3], precision: Precision) -> Broken {
    let mut body = bar(method, cells, (LawKind::Corotated, 1e6));
    // A strain of 1e-3 makes 1 MPa; a hundredth of it per step.
    body.pins = vec![Pin::hold(plane(0.0)), Pin { velocity: [1e-3 * LENGTH, 0.0, 0.0], ..Pin::hold(plane(LENGTH)) }];
    let (tolerance, newton_tolerance) = exactness(precision);
    let linear = LinearSolver::Cg;
    let solver = SolverSettings {
        integrator: Integrator::QuasiStatic,
        linear,
        tolerance,
        newton_tolerance,
        ..SolverSettings::default()
    };
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene).expect("the cases are well-formed scenes");
    let (mut load, mut off): (f64, f64) = (0.0, 0.0);
    for _ in 0..130 {
        if simulation.step(0.01).is_err() {
            break;
        }
        load = load.max(held(&mut simulation, |x| x[0] > 0.999 * LENGTH)[0]);
        for crack in simulation.take_cracks() {
            off = off.max((crack.point[0] - 0.5 * LENGTH).abs());
        }
        if simulation.bodies()[0].fragments > 1 {
            break;
        }
    }
    Broken { load, pieces: simulation.bodies()[0].fragments, off: off - 0.5e-3 * LENGTH }
}

/// A bar that is held under 1 MPa breaks in its middle: its new ends move at `σ / (ρ c)`.
pub fn release(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let cells = [40, 8, 8];
        let (speed, pieces) = in_precision!(options, let_go(method, cells));
        let row = || Row::of("release", method.name(), cells_name(method, cells), started);
        rows.push(judged(row().quantity("speed of the new ends [m/s]", speed, 1.0), 0.10, options));
        rows.push(row().quantity("pieces", pieces as f64, 2.0).within(0.0));
    }
    rows
}

fn let_go<R: Real>(method: Method, cells: [usize; 3]) -> (f64, usize) {
    let mut body = bar(method, cells, (LawKind::Linear, 0.9999e6));
    body.contact.enabled = false;
    let solver = SolverSettings { integrator: Integrator::LeapFrog, step: 2e-6, ..SolverSettings::default() };
    // Pins that an event adds hold nodes where they are then, under strain.
    let pins = vec![Pin::hold(plane(0.0)), Pin::hold(plane(1.001 * LENGTH))];
    let events = vec![Event { at: 0.0, body: None, action: Action::Pin(pins) }];
    let scene = Scene { gravity: [0.0; 3], bodies: vec![body], solver, events, duration: 9.0, ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene).expect("the cases are well-formed scenes");
    let stretch: Vec<Vec3<R>> =
        simulation.model().rest.iter().map(|x| Vec3([x.0[0] * R::of(1e-3), R::zero(), R::zero()])).collect();
    simulation.state_mut().u = stretch;
    let gap = |s: &Simulation<R>| {
        let middle = |n: &usize| (s.model().rest[*n].0[0].to_f64() - 0.5 * LENGTH).abs() < 1e-6;
        let ends: Vec<f64> = (0..s.model().node_count()).filter(middle).map(|n| s.position(n)[0]).collect();
        let mean = ends.iter().sum::<f64>() / ends.len() as f64;
        ends.iter().map(|x| (x - mean).abs()).sum::<f64>() / ends.len() as f64
    };
    // The waves are back from the held ends after half a millisecond.
    if simulation.advance_to(5e-5).is_err() {
        return (f64::NAN, 0);
    }
    let early = gap(&simulation);
    if simulation.advance_to(2e-4).is_err() {
        return (f64::NAN, 0);
    }
    ((gap(&simulation) - early) / 1.5e-4, simulation.bodies()[0].fragments)
}
