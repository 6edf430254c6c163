//! Position-based steps (XPBD) on the device: colour after colour over the elements, then the colliders, many sweeps per
//! submission.

use crate::device::{Access, Bound, GpuError, Recipe, Store, sources, strided};
use crate::explicit;
use crate::layout::colours::{Colours, Launch};
use crate::layout::{colliders, laws, pins};
use crate::resident::{ElementPass, Resident};
use Access::{Read, Uniform, Write};
use bytemuck::{Pod, Zeroable};
use phyxel::model::{Model, PinSet};
use phyxel::scene::{Collider, SolverSettings};
use wgpu::ComputePass;

/// Moves a resident model by XPBD.
pub struct Positions {
    sweeps: Vec<(Bound, u32)>,
    launches: Vec<Launch>,
    settle: Vec<ElementPass>,
    predict: Bound,
    ground: Option<Bound>,
    finish: Bound,
    jobs: Store,
    step: Store,
    motion: Store,
    gravity: [f32; 3],
    pins: Vec<PinSet>,
    colliders: Vec<Collider>,
    /// What lies between bodies and colliders.
    pairs: Vec<[f32; 4]>,
}

/// The twin of `Job` in `sweep.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct SweepJob {
    first: u32,
    count: u32,
    fresh: u32,
    h: f32,
}

/// The twin of `Step` in `positions.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct StepJob {
    gravity: [f32; 4],
    nodes: u32,
    colliders: u32,
    collider_count: u32,
    _pad: u32,
}

/// What only position-based steps need of each node, element and entry.
struct Rooms {
    start: Store,
    lightness: Store,
    rests: Store,
    elements: Store,
    entries: Store,
    penalties: Store,
    bases: Store,
    multipliers: Store,
    grain_of: Store,
}

impl Rooms {
    fn new(resident: &Resident, colours: &Colours, colliders: usize) -> Result<Self, GpuError> {
        let device = resident.device();
        let n = resident.node_count();
        Ok(Rooms {
            start: device.room::<[f32; 4]>("start", n)?,
            lightness: device.room::<[f32; 4]>("lightness", n)?,
            rests: device.room::<[f32; 12]>("rests", n * colliders)?,
            elements: device.upload("coloured elements", &colours.elements)?,
            entries: device.upload("coloured entries", &colours.entries)?,
            penalties: device.upload("coloured penalties", &colours.penalties)?,
            bases: device.upload("coloured bases", &colours.bases)?,
            multipliers: device.room::<[f32; 4]>("multipliers", colours.elements.len())?,
            grain_of: device.upload("coloured grains", &colours.grains)?,
        })
    }
}

impl Positions {
    /// Prepares the kernels of a model.
    pub fn new(resident: &Resident, model: &Model<f32>, colliders: &[Collider]) -> Result<Self, GpuError> {
        let device = resident.device();
        let key = |(i, b)| laws::of_block(b, resident.remembers(i)).0;
        let keys: Vec<_> = model.blocks.iter().enumerate().map(key).collect();
        let colours = Colours::new(model, &resident.order, &keys, &resident.grains);
        let rooms = Rooms::new(resident, &colours, colliders.len())?;
        let jobs = device.uniforms("sweeps", 256 * 2 * colours.launches.len());
        let step = device.uniforms("step", 256);
        let vectors = 3 * model.pins.len() + colliders::room(model, colliders.len());
        let mut pairs = Vec::new();
        if !colliders.is_empty() {
            colliders::pairs(model, &mut pairs);
        }
        let motion = device.room::<[f32; 4]>("motion", vectors)?;
        let nodes = |entry| node_kernel(resident, &rooms, (&step, &motion), entry);
        let sweep = |launch: &Launch| (sweep_kernel(resident, &rooms, &jobs, launch), launch.count.div_ceil(64));
        let positions = Positions {
            sweeps: colours.launches.iter().map(sweep).collect(),
            settle: resident.settle_passes(),
            predict: nodes("predict"),
            ground: (!colliders.is_empty()).then(|| nodes("ground")),
            finish: nodes("finish"),
            launches: colours.launches,
            jobs,
            step,
            motion,
            gravity: model.loads.gravity.0,
            pins: model.pins.clone(),
            colliders: colliders.to_vec(),
            pairs,
        };
        device.check()?;
        Ok(positions)
    }

