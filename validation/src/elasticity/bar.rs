//! A bar of 1 x 1 x 3 m pulled along z, its sides and the sides of its ends free.

use super::rig::{Rig, Vector, judged, near, pins, points_of, statics};
use super::specimen::{METHODS, block, cells_name, material};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::scene::{Body, Method};
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const LENGTH: f64 = 3.0;

/// What a pulled bar does.
struct Pulled {
    nominal_stress: f64,
    lateral_stretch: f64,
}

fn cells(method: Method) -> [usize; 3] {
    if method == Method::Mls { [8, 8, 24] } else { [4, 4, 12] }
}

/// Pulls a quarter of a bar, cut along its planes of symmetry, to a stretch.
fn pull(method: Method, law: &LawKind, poisson_ratio: f64, stretch: f64, options: &Options) -> Pulled {
    let geometry = block(method, cells(method), [0.0; 3], [1.0, 1.0, LENGTH], CubeSplit::Five);
    let rule = |p: Vector| {
        let end = near(p[2], LENGTH);
        let held = [near(p[0], 0.0), near(p[1], 0.0), near(p[2], 0.0) || end];
        let velocity = if end { [0.0, 0.0, (stretch - 1.0) * LENGTH] } else { [0.0; 3] };
        held.contains(&true).then_some((held, velocity))
    };
    let pins = pins(points_of(&geometry), rule);
    let mut body = Body::new("bar", geometry, method, material(law.clone(), 1e6, poisson_ratio));
    body.pins = pins;
    let mut rig = Rig::build(&statics(body, options), options);
    rig.settle(if stretch > 1.3 { 10 } else { 4 });
    let side = rig.mean_displacement(|p| near(p[0], 1.0) && near(p[2], 0.5 * LENGTH))[0];
    let forces = rig.forces();
    let ends = rig.points.iter().zip(&forces).filter(|(p, _)| near(p[2], LENGTH));
    Pulled { nominal_stress: -ends.map(|(_, f)| f[2]).sum::<f64>(), lateral_stretch: 1.0 + side }
}

/// Nominal stress and lateral stretch.
pub fn uniaxial(options: &Options) -> Vec<Row> {
    let (stvk, corotated, neo) = (LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean);
    let mut rows = Vec::new();
    for (law, nu, stretch, stress, lateral) in [
        (&stvk, 0.3, 1.2, 2.64e5, 0.931665),
        (&stvk, 0.3, 0.8, -1.44e5, 1.052616),
        (&corotated, 0.3, 1.2, 2e5, 0.94),
        (&neo, 0.3, 1.5, 3.831909e5, 0.869227),
        (&neo, 0.3, 2.0, 6.538462e5, 0.774597),
        (&neo, 0.45, 1.5, 3.588761e5, 0.829993),
    ] {
        for method in METHODS {
            let started = Instant::now();
            let pulled = pull(method, law, nu, stretch, options);
            let tolerance = if method == Method::Mls { 1e-2 } else { 1e-3 };
            let setting = format!("{}, nu = {nu}, s = {stretch}, {}", law.name(), cells_name(method, cells(method)));
            let row = || Row::of("uniaxial", method.name(), setting.clone(), started);
            let stress = row().quantity("nominal stress [Pa]", pulled.nominal_stress, stress);
            let lateral = row().quantity("lateral stretch", pulled.lateral_stretch, lateral);
            rows.extend([judged(stress, tolerance, options), judged(lateral, tolerance, options)]);
        }
    }
    rows
}

/// Müller et al. 2004, figure 6: the waist of a pulled bar.
pub fn poisson(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for (nu, lateral) in [(0.0, 1.0), (0.3, 0.931665), (0.49, 0.885664)] {
        for method in METHODS {
            let started = Instant::now();
            let pulled = pull(method, &LawKind::StVenantKirchhoff, nu, 1.2, options);
            let tolerance = if method == Method::Mls { 5e-3 } else { 1e-3 };
            let setting = format!("nu = {nu}, {}", cells_name(method, cells(method)));
            let row = Row::of("poisson", method.name(), setting, started);
            let row = row.quantity("lateral stretch at mid height", pulled.lateral_stretch, lateral);
            rows.push(judged(row, tolerance, options));
        }
    }
    rows
}
