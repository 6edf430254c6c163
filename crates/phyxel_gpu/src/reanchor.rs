//! Phyxels without a rest shape on the device: where they have moved too far from where their stencils were built, the reference
//! moves there and stencils are found anew, as `model/reanchor.rs` of the engine does.

use crate::device::{Access, Bound, GpuError, Recipe, Store, sources, strided};
use crate::layout::general::NO_ELEMENT;
use crate::rebuild::{Rebuild, Sight};
use crate::resident::Resident;
use Access::{Read, Uniform, Write};
use phyxel::math::{Mat3, Vec3};
use phyxel::model::Model;
use phyxel::stencil::block::{Block, Stencils};
use std::ops::Range;

/// What rows have room for, over the longest of them.
const SPARE: f64 = 1.5;
/// The most workgroups that sums over a body are split into.
const MOST_GROUPS: u32 = 1024;
/// Places of the blocks of uniforms.
const DRIFT: usize = 0;
const ABSORB: usize = 1;
const REFILL: usize = 2;

/// Where a device has moved the reference of phyxels to, for
/// [`Simulation::take_over_reference`](phyxel::Simulation::take_over_reference).
pub(crate) type Reference = (Vec<Vec3<f32>>, Vec<Vec<Mat3<f32>>>);

/// What came of a look at all bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All are near enough to where their stencils were built.
    Still,
    /// Some were not, and have new stencils.
    Moved,
    /// Rows of some would need room for so many entries; nothing has changed.
    Full(usize),
}

/// All bodies of a model whose phyxels have no rest shape.
pub(crate) struct Reanchor {
    bodies: Vec<Moving>,
    drifts: Store,
    /// Sums of the penalties of the element that each node is the centre of.
    pub springs: Store,
    /// Entries that each row has room for.
    pub room: usize,
    /// How often bodies have got new stencils.
    pub times: usize,
    /// Whether the reference has moved since it was last asked for.
    moved: bool,
}

/// One of them, and everything that is launched for it.
struct Moving {
    block: usize,
    nodes: Range<usize>,
    element: usize,
    /// The cube of how far phyxels may move, in spacings.
    cube: f64,
    rebuild: Rebuild,
    drift: Vec<(Bound, u32)>,
    absorb: Bound,
    tally: Vec<Bound>,
    refill: Bound,
    columns: Vec<Bound>,
    anchor: Bound,
}

/// Blocks of phyxels without a rest shape that have stencils of their own already.
fn updated(model: &Model<f32>) -> impl Iterator<Item = (usize, &Block<f32>)> {
    let anchored = |(_, block): &(usize, &Block<f32>)| model.is_updated(block.body) && !block.elastic().is_empty();
    model.blocks.iter().enumerate().filter(anchored)
}

/// How many entries rows of phyxels without a rest shape should have room for; zero where there are none.
pub(crate) fn row_room(model: &Model<f32>, least: usize) -> usize {
    let mut longest = 0;
    for (_, block) in updated(model) {
        let Stencils::General(general) = &block.stencils else { continue };
        let table = &general.table;
        let mut around = vec![0; model.node_count()];
        table.nodes.iter().for_each(|n| around[*n as usize] += 1);
        let rows = (0..table.len()).map(|e| table.entries(e).len());
        longest = rows.chain(around).fold(longest, usize::max);
    }
    if longest == 0 { 0 } else { ((longest as f64 * SPARE) as usize).max(least).next_multiple_of(8) }
}

