//! Tangents of isotropic laws in the frame of the singular values.
//!
//! There the 9x9 second derivative falls apart: a 3x3 block for stretches along the axes, and for each pair of axes one
//! number against shearing them alike (flip) and one against turning them (twist) (Smith, de Goes, Kim 2019).
//! Each law gives the numbers with the division by `σi ± σj` already carried out, so equal singular values need no care.

use super::{Curvature, Tangent};
use crate::math::{Mat3, Real, Svd, project_psd_3};

/// Second derivatives of an isotropic energy `Ψ(σ)`; entry `k` of the pairs belongs to the two axes other than `k` [Pa].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum<R> {
    /// `∂²Ψ/∂σi∂σj`.
    pub block: Mat3<R>,
    /// `(Ψi + Ψj) / (σi + σj)`.
    pub twist: [R; 3],
    /// `(Ψi − Ψj) / (σi − σj)`.
    pub flip: [R; 3],
}

/// The two axes other than `k`.
#[inline(always)]
pub(super) fn pair(k: usize) -> (usize, usize) {
    ((k + 1) % 3, (k + 2) % 3)
}

impl<R: Real> Spectrum<R> {
    /// The wanted curvature. Clamping part by part is the exact projection, since the parts are orthogonal.
    #[inline]
    fn shaped(mut self, curvature: Curvature) -> Self {
        if curvature == Curvature::Exact {
            return self;
        }
        project_psd_3(&mut self.block);
        self.twist = self.twist.map(|x| x.max(R::zero()));
        self.flip = self.flip.map(|x| x.max(R::zero()));
        self
    }

    /// The change of stress of a change of `F`, both in the frame of the singular values.
    #[inline(always)]
    fn apply(&self, df: &Mat3<R>) -> Mat3<R> {
        let mut dp = Mat3::zero();
        let half = R::of(0.5);
        for k in 0..3 {
            let stretch = self.block.0[k];
            dp.0[k][k] = stretch[0] * df.0[0][0] + stretch[1] * df.0[1][1] + stretch[2] * df.0[2][2];
            let (i, j) = pair(k);
            let alike = self.flip[k] * half * (df.0[i][j] + df.0[j][i]);
            let turning = self.twist[k] * half * (df.0[i][j] - df.0[j][i]);
            dp.0[i][j] = alike + turning;
            dp.0[j][i] = alike - turning;
        }
        dp
    }
}

/// `∂P/∂F` from the singular value decomposition of `F` and the second derivatives there.
#[inline]
pub(super) fn tangent<R: Real>(frame: &Svd<R>, spectrum: Spectrum<R>, curvature: Curvature) -> Tangent<R> {
    let spectrum = spectrum.shaped(curvature);
    let (u, v, vt) = (frame.u, frame.v, frame.v.transpose());
    let mut t = [[R::zero(); 9]; 9];
    for a in 0..9 {
        // A unit change of one entry of F is, in the frame, a row of U times a row of V.
        let dp = u * spectrum.apply(&Mat3::outer(u.row(a / 3), v.row(a % 3))) * vt;
        for b in a..9 {
            t[a][b] = dp.0[b / 3][b % 3];
            t[b][a] = t[a][b];
        }
    }
    Tangent(t)
}

/// `∂P/∂F : δF` without the 9x9 matrix.
#[inline]
pub(super) fn change<R: Real>(frame: &Svd<R>, spectrum: Spectrum<R>, dg: &Mat3<R>, curvature: Curvature) -> Mat3<R> {
    let spectrum = spectrum.shaped(curvature);
    frame.u * spectrum.apply(&(frame.u.transpose() * *dg * frame.v)) * frame.v.transpose()
}
