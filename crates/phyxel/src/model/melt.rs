//! The pressure of molten phyxels.
//!
//! A melt has no reference volume: what it keeps is its density. Phyxels that are molten take their volume change from the
//! density of their neighbourhood, summed with the spiky kernel (Desbrun and Gascuel 1996, as Müller et al. 2004, section 4.2,
//! do), and their bulk modulus makes pressure of it through the same stencils as everything else. Only compression counts:
//! at a free surface neighbours are missing, not thin, and drops must be able to leave.

use crate::material::Grain;
use crate::math::{Mat3, Real, Vec3};
use crate::stencil::{Crowd, NeighbourSearch, Neighbours, Radii, StencilError};
use rayon::prelude::*;

/// Support of the density in units of the phyxels' own.
const REACH: f64 = 1.0;

/// The buffers of densities, and what they are at rest.
#[derive(Clone, Debug, Default)]
pub(super) struct Melt<R> {
    search: NeighbourSearch<R>,
    neighbours: Neighbours,
    radii: Vec<R>,
    /// Density of a phyxel inside the body at rest, over that of the matter; zero before it is known.
    pub inside: f64,
}

impl<R: Real> Melt<R> {
    /// Density of each of the `own` phyxels that stand first in a crowd, over that of the matter, up to a constant.
    fn densities(&mut self, own: usize, crowd: &Crowd<'_, R>) -> Result<Vec<f64>, StencilError> {
        let Crowd { positions, volumes, radii: supports, .. } = *crowd;
        self.radii.clear();
        self.radii.extend(supports[..own].iter().map(|h| *h * R::of(REACH)));
        self.radii.resize(positions.len(), R::zero());
        self.search.rebuild(positions, Radii::Each(&self.radii), &mut self.neighbours)?;
        let (neighbours, radii) = (&self.neighbours, &self.radii);
        let density = |i: usize| {
            let h = radii[i].to_f64();
            let centre = volumes[i].to_f64() * spiky(0.0, h);
            let near = neighbours.of(i).iter().filter(|j| crowd.may_see(own, i, **j)).map(|&j| {
                let distance = (positions[j as usize] - positions[i]).norm().to_f64();
                volumes[j as usize].to_f64() * spiky(distance, h)
            });
            centre + near.sum::<f64>()
        };
        Ok((0..own).into_par_iter().with_min_len(64).map(density).collect())
    }

    /// Notes how dense matter is as it was made: at its densest it is whole, elsewhere the surface is near.
    pub fn measure(&mut self, positions: &[Vec3<R>], volumes: &[R], radii: &[R]) -> Result<(), StencilError> {
        let densities = self.densities(positions.len(), &Crowd { positions, volumes, radii, sees: &[] })?;
        self.inside = densities.iter().copied().fold(0.0, f64::max);
        Ok(())
    }

    /// Gives molten phyxels the volume change that their density tells.
    pub fn press(
        &mut self,
        crowd: &Crowd<'_, R>,
        grains: &[Grain<R>],
        elastic: &mut [Mat3<R>],
    ) -> Result<(), StencilError> {
        let liquid = grains.iter().any(|g| g.molten > R::zero());
        if self.inside > 0.0 && !liquid {
            return Ok(());
        }
        let densities = self.densities(grains.len(), crowd)?;
        if self.inside == 0.0 {
            self.inside = densities.iter().copied().fold(0.0, f64::max);
        }
        for ((f, grain), density) in elastic.iter_mut().zip(grains).zip(&densities) {
            let molten = grain.molten.to_f64();
            let now = f.det().to_f64();
            if molten > 0.0 && now > 0.0 {
                // Hot matter is larger: it is at rest at the density of its own size.
                let own = (1.0 + grain.expansion.to_f64()).powi(3);
                let wanted = (self.inside / density).min(own);
                let change = (wanted / now).powf(molten / 3.0);
                *f = *f * R::of(change);
            }
        }
        Ok(())
    }
}

/// `15/(π h⁶) (h − r)³`.
fn spiky(r: f64, h: f64) -> f64 {
    if r >= h { 0.0 } else { 15.0 / (std::f64::consts::PI * h.powi(6)) * (h - r).powi(3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spiky_kernel_integrates_to_one() {
        let (h, n) = (0.7, 20_000);
        let shell = |k: usize| {
            let r = h * (k as f64 + 0.5) / n as f64;
            4.0 * std::f64::consts::PI * r * r * spiky(r, h) * h / n as f64
        };
        let total: f64 = (0..n).map(shell).sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn molten_phyxels_that_are_pressed_together_lose_volume_and_thin_ones_do_not_pull() {
        let lattice = |spacing: f64| -> Vec<Vec3<f64>> {
            (0..343).map(|i| Vec3([i % 7, i / 7 % 7, i / 49].map(|c| c as f64 * spacing))).collect()
        };
        let (volumes, supports) = (vec![1e-3; 343], vec![0.25; 343]);
        let molten = vec![Grain { molten: 1.0, ..Grain::default() }; 343];
        let solid = vec![Grain::default(); 343];
        let mut melt = Melt::default();
        let mut at = |spacing: f64, grains: &[Grain<f64>]| {
            let mut elastic = vec![Mat3::identity(); 343];
            let positions = &lattice(spacing)[..];
            let crowd = Crowd { positions, volumes: &volumes, radii: &supports, sees: &[] };
            melt.press(&crowd, grains, &mut elastic).expect("a lattice");
            elastic[171].det()
        };
        assert!((at(0.1, &molten) - 1.0).abs() < 1e-9, "at rest");
        // The kernel's sum is no integral: on this lattice, it follows the volume to 5 %.
        let pressed = at(0.095, &molten);
        assert!((pressed / 0.95f64.powi(3) - 1.0).abs() < 0.05, "{pressed}");
        assert_eq!(at(0.095, &solid), 1.0);
        assert!((at(0.12, &molten) - 1.0).abs() < 1e-9, "no tension");
        let hot = vec![Grain { expansion: 0.1, ..molten[0] }; 343];
        assert!((at(0.12, &hot) - 1.1f64.powi(3)).abs() < 1e-9, "what has grown is not pressed");
    }
}