impl Reanchor {
    /// Of a model whose rows have got `room`; none where all phyxels have a rest shape.
    pub(crate) fn new(resident: &Resident, model: &Model<f32>, room: usize) -> Result<Option<Self>, GpuError> {
        let device = resident.device();
        let blocks: Vec<(usize, &Block<f32>)> = updated(model).collect();
        if blocks.is_empty() {
            return Ok(None);
        }
        let mut springs = resident.general.springs.clone();
        springs.resize(resident.node_count(), 0.0);
        let springs = device.upload("springs", &springs)?;
        let drifts = device.room::<u32>("drifts", blocks.len())?;
        let motions = device.room::<[f32; 20]>("motions of bodies", blocks.len())?;
        let bring = |(slot, (block, _)): (usize, (usize, &Block<f32>))| {
            Moving::new(resident, model, (block, slot, room), [&drifts, &motions, &springs])
        };
        let bodies = blocks.into_iter().enumerate().map(bring).collect::<Result<Vec<_>, _>>()?;
        device.check()?;
        Ok(Some(Reanchor { bodies, drifts, springs, room, times: 0, moved: false }))
    }

    /// Gives bodies new stencils whose phyxels have moved too far; one number per body comes back, and a few more where some must.
    pub(crate) fn update(&mut self, resident: &Resident) -> Result<Outcome, GpuError> {
        let due = self.due(resident)?;
        if due.is_empty() {
            return Ok(Outcome::Still);
        }
        let bodies = || due.iter().map(|&b| &self.bodies[b]);
        submit(resident, |pass| bodies().for_each(|body| body.find(pass)));
        let mut needed = 0;
        for body in bodies() {
            let scalars: Vec<u32> = resident.device().read(&body.rebuild.at.scalars, 6)?;
            needed = needed.max(scalars[4] as usize).max(scalars[5] as usize);
        }
        resident.device().check()?;
        if needed > self.room {
            return Ok(Outcome::Full(needed));
        }
        submit(resident, |pass| bodies().for_each(|body| body.take(pass)));
        self.times += due.len();
        self.moved = true;
        Ok(Outcome::Moved)
    }

    /// Bodies that must look around anew.
    fn due(&self, resident: &Resident) -> Result<Vec<usize>, GpuError> {
        let asked: Vec<&Moving> = self.bodies.iter().filter(|body| body.cube > 0.0).collect();
        let mut drifts = vec![0.0; self.bodies.len()];
        if !asked.is_empty() {
            submit(resident, |pass| asked.iter().for_each(|body| body.ask(pass)));
            drifts = resident.device().read::<f32>(&self.drifts, self.bodies.len())?;
        }
        let must = |b: &usize| self.bodies[*b].cube == 0.0 || f64::from(drifts[*b]) > self.bodies[*b].cube;
        Ok((0..self.bodies.len()).filter(must).collect())
    }

    /// Where the reference is now, in the order of the model [m].
    pub(crate) fn rest(&self, resident: &Resident) -> Result<Vec<Vec3<f32>>, GpuError> {
        let rest: Vec<[f32; 4]> = resident.device().read(&resident.at.rest, resident.node_count())?;
        Ok(resident.in_model_order(&rest))
    }

    /// The reference with the elastic deformation there, block by block; none if it has not moved since this was last asked.
    pub(crate) fn take_reference(
        &mut self,
        resident: &Resident,
        model: &Model<f32>,
    ) -> Result<Option<Reference>, GpuError> {
        if !std::mem::take(&mut self.moved) {
            return Ok(None);
        }
        let bases: Vec<[f32; 4]> = resident.device().read(&resident.at.bases, 3 * resident.general.elements)?;
        let mut elastic = vec![Vec::new(); model.blocks.len()];
        for body in &self.bodies {
            let own: &mut Vec<Mat3<f32>> = &mut elastic[body.block];
            own.resize(body.nodes.len(), Mat3::identity());
            for (i, &n) in resident.order.to_model[body.nodes.clone()].iter().enumerate() {
                let at = 3 * (body.element + i);
                let base = Mat3([0, 1, 2].map(|row| [0, 1, 2].map(|c| bases[at + c][row])));
                own[n as usize - body.nodes.start] = base + Mat3::identity();
            }
        }
        Ok(Some((self.rest(resident)?, elastic)))
    }
}

