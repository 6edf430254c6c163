//! Which phyxels are felt where.

use phyxel::math::Vec3;

type V = Vec3<f64>;

/// How far apart phyxels are [m].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spacings<'a> {
    /// All of them.
    All(f64),
    /// Each.
    Each(&'a [f64]),
}

impl Spacings<'_> {
    pub fn of(&self, phyxel: usize) -> f64 {
        match self {
            Spacings::All(spacing) => *spacing,
            Spacings::Each(spacings) => spacings.get(phyxel).copied().unwrap_or(1.0),
        }
    }

    /// What lengths are counted in.
    pub fn largest(&self) -> f64 {
        match self {
            Spacings::All(spacing) => *spacing,
            Spacings::Each(spacings) => spacings.iter().copied().reduce(f64::max).unwrap_or(1.0),
        }
    }
}

/// Phyxels that are looked at together.
pub(crate) const SIDE_BY_SIDE: usize = 8;
/// Numbers of phyxels that are looked at together.
pub(crate) type Eight = [f32; SIDE_BY_SIDE];

/// Some of the phyxels that are felt in a cube: places from its centre, in the largest spacings, axis by axis. Places that
/// are left over hold a phyxel that is felt nowhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    at: [Eight; 3],
    /// What squares of lengths are multiplied with, so that they are in the phyxels' own spacings.
    pub per_square: Eight,
    /// Their numbers.
    pub who: [u32; SIDE_BY_SIDE],
}

const NOBODY: Group = Group { at: [[1e6; SIDE_BY_SIDE]; 3], per_square: [1.0; SIDE_BY_SIDE], who: [0; SIDE_BY_SIDE] };

impl Group {
    /// Arms from a place in the cube to the phyxels, axis by axis, in the largest spacings; and their squares, in the
    /// phyxels' own.
    #[inline(always)]
    pub fn arms(&self, x: [f32; 3]) -> ([Eight; 3], Eight) {
        let (mut arms, mut square) = (self.at, [0.0; SIDE_BY_SIDE]);
        for a in 0..3 {
            for k in 0..SIDE_BY_SIDE {
                arms[a][k] -= x[a];
                square[k] += arms[a][k] * arms[a][k];
            }
        }
        for k in 0..SIDE_BY_SIDE {
            square[k] *= self.per_square[k];
        }
        (arms, square)
    }
}

/// For every cube of space, the phyxels that are felt somewhere in it. A place asks its own cube and nobody else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Felt {
    low: [f64; 3],
    per_cell: f64,
    cell: f64,
    per_spacing: f64,
    counts: [usize; 3],
    starts: Vec<u32>,
    groups: Vec<Group>,
}

impl Felt {
    /// Phyxels that are felt as far as `reach` of their spacings. Those that are nowhere are left out.
    pub fn new(phyxels: &[[f64; 3]], spacings: Spacings<'_>, reach: f64) -> Self {
        let spacing = spacings.largest();
        let finite = || phyxels.iter().enumerate().filter(|(_, p)| p.iter().all(|c| c.is_finite()));
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (_, p) in finite() {
            low = [0, 1, 2].map(|a| low[a].min(p[a] - reach * spacing));
            high = [0, 1, 2].map(|a| high[a].max(p[a] + reach * spacing));
        }
        if low[0] > high[0] {
            return Felt::default();
        }
        let mut cell = spacing;
        let counts = |cell: f64| [0, 1, 2].map(|a| ((high[a] - low[a]) / cell).floor() + 1.0);
        while counts(cell).iter().product::<f64>() > (200 * phyxels.len() + 64) as f64 {
            cell *= 1.3;
        }
        let counts = counts(cell).map(|c| c as usize);
        let per_spacing = 1.0 / spacing;
        let mut felt = Felt { low, cell, per_cell: 1.0 / cell, per_spacing, counts, ..Felt::default() };
        felt.fill(finite().map(|(i, p)| (i as u32, *p)), spacings, reach);
        felt
    }

    fn fill(&mut self, phyxels: impl Iterator<Item = (u32, [f64; 3])> + Clone, spacings: Spacings<'_>, reach: f64) {
        let mut lengths = vec![0_u32; self.counts.iter().product()];
        for (i, p) in phyxels.clone() {
            self.each_cube(p, reach * spacings.of(i as usize), |cube, _| lengths[cube] += 1);
        }
        self.starts = vec![0];
        let mut end = 0;
        self.starts.extend(lengths.iter().map(|n| {
            end += n.div_ceil(SIDE_BY_SIDE as u32);
            end
        }));
        self.groups = vec![NOBODY; end as usize];
        let mut groups = std::mem::take(&mut self.groups);
        lengths.fill(0);
        for (i, p) in phyxels {
            let own = spacings.of(i as usize);
            let per_square = (1.0 / (own * self.per_spacing).powi(2)) as f32;
            self.each_cube(p, reach * own, |cube, arm| {
                let n = lengths[cube] as usize;
                lengths[cube] += 1;
                let group = &mut groups[self.starts[cube] as usize + n / SIDE_BY_SIDE];
                group.who[n % SIDE_BY_SIDE] = i;
                group.per_square[n % SIDE_BY_SIDE] = per_square;
                (0..3).for_each(|a| group.at[a][n % SIDE_BY_SIDE] = (arm[a] * self.per_spacing) as f32);
            });
        }
        self.groups = groups;
    }

