//! Stencils that are rebuilt from the present shape (Zhou et al. 2013, section 3.2).
//!
//! Nothing refers to a global rest shape: the local rest offset from phyxel `i` to a neighbour is what the stored elastic
//! deformation says it was, `r_ij = F_i⁻¹ (x_j − x_i)`. The new weights reproduce `F_i` at the present positions.

use super::mls::{MlsReport, Pair, Row};
use super::{NeighbourSearch, Neighbours, Radii, Seen, StencilError, StencilTable};
use crate::math::{Mat3, Real, Vec3};
use crate::par;
use crate::scene::KernelKind;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Phyxels stretched more than this lose the neighbours that moved further away; a bound on the cost of the search.
const MAX_STRETCH: f64 = 4.0;

/// The weakest moment of a phyxel's neighbours, over the strongest, that is taken as it is: half and more inside a lattice
/// and in its corners. Matter that flows into a sheet of one layer has no neighbours across it but those that lie a little
/// off it, and what they say of strain across would be multiplied by as much as they lie off: the sheet would be as stiff as
/// a plate of diamond, linear solves would need a thousand iterations, and a sheet that sets could not be lifted.
const WEAKEST: f64 = 0.1;

/// Who sees less of a phyxel does not see it.
const LEAST_SIGHT: f64 = 1e-6;

/// The present state of a body of phyxels; all slices have one value per phyxel.
#[derive(Clone, Copy, Debug)]
pub struct Present<'a, R> {
    /// Positions [m].
    pub positions: &'a [Vec3<R>],
    /// Elastic deformation gradients.
    pub elastic: &'a [Mat3<R>],
    /// Who was near at rest, where that is who is near: neighbours of solid matter that is drawn out stay what they were. Nothing
    /// where the present shape says who is near.
    pub known: Option<Known<'a, R>>,
    /// Rest volumes [m³].
    pub volumes: &'a [R],
    /// Support radii in the local rest shape [m].
    pub radii: &'a [R],
    /// Pairs see as far as both do on average, instead of each as far as it does itself; then none sees phyxels more than
    /// twice as coarse.
    pub mutual: bool,
    /// The weight kernel.
    pub kernel: KernelKind,
    /// Strength of the penalty against zero-energy modes; 0 for none.
    pub stabilisation: f64,
}

/// Phyxels that go on seeing those that they saw at rest. By the present distance, a gap that opens a little would count less, and so
/// open ever more: a bar that flows came apart long before it was torn.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a, R> {
    /// Those that each saw, ascending.
    pub near: &'a Neighbours,
    /// Where all were at rest [m].
    pub rest: &'a [Vec3<R>],
}

/// A body of phyxels together with those of other bodies that some of its own see.
#[derive(Clone, Copy, Debug)]
pub struct Crowd<'a, R> {
    /// Positions [m], those of the body first.
    pub positions: &'a [Vec3<R>],
    /// Rest volumes [m³].
    pub volumes: &'a [R],
    /// Support radii in the local rest shape [m].
    pub radii: &'a [R],
    /// Which phyxels of the body see those of others.
    pub sees: &'a [bool],
}

impl<R: Real> Crowd<'_, R> {
    /// Whether phyxel `i` of the body, which has `own` of them, may see `j` at all.
    #[inline(always)]
    pub fn may_see(&self, own: usize, i: usize, j: u32) -> bool {
        (j as usize) < own || self.sees[i]
    }
}

/// The buffers of rebuilding; once they have grown, a rebuild allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct UpdatedStencils<R> {
    search: NeighbourSearch<R>,
    candidates: Neighbours,
    /// Inverse elastic gradient of each phyxel.
    inverses: Vec<Mat3<R>>,
    /// How far each looks in the present shape [m].
    reach: Vec<R>,
    lengths: Vec<u32>,
    /// How much of each candidate is seen; empty where nothing is in between.
    shares: Vec<R>,
}

/// Fills in how much phyxels see of each of their candidates, 0 to 1, where something is between them.
pub type Sight<'a, R> = &'a mut dyn FnMut(&Neighbours, &mut Vec<R>);