impl Moving {
    fn new(
        resident: &Resident,
        model: &Model<f32>,
        (block, slot, room): (usize, usize, usize),
        [drifts, motions, springs]: [&Store; 3],
    ) -> Result<Self, GpuError> {
        let device = resident.device();
        let number = model.blocks[block].body;
        let (body, nodes) = (&model.bodies[number], model.bodies[number].nodes.clone());
        let phyxels = nodes.len();
        let own = |place: &(u32, u32)| place.0 as usize == block && place.1 != NO_ELEMENT;
        let element = resident.general.places.iter().position(own).unwrap_or(0);
        let mut rebuild = Rebuild::with_capacity(device, phyxels, room * phyxels)?;
        let radii: Vec<f32> = body.supports.iter().map(|h| *h as f32).collect();
        let mls = &body.mls;
        let (mutual, kernel, stabilisation) = (mls.support.is_mutual(), mls.kernel, mls.stabilisation);
        rebuild.look(&Sight { radii: &radii, mutual, kernel, stabilisation }, phyxels);
        // What never changes travels beside what does.
        let of_model = || resident.order.to_model[nodes.clone()].iter().map(|&n| n as usize - nodes.start);
        let points: Vec<[f32; 4]> = of_model().map(|i| [0.0, 0.0, 0.0, radii[i]]).collect();
        let volumes = model.blocks[block].volumes();
        let elastic: Vec<[f32; 4]> =
            of_model().flat_map(|i| [[0.0, 0.0, 0.0, volumes[i]], [0.0; 4], [0.0; 4]]).collect();
        device.write(&rebuild.at.points, 0, &points);
        device.write(&rebuild.at.elastic, 0, &elastic);
        let groups = (phyxels as u32).div_ceil(256).min(MOST_GROUPS);
        let origin = resident.order.to_device[nodes.start] - nodes.start as u32;
        let [first, element_at, count] = [nodes.start, element, phyxels].map(|x| x as u32);
        let around = resident.clusters.slot_offsets.len() as u32;
        let jobs = device.uniforms("phyxels that move", 3 * 256);
        let blocks = [
            [first, element_at, count, groups, slot as u32, 0, 0, 0],
            [first, element_at, resident.grains.first_general, count, number as u32, origin, 0, 0],
            [first, element_at, count, u32::from(stabilisation > 0.0), around, (room * phyxels) as u32, 0, 0],
        ];
        device.fill(&jobs, &strided(&blocks));
        let partials = device.room::<[f32; 12]>("sums of a body", groups as usize)?;
        let tallies = device.room::<u32>("rows of nodes", phyxels)?;
        let kernels = Kernels { resident, rebuild: &rebuild, jobs: &jobs, grains: resident.remembers(block) };
        Ok(Moving {
            drift: kernels.drift([&partials, motions, drifts], groups, phyxels),
            absorb: kernels.absorb(),
            tally: ["clear", "tally", "widest"].map(|entry| kernels.columns(entry, &tallies)).into(),
            refill: kernels.refill(springs),
            columns: ["lengths", "fill", "sort"].map(|entry| kernels.columns(entry, &tallies)).into(),
            anchor: kernels.anchor(),
            cube: body.mls.reanchor.powi(3),
            block,
            nodes,
            element,
            rebuild,
        })
    }

    fn groups(&self) -> u32 {
        (self.nodes.len() as u32).div_ceil(64)
    }

    /// Asks how far phyxels have moved.
    fn ask(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.drift.iter().for_each(|(bound, groups)| bound.launch(pass, *groups, &[DRIFT]));
    }

    /// Finds stencils where phyxels are now, beside the present ones.
    fn find(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.absorb.launch(pass, self.groups(), &[ABSORB]);
        self.rebuild.launch(pass);
        self.tally.iter().for_each(|bound| bound.launch(pass, self.groups(), &[REFILL]));
    }

    /// Puts them in place of those, and moves the reference.
    fn take(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.refill.launch(pass, self.groups(), &[REFILL]);
        self.columns.iter().for_each(|bound| bound.launch(pass, self.groups(), &[REFILL]));
        self.anchor.launch(pass, self.groups(), &[ABSORB]);
    }
}

