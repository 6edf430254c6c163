//! Surfels on the device: discs that follow phyxels or the nodes of elements.

use crate::bench::{KernelTime, time_pass};
use crate::device::{Access, Bound, GpuError, Recipe, Store, sources};
use crate::layout::general::{SLICE, slices};
use crate::resident::Resident;
use Access::{Read, Uniform, Write};
use phyxel::model::Model;
use phyxel::scene::Method;
use phyxel::stencil::block::Stencils;
use std::collections::BTreeMap;

/// A disc at rest: centre and half axes [m]; the cross product of those points out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfelRest {
    /// Centre [m].
    pub point: [f32; 3],
    /// Half axes [m].
    pub tangents: [[f32; 3]; 2],
}

/// A disc as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surfel {
    /// Centre [m].
    pub point: [f32; 3],
    /// Unit vector out of the body; zero where the disc has no area.
    pub normal: [f32; 3],
    /// Half axes [m].
    pub tangents: [[f32; 3]; 2],
}

/// What carries discs.
#[derive(Clone, Copy, Debug)]
pub enum SurfelCarriers<'a> {
    /// For each disc some phyxels of the model, by node, with weights that sum to one; as
    /// [`Carried`](phyxel::model::Carried) has them.
    Phyxels(&'a [Vec<(u32, f32)>]),
    /// For each disc the nodes of an element, with their weights at its centre and their gradient weights [1/m].
    Nodes(&'a [Vec<(u32, f32, [f32; 3])>]),
}

impl SurfelCarriers<'_> {
    fn lengths(&self) -> Vec<usize> {
        match self {
            SurfelCarriers::Phyxels(of) => of.iter().map(Vec::len).collect(),
            SurfelCarriers::Nodes(of) => of.iter().map(Vec::len).collect(),
        }
    }
}

/// Two sparse products: what phyxels do to the space around them, and where discs go with it.
pub struct SurfelProduct {
    maps: Option<(Bound, u32)>,
    bound: Bound,
    surfels: Store,
    count: usize,
    bytes: u64,
}

impl SurfelProduct {
    /// Ties discs to what carries them. Carriers that are no phyxels of the model carry nothing.
    pub fn new(
        resident: &Resident,
        model: &Model<f32>,
        discs: &[SurfelRest],
        carriers: SurfelCarriers<'_>,
    ) -> Result<Self, GpuError> {
        let device = resident.device();
        let lengths = carriers.lengths();
        let (places, room) = slices(&lengths);
        let mut entries = vec![[0_u32; 2]; room];
        let mut slopes = Vec::new();
        let origin = discs.first().map_or([0.0; 3], |disc| disc.point);
        let mut movers = None;
        match carriers {
            SurfelCarriers::Phyxels(of) => {
                let phyxels = Phyxels::new(resident, model, of, origin);
                for (own, first) in of.iter().zip(&places) {
                    for (k, (node, weight)) in own.iter().enumerate() {
                        let known = phyxels.places.get(node);
                        entries[first + SLICE * k] =
                            [known.copied().unwrap_or(0), known.map_or(0.0, |_| *weight).to_bits()];
                    }
                }
                movers = Some(phyxels.maps(resident)?);
            }
            SurfelCarriers::Nodes(of) => {
                slopes = vec![[0.0_f32; 4]; room];
                for (own, first) in of.iter().zip(&places) {
                    for (k, (node, weight, [x, y, z])) in own.iter().enumerate() {
                        entries[first + SLICE * k] = [resident.order.to_device[*node as usize], weight.to_bits()];
                        slopes[first + SLICE * k] = [*x, *y, *z, 0.0];
                    }
                }
            }
        }
        let rows: Vec<[u32; 2]> = places.iter().zip(&lengths).map(|(p, l)| [*p as u32, *l as u32]).collect();
        let rest: Vec<[f32; 4]> =
            (0..3).flat_map(|plane| discs.iter().map(move |disc| at_rest(disc, origin)[plane])).collect();
        let job = device.uniforms("surfels", 256);
        device.fill(&job, bytemuck::bytes_of(&[discs.len() as u32, 0, 0, 0]));
        let surfels = device.room::<[f32; 4]>("surfels", 4 * discs.len())?;
        let [rows, entries] = [device.upload("surfel rows", &rows)?, device.upload("surfel entries", &entries)?];
        let [slopes_at, rest] = [device.upload("surfel slopes", &slopes)?, device.upload("surfels at rest", &rest)?];
        let source = sources::surfels();
        let constants = [("PHYXELS", if movers.is_some() { 1.0 } else { 0.0 })];
        let bindings = &[Uniform, Read, Read, Read, Read, Read, Write];
        let recipe = Recipe { name: "surfels", source: &source, entry: "main", constants: &constants, bindings };
        let moved = movers.as_ref().map_or(&resident.at.u, |movers| &movers.0);
        let bound = device.bind(&recipe, &[&job, moved, &rows, &entries, &slopes_at, &rest, &surfels]);
        device.check()?;
        let shares = lengths.iter().sum::<usize>() * if slopes.is_empty() { 8 } else { 8 + 16 };
        let carried = movers.as_ref().map_or(resident.node_count() * 16, |movers| movers.2 as usize * 48);
        Ok(SurfelProduct {
            maps: movers.map(|(_, bound, phyxels)| (bound, phyxels.div_ceil(64))),
            bound,
            surfels,
            count: discs.len(),
            bytes: (discs.len() * (8 + 48 + 64) + shares + carried) as u64,
        })
    }

