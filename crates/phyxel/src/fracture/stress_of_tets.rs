//! What nodes feel where tetrahedra remember nothing: several tetrahedra at once, and only those around nodes in danger.

use super::criterion::reaches;
use super::stress::Feeling;
use super::tets::TetPieces;
use crate::material::{Law, with_law};
use crate::math::{Lanes, Mat3, Real, Vec3};
use crate::stencil::block::{Block, Stencils};
use crate::stencil::tets::{Tets, WIDTH};

/// What a tetrahedron adds to the mean around a node: its volume [m³], and times that its stress xx, xy, xz, yy, yz, zz [Pa].
/// All zero where it is pressed flat: there is no area for a stress to act on.
type Weighed = [f64; 7];

/// Cauchy stresses of the tetrahedra around some nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Stresses {
    /// Of each tetrahedron; old where nobody has asked for it.
    stresses: Vec<Weighed>,
    /// Whether each group of tetrahedra is asked for.
    asked: Vec<bool>,
    groups: Vec<u32>,
}

impl Stresses {
    /// What those of some nodes feel whose principal stress reaches the `least` that they may break at [Pa].
    pub fn around<R: Real>(
        &mut self,
        block: &Block<R>,
        u: &[Vec3<R>],
        (pieces, nodes): (&TetPieces, &[u32]),
        least: impl Fn(u32) -> f64,
    ) -> Vec<(u32, Feeling)> {
        let Stencils::Tets(tets) = &block.stencils else { return Vec::new() };
        self.ask(pieces, nodes);
        self.fill(block, tets, u);
        let feel = |&node: &u32| {
            let mut sum = [0.0; 7];
            for t in pieces.around(node) {
                sum.iter_mut().zip(&self.stresses[t as usize]).for_each(|(sum, s)| *sum += s);
            }
            let volume = sum[0];
            let share = 1.0 / f64::max(volume, f64::MIN_POSITIVE);
            let [_, xx, xy, xz, yy, yz, zz] = sum.map(|s| s * share);
            let stress = Mat3([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
            reaches(&stress, least(node)).then(|| {
                let gradient = |t: usize| Mat3((Mat3::identity() + tets.gradient(t, u)).to_f64()) * self.stresses[t][0];
                let gradients = pieces.around(node).fold(Mat3::zero(), |sum, t| sum + gradient(t as usize));
                (node, Feeling { stress, gradient: gradients * share, plastic: 0.0, volume })
            })
        };
        nodes.iter().filter_map(feel).collect()
    }

    /// Makes room for so many tetrahedra, before anybody waits for it.
    pub fn make_room(&mut self, tets: usize) {
        self.stresses.resize(tets, [0.0; 7]);
        self.asked.resize(tets.div_ceil(WIDTH), false);
        self.groups.reserve(tets.div_ceil(WIDTH));
    }

    /// Lists the groups of tetrahedra around nodes.
    fn ask(&mut self, pieces: &TetPieces, nodes: &[u32]) {
        self.asked.clear();
        self.asked.resize(pieces.table.len().div_ceil(WIDTH), false);
        for t in nodes.iter().flat_map(|n| pieces.around(*n)) {
            self.asked[t as usize / WIDTH] = true;
        }
        self.groups.clear();
        self.groups.extend((0..self.asked.len() as u32).filter(|g| self.asked[*g as usize]));
    }

    fn fill<R: Real>(&mut self, block: &Block<R>, tets: &Tets<R>, u: &[Vec3<R>]) {
        self.stresses.resize(tets.table.len(), [0.0; 7]);
        let volumes = &tets.table.volumes;
        with_law!(&block.law, law => tets.map_some_gradients(
            u,
            &self.groups,
            &mut self.stresses,
            // Inlined, so that the vector instructions of the loop reach it.
            #[inline(always)]
            |e: usize, g: Mat3<Lanes<R, WIDTH>>| {
                let f = Mat3::identity() + g;
                let mut inverse = f.det();
                for k in 0..WIDTH {
                    inverse.0[k] = R::one() / inverse.0[k];
                }
                let stress = law.stress_wide(g) * f.transpose() * inverse;
                let mut out = [[0.0; 7]; WIDTH];
                for k in 0..WIDTH {
                    let own = Mat3(stress.0.map(|row| row.map(|x| x.0[k])));
                    out[k] = weighed(own, volumes[e + k]);
                }
                out
            },
            |e: usize, g: Mat3<R>| {
                let f = Mat3::identity() + g;
                weighed(law.stress(g) * f.transpose() * (R::one() / f.det()), volumes[e])
            },
        ));
    }
}

#[inline(always)]
fn weighed<R: Real>(stress: Mat3<R>, volume: R) -> Weighed {
    let (m, volume) = (stress.to_f64(), volume.to_f64());
    let mean = |a: usize, b: usize| (m[a][b] + m[b][a]) * 0.5 * volume;
    let all = [volume, mean(0, 0), mean(0, 1), mean(0, 2), mean(1, 1), mean(1, 2), mean(2, 2)];
    if all.iter().sum::<f64>().is_finite() { all } else { [0.0; 7] }
}
