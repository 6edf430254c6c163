//! Bodies that break.

mod bend;
mod brazil;
mod kalthoff;
mod pieces;
mod pull;
mod spall;

use crate::Case;
use crate::elasticity::rig::Vector;
use phyxel::material::{Fracture, LawKind, Material};
use phyxel::math::Real;
use phyxel::scene::{Method, Region};
use phyxel::{Precision, Simulation};

pub(crate) const CASES: &[Case] = &[
    Case { name: "tensile", summary: "load at which a bar with a weak plane breaks, and where", run: pull::tensile },
    Case { name: "release", summary: "speed of the ends of a strained bar that breaks", run: pull::release },
    Case { name: "spall", summary: "a striker's wave breaks the far end off a bar", run: spall::spall },
    Case { name: "bend", summary: "three-point bending of a brittle beam", run: bend::bend },
    Case { name: "notch", summary: "three-point bending of a beam that is cut half through", run: bend::notch },
    Case { name: "kalthoff", summary: "a crack turns away from a notch that is sheared", run: kalthoff::kalthoff },
    Case { name: "brazil", summary: "a disc that is squeezed splits along its middle", run: brazil::brazil },
    Case { name: "pieces", summary: "a bar that bursts loses neither mass nor momentum", run: pieces::pieces },
];

/// The methods that can break.
const METHODS: [Method; 3] = [Method::Tet, Method::Edge, Method::Mls];

/// Runs a measurement in the precision that the options ask for.
macro_rules! in_precision {
    ($options:expr, $f:ident($($argument:expr),*)) => {
        match $options.precision {
            phyxel::Precision::F32 => $f::<f32>($($argument),*),
            phyxel::Precision::F64 => $f::<f64>($($argument),*),
        }
    };
}
pub(crate) use in_precision;

/// Brittle matter with E = 1e9 Pa and 1000 kg/m³, in which waves run at 1000 m/s.
fn brittle(law: LawKind, strength: f64) -> Material {
    let fracture = Some(Fracture::brittle(strength));
    Material { law, young_modulus: 1e9, poisson_ratio: 0.0, density: 1000.0, fracture, ..Material::default() }
}

/// The nodes at x.
fn plane(x: f64) -> Region {
    Region::Box { min: [x - 1e-6, -9.0, -9.0], max: [x + 1e-6, 9.0, 9.0] }
}

/// Sum over the nodes whose rest position `inside` picks of the force that holds them [N].
fn held<R: Real>(simulation: &mut Simulation<R>, inside: impl Fn(Vector) -> bool) -> Vector {
    let forces = simulation.forces();
    let rest = &simulation.model().rest;
    let picked = (0..forces.len()).filter(|n| inside(rest[*n].to_f64()));
    picked.fold([0.0; 3], |sum, n| [0, 1, 2].map(|a| sum[a] - forces[n].0[a].to_f64()))
}

/// How exactly equilibrium is found.
fn exactness(precision: Precision) -> (f64, f64) {
    if precision == Precision::F64 { (1e-9, 1e-8) } else { (1e-5, 1e-2) }
}
