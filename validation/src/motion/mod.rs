//! Cases about time: integrators, waves, impact, springs and what must stay constant.

pub(crate) mod bench;
mod drift;
mod impact;
mod lattice;
mod momentum;
mod oscillator;
mod rope;
mod spin;
mod spring;
mod stable_step;
mod wave;

use crate::Case;

/// Runs a case in the precision that the options ask for.
macro_rules! case {
    ($name:literal, $summary:literal, $module:ident::$rows:ident) => {{
        fn run(options: &$crate::Options) -> Vec<$crate::Row> {
            let bench = $crate::motion::bench::Bench::new($name, options.precision);
            match options.precision {
                phyxel::Precision::F32 => $module::$rows::<f32>(&bench),
                phyxel::Precision::F64 => $module::$rows::<f64>(&bench),
            }
        }
        $crate::Case { name: $name, summary: $summary, run }
    }};
}
pub(crate) use case;

pub(crate) const CASES: &[Case] = &[
    case!("spin", "a bar that spins about its centre becomes longer", spin::rows),
    case!("wave", "how fast a jerk at one end runs through a bar", wave::rows),
    case!("impact", "a bar hits a rigid wall and rebounds", impact::rows),
    case!("oscillator", "energy that each integrator gains or loses in ten periods", oscillator::energy_rows),
    case!("order", "how fast the error of each integrator falls with the step", oscillator::order_rows),
    case!("energy-drift", "energy of a bar that vibrates for a hundred periods", drift::rows),
    case!("stable-step", "the engine's bound on explicit steps against the true limit", stable_step::rows),
    case!("spring", "a mass on a spring: extension and frequency", spring::rows),
    case!("rope", "sag of a rope between two nails", rope::rows),
    case!("lattice", "stiffness of a lattice of springs", lattice::rows),
    case!("momentum", "linear and angular momentum of a free body", momentum::rows),
];
