//! Mistakes in how a material yields.

use super::Plasticity;
use crate::material::MaterialError;
use crate::material::checks::{not_negative, positive};

impl Plasticity {
    /// Whether the constants make sense; the first mistake otherwise.
    pub(crate) fn check(&self) -> Result<(), MaterialError> {
        let time = |value: f64| if value == f64::INFINITY { Ok(()) } else { not_negative("relaxation_time", value) };
        match *self {
            Plasticity::Strain { yield_strain, relaxation_time, max_strain } => {
                positive("yield_strain", yield_strain, "clay yields at 0.01, dough at 0.1")?;
                if max_strain != f64::INFINITY {
                    not_negative("max_strain", max_strain)?;
                }
                time(relaxation_time)
            }
            Plasticity::Stress { yield_stress, hardening, relaxation_time } => {
                positive("yield_stress", yield_stress, "clay yields at 2e4, lead at 1e7, steel at 2.5e8 Pa")?;
                not_negative("hardening", hardening)?;
                time(relaxation_time)
            }
        }
    }
}
