//! Who gets which bodies, by how fast the device and the processor have been seen to move them (as Morris 2010 did by hand).

use crate::device::Device;
use crate::driver::{DriveError, Whole};
use crate::shared::{part, splits, touching_groups, why_not_groups};
use phyxel::Simulation;
use phyxel::scene::{Place, Scene};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A measurement takes at least so long, and at least so many steps.
const WATCHED: Duration = Duration::from_millis(30);
const STEPS: usize = 4;
/// By how much sharing must be faster than the better of both alone: it costs something to bring parts together.
const GAIN: f64 = 0.9;

/// Bodies that belong together, and what a step of them takes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    nodes: usize,
    /// Seconds of a step on the processor.
    on_cpu: f64,
    /// Where it must be, if not where it is fastest.
    must: Option<Place>,
}

/// Seconds of a step of so many nodes on the device: a launch costs something whatever is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    always: f64,
    per_node: f64,
}

impl Line {
    /// Through two measurements of nodes and seconds, the smaller one first.
    fn through(small: (usize, f64), large: (usize, f64)) -> Self {
        let nodes = large.0.saturating_sub(small.0) as f64;
        let per_node = if nodes > 0.0 { ((large.1 - small.1) / nodes).max(0.0) } else { 0.0 };
        Line { always: (large.1 - per_node * large.0 as f64).max(0.0), per_node }
    }

    fn seconds(&self, nodes: usize) -> f64 {
        if nodes == 0 { 0.0 } else { self.always + self.per_node * nodes as f64 }
    }
}

/// Which groups the processor takes. Both work at the same time, so a step takes as long as the slower of them.
fn shares(groups: &[Group], device: Line) -> Vec<bool> {
    let taken = |on_cpu: &[bool]| {
        let of = |cpu: bool| groups.iter().zip(on_cpu).filter(move |(_, c)| **c == cpu).map(|(g, _)| g);
        let cpu: f64 = of(true).map(|g| g.on_cpu).sum();
        cpu.max(device.seconds(of(false).map(|g| g.nodes).sum()))
    };
    let must: Vec<bool> = groups.iter().map(|g| g.must == Some(Place::Cpu)).collect();
    let mut free: Vec<usize> = (0..groups.len()).filter(|&g| groups[g].must.is_none()).collect();
    // Those go first that cost the processor least for what they save the device.
    let cost = |g: &usize| groups[*g].on_cpu / groups[*g].nodes.max(1) as f64;
    free.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
    let (mut best, mut now) = (must.clone(), must.clone());
    for g in free {
        now[g] = true;
        if taken(&now) < taken(&best) {
            best.clone_from(&now);
        }
    }
    // The device alone, or the processor alone, unless sharing is clearly faster.
    let shared = best != must && best.iter().any(|cpu| !cpu);
    if shared && taken(&best) > GAIN * taken(&must) { must } else { best }
}

/// The scene with each body told where it is fastest. Bodies that were told already stay there.
pub(crate) fn balanced(device: &Arc<Device>, scene: &Scene, simulation: &Simulation<f32>) -> Result<Scene, DriveError> {
    let all: Vec<usize> = (0..scene.bodies.len()).collect();
    let members = if splits(scene, simulation) { touching_groups(&scene.bodies) } else { vec![all] };
    let mut groups = Vec::new();
    for (bodies, why) in members.iter().zip(why_not_groups(scene, simulation, &members)?) {
        let asked = |place| bodies.iter().any(|&b| scene.bodies[b].place == place);
        let must = match why {
            Some(_) => Some(Place::Cpu),
            None => asked(Place::Gpu).then_some(Place::Gpu),
        };
        let nodes = bodies.iter().map(|&b| simulation.model().bodies[b].nodes.len()).sum();
        // Who cannot choose need not be watched, but for the time that the processor is busy with it.
        let on_cpu = if must == Some(Place::Gpu) { 0.0 } else { on_cpu(scene, simulation, bodies)? };
        groups.push(Group { nodes, on_cpu, must });
    }
    let able: Vec<usize> = (0..groups.len()).filter(|&g| groups[g].must != Some(Place::Cpu)).collect();
    let Some(&smallest) = able.iter().min_by_key(|&&g| groups[g].nodes) else { return Ok(scene.clone()) };
    let watch = |of: &[usize]| {
        let bodies: Vec<usize> = of.iter().flat_map(|&g| members[g].iter().copied()).collect();
        let nodes = of.iter().map(|&g| groups[g].nodes).sum::<usize>();
        on_device(device, scene, simulation, bodies).map(|seconds| (nodes, seconds))
    };
    let line = Line::through(watch(&[smallest])?, watch(&able)?);
    let mut told = scene.clone();
    for (bodies, cpu) in members.iter().zip(shares(&groups, line)) {
        bodies.iter().for_each(|&b| told.bodies[b].place = if cpu { Place::Cpu } else { Place::Gpu });
    }
    Ok(told)
}

