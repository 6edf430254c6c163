//! Deformations to test on: random, rotated, flattened, inverted, stretched, and at rest.

use crate::oracle::{M, product, transpose};

/// Reproducible numbers (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    /// Between −1 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Entries between −size and size.
    pub fn matrix(&mut self, size: f64) -> M {
        std::array::from_fn(|_| std::array::from_fn(|_| size * self.uniform()))
    }

    /// The rotation of a random unit quaternion.
    pub fn rotation(&mut self) -> M {
        let q: [f64; 4] = std::array::from_fn(|_| self.uniform());
        let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [w, x, y, z] = q.map(|c| c / n);
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    }

    /// A deformation with these singular values in random directions.
    pub fn stretched(&mut self, d: [f64; 3]) -> M {
        let scaled = std::array::from_fn(|i| {
            let mut row = [0.0; 3];
            row[i] = d[i];
            row
        });
        product(&product(&self.rotation(), &scaled), &transpose(&self.rotation()))
    }
}

/// Signed singular values of the awkward kinds; no two of them cancel, since there the corotated law has a kink.
const STRETCHES: [[f64; 3]; 10] = [
    [1.0, 1.0, 1.0],
    [1.3, 1.3, 1.3],
    [1.2, 1.2, 0.7],
    [1.2, 0.9, 1e-3],
    [1.2, 0.9, 0.0],
    [0.9, 0.8, -1e-3],
    [1.1, 0.8, -0.5],
    [1.5, 1.2, -0.9],
    [3.0, 1.5, 0.4],
    [0.5, 0.45, 0.4],
];

/// Deformation gradients `F`.
pub fn deformations() -> Vec<M> {
    let mut numbers = Numbers(7);
    let mut all = vec![[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]];
    for _ in 0..6 {
        let mut f = numbers.matrix(0.3);
        for i in 0..3 {
            f[i][i] += 1.0;
        }
        all.push(product(&numbers.rotation(), &f));
        all.push(f);
    }
    for d in STRETCHES {
        all.push(numbers.stretched(d));
        all.push(numbers.stretched(d));
    }
    all
}

/// Rank-one deformations of two-node springs, short and long.
pub fn spring_deformations() -> Vec<M> {
    let mut numbers = Numbers(17);
    let mut all = Vec::new();
    for stretch in [0.2, 0.9, 1.0, 1.1, 3.0] {
        for _ in 0..3 {
            all.push(numbers.stretched([stretch, 0.0, 0.0]));
        }
    }
    all
}
