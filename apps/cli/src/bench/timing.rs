//! How long a step takes.

use phyxel::math::Real;
use phyxel::{Scene, Simulation};
use std::time::{Duration, Instant};

/// Batches whose median is reported.
const BATCHES: usize = 7;
/// Steps of which the fastest tells how many make a batch.
const TRIALS: usize = 3;

/// A simulation that was timed.
pub struct Timed<R: Real> {
    /// It, after the last step.
    pub simulation: Simulation<R>,
    /// Median time per step [ms].
    pub ms_per_step: f64,
    /// Mean iterations of the linear solver per step.
    pub iterations: f64,
    /// Mean parts into which a step was cut.
    pub substeps: f64,
    /// All steps taken, parts counted.
    pub steps: f64,
}

/// Times steps of `dt` [s]; about `budget` is spent on it, after a warm-up.
pub fn time_steps<R: Real>(scene: &Scene, dt: f64, budget: Duration) -> anyhow::Result<Timed<R>> {
    let mut simulation = awake(scene)?;
    simulation.step(dt)?;
    // The first steps find out how long they may be, and make room.
    let mut once = Duration::MAX;
    for _ in 0..TRIALS {
        let started = Instant::now();
        simulation.step(dt)?;
        once = once.min(started.elapsed());
    }
    let once = once.max(Duration::from_nanos(100));
    let per_batch = (budget.as_secs_f64() / BATCHES as f64 / once.as_secs_f64()).clamp(1.0, 1e5) as usize;
    let mut times = Vec::new();
    let mut report = phyxel::StepReport::default();
    for _ in 0..BATCHES {
        let started = Instant::now();
        for _ in 0..per_batch {
            report.merge(&simulation.step(dt)?);
        }
        times.push(started.elapsed().as_secs_f64() * 1e3 / per_batch as f64);
        if started.elapsed() > budget {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    let steps = report.steps as f64;
    Ok(Timed {
        simulation,
        ms_per_step: times[times.len() / 2],
        iterations: report.iterations as f64 / steps,
        substeps: report.substeps as f64 / steps,
        steps: report.substeps as f64,
    })
}

/// Times so many steps of `dt` [s] from the beginning, or as many as fit into `longest`; their mean, and how many they were.
pub fn time_run<R: Real>(scene: &Scene, dt: f64, steps: usize, longest: Duration) -> anyhow::Result<(Timed<R>, usize)> {
    let mut simulation = awake(scene)?;
    let started = Instant::now();
    let mut report = phyxel::StepReport::default();
    let mut done = 0;
    while done < steps && (done == 0 || started.elapsed() < longest) {
        report.merge(&simulation.step(dt)?);
        done += 1;
    }
    let ms_per_step = started.elapsed().as_secs_f64() * 1e3 / done as f64;
    let taken = report.steps as f64;
    let (iterations, substeps) = (report.iterations as f64 / taken, report.substeps as f64 / taken);
    let steps = report.substeps as f64;
    Ok((Timed { simulation, ms_per_step, iterations, substeps, steps }, done))
}

/// A simulation whose bodies never sleep: one that does costs nothing, which is no time for a step.
fn awake<R: Real>(scene: &Scene) -> anyhow::Result<Simulation<R>> {
    let mut scene = scene.clone();
    scene.solver.sleep_speed = 0.0;
    Ok(Simulation::build(&scene)?)
}

/// `work` in a pool of one thread: a figure per core.
pub fn on_one_thread<T: Send>(work: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(work)
}
