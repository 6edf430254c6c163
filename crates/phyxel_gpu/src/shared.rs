//! A simulation shared between a device and the processor: bodies that never touch each other are apart, and both parts move at
//! the same time.

use crate::device::Device;
use crate::driver::{DriveError, Whole};
use crate::support::why_not;
use phyxel::scene::{Body, Event, Lagrangian, Method, Place, Scene};
use phyxel::{Simulation, StepReport};
use std::ops::Range;
use std::sync::Arc;

/// Bodies that are simulated on their own.
pub(crate) struct Part {
    pub(crate) simulation: Simulation<f32>,
    /// Which body of the whole each is.
    bodies: Vec<usize>,
}

/// A simulation in two parts.
pub(crate) struct Shared {
    on_device: Part,
    pub(crate) driver: Whole,
    on_cpu: Part,
}

impl Shared {
    /// Splits a simulation, if that is possible and leaves something to both; `why` is why the device cannot do all of it.
    pub(crate) fn new(
        device: &Arc<Device>,
        scene: &Scene,
        simulation: &Simulation<f32>,
        why: &str,
    ) -> Result<Self, DriveError> {
        let refused = |more: &str| Err(DriveError::Unsupported(format!("{why}{more}")));
        if !splits(scene, simulation) {
            return refused("");
        }
        let (mut device_bodies, mut cpu_bodies) = (Vec::new(), Vec::new());
        for group in touching_groups(&scene.bodies) {
            match why_not_group(scene, &group)? {
                None => device_bodies.extend(group),
                Some(reason) => {
                    if let Some(&body) = group.iter().find(|&&b| scene.bodies[b].place == Place::Gpu) {
                        let name = &scene.bodies[body].name;
                        return Err(DriveError::Unsupported(format!(
                            "body {name:?} is to be on the device, but {reason}"
                        )));
                    }
                    cpu_bodies.extend(group);
                }
            }
        }
        if device_bodies.is_empty() {
            return refused("");
        }
        // What these keep besides places and velocities is not carried over.
        let restless = |&&b: &&usize| {
            let body: &Body = &scene.bodies[b];
            body.heat.is_some() || (body.method == Method::Mls && body.mls.lagrangian != Lagrangian::Total)
        };
        if let Some(&body) = cpu_bodies.iter().find(restless) {
            return refused(&format!(" (and {:?} cannot be apart from the rest)", scene.bodies[body].name));
        }
        device_bodies.sort_unstable();
        cpu_bodies.sort_unstable();
        let (device_scene, on_device) = part(scene, simulation, device_bodies)?;
        let (_, on_cpu) = part(scene, simulation, cpu_bodies)?;
        let driver = Whole::new(device, &device_scene, &on_device.simulation)?;
        Ok(Shared { on_device, driver, on_cpu })
    }

    /// Moves both parts to `time`, at the same time, and tells the whole.
    pub(crate) fn advance_to(&mut self, whole: &mut Simulation<f32>, time: f64) -> Result<StepReport, DriveError> {
        let Shared { on_device, driver, on_cpu } = self;
        let before = on_device.simulation.state().steps;
        let (moved, stepped) = std::thread::scope(|scope| {
            let device = scope.spawn(|| driver.advance_to(&mut on_device.simulation, time));
            let stepped = on_cpu.simulation.advance_to(time);
            // A thread can only panic where this code is wrong.
            let moved = device.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (moved, stepped)
        });
        let (moved, stepped) = (moved?, stepped?);
        let steps = on_device.simulation.state().steps - before;
        self.tell(whole, steps);
        let step = whole.settings().step;
        while whole.next_event().is_some_and(|at| at <= whole.time() - 0.5 * step) {
            whole.prepare_step(step)?;
            self.tell(whole, 0);
        }
        Ok(together(&moved, &stepped))
    }

    /// Writes what both parts have into the whole.
    fn tell(&self, whole: &mut Simulation<f32>, steps: u64) {
        let time = self.on_device.simulation.time();
        let (mut u, mut v) = (whole.state().u.clone(), whole.state().v.clone());
        let mut grains = whole.state().grains.clone();
        for part in [&self.on_device, &self.on_cpu] {
            let state = part.simulation.state();
            for (own, &body) in part.bodies.iter().enumerate() {
                let (from, to) = (nodes(&part.simulation, own), nodes(whole, body));
                u[to.clone()].copy_from_slice(&state.u[from.clone()]);
                v[to].copy_from_slice(&state.v[from]);
                for (from, to) in blocks(&part.simulation, own).zip(blocks(whole, body)) {
                    if let (Some(from), Some(to)) = (state.grains.get(from), grains.get_mut(to)) {
                        to.clone_from(from);
                    }
                }
            }
        }
        whole.take_over(u, v, time, steps);
        whole.take_over_grains(grains);
    }
}

/// Whether bodies of a scene can be simulated apart from each other.
pub(crate) fn splits(scene: &Scene, simulation: &Simulation<f32>) -> bool {
    let past = scene.events.iter().any(|event| event.at <= simulation.time()) && simulation.time() > 0.0;
    let tied = !scene.rigid_bodies.is_empty() || !scene.attachments.is_empty() || !scene.triggers.is_empty();
    // Parts whose nodes change their number cannot be told to the whole.
    let breaks = simulation.model().bodies.iter().any(|b| b.fragile.is_some());
    !(past || tied || breaks)
}

