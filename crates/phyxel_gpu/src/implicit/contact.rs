//! Contact with colliders in an implicit step: the device solves, the CPU decides who touches, sticks and slides, with the
//! very code of its own steps.

use super::{Implicit, Least, SolveReport};
use crate::device::GpuError;
use crate::resident::{Resident, Vectors};
use phyxel::material::plastic::Inners;
use phyxel::math::{Mat3, Vec3};
use phyxel::model::{Held, Model};
use phyxel::scene::SolverSettings;
use phyxel::solver::Inertia;
use phyxel::solver::touch::{self, Stage, Touch};
use std::collections::HashMap;

/// Solves per step until the contact set must have settled.
const MAX_ROUNDS: usize = 20;

/// What touches, from step to step.
#[derive(Default)]
pub(super) struct Touching {
    touches: Vec<Touch<f32>>,
    pins: Vec<Held<f32>>,
    held: Vec<Held<f32>>,
    /// Room for the impulses and drags of friction by node.
    impulses: Vec<Vec3<f32>>,
    drags: Vec<(u32, Mat3<f32>)>,
}

/// The impulse of friction on a sliding node whatever its velocity is [N s], and its drag [kg].
type Friction = HashMap<u32, (Vec3<f32>, Mat3<f32>)>;

impl Touching {
    /// One step with contact.
    pub(super) fn step(
        &mut self,
        implicit: &mut Implicit,
        resident: &Resident,
        model: &Model<f32>,
        (time, dt): (f64, f64),
        settings: &SolverSettings,
    ) -> Result<SolveReport, GpuError> {
        let (u, v) = resident.state()?;
        let gamma = dt as f32;
        let inner = Inners { grains: &[], dt: gamma };
        let stage = Stage { u: &u, v: &v, gamma, over: gamma, end_time: time + dt, inner };
        model.held_by_pins(&u, time + dt, dt, &mut self.pins);
        touch::seed(model, (&stage, &self.pins), &v, Inertia::Dynamic, &mut self.touches);
        let mut least = implicit.least(resident, model, dt, settings)?;
        implicit.submit_assembly_without_pins(resident, dt, settings);
        let mut report = SolveReport::default();
        for round in 0..MAX_ROUNDS {
            touch::merge(&stage, &self.pins, &self.touches, &mut self.held);
            let friction = self.friction(u.len());
            implicit.hold(resident, model, &self.held, &friction)?;
            implicit.write_jobs(resident, dt, settings.tolerance, least);
            let solved = implicit.solve(resident, settings)?;
            report.iterations += solved.iterations;
            report.residual = report.residual.max(solved.residual);
            report.stopped_early += solved.stopped_early;
            if round == 0 {
                least = Least { length: implicit.reference(resident)?, momentum: false };
            }
            let (found, reactions, resistance) = implicit.reactions(resident)?;
            let read = (&found[..], &reactions[..]);
            let changed = touch::update(model, &mut self.touches, read, &resistance, (round, gamma, true));
            let added = touch::add_passing(model, (&stage, &self.pins), |n| found[n], &mut self.touches);
            if !(changed || added) {
                break;
            }
        }
        implicit.finish(resident)?;
        report.contacts = self.touches.len();
        report.finite = implicit.is_finite(resident)?;
        Ok(report)
    }

    /// Coulomb's friction on sliding nodes, as the last solve linearises it.
    fn friction(&mut self, nodes: usize) -> Friction {
        self.impulses.clear();
        self.impulses.resize(nodes, Vec3::zero());
        touch::add_drags(&self.touches, &mut self.drags, &mut self.impulses);
        let mut of = Friction::new();
        for (node, drag) in &self.drags {
            let (impulse, sum) = of.entry(*node).or_default();
            *impulse = self.impulses[*node as usize];
            *sum += *drag;
        }
        of
    }
}

impl Implicit {
    fn submit_assembly_without_pins(&self, resident: &Resident, dt: f64, settings: &SolverSettings) {
        self.write_jobs(resident, dt, settings.tolerance, Least::default());
        self.submit_assembly(resident, false);
    }

    /// Holds nodes, and makes the preconditioner anew.
    fn hold(
        &mut self,
        resident: &Resident,
        model: &Model<f32>,
        held: &[Held<f32>],
        friction: &Friction,
    ) -> Result<(), GpuError> {
        if self.system.write_held(resident, held, friction)? {
            self.kernels = super::Kernels::new(resident, &self.system, model, true)?;
            self.solo = super::Solo::new(resident, &self.system, true);
        }
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.precondition(resident, &mut pass);
        }
        device.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// What the residual of the last solve was relative to.
    fn reference(&self, resident: &Resident) -> Result<f64, GpuError> {
        let scalars: Vec<super::Scalars> = resident.device().read(&self.system.scalars, 1)?;
        Ok(f64::from(scalars[0].scale))
    }

    /// Velocities of the last solve, what holds the held nodes [N s], and what resists the motion of each node [kg].
    fn reactions(&self, resident: &Resident) -> Result<(Vectors, Vectors, Vec<Mat3<f32>>), GpuError> {
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.multiply_guess(resident, &self.system, &mut pass);
            self.kernels.react(&self.system, &mut pass);
        }
        device.queue.submit([encoder.finish()]);
        let velocities = self.system.read_vectors(device, resident, &self.system.x)?;
        let found: Vec<[f32; 4]> = device.read(&self.system.p, resident.node_count())?;
        let resistance = |n: &u32| Mat3::identity() * found[*n as usize][3];
        let resistances = resident.order.to_device.iter().map(resistance).collect();
        Ok((velocities, resident.in_model_order(&found), resistances))
    }
}
