//! Morris's fifty walls: how long a step takes while they fall, break on the ground and lie there, and what a break adds.

use super::Row;
use super::papers::{describe, thread_counts, with};
use phyxel::{Scene, Simulation};
use std::time::Instant;

/// Steps between two measurements of what is in a step.
const PART: usize = 125;

/// Steps that are compared with each other, because the walls lie alike in them,
const NEAR: usize = 40;
/// and how many of a kind there must be.
const FEW: usize = 3;

/// Runs the suite.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let walls = phyxel_scenes::find("fifty-walls").ok_or_else(|| anyhow::anyhow!("there is no scene fifty-walls"))?;
    let mut scene = phyxel_io::scene::parse_scene(walls.text, "fifty-walls.toml", &[])?;
    // A body that sleeps costs nothing, which is no time for a step.
    scene.solver.sleep_speed = 0.0;
    for threads in thread_counts() {
        let timed = with(threads, || time_all(&scene))?;
        let (dt, row) = (scene.solver.step, describe(&timed.simulation, &scene, threads, "f32"));
        let row = |case: &str, ms: f64| {
            let row = Row { case: case.into(), nodes: timed.nodes, ..row.clone() };
            let elements = row.elements as f64;
            row.timed(ms, dt).handling(elements, "elements").beside_paper(66.0)
        };
        // Morris's frame is one explicit step of all walls, with fracture and the ground, as each of these is.
        out(row("morris fifty walls falling", timed.falling()));
        out(Row { break_share: timed.break_share(), ..row("morris fifty walls", timed.mean()) });
        with(threads, || {
            let mut rows = Vec::new();
            super::breaks::run(threads, &mut |row| rows.push(row))?;
            Ok(rows)
        })?
        .into_iter()
        .for_each(&mut *out);
    }
    Ok(())
}

/// How long every step of the scene took.
struct Timed {
    simulation: Simulation<f32>,
    /// Nodes while the walls were whole.
    nodes: usize,
    /// Time [ms] and new nodes of each step.
    steps: Vec<(f64, usize)>,
}

/// Runs the scene from its start to its end.
fn time_all(scene: &Scene) -> anyhow::Result<Timed> {
    let mut simulation = Simulation::<f32>::build(scene)?;
    let nodes = simulation.model().node_count();
    let (dt, mut steps) = (scene.solver.step, Vec::new());
    while simulation.time() < scene.duration {
        let started = Instant::now();
        let report = simulation.step(dt)?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        anyhow::ensure!(report.substeps == 1, "the step of {dt} s was cut into {} parts", report.substeps);
        steps.push((ms, report.new_nodes));
    }
    Ok(Timed { simulation, nodes, steps })
}

/// The middle one of some times.
pub fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

impl Timed {
    /// The median of the steps before anything breaks [ms].
    fn falling(&self) -> f64 {
        let whole = self.steps.iter().skip(2).take_while(|s| s.1 == 0).map(|s| s.0);
        median(whole.collect()).unwrap_or(f64::NAN)
    }

    /// The mean over the scene of the medians of its parts [ms]: other work of the machine hits single steps.
    fn mean(&self) -> f64 {
        let parts: Vec<f64> =
            self.steps.chunks(PART).filter_map(|part| median(part.iter().map(|s| s.0).collect())).collect();
        parts.iter().sum::<f64>() / parts.len().max(1) as f64
    }

    /// By how much more a step takes in which a hundred nodes break. Steps with many breaks are compared with steps around them
    /// that have few: what holds for tens of nodes is taken to hold for a hundred.
    fn break_share(&self) -> Option<f64> {
        let share = |part: &[(f64, usize)]| {
            let pick = |range: std::ops::RangeInclusive<usize>| {
                let steps = || part.iter().filter(|s| range.contains(&s.1));
                let nodes = steps().map(|s| s.1).sum::<usize>() as f64 / steps().count().max(1) as f64;
                (steps().count() >= FEW).then(|| median(steps().map(|s| s.0).collect())).flatten().map(|t| (t, nodes))
            };
            let (few, many) = (pick(0..=5)?, pick(20..=usize::MAX)?);
            Some((many.0 / few.0 - 1.0) * 100.0 / (many.1 - few.1))
        };
        median(self.steps.chunks(NEAR).filter_map(share).collect())
    }
}
