//! What temperature does to matter: expansion, softening, melting.

use super::Heat;
use crate::material::{Grain, Thermal};
use crate::math::Real;
use crate::model::Model;
use crate::par;
use crate::state::State;
use crate::stencil::block::{Block, Stencils};

/// Molten matter keeps this share of its cold strength: of stress, a melt has none.
const LEAST_STRENGTH: f64 = 1e-9;

impl Heat {
    /// Gives elements the constants of their present temperature.
    pub(crate) fn warm<R: Real>(&mut self, model: &Model<R>, state: &mut State<R>) {
        let State { enthalpy, grains, .. } = state;
        if enthalpy.is_empty() {
            return;
        }
        for (block, grains) in model.blocks.iter().zip(grains) {
            let thermal = &model.bodies[block.body].material.thermal;
            let (true, Some(thermal)) = (model.is_heated(block.body), thermal) else { continue };
            par::for_each(grains, |e, grain| {
                let (temperature, molten) = thermal.of_enthalpy(mean_enthalpy(block, e, enthalpy));
                set(grain, thermal, temperature, molten);
            });
        }
    }
}

/// Of a phyxel its own enthalpy, of other elements the mean of their nodes'.
fn mean_enthalpy<R: Real>(block: &Block<R>, e: usize, enthalpy: &[f64]) -> f64 {
    let centred = matches!(&block.stencils, Stencils::General(g) if !g.assembled);
    block.with_entries(e, |nodes, _| {
        let nodes = if centred { &nodes[..1] } else { nodes };
        nodes.iter().map(|&n| enthalpy[n as usize]).sum::<f64>() / nodes.len() as f64
    })
}

fn set<R: Real>(grain: &mut Grain<R>, thermal: &Thermal, temperature: f64, molten: f64) {
    grain.expansion = R::of(thermal.expansion * (temperature - thermal.reference_temperature));
    grain.stiffness = R::of(thermal.stiffness.at(temperature));
    grain.fluidity = R::of(thermal.fluidity.at(temperature));
    // Mush loses its strength faster than it melts.
    let solid = (1.0 - molten) * (1.0 - molten);
    grain.strength = R::of((thermal.strength.at(temperature) * solid).max(LEAST_STRENGTH));
    grain.molten = R::of(molten);
    if molten > 0.5 {
        // What a melt went through does not harden the matter that sets from it.
        grain.plastic_strain = R::zero();
    }
}
