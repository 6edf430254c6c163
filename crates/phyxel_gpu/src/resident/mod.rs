//! A model on the device: stencils, laws, nodes and state.

mod buffers;
mod flow;
mod principal;
mod state;

pub(crate) use buffers::Buffers;
pub use principal::{BlockStress, PrincipalStress};
pub(crate) use state::{PendingRun, Ran};
pub use state::{PendingState, Vectors};

use crate::device::{Access, Bound, Device, GpuError, Recipe, Store, sources};
use crate::layout::clusters::{CLUSTER, Clusters};
use crate::layout::general::{General, MOST_ENTRIES};
use crate::layout::grains::{self, Grains};
use crate::layout::laws::{self, GpuLaw, LawKey};
use crate::layout::nodes::{self, Nodes};
use crate::layout::order::Order;
use crate::layout::pins::Pinned;
use phyxel::State;
use phyxel::material::plastic::Plasticity;
use phyxel::model::Model;
use std::sync::Arc;

/// A model on a device, with its state.
pub struct Resident {
    pub(crate) device: Arc<Device>,
    pub(crate) order: Order,
    pub(crate) clusters: Clusters,
    pub(crate) general: Sizes,
    pub(crate) pins: usize,
    pub(crate) pins_move: bool,
    pub(crate) grains: Grains,
    /// Whether the elements of each block remember something.
    remember: Vec<bool>,
    /// The laws as they were built, and how each block yields.
    laws: Vec<(GpuLaw, Option<Plasticity>)>,
    tags: Vec<f32>,
    masses: Vec<f32>,
    pub(crate) at: Buffers,
    groups: Store,
    runs: Vec<(Stencil, LawKey, u32)>,
    pressure: Option<(Bound, u32, usize)>,
    backup: Option<[Store; 3]>,
}

/// What is left of the other stencils once they are on the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    pub elements: usize,
    pub pairs: usize,
    pub stabilised: bool,
    /// Whether records are packed: phyxels on the curve, unless penalties are weakened one by one.
    pub short: bool,
    /// Sum of the penalties around each node, in the order of the device; empty where there are none.
    pub springs: Vec<f32>,
    /// First entry, entries, law and volume of each element; kept for tangents.
    pub runs: Vec<crate::layout::Run>,
    /// Block and element of each place.
    pub places: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stencil {
    Tets,
    General,
}

/// A run of elements of one law, ready to be launched.
pub(crate) struct ElementPass {
    /// For people.
    pub name: String,
    /// Bytes that it must move at least.
    pub bytes: u64,
    bound: Bound,
    groups: u32,
    block: usize,
}

impl ElementPass {
    pub(crate) fn launch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.bound.launch(pass, self.groups, &[self.block]);
    }
}

/// Storage buffers that the largest kernel sees.
const STORAGE_BUFFERS: u32 = 14;

impl Resident {
    /// Brings a model and its state to a device.
    pub fn new(device: &Arc<Device>, model: &Model<f32>, state: &State<f32>) -> Result<Self, GpuError> {
        Resident::with_room(device, model, state, 0)
    }

