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

/// Cauchy stresses of the tetrahedra around some nodes. It is small and the same for all bodies that a thread looks at, so
/// that it stays near to the processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Stresses {
    /// Groups of tetrahedra that have been looked at: those with an alarm, ascending, and others around nodes, ascending too,
    groups: Vec<u32>,
    /// how many of them are of the first kind,
    alarmed: usize,
    /// and what they show.
    stresses: Vec<[Weighed; WIDTH]>,
    /// Nodes in danger.
    nodes: Vec<u32>,
}

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
    /// What those nodes feel, ascending, whose principal stress reaches the `least` that they may break at [Pa].
    ///
    /// The largest principal stress of a mean is never above the largest of what it is the mean of, so only nodes are looked at
    /// that bear less than one of the tetrahedra around them shows.
    pub fn around<R: Real>(
        &mut self,
        block: &Block<R>,
        u: &[Vec3<R>],
        ask: &Ask<'_>,
        least: impl Fn(u32) -> f64,
    ) -> Vec<(u32, Feeling)> {
        let (Stencils::Tets(tets), pieces) = (&block.stencils, ask.pieces) else { return Vec::new() };
        self.groups.clear();
        self.stresses.clear();
        let groups = ask.alarms.chunks(WIDTH).enumerate().filter(|(_, alarms)| alarms.contains(&true));
        self.groups.extend(groups.map(|(group, _)| group as u32));
        self.alarmed = self.groups.len();
        self.fill(block, tets, u);
        self.find_nodes(ask, &least);
        let (known, more) = (self.groups.len(), self.nodes.iter().flat_map(|n| pieces.around(*n)));
        let mut more: Vec<u32> = more.map(|t| t / WIDTH as u32).collect();
        more.sort_unstable();
        more.dedup();
        more.retain(|group| self.groups[..known].binary_search(group).is_err());
        self.groups.append(&mut more);
        self.fill(block, tets, u);
        let feel = |&node: &u32| {
            let (volume, stress) = self.mean(pieces, node);
            reaches(&stress, least(node)).then(|| {
                let weighed = |t: usize| Mat3((Mat3::identity() + tets.gradient(t, u)).to_f64()) * self.of(t as u32)[0];
                let gradient = match ask.gradients {
                    true => pieces.around(node).fold(Mat3::zero(), |sum, t| sum + weighed(t as usize)) * share(volume),
                    false => Mat3::identity(),
                };
                (node, Feeling { stress, gradient, plastic: 0.0, volume })
            })
        };
        self.nodes.iter().filter_map(feel).collect()
    }

    /// Lists the corners of tetrahedra near to breaking that may break themselves.
    fn find_nodes(&mut self, ask: &Ask<'_>, least: &impl Fn(u32) -> f64) {
        self.nodes.clear();
        for (group, stresses) in self.groups.iter().zip(&self.stresses) {
            let first = *group as usize * WIDTH;
            let alarms = ask.alarms[first..].iter().take(WIDTH).enumerate();
            for (k, _) in alarms.filter(|(_, alarm)| **alarm) {
                // Where all bear the same, the alarm has told already.
                let stress = (!ask.factors.is_empty()).then(|| stress_of(&stresses[k]));
                let corners = ask.pieces.table.nodes[first + k].into_iter();
                self.nodes.extend(corners.filter(|n| {
                    let bears = |stress: Mat3<f64>| !reaches(&stress, least(*n));
                    ask.pieces.splittable[*n as usize] && !stress.is_some_and(bears)
                }));
            }
        }
        self.nodes.sort_unstable();
        self.nodes.dedup();
    }

    /// What a tetrahedron shows that has been looked at.
    fn of(&self, t: u32) -> &Weighed {
        const NOTHING: Weighed = [0.0; 7];
        let (group, (first, others)) = (t / WIDTH as u32, self.groups.split_at(self.alarmed));
        let place = first.binary_search(&group).or_else(|_| others.binary_search(&group).map(|k| self.alarmed + k));
        place.map_or(&NOTHING, |place| &self.stresses[place][t as usize % WIDTH])
    }

    /// Volume of the tetrahedra around a node [m³], and their mean stress [Pa].
    fn mean(&self, pieces: &TetPieces, node: u32) -> (f64, Mat3<f64>) {
        let mut sum = [0.0; 7];
        for t in pieces.around(node) {
            sum.iter_mut().zip(self.of(t)).for_each(|(sum, s)| *sum += s);
        }
        (sum[0], stress_of(&sum))
    }

    /// Looks at the groups that have been asked for since the last look.
    fn fill<R: Real>(&mut self, block: &Block<R>, tets: &Tets<R>, u: &[Vec3<R>]) {
        let (volumes, known) = (&tets.table.volumes, self.stresses.len());
        self.stresses.resize(self.groups.len(), [[0.0; 7]; WIDTH]);
        with_law!(&block.law, law => tets.map_some_gradients(
            u,
            &self.groups[known..],
            &mut self.stresses[known..],
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
