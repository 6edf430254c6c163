//! The diagonal of the stiffness of phyxels, as a preconditioner needs it.

use super::general::General;
use crate::material::PackedTangent;
use crate::math::{Mat3, Real};
use crate::par;

/// What a preconditioner takes an element's tangent for.
#[derive(Clone, Copy, Debug)]
pub struct Isotropic<R> {
    /// `μ`, times volume and the step's factors.
    pub shear: R,
    /// `λ + μ`.
    pub along: R,
    /// `F`, from the reference of the weights to the present.
    pub turn: Mat3<R>,
}

impl<R: Real> Default for Isotropic<R> {
    fn default() -> Self {
        Isotropic { shear: R::zero(), along: R::zero(), turn: Mat3::identity() }
    }
}

impl<R: Real> Isotropic<R> {
    /// The isotropic tangent with the same traces as one at the deformation `turn`: `C_iJiJ = 3 λ + 12 μ`, and
    /// `F_iJ C_iJkL F_kL = 9 λ + 6 μ` for rotations.
    pub fn like(tangent: &PackedTangent<R>, turn: Mat3<R>) -> Self {
        let size = turn.contract(&turn) * R::of(1.0 / 3.0);
        let scale = if size > R::zero() { R::one() / size } else { R::zero() };
        let (trace, swell) = (tangent.trace(), turn.contract(&tangent.apply(&turn)) * scale);
        let shear = ((trace * R::of(3.0) - swell) * R::of(1.0 / 30.0)).max(R::zero());
        let bulk = (swell - shear * R::of(6.0)) * R::of(1.0 / 9.0);
        Isotropic { shear, along: (bulk + shear).max(R::zero()) * scale, turn }
    }
}

impl<R: Real> General<R> {
    /// Adds the 3x3 diagonal block of every node: `Σ_e d_k · C_e · d_k` plus the penalty's share, as a preconditioner needs
    /// it. `C_e` counts as that of an isotropic solid with the given moduli, which turns with `F_e`: `μ |d|² I + (λ + μ) F d
    /// (F d)ᵀ`. The penalty also couples through `G`; only its direct springs are counted.
    pub fn add_diagonal(
        &self,
        moduli: impl Fn(usize) -> Isotropic<R> + Sync,
        (penalty, factors): (R, &[R]),
        scratch: &mut Vec<Isotropic<R>>,
        out: &mut [Mat3<R>],
    ) {
        scratch.resize(self.len(), Isotropic::default());
        par::chunks(scratch, par::FEW, |first, run| {
            run.iter_mut().enumerate().for_each(|(l, out)| *out = moduli(first + l));
        });
        let (elements, (weights, penalties), scratch) =
            (self.elements_of_entries(), self.entries_of_nodes(), &*scratch);
        let ahead = self.ahead();
        par::chunks(&mut out[self.nodes()], par::FEW, |start, chunk| {
            for (i, value) in chunk.iter_mut().enumerate() {
                let mut alike = R::zero();
                for k in self.incidence().run(start + i) {
                    let (e, d) = (elements[k] as usize, weights[k]);
                    let Isotropic { shear, along, turn } = &scratch[e];
                    let turned = *turn * d;
                    alike += *shear * d.norm_squared();
                    *value += Mat3::outer(turned * *along, turned);
                    if !penalties.is_empty() {
                        let own = e + ahead == start + i;
                        let c = if own { self.penalty_sum(e) } else { penalties[k] };
                        alike += c * factors.get(e).map_or(penalty, |f| penalty * *f);
                    }
                }
                *value += Mat3::scaled_identity(alike);
            }
        });
    }

    fn penalty_sum(&self, e: usize) -> R {
        self.table.penalties[self.entries(e)].iter().fold(R::zero(), |a, &c| a + c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Tangent;

    #[test]
    fn an_isotropic_tangent_is_taken_for_itself_however_it_is_turned() {
        let (lambda, mu) = (3.0, 2.0);
        let turn = Mat3([[0.0, -0.6, 0.8], [1.0, 0.0, 0.0], [0.0, 0.8, 0.6]]);
        let same = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 };
        // ∂P_ij/∂F_kl of R (λ tr E + 2 μ E) with E = sym(Rᵀ F) − I, R held.
        let r = turn.0;
        let entry = |a: usize, b: usize| {
            let (i, j, k, l) = (a / 3, a % 3, b / 3, b % 3);
            lambda * r[i][j] * r[k][l] + mu * (same(i, k) * same(j, l) + r[i][l] * r[k][j])
        };
        let tangent = Tangent(std::array::from_fn(|a| std::array::from_fn(|b| entry(a, b))));
        let like = Isotropic::like(&PackedTangent::pack(&tangent), turn);
        assert!((like.shear - mu).abs() < 1e-12 && (like.along - (lambda + mu)).abs() < 1e-12, "{like:?}");
    }
}
