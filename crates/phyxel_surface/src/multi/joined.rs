//! Bodies that run into each other are one surface, and are two again when they part.

use super::{MultiSurface, Shown, Zombie};
use crate::grid::PointGrid;
use phyxel::math::Vec3;

type V = Vec3<f64>;

impl MultiSurface {
    /// Whether its discs have colours.
    pub fn is_coloured(&self) -> bool {
        self.coloured
    }

    /// Gives all discs a colour, linear red, green and blue, where they have none.
    pub fn paint(&mut self, colour: [f32; 3]) {
        if std::mem::replace(&mut self.coloured, true) {
            return;
        }
        self.zombies.iter_mut().for_each(|z| z.colour = colour);
        self.shown.iter_mut().for_each(|s| s.colour = colour);
        // Colours are kept by zombies, and those that show no detail had been let go of.
        if std::mem::take(&mut self.let_go) > 0 {
            let zombie = |s: &Shown| Zombie { point: s.point, normal: s.normal, colour, gone: 1.0, area: 1.0 };
            self.zombies.extend(self.shown.iter().map(zombie));
        }
    }

    /// Takes in the surface of another body: phyxels of a moment are those of this one and then those of the other from now
    /// on. Discs between both go as they come to lie inside, those outside close up; where only one has colours, the other
    /// should be painted before.
    pub fn join(&mut self, other: MultiSurface) {
        self.coloured |= other.coloured;
        self.zombies.extend(other.zombies);
        self.shown.extend(other.shown);
        self.phyxels.extend(other.phyxels);
        self.spacings.extend(other.spacings);
        self.watch.join(other.watch);
        // Discs of the finer one are thinned out to the measure of the other.
        self.spacing = self.spacing.max(other.spacing);
        self.size = self.size.max(other.size);
        self.apart = self.apart.max(other.apart);
        self.start += other.start;
        self.let_go += other.let_go;
        self.round = self.round.max(other.round);
        self.whole = false;
    }

    /// The surfaces of bodies of so many phyxels each, which were joined in this order: every disc goes with the phyxel
    /// that is nearest to it.
    pub fn part(mut self, counts: &[usize]) -> Vec<MultiSurface> {
        let owners: Vec<usize> = counts.iter().enumerate().flat_map(|(k, n)| std::iter::repeat_n(k, *n)).collect();
        let grid = PointGrid::new(&self.phyxels, self.spacing);
        let owner = |x: V| grid.nearest(x).and_then(|(j, _)| owners.get(j as usize).copied()).unwrap_or(0);
        let whose = |points: Vec<V>| points.into_iter().map(owner).collect::<Vec<usize>>();
        let zombies = whose(self.zombies.iter().map(|z| z.point).collect());
        let shown = whose(self.shown.iter().map(|s| s.point).collect());
        let total = self.shown.len().max(1) as f64;
        let part = |(k, count): (usize, &usize)| {
            let rest = self.phyxels.split_off((*count).min(self.phyxels.len()));
            let phyxels = std::mem::replace(&mut self.phyxels, rest);
            let rest = self.spacings.split_off((*count).min(self.spacings.len()));
            let spacings = std::mem::replace(&mut self.spacings, rest);
            fn own<T: Copy>(all: &[T], whose: &[usize], k: usize) -> Vec<T> {
                all.iter().zip(whose).filter(|(_, w)| **w == k).map(|(t, _)| *t).collect()
            }
            let shown = own(&self.shown, &shown, k);
            let share = shown.len() as f64 / total;
            MultiSurface {
                zombies: own(&self.zombies, &zombies, k),
                coloured: self.coloured,
                spacing: spacings.iter().copied().reduce(f64::max).unwrap_or(self.spacing),
                watch: self.watch.take_first(*count),
                size: self.size,
                apart: self.apart,
                start: ((self.start as f64 * share) as usize).max(1),
                let_go: (self.let_go as f64 * share) as usize,
                round: self.round,
                whole: false,
                held: Vec::new(),
                shown,
                phyxels,
                spacings,
            }
        };
        counts.iter().enumerate().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multi::Moment;
    use crate::surfels::sample_skin;
    use phyxel::shape::structured::box_points;

    /// A cube of discs, `x` [m] aside.
    fn cube(x: f64) -> MultiSurface {
        let skin = box_points([8; 3], [x, 0.0, 0.0], [x + 0.5, 0.5, 0.5]).expect("a cube").skin;
        let (discs, colours, size) = sample_skin(&skin, &[], 800);
        let phyxels = (0..125).map(|i| [i % 5, i / 5 % 5, i / 25].map(|c| 0.1 * f64::from(c) + 0.05));
        MultiSurface::new(&discs, &colours, size, phyxels.map(|[a, b, c]| [a + x, b, c]).collect(), 0.1)
    }

    #[test]
    fn what_was_joined_and_has_parted_is_what_it_was() {
        let (mut one, mut two) = (cube(0.0), cube(2.0));
        one.paint([1.0, 0.0, 0.0]);
        two.paint([0.0, 0.0, 1.0]);
        let counts = [(one.len(), one.phyxels.len()), (two.len(), two.phyxels.len())];
        one.join(two);
        assert_eq!((one.len(), one.phyxels.len()), (counts[0].0 + counts[1].0, 250));
        let parts = one.part(&[125, 125]);
        assert_eq!(parts.iter().map(|p| (p.len(), p.phyxels.len())).collect::<Vec<_>>(), counts);
        for (part, colour) in parts.into_iter().zip([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) {
            let mut part = part;
            let phyxels = part.phyxels.clone();
            let surfels = part.advance(&Moment { phyxels: &phyxels, mould: &[], sets: false });
            assert!(surfels.points.len() > 500);
            assert!(surfels.colours.iter().all(|c| (0..3).all(|k| (c[k] - colour[k]).abs() < 1e-6)));
            assert_eq!(part.detail_gone(), 0.0, "nothing has happened to it");
        }
    }

    #[test]
    fn paint_is_kept_where_zombies_had_been_let_go_of() {
        let mut surface = cube(0.0);
        let mut phyxels = surface.phyxels.clone();
        // Torn into single phyxels, so that nothing of the skin is left.
        for k in 1..=12 {
            phyxels = surface.phyxels.iter().map(|p| p.map(|c| c * (1.0 + 0.01 * f64::from(k)))).collect();
            surface.advance(&Moment { phyxels: &phyxels, mould: &[], sets: false });
        }
        assert!(surface.let_go > 0 && surface.zombies.is_empty(), "{}", surface.detail_gone());
        surface.paint([0.2, 0.4, 0.6]);
        let surfels = surface.advance(&Moment { phyxels: &phyxels, mould: &[], sets: false });
        assert!(surfels.colours.len() == surfels.points.len() && !surfels.points.is_empty());
        assert!(surfels.colours.iter().all(|c| (c[1] - 0.4).abs() < 1e-6));
    }
}
