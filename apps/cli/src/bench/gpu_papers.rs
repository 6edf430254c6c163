//! The workloads of the source papers on a graphics device, and the size from which it is faster than the processor.

use super::papers::{self, Workload};
use super::timing::time_steps;
use super::{Only, Row};
use phyxel::material::LawKind;
use phyxel::scene::{Body, Integrator, Method, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::{Material, Simulation};
use phyxel_gpu::{Device, Explicit, Implicit, Resident, why_not};
use std::sync::Arc;
use std::time::{Duration, Instant};

const BUDGET: Duration = Duration::from_millis(500);

/// Runs the suite on a device.
pub fn run(device: &Arc<Device>, only: Only<'_>, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for workload in papers::workloads()?.into_iter().filter(|workload| only.wants(&workload.case)) {
        let Workload { case, scene, dt, parts, paper } = &workload;
        let (ms, iterations, simulation) = time_on(device, scene, *dt)?;
        let mut row = papers::describe(&simulation, scene, 1, "f32");
        row.case.clone_from(case);
        row.device.clone_from(&device.summary().name);
        row.iterations = iterations;
        let row = row.timed(ms * parts, dt * parts);
        out(match paper {
            Some(paper) => row.beside_paper(*paper),
            None => row,
        });
    }
    super::gpu_walls::run(device, only, out)?;
    if CROSSOVER.iter().any(|case| only.wants(case)) {
        crossover(device, out)?;
    }
    Ok(())
}

/// Median milliseconds per step, and iterations per step of implicit ones; the state stays on the device.
fn time_on(device: &Arc<Device>, scene: &Scene, dt: f64) -> anyhow::Result<(f64, Option<f64>, Simulation<f32>)> {
    let simulation = Simulation::<f32>::build(scene)?;
    if let Some(why) = why_not(scene, simulation.model()) {
        anyhow::bail!("{why}");
    }
    let model = simulation.model();
    let resident = Resident::new(device, model, simulation.state())?;
    let (mut times, mut iterations, mut steps) = (Vec::new(), 0, 0);
    let started = Instant::now();
    if scene.solver.integrator == Integrator::ImplicitEuler {
        let mut implicit = Implicit::new(&resident, model, &scene.colliders)?;
        implicit.step(&resident, model, (0.0, dt), &scene.solver)?;
        while times.len() < 5 || started.elapsed() < BUDGET {
            let begun = Instant::now();
            let report = implicit.step(&resident, model, (dt * times.len() as f64, dt), &scene.solver)?;
            device.wait()?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            iterations += report.iterations;
            steps += 1;
        }
    } else {
        let explicit = Explicit::new(&resident, model, &scene.colliders, scene.solver.integrator)?;
        let batch = 64;
        explicit.run(&resident, 0.0, dt, batch)?;
        device.wait()?;
        while times.len() < 5 || started.elapsed() < BUDGET {
            let begun = Instant::now();
            explicit.run(&resident, 0.0, dt, batch)?;
            device.wait()?;
            times.push(begun.elapsed().as_secs_f64() * 1e3 / batch as f64);
        }
    }
    times.sort_by(f64::total_cmp);
    let mean = (steps > 0).then(|| f64::from(steps)).map(|steps| iterations as f64 / steps);
    Ok((times[times.len() / 2], mean, simulation))
}

/// What the rows of [`crossover`] are called: where the device wins, and where the processor does.
const CROSSOVER: [&str; 2] = ["crossover: the device wins", "crossover: the CPU wins"];

/// Blocks of growing size on both, until the device wins.
fn crossover(device: &Arc<Device>, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for cells in [5, 8, 12, 18, 27, 40] {
        let mesh = box_tets([cells; 3], [0.0; 3], [1.0; 3], CubeSplit::Five)?;
        let material =
            Material { law: LawKind::StVenantKirchhoff, young_modulus: 1e4, poisson_ratio: 0.3, ..Material::default() };
        let body = Body::new("block", Geometry::Tets(mesh), Method::Tet, material);
        let mut scene = Scene { bodies: vec![body], ..Scene::default() };
        scene.solver.integrator = Integrator::LeapFrog;
        let dt = 1e-4;
        let (ms, _, simulation) = time_on(device, &scene, dt)?;
        let cpu = time_steps::<f32>(&scene, dt, BUDGET)?;
        let mut row = papers::describe(&simulation, &scene, 1, "f32");
        row.case = CROSSOVER[usize::from(ms >= cpu.ms_per_step)].into();
        row.device.clone_from(&device.summary().name);
        row.peer = Some(format!("cpu, {} threads", rayon::current_num_threads()));
        row.peer_ms_per_step = Some(cpu.ms_per_step);
        let mut row = row.timed(ms, dt);
        row.ratio_to_peer = Some(cpu.ms_per_step / ms);
        out(row);
        if ms < 0.5 * cpu.ms_per_step {
            break;
        }
    }
    Ok(())
}