    /// How many discs there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Moves the discs to where the matter is now; they stay on the device.
    pub fn update(&self, resident: &Resident) -> Result<(), GpuError> {
        let device = resident.device();
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            if let Some((maps, groups)) = &self.maps {
                maps.launch(&mut pass, *groups, &[0]);
            }
            self.bound.launch(&mut pass, self.groups(), &[0]);
        }
        device.queue.submit([encoder.finish()]);
        device.check()
    }

    /// The discs as they were last moved, waiting for them.
    pub fn read(&self, resident: &Resident) -> Result<Vec<Surfel>, GpuError> {
        let found: Vec<[f32; 4]> = resident.device().read(&self.surfels, 4 * self.count)?;
        let vector = |plane: usize, i: usize| {
            let [x, y, z, _] = found[plane * self.count + i];
            [x, y, z]
        };
        let surfel = |i| Surfel { point: vector(0, i), normal: vector(1, i), tangents: [vector(2, i), vector(3, i)] };
        Ok((0..self.count).map(surfel).collect())
    }

    /// Times the product, without what phyxels do first; `None` when the device has no clock.
    pub fn time(&self, resident: &Resident, repeats: u32) -> Result<Option<KernelTime>, GpuError> {
        let launch = |pass: &mut wgpu::ComputePass<'_>| self.bound.launch(pass, self.groups(), &[0]);
        let seconds = time_pass(resident.device(), repeats, launch)?;
        Ok(seconds.map(|seconds| KernelTime { name: "surfels".into(), seconds, bytes: self.bytes, traffic: None }))
    }

    fn groups(&self) -> u32 {
        (self.count as u32).div_ceil(64)
    }
}

/// A disc as `surfels.wgsl` reads it.
fn at_rest(disc: &SurfelRest, origin: [f32; 3]) -> [[f32; 4]; 3] {
    let beside = |[x, y, z]: [f32; 3], a: usize| [x, y, z, origin[a]];
    let centre = [0, 1, 2].map(|a| disc.point[a] - origin[a]);
    [beside(centre, 0), beside(disc.tangents[0], 1), beside(disc.tangents[1], 2)]
}

/// The phyxels that carry discs.
struct Phyxels {
    /// The place of each among them, by node of the model.
    places: BTreeMap<u32, u32>,
    /// Where each is at rest, from the origin of the discs (bits), and its element.
    rows: Vec<[u32; 4]>,
}

impl Phyxels {
    fn new(resident: &Resident, model: &Model<f32>, carriers: &[Vec<(u32, f32)>], origin: [f32; 3]) -> Self {
        let wanted: std::collections::BTreeSet<u32> = carriers.iter().flatten().map(|c| c.0).collect();
        let (mut places, mut rows) = (BTreeMap::new(), Vec::new());
        for (place, &(block, e)) in resident.general.places.iter().enumerate() {
            let Some(own) = model.blocks.get(block as usize) else { continue };
            let Stencils::General(general) = &own.stencils else { continue };
            // Padding has no element.
            if model.bodies[own.body].method != Method::Mls || e as usize >= general.table.len() {
                continue;
            }
            let node = general.table.nodes[general.table.entries(e as usize).start];
            if wanted.contains(&node) {
                places.insert(node, rows.len() as u32);
                let [x, y, z] = [0, 1, 2].map(|a| (model.rest[node as usize].0[a] - origin[a]).to_bits());
                rows.push([x, y, z, place as u32]);
            }
        }
        Phyxels { places, rows }
    }

    /// Room for what they do, the kernel that finds it, and how many they are.
    fn maps(&self, resident: &Resident) -> Result<(Store, Bound, u32), GpuError> {
        let device = resident.device();
        let count = self.rows.len() as u32;
        let job = device.uniforms("carriers", 256);
        device.fill(&job, bytemuck::bytes_of(&[count, 0, 0, 0]));
        let rows = device.upload("carriers", &self.rows)?;
        let maps = device.room::<[f32; 12]>("maps", self.rows.len())?;
        let source = sources::maps();
        let constants = [("STABILISED", if resident.general.stabilised { 1.0 } else { 0.0 })];
        let bindings = &[Uniform, Read, Read, Read, Read, Write];
        let recipe = Recipe { name: "maps", source: &source, entry: "main", constants: &constants, bindings };
        let at = &resident.at;
        let bound = device.bind(&recipe, &[&job, &at.u, &at.elements, &at.entries, &rows, &maps]);
        Ok((maps, bound, count))
    }
}
