//! Conduction: `K T`, two passes without atomics as for forces.
//!
//! Phyxels conduct through their own stencils. Every mesh conducts through its tetrahedra, whatever smoothing its elasticity
//! has: smoothing cures locking, which a scalar does not know, and would triple the error of a steep temperature.

use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::record::Cells;
use crate::state::State;
use crate::stencil::TetTable;
use crate::stencil::block::Stencils;
use crate::stencil::general::General;
use crate::stencil::tets::Tets;

/// Elements per task.
const TASK: usize = 128;
/// Strength of the penalty against alternating temperatures, relative to the conductivity. Central differences conduct
/// short waves too badly, by a third of (wave number · spacing)²; the penalty makes up for that with about this strength.
const STABILISATION: f64 = 2.5;

/// What conducts, refreshed in every step because bodies deform.
#[derive(Clone, Debug, Default)]
pub(super) struct Conduction {
    parts: Vec<Part>,
    diagonal: Vec<f64>,
    /// The version of the model that the meshes are of.
    version: Option<u64>,
}

/// One heated body.
#[derive(Clone, Debug)]
struct Part {
    body: usize,
    conductivity: f64,
    through: Through,
    /// `k V J C⁻¹` of each element: conduction in the present shape, seen from the rest shape.
    tensors: Vec<Mat3<f64>>,
}

#[derive(Clone, Debug)]
enum Through {
    Mesh(Tets<f64>),
    /// The block of phyxels, and the factor of their stabilisation.
    Phyxels(usize, f64),
}

impl Conduction {
    /// Finds who conducts, and how well in the present shape.
    pub fn refresh<R: Real>(&mut self, model: &Model<R>, state: &State<R>) {
        if self.version != Some(model.version) {
            self.parts = (0..model.bodies.len()).filter_map(|b| part_of(model, b)).collect();
            self.version = Some(model.version);
        }
        for part in &mut self.parts {
            let Part { conductivity, through, tensors, .. } = part;
            match through {
                Through::Mesh(tets) => {
                    tensors.resize(tets.table.len(), Mat3::zero());
                    par::for_each(tensors, |e, tensor| {
                        let [a, b, c, d] = tets.nodes_of(e).map(|n| Vec3(state.u[n as usize].to_f64()));
                        let [db, dc, dd] = tets.table.gradients[e];
                        let g = Mat3::outer(b - a, db) + Mat3::outer(c - a, dc) + Mat3::outer(d - a, dd);
                        *tensor = tensor_of(g, *conductivity * tets.table.volumes[e]);
                    });
                }
                Through::Phyxels(k, _) => {
                    let block = &model.blocks[*k];
                    tensors.resize(block.len(), Mat3::zero());
                    par::for_each(tensors, |e, tensor| {
                        let g = Mat3(block.strain_argument(e, &state.u).to_f64());
                        *tensor = tensor_of(g, *conductivity * block.volumes()[e].to_f64());
                    });
                }
            }
        }
        self.refresh_diagonal(model);
    }

    fn refresh_diagonal<R: Real>(&mut self, model: &Model<R>) {
        let diagonal = &mut self.diagonal;
        diagonal.clear();
        diagonal.resize(model.node_count(), 0.0);
        for part in &self.parts {
            match &part.through {
                Through::Mesh(tets) => {
                    for e in 0..tets.table.len() {
                        for (n, d) in tets.nodes_of(e).into_iter().zip(tets.weights(e)) {
                            diagonal[n as usize] += d.dot(part.tensors[e] * d);
                        }
                    }
                }
                Through::Phyxels(k, factor) => {
                    let Some(general) = phyxels(model, *k) else { continue };
                    for e in 0..general.len() {
                        part.add_phyxel_diagonal(general, e, *factor, diagonal);
                    }
                }
            }
        }
    }

    /// The diagonal of `K`.
    pub fn diagonal(&self, node: usize) -> f64 {
        self.diagonal[node]
    }

    /// `out += K x`.
    pub fn add_product<R: Real>(&self, model: &Model<R>, x: &[f64], out: &mut [f64]) {
        for part in &self.parts {
            match &part.through {
                Through::Mesh(tets) => part.add_mesh(tets, x, &mut out[model.bodies[part.body].nodes.clone()]),
                Through::Phyxels(k, factor) => {
                    if let Some(general) = phyxels(model, *k) {
                        part.add_phyxels(general, (&model.rest, *factor), x, &mut out[general.nodes()]);
                    }
                }
            }
        }
    }
}

fn phyxels<R: Real>(model: &Model<R>, block: usize) -> Option<&General<R>> {
    if let Stencils::General(general) = &model.blocks[block].stencils { Some(general) } else { None }
}