impl<R: Real> UpdatedStencils<R> {
    /// Rebuilds all stencils into `table`, so that `Σ_k x_k ⊗ d_k = F_i` at the present positions, in every direction in
    /// which the phyxel has enough neighbours; in others, less. Gradients that cannot be inverted count as the identity and
    /// are reported. `seen` keeps how the weights came about.
    pub fn rebuild(
        &mut self,
        now: &Present<'_, R>,
        into: (&mut StencilTable<R>, &mut Seen<R>),
    ) -> Result<MlsReport, StencilError> {
        let Present { positions, volumes, radii, .. } = *now;
        self.rebuild_among(now, (&Crowd { positions, volumes, radii, sees: &[] }, None), into)
    }

    /// The same for a body in a crowd, where something may be between phyxels; nodes of others have their numbers in the
    /// crowd.
    pub fn rebuild_among(
        &mut self,
        now: &Present<'_, R>,
        (crowd, sight): (&Crowd<'_, R>, Option<Sight<'_, R>>),
        (table, seen): (&mut StencilTable<R>, &mut Seen<R>),
    ) -> Result<MlsReport, StencilError> {
        now.check()?;
        let lost_gradients = self.invert(now, crowd);
        match now.known {
            Some(Known { near, .. }) => {
                self.candidates.offsets.clone_from(&near.offsets);
                self.candidates.indices.clone_from(&near.indices);
            }
            None => self.search.rebuild(crowd.positions, Radii::Each(&self.reach), &mut self.candidates)?,
        }
        self.shares.clear();
        if let Some(sight) = sight {
            sight(&self.candidates, &mut self.shares);
        }
        // The common case is compiled by itself: asking for each pair whether it is known took a third of a rebuild.
        let report = match now.known {
            Some(_) => self.fill::<true>(now, crowd, (table, seen)),
            None => self.fill::<false>(now, crowd, (table, seen)),
        }?;
        Ok(MlsReport { lost_gradients, ..report })
    }

    /// Weighs the candidates; `KNOWN` where those near at rest are near.
    fn fill<const KNOWN: bool>(
        &mut self,
        now: &Present<'_, R>,
        crowd: &Crowd<'_, R>,
        (table, seen): (&mut StencilTable<R>, &mut Seen<R>),
    ) -> Result<MlsReport, StencilError> {
        let n = now.positions.len();
        let (candidates, inverses, shares) = (&self.candidates, &self.inverses, &self.shares);
        let share = move |i: usize, j: u32| match (shares.is_empty(), candidates.of(i).binary_search(&j)) {
            (false, Ok(k)) => shares[candidates.offsets[i] as usize + k],
            _ => R::one(),
        };
        let mutual = now.mutual && crowd.radii.iter().any(|r| *r != crowd.radii[0]);
        let row = |i: usize| {
            let (kernel, radius, inverse) = (now.kernel, now.radii[i], inverses[i]);
            let offset = move |j: u32| inverse * (crowd.positions[j as usize] - now.positions[i]);
            let pair = move |j: u32| {
                let mut pair = if mutual { Pair::between(radius, crowd.radii[j as usize]) } else { Pair::alike() };
                if KNOWN && let Some(Known { rest, .. }) = now.known {
                    // The kernel falls off with the distance at rest.
                    let way = (inverse * (crowd.positions[j as usize] - now.positions[i])).norm_squared();
                    let nearer = (rest[j as usize] - rest[i]).norm_squared() / way;
                    pair.narrowing = pair.narrowing * if nearer.is_finite() { nearer } else { R::one() };
                }
                if shares.is_empty() { pair } else { Pair { share: pair.share * share(i, j), ..pair } }
            };
            Row { kernel, radius, offset, pair, least: R::of(WEAKEST) }
        };
        let least = R::of(LEAST_SIGHT);
        let near = |i: usize, j: &u32| {
            crowd.may_see(n, i, *j) && row(i).sees(*j) && (shares.is_empty() || share(i, *j) > least)
        };
        let count = |i: usize| candidates.of(i).iter().filter(|j| near(i, j)).count() as u32 + 1;
        (0..n).into_par_iter().with_min_len(64).map(count).collect_into_vec(&mut self.lengths);
        table.volumes.clear();
        table.volumes.extend_from_slice(now.volumes);
        table.resize(self.lengths.iter().copied(), now.stabilisation > 0.0)?;
        let dropped = seen.fill(table, inverses, |i, entries, kernels| {
            entries.nodes[0] = i as u32;
            let found = candidates.of(i).iter().filter(|j| near(i, j));
            entries.nodes[1..].iter_mut().zip(found).for_each(|(slot, j)| *slot = *j);
            row(i).fill_by_kernel(entries, kernels, R::of(now.stabilisation) * now.volumes[i])
        });
        let counts = self.lengths.iter().map(|l| *l as usize - 1);
        Ok(MlsReport::of(counts, dropped))
    }

