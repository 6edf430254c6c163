//! The inner loops, per core and on all threads.

use super::Row;
use super::papers::{describe, thread_counts, with};
use super::timing::time_steps;
use phyxel::Material;
use phyxel::material::LawKind;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{Body, Integrator, Method, MlsSettings, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::stencil::{NeighbourSearch, Neighbours, Radii};
use std::time::{Duration, Instant};

const BUDGET: Duration = Duration::from_millis(700);

/// Runs the suite.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let laws = [LawKind::Linear, LawKind::StVenantKirchhoff, LawKind::NeoHookean, LawKind::Corotated];
    for law in laws {
        for method in [Method::Tet, Method::Edge] {
            tets(method, law.clone(), out)?;
        }
    }
    for stabilisation in [0.0, 0.1] {
        phyxels(stabilisation, out)?;
    }
    neighbours::<f32>("f32", out)?;
    neighbours::<f64>("f64", out)
}

fn tets(method: Method, law: LawKind, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    // 20 480 tetrahedra: a real-time body that fits into the second-level cache.
    let mesh = box_tets([16; 3], [0.0; 3], [1.0; 3], CubeSplit::Five)?;
    let case = format!("explicit {}", law.name());
    let count = mesh.tets.len() as f64;
    let scene = explicit(Body::new("cube", Geometry::Tets(mesh), method, soft(law)));
    for threads in thread_counts() {
        let timed = with(threads, || time_steps::<f32>(&scene, scene.solver.step, BUDGET))?;
        let row = Row { suite: "kernels", case: case.clone(), ..describe(&timed.simulation, &scene, threads, "f32") };
        out(row.timed(timed.ms_per_step, scene.solver.step).handling(count, "tets"));
    }
    Ok(())
}

fn phyxels(stabilisation: f64, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let sampling = box_points([19; 3], [0.0; 3], [1.0; 3])?;
    let mut body = Body::new("cube", Geometry::Points(sampling), Method::Mls, soft(LawKind::StVenantKirchhoff));
    body.mls = MlsSettings { stabilisation, consistency: false, ..MlsSettings::default() };
    let scene = explicit(body);
    for threads in thread_counts() {
        let timed = with(threads, || time_steps::<f32>(&scene, scene.solver.step, BUDGET))?;
        let block = &timed.simulation.model().blocks[0];
        let pairs: usize = (0..block.len()).map(|e| block.with_entries(e, |nodes, _| nodes.len() - 1)).sum();
        let row = Row {
            suite: "kernels",
            case: format!("explicit stvk, penalty {stabilisation}"),
            neighbours: Some(pairs as f64 / block.len() as f64),
            ..describe(&timed.simulation, &scene, threads, "f32")
        };
        out(row.timed(timed.ms_per_step, scene.solver.step).handling(pairs as f64, "pairs"));
    }
    Ok(())
}

/// A million points anywhere, 32 neighbours each: the grid is built and every row is found, once per "step".
fn neighbours<R: Real>(precision: &'static str, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let (points, wanted) = (1_000_000_u64, 32.0);
    let cloud: Vec<Vec3<R>> = (0..points).map(|i| Vec3::of([0, 1, 2].map(|a| random(3 * i + a)))).collect();
    // Those at the faces see less: about a thirtieth is missing on average.
    let radius = R::of((1.033 * wanted / (4.0 / 3.0 * std::f64::consts::PI * points as f64)).cbrt());
    for threads in thread_counts() {
        let (ms, pairs) = with(threads, || {
            let (mut search, mut found) = (NeighbourSearch::default(), Neighbours::default());
            let mut times = Vec::new();
            for _ in 0..5 {
                let started = Instant::now();
                search.rebuild(&cloud, Radii::Fixed(radius), &mut found)?;
                times.push(started.elapsed().as_secs_f64() * 1e3);
            }
            times.sort_by(f64::total_cmp);
            Ok((times[times.len() / 2], found.indices.len() as f64))
        })?;
        let row = Row {
            suite: "kernels",
            case: "neighbours of random points".into(),
            method: "grid",
            device: "cpu".into(),
            threads,
            precision,
            nodes: points as usize,
            neighbours: Some(pairs / points as f64),
            ms_per_step: Some(ms),
            steps_per_s: Some(1e3 / ms),
            ..Row::default()
        };
        out(row.handling(pairs, "pairs"));
    }
    Ok(())
}

/// Number `n` of a fixed sequence in `[0, 1)` (splitmix64).
pub(super) fn random(n: u64) -> f64 {
    let mut z = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
}

fn soft(law: LawKind) -> Material {
    Material { law, young_modulus: 1.0e4, poisson_ratio: 0.3, density: 1000.0, ..Material::default() }
}

fn explicit(body: Body) -> Scene {
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    scene.solver.integrator = Integrator::LeapFrog;
    scene.solver.step = 1.0e-3;
    scene
}
