//! Implicit Euler on the device: the system is assembled, preconditioned and solved there; one small report comes back
//! per solve.

mod contact;
mod follow;
mod kernels;
mod solo;
mod system;

use crate::bench::{KernelTime, median, settled, time_alone, time_pass, without_clock};
use crate::device::{GpuError, Stopwatch};
use crate::resident::Resident;
use bytemuck::{Pod, Zeroable};
use contact::Touching;
use follow::Follow;
use kernels::Kernels;
use phyxel::math::Vec3;
use phyxel::model::Model;
use phyxel::scene::{Collider, RelativeTo, SolverSettings};
use phyxel::solver::STILL;
use solo::Solo;
use system::System;

/// Moves a resident model by implicit Euler, linearised once per step.
pub struct Implicit {
    system: System,
    kernels: Kernels,
    solo: Option<Solo>,
    touching: Option<Touching>,
    follow: Option<Follow>,
    /// What the present masses and penalties were scaled with [s].
    gamma: f64,
    /// Iterations that the last solve took.
    last: usize,
    /// The length of all external forces when they were last asked for [N].
    loads: Option<f64>,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations of conjugate gradients, over all solves of the step.
    pub iterations: usize,
    /// `|b − A x|`, computed at the end, relative to its value at the start or to `|b|`, whichever is less.
    pub residual: f64,
    /// Solves that stopped before their tolerance.
    pub stopped_early: usize,
    /// Nodes that touch something.
    pub contacts: usize,
    /// Whether all numbers are finite.
    pub finite: bool,
}

/// The twin of `Scalars` in `held.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Scalars {
    rz: [f32; 2],
    alpha: [f32; 2],
    goal_squared: f32,
    size: f32,
    begin: f32,
    scale: f32,
    done: u32,
    iterations: u32,
    trouble: u32,
    reached: f32,
}

/// The twin of `Job` in `cg.wgsl` and, to `always`, in `multiply.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Job {
    nodes: u32,
    groups: u32,
    products: u32,
    parity: u32,
    always: u32,
    gamma: f32,
    tolerance: f32,
    first: u32,
    least: f32,
    momentum: u32,
    unused: [u32; 2],
}

/// What the residual of a solve is relative to at least.
#[derive(Clone, Copy, Debug, Default)]
struct Least {
    length: f64,
    /// Or to the momentum with which bodies go into the step.
    momentum: bool,
}

/// Places of the jobs among the uniform blocks.
const FIRST: usize = 2;
const AGAIN: usize = 3;

/// What the rest of an iteration moves per node: it reads z, q, p, s, r and the preconditioner, and writes all but q and that.
const UPDATE_BYTES: u64 = 5 * 16 + 32 + 4 * 16;

/// Most iterations per submission.
const MOST_AT_ONCE: usize = 512;

impl Implicit {
    /// What [`time_kernels`](Self::time_kernels) times: tangents of elements, the matrix from them, its diagonal with the preconditioner,
    /// and the two launches of an iteration.
    pub const PASSES: [&str; 5] = ["tangents", "assemble", "diagonal", "multiply", "update"];

    /// Prepares the system of a model.
    pub fn new(resident: &Resident, model: &Model<f32>, colliders: &[Collider]) -> Result<Self, GpuError> {
        let system = System::new(resident, model)?;
        let touching = (!colliders.is_empty()).then(Touching::default);
        let kernels = Kernels::new(resident, &system, model, touching.is_some())?;
        let solo = Solo::new(resident, &system, touching.is_some());
        resident.device().check()?;
        Ok(Implicit { system, kernels, solo, touching, follow: None, gamma: 0.0, last: 20, loads: None })
    }

    /// Takes one step of `dt` from `time`; the state on the device is the new one afterwards.
    pub fn step(
        &mut self,
        resident: &Resident,
        model: &Model<f32>,
        (time, dt): (f64, f64),
        settings: &SolverSettings,
    ) -> Result<SolveReport, GpuError> {
        self.rescale(resident, model, dt);
        if let Some(follow) = &self.follow {
            follow.launch(resident);
        }
        match self.touching.take() {
            Some(mut touching) => {
                let report = touching.step(self, resident, model, (time, dt), settings);
                self.touching = Some(touching);
                report
            }
            None => {
                self.system.write_pins(resident, &model.pins, time + dt, dt);
                let least = self.least(resident, model, dt, settings)?;
                self.write_jobs(resident, dt, settings.tolerance, least);
                self.submit_assembly(resident, true);
                let report = self.solve(resident, settings)?;
                self.finish(resident)?;
                Ok(SolveReport { finite: self.is_finite(resident)?, ..report })
            }
        }
    }

