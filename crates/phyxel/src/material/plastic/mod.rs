//! Matter that keeps part of its deformation.
//!
//! Every element may carry a [`Grain`]: the plastic part of its deformation and what heat has made of its constants. The law
//! sees what is left, `F_e = F F_p⁻¹`; with `A = F_p⁻¹` that is the stencil again with the weights `Aᵀ d`, so stress and
//! tangent are those of the law, contracted with `A`. Bodies without grains never come here.

mod checks;
mod fibre;
mod grain;
mod hencky;
mod inner;
mod small;
mod strain;
#[cfg(test)]
mod tests;
mod wide;

pub use grain::{FROZEN, Grain, Inner, Inners};
pub use hencky::{Hencky, isochoric_power};
pub use inner::InnerLaw;

/// How a material yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plasticity {
    /// Strain-state plasticity (Müller et al. 2004, section 4.1; Stegmayr 2008, section 4.1.2): elastic strain beyond
    /// `yield_strain` is absorbed at a rate, at the end of each step, whatever the law.
    Strain {
        /// Frobenius norm of the elastic Green strain above which strain is absorbed.
        yield_strain: f64,
        /// Time in which the elastic strain falls to `1/e` [s]; 0 absorbs all that is above the yield strain at once.
        relaxation_time: f64,
        /// Norm of the plastic Green strain beyond which nothing is absorbed; infinite for no bound.
        max_strain: f64,
    },
    /// Von Mises plasticity with isotropic hardening, `F = F_e F_p` with `det F_p = 1`, returned to the yield surface inside
    /// every evaluation of the stress. The elastic part obeys Hooke's law on the logarithmic strain with the material's
    /// constants (on the small strain where the law is linear): other laws differ from it only beyond the strains at
    /// which such matter yields.
    Stress {
        /// Von Mises stress at which flow begins [Pa].
        yield_stress: f64,
        /// Growth of the yield stress with the equivalent plastic strain [Pa].
        hardening: f64,
        /// Time in which the stress above the yield surface falls to `1/e` (Duvaut–Lions) [s]; 0 for matter that does not
        /// care how fast it is deformed.
        relaxation_time: f64,
    },
}

impl Plasticity {
    /// The relaxation time [s] of a creep: the share, 0 to 1, of the elastic strain that is absorbed in one second.
    ///
    /// The papers absorb a share per step, so that their clay depends on the step.
    pub fn relaxation_of_creep(creep: f64) -> f64 {
        if creep <= 0.0 { f64::INFINITY } else { -1.0 / (-creep).ln_1p() }
    }
}

/// The constants of a [`Plasticity`] in the numbers of the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Flow<R> {
    /// Elastic.
    None,
    /// See [`Plasticity::Strain`].
    Strain { yield_strain: R, relaxation: R, max_strain: R },
    /// See [`Plasticity::Stress`].
    Stress { yield_stress: R, hardening: R, relaxation: R },
}
