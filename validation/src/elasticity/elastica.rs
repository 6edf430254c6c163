//! The elastica: a slender beam bent far beyond small rotations by a force that keeps its direction.

use super::rig::{Rig, judged, pins, points_of, statics};
use super::specimen::{METHODS, block, material};
use crate::{Options, Row};
use phyxel::Scene;
use phyxel::material::LawKind;
use phyxel::scene::{Action, Body, Event, Load, LoadKind, Method, Region};
use phyxel::shape::Geometry;
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

/// Length over height 20. The beam stays in its plane, or so thin a one would tip over sideways; without lateral
/// contraction its width does not matter.
const LENGTH: f64 = 1.0;
const HEIGHT: f64 = 0.05;
const WIDTH: f64 = 0.0125;
const CELLS: [usize; 3] = [160, 8, 2];
const YOUNG: f64 = 1e6;

/// Load numbers `P L²/(E I)` with the tip's drop and shortening over the length (elliptic integrals).
const REFERENCES: [(f64, f64, f64); 3] =
    [(1.0, 0.301721, 0.056433), (3.0, 0.603253, 0.254420), (10.0, 0.810609, 0.554996)];

/// Steps of the load number.
const LOADS: [f64; 10] = [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.2, 8.5, 10.0];

/// Tip positions at three loads.
pub fn elastica(options: &Options) -> Vec<Row> {
    METHODS.into_iter().flat_map(|method| bend(method, options)).collect()
}

fn bend(method: Method, options: &Options) -> Vec<Row> {
    let started = Instant::now();
    let mut rig = Rig::build(&scene(method, options), options);
    let mut rows = Vec::new();
    for load in LOADS {
        rig.step(1.0);
        let Some((_, drop, shortening)) = REFERENCES.into_iter().find(|r| r.0 == load) else { continue };
        let tip = rig.mean_displacement(|p| p[0] > LENGTH - 1e-9);
        for (quantity, value, reference) in [("w/L", -tip[1] / LENGTH, drop), ("u/L", -tip[0] / LENGTH, shortening)] {
            let setting = format!("alpha = {load}, corotated, 160x8x2 cells");
            let row = Row::of("elastica", method.name(), setting, started).quantity(quantity, value, reference);
            rows.push(if method == Method::Tet { row.shown() } else { judged(row, 0.05, options) });
        }
    }
    rows
}

fn scene(method: Method, options: &Options) -> Scene {
    let geometry = block(method, CELLS, [0.0; 3], [LENGTH, HEIGHT, WIDTH], CubeSplit::Five);
    let events = LOADS.iter().enumerate().map(|(i, &number)| Event {
        at: i as f64,
        body: None,
        action: Action::SetLoads(vec![end_load(&geometry, number)]),
    });
    let events = events.collect();
    let pins = pins(points_of(&geometry), |p| Some(([p[0] < 1e-9, p[0] < 1e-9, true], [0.0; 3])));
    let mut body = Body::new("beam", geometry, method, material(LawKind::Corotated, YOUNG, 0.0));
    body.pins = pins;
    let mut scene = Scene { events, duration: LOADS.len() as f64, ..statics(body, options) };
    // Newton's method needs few digits of each direction; the balance itself is held to its own tolerance.
    scene.solver.tolerance = scene.solver.tolerance.max(1e-3);
    scene.solver.newton_tolerance = scene.solver.newton_tolerance.max(1e-6);
    scene
}

fn end_load(geometry: &Geometry, number: f64) -> Load {
    let inertia = WIDTH * HEIGHT.powi(3) / 12.0;
    let force = [0.0, -number * YOUNG * inertia / LENGTH.powi(2), 0.0];
    let last = points_of(geometry).iter().enumerate().filter(|(_, p)| p[0] > LENGTH - 1e-9);
    let region = Region::Nodes(last.map(|(i, _)| i as u32).collect());
    Load { region, kind: LoadKind::TotalForce(force) }
}
