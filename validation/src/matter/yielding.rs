//! Steel beyond its yield stress.

use super::steel::steel;
use crate::elasticity::rig::{Matrix, Rig, Vector, apply, judged, near, pins, points_of, statics};
use crate::elasticity::specimen::{METHODS, block, cells_name};
use crate::{Options, Row};
use phyxel::Material;
use phyxel::math::Mat3;
use phyxel::scene::{Action, Body, BodyHeat, Event, Method, Pin};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const CELLS: [usize; 3] = [3; 3];
/// Steps on the way from one strain to the next.
const STEPS: usize = 10;

/// A cube of steel whose symmetry planes are held and whose end at x = 1 moves with this speed [m/s].
fn supports(points: &[Vector], speed: f64) -> Vec<Pin> {
    let rule = |p: Vector| {
        let end = near(p[0], 1.0);
        let held = [near(p[0], 0.0) || end, near(p[1], 0.0), near(p[2], 0.0)];
        let velocity = if end { [speed, 0.0, 0.0] } else { [0.0; 3] };
        held.contains(&true).then_some((held, velocity))
    };
    pins(points, rule)
}

/// A cube that is drawn to a strain of 0.01 within the first second, pressed to -0.01 in the next two and drawn again.
pub fn cycled_with(method: Method, material: Material, heat: Option<BodyHeat>, options: &Options) -> Rig {
    let geometry = block(method, CELLS, [0.0; 3], [1.0; 3], CubeSplit::Five);
    let mut body = Body::new("cube", geometry, method, material);
    body.heat = heat;
    let points = points_of(&body.geometry).to_vec();
    body.pins = supports(&points, 0.01);
    let mut scene = statics(body, options);
    scene.solver.newton_tolerance = scene.solver.newton_tolerance.max(1e-8);
    scene.duration = 10.0;
    for (at, speed) in [(1.0, -0.01), (3.0, 0.01)] {
        for action in [Action::Release, Action::Pin(supports(&points, speed))] {
            scene.events.push(Event { at, body: None, action });
        }
    }
    Rig::build(&scene, options)
}

/// Axial force on the moved end [N]; its area is one.
fn axial_stress(rig: &mut Rig) -> f64 {
    let forces = rig.forces();
    let ends = rig.points.iter().zip(&forces).filter(|(p, _)| near(p[0], 1.0));
    -ends.map(|(_, f)| f[0]).sum::<f64>()
}

/// Uniaxial stress through two reversals.
pub fn cycle(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in [Method::Tet, Method::Edge, Method::Node, Method::Selective, Method::Mls] {
        let started = Instant::now();
        let mut rig = cycled_with(method, steel(), None, options);
        for (seconds, stress) in [(1, 267.3267e6), (2, -301.6371e6), (2, 335.2680e6)] {
            for _ in 0..seconds * STEPS {
                rig.step(1.0 / STEPS as f64);
            }
            let row = Row::of("yield", method.name(), cells_name(method, CELLS), started);
            rows.push(judged(row.quantity("axial stress [Pa]", axial_stress(&mut rig), stress), 0.01, options));
        }
    }
    rows
}

/// A given strain on a virgin cube.
pub fn strain_driven(options: &Options) -> Vec<Row> {
    let along = [[1.01, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let sheared = [[1.0, 0.02, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let stress_of = |f: Matrix| {
            let geometry = block(method, CELLS, [0.0; 3], [1.0; 3], CubeSplit::Five);
            let mut rig = Rig::build(&statics(Body::new("cube", geometry, method, steel()), options), options);
            rig.displace(|p| apply(f, p));
            // The stress of small strain does not know the area that it acts on.
            let (f, cauchy) = rig.stresses()[rig.stresses().len() / 2];
            Mat3(cauchy) * Mat3(f).cofactor()
        };
        let mut row = |quantity: &str, value: f64, reference: f64| {
            let row = Row::of("j2", method.name(), cells_name(method, CELLS), started);
            rows.push(judged(row.quantity(quantity, value, reference), 1e-4, options));
        };
        let sigma = stress_of(along);
        let pressure = sigma.trace() / 3.0;
        let deviator = sigma - Mat3::scaled_identity(pressure);
        row("p [Pa], strain 0.01", pressure, 1666.667e6);
        row("q [Pa], strain 0.01", (1.5 * deviator.contract(&deviator)).sqrt(), 261.0707e6);
        row("σxx [Pa], strain 0.01", sigma.0[0][0], 1840.714e6);
        row("σxy [Pa], shear 0.02", stress_of(sheared).0[0][1], 156.3162e6);
    }
    rows
}