    /// Takes one step of `dt` from `time`, in as many parts as the settings say, without waiting for it.
    pub fn step(&self, resident: &Resident, (time, dt): (f64, f64), settings: &SolverSettings) -> Result<(), GpuError> {
        let h = dt / settings.substeps as f64;
        self.write_jobs(resident, h);
        resident.set_flow_times([0.0, h]);
        for part in 0..settings.substeps {
            self.write_motion(resident, (time + part as f64 * h, h));
            let device = resident.device();
            let mut encoder = device.wgpu.create_command_encoder(&Default::default());
            self.launch_part(resident, &mut encoder.begin_compute_pass(&Default::default()), settings.iterations);
            device.queue.submit([encoder.finish()]);
        }
        resident.device().check()
    }

    fn launch_part(&self, resident: &Resident, pass: &mut ComputePass<'_>, iterations: usize) {
        let groups = explicit::groups(resident);
        resident.launch_pressure(pass);
        self.predict.launch(pass, groups, &[0]);
        for round in 0..iterations {
            for (i, (sweep, groups)) in self.sweeps.iter().enumerate() {
                sweep.launch(pass, *groups, &[2 * i + usize::from(round > 0)]);
            }
            if let Some(ground) = &self.ground {
                ground.launch(pass, groups, &[0]);
            }
        }
        self.settle.iter().for_each(|p| p.launch(pass));
        self.finish.launch(pass, groups, &[0]);
    }

    fn write_jobs(&self, resident: &Resident, h: f64) {
        let job = |launch: &Launch, fresh| SweepJob { first: launch.first, count: launch.count, fresh, h: h as f32 };
        let jobs: Vec<SweepJob> = self.launches.iter().flat_map(|l| [job(l, 1), job(l, 0)]).collect();
        resident.device().fill(&self.jobs, &strided(&jobs));
        let [x, y, z] = self.gravity;
        let step = StepJob {
            gravity: [x, y, z, h as f32],
            nodes: resident.node_count() as u32,
            colliders: 3 * self.pins.len() as u32,
            collider_count: self.colliders.len() as u32,
            _pad: 0,
        };
        resident.device().fill(&self.step, bytemuck::bytes_of(&step));
    }

    fn write_motion(&self, resident: &Resident, (start, h): (f64, f64)) {
        let mut motion = Vec::new();
        pins::targets(&self.pins, start + h, &mut motion);
        colliders::poses(&self.colliders, start, start + h, &mut motion);
        motion.extend_from_slice(&self.pairs);
        if !motion.is_empty() {
            resident.device().write(&self.motion, 0, &motion);
        }
    }
}

fn sweep_kernel(resident: &Resident, rooms: &Rooms, jobs: &Store, launch: &Launch) -> Bound {
    let flag = |on: bool| if on { 1.0 } else { 0.0 };
    let law = &launch.law;
    let constants = [
        ("LAW", f64::from(law.law)),
        ("VOLUME", flag(law.volume)),
        ("GRAINS", flag(law.grains)),
        ("FLOW", f64::from(law.flow)),
        ("BASED", flag(law.based)),
        ("STABILISED", flag(launch.stabilised)),
    ];
    let source = sources::sweep();
    let bindings = &[Uniform, Write, Read, Read, Read, Read, Read, Read, Read, Read, Write, Read, Read];
    let recipe = Recipe { name: "sweep", source: &source, entry: "main", constants: &constants, bindings };
    let at = &resident.at;
    let buffers = [
        jobs,
        &at.u,
        &rooms.start,
        &rooms.lightness,
        &at.laws,
        &rooms.elements,
        &rooms.entries,
        &rooms.penalties,
        &rooms.bases,
        &at.rest,
        &rooms.multipliers,
        &at.grains,
        &rooms.grain_of,
    ];
    resident.device().bind(&recipe, &buffers)
}

fn node_kernel(resident: &Resident, rooms: &Rooms, (step, motion): (&Store, &Store), entry: &str) -> Bound {
    let source = sources::positions();
    let bindings = &[Uniform, Write, Write, Read, Read, Read, Read, Read, Write, Write, Write, Write];
    let recipe = Recipe { name: "positions", source: &source, entry, constants: &[], bindings };
    let at = &resident.at;
    let buffers = [
        step,
        &at.u,
        &at.v,
        &at.rest,
        &at.loads,
        &at.bodies,
        &at.pinned,
        motion,
        &rooms.start,
        &rooms.lightness,
        &rooms.rests,
        &at.status,
    ];
    resident.device().bind(&recipe, &buffers)
}