    /// Masses and penalties carry `1 + γ alpha` and `γ² + γ beta`; they are written anew when the step changes.
    fn rescale(&mut self, resident: &Resident, model: &Model<f32>, dt: f64) {
        if self.gamma != dt {
            self.system.rescale(resident, model, dt);
            resident.set_flow_times([dt, dt]);
            self.gamma = dt;
        }
    }

    /// What the first solve of a step is relative to: as the CPU has it, momentum, or what loads alone give within the step.
    fn least(
        &mut self,
        resident: &Resident,
        model: &Model<f32>,
        dt: f64,
        settings: &SolverSettings,
    ) -> Result<Least, GpuError> {
        if settings.relative_to != RelativeTo::Momentum {
            return Ok(Least::default());
        }
        let known = self.loads.filter(|_| model.loads.pressures.is_empty());
        let loads = match known {
            Some(loads) => loads,
            None => {
                let (u, _) = resident.state()?;
                let mut external = vec![Vec3::zero(); u.len()];
                model.external_forces(&u, &mut external);
                external.iter().map(|f| f.to_f64().iter().map(|x| x * x).sum::<f64>()).sum::<f64>().sqrt()
            }
        };
        self.loads = Some(loads);
        let masses = model.masses.iter().map(|m| f64::from(*m).powi(2)).sum::<f64>().sqrt();
        Ok(Least { length: (loads * dt).max(masses * STILL / settings.tolerance), momentum: true })
    }

    fn write_jobs(&self, resident: &Resident, dt: f64, tolerance: f64, least: Least) {
        let job = |parity, always, first| Job {
            nodes: resident.node_count() as u32,
            groups: self.system.groups,
            products: self.system.products,
            parity,
            always,
            gamma: dt as f32,
            tolerance: tolerance as f32,
            first,
            least: least.length as f32,
            momentum: u32::from(least.momentum),
            unused: [0; 2],
        };
        let jobs = [job(0, 0, 0), job(1, 0, 0), job(0, 1, 1), job(0, 1, 0)];
        self.system.write_jobs(resident, &jobs);
    }

