//! The buffers of a linear system.

use super::Job;
use crate::device::{Device, GpuError, Store, strided};
use crate::layout::clusters::CLUSTER;
use crate::layout::matrix::Pattern;
use crate::layout::pins;
use crate::resident::Resident;
use phyxel::math::{Mat3, Vec3};
use phyxel::model::{Held, Model, PinSet};
use std::collections::HashMap;

/// Everything about `A x = b` that lies on the device.
pub(super) struct System {
    pub rows: Store,
    pub columns: Store,
    /// Groups of places that are assembled together.
    pub assembly: Store,
    pub contributions: Store,
    /// Eight numbers of each block, and the ninth.
    pub block_values: Store,
    pub block_ninths: Store,
    pub values: Store,
    pub tangents: Store,
    /// What weakens the penalties of each element, then by the node at its centre.
    pub factors: Store,
    pub masses: Store,
    pub moduli: Store,
    pub offsets: Store,
    pub bodies: Store,
    pub b: Store,
    pub x: Store,
    pub r: Store,
    pub z: Store,
    pub p: Store,
    pub s: Store,
    pub q: Store,
    pub inverses: Store,
    pub held_of: Store,
    pub held: Store,
    pub curvatures: Store,
    pub partials: Store,
    pub scalars: Store,
    pub jobs: Store,
    pub mix: Store,
    pub pin_job: Store,
    pub pin_nodes: Store,
    pub motion: Store,
    /// How many groups are assembled.
    pub assembled: u32,
    /// 3x3 blocks of the matrix.
    pub blocks: usize,
    /// Workgroups of the passes over vectors, and of products: each leaves its part of scalar products.
    pub groups: u32,
    pub products: u32,
    /// Nodes held by pins.
    pub pinned: u32,
}

/// Enough workgroups to fill any card, few enough that each can add up the parts of all (`own_products` in `cg.wgsl`).
const MOST_GROUPS: u32 = 264;
const MOST_PRODUCTS: u32 = 1024;

impl System {
    pub(super) fn new(resident: &Resident, model: &Model<f32>) -> Result<Self, GpuError> {
        let device = resident.device();
        let n = resident.node_count();
        let pattern = Pattern::new(&resident.clusters, &resident.order);
        let pinned = pinned_nodes(resident, model);
        let mut held_of = vec![0_u32; n];
        for (i, node) in pinned.iter().enumerate() {
            held_of[*node as usize] = i as u32 + 1;
        }
        let room = |label: &str| device.room::<[f32; 4]>(label, n);
        let places = pattern.columns.len();
        let factors = if resident.general.stabilised { resident.general.elements + n } else { 0 };
        let bodies: Vec<[f32; 4]> = model
            .bodies
            .iter()
            .enumerate()
            .flat_map(|(b, body)| {
                let [x, y, z] = model.rest[body.nodes.start].0;
                let modulus =
                    model.blocks.iter().find(|block| block.body == b).map_or(0.0, |block| block.penalty_modulus);
                // Damping belongs to the matrix here, not to the forces.
                [[x, y, z, 0.0], [modulus, 0.0, 0.0, 0.0]]
            })
            .collect();
        Ok(System {
            rows: device.upload("rows", &pattern.rows)?,
            columns: device.upload("columns", &pattern.columns)?,
            assembly: device.upload("groups", &pattern.groups)?,
            contributions: device.upload("contributions", &pattern.contributions)?,
            block_values: device.room::<[f32; 48]>("blocks", resident.clusters.heads.len() * CLUSTER)?,
            block_ninths: device.room::<[f32; 6]>("blocks", resident.clusters.heads.len() * CLUSTER)?,
            values: device.room::<[f32; 9]>("matrix", places)?,
            tangents: device.room::<[f32; 45]>("tangents", resident.general.elements)?,
            factors: device.upload("factors", &vec![1.0_f32; factors])?,
            masses: device.room::<f32>("masses", n)?,
            moduli: device.room::<[f32; 2]>("moduli", n)?,
            offsets: room("offsets")?,
            bodies: device.upload("bodies", &bodies)?,
            b: room("b")?,
            x: room("x")?,
            r: room("r")?,
            z: room("z")?,
            p: room("p")?,
            s: room("s")?,
            q: room("q")?,
            inverses: device.room::<[f32; 8]>("preconditioner", n)?,
            held_of: device.upload("held nodes", &held_of)?,
            held: device.room::<[f32; 24]>("held", pinned.len())?,
            curvatures: device.room::<f32>("curvatures", MOST_PRODUCTS as usize)?,
            partials: device.room::<[f32; 4]>("partials", 3 * MOST_GROUPS as usize)?,
            scalars: device.room::<u32>("scalars", 16)?,
            jobs: device.uniforms("jobs", 4 * 256),
            mix: device.uniforms("mix", 256),
            pin_job: device.uniforms("pins", 256),
            pin_nodes: device.upload("pinned nodes", &pinned)?,
            motion: device.room::<[f32; 12]>("motion", model.pins.len())?,
            assembled: pattern.groups.len() as u32 - 1,
            blocks: pattern.blocks,
            groups: (n as u32).div_ceil(256).clamp(1, MOST_GROUPS),
            products: (n as u32).div_ceil(256).clamp(1, MOST_PRODUCTS),
            pinned: pinned.len() as u32,
        })
    }

