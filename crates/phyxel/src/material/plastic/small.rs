//! Hooke's law on the small strain, with the radial return of the textbooks (Simo & Hughes 1998, box 3.1).

use super::Hencky;
use super::hencky::{Returned, Surface};
use crate::material::{Constraint, Tangent};
use crate::math::{Mat3, Real};

/// The trial strain's parts and the answer to them.
fn respond<R: Real>(law: &Hencky<R>, strain: &Mat3<R>, surface: Option<Surface<R>>) -> (R, Mat3<R>, Returned<R>) {
    let trace = strain.trace();
    let deviator = strain.symmetric_part() - Mat3::scaled_identity(trace / R::of(3.0));
    let q = law.mu * (R::of(6.0) * deviator.contract(&deviator)).sqrt();
    (trace, deviator, law.return_to(q, surface))
}

/// Incremental potential [J/m³] at the elastic trial strain `sym(g)`.
pub(super) fn energy<R: Real>(law: &Hencky<R>, g: Mat3<R>, surface: Option<Surface<R>>) -> R {
    let (trace, _, returned) = respond(law, &g, surface);
    law.potential(trace, &returned, surface)
}

/// Stress [Pa].
pub(super) fn stress<R: Real>(law: &Hencky<R>, g: Mat3<R>, surface: Option<Surface<R>>) -> Mat3<R> {
    let (trace, deviator, returned) = respond(law, &g, surface);
    deviator * ((law.mu + law.mu) * returned.ratio) + Mat3::scaled_identity(law.bulk * trace)
}

/// `∂σ/∂ε : δε`, the algorithmic tangent [Pa]; positive semi-definite, as hardening is not negative.
pub(super) fn change<R: Real>(law: &Hencky<R>, g: Mat3<R>, dg: &Mat3<R>, surface: Option<Surface<R>>) -> Mat3<R> {
    let (_, deviator, returned) = respond(law, &g, surface);
    let two_mu = law.mu + law.mu;
    let trace = dg.trace();
    let shear = dg.symmetric_part() - Mat3::scaled_identity(trace / R::of(3.0));
    let along = deviator * (returned.softening * two_mu * two_mu * deviator.contract(&shear));
    shear * (two_mu * returned.ratio) + along + Mat3::scaled_identity(law.bulk * trace)
}

/// The same as a matrix.
pub(super) fn tangent<R: Real>(law: &Hencky<R>, g: Mat3<R>, surface: Option<Surface<R>>) -> Tangent<R> {
    Tangent::from_changes(|dg| change(law, g, &dg, surface))
}

/// Form and size as springs, without flow.
pub(super) fn constraints<R: Real>(law: &Hencky<R>, g: Mat3<R>) -> [Constraint<R>; 3] {
    let (trace, deviator, _) = respond(law, &g, None);
    [
        Constraint::norm(deviator, deviator, law.mu + law.mu),
        Constraint { value: trace, gradient: Mat3::identity(), modulus: law.bulk },
        Constraint::none(),
    ]
}

/// The increment of the plastic strain and the answer of the surface, if there is flow.
pub(super) fn flow<R: Real>(
    law: &Hencky<R>,
    g: Mat3<R>,
    surface: Option<Surface<R>>,
) -> Option<(Mat3<R>, Returned<R>)> {
    let (_, deviator, returned) = respond(law, &g, surface);
    (returned.increment > R::zero()).then(|| (deviator * (R::one() - returned.ratio), returned))
}