    /// Inverts the gradients and finds how far the support reaches in the present shape; returns how many had no inverse.
    fn invert(&mut self, now: &Present<'_, R>, crowd: &Crowd<'_, R>) -> usize {
        let largest = crowd.radii.iter().fold(R::zero(), |l, r| l.max(*r));
        self.inverses.resize(now.elastic.len(), Mat3::identity());
        // Those of other bodies do not look themselves.
        self.reach.clear();
        self.reach.resize(crowd.positions.len(), R::zero());
        let lost = AtomicUsize::new(0);
        let own = &mut self.reach[..now.elastic.len()];
        par::chunks2((&mut self.inverses, own), par::GRAIN, |start, inverses, reaches| {
            for (k, (back, reach)) in inverses.iter_mut().zip(reaches).enumerate() {
                let (f, radius) = (&now.elastic[start + k], now.radii[start + k]);
                let inverse = f.inverse().filter(Mat3::is_finite);
                lost.fetch_add(inverse.is_none() as usize, Ordering::Relaxed);
                *back = inverse.unwrap_or_else(Mat3::identity);
                let stretch = if inverse.is_some() { largest_stretch(f) } else { R::one() };
                let other = largest.min(radius + radius);
                let sight = if now.mutual { (radius + other) * R::of(0.5) } else { radius };
                *reach = sight * stretch.min(R::of(MAX_STRETCH));
            }
        });
        lost.into_inner()
    }
}

/// An upper bound of the largest singular value, exact for multiples of rotations: `σ² ≤ ‖FᵀF‖∞`.
fn largest_stretch<R: Real>(f: &Mat3<R>) -> R {
    let c = f.transpose() * *f;
    let row = |i: usize| c.0[i][0].abs() + c.0[i][1].abs() + c.0[i][2].abs();
    // A little more, since neighbours at the very edge of the support decide by rounding.
    row(0).max(row(1)).max(row(2)).sqrt() * (R::one() + R::EPSILON * R::of(64.0))
}

