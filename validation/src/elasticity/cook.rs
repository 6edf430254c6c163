//! Cook's membrane: a tapered, skewed panel sheared at its end.

use super::rig::{Rig, Vector, judged, near, pins, points_of, statics};
use super::specimen::{block, cells_name, material};
use crate::{Options, Row};
use phyxel::material::LawKind;
use phyxel::scene::{Body, Load, LoadKind, Method, Region};
use phyxel::shape::Geometry;
use phyxel::shape::structured::CubeSplit;
use std::time::Instant;

const CELLS: [usize; 3] = [24, 24, 4];
const THICKNESS: f64 = 8.0;
/// The other program's values are means over the thickness; further digits of the second, published as 16.5922, come
/// from a third one.
const MESH_EXACT: &str = "rise, mean over the thickness, against linear tets by another program";

/// The rise of the upper corner.
pub fn cook(options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for (nu, name, converged, mesh_exact) in [(1.0 / 3.0, "1/3", 25.0, 23.08777271), (0.49, "0.49", 24.8, 16.592235)] {
        for method in [Method::Tet, Method::Edge, Method::Selective, Method::Mls] {
            let started = Instant::now();
            let (value, through) = rise(method, nu, options);
            let setting = format!("{}, nu = {name}", cells_name(method, CELLS));
            let row = || Row::of("cook", method.name(), setting.clone(), started);
            if method == Method::Tet {
                let exact = row().quantity(MESH_EXACT, through, mesh_exact);
                rows.push(judged(exact, 1e-6, options));
            }
            let row = row().quantity("rise of the corner", value, converged);
            rows.push(match tolerance(method, nu) {
                Some(tolerance) => judged(row, tolerance, options),
                None => row.shown(),
            });
        }
    }
    rows
}

fn tolerance(method: Method, nu: f64) -> Option<f64> {
    match method {
        Method::Edge if nu < 0.4 => Some(0.04),
        Method::Mls if nu < 0.4 => Some(0.05),
        Method::Selective if nu > 0.4 => Some(0.08),
        _ => None,
    }
}

/// The rise of the corner (48, 60) at mid thickness, and its mean over the thickness.
fn rise(method: Method, nu: f64, options: &Options) -> (f64, f64) {
    let geometry = panel(method);
    let pins = pins(points_of(&geometry), |p| near(p[0], 0.0).then_some(([true; 3], [0.0; 3])));
    let end = points_of(&geometry).iter().enumerate().filter(|(_, p)| near(p[0], 48.0));
    let region = Region::Nodes(end.map(|(i, _)| i as u32).collect());
    let kind = match method {
        Method::Mls => LoadKind::TotalForce([0.0, 1.0, 0.0]),
        _ => LoadKind::Traction([0.0, 1.0 / (16.0 * THICKNESS), 0.0]),
    };
    let mut body = Body::new("panel", geometry, method, material(LawKind::Linear, 0.125, nu));
    body.pins = pins;
    body.loads = vec![Load { region, kind }];
    let mut rig = Rig::build(&statics(body, options), options);
    rig.settle(1);
    let corner = |p: Vector| near(p[0], 48.0) && near(p[1], 60.0);
    let middle = rig.mean_displacement(|p| corner(p) && near(p[2], 0.5 * THICKNESS))[1];
    (middle, rig.mean_displacement(corner)[1])
}

/// A block mapped to the panel with the corners (0, 0), (48, 44), (48, 60) and (0, 44).
fn panel(method: Method) -> Geometry {
    let mut geometry = block(method, CELLS, [0.0; 3], [1.0; 3], CubeSplit::Six);
    let place = |[s, t, w]: Vector| [48.0 * s, 44.0 * s + t * (44.0 - 28.0 * s), THICKNESS * w];
    match &mut geometry {
        Geometry::Tets(mesh) => mesh.points.iter_mut().for_each(|p| *p = place(*p)),
        Geometry::Points(sampling) => {
            for (p, v) in sampling.points.iter_mut().zip(&mut sampling.volumes) {
                *v *= 48.0 * THICKNESS * (44.0 - 28.0 * p[0]);
                *p = place(*p);
            }
            sampling.skin.points.iter_mut().for_each(|p| *p = place(*p));
            sampling.spacing = 1.8;
        }
        Geometry::Springs(_) | Geometry::Embedded(_) => {}
    }
    geometry
}
