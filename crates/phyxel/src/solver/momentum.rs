//! Momentum of bodies, and its restoration where an integrator loses some.
//!
//! Implicit and Runge–Kutta methods keep angular momentum only to their order, and an unfinished linear solve keeps
//! neither: a spinning cube would slow down without a cause. For a body that nothing holds, touches or loads, both
//! are known in advance, and the smallest rigid velocity that brings them back is added.

use crate::math::{Mat3, Real, Vec3};
use crate::model::{BodyModel, Model};
use crate::par;

/// Mass, centre and momenta of a body.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    /// [kg]
    pub mass: f64,
    /// Centre of mass [m].
    pub center: Vec3<f64>,
    /// Linear momentum [kg m/s].
    pub linear: Vec3<f64>,
    /// Angular momentum about the centre of mass [kg m²/s].
    pub angular: Vec3<f64>,
    /// Inertia about the centre of mass [kg m²].
    pub inertia: Mat3<f64>,
}

/// What is summed over nodes: mass, m x, m v, x × m v, and second moments of mass, relative to a fixed point.
type Sums = [f64; 16];

/// Momentum of a body at displacements `u` and velocities `v`.
pub fn of_body<R: Real>(model: &Model<R>, body: &BodyModel, u: &[Vec3<R>], v: &[Vec3<R>]) -> Momentum {
    // Relative to one of its own nodes, so that a body far from the origin keeps its digits.
    let first = body.nodes.start;
    let origin = Vec3(model.rest[first].to_f64()) + Vec3(u[first].to_f64());
    let part = |range: std::ops::Range<usize>| {
        let mut s: Sums = [0.0; 16];
        for i in range {
            let n = first + i;
            let m = model.masses[n].to_f64();
            let x = Vec3(model.rest[n].to_f64()) + Vec3(u[n].to_f64()) - origin;
            let p = Vec3(v[n].to_f64()) * m;
            let l = x.cross(p);
            let second = [x[0] * x[0], x[1] * x[1], x[2] * x[2], x[0] * x[1], x[1] * x[2], x[2] * x[0]];
            s[0] += m;
            for a in 0..3 {
                s[1 + a] += m * x[a];
                s[4 + a] += p[a];
                s[7 + a] += l[a];
            }
            for a in 0..6 {
                s[10 + a] += m * second[a];
            }
        }
        s
    };
    let add = |mut a: Sums, b: Sums| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    from_sums(par::fold_ranges(0..body.nodes.len(), &part, &add), origin)
}

fn from_sums(s: Sums, origin: Vec3<f64>) -> Momentum {
    let mass = s[0];
    let arm = Vec3([s[1], s[2], s[3]]) * (1.0 / mass);
    let linear = Vec3([s[4], s[5], s[6]]);
    let angular = Vec3([s[7], s[8], s[9]]) - arm.cross(linear);
    let [xx, yy, zz, xy, yz, zx] = [s[10], s[11], s[12], s[13], s[14], s[15]];
    let about_origin = Mat3([[yy + zz, -xy, -zx], [-xy, zz + xx, -yz], [-zx, -yz, xx + yy]]);
    let shift = Mat3::scaled_identity(arm.norm_squared()) - Mat3::outer(arm, arm);
    Momentum { mass, center: origin + arm, linear, angular, inertia: about_origin - shift * mass }
}

impl Momentum {
    /// Both together, about their common centre.
    pub fn join(&self, other: &Momentum) -> Momentum {
        let mass = self.mass + other.mass;
        let center = (self.center * self.mass + other.center * other.mass) * (1.0 / mass);
        let moved = |m: &Momentum| {
            let arm = m.center - center;
            let shift = Mat3::scaled_identity(arm.norm_squared()) - Mat3::outer(arm, arm);
            (m.angular + arm.cross(m.linear), m.inertia + shift * m.mass)
        };
        let ((a, i), (b, j)) = (moved(self), moved(other));
        Momentum { mass, center, linear: self.linear + other.linear, angular: a + b, inertia: i + j }
    }
}

/// Adds the rigid velocity that gives some bodies, together `now`, the momenta that they should have.
pub fn restore<'a, R: Real>(
    model: &Model<R>,
    bodies: impl Iterator<Item = &'a BodyModel>,
    now: &Momentum,
    (u, v): (&mut [Vec3<R>], &mut [Vec3<R>]),
    (linear, angular, dt): (Vec3<f64>, Vec3<f64>, f64),
) {
    let push = (linear - now.linear) * (1.0 / now.mass);
    // A straight row of nodes has no inertia about itself; it cannot take up that part of the spin either.
    let (inverse, _) = crate::math::pseudo_inverse_symmetric(&now.inertia, 1e-9);
    let spin = inverse * (angular - now.angular);
    for body in bodies {
        let first = body.nodes.start;
        par::for_each(&mut v[body.nodes.clone()], |i, v| {
            let arm = model.place(first + i, u[first + i]) - now.center;
            *v += Vec3::of((push + spin.cross(arm)).0);
        });
        // The centre has moved at the velocity before: about any other point, that would be angular momentum.
        let shift = Vec3::of((push * dt).0);
        par::for_each(&mut u[body.nodes.clone()], |_, u| *u += shift);
    }
}
