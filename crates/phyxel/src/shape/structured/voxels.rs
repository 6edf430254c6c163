//! Lattice points inside round shapes.

use super::super::{PointSampling, TriMesh};

/// A shape around the origin, by what it contains.
pub(crate) struct Solid<F: Fn([f64; 3]) -> bool> {
    /// Half of its extent along each axis [m].
    pub half: [f64; 3],
    /// Whether a point is inside.
    pub contains: F,
    /// Its exact volume [m³].
    pub volume: f64,
}

impl<F: Fn([f64; 3]) -> bool> Solid<F> {
    /// Calls `found` for the lattice points inside; coordinates are counted in half spacings from the centre.
    fn visit(&self, spacing: f64, lattice: Lattice, mut found: impl FnMut([i64; 3])) {
        let shift = lattice.shift();
        let reach = [0, 1, 2].map(|a| (self.half[a] / spacing).floor() as i64 + 1);
        for z in -reach[2]..=reach[2] {
            for y in -reach[1]..=reach[1] {
                for x in -reach[0]..=reach[0] {
                    let c = [2 * x + shift, 2 * y + shift, 2 * z + shift];
                    if (self.contains)(position(c, spacing)) {
                        found(c);
                    }
                }
            }
        }
    }

    fn count(&self, spacing: f64, lattice: Lattice) -> usize {
        let mut count = 0;
        self.visit(spacing, lattice, |_| count += 1);
        count
    }

    /// One of the 26 lattice points around is outside.
    fn is_outer(&self, c: [i64; 3], spacing: f64) -> bool {
        let near = |k: i64| [c[0] + 2 * (k % 3 - 1), c[1] + 2 * (k / 3 % 3 - 1), c[2] + 2 * (k / 9 - 1)];
        (0..27).any(|k| !(self.contains)(position(near(k), spacing)))
    }

    /// The lattice whose number of points inside comes nearest to `wanted`.
    fn best_for_count(&self, wanted: usize) -> (f64, Lattice) {
        let even = (self.volume / wanted as f64).cbrt();
        let mut best = (usize::MAX, even, Lattice::CellCentred);
        // From the even spacing outwards, so that among equals the most even one stays.
        for step in 0..60 {
            let change = 0.005 * ((step + 1) / 2) as f64;
            let spacing = even * if step % 2 == 0 { 1.0 + change } else { 1.0 - change };
            for lattice in [Lattice::CellCentred, Lattice::NodeCentred] {
                let miss = self.count(spacing, lattice).abs_diff(wanted);
                if miss < best.0 {
                    best = (miss, spacing, lattice);
                }
            }
            if best.0 * 200 <= wanted {
                break;
            }
        }
        (best.1, best.2)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Lattice {
    /// The shape's centre lies between points.
    CellCentred,
    /// The shape's centre is a point.
    NodeCentred,
}

impl Lattice {
    fn shift(self) -> i64 {
        if self == Lattice::CellCentred { 1 } else { 0 }
    }
}

/// How fine a sampling shall be.
pub(crate) enum Fineness {
    /// Distance between phyxels [m].
    Spacing(f64),
    /// About this many phyxels.
    Count(usize),
}

/// Lattice points inside a shape, each with an equal share of its exact volume; without a skin.
pub(crate) fn sample<F: Fn([f64; 3]) -> bool>(solid: &Solid<F>, fineness: Fineness) -> PointSampling {
    let (mut spacing, mut lattice) = match fineness {
        Fineness::Spacing(s) => (s, Lattice::CellCentred),
        Fineness::Count(n) => solid.best_for_count(n),
    };
    // A spacing beyond the shape may miss it altogether; a finer one does not.
    while solid.count(spacing, lattice) == 0 {
        lattice = Lattice::NodeCentred;
        if solid.count(spacing, lattice) == 0 {
            lattice = Lattice::CellCentred;
            spacing *= 0.7;
        }
    }
    let mut found = Vec::new();
    solid.visit(spacing, lattice, |c| found.push(c));
    let share = solid.volume / found.len() as f64;
    PointSampling {
        points: found.iter().map(|c| position(*c, spacing)).collect(),
        volumes: vec![share; found.len()],
        boundary: found.iter().map(|c| solid.is_outer(*c, spacing)).collect(),
        spacing,
        spacings: Vec::new(),
        skin: TriMesh::default(),
    }
}

fn position(c: [i64; 3], spacing: f64) -> [f64; 3] {
    c.map(|x| 0.5 * spacing * x as f64)
}