fn nodes(simulation: &Simulation<f32>, body: usize) -> Range<usize> {
    simulation.model().bodies[body].nodes.clone()
}

fn blocks(simulation: &Simulation<f32>, body: usize) -> impl Iterator<Item = usize> + '_ {
    simulation.model().blocks.iter().enumerate().filter(move |(_, block)| block.body == body).map(|(k, _)| k)
}

/// Some bodies of a scene as a scene.
fn only(scene: &Scene, bodies: &[usize]) -> Scene {
    let kept: Vec<Body> = bodies.iter().map(|&b| scene.bodies[b].clone()).collect();
    let concerns = |event: &&Event| event.body.as_ref().is_none_or(|name| kept.iter().any(|b| b.name == *name));
    Scene { events: scene.events.iter().filter(concerns).cloned().collect(), bodies: kept, ..scene.clone() }
}

/// Some bodies as a simulation in the state that they have now.
pub(crate) fn part(scene: &Scene, whole: &Simulation<f32>, bodies: Vec<usize>) -> Result<(Scene, Part), DriveError> {
    let scene = only(scene, &bodies);
    let mut simulation = build(&scene)?;
    let (mut u, mut v) = (simulation.state().u.clone(), simulation.state().v.clone());
    let mut grains = simulation.state().grains.clone();
    for (own, &body) in bodies.iter().enumerate() {
        let (to, from) = (nodes(&simulation, own), nodes(whole, body));
        u[to.clone()].copy_from_slice(&whole.state().u[from.clone()]);
        v[to].copy_from_slice(&whole.state().v[from]);
        for (to, from) in blocks(&simulation, own).zip(blocks(whole, body)) {
            if let (Some(to), Some(from)) = (grains.get_mut(to), whole.state().grains.get(from)) {
                to.clone_from(from);
            }
        }
    }
    simulation.take_over(u, v, whole.time(), 0);
    simulation.state_mut().grains = grains;
    Ok((scene, Part { simulation, bodies }))
}

fn build(scene: &Scene) -> Result<Simulation<f32>, DriveError> {
    Simulation::build(scene).map_err(|error| DriveError::Unsupported(error.to_string()))
}

/// Why the device does not get a group of bodies.
pub(crate) fn why_not_group(scene: &Scene, group: &[usize]) -> Result<Option<String>, DriveError> {
    if let Some(&body) = group.iter().find(|&&b| scene.bodies[b].place == Place::Cpu) {
        return Ok(Some(format!("body {:?} is to be on the CPU", scene.bodies[body].name)));
    }
    let scene = only(scene, group);
    let simulation = build(&scene)?;
    Ok(why_not(&scene, simulation.model()))
}

/// Bodies that can touch each other, directly or through others, together.
pub(crate) fn touching_groups(bodies: &[Body]) -> Vec<Vec<usize>> {
    let touch = |a: &Body, b: &Body| a.contact.enabled && b.contact.enabled && a.contact.groups.meet(&b.contact.groups);
    let mut group: Vec<usize> = (0..bodies.len()).collect();
    for a in 0..bodies.len() {
        for b in 0..a {
            if touch(&bodies[a], &bodies[b]) && group[a] != group[b] {
                let (old, new) = (group[a].max(group[b]), group[a].min(group[b]));
                group.iter_mut().filter(|g| **g == old).for_each(|g| *g = new);
            }
        }
    }
    let of = |first: usize| (0..bodies.len()).filter(|b| group[*b] == first).collect::<Vec<_>>();
    (0..bodies.len()).map(of).filter(|members| !members.is_empty()).collect()
}

/// Two parts took the same steps side by side.
fn together(a: &StepReport, b: &StepReport) -> StepReport {
    let mut both = *a;
    both.merge(b);
    let contacts = a.contacts + b.contacts;
    StepReport {
        dt: a.dt.max(b.dt),
        steps: a.steps.max(b.steps),
        substeps: a.substeps.max(b.substeps),
        contacts,
        ..both
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phyxel::Material;
    use phyxel::scene::Groups;
    use phyxel::shape::Geometry;
    use phyxel::shape::structured::box_points;

    #[test]
    fn bodies_that_can_touch_through_others_are_together() {
        let body = |member: u32, touches: u32| {
            let points = box_points([2; 3], [0.0; 3], [1.0; 3]).expect("points");
            let mut body = Body::new("b", Geometry::Points(points), Method::Mls, Material::default());
            body.contact.groups = Groups { member, touches };
            body
        };
        let mut bodies = vec![body(1, 2), body(4, 4), body(2, 1), body(8, 0), body(2, 1)];
        assert_eq!(touching_groups(&bodies), [vec![0, 2, 4], vec![1], vec![3]]);
        bodies[0].contact.enabled = false;
        assert_eq!(touching_groups(&bodies).len(), 5);
    }
}
