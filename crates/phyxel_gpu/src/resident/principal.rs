//! Principal stresses of all elements, and who is beyond its strength, on the device.

use super::{Resident, Stencil};
use crate::device::{Access, Bound, GpuError, Recipe, Store, sources};
use crate::layout::clusters::CLUSTER;
use crate::layout::general::NO_ELEMENT;
use crate::layout::laws::LawKey;
use Access::{Read, Uniform, Write};
use phyxel::model::Model;

/// The largest principal value of Cauchy's stress of each element, beside what the element bears.
pub struct PrincipalStress {
    /// Kernel, workgroups, and which block of the groups.
    passes: Vec<(Bound, u32, usize)>,
    found: Store,
    /// Block and element of each place.
    places: Vec<(u32, u32)>,
}

/// What was found of the elements of one block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockStress {
    /// Largest principal stress of each element [Pa].
    pub principal: Vec<f32>,
    /// Whether that is more than the element bears; never where its body cannot break.
    pub beyond: Vec<bool>,
}

/// What bears everything.
const STRONGEST: f32 = f32::MAX;

impl PrincipalStress {
    /// Prepares the kernels for a model; elements of springs have no stress tensor, and theirs is left at zero.
    pub fn new(resident: &Resident, model: &Model<f32>) -> Result<Self, GpuError> {
        let tets = resident.clusters.sources.iter().enumerate();
        let tets = tets.map(|(i, e)| (resident.clusters.heads[i / CLUSTER][2], *e));
        let places: Vec<(u32, u32)> = tets.chain(resident.general.places.iter().copied()).collect();
        let strengths: Vec<f32> =
            places.iter().map(|&(block, e)| strength(model, block as usize, e as usize)).collect();
        let strengths = resident.device.upload("strengths", &strengths)?;
        let found = resident.device.room::<[f32; 2]>("principal stresses", places.len())?;
        let runs = resident.runs.iter().enumerate().filter(|(_, run)| !run.1.based);
        let passes = runs.map(|(block, &(stencil, law, count))| {
            let (bound, groups) = resident.principal_pass((stencil, law, count), &strengths, &found);
            (bound, groups, block)
        });
        let passes = passes.collect();
        resident.device.check()?;
        Ok(PrincipalStress { passes, found, places })
    }

    /// Finds the stresses of the present state; they stay on the device.
    pub fn update(&self, resident: &Resident) -> Result<(), GpuError> {
        let device = &resident.device;
        resident.set_flow_times([0.0, 0.0]);
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.passes.iter().for_each(|(bound, groups, block)| bound.launch(&mut pass, *groups, &[*block]));
        }
        device.queue.submit([encoder.finish()]);
        device.check()
    }

    /// What was found, block by block in the order of the model; waits for it.
    pub fn read(&self, resident: &Resident) -> Result<Vec<BlockStress>, GpuError> {
        let found: Vec<[f32; 2]> = resident.device.read(&self.found, self.places.len())?;
        let mut blocks: Vec<BlockStress> = Vec::new();
        for (&(block, e), [stress, beyond]) in self.places.iter().zip(found).filter(|(place, _)| place.1 != NO_ELEMENT)
        {
            let (block, e) = (block as usize, e as usize);
            blocks.resize(blocks.len().max(block + 1), BlockStress::default());
            let own = &mut blocks[block];
            own.principal.resize(own.principal.len().max(e + 1), 0.0);
            own.beyond.resize(own.principal.len(), false);
            (own.principal[e], own.beyond[e]) = (stress, beyond != 0.0);
        }
        Ok(blocks)
    }
}

/// What an element bears [Pa].
fn strength(model: &Model<f32>, block: usize, e: usize) -> f32 {
    let body = &model.bodies[model.blocks[block].body];
    let factor = body.fragile.as_ref().and_then(|f| f.factors.get(e)).copied().unwrap_or(1.0);
    body.material.fracture.map_or(STRONGEST, |f| ((f.strength * factor) as f32).min(STRONGEST))
}

impl Resident {
    fn principal_pass(
        &self,
        (stencil, law, count): (Stencil, LawKey, u32),
        strengths: &Store,
        found: &Store,
    ) -> (Bound, u32) {
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        let mut constants = vec![
            ("LAW", f64::from(law.law)),
            ("VOLUME", flag(law.volume)),
            ("GRAINS", flag(law.grains)),
            ("FLOW", f64::from(law.flow)),
        ];
        let at = &self.at;
        let mut buffers = vec![&self.groups, &at.u, &at.laws, strengths, found, &at.grains];
        let mut bindings = vec![Uniform, Read, Read, Read, Write, Read];
        let (source, groups) = match stencil {
            Stencil::Tets => {
                buffers.extend([&at.heads, &at.members, &at.shapes]);
                (sources::principal_tets(), count)
            }
            Stencil::General => {
                buffers.extend([&at.elements, &at.entries, &at.bases]);
                constants.push(("UPDATED", flag(law.updated)));
                constants.push(("STABILISED", flag(self.general.stabilised)));
                constants.push(("FIRST", self.clusters.sources.len() as f64));
                (sources::principal_general(), count.div_ceil(64))
            }
        };
        bindings.resize(buffers.len(), Read);
        let name = if stencil == Stencil::Tets { "principal tets" } else { "principal general" };
        let recipe = Recipe { name, source: &source, entry: "main", constants: &constants, bindings: &bindings };
        (self.device.bind(&recipe, &buffers), groups)
    }
}