/// Seconds of a step on the processor.
fn on_cpu(scene: &Scene, simulation: &Simulation<f32>, bodies: &[usize]) -> Result<f64, DriveError> {
    let (_, mut part) = part(scene, simulation, bodies.to_vec())?;
    watched(|time| part.simulation.advance_to(time).map(|_| ()).map_err(DriveError::from), scene, simulation)
}

/// Seconds of a step on the device.
fn on_device(
    device: &Arc<Device>,
    scene: &Scene,
    simulation: &Simulation<f32>,
    mut bodies: Vec<usize>,
) -> Result<f64, DriveError> {
    bodies.sort_unstable();
    let (own, mut part) = part(scene, simulation, bodies)?;
    let mut whole = Whole::new(device, &own, &part.simulation)?;
    watched(|time| whole.advance_to(&mut part.simulation, time, None).map(|_| ()), scene, simulation)
}

/// The least time of a step over a few rounds; the first one warms up.
fn watched(
    mut advance_to: impl FnMut(f64) -> Result<(), DriveError>,
    scene: &Scene,
    simulation: &Simulation<f32>,
) -> Result<f64, DriveError> {
    let (step, mut time) = (scene.solver.step, simulation.time());
    let mut advance = |steps: usize| {
        time += step * steps as f64;
        let started = Instant::now();
        advance_to(time).map(|()| started.elapsed().as_secs_f64() / steps as f64)
    };
    advance(STEPS)?;
    let (started, mut least) = (Instant::now(), f64::INFINITY);
    while started.elapsed() < WATCHED || least.is_infinite() {
        least = least.min(advance(STEPS)?);
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(nodes: usize, on_cpu: f64) -> Group {
        Group { nodes, on_cpu, must: None }
    }

    #[test]
    fn both_finish_at_about_the_same_time() {
        // A thousand nodes take 1 ms on the device and 3 ms on the processor: it should get a quarter of them.
        let device = Line { always: 0.0, per_node: 1e-6 };
        let groups = vec![group(1000, 3e-3); 40];
        let on_cpu = shares(&groups, device).into_iter().filter(|cpu| *cpu).count();
        assert!((9..=10).contains(&on_cpu), "{on_cpu} of 40");
    }

    #[test]
    fn small_bodies_stay_off_the_device() {
        let device = Line { always: 2e-4, per_node: 1e-9 };
        assert_eq!(shares(&[group(100, 1e-5), group(200, 2e-5)], device), [true, true]);
        // A large one goes there, and what is small then goes with it or not, as is faster.
        assert_eq!(shares(&[group(100, 1e-3), group(200_000, 1e-1)], device), [false, false]);
    }

    #[test]
    fn who_must_be_somewhere_is_there() {
        let device = Line { always: 1e-6, per_node: 1e-9 };
        let cpu = Group { must: Some(Place::Cpu), ..group(1000, 1.0) };
        let gpu = Group { must: Some(Place::Gpu), ..group(1000, 0.0) };
        // What the processor has to do anyway hides all that the device does: nothing is won by moving the free one.
        assert_eq!(shares(&[cpu, gpu, group(10, 1e-9)], device), [true, false, false]);
    }

    #[test]
    fn a_line_goes_through_what_was_seen() {
        let line = Line::through((100, 2e-3), (1100, 4e-3));
        assert!((line.seconds(600) - 3e-3).abs() < 1e-12 && line.seconds(0) == 0.0);
        // Noise makes no work free or negative.
        let flat = Line::through((100, 5e-3), (1100, 4e-3));
        assert_eq!((flat.per_node, flat.seconds(5000)), (0.0, 4e-3));
    }
}
