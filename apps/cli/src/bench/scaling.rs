//! Time and memory against size.

use super::Row;
use super::papers::describe;
use super::timing::time_steps;
use phyxel::material::LawKind;
use phyxel::scene::{Body, Integrator, Method, MlsSettings, Scene, Support};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::{Material, Simulation};
use std::time::{Duration, Instant};

/// Nodes along each edge: 1 k to 1 M nodes.
const EDGES: [usize; 6] = [10, 22, 34, 47, 68, 100];

/// Iterations per implicit step: fixed, because this suite measures growth of the work, not of the condition number.
const ITERATIONS: usize = 10;

/// Bodies in heaps, and how many of them lie along each side of the box: all are about six layers deep. A deeper heap needs more
/// iterations per body, because each of its bodies carries more of the others.
const HEAPS: [(usize, usize); 4] = [(6, 1), (25, 2), (56, 3), (100, 4)];
/// About how many tetrahedra each body has, and how long they are given to come to rest [s].
const HEAP_TETS: usize = 800;
const HEAP_TIME: f64 = 2.5;

/// Runs the suite.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    heaps(out)?;
    for (method, integrator) in [
        (Method::Tet, Integrator::LeapFrog),
        (Method::Mls, Integrator::LeapFrog),
        (Method::Tet, Integrator::ImplicitEuler),
        (Method::Mls, Integrator::ImplicitEuler),
    ] {
        series(method, integrator, out)?;
    }
    Ok(())
}

/// Soft bodies dropped into a box, until they lie still. The share of contact is that of the frame where it is largest.
fn heaps(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let mut measured = Vec::new();
    let mut last = Row::default();
    for (count, along) in HEAPS {
        let scene = phyxel_scenes::pile(count, along, HEAP_TETS)?;
        let mut simulation = Simulation::<f32>::build(&scene)?;
        let (mut seconds, mut steps, mut iterations) = (0.0, 0, 0);
        let (mut share, mut peak, mut kinetic) = (0.0_f64, 0.0_f64, 0.0);
        for frame in 1..=(HEAP_TIME * 60.0) as usize {
            let started = Instant::now();
            let report = simulation.advance_to(frame as f64 / 60.0)?;
            let taken = started.elapsed().as_secs_f64();
            seconds += taken;
            steps += report.steps;
            iterations += report.iterations;
            share = share.max(report.contact_s / taken);
            kinetic = simulation.energy().kinetic_j;
            peak = peak.max(kinetic);
        }
        let ms = seconds * 1e3 / steps as f64;
        let row = Row {
            suite: "scaling",
            case: format!("heap of {count} bodies"),
            iterations: Some(iterations as f64 / steps as f64),
            contact_share: Some(share),
            motion_left: Some(kinetic / peak),
            ..describe(&simulation, &scene, rayon::current_num_threads(), "f32")
        };
        measured.push((count as f64, ms));
        last = row.clone();
        out(row.timed(ms, HEAP_TIME / steps as f64));
    }
    out(Row {
        case: "straight line over bodies".into(),
        nodes: 0,
        elements: 0,
        iterations: None,
        contact_share: None,
        motion_left: None,
        r_squared_time: Some(r_squared(measured.into_iter())),
        ..last
    });
    Ok(())
}

fn series(method: Method, integrator: Integrator, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let mut measured = Vec::new();
    let mut last = Row::default();
    for edge in EDGES {
        let scene = cube(edge, method, integrator)?;
        let dt = scene.solver.step;
        let timed = time_steps::<f32>(&scene, dt, Duration::from_millis(1500))?;
        let threads = rayon::current_num_threads();
        let bytes = timed.simulation.memory_bytes() as f64;
        let row = Row {
            suite: "scaling",
            case: format!("cube {edge}³"),
            iterations: (integrator == Integrator::ImplicitEuler).then_some(timed.iterations),
            ..describe(&timed.simulation, &scene, threads, "f32")
        };
        let row = Row {
            bytes_per_node: Some(bytes / row.nodes as f64),
            bytes_per_element: Some(bytes / row.elements as f64),
            ..row.timed(timed.ms_per_step, dt)
        };
        measured.push((row.nodes as f64, timed.ms_per_step, bytes));
        last = row.clone();
        out(row);
    }
    let large: Vec<_> = measured.into_iter().filter(|m| m.0 >= 1e4).collect();
    out(Row {
        case: "straight line from 10 k".into(),
        nodes: 0,
        elements: 0,
        r_squared_time: Some(r_squared(large.iter().map(|m| (m.0, m.1)))),
        r_squared_memory: Some(r_squared(large.iter().map(|m| (m.0, m.2)))),
        suite: "scaling",
        method: last.method,
        solver: last.solver,
        device: last.device,
        threads: last.threads,
        precision: last.precision,
        ..Row::default()
    });
    Ok(())
}

fn cube(edge: usize, method: Method, integrator: Integrator) -> anyhow::Result<Scene> {
    let (cells, size) = ([edge - 1; 3], [1.0; 3]);
    let geometry = match method {
        Method::Mls => Geometry::Points(box_points(cells, [0.0; 3], size)?),
        _ => Geometry::Tets(box_tets(cells, [0.0; 3], size, CubeSplit::Five)?),
    };
    let material = Material {
        law: LawKind::StVenantKirchhoff,
        young_modulus: 1.0e4,
        poisson_ratio: 0.3,
        density: 1000.0,
        ..Material::default()
    };
    let mut body = Body::new("cube", geometry, method, material);
    // 1.8 spacings reach 18 neighbours; the correction of weights is for irregular points.
    body.mls = MlsSettings { support: Support::Spacings(1.8), consistency: false, ..MlsSettings::default() };
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    scene.solver.integrator = integrator;
    // One stable explicit step, whatever the size.
    scene.solver.step = if integrator == Integrator::ImplicitEuler { 1.0 / 60.0 } else { 0.02 / edge as f64 };
    if integrator == Integrator::ImplicitEuler {
        scene.solver.max_iterations = ITERATIONS;
        scene.solver.tolerance = 1e-12;
    } else {
        // Small cubes take so many steps that they would become faster than their waves, and their steps be cut.
        scene.gravity = [0.0; 3];
    }
    Ok(scene)
}

/// Coefficient of determination of the best straight line.
fn r_squared(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let n = points.clone().count() as f64;
    let mean = |f: fn((f64, f64)) -> f64| points.clone().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |f: &dyn Fn((f64, f64)) -> f64| points.clone().map(f).sum::<f64>();
    let sxy = sum(&|p| (p.0 - mx) * (p.1 - my));
    let (sxx, syy) = (sum(&|p| (p.0 - mx).powi(2)), sum(&|p| (p.1 - my).powi(2)));
    sxy * sxy / (sxx * syy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_is_straight_and_a_parabola_is_not() {
        let line = (0..9).map(|i| (f64::from(i), 3.0 + 2.0 * f64::from(i)));
        assert!((r_squared(line) - 1.0).abs() < 1e-12);
        let parabola = (-4..5).map(|i| (f64::from(i), f64::from(i * i)));
        assert!(r_squared(parabola) < 1e-12);
    }
}