    /// The same with room for so many entries at least in each row of phyxels without a rest shape.
    pub(crate) fn with_room(
        device: &Arc<Device>,
        model: &Model<f32>,
        state: &State<f32>,
        room: usize,
    ) -> Result<Self, GpuError> {
        check_limits(device)?;
        let order = Order::of(model);
        let remember = grains::of_blocks(model, state);
        let laws: Vec<_> = model.blocks.iter().zip(&remember).map(|(b, grains)| laws::of_block(b, *grains)).collect();
        let clusters = Clusters::new(model, &order, &laws);
        let general = General::new(model, &order, &laws, room);
        if general.stabilised && general.longest > MOST_ENTRIES {
            let (device, what) = (device.summary().name.clone(), "entries of one element");
            let (has, needed) = (MOST_ENTRIES as u64, general.longest as u64);
            return Err(GpuError::TooSmall { device, what, has, needed });
        }
        let pinned = Pinned::new(model);
        let nodes = Nodes::new(model, &order, &pinned);
        let [u, v] = nodes::state(model, &order, &nodes.tags, state);
        let grains = Grains::new(&clusters, &general, state);
        let packed = grains.pack(&state.grains);
        let at = Buffers::new(device, (&clusters, &general, &pinned, &nodes), &laws, [&u, &v, &packed])?;
        let (mut runs, mut group_blocks) = (Vec::new(), Vec::new());
        let of = |stencil, list: &[crate::layout::Run]| list.iter().map(move |run| (stencil, *run)).collect::<Vec<_>>();
        for (stencil, run) in of(Stencil::Tets, &clusters.runs).into_iter().chain(of(Stencil::General, &general.runs)) {
            let grain = if stencil == Stencil::Tets { 0 } else { grains.first_general };
            let last = if stencil == Stencil::Tets { clusters.stride() } else { general.elements.len() };
            group_blocks.push([run.first, run.count, grain, last as u32]);
            runs.push((stencil, run.law, run.count));
        }
        let groups = device.uniforms("groups", group_blocks.len() * 256);
        device.fill(&groups, &crate::device::strided(&group_blocks));
        let mut resident = Resident {
            device: device.clone(),
            general: Sizes {
                elements: general.elements.len(),
                pairs: general.pairs,
                stabilised: general.stabilised,
                short: !order.in_rows && !general.runs.iter().any(|run| run.law.flow == laws::BY_STRESS),
                springs: general.springs,
                runs: general.runs.clone(),
                places: general.elements.iter().zip(&general.sources).map(|(head, e)| (head[2], *e)).collect(),
            },
            pins: model.pins.len(),
            pins_move: pinned.moves,
            grains,
            remember,
            laws: laws.iter().zip(&model.blocks).map(|(law, block)| (law.1, block.inner.plasticity())).collect(),
            tags: nodes.tags,
            masses: order.to_model.iter().map(|&n| model.masses[n as usize]).collect(),
            order,
            clusters,
            at,
            groups,
            runs,
            pressure: None,
            backup: None,
        };
        resident.pressure = resident.pressure_kernel(model)?;
        device.check()?;
        Ok(resident)
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.order.to_model.len()
    }

    /// How many tetrahedra and other elements there are.
    pub fn element_count(&self) -> usize {
        self.clusters.count + self.general.runs.iter().map(|r| r.count as usize).sum::<usize>()
    }

