//! Matter that flows: what its elements remember, in and out, and the passes that let it flow at the end of a step.

use super::{ElementPass, Resident, Stencil};
use crate::device::{Access, GpuError, Recipe, sources};
use crate::layout::laws::{self, GpuLaw, LawKey};
use Access::{Read, Uniform, Write};
use phyxel::material::plastic::Grain;

impl Resident {
    /// Whether anything flows.
    pub(crate) fn flows(&self) -> bool {
        self.runs.iter().any(|run| run.1.flow > 0)
    }

    /// Whether the elements of a block remember something.
    pub(crate) fn remembers(&self, block: usize) -> bool {
        self.remember[block]
    }

    /// Replaces what elements remember.
    pub fn set_grains(&self, grains: &[Vec<Grain<f32>>]) {
        if !self.grains.is_empty() {
            self.device.write_state(&self.at.grains, &self.grains.pack(grains));
        }
    }

    /// Writes what elements remember now into `grains`, which has the shape of the state's; waits for it. Plastic work is not
    /// among it: it becomes heat, and bodies with a temperature stay on the CPU.
    pub fn read_grains(&self, grains: &mut [Vec<Grain<f32>>]) -> Result<(), GpuError> {
        if !self.grains.is_empty() {
            let vectors: Vec<[f32; 4]> = self.device.read(&self.at.grains, self.grains.len())?;
            self.grains.unpack(&vectors, grains);
        }
        Ok(())
    }

    /// For how long matter may flow within an evaluation of stress, and at the end of a step [s].
    pub(crate) fn set_flow_times(&self, times: [f64; 2]) {
        if self.flows() {
            let now: Vec<GpuLaw> = self.laws.iter().map(|(law, how)| laws::flowing_for(*law, *how, times)).collect();
            self.device.write(&self.at.laws, 0, &now);
        }
    }

    /// The passes over all elements that flow.
    pub(crate) fn settle_passes(&self) -> Vec<ElementPass> {
        let flowing = self.runs.iter().enumerate().filter(|(_, run)| run.1.flow > 0);
        flowing.map(|(block, &(stencil, law, count))| self.settle_pass(block, stencil, law, count)).collect()
    }

    fn settle_pass(&self, block: usize, stencil: Stencil, law: LawKey, count: u32) -> ElementPass {
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        let mut constants = vec![
            ("LAW", f64::from(law.law)),
            ("VOLUME", flag(law.volume)),
            ("GRAINS", 1.0),
            ("FLOW", f64::from(law.flow)),
        ];
        let at = &self.at;
        let (groups, bound) = match stencil {
            Stencil::Tets => {
                let bindings = &[Uniform, Read, Read, Read, Read, Read, Write];
                let source = sources::settle_tets();
                let recipe =
                    Recipe { name: "settle tets", source: &source, entry: "main", constants: &constants, bindings };
                let buffers = [&self.groups, &at.u, &at.laws, &at.heads, &at.members, &at.shapes, &at.grains];
                (count, self.device.bind(&recipe, &buffers))
            }
            Stencil::General => {
                constants.push(("BASED", flag(law.based || law.updated)));
                constants.push(("UPDATED", flag(law.updated)));
                constants.push(("STABILISED", flag(self.general.stabilised)));
                let bindings = &[Uniform, Read, Read, Read, Read, Read, Write];
                let source = sources::settle_general();
                let recipe =
                    Recipe { name: "settle general", source: &source, entry: "main", constants: &constants, bindings };
                let buffers = [&self.groups, &at.u, &at.laws, &at.elements, &at.entries, &at.bases, &at.grains];
                (count.div_ceil(64), self.device.bind(&recipe, &buffers))
            }
        };
        ElementPass { name: "settle".into(), bytes: 0, bound, groups, block }
    }
}
