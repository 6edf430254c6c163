//! Matter that is stiffer in some directions.

use super::{Constraint, Curvature, Law, Tangent};
use crate::math::{Lanes, Mat3, Real, Scalar, green_strain, project_psd_9};

/// `Ψ = ½ eᵀ C e` on Green's strain `e = (Exx, Eyy, Ezz, 2Eyz, 2Ezx, 2Exy)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anisotropic<R> {
    /// The symmetric stiffness `C` [Pa].
    pub stiffness: [[R; 6]; 6],
}

/// Second Piola–Kirchhoff stress of a Green strain.
#[inline(always)]
fn second_piola<S: Scalar>(c: &[[S; 6]; 6], e: &Mat3<S>) -> Mat3<S> {
    let e = &e.0;
    let voigt = [e[0][0], e[1][1], e[2][2], e[1][2] + e[2][1], e[2][0] + e[0][2], e[0][1] + e[1][0]];
    let [xx, yy, zz, yz, zx, xy] = c.map(|row| {
        let mut sum = row[0] * voigt[0];
        for b in 1..6 {
            sum += row[b] * voigt[b];
        }
        sum
    });
    Mat3([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
}

#[inline(always)]
fn stress<S: Scalar>(c: &[[S; 6]; 6], g: Mat3<S>) -> Mat3<S> {
    let s = second_piola(c, &green_strain(&g));
    s + g * s
}

impl<R: Real> Law<R> for Anisotropic<R> {
    #[inline]
    fn energy(&self, g: Mat3<R>) -> R {
        let e = green_strain(&g);
        R::of(0.5) * e.contract(&second_piola(&self.stiffness, &e))
    }

    #[inline(always)]
    fn stress(&self, g: Mat3<R>) -> Mat3<R> {
        stress(&self.stiffness, g)
    }

    #[inline(always)]
    fn stress_wide<const N: usize>(&self, g: Mat3<Lanes<R, N>>) -> Mat3<Lanes<R, N>> {
        stress(&self.stiffness.map(|row| row.map(|c| Lanes([c; N]))), g)
    }

    #[inline]
    fn tangent(&self, g: Mat3<R>, curvature: Curvature) -> Tangent<R> {
        let mut tangent = Tangent::from_changes(|dg| self.stress_change(g, dg, Curvature::Exact));
        if curvature == Curvature::Psd {
            project_psd_9(&mut tangent.0);
        }
        tangent
    }

    #[inline]
    fn stress_change(&self, g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        if curvature == Curvature::Psd {
            return self.tangent(g, curvature).apply(&dg);
        }
        let f = Mat3::identity() + g;
        let strain_change = (f.transpose() * dg).symmetric_part();
        let c = &self.stiffness;
        dg * second_piola(c, &green_strain(&g)) + f * second_piola(c, &strain_change)
    }

    /// One constraint `√(2Ψ)`: form and size are not apart here.
    #[inline]
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3] {
        let value = (R::of(2.0) * self.energy(g)).max(R::zero()).sqrt();
        let gradient = if value > R::zero() { self.stress(g) * (R::one() / value) } else { Mat3::zero() };
        [Constraint { value, gradient, modulus: R::one() }, Constraint::none(), Constraint::none()]
    }
}

/// The nine constants of matter with three perpendicular planes of symmetry, such as wood, along the axes x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orthotropic {
    /// Young's moduli along x, y and z [Pa].
    pub young_modulus: [f64; 3],
    /// Poisson's ratios `nu_xy`, `nu_yz`, `nu_xz`: contraction along the second axis when pulled along the first.
    pub poisson_ratio: [f64; 3],
    /// Shear moduli in the planes yz, zx and xy [Pa].
    pub shear_modulus: [f64; 3],
}

impl Orthotropic {
    /// The 6x6 stiffness for [`LawKind::Anisotropic`](super::LawKind::Anisotropic): the inverse of the compliance [Pa].
    ///
    /// `None` when the compliance has no inverse. A stiffness that is not positive definite is found by
    /// [`Material::check`](super::Material::check).
    pub fn stiffness(&self) -> Option<[[f64; 6]; 6]> {
        let [ex, ey, ez] = self.young_modulus;
        let [xy, yz, xz] = self.poisson_ratio;
        let compliance =
            Mat3([[1.0 / ex, -xy / ex, -xz / ex], [-xy / ex, 1.0 / ey, -yz / ey], [-xz / ex, -yz / ey, 1.0 / ez]]);
        // Scaled to moduli of one, so that the determinant does not underflow.
        let normal = (compliance * ex).inverse()?.symmetric_part() * ex;
        let mut c = [[0.0; 6]; 6];
        for i in 0..3 {
            c[i][..3].copy_from_slice(&normal.0[i]);
            c[3 + i][3 + i] = self.shear_modulus[i];
        }
        Some(c)
    }
}
