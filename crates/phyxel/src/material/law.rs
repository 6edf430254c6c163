//! What a law must be able to do.

use super::Spectrum;
use crate::math::{Lanes, Mat3, Real, Vec3};

/// A hyperelastic law: strain energy and its derivatives by the deformation gradient `F = I + G`.
pub trait Law<R: Real>: Copy + Send + Sync {
    /// Strain energy per rest volume [J/m³].
    fn energy(&self, g: Mat3<R>) -> R;

    /// First Piola–Kirchhoff stress `P = ∂Ψ/∂F` [Pa].
    fn stress(&self, g: Mat3<R>) -> Mat3<R>;

    /// `∂P/∂F` [Pa].
    fn tangent(&self, g: Mat3<R>, curvature: Curvature) -> Tangent<R>;

    /// The law as springs whose energies add up to its own, less a constant, and whose forces to its stress.
    ///
    /// For position-based methods: against change of form, of size, and the volume term, in this order.
    fn constraints(&self, g: Mat3<R>) -> [Constraint<R>; 3];

    /// [`Law::stress`] of several elements at once, equal to it bit for bit.
    ///
    /// Lane by lane unless the law's formula has no branches.
    #[inline(always)]
    fn stress_wide<const N: usize>(&self, g: Mat3<Lanes<R, N>>) -> Mat3<Lanes<R, N>> {
        let mut stress = Mat3::<Lanes<R, N>>::zero();
        for lane in 0..N {
            let one = self.stress(Mat3(g.0.map(|row| row.map(|x| x.0[lane]))));
            for i in 0..3 {
                for j in 0..3 {
                    stress.0[i][j].0[lane] = one.0[i][j];
                }
            }
        }
        stress
    }

    /// `∂P/∂F : δF`, the product of [`Law::tangent`] with a change of `F` [Pa].
    #[inline]
    fn stress_change(&self, g: Mat3<R>, dg: Mat3<R>, curvature: Curvature) -> Mat3<R> {
        self.tangent(g, curvature).apply(&dg)
    }

    /// Second derivatives by the singular values of `F`; `None` for laws that prefer some direction.
    #[inline]
    fn spectrum(&self, _sigma: [R; 3]) -> Option<Spectrum<R>> {
        None
    }
}

/// Which tangent is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The true second derivative, perhaps indefinite.
    Exact,
    /// Projected to positive semi-definite, for Newton's method and conjugate gradients.
    Psd,
}

/// `∂P/∂F` as a 9x9 matrix over the entries of `F` row by row: entry `(3i + j, 3k + l)` is `∂P_ij/∂F_kl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent<R>(pub [[R; 9]; 9]);

impl<R: Real> Tangent<R> {
    /// Filled with `entry(i, j, k, l) = ∂P_ij/∂F_kl`.
    #[inline]
    pub fn from_fn(entry: impl Fn(usize, usize, usize, usize) -> R) -> Self {
        let mut t = [[R::zero(); 9]; 9];
        for a in 0..9 {
            for b in 0..9 {
                t[a][b] = entry(a / 3, a % 3, b / 3, b % 3);
            }
        }
        Tangent(t)
    }

    /// From the change of stress that each unit change of one entry of `F` causes; symmetric to the last bit.
    #[inline]
    pub fn from_changes(change: impl Fn(Mat3<R>) -> Mat3<R>) -> Self {
        let mut t = [[R::zero(); 9]; 9];
        for a in 0..9 {
            let mut unit = Mat3::zero();
            unit.0[a / 3][a % 3] = R::one();
            let stress = change(unit);
            for b in a..9 {
                t[a][b] = stress.0[b / 3][b % 3];
                t[b][a] = t[a][b];
            }
        }
        Tangent(t)
    }

    /// No resistance at all.
    #[inline]
    pub fn zero() -> Self {
        Tangent([[R::zero(); 9]; 9])
    }

    /// Multiplies every entry.
    #[inline]
    pub fn scale(&mut self, factor: R) {
        self.0.iter_mut().flatten().for_each(|entry| *entry = *entry * factor);
    }

