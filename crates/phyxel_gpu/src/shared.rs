//! A simulation shared between a device and the processor: bodies that never touch each other are apart, and both parts move at
//! the same time.

use crate::device::Device;
use crate::driver::{DriveError, Whole};
use crate::support::why_not;
use phyxel::fracture::CrackEvent;
use phyxel::scene::{Body, Event, Place, Scene};
use phyxel::{Apart, Simulation, StepReport};
use std::sync::Arc;

/// Bodies that are simulated on their own.
pub(crate) struct Part {
    pub(crate) simulation: Simulation<f32>,
    /// The number of each body here and in the whole.
    bodies: Vec<(usize, usize)>,
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
        let groups = touching_groups(&scene.bodies);
        let reasons = why_not_groups(scene, simulation, &groups)?;
        let (mut device_bodies, mut cpu_bodies) = (Vec::new(), Vec::new());
        for (group, reason) in groups.into_iter().zip(reasons) {
            let Some(reason) = reason else {
                device_bodies.extend(group);
                continue;
            };
            if let Some(&body) = group.iter().find(|&&b| scene.bodies[b].place == Place::Gpu) {
                let name = &scene.bodies[body].name;
                return Err(DriveError::Unsupported(format!("body {name:?} is to be on the device, but {reason}")));
            }
            cpu_bodies.extend(group);
        }
        if device_bodies.is_empty() {
            return refused("");
        }
        // Temperatures are not carried over.
        if let Some(&body) = cpu_bodies.iter().find(|&&b| scene.bodies[b].heat.is_some()) {
            return refused(&format!(" (and {:?} cannot be apart from the rest)", scene.bodies[body].name));
        }
        device_bodies.sort_unstable();
        cpu_bodies.sort_unstable();
        let (device_scene, on_device) = part(scene, simulation, device_bodies)?;
        let (_, on_cpu) = part(scene, simulation, cpu_bodies)?;
        let driver = Whole::new(device, &device_scene, &on_device.simulation)?;
        Ok(Shared { on_device, driver, on_cpu })
    }

    /// Moves both parts to `time`, at the same time, and tells the whole; the device goes on until `next`.
    pub(crate) fn advance_to(
        &mut self,
        whole: &mut Simulation<f32>,
        time: f64,
        next: Option<f64>,
    ) -> Result<StepReport, DriveError> {
        let Shared { on_device, driver, on_cpu } = self;
        let before = on_device.simulation.state().steps;
        let (moved, stepped) = std::thread::scope(|scope| {
            let device = scope.spawn(|| driver.advance_to(&mut on_device.simulation, time, next));
            let stepped = on_cpu.simulation.advance_to(time);
            // A thread can only panic where this code is wrong.
            let moved = device.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (moved, stepped)
        });
        let (moved, stepped) = (moved?, stepped?);
        let steps = on_device.simulation.state().steps - before;
        self.tell(whole, steps)?;
        let step = whole.settings().step;
        while whole.next_event().is_some_and(|at| at <= whole.time() - 0.5 * step) {
            whole.prepare_step(step)?;
            self.tell(whole, 0)?;
        }
        Ok(together(&moved, &stepped))
    }

    /// Writes what both parts have into the whole.
    fn tell(&mut self, whole: &mut Simulation<f32>, steps: u64) -> Result<(), DriveError> {
        let time = self.on_device.simulation.time();
        let parts = [&self.on_device, &self.on_cpu].map(|p| Apart { simulation: &p.simulation, bodies: &p.bodies });
        whole.take_over_bodies(&parts)?;
        let (u, v) = (whole.state().u.clone(), whole.state().v.clone());
        whole.take_over(u, v, time, steps);
        let step = whole.settings().step;
        let mut cracks: Vec<CrackEvent> = self.on_device.cracks().chain(self.on_cpu.cracks()).collect();
        // In the order of one simulation: step by step, body by body, as each body has told them.
        cracks.sort_by_key(|crack| ((crack.time / step).round() as i64, crack.body));
        whole.add_cracks(cracks);
        Ok(())
    }
}

impl Part {
    /// What has broken since this was last asked, with the numbers of bodies in the whole.
    fn cracks(&mut self) -> impl Iterator<Item = CrackEvent> + '_ {
        let cracks = self.simulation.take_cracks();
        cracks.into_iter().map(|crack| CrackEvent { body: self.bodies[crack.body].1, ..crack })
    }
}