fn part_of<R: Real>(model: &Model<R>, body: usize) -> Option<Part> {
    let owner = &model.bodies[body];
    let conductivity = owner.material.thermal.as_ref().filter(|_| model.is_heated(body))?.conductivity;
    let through = match &owner.layout.cells {
        Cells::Tets(tets) => {
            let points: Vec<[f64; 3]> = owner.nodes.clone().map(|n| model.rest[n].to_f64()).collect();
            Through::Mesh(Tets::new(TetTable::build(&points, tets).ok()?, owner.nodes.clone()))
        }
        Cells::Points => {
            let own = owner.mls.stabilisation;
            let factor = if own > 0.0 { STABILISATION / own } else { 0.0 };
            Through::Phyxels(model.blocks.iter().position(|b| b.body == body)?, factor)
        }
        Cells::Lines(_) => return None,
    };
    Some(Part { body, conductivity, through, tensors: Vec::new() })
}

impl Part {
    fn add_mesh(&self, tets: &Tets<f64>, x: &[f64], out: &mut [f64]) {
        let mut fluxes = vec![Vec3::zero(); self.tensors.len()];
        par::chunks(&mut fluxes, TASK, |start, chunk| {
            for (i, flux) in chunk.iter_mut().enumerate() {
                let e = start + i;
                let [a, b, c, d] = tets.nodes_of(e).map(|n| x[n as usize]);
                let [db, dc, dd] = tets.table.gradients[e];
                *flux = self.tensors[e] * (db * (b - a) + dc * (c - a) + dd * (d - a));
            }
        });
        par::for_each(out, |i, out| {
            tets.around(i).for_each(|(e, k)| *out += fluxes[e].dot(tets.weights(e)[k]));
        });
    }

    fn add_phyxel_diagonal<R: Real>(&self, general: &General<R>, e: usize, factor: f64, diagonal: &mut [f64]) {
        let range = general.entries(e);
        let center = general.table.nodes[range.start] as usize;
        for entry in range.clone() {
            let d = Vec3(general.table.weights[entry].to_f64());
            diagonal[general.table.nodes[entry] as usize] += d.dot(self.tensors[e] * d);
        }
        if !general.table.penalties.is_empty() {
            for entry in range.skip(1) {
                let c = general.table.penalties[entry].to_f64() * self.conductivity * factor;
                diagonal[general.table.nodes[entry] as usize] += c;
                diagonal[center] += c;
            }
        }
    }

    /// With a penalty on what a linear temperature does not explain, as elasticity has one: a temperature that alternates
    /// from phyxel to phyxel has no gradient.
    fn add_phyxels<R: Real>(
        &self,
        general: &General<R>,
        (rest, factor): (&[Vec3<R>], f64),
        x: &[f64],
        out: &mut [f64],
    ) {
        let table = &general.table;
        let stiff = factor * self.conductivity;
        let offset = |e: usize, center: usize, node: usize| Vec3(general.offset(e, rest, center, node).to_f64());
        let mut pulls = vec![0.0; table.nodes.len()];
        if !table.penalties.is_empty() {
            par::rows(&mut pulls, &table.offsets, &|e, own| {
                let gradient = gradient(general, e, x);
                let range = general.entries(e);
                let center = table.nodes[range.start] as usize;
                for (k, entry) in range.enumerate().skip(1) {
                    let node = table.nodes[entry] as usize;
                    let residual = x[node] - x[center] - gradient.dot(offset(e, center, node));
                    own[k] = residual * table.penalties[entry].to_f64() * stiff;
                }
            });
        }
        // Flux less the moment of the pulls, and their sum, of each phyxel.
        let mut fluxes = vec![(Vec3::zero(), 0.0); general.len()];
        par::chunks(&mut fluxes, TASK, |start, chunk| {
            for (i, flux) in chunk.iter_mut().enumerate() {
                let e = start + i;
                let range = general.entries(e);
                let center = table.nodes[range.start] as usize;
                *flux = (self.tensors[e] * gradient(general, e, x), 0.0);
                for entry in range.skip(1) {
                    flux.0 -= offset(e, center, table.nodes[entry] as usize) * pulls[entry];
                    flux.1 += pulls[entry];
                }
            }
        });
        par::for_each(out, |i, out| {
            for (e, k) in general.around(i) {
                let entry = general.entries(e).start + k;
                *out += fluxes[e].0.dot(Vec3(table.weights[entry].to_f64()));
                *out += if k == 0 { -fluxes[e].1 } else { pulls[entry] };
            }
        });
    }
}

/// The conduction `scale I` of the present shape `I + G`, pulled back.
fn tensor_of(g: Mat3<f64>, scale: f64) -> Mat3<f64> {
    let f = Mat3::identity() + g;
    match f.inverse() {
        // Elements that are nearly flat would conduct without bound.
        Some(inverse) if f.det() > 1e-3 => inverse * inverse.transpose() * (scale * f.det()),
        _ => Mat3::scaled_identity(scale),
    }
}

/// `Σ x_k d_k`, from differences to the first entry.
fn gradient<R: Real>(general: &General<R>, e: usize, x: &[f64]) -> Vec3<f64> {
    let range = general.entries(e);
    let base = x[general.table.nodes[range.start] as usize];
    range.fold(Vec3::zero(), |sum, entry| {
        sum + Vec3(general.table.weights[entry].to_f64()) * (x[general.table.nodes[entry] as usize] - base)
    })
}