    /// The device that it is on.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Constants of the gather.
    pub(crate) fn gather_constants(&self) -> [(&'static str, f64); 5] {
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        [
            ("TETS", flag(self.clusters.count > 0)),
            ("GENERAL", flag(self.general.elements > 0)),
            ("STABILISED", flag(self.general.stabilised)),
            ("SHORT", flag(self.general.short)),
            ("PAIRED", flag(!self.order.in_rows)),
        ]
    }

    /// The passes over all elements; without damping where `damped` is false.
    pub(crate) fn element_passes(&self, damped: bool) -> Vec<ElementPass> {
        self.runs.iter().enumerate().map(|(block, run)| self.element_pass(block, *run, (damped, "main"))).collect()
    }

    /// Loads and stores alone of those passes that something else bounds.
    pub(crate) fn traffic_passes(&self) -> Vec<Option<ElementPass>> {
        let alone = |(block, run): (usize, &(Stencil, LawKey, u32))| {
            (run.0 == Stencil::Tets).then(|| self.element_pass(block, *run, (false, "traffic")))
        };
        self.runs.iter().enumerate().map(alone).collect()
    }

    fn element_pass(
        &self,
        block: usize,
        (stencil, law, count): (Stencil, LawKey, u32),
        (damped, entry): (bool, &str),
    ) -> ElementPass {
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        let damped = flag(damped && law.damped);
        let (name, groups, bound) = match stencil {
            Stencil::Tets => {
                let constants = [
                    ("LAW", f64::from(law.law)),
                    ("VOLUME", flag(law.volume)),
                    ("DAMPED", damped),
                    ("GRAINS", flag(law.grains)),
                    ("FLOW", f64::from(law.flow)),
                ];
                let source = sources::tets();
                let bindings = &TET_BINDINGS;
                let recipe = Recipe { name: "tets", source: &source, entry, constants: &constants, bindings };
                let at = &self.at;
                let buffers = [
                    &self.groups,
                    &at.u,
                    &at.v,
                    &at.laws,
                    &at.heads,
                    &at.members,
                    &at.corners,
                    &at.shapes,
                    &at.slots,
                    &at.grains,
                ];
                ("tets", count, self.device.bind(&recipe, &buffers))
            }
            Stencil::General => {
                let constants = [
                    ("LAW", f64::from(law.law)),
                    ("VOLUME", flag(law.volume)),
                    ("DAMPED", damped),
                    ("GRAINS", flag(law.grains)),
                    ("FLOW", f64::from(law.flow)),
                    ("BASED", flag(law.based || law.updated)),
                    ("UPDATED", flag(law.updated)),
                    ("STABILISED", flag(self.general.stabilised)),
                    ("SHORT", flag(self.general.short)),
                    ("PAIRED", flag(!self.order.in_rows)),
                ];
                let source = sources::general();
                let bindings = &GENERAL_BINDINGS;
                let recipe = Recipe { name: "general", source: &source, entry, constants: &constants, bindings };
                let at = &self.at;
                let buffers = [
                    &self.groups,
                    &at.u,
                    &at.v,
                    &at.laws,
                    &at.elements,
                    &at.entries,
                    &at.own,
                    &at.bases,
                    &at.rest,
                    &at.bodies,
                    &at.records,
                    &at.moments,
                    &at.grains,
                ];
                ("general", count.div_ceil(256), self.device.bind(&recipe, &buffers))
            }
        };
        // Runs share what all of them move by their size.
        let all: u32 = self.runs.iter().filter(|r| r.0 == stencil).map(|r| r.2).sum();
        let (tets, general) = self.element_bytes();
        let whole = if stencil == Stencil::Tets { tets } else { general };
        let bytes = (whole as f64 * f64::from(count) / f64::from(all.max(1))) as u64;
        ElementPass { name: name.into(), bytes, bound, groups, block }
    }

    /// The kernel that keeps loads on faces up to date, if there are any.
    pub(crate) fn launch_pressure(&self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some((bound, groups, block)) = &self.pressure {
            bound.launch(pass, *groups, &[*block]);
        }
    }

    /// Whether loads on faces take a launch.
    pub(crate) fn has_pressure(&self) -> bool {
        self.pressure.is_some()
    }

    fn pressure_kernel(&mut self, model: &Model<f32>) -> Result<Option<(Bound, u32, usize)>, GpuError> {
        if model.loads.pressures.is_empty() {
            return Ok(None);
        }
        let mut of_node: std::collections::BTreeMap<u32, Vec<[u32; 4]>> = Default::default();
        for (face, pressure) in &model.loads.pressures {
            let [a, b, c] = face.map(|n| self.order.to_device[n as usize]);
            for n in [a, b, c] {
                of_node.entry(n).or_default().push([a, b, c, pressure.to_bits()]);
            }
        }
        let (mut pressed, mut dead) = (Vec::new(), Vec::new());
        let mut faces: Vec<[u32; 4]> = Vec::new();
        for (node, own) in &of_node {
            pressed.push([*node, faces.len() as u32, own.len() as u32, 0]);
            faces.extend(own);
            let [x, y, z] = model.loads.dead[self.order.to_model[*node as usize] as usize].0;
            dead.push([x, y, z, 0.0_f32]);
        }
        let device = &self.device;
        let count = device.uniforms("pressed nodes", 256);
        device.fill(&count, bytemuck::bytes_of(&[pressed.len() as u32, 0, 0, 0]));
        let [pressed_at, faces_at] = [device.upload("pressed", &pressed)?, device.upload("faces", &faces)?];
        let dead_at = device.upload("dead", &dead)?;
        use Access::{Read, Uniform, Write};
        let bindings = &[Uniform, Read, Read, Read, Read, Read, Write];
        let source = sources::pressure();
        let recipe = Recipe { name: "pressure", source: &source, entry: "main", constants: &[], bindings };
        let at = &self.at;
        let bound = device.bind(&recipe, &[&count, &at.u, &at.rest, &pressed_at, &faces_at, &dead_at, &at.loads]);
        Ok(Some((bound, (pressed.len() as u32).div_ceil(64), 0)))
    }

    /// Clusters of tetrahedra, and nodes in them counted once per cluster.
    pub fn cluster_sizes(&self) -> (usize, usize) {
        (self.clusters.heads.len(), self.clusters.members.len())
    }

    /// Bytes that one evaluation of all forces moves at least: elements, and the second pass over nodes.
    pub fn force_bytes(&self) -> (u64, u64) {
        let nodes = self.node_count() as u64;
        let members = self.cluster_sizes().1;
        let gather = (members * 16) as u64 + self.general.pairs as u64 * 16 + self.record_bytes() + nodes * (8 + 64);
        // Places, and what the springs of an element do to its centre.
        let centres = if self.general.stabilised { nodes * (16 + 16) } else { 0 };
        let gather = gather + centres;
        let (tets, general) = self.element_bytes();
        (tets + general, gather)
    }

    /// The same of the passes over tetrahedra and over other elements.
    fn element_bytes(&self) -> (u64, u64) {
        let (clusters, members) = self.cluster_sizes();
        // Displacements are read once per node, however many clusters share it: the rest comes from caches.
        let read = self.node_count().min(members) * 16;
        let tets =
            (clusters * (CLUSTER * 44 + 16) + self.clusters.corners.len() * 4 + members * (12 + 16) + read) as u64;
        let elements = self.general.elements as u64;
        let general = self.general.pairs as u64 * 16 + elements * (16 + 16) + self.record_bytes();
        // Places, moments of the penalties, and what the springs do to the centre.
        let penalties = if self.general.stabilised { elements * (16 + 48 + 16) } else { 0 };
        (tets, general + penalties)
    }

    /// Bytes of all records that elements leave for nodes.
    fn record_bytes(&self) -> u64 {
        let vectors = match (self.general.stabilised, self.general.short) {
            (false, _) => 3,
            (true, true) => 4,
            (true, false) => 6,
        };
        self.general.elements as u64 * 16 * vectors
    }
}

use Access::{Read, Uniform, Write};
const TET_BINDINGS: [Access; 10] = [Uniform, Read, Read, Read, Read, Read, Read, Read, Write, Read];
const GENERAL_BINDINGS: [Access; 13] =
    [Uniform, Read, Read, Read, Read, Read, Write, Read, Read, Read, Write, Read, Read];

fn check_limits(device: &Device) -> Result<(), GpuError> {
    let limits = device.wgpu.limits();
    let too_small = |what, has: u32, needed: u32| {
        let device = device.summary().name.clone();
        Err(GpuError::TooSmall { device, what, has: has.into(), needed: needed.into() })
    };
    if limits.max_storage_buffers_per_shader_stage < STORAGE_BUFFERS {
        let what = "storage buffers per kernel";
        return too_small(what, limits.max_storage_buffers_per_shader_stage, STORAGE_BUFFERS);
    }
    if limits.max_compute_invocations_per_workgroup < CLUSTER as u32 {
        return too_small("invocations per workgroup", limits.max_compute_invocations_per_workgroup, CLUSTER as u32);
    }
    Ok(())
}
