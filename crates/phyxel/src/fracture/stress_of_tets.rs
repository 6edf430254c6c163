//! What nodes feel where tetrahedra remember nothing: a look at those around nodes in danger alone.

use super::alarm::any;
use super::criterion::{principal_bound, reaches};
use super::stress::{Feeling, NOTHING};
use super::tets::TetPieces;
use crate::material::{Law, with_law};
use crate::math::{Lanes, Mat3, Real, Vec3};
use crate::stencil::block::{Block, Stencils};
use crate::stencil::tets::{Tets, WIDTH};
use crate::{par, vectorised};

/// What a tetrahedron adds to the mean around a node: its volume [m³], and times that its stress xx, xy, xz, yy, yz, zz [Pa].
/// All zero where it is pressed flat: there is no area for a stress to act on.
type Weighed = [f64; 7];

/// Cauchy stresses of the tetrahedra around some nodes. It is small and the same for all bodies that a thread looks at, so
/// that it stays near to the processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Stresses {
    /// Tetrahedra that have been looked at: those with an alarm, and others around nodes,
    tets: Vec<u32>,
    /// what they show,
    stresses: Vec<Weighed>,
    /// and where each tetrahedron of the body stands among them, or [`NOBODY`].
    places: Vec<u32>,
    /// Nodes in danger,
    nodes: Vec<u32>,
    /// and whether each node of the body is one of them.
    in_danger: Vec<bool>,
}

/// Stands for the place of a tetrahedron that has not been looked at.
const NOBODY: u32 = u32::MAX;
/// No principal stress is above its bound by more than rounding.
const SURELY: f64 = 1.0 + 1e-12;
/// Tetrahedra, and nodes, that one thread takes at least.
const TASK: usize = 64;

/// Whom to look at, and what for.
pub(super) struct Ask<'a> {
    /// How the body hangs together.
    pub pieces: &'a TetPieces,
    /// The tetrahedra that may be near to breaking.
    pub alarms: &'a [bool],
    /// By how much more each tetrahedron bears; empty where all bear the same.
    pub factors: &'a [f64],
    /// Whether anybody wants to know how nodes are deformed.
    pub gradients: bool,
}

impl Stresses {
    /// Adds what those nodes feel whose principal stress reaches the `least` that they may break at [Pa] to `felt`.
    ///
    /// The largest principal stress of a mean is never above the largest of what it is the mean of, so only nodes are looked at
    /// that bear less than one of the tetrahedra around them shows.
    pub fn around<R: Real>(
        &mut self,
        block: &Block<R>,
        u: &[Vec3<R>],
        ask: &Ask<'_>,
        least: impl Fn(u32) -> f64 + Sync,
        felt: &mut Vec<(u32, Feeling)>,
    ) {
        let (Stencils::Tets(tets), pieces) = (&block.stencils, ask.pieces) else { return };
        self.places.resize(self.places.len().max(ask.alarms.len()), NOBODY);
        self.in_danger.resize(self.in_danger.len().max(pieces.splittable.len()), false);
        // Loose cubes on the ground raise alarms in every step, and have nothing left to part from.
        let corners = &tets.table.nodes;
        let can_part = |t: u32| corners[t as usize].iter().any(|n| pieces.splittable[*n as usize]);
        // Most have none: these are passed by several at a time.
        for (first, alarms) in (0..).step_by(WIDTH).zip(ask.alarms.chunks(WIDTH)).filter(|(_, a)| any(a)) {
            let raised = (first..).zip(alarms).filter(|(_, alarm)| **alarm).map(|(t, _)| t);
            raised.filter(|t| can_part(*t)).for_each(|t| self.want(t));
        }
        if self.tets.is_empty() {
            return;
        }
        self.fill(block, tets, u);
        self.find_nodes(corners, ask, &least);
        for k in 0..self.nodes.len() {
            tets.around(self.nodes[k] as usize).for_each(|(t, _)| self.want(t as u32));
        }
        pieces.fetch(&self.tets, &self.nodes);
        self.fill(block, tets, u);
        let start = felt.len();
        felt.resize(start + self.nodes.len(), (0, NOTHING));
        let known = &*self;
        par::chunks(&mut felt[start..], TASK, |first, felt| {
            for (felt, &node) in felt.iter_mut().zip(&known.nodes[first..]) {
                *felt = (node, known.feel(tets, node, ask.gradients.then_some(u)));
            }
        });
        self.forget();
        let mut kept = start;
        for k in start..felt.len() {
            let (node, feeling) = &felt[k];
            if reaches(&feeling.stress, least(*node)) {
                felt.swap(kept, k);
                kept += 1;
            }
        }
        felt.truncate(kept);
    }

    /// Has a tetrahedron looked at, if it has not been yet.
    fn want(&mut self, tet: u32) {
        let place = &mut self.places[tet as usize];
        if *place == NOBODY {
            *place = self.tets.len() as u32;
            self.tets.push(tet);
        }
    }

