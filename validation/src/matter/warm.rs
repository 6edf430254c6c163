//! Steel that expands, and steel that is warmed by its own flow.

use super::steel::steel;
use super::yielding::cycled_with;
use crate::elasticity::rig::{Rig, Vector, judged, near, pins, points_of, statics};
use crate::elasticity::specimen::{METHODS, block, cells_name};
use crate::{Options, Row};
use phyxel::Material;
use phyxel::material::Thermal;
use phyxel::scene::{Body, BodyHeat, Method};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const CELLS: [usize; 3] = [3; 3];

/// Which ends of a cube are held along their normals, and its axial stress and strain when it is 100 degrees warmer.
fn warmed(method: Method, held: [bool; 3], options: &Options) -> (f64, f64) {
    let thermal = Thermal { expansion: 1.2e-5, ..Thermal::default() };
    let material = Material { plastic: None, thermal: Some(thermal), ..steel() };
    let mut body = Body::new("cube", block(method, CELLS, [0.0; 3], [1.0; 3], CubeSplit::Five), method, material);
    let rule = |p: Vector| {
        let axes = [0, 1, 2].map(|a| near(p[a], 0.0) || (held[a] && near(p[a], 1.0)));
        axes.contains(&true).then_some((axes, [0.0; 3]))
    };
    body.pins = pins(points_of(&body.geometry), rule);
    body.heat = Some(BodyHeat { temperature: 393.15, ..BodyHeat::default() });
    let mut rig = Rig::build(&statics(body, options), options);
    rig.settle(1);
    let forces = rig.forces();
    let pushed: f64 = rig.points.iter().zip(&forces).filter(|(p, _)| near(p[0], 1.0)).map(|(_, f)| f[0]).sum();
    (-pushed, rig.mean_displacement(|p| near(p[0], 1.0))[0])
}

/// Free, held along one axis, held along all.
pub fn expansion(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let row = |setting: &str| Row::of("expansion", method.name(), setting, started);
        let free = row("free").quantity("strain", warmed(method, [false; 3], options).1, 0.0012);
        let one = warmed(method, [true, false, false], options).0;
        let one = row("one axis held").quantity("stress [Pa]", one, -240e6);
        let all = row("all axes held").quantity("stress [Pa]", warmed(method, [true; 3], options).0, -600e6);
        rows.extend([free, one, all].map(|row| judged(row, 1e-3, options)));
    }
    rows
}

/// The case `yield` up to a strain of 0.01, its plastic work turned into heat.
pub fn heating(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in METHODS {
        let started = Instant::now();
        let thermal = Thermal { conductivity: 50.0, specific_heat: 460.0, ..Thermal::default() };
        let material = Material { thermal: Some(thermal), ..steel() };
        let mut rig = cycled_with(method, material, Some(BodyHeat::default()), options);
        rig.settle(40);
        let temperatures = rig.temperatures();
        let masses = rig.masses();
        let heat: f64 = temperatures.iter().zip(&masses).map(|(t, m)| t * m).sum();
        let mean = heat / masses.iter().sum::<f64>();
        let row = Row::of("heating", method.name(), cells_name(method, CELLS), started);
        rows.push(judged(row.quantity("warming [K]", mean - 293.15, 0.5621), 0.02, options));
    }
    rows
}
