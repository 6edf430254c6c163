//! Seeded matrices for the tests of this folder.

use super::{Mat3, Real, Vec3};

/// Reproducible numbers (splitmix64).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Numbers(seed)
    }
    /// Between −1 and 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// Entries between −size and size.
    pub(crate) fn matrix(&mut self, size: f64) -> Mat3<f64> {
        Mat3(std::array::from_fn(|_| std::array::from_fn(|_| size * self.uniform())))
    }
    /// A rotation by Rodrigues' formula.
    pub(crate) fn rotation(&mut self) -> Mat3<f64> {
        let axis = Vec3([self.uniform(), self.uniform(), 0.1 + self.uniform().abs()]).normalized();
        let angle = std::f64::consts::PI * self.uniform();
        let [x, y, z] = axis.0;
        let k = Mat3([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]);
        Mat3::identity() + k * angle.sin() + k * k * (1.0 - angle.cos())
    }
}

/// Random, rotated, flattened, inverted, zero, tiny and huge matrices, and the corners between them.
pub(crate) fn difficult() -> Vec<[[f64; 3]; 3]> {
    let mut numbers = Numbers::new(1);
    let mut all = vec![[[0.0; 3]; 3], Mat3::<f64>::identity().0, [[1.0; 3]; 3], [[0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]]];
    let stretches = [
        [1.0, 1.0, 1.0],
        [1.2, 1.0, 0.9],
        [1.0, 1.0, -1.0],
        [1.0, 1.0, 1e-3],
        [1.0, 1e-9, 0.0],
        [1.0, 1e-30, 1e-35],
        [2.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [-1.0, -1.0, -1.0],
        [1.0, 0.5, -0.5],
        [1.0 + 1e-7, 1.0, 1.0 - 1e-7],
        [100.0, 1.0, 0.01],
    ];
    for _ in 0..20 {
        all.push(numbers.matrix(2.0).0);
        all.push(numbers.rotation().0);
        for d in stretches {
            all.push((numbers.rotation() * Mat3::diagonal(d) * numbers.rotation()).0);
        }
    }
    let scaled = |factor: f64| all.iter().map(move |m| m.map(|r| r.map(|x| x * factor))).collect::<Vec<_>>();
    [scaled(1e-20), scaled(1e20), scaled(1e-37), scaled(1e36)].concat().into_iter().chain(all).collect()
}

/// Orthogonal to the tolerance, with determinant +1.
pub(crate) fn assert_rotation<R: Real>(q: &Mat3<R>, tolerance: f64) {
    let error = (q.transpose() * *q - Mat3::identity()).norm().to_f64();
    assert!(error < tolerance, "not orthogonal by {error:e}: {q:?}");
    assert!(q.det() > R::zero(), "a reflection: {q:?}");
}