    /// Leaves the tables of the body as the next one needs them.
    fn forget(&mut self) {
        self.tets.iter().for_each(|t| self.places[*t as usize] = NOBODY);
        self.nodes.iter().for_each(|n| self.in_danger[*n as usize] = false);
        self.tets.clear();
        self.stresses.clear();
        self.nodes.clear();
    }

    /// Lists the corners of the tetrahedra that have been looked at which may break themselves.
    fn find_nodes(&mut self, corners: &[[u32; 4]], ask: &Ask<'_>, least: &impl Fn(u32) -> f64) {
        let Self { tets, stresses, nodes, in_danger, .. } = self;
        for (t, weighed) in tets.iter().zip(&*stresses) {
            // Where all bear the same, the alarm has told already. The bound tells most of those apart that do not.
            let stress =
                (!ask.factors.is_empty()).then(|| stress_of(weighed)).map(|s| (s, SURELY * principal_bound(&s)));
            for n in corners[*t as usize] {
                if in_danger[n as usize] || !ask.pieces.splittable[n as usize] {
                    continue;
                }
                let least = least(n);
                if stress.is_none_or(|(stress, most)| least <= most && reaches(&stress, least)) {
                    in_danger[n as usize] = true;
                    nodes.push(n);
                }
            }
        }
    }

    /// What a tetrahedron shows that has been looked at.
    #[inline(always)]
    fn of(&self, t: u32) -> &Weighed {
        &self.stresses[self.places[t as usize] as usize]
    }

    /// What a node feels; how it is deformed where that is asked for.
    fn feel<R: Real>(&self, tets: &Tets<R>, node: u32, deformed: Option<&[Vec3<R>]>) -> Feeling {
        let (volume, stress) = self.mean(tets, node);
        let mut gradient = Mat3::identity();
        if let Some(u) = deformed {
            let weighed = |t: usize| Mat3((Mat3::identity() + tets.gradient(t, u)).to_f64()) * self.of(t as u32)[0];
            gradient = tets.around(node as usize).fold(Mat3::zero(), |sum, (t, _)| sum + weighed(t)) * share(volume);
        }
        Feeling { stress, gradient, plastic: 0.0, volume }
    }

    /// Volume of the tetrahedra around a node [m³], and their mean stress [Pa].
    fn mean<R: Real>(&self, tets: &Tets<R>, node: u32) -> (f64, Mat3<f64>) {
        let mut sum = [0.0; 7];
        for (t, _) in tets.around(node as usize) {
            sum.iter_mut().zip(self.of(t as u32)).for_each(|(sum, s)| *sum += s);
        }
        (sum[0], stress_of(&sum))
    }

    /// Looks at the tetrahedra that have been asked for since the last look.
    fn fill<R: Real>(&mut self, block: &Block<R>, tets: &Tets<R>, u: &[Vec3<R>]) {
        let (volumes, known) = (&tets.table.volumes, self.stresses.len());
        self.stresses.resize(self.tets.len(), [0.0; 7]);
        let asked = &self.tets[known..];
        with_law!(&block.law, law => par::chunks(&mut self.stresses[known..], TASK, |first, stresses| {
            let asked = &asked[first..first + stresses.len()];
            let mut groups = stresses.chunks_exact_mut(WIDTH).zip(asked.chunks_exact(WIDTH));
            vectorised(
                #[inline(always)]
                || {
                    for (out, asked) in &mut groups {
                        let g = tets.gradients_of(asked, u);
                        let f = Mat3::identity() + g;
                        let share = Lanes(f.det().0.map(|det| R::one() / det));
                        let stress = law.stress_wide(g) * f.transpose() * share;
                        for (lane, (out, t)) in out.iter_mut().zip(asked).enumerate() {
                            *out = weighed(Mat3(stress.0.map(|row| row.map(|x| x.0[lane]))), volumes[*t as usize]);
                        }
                    }
                },
            );
            let done = stresses.len() / WIDTH * WIDTH;
            for (out, &t) in stresses[done..].iter_mut().zip(&asked[done..]) {
                let g = tets.gradient(t as usize, u);
                let f = Mat3::identity() + g;
                *out = weighed(law.stress(g) * f.transpose() * (R::one() / f.det()), volumes[t as usize]);
            }
        }));
    }
}

/// The reciprocal of a volume; of nothing, a number all the same.
fn share(volume: f64) -> f64 {
    1.0 / f64::max(volume, f64::MIN_POSITIVE)
}

/// The stress of a tetrahedron, or the mean of several [Pa].
fn stress_of(sum: &Weighed) -> Mat3<f64> {
    let share = share(sum[0]);
    let [_, xx, xy, xz, yy, yz, zz] = sum.map(|s| s * share);
    Mat3([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
}

#[inline(always)]
fn weighed<R: Real>(stress: Mat3<R>, volume: R) -> Weighed {
    let (m, volume) = (stress.to_f64(), volume.to_f64());
    let mean = |a: usize, b: usize| (m[a][b] + m[b][a]) * 0.5 * volume;
    let all = [volume, mean(0, 0), mean(0, 1), mean(0, 2), mean(1, 1), mean(1, 2), mean(2, 2)];
    if all.iter().sum::<f64>().is_finite() { all } else { [0.0; 7] }
}
