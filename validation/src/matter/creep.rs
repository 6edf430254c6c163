//! A held strain relaxes.

use crate::elasticity::rig::{Rig, Vector, apply, judged, pins, points_of, statics};
use crate::elasticity::specimen::{METHODS, block, cells_name};
use crate::{Options, Row};
use phyxel::Material;
use phyxel::material::{LawKind, Plasticity};
use phyxel::scene::{Body, Integrator, Method};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const CELLS: [usize; 3] = [3; 3];

/// The time at which a strain of 0.2 has come down to the yield strain of 0.05: `τ ln 4`, whatever the step.
pub fn creep(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        for integrator in [Integrator::ImplicitEuler, Integrator::SymplecticEuler, Integrator::Xpbd] {
            for step in [1e-2, 1e-3, 1e-4] {
                let started = Instant::now();
                let time = time_to_yield(method, integrator, step, options);
                let setting = format!("{}, {}, h = {step:e}", integrator.name(), cells_name(method, CELLS));
                let row = Row::of("creep", method.name(), setting, started);
                rows.push(judged(row.quantity("time to the yield strain [s]", time, 0.1386294), 0.02, options));
            }
        }
    }
    rows
}

fn time_to_yield(method: Method, integrator: Integrator, step: f64, options: &Options) -> f64 {
    let plastic = Plasticity::Strain { yield_strain: 0.05, relaxation_time: 0.1, max_strain: f64::INFINITY };
    let material = Material { law: LawKind::Linear, plastic: Some(plastic), ..Material::default() };
    let mut body = Body::new("cube", block(method, CELLS, [0.0; 3], [1.0; 3], CubeSplit::Five), method, material);
    let points: Vec<Vector> = points_of(&body.geometry).to_vec();
    let stretch = [[1.2, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    stretch_in_place(&mut body, &points, stretch);
    let mut scene = statics(body, options);
    scene.solver.integrator = integrator;
    scene.solver.step = step;
    scene.solver.substeps = 1;
    let mut rig = Rig::build(&scene, options);
    rig.displace(|p| apply(stretch, p));
    let strain = |rig: &Rig| rig.elastic_energy().sqrt();
    let start = strain(&rig);
    let mut last = (0.0, start);
    let level = 0.25 * start * (1.0 + 1e-5);
    for k in 1..=(0.3 / step) as usize {
        rig.step(step);
        let now = (k as f64 * step, strain(&rig));
        if now.1 <= level {
            return last.0 + (now.0 - last.0) * (last.1 - level) / (last.1 - now.1);
        }
        last = now;
    }
    f64::NAN
}

/// Pins each node where a deformation puts it.
fn stretch_in_place(body: &mut Body, points: &[Vector], f: [[f64; 3]; 3]) {
    // A pin holds nodes where they were when it began; it reaches its target within the first nanosecond and stays there.
    const SOON: f64 = 1e-9;
    let rule = |p: Vector| {
        let to = apply(f, p);
        Some(([true; 3], [0, 1, 2].map(|a| (to[a] - p[a]) / SOON)))
    };
    body.pins = pins(points, rule);
    body.pins.iter_mut().for_each(|pin| pin.until = SOON);
}
