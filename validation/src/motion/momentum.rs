//! Nothing outside a free body: whatever it does inside, its momenta stay.

use super::bench::{About, Bench, Expected, Failure, SOLIDS, accurate, block};
use crate::Row;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Body, Integrator, Method, Scene, SolverSettings};
use phyxel::{Material, Simulation};
use std::time::Instant;

const STEPS: usize = 1000;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for integrator in Integrator::ALL {
        // A free body has no equilibrium and quasi-static steps no momentum.
        if integrator == Integrator::QuasiStatic {
            continue;
        }
        let constant = Expected { single: 1e-4, ..Expected::absolute(0.0, 1e-9) };
        for method in SOLIDS {
            rows.extend(changes::<R>(bench, integrator, (method, true), method.name(), constant));
        }
        // What the integrator keeps by itself.
        rows.extend(changes::<R>(bench, integrator, (Method::Tet, false), "tet, nothing restored", Expected::shown()));
    }
    rows
}

fn changes<R: Real>(
    bench: &Bench,
    integrator: Integrator,
    (method, restored): (Method, bool),
    setting: &str,
    expected: Expected,
) -> Vec<Row> {
    let started = Instant::now();
    let values = largest_changes::<R>(method, integrator, restored);
    let about = About { method: integrator.name(), setting, quantity: "", started };
    bench.rows(&about, values, [("linear momentum, change", expected), ("angular momentum, change", expected)])
}

/// The largest changes of both momenta, relative to `Σ |m v|` and `Σ |x × m v|` at the start.
fn largest_changes<R: Real>(method: Method, integrator: Integrator, restored: bool) -> Result<[f64; 2], Failure> {
    let material = Material { young_modulus: 1e5, poisson_ratio: 0.3, density: 1000.0, ..Material::default() };
    let body = Body::new("block", block(method, [3, 2, 2], [0.0; 3], [0.3, 0.2, 0.2])?, method, material);
    // A fiftieth of the explicit limit of these blocks, where explicit Euler does not explode in a thousand steps.
    let step = 1e-4;
    let solver = SolverSettings { substeps: 1, conserve_momentum: restored, ..accurate(integrator, step) };
    let scene = Scene { gravity: [0.0; 3], solver, bodies: vec![body], ..Scene::default() };
    let mut simulation = Simulation::<R>::build(&scene)?;
    let mut numbers = Numbers(7);
    for v in &mut simulation.state_mut().v {
        *v = Vec3::of([1.0, -0.5, 0.3].map(|mean| mean + numbers.uniform()));
    }
    let (linear, angular) = sizes(&simulation);
    let start = (Vec3(simulation.momentum()), Vec3(simulation.angular_momentum()));
    let mut worst = [0.0f64; 2];
    for _ in 0..STEPS {
        simulation.step(step)?;
        let now = (Vec3(simulation.momentum()), Vec3(simulation.angular_momentum()));
        worst[0] = worst[0].max((now.0 - start.0).norm() / linear);
        worst[1] = worst[1].max((now.1 - start.1).norm() / angular);
    }
    Ok(worst)
}

/// `Σ |m v|` and `Σ |x × m v|`.
fn sizes<R: Real>(simulation: &Simulation<R>) -> (f64, f64) {
    let (model, state) = (simulation.model(), simulation.state());
    (0..model.node_count()).fold((0.0, 0.0), |(linear, angular), n| {
        let p = Vec3(state.v[n].to_f64()) * model.masses[n].to_f64();
        (linear + p.norm(), angular + Vec3(simulation.position(n)).cross(p).norm())
    })
}

/// Reproducible numbers (splitmix64).
struct Numbers(u64);

impl Numbers {
    /// Between −1 and 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