    /// Forces, right-hand side, matrix and preconditioner at the present state.
    fn submit_assembly(&self, resident: &Resident, pins: bool) {
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.assemble(resident, &self.system, &mut pass, pins);
        }
        device.queue.submit([encoder.finish()]);
    }

    /// Solves to the tolerance; starts again from the true residual where the recurrence had drifted from it.
    fn solve(&mut self, resident: &Resident, settings: &SolverSettings) -> Result<SolveReport, GpuError> {
        let mut last = f64::INFINITY;
        let mut start = FIRST;
        let mut done = 0;
        loop {
            let scalars = self.descend(resident, start, settings.max_iterations - done)?;
            done = scalars.iterations as usize;
            let residual = f64::from(scalars.reached) / f64::from(scalars.scale.max(f32::MIN_POSITIVE));
            let goal = f64::from(scalars.goal_squared).sqrt();
            let converged = f64::from(scalars.reached) <= goal || (scalars.done == 1 && done == 0);
            let stuck = residual > 0.5 * last || !residual.is_finite();
            if converged || stuck || done >= settings.max_iterations {
                self.last = done.max(1);
                let residual = if done == 0 { 0.0 } else { residual };
                return Ok(SolveReport {
                    iterations: done,
                    residual,
                    stopped_early: usize::from(!converged),
                    ..SolveReport::default()
                });
            }
            (last, start) = (residual, AGAIN);
        }
    }

    /// Iterates from the residual of `x` until the device says that it is done; it is asked once per submission.
    fn descend(&self, resident: &Resident, start: usize, most: usize) -> Result<Scalars, GpuError> {
        let device = resident.device();
        let mut iteration = 0;
        let mut count = (self.last + self.last / 8 + 4).clamp(8, MOST_AT_ONCE);
        if self.solo.is_some() {
            // One launch stops by itself.
            count = MOST_AT_ONCE;
        }
        loop {
            let mut encoder = device.wgpu.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                if iteration == 0 {
                    self.kernels.restart(resident, &self.system, &mut pass, start);
                }
                let part = count.min(most - iteration);
                match &self.solo {
                    Some(solo) => solo.launch(resident, &mut pass, part),
                    None => (iteration..iteration + part)
                        .for_each(|i| self.kernels.iterate(resident, &self.system, &mut pass, i % 2)),
                }
                iteration += part;
                self.kernels.check(resident, &self.system, &mut pass);
            }
            let bytes = size_of::<Scalars>() as u64;
            let scalars = device.ask(encoder, &[(&self.system.scalars, bytes)]).take(device)?.items::<Scalars>(0)?[0];
            if scalars.done != 0 || iteration >= most {
                return Ok(scalars);
            }
            count = (2 * count).min(MOST_AT_ONCE);
        }
    }

    /// Lets matter flow at the end of a step whose velocities are final.
    pub fn settle(&self, resident: &Resident) {
        if resident.flows() {
            self.submit_passes(resident, |pass| self.kernels.settle(pass));
        }
    }

    /// Moves nodes with the velocities found.
    fn finish(&self, resident: &Resident) -> Result<(), GpuError> {
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.finish(&self.system, &mut pass);
        }
        device.queue.submit([encoder.finish()]);
        device.check()
    }

    fn is_finite(&self, resident: &Resident) -> Result<bool, GpuError> {
        let scalars: Vec<Scalars> = resident.device().read(&self.system.scalars, 1)?;
        Ok(scalars[0].trouble == 0)
    }

    /// Forgets that numbers were not finite.
    pub(crate) fn forgive(&self, resident: &Resident) {
        resident.device().write(&self.system.scalars, 0, &[Scalars::default()]);
    }

    /// Seconds of one assembly, and of one iteration on average over `iterations`, by the clock on the wall, on a device that
    /// is warm.
    pub fn time(
        &mut self,
        resident: &Resident,
        model: &Model<f32>,
        dt: f64,
        iterations: usize,
    ) -> Result<(f64, f64), GpuError> {
        self.rescale(resident, model, dt);
        self.system.write_pins(resident, &model.pins, dt, dt);
        // No tolerance: the device must not stop before the count is done.
        self.write_jobs(resident, dt, -1.0, Least::default());
        let device = resident.device();
        let five = |measure: &dyn Fn() -> Result<f64, GpuError>| {
            settled(device, measure)?;
            (0..5).map(|_| measure()).collect::<Result<Vec<f64>, GpuError>>().map(median)
        };
        let repeats = 10;
        let assembly = five(&|| {
            device.wait()?;
            let started = std::time::Instant::now();
            (0..repeats).for_each(|_| self.submit_assembly(resident, true));
            device.wait()?;
            Ok(started.elapsed().as_secs_f64() / f64::from(repeats))
        })?;
        let iteration = five(&|| {
            self.submit_passes(resident, |pass| self.kernels.restart(resident, &self.system, pass, FIRST));
            device.wait()?;
            let started = std::time::Instant::now();
            self.submit_passes(resident, |pass| {
                (0..iterations).for_each(|i| self.kernels.iterate(resident, &self.system, pass, i % 2));
            });
            device.wait()?;
            Ok(started.elapsed().as_secs_f64() / iterations as f64)
        })?;
        Ok((assembly, iteration))
    }

    fn submit_passes(&self, resident: &Resident, launch: impl FnOnce(&mut wgpu::ComputePass<'_>)) {
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        launch(&mut encoder.begin_compute_pass(&Default::default()));
        device.queue.submit([encoder.finish()]);
    }

    /// Times the launches of an assembly and of an iteration, on a device that is warm; empty when it has no clock.
    pub fn time_kernels(&self, resident: &Resident, repeats: u32) -> Result<Vec<KernelTime>, GpuError> {
        if !resident.device().has_timestamps() {
            return Ok(Vec::new());
        }
        let seconds = settled(resident.device(), || self.time_launches(resident, repeats))?;
        let of = |kind: usize| median(seconds.iter().skip(kind).step_by(Self::PASSES.len()).copied().collect());
        let mut seconds: Vec<f64> = (0..Self::PASSES.len()).map(of).collect();
        without_clock(&mut seconds[3..], self.time_iterations(resident, repeats)?);
        let nodes = resident.node_count() as u64;
        let tets = resident.clusters.count as u64;
        let places = self.places(resident);
        // Six blocks of a tetrahedron go to twelve places of the matrix.
        let assembly = (216 + 12 * 4) * tets + 8 * u64::from(self.system.assembled) + 36 * places;
        let diagonal = if tets > 0 { 36 * places + nodes * (8 + 4 + 4 + 32) } else { 0 };
        let product = self.product_bytes(resident);
        let bytes = [tets * (44 + 216), assembly, diagonal, product, nodes * UPDATE_BYTES];
        let timed = |(kind, name): (usize, &&str)| KernelTime {
            name: (*name).into(),
            seconds: seconds[kind],
            bytes: bytes[kind],
            traffic: None,
        };
        let mut times: Vec<KernelTime> = Self::PASSES.iter().enumerate().map(timed).collect();
        if let Some(launch) = kernels::block_traffic(resident, &self.system) {
            times[0].traffic = time_alone(resident.device(), repeats, launch)?;
        }
        Ok(times)
    }

    /// Seconds of an iteration among others: what a start with some takes longer than one without.
    fn time_iterations(&self, resident: &Resident, count: u32) -> Result<f64, GpuError> {
        let take = |count: u32| {
            time_pass(resident.device(), 5, |pass| {
                self.kernels.restart(resident, &self.system, pass, FIRST);
                (0..count).for_each(|i| self.kernels.iterate(resident, &self.system, pass, i as usize % 2));
            })
        };
        let (with, without) = (take(count)?, take(0)?);
        let seconds = with.zip(without).map(|(with, without)| (with - without) / f64::from(count));
        Ok(seconds.unwrap_or(f64::INFINITY))
    }

    /// Seconds of each launch of [`PASSES`](Self::PASSES), over and over.
    fn time_launches(&self, resident: &Resident, repeats: u32) -> Result<Vec<f64>, GpuError> {
        let device = resident.device();
        let kinds = Self::PASSES.len() as u32;
        let Some(mut watch) = Stopwatch::new(device, kinds * repeats) else { return Ok(Vec::new()) };
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.restart(resident, &self.system, &mut pass, FIRST);
        }
        for repeat in 0..repeats as usize {
            for kind in 0..kinds as usize {
                let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes: watch.next() };
                let mut pass = encoder.begin_compute_pass(&descriptor);
                self.kernels.launch_timed(resident, &self.system, &mut pass, (kind, repeat % 2));
            }
        }
        watch.resolve(&mut encoder);
        device.queue.submit([encoder.finish()]);
        watch.seconds(device)
    }

    /// Blocks beside the diagonal, which is made of them where it is needed.
    fn places(&self, resident: &Resident) -> u64 {
        let nodes = resident.node_count() as u64;
        (self.system.blocks as u64).saturating_sub(nodes)
    }

    /// What a product moves: the blocks with their columns, the rows, the field, masses and result.
    fn product_bytes(&self, resident: &Resident) -> u64 {
        40 * self.places(resident) + resident.node_count() as u64 * (8 + 16 + 4 + 16) + general_bytes(resident)
    }

    /// Bytes that one iteration moves at least.
    pub fn iteration_bytes(&self, resident: &Resident) -> u64 {
        self.product_bytes(resident) + resident.node_count() as u64 * UPDATE_BYTES
    }

    /// The product `A x` with the present matrix, in the order of the model; for tests.
    pub fn product(
        &mut self,
        resident: &Resident,
        model: &Model<f32>,
        dt: f64,
        x: &[Vec3<f32>],
    ) -> Result<Vec<Vec3<f32>>, GpuError> {
        self.rescale(resident, model, dt);
        self.system.write_pins(resident, &model.pins, dt, dt);
        self.write_jobs(resident, dt, 1e-4, Least::default());
        self.submit_assembly(resident, true);
        self.system.write_guess(resident, x);
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.multiply_guess(resident, &self.system, &mut pass);
        }
        device.queue.submit([encoder.finish()]);
        let found: Vec<[f32; 4]> = device.read(&self.system.q, resident.node_count())?;
        Ok(resident.in_model_order(&found))
    }
}

/// Bytes that a product with stencils that are no tetrahedra moves at least: entries twice, heads and tangents, records there
/// and back, what nodes are given; with stabilisation places, moments and what springs do to centres.
fn general_bytes(resident: &Resident) -> u64 {
    let general = &resident.general;
    let (elements, nodes) = (general.elements as u64, resident.node_count() as u64);
    if elements == 0 {
        return 0;
    }
    let record = if general.stabilised { 96 } else { 48 };
    let penalties = if general.stabilised { elements * (16 + 48 + 16) + nodes * (16 + 16) } else { 0 };
    general.pairs as u64 * 2 * 16 + elements * (16 + 180 + 2 * record) + nodes * (16 + 8 + 16) + penalties
}