/// What the kernels of one body work on.
struct Kernels<'a> {
    resident: &'a Resident,
    rebuild: &'a Rebuild,
    jobs: &'a Store,
    grains: bool,
}

impl Kernels<'_> {
    fn bind(&self, (name, source): (&str, &str), entry: &str, buffers: &[(Access, &Store)]) -> Bound {
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        let known = [("GRAINS", flag(self.grains)), ("STABILISED", flag(self.resident.general.stabilised))];
        let constants: Vec<_> =
            known.into_iter().filter(|(name, _)| source.contains(&format!("override {name}:"))).collect();
        let mut bindings = vec![Uniform];
        bindings.extend(buffers.iter().map(|b| b.0));
        let mut stores = vec![self.jobs];
        stores.extend(buffers.iter().map(|b| b.1));
        let recipe = Recipe { name, source, entry, constants: &constants, bindings: &bindings };
        self.resident.device().bind(&recipe, &stores)
    }

    fn drift(&self, [partials, motions, drifts]: [&Store; 3], groups: u32, phyxels: usize) -> Vec<(Bound, u32)> {
        let at = &self.resident.at;
        let buffers = [
            (Read, &at.u),
            (Read, &at.rest),
            (Read, &at.elements),
            (Write, partials),
            (Write, motions),
            (Write, drifts),
        ];
        let source = sources::drift();
        let all = (phyxels as u32).div_ceil(256);
        let passes = [("sums", groups), ("centre", 1), ("moments", groups), ("turn", 1), ("drift", all)];
        passes.map(|(entry, groups)| (self.bind(("drift", &source), entry, &buffers), groups)).into()
    }

    fn absorb(&self) -> Bound {
        let (at, found) = (&self.resident.at, &self.rebuild.at);
        let buffers = [
            (Read, &at.u),
            (Read, &at.rest),
            (Read, &at.elements),
            (Read, &at.entries),
            (Read, &at.bases),
            (Read, &at.grains),
            (Write, &found.points),
            (Write, &found.elastic),
        ];
        self.bind(("absorb", &sources::absorb()), "main", &buffers)
    }

    fn refill(&self, springs: &Store) -> Bound {
        let (at, found) = (&self.resident.at, &self.rebuild.at);
        let buffers = [
            (Read, &found.points),
            (Read, &found.elastic),
            (Read, &found.inverses),
            (Read, &found.offsets),
            (Read, &found.nodes),
            (Read, &found.weights),
            (Write, &at.elements),
            (Write, &at.entries),
            (Write, &at.moments),
            (Write, &at.bases),
            (Write, springs),
        ];
        self.bind(("refill", &sources::refill()), "main", &buffers)
    }

    fn columns(&self, entry: &str, tallies: &Store) -> Bound {
        let (at, found) = (&self.resident.at, &self.rebuild.at);
        let buffers = [
            (Read, &found.offsets),
            (Read, &found.nodes),
            (Write, tallies),
            (Write, &found.scalars),
            (Read, &at.elements),
            (Read, &at.entries),
            (Write, &at.index),
            (Write, &at.around),
        ];
        self.bind(("columns", &sources::columns()), entry, &buffers)
    }

    fn anchor(&self) -> Bound {
        let (at, found) = (&self.resident.at, &self.rebuild.at);
        let buffers = [
            (Read, &found.points),
            (Write, &at.u),
            (Read, &at.v),
            (Write, &at.rest),
            (Read, &at.loads),
            (Write, &at.pinned),
            (Write, &at.grains),
            (Write, &at.bodies),
        ];
        self.bind(("anchor", &sources::anchor()), "main", &buffers)
    }
}

fn submit(resident: &Resident, launch: impl Fn(&mut wgpu::ComputePass<'_>)) {
    let device = resident.device();
    let mut encoder = device.wgpu.create_command_encoder(&Default::default());
    launch(&mut encoder.begin_compute_pass(&Default::default()));
    device.queue.submit([encoder.finish()]);
}