    /// Writes what depends on the step.
    pub(super) fn rescale(&self, resident: &Resident, model: &Model<f32>, dt: f64) {
        let device = resident.device();
        let gamma = dt as f32;
        let body_of = |n: u32| model.bodies.partition_point(|b| b.nodes.end <= n as usize);
        let (mut masses, mut moduli, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
        let of_body = |b: usize| {
            let block = model.blocks.iter().find(|block| block.body == b);
            let penalty =
                block.map_or(0.0, |block| block.penalty_modulus * (gamma * gamma + gamma * block.rayleigh_stiffness));
            (1.0 + gamma * model.rayleigh_mass[b], penalty, model.rest[model.bodies[b].nodes.start])
        };
        let per_body: Vec<_> = (0..model.bodies.len()).map(of_body).collect();
        for (place, &n) in resident.order.to_model.iter().enumerate() {
            let (scale, penalty, origin) = per_body[body_of(n)];
            masses.push(model.masses[n as usize] * scale);
            moduli.push([penalty, penalty * resident.general.springs.get(place).copied().unwrap_or(0.0)]);
            let [x, y, z] = (model.rest[n as usize] - origin).0;
            offsets.push([x, y, z, penalty]);
        }
        device.write(&self.masses, 0, &masses);
        device.write(&self.moduli, 0, &moduli);
        device.write(&self.offsets, 0, &offsets);
        device.fill(&self.mix, bytemuck::bytes_of(&[gamma * gamma, gamma, 0.0, 0.0]));
    }

    pub(super) fn write_jobs(&self, resident: &Resident, jobs: &[Job]) {
        resident.device().fill(&self.jobs, &strided(jobs));
    }

    /// Where pins must be at `time`.
    pub(super) fn write_pins(&self, resident: &Resident, pins: &[PinSet], time: f64, dt: f64) {
        let mut motion = Vec::new();
        pins::targets(pins, time, &mut motion);
        if !motion.is_empty() {
            resident.device().write(&self.motion, 0, &motion);
        }
        let job = [self.pinned, (dt as f32).to_bits(), 0, 0];
        resident.device().fill(&self.pin_job, bytemuck::bytes_of(&job));
    }

    /// Replaces what is held, pins included, with the impulse of friction on each node and its drag; true when the buffer had to grow, so that kernels must be bound anew.
    pub(super) fn write_held(
        &mut self,
        resident: &Resident,
        held: &[Held<f32>],
        friction: &HashMap<u32, (Vec3<f32>, Mat3<f32>)>,
    ) -> Result<bool, GpuError> {
        let device = resident.device();
        let mut of = vec![0_u32; resident.node_count()];
        let mut vectors: Vec<[f32; 4]> = Vec::with_capacity(6 * held.len());
        for (i, h) in held.iter().enumerate() {
            of[resident.order.to_device[h.node as usize] as usize] = i as u32 + 1;
            let (impulse, drag) = friction.get(&h.node).copied().unwrap_or_default();
            for c in 0..3 {
                let [x, y, z] = h.free.column(c).0;
                vectors.push([x, y, z, impulse.0[c]]);
            }
            let [x, y, z] = h.velocity.0;
            vectors.push([x, y, z, 0.0]);
            let [a, b, c] = [0, 1, 2].map(|c| drag.column(c).0);
            vectors.extend([[a[0], b[0], c[0], b[1]], [c[1], c[2], 0.0, 0.0]]);
        }
        device.write(&self.held_of, 0, &of);
        let grows = (16 * vectors.len()) as u64 > self.held.size();
        if grows {
            self.held = device.room::<[f32; 4]>("held", 2 * vectors.len())?;
        }
        if !vectors.is_empty() {
            device.write(&self.held, 0, &vectors);
        }
        Ok(grows)
    }

    /// Replaces `x`.
    pub(super) fn write_guess(&self, resident: &Resident, x: &[Vec3<f32>]) {
        let pack = |n: &u32| {
            let [x, y, z] = x[*n as usize].0;
            [x, y, z, 0.0]
        };
        let x: Vec<[f32; 4]> = resident.order.to_model.iter().map(pack).collect();
        resident.device().write(&self.x, 0, &x);
    }

    pub(super) fn read_vectors(
        &self,
        device: &Device,
        resident: &Resident,
        buffer: &Store,
    ) -> Result<Vec<Vec3<f32>>, GpuError> {
        let found: Vec<[f32; 4]> = device.read(buffer, resident.node_count())?;
        Ok(resident.in_model_order(&found))
    }
}

/// Pinned nodes of the device, in the order of their places among the pinned ones.
fn pinned_nodes(resident: &Resident, model: &Model<f32>) -> Vec<u32> {
    let mut seen = std::collections::HashSet::new();
    let nodes = model.pins.iter().flat_map(|pin| pin.nodes.iter().copied());
    nodes.filter(|n| seen.insert(*n)).map(|n| resident.order.to_device[n as usize]).collect()
}
