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

/// Bodies in heaps, about how many tetrahedra each has, and the time that is measured [s].
const HEAPS: [usize; 4] = [25, 50, 75, 100];
const HEAP_TETS: usize = 800;
const HEAP_LANDED: f64 = 0.5;
const HEAP_END: f64 = 0.75;

/// Runs the suite.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for (method, integrator) in [
        (Method::Tet, Integrator::LeapFrog),
        (Method::Mls, Integrator::LeapFrog),
        (Method::Tet, Integrator::ImplicitEuler),
        (Method::Mls, Integrator::ImplicitEuler),
    ] {
        series(method, integrator, out)?;
    }
    heaps(out)
}

/// Soft bodies dropped into a box, once the last of them has landed: before that, most of them would only fall.
fn heaps(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let mut measured = Vec::new();
    let mut last = Row::default();
    for count in HEAPS {
        let scene = phyxel_scenes::pile(count, HEAP_TETS)?;
        let mut simulation = Simulation::<f32>::build(&scene)?;
        simulation.advance_to(HEAP_LANDED)?;
        let started = Instant::now();
        let report = simulation.advance_to(HEAP_END)?;
        let seconds = started.elapsed().as_secs_f64();
        let ms = seconds * 1e3 / report.steps as f64;
        let row = Row {
            suite: "scaling",
            case: format!("heap of {count} bodies"),
            iterations: Some(report.iterations as f64 / report.steps as f64),
            contact_share: Some(report.contact_s / seconds),
            ..describe(&simulation, &scene, rayon::current_num_threads(), "f32")
        };
        measured.push((count as f64, ms));
        last = row.clone();
        out(row.timed(ms, (HEAP_END - HEAP_LANDED) / report.steps as f64));
    }
    out(Row {
        case: "straight line over bodies".into(),
        nodes: 0,
        elements: 0,
        iterations: None,
        contact_share: None,
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