impl<R: Real> Present<'_, R> {
    fn check(&self) -> Result<(), StencilError> {
        let n = self.positions.len();
        StencilError::check_length("elastic gradients", self.elastic.len(), n)?;
        if let Some(known) = &self.known {
            StencilError::check_length("places at rest", known.rest.len(), n)?;
        }
        StencilError::check_length("volumes", self.volumes.len(), n)?;
        StencilError::check_length("support radii", self.radii.len(), n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::MlsStencils;
    use super::super::mls::tests::lattice;
    use super::*;
    use crate::scene::MlsSettings;

    const F0: [[f64; 3]; 3] = [[1.3, 0.2, -0.1], [0.1, 0.8, 0.3], [0.0, -0.2, 1.1]];

    type Body<R> = (Vec<Vec3<R>>, Vec<Mat3<R>>, Vec<R>, Vec<R>);

    /// Positions, elastic gradients, volumes and radii of a lattice deformed by `f`.
    fn deformed<R: Real>(f: Mat3<R>) -> Body<R> {
        let body = lattice(6, 0.1);
        let positions = body.points.iter().map(|p| f * Vec3::of(*p)).collect();
        (positions, vec![f; 216], vec![R::of(1e-3); 216], vec![R::of(0.18); 216])
    }

    fn rebuilt<R: Real>(f: Mat3<R>, table: &mut StencilTable<R>) -> (MlsReport, Vec<Vec3<R>>) {
        let (positions, elastic, volumes, radii) = deformed(f);
        let kernel = KernelKind::Poly6;
        let now = Present {
            positions: &positions,
            elastic: &elastic,
            known: None,
            volumes: &volumes,
            radii: &radii,
            mutual: true,
            kernel,
            stabilisation: 1.0,
        };
        let report = UpdatedStencils::default().rebuild(&now, (table, &mut Seen::default())).unwrap();
        (report, positions)
    }

    #[test]
    fn a_homogeneous_deformation_is_reproduced_to_rounding() {
        let mut table = StencilTable::default();
        let (report, x) = rebuilt(Mat3::<f64>::of(F0), &mut table);
        assert_eq!((report.singular_phyxels, report.lost_gradients), (0, 0));
        for e in 0..table.len() {
            assert!((table.deformation(e, &x) - Mat3::of(F0)).norm() < 1e-13);
        }
        let mut single = StencilTable::default();
        let (_, x) = rebuilt(Mat3::<f32>::of(F0), &mut single);
        for e in 0..single.len() {
            assert!((single.deformation(e, &x) - Mat3::of(F0)).norm() < 3e-5);
        }
    }

    #[test]
    fn the_stencils_are_those_of_the_rest_shape() {
        let settings = MlsSettings { consistency: false, stabilisation: 1.0, ..Default::default() };
        let total = MlsStencils::build(&lattice(6, 0.1), &settings).unwrap();
        let mut table = StencilTable::default();
        let (report, _) = rebuilt(Mat3::<f64>::of(F0), &mut table);
        assert_eq!((&table.nodes, &table.offsets), (&total.table.nodes, &total.table.offsets));
        for k in 0..table.weights.len() {
            assert!((table.weights[k] - total.table.weights[k]).norm() < 1e-11);
        }
        // Penalties are spread otherwise, and resist a residual in proportion to the offset as much.
        let body = lattice(6, 0.1);
        for e in 0..table.len() {
            let offset = |k: usize| (Vec3(body.points[table.nodes[k] as usize]) - Vec3(body.points[e])).norm_squared();
            let resisted = |penalties: &[f64]| table.entries(e).map(|k| penalties[k] * offset(k)).sum::<f64>();
            assert!((resisted(&table.penalties) / resisted(&total.table.penalties) - 1.0).abs() < 1e-12);
        }
        assert_eq!(report.max_neighbours, total.report.max_neighbours);
    }

    #[test]
    fn phyxels_of_two_spacings_see_each_other_as_in_the_rest_shape() {
        // A half of coarse phyxels beside one of fine ones.
        let coarse = (0..108).map(|i| [-0.1 - 0.2 * (i % 3) as f64, 0.2 * (i / 3 % 6) as f64, 0.2 * (i / 18) as f64]);
        let fine = (0..864)
            .map(|i| [0.05 + 0.1 * (i % 6) as f64, 0.1 * (i / 6 % 12) as f64 - 0.05, 0.1 * (i / 72) as f64 - 0.05]);
        let spacings: Vec<f64> = (0..972).map(|i| if i < 108 { 0.2 } else { 0.1 }).collect();
        let body = crate::shape::PointSampling {
            points: coarse.chain(fine).collect(),
            volumes: spacings.iter().map(|s| s * s * s).collect(),
            spacing: 0.1,
            spacings,
            boundary: vec![true; 972],
            ..Default::default()
        };
        let settings = MlsSettings { consistency: false, stabilisation: 1.0, ..Default::default() };
        let total = MlsStencils::build(&body, &settings).unwrap();
        let f = Mat3::of(F0);
        let positions: Vec<Vec3<f64>> = body.points.iter().map(|p| f * Vec3(*p)).collect();
        let (elastic, kernel) = (vec![f; 972], KernelKind::Poly6);
        let now = Present {
            positions: &positions,
            elastic: &elastic,
            known: None,
            volumes: &body.volumes,
            radii: &total.radii,
            mutual: true,
            kernel,
            stabilisation: 1.0,
        };
        let mut table = StencilTable::default();
        UpdatedStencils::default().rebuild(&now, (&mut table, &mut Seen::default())).unwrap();
        assert_eq!((&table.nodes, &table.offsets), (&total.table.nodes, &total.table.offsets));
        for k in 0..table.weights.len() {
            assert!((table.weights[k] - total.table.weights[k]).norm() < 1e-10);
        }
        // Each sees the other: the relation is symmetric across the border.
        let sees = |e: usize, n: u32| table.nodes[table.entries(e)].contains(&n);
        let across = (0..108).flat_map(|e| table.nodes[table.entries(e)].iter().map(move |n| (e, *n)));
        let across: Vec<(usize, u32)> = across.filter(|(_, n)| *n >= 108).collect();
        assert!(across.len() > 300 && across.iter().all(|(e, n)| sees(*n as usize, *e as u32)));
    }

    #[test]
    fn a_rough_sheet_of_one_layer_is_no_stiffer_for_being_flat() {
        let largest = |roughness: f64| {
            let height = |i: usize| roughness * ((i * 37 % 11) as f64 / 5.0 - 1.0);
            let positions: Vec<Vec3<f64>> =
                (0..64).map(|i| Vec3([0.1 * (i % 8) as f64, 0.1 * (i / 8) as f64, height(i)])).collect();
            let now = Present {
                positions: &positions,
                elastic: &[Mat3::identity(); 64],
                known: None,
                volumes: &[1e-3; 64],
                radii: &[0.18; 64],
                mutual: true,
                kernel: KernelKind::Poly6,
                stabilisation: 0.1,
            };
            let mut table = StencilTable::default();
            UpdatedStencils::default().rebuild(&now, (&mut table, &mut Seen::default())).unwrap();
            table.weights.iter().map(|d| d.norm()).fold(0.0, f64::max)
        };
        // Ever flatter: what a phyxel sees across the sheet says ever less, and must not count ever more.
        let flat = largest(0.0);
        for roughness in [1e-2, 1e-3, 1e-4] {
            let rough = largest(roughness);
            assert!(rough < 2.0 * flat, "{rough} instead of {flat} per metre at a roughness of {roughness} m");
        }
        assert!(largest(1e-3) < 1.1 * flat);
    }

    #[test]
    fn a_rebuild_reuses_the_table_and_survives_broken_gradients() {
        let (positions, elastic, volumes, radii) = deformed(Mat3::<f64>::identity());
        let mut table = StencilTable::default();
        let (mut stencils, mut seen) = (UpdatedStencils::default(), Seen::default());
        let kernel = KernelKind::Cosine;
        let now = Present {
            positions: &positions,
            elastic: &elastic,
            known: None,
            volumes: &volumes,
            radii: &radii,
            mutual: true,
            kernel,
            stabilisation: 0.0,
        };
        stencils.rebuild(&now, (&mut table, &mut seen)).unwrap();
        let before = (table.weights.as_ptr(), table.nodes.as_ptr(), table.offsets.as_ptr());
        let intact = table.clone();
        let mut broken = elastic.clone();
        broken[7] = Mat3::zero();
        broken[8] = Mat3::scaled_identity(f64::NAN);
        let now = Present { elastic: &broken, ..now };
        let report = stencils.rebuild(&now, (&mut table, &mut seen)).unwrap();
        assert_eq!(before, (table.weights.as_ptr(), table.nodes.as_ptr(), table.offsets.as_ptr()));
        assert_eq!((report.lost_gradients, &table), (2, &intact));
        let short = Present { volumes: &volumes[1..], ..now };
        assert!(matches!(
            stencils.rebuild(&short, (&mut table, &mut seen)),
            Err(StencilError::Length { found: 215, .. })
        ));
    }
}