/// Whether bodies of a scene can be simulated apart from each other.
pub(crate) fn splits(scene: &Scene, simulation: &Simulation<f32>) -> bool {
    let past = scene.events.iter().any(|event| event.at <= simulation.time()) && simulation.time() > 0.0;
    let tied = !scene.rigid_bodies.is_empty() || !scene.attachments.is_empty() || !scene.triggers.is_empty();
    // What holds or loads pieces that part is not carried over.
    let model = simulation.model();
    let held = |b: usize| model.loads.loaded_bodies[b] || model.pins.iter().any(|pin| pin.body == b);
    let breaks = |b: usize| model.bodies[b].fragile.is_some();
    !(past || tied || (0..model.bodies.len()).any(|b| breaks(b) && held(b)))
}

/// Some bodies of a scene as a scene. Those that can break have their share of the budget of new nodes.
fn only(scene: &Scene, bodies: &[usize]) -> Scene {
    let kept: Vec<Body> = bodies.iter().map(|&b| scene.bodies[b].clone()).collect();
    let concerns = |event: &&Event| event.body.as_ref().is_none_or(|name| kept.iter().any(|b| b.name == *name));
    let events = scene.events.iter().filter(concerns).cloned().collect();
    let breakable = |bodies: &[Body]| bodies.iter().filter(|b| b.material.fracture.is_some()).count();
    let (own, all) = (breakable(&kept), breakable(&scene.bodies));
    let mut solver = scene.solver;
    if own > 0 {
        solver.max_new_nodes = (solver.max_new_nodes as f64 * own as f64 / all as f64).ceil() as usize;
    }
    Scene { events, bodies: kept, solver, ..scene.clone() }
}

/// Some bodies as a simulation in the state that they have now.
pub(crate) fn part(scene: &Scene, whole: &Simulation<f32>, bodies: Vec<usize>) -> Result<(Scene, Part), DriveError> {
    let scene = only(scene, &bodies);
    let mut simulation = build(&scene)?;
    let numbers: Vec<(usize, usize)> = bodies.iter().enumerate().map(|(own, &body)| (body, own)).collect();
    simulation.take_over_bodies(&[Apart { simulation: whole, bodies: &numbers }])?;
    let (u, v) = (simulation.state().u.clone(), simulation.state().v.clone());
    simulation.take_over(u, v, whole.time(), 0);
    // What was computed at the start is stale.
    simulation.state_mut();
    let bodies = numbers.into_iter().map(|(body, own)| (own, body)).collect();
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

/// The same for all groups. Bodies that break and others are moved by different kernels, and a device moves those of one kind: the
/// kind with more nodes, unless some insist on being there.
pub(crate) fn why_not_groups(
    scene: &Scene,
    simulation: &Simulation<f32>,
    groups: &[Vec<usize>],
) -> Result<Vec<Option<String>>, DriveError> {
    let mut reasons = groups.iter().map(|group| why_not_group(scene, group)).collect::<Result<Vec<_>, _>>()?;
    let model = simulation.model();
    let breaks = |group: &[usize]| group.iter().any(|&b| model.bodies[b].fragile.is_some());
    let nodes = |group: &[usize]| group.iter().map(|&b| model.bodies[b].nodes.len()).sum::<usize>();
    let insists = |group: &[usize]| group.iter().any(|&b| scene.bodies[b].place == Place::Gpu);
    let weight = |kind: bool| {
        let able = groups.iter().zip(&reasons).filter(|(g, reason)| reason.is_none() && breaks(g) == kind);
        able.fold((false, 0), |(asked, sum), (g, _)| (asked || insists(g), sum + nodes(g)))
    };
    let of_breaking = weight(true) > weight(false);
    for (group, reason) in
        groups.iter().zip(&mut reasons).filter(|(g, reason)| reason.is_none() && breaks(g) != of_breaking)
    {
        let name = &scene.bodies[group[0]].name;
        let (this, others) = if of_breaking { ("cannot break", "can") } else { ("can break", "cannot") };
        *reason = Some(format!("body {name:?} {this} and others on the device {others}"));
    }
    Ok(reasons)
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
    let (contacts, waiting) = (a.contacts + b.contacts, a.waiting + b.waiting);
    StepReport {
        dt: a.dt.max(b.dt),
        steps: a.steps.max(b.steps),
        substeps: a.substeps.max(b.substeps),
        contacts,
        waiting,
        ..both
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phyxel::Material;
    use phyxel::scene::{Groups, Method};
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
