//! Elastic bodies at rest, and the notes they ring with.

mod bar;
mod cantilever;
mod convergence;
mod cook;
mod elastica;
mod homogeneous;
mod real_time;
pub(crate) mod rig;
pub(crate) mod specimen;
mod sphere;

use crate::Case;

pub(crate) use rig::{pins, points_of};
pub(crate) use specimen::volume;

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "patch",
        summary: "a linear displacement of the boundary arrives everywhere",
        run: homogeneous::patch,
    },
    Case {
        name: "finite-strain",
        summary: "stress and energy of a large deformation",
        run: homogeneous::finite_strain,
    },
    Case { name: "rigid", summary: "a turned body has no stress", run: homogeneous::rigid },
    Case { name: "uniaxial", summary: "a bar pulled or pressed, its sides free", run: bar::uniaxial },
    Case { name: "shear", summary: "simple shear by half", run: homogeneous::shear },
    Case { name: "poisson", summary: "the waist of a pulled bar", run: bar::poisson },
    Case { name: "cantilever-tip", summary: "a beam bent by a force on its end", run: cantilever::tip },
    Case { name: "cantilever-gravity", summary: "a beam bent by its own weight", run: cantilever::weight },
    Case { name: "cantilever-frequency", summary: "the lowest notes of a beam", run: cantilever::frequency },
    Case { name: "beam-real-time", summary: "the sag of a beam at 60 steps a second", run: real_time::sag },
    Case { name: "residual", summary: "the linear solver reaches what it is asked for", run: real_time::residual },
    Case { name: "elastica", summary: "a slender beam bent far", run: elastica::elastica },
    Case { name: "cook", summary: "Cook's membrane", run: cook::cook },
    Case { name: "sphere", summary: "a thick shell under pressure from within", run: sphere::sphere },
    Case { name: "convergence", summary: "errors shrink as they should", run: convergence::convergence },
];
