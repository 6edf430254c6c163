//! Explicit stepping on the device: a pass over elements and a pass over nodes per step, many steps per submission.

use crate::bench::{KernelTime, median, settled, time_alone, time_pass, without_clock};
use crate::device::{Access, Bound, GpuError, Recipe, Stopwatch, Store, sources, strided};
use crate::layout::{colliders, pins};
use crate::resident::{ElementPass, Resident};
use bytemuck::{Pod, Zeroable};
use phyxel::model::{Model, PinSet};
use phyxel::scene::{Collider, Integrator};

/// Steps per submission: enough to hide what a submission costs, few enough that nobody takes the device for hung.
const CHUNK: usize = 256;

/// The twin of `Step` in `nodes.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct StepBlock {
    pub gravity: [f32; 4],
    pub nodes: u32,
    pub around: u32,
    pub pins: u32,
    pub next_pins: u32,
    pub colliders: u32,
    pub collider_count: u32,
    pub continues: u32,
    pub next_colliders: u32,
    pub elements: u32,
    pub unused: [u32; 3],
}

/// Moves a resident model explicitly.
pub struct Explicit {
    integrator: Integrator,
    passes: Vec<ElementPass>,
    /// What flows at the end of a step; steps then do not run into each other.
    settle: Vec<ElementPass>,
    begin: Option<Bound>,
    advance: Bound,
    forces: Bound,
    result: Store,
    steps: Store,
    motion: Store,
    gravity: [f32; 3],
    pins: Vec<PinSet>,
    colliders: Vec<Collider>,
    /// What lies between bodies and colliders.
    pairs: Vec<[f32; 4]>,
    moves: bool,
}

/// The number of an integrator in `nodes.wgsl`.
pub(crate) fn number(integrator: Integrator) -> Option<f64> {
    match integrator {
        Integrator::ExplicitEuler => Some(1.0),
        Integrator::SymplecticEuler => Some(2.0),
        Integrator::LeapFrog => Some(3.0),
        Integrator::Verlet => Some(4.0),
        _ => None,
    }
}

/// Whether an integrator is an explicit one that devices have.
pub(crate) fn has(integrator: Integrator) -> bool {
    number(integrator).is_some()
}

use Access::{Read, Uniform, Write};
pub(crate) const NODE_BINDINGS: [Access; 15] =
    [Uniform, Write, Write, Read, Read, Read, Read, Read, Read, Read, Read, Read, Read, Write, Write];

impl Explicit {
    /// Prepares the kernels of an integrator; anything but the explicit ones of [`why_not`](crate::why_not) is taken for
    /// leap-frog.
    pub fn new(
        resident: &Resident,
        model: &Model<f32>,
        colliders: &[Collider],
        integrator: Integrator,
    ) -> Result<Self, GpuError> {
        let device = &resident.device;
        let moves = resident.pins_move || colliders.iter().any(|c| c.motion.moves());
        let vectors = 3 * model.pins.len() + colliders::room(model, colliders.len());
        let blocks = if moves { CHUNK + 1 } else { 2 };
        let motion = device.room::<[f32; 4]>("motion", vectors * blocks)?;
        let steps = device.uniforms("steps", 256 * blocks);
        let result = device.room::<[f32; 4]>("forces", resident.node_count())?;
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        let mut constants = resident.gather_constants().to_vec();
        constants.extend([
            ("INTEGRATOR", number(integrator).unwrap_or(3.0)),
            ("COLLIDERS", flag(!colliders.is_empty())),
            ("PINS", flag(resident.pins > 0)),
        ]);
        let mut pairs = Vec::new();
        if !colliders.is_empty() {
            colliders::pairs(model, &mut pairs);
        }
        let source = sources::nodes();
        let at = &resident.at;
        let bind = |entry| {
            let recipe =
                Recipe { name: "nodes", source: &source, entry, constants: &constants, bindings: &NODE_BINDINGS };
            let buffers = [
                &steps,
                &at.u,
                &at.v,
                &at.rest,
                &at.loads,
                &at.bodies,
                &at.index,
                &at.slots,
                &at.around,
                &at.own,
                &at.records,
                &at.pinned,
                &motion,
                &at.status,
                &result,
            ];
            device.bind(&recipe, &buffers)
        };
        let prepares = matches!(integrator, Integrator::LeapFrog | Integrator::Verlet);
        let (begin, advance, forces) = (prepares.then(|| bind("begin")), bind("advance"), bind("forces"));
        device.check()?;
        Ok(Explicit {
            integrator,
            passes: resident.element_passes(true),
            settle: resident.settle_passes(),
            begin,
            advance,
            forces,
            result,
            steps,
            motion,
            gravity: model.loads.gravity.0,
            pins: model.pins.clone(),
            colliders: colliders.to_vec(),
            pairs,
            moves,
        })
    }

