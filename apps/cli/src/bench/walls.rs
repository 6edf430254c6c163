//! Morris's fifty walls: how long a step takes while they fall, break on the ground and lie there, and what a break adds.

use super::Row;
use super::papers::{describe, thread_counts, with};
use phyxel::{Scene, Simulation};
use std::time::Instant;

/// Steps between two measurements of what is in a step.
const PART: usize = 125;

/// Runs the suite.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let walls = phyxel_scenes::find("fifty-walls").ok_or_else(|| anyhow::anyhow!("there is no scene fifty-walls"))?;
    let scene = phyxel_io::scene::parse_scene(walls.text, "fifty-walls.toml", &[])?;
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

fn median(mut times: Vec<f64>) -> Option<f64> {
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

    /// By how much more a step takes in which a hundred nodes break, beside the steps around it in which none do.
    fn break_share(&self) -> Option<f64> {
        let quiet = |k: usize| {
            let near = &self.steps[k.saturating_sub(PART)..(k + PART).min(self.steps.len())];
            median(near.iter().filter(|s| s.1 == 0).map(|s| s.0).collect())
        };
        let share = |(k, s): (usize, &(f64, usize))| Some((s.0 / quiet(k)? - 1.0) * 100.0 / s.1 as f64);
        let shares = self.steps.iter().enumerate().skip(2).filter(|(_, s)| s.1 >= 50).filter_map(share);
        median(shares.collect())
    }
}
