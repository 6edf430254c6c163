//! Bars through which heat flows along x.

use crate::elasticity::rig::judged;
use crate::elasticity::specimen::{METHODS, block};
use crate::{Options, Row};
use phyxel::material::{LawKind, Melting, Thermal};
use phyxel::math::Real;
use phyxel::scene::{Body, BodyHeat, HeatKind, HeatLoad, Integrator, Method, Pin, Region, Scene, SolverSettings};
use phyxel::shape::structured::CubeSplit;
use phyxel::{Material, Precision, Simulation};
use std::time::Instant;

/// A bar of square cells that nothing moves.
struct Bar {
    length: f64,
    cells: usize,
    density: f64,
    thermal: Thermal,
    heat: BodyHeat,
}

impl Bar {
    fn scene(&self, method: Method) -> Scene {
        let side = 2.0 * self.length / self.cells as f64;
        let geometry = block(method, [self.cells, 2, 2], [0.0; 3], [self.length, side, side], CubeSplit::Five);
        let material = Material {
            law: LawKind::Linear,
            density: self.density,
            thermal: Some(self.thermal.clone()),
            ..Material::default()
        };
        let mut body = Body::new("bar", geometry, method, material);
        body.heat = Some(self.heat.clone());
        body.pins = vec![Pin::hold(Region::All)];
        let solver = SolverSettings { integrator: Integrator::QuasiStatic, ..SolverSettings::default() };
        Scene { gravity: [0.0; 3], bodies: vec![body], solver, duration: 1e9, ..Scene::default() }
    }
}

/// The nodes at x.
fn plane(x: f64) -> Region {
    Region::Box { min: [x - 1e-6, -1.0, -1.0], max: [x + 1e-6, 1.0, 1.0] }
}

fn held(x: f64, temperature: f64) -> HeatLoad {
    HeatLoad { region: plane(x), kind: HeatKind::Temperature(temperature) }
}

/// Mean of a quantity over the nodes at x.
fn at<R: Real>(simulation: &Simulation<R>, values: &[f64], x: f64) -> f64 {
    let near: Vec<usize> =
        (0..values.len()).filter(|&n| (simulation.model().rest[n].0[0].to_f64() - x).abs() < 1e-6).collect();
    near.iter().map(|&n| values[n]).sum::<f64>() / near.len() as f64
}

/// Runs a measurement in the precision that the options ask for.
macro_rules! in_precision {
    ($options:expr, $f:ident($($argument:expr),*)) => {
        match $options.precision {
            Precision::F32 => $f::<f32>($($argument),*),
            Precision::F64 => $f::<f64>($($argument),*),
        }
    };
}

/// A hot slab between two cold faces.
pub fn slab(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let centres = in_precision!(options, slab_centre(method));
        for (fourier, centre, reference) in [(0.1, centres[0], 0.474487), (0.2, centres[1], 0.176867)] {
            let row = Row::of("slab", method.name(), format!("20 cells, Fo = {fourier}"), started);
            rows.push(judged(row.quantity("temperature of the centre", centre, reference), 0.01, options));
        }
    }
    rows
}

fn slab_centre<R: Real>(method: Method) -> [f64; 2] {
    let thermal = Thermal { conductivity: 1.0, specific_heat: 1.0, ..Thermal::default() };
    let heat = BodyHeat { temperature: 1.0, loads: vec![held(0.0, 0.0), held(1.0, 0.0)], ..BodyHeat::default() };
    let bar = Bar { length: 1.0, cells: 20, density: 1.0, thermal, heat };
    let mut simulation = Simulation::<R>::build(&bar.scene(method)).expect("a sound case");
    [0, 1].map(|_| {
        for _ in 0..500 {
            simulation.step(2e-4).expect("heat alone cannot fail");
        }
        at(&simulation, &simulation.temperatures(0), 0.5)
    })
}

/// NAFEMS T3: one end at zero, the other at 100 sin(πt/40).
pub fn t3(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let value = in_precision!(options, t3_temperature(method));
        let row = Row::of("t3", method.name(), "20 cells, 640 steps", started);
        rows.push(judged(row.quantity("temperature at 0.08 m after 32 s", value, 36.603), 0.01, options));
    }
    rows
}

fn t3_temperature<R: Real>(method: Method) -> f64 {
    let thermal = Thermal { conductivity: 35.0, specific_heat: 440.5, ..Thermal::default() };
    let wave = |k: usize| (0.05 * k as f64, 100.0 * (std::f64::consts::PI * 0.05 * k as f64 / 40.0).sin());
    let hot = HeatLoad { region: plane(0.1), kind: HeatKind::Program((0..=640).map(wave).collect()) };
    let heat = BodyHeat { temperature: 0.0, loads: vec![held(0.0, 0.0), hot], ..BodyHeat::default() };
    let bar = Bar { length: 0.1, cells: 20, density: 7200.0, thermal, heat };
    let mut simulation = Simulation::<R>::build(&bar.scene(method)).expect("a sound case");
    for _ in 0..640 {
        simulation.step(0.05).expect("heat alone cannot fail");
    }
    at(&simulation, &simulation.temperatures(0), 0.08)
}

/// Stefan's problem: ice at its melting point melts from a warm wall.
pub fn stefan(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let front = in_precision!(options, stefan_front(method));
        let row = Row::of("stefan", method.name(), "40 cells of 0.75 mm, steps of 5 s", started);
        rows.push(judged(row.quantity("front after 3600 s [m]", front, 17.141e-3), 0.03, options));
    }
    rows
}

fn stefan_front<R: Real>(method: Method) -> f64 {
    const MELTS: f64 = 273.15;
    let melting = Some(Melting { solidus: MELTS, liquidus: MELTS, latent_heat: 334e3, viscosity: 1.8e-3 });
    let thermal = Thermal { conductivity: 0.6, specific_heat: 4186.0, melting, ..Thermal::default() };
    let heat = BodyHeat { temperature: MELTS, loads: vec![held(0.0, MELTS + 25.0)], ..BodyHeat::default() };
    let bar = Bar { length: 0.03, cells: 40, density: 1000.0, thermal, heat };
    let mut simulation = Simulation::<R>::build(&bar.scene(method)).expect("a sound case");
    for _ in 0..720 {
        simulation.step(5.0).expect("heat alone cannot fail");
    }
    // Where all that has molten, by mass, would end.
    let masses = &simulation.model().masses;
    let molten: f64 = simulation.molten(0).iter().zip(masses).map(|(f, m)| f * m.to_f64()).sum();
    molten / masses.iter().map(|m| m.to_f64()).sum::<f64>() * bar.length
}