    /// Launches per step.
    pub fn launches_per_step(&self, resident: &Resident) -> usize {
        let apart = usize::from(self.flows() && self.begin.is_some());
        self.passes.len() + 1 + usize::from(resident.has_pressure()) + self.settle.len() + apart
    }

    fn flows(&self) -> bool {
        !self.settle.is_empty()
    }

    /// All forces on all nodes now, external, elastic and damping together, in the order of the model [N].
    pub fn forces(&self, resident: &Resident) -> Result<Vec<phyxel::math::Vec3<f32>>, GpuError> {
        self.write_steps(resident, (0.0, 1.0), 0, 1, 1);
        resident.set_flow_times([0.0, 0.0]);
        let device = &resident.device;
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            resident.launch_pressure(&mut pass);
            self.passes.iter().for_each(|p| p.launch(&mut pass));
            self.forces.launch(&mut pass, groups(resident), &[0]);
        }
        device.queue.submit([encoder.finish()]);
        let found: Vec<[f32; 4]> = device.read(&self.result, resident.node_count())?;
        Ok(resident.in_model_order(&found))
    }

    /// Submits `count` steps of `dt` from `time` on, without waiting for them.
    pub fn run(&self, resident: &Resident, time: f64, dt: f64, count: usize) -> Result<(), GpuError> {
        let mut done = 0;
        resident.set_flow_times([0.0, dt]);
        while done < count {
            let part = CHUNK.min(count - done);
            self.submit(resident, (time, dt), done, part, count);
            done += part;
        }
        resident.device.check()
    }

    fn submit(&self, resident: &Resident, (time, dt): (f64, f64), done: usize, part: usize, count: usize) {
        let device = &resident.device;
        self.write_steps(resident, (time, dt), done, part, count);
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for i in 0..part {
                let last = done + i + 1 == count;
                let block = if self.moves { i } else { usize::from(last || self.flows()) };
                if done + i == 0 || self.flows() {
                    self.launch_begin(resident, &mut pass, block);
                }
                self.launch_step(resident, &mut pass, block);
            }
        }
        device.queue.submit([encoder.finish()]);
    }

    fn launch_begin(&self, resident: &Resident, pass: &mut wgpu::ComputePass<'_>, block: usize) {
        let Some(begin) = &self.begin else { return };
        if self.integrator == Integrator::Verlet {
            resident.launch_pressure(pass);
            self.passes.iter().for_each(|p| p.launch(pass));
        }
        begin.launch(pass, groups(resident), &[block]);
    }

    fn launch_step(&self, resident: &Resident, pass: &mut wgpu::ComputePass<'_>, block: usize) {
        resident.launch_pressure(pass);
        self.passes.iter().for_each(|p| p.launch(pass));
        self.advance.launch(pass, groups(resident), &[block]);
        self.settle.iter().for_each(|p| p.launch(pass));
    }

    /// The blocks and motions of steps `done..done + part`; when nothing moves, one for every step and one for the last.
    fn write_steps(&self, resident: &Resident, (time, dt): (f64, f64), done: usize, part: usize, count: usize) {
        let nodes = resident.node_count() as u32;
        let stride = (3 * self.pins.len() + colliders::VECTORS * self.colliders.len() + self.pairs.len()) as u32;
        let [x, y, z] = self.gravity;
        let block = |place: u32, next: u32, continues: bool| StepBlock {
            gravity: [x, y, z, dt as f32],
            nodes,
            around: resident.clusters.slot_offsets.len() as u32,
            pins: place * stride,
            next_pins: next * stride,
            colliders: place * stride + 3 * self.pins.len() as u32,
            collider_count: self.colliders.len() as u32,
            continues: u32::from(continues && !self.flows()),
            next_colliders: next * stride + 3 * self.pins.len() as u32,
            elements: resident.general.elements as u32,
            unused: [0; 3],
        };
        let mut motion = Vec::new();
        let mut add = |step: usize| {
            let start = time + dt * step as f64;
            let end = start + dt;
            pins::targets(&self.pins, end, &mut motion);
            // Leap-frog meets surfaces over its second half.
            let met = if self.integrator == Integrator::LeapFrog { start + 0.5 * dt } else { end };
            colliders::poses(&self.colliders, start, met, &mut motion);
            motion.extend_from_slice(&self.pairs);
        };
        let blocks: Vec<StepBlock> = if self.moves {
            (0..=part).for_each(|i| add(done + i));
            (0..part as u32).map(|i| block(i, i + 1, done + (i as usize) + 1 < count)).collect()
        } else {
            add(0);
            vec![block(0, 0, true), block(0, 0, false)]
        };
        resident.device.fill(&self.steps, &strided(&blocks));
        if !motion.is_empty() {
            resident.device.write(&self.motion, 0, &motion);
        }
    }

    /// Times each launch of a step, `repeats` times, on a device that is warm; empty when it has no clock.
    pub fn time_kernels(&self, resident: &Resident, dt: f64, repeats: u32) -> Result<Vec<KernelTime>, GpuError> {
        let device = &resident.device;
        self.write_steps(resident, (0.0, dt), 0, 1, 2);
        let launches = self.passes.len() as u32 + 1;
        if !device.has_timestamps() {
            return Ok(Vec::new());
        }
        let seconds = settled(device, || self.time_launches(resident, launches, repeats))?;
        let of = |i: usize| median(seconds.iter().skip(i).step_by(launches as usize).copied().collect());
        let mut seconds: Vec<f64> = (0..launches as usize).map(of).collect();
        without_clock(&mut seconds, self.time_steps(resident, repeats)?);
        let node_bytes = resident.force_bytes().1;
        let kernels = self.passes.iter().map(|p| (p.name.clone(), p.bytes)).chain([("nodes".into(), node_bytes)]);
        let timed = |((name, bytes), seconds)| KernelTime { name, seconds, bytes, traffic: None };
        let mut times: Vec<KernelTime> = kernels.zip(seconds).map(timed).collect();
        for (time, alone) in times.iter_mut().zip(resident.traffic_passes()) {
            if let Some(alone) = alone {
                time.traffic = time_alone(device, repeats, |pass| alone.launch(pass))?;
            }
        }
        Ok(times)
    }

    /// Seconds of a step among others.
    fn time_steps(&self, resident: &Resident, repeats: u32) -> Result<f64, GpuError> {
        let found = time_pass(&resident.device, 5, |pass| {
            (0..repeats).for_each(|_| {
                self.passes.iter().for_each(|p| p.launch(pass));
                self.advance.launch(pass, groups(resident), &[0]);
            });
        })?;
        Ok(found.unwrap_or(f64::INFINITY) / f64::from(repeats))
    }

    /// Seconds of each launch of some steps.
    fn time_launches(&self, resident: &Resident, launches: u32, repeats: u32) -> Result<Vec<f64>, GpuError> {
        let device = &resident.device;
        let Some(mut watch) = Stopwatch::new(device, launches * repeats) else { return Ok(Vec::new()) };
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        for _ in 0..repeats {
            for i in 0..launches as usize {
                let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes: watch.next() };
                let mut pass = encoder.begin_compute_pass(&descriptor);
                match self.passes.get(i) {
                    Some(p) => p.launch(&mut pass),
                    None => self.advance.launch(&mut pass, groups(resident), &[0]),
                }
            }
        }
        watch.resolve(&mut encoder);
        device.queue.submit([encoder.finish()]);
        watch.seconds(device)
    }
}

/// Workgroups of a pass over all nodes.
pub(crate) fn groups(resident: &Resident) -> u32 {
    (resident.node_count() as u32).div_ceil(256)
}