    /// Adds another tangent.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().flatten().zip(other.0.iter().flatten()).for_each(|(a, b)| *a += *b);
    }

    /// The tangent by `F` of stress that is computed from `F A`: `Σ_ab A_ja T_{ia,kb} A_lb`. Keeps it positive semi-definite.
    pub fn seen_through(&self, a: &Mat3<R>) -> Self {
        let mut half = [[R::zero(); 9]; 9];
        for row in 0..9 {
            for (k, l) in (0..3).flat_map(|k| (0..3).map(move |l| (k, l))) {
                let t = &self.0[row][3 * k..3 * k + 3];
                half[row][3 * k + l] = t[0] * a.0[l][0] + t[1] * a.0[l][1] + t[2] * a.0[l][2];
            }
        }
        let mut full = [[R::zero(); 9]; 9];
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            for c in 0..9 {
                full[3 * i + j][c] =
                    half[3 * i][c] * a.0[j][0] + half[3 * i + 1][c] * a.0[j][1] + half[3 * i + 2][c] * a.0[j][2];
            }
        }
        Tangent(full)
    }

    /// `(d · T)_{i,kl} = Σ_j T_{ij,kl} d_j`: the rows of a stiffness block before its columns are contracted.
    #[inline(always)]
    pub fn contract_left(&self, d: Vec3<R>) -> [[R; 9]; 3] {
        let mut rows = [[R::zero(); 9]; 3];
        for i in 0..3 {
            let [a, b, c] = [&self.0[3 * i], &self.0[3 * i + 1], &self.0[3 * i + 2]];
            for kl in 0..9 {
                rows[i][kl] = a[kl] * d.0[0] + b[kl] * d.0[1] + c[kl] * d.0[2];
            }
        }
        rows
    }

    /// The 3x3 stiffness block `Σ_jl T_{ij,kl} d_j e_l` between two weights, from [`Tangent::contract_left`].
    #[inline(always)]
    pub fn contract_right(rows: &[[R; 9]; 3], e: Vec3<R>) -> Mat3<R> {
        Mat3(rows.map(|r| std::array::from_fn(|k| r[3 * k] * e.0[0] + r[3 * k + 1] * e.0[1] + r[3 * k + 2] * e.0[2])))
    }

    /// `∂P/∂F : δF` [Pa].
    #[inline(always)]
    pub fn apply(&self, df: &Mat3<R>) -> Mat3<R> {
        let mut stress = Mat3::zero();
        for a in 0..9 {
            let mut sum = R::zero();
            for b in 0..9 {
                sum += self.0[a][b] * df.0[b / 3][b % 3];
            }
            stress.0[a / 3][a % 3] = sum;
        }
        stress
    }
}

/// A [`Tangent`] as it is kept per element: the upper triangle, row by row. Tangents are second derivatives of an energy,
/// so the lower triangle says nothing new and is not worth the memory that every product must read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedTangent<R>(pub [R; 45]);

impl<R: Real> PackedTangent<R> {
    /// No resistance at all.
    #[inline]
    pub fn zero() -> Self {
        PackedTangent([R::zero(); 45])
    }

    /// Keeps the upper triangle.
    #[inline(always)]
    pub fn pack(full: &Tangent<R>) -> Self {
        let mut packed = [R::zero(); 45];
        let mut next = 0;
        for a in 0..9 {
            for b in a..9 {
                packed[next] = full.0[a][b];
                next += 1;
            }
        }
        PackedTangent(packed)
    }

    /// Mirrors the upper triangle.
    #[inline(always)]
    pub fn unpack(&self) -> Tangent<R> {
        let mut full = [[R::zero(); 9]; 9];
        let mut next = 0;
        for a in 0..9 {
            for b in a..9 {
                full[a][b] = self.0[next];
                full[b][a] = self.0[next];
                next += 1;
            }
        }
        Tangent(full)
    }

    /// Adds another tangent.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a += *b);
    }

    /// `Σ_ij ∂P_ij/∂F_ij` [Pa].
    pub fn trace(&self) -> R {
        // Row `a` of the triangle is `9 − a` long.
        let (mut sum, mut place) = (R::zero(), 0);
        for a in 0..9 {
            sum += self.0[place];
            place += 9 - a;
        }
        sum
    }

    /// `∂P/∂F : δF` [Pa].
    #[inline(always)]
    pub fn apply(&self, df: &Mat3<R>) -> Mat3<R> {
        self.unpack().apply(df)
    }

    /// See [`Tangent::contract_left`].
    #[inline(always)]
    pub fn contract_left(&self, d: Vec3<R>) -> [[R; 9]; 3] {
        self.unpack().contract_left(d)
    }
}

/// A scalar measure of deformation with the energy density `½ modulus value²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint<R> {
    /// The measure `C`; zero when satisfied.
    pub value: R,
    /// `∂C/∂F`; zero where `C` has no direction to grow.
    pub gradient: Mat3<R>,
    /// Stiffness [Pa]; zero for a constraint that the law does not have. Auxetic matter has a negative one against change of
    /// size.
    pub modulus: R,
}

impl<R: Real> Constraint<R> {
    /// No constraint.
    #[inline]
    pub fn none() -> Self {
        Constraint { value: R::zero(), gradient: Mat3::zero(), modulus: R::zero() }
    }

    /// `C = ‖M‖`, with `direction` the product `C ∂C/∂F`.
    #[inline]
    pub(super) fn norm(m: Mat3<R>, direction: Mat3<R>, modulus: R) -> Self {
        let value = m.norm();
        let gradient = if value > R::zero() { direction * (R::one() / value) } else { Mat3::zero() };
        Constraint { value, gradient, modulus }
    }
}