    /// The cubes within `reach` of a place, with the arm from their centres to it [m].
    fn each_cube(&self, p: [f64; 3], reach: f64, mut visit: impl FnMut(usize, [f64; 3])) {
        let along = |x: f64, a: usize| (((x - self.low[a]) * self.per_cell).max(0.0) as usize).min(self.counts[a] - 1);
        let (low, high) = ([0, 1, 2].map(|a| along(p[a] - reach, a)), [0, 1, 2].map(|a| along(p[a] + reach, a)));
        let arm = |c: usize, a: usize| p[a] - self.center(c, a);
        // How far it is outside of the cube, squared.
        let beyond = |arm: f64| (arm.abs() - 0.5 * self.cell).max(0.0).powi(2);
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let arm = [arm(x, 0), arm(y, 1), arm(z, 2)];
                    if beyond(arm[0]) + beyond(arm[1]) + beyond(arm[2]) < reach * reach {
                        visit((z * self.counts[1] + y) * self.counts[0] + x, arm);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn center(&self, c: usize, axis: usize) -> f64 {
        self.low[axis] + (c as f64 + 0.5) * self.cell
    }

    /// What may be felt at a place, and the place as those know it.
    #[inline(always)]
    pub fn at(&self, x: V) -> (&[Group], [f32; 3]) {
        let (mut cube, mut local, mut stride) = (0, [0.0; 3], 1);
        for a in 0..3 {
            let along = (x[a] - self.low[a]) * self.per_cell;
            // Places that are nowhere fail this too.
            if !(along >= 0.0 && along < self.counts[a] as f64) {
                return (&[], local);
            }
            let c = along as usize;
            local[a] = ((x[a] - self.center(c, a)) * self.per_spacing) as f32;
            cube += stride * c;
            stride *= self.counts[a];
        }
        (&self.groups[self.starts[cube] as usize..self.starts[cube + 1] as usize], local)
    }
}

/// `exp(x)` to a few parts in ten million, for −80 < x < 0; with additions and products alone, so that it has the same bits
/// on every machine and fills its registers.
#[inline(always)]
pub(crate) fn exp(x: &Eight) -> Eight {
    /// Added to a number, it leaves the nearest whole number in the last bits.
    const ROUND: f32 = 12_582_912.0;
    let mut out = [0.0; SIDE_BY_SIDE];
    for k in 0..SIDE_BY_SIDE {
        let powers = x[k] * std::f32::consts::LOG2_E;
        let rounded = powers + ROUND;
        let rest = (powers - (rounded - ROUND)) * std::f32::consts::LN_2;
        let series = 1.0 + rest * (1.0 / 5.0 + rest * (1.0 / 30.0));
        let series = 1.0 + rest * (1.0 / 3.0) * (1.0 + rest * 0.25 * series);
        let series = 1.0 + rest * (1.0 + rest * 0.5 * series);
        out[k] = series * f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library() {
        for i in 0..8000 {
            let x = -0.01 * i as f32;
            let found = f64::from(exp(&[x; SIDE_BY_SIDE])[3]);
            assert!((found / f64::from(x).exp() - 1.0).abs() < 5e-6 + 1e-6 * f64::from(-x), "{x}: {found}");
        }
    }

    #[test]
    fn every_phyxel_within_reach_is_felt() {
        let part = |i: usize, k: f64| (i as f64 * k).fract();
        let mut phyxels: Vec<[f64; 3]> =
            (0..300).map(|i| [part(i, 0.618), 2.0 * part(i, 0.414), part(i, 0.732)]).collect();
        phyxels.push([f64::NAN; 3]);
        phyxels.push([40.0, 0.0, 0.0]);
        let felt = Felt::new(&phyxels, Spacings::All(0.15), 1.8);
        for x in
            [[0.3, 0.7, 0.1], [-0.1, 0.0, 0.0], [0.9, 1.9, 0.45], [40.1, 0.1, -0.1], [f64::NAN, 0.0, 0.0]].map(Vec3)
        {
            let (groups, local) = felt.at(x);
            let mut found = Vec::new();
            for group in groups {
                let (arms, square) = group.arms(local);
                for k in (0..SIDE_BY_SIDE).filter(|k| square[*k] < 1.8 * 1.8) {
                    let arm = (Vec3(phyxels[group.who[k] as usize]) - x) * (1.0 / 0.15);
                    assert!((0..3).all(|a| (arm[a] - f64::from(arms[a][k])).abs() < 1e-5));
                    found.push(group.who[k]);
                }
            }
            found.sort_unstable();
            let near = |i: &u32| (Vec3(phyxels[*i as usize]) - x).norm() < 1.8 * 0.15;
            assert_eq!(found, (0..phyxels.len() as u32).filter(near).collect::<Vec<u32>>());
        }
        assert!(Felt::new(&[], Spacings::All(0.1), 1.8).at(Vec3([0.0; 3])).0.is_empty());
    }
}
