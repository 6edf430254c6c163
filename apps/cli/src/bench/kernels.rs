//! The inner loops, per core and on all threads.

use super::Row;
use super::papers::{describe, thread_counts, with};
use super::timing::time_steps;
use phyxel::Material;
use phyxel::material::LawKind;
use phyxel::scene::{Body, Integrator, Method, MlsSettings, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use std::time::Duration;

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
    Ok(())
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

fn soft(law: LawKind) -> Material {
    Material { law, young_modulus: 1.0e4, poisson_ratio: 0.3, density: 1000.0, ..Material::default() }
}

fn explicit(body: Body) -> Scene {
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    scene.solver.integrator = Integrator::LeapFrog;
    scene.solver.step = 1.0e-3;
    scene
}
