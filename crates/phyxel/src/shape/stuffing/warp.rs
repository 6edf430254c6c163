//! Lattice points that lie too close to the surface move onto it.

use super::band::{Band, NO_TRIANGLE};
use super::lattice::Lattice;
use crate::math::Vec3;

/// A cut closer to a point than this share of a long edge takes the point with it. Labelle and Shewchuk 2007 give 0.24999 and 0.41189, for
/// angles between 10.7° and 164.8°. With the patterns here, sampled over all cuts and moves, those give 9.3° to 161°; these
/// two give 10.5° to 163°.
pub(super) const LONG: f64 = 0.28;

/// The same for short edges.
pub(super) const SHORT: f64 = 0.4;

/// Which side of the surface a node is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    On,
    Outside,
}

/// Points of the lattice, moved where needed, and the cuts that are left.
pub(super) struct Nodes {
    /// Lattice points first, then cuts.
    pub positions: Vec<Vec3<f64>>,
    /// For lattice points.
    pub sides: Vec<Side>,
    /// The triangle that a node lies on, [`NO_TRIANGLE`] if it is none.
    pub triangles: Vec<u32>,
}

/// Moves points one after the other (Labelle and Shewchuk 2007, section 3.2): a point that has moved is on the surface, so that the
/// cuts next to it are gone before its neighbours are looked at.
pub(super) fn warp(band: &Band, lattice: &Lattice) -> Nodes {
    let count = band.points.len();
    let mut sides: Vec<Side> =
        band.winding.iter().map(|w| if *w > 0.5 { Side::Inside } else { Side::Outside }).collect();
    let mut positions: Vec<Vec3<f64>> = band.points.iter().map(|p| lattice.position(*p)).collect();
    let mut triangles = vec![NO_TRIANGLE; count];
    let (starts, incident) = cuts_of_points(band);
    for point in 0..count {
        let own = &incident[starts[point] as usize..starts[point + 1] as usize];
        let closest = own.iter().filter_map(|&c| violation(band, &sides, c, point as u32).map(|d| (d, c)));
        let closest = closest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some((_, cut)) = closest {
            let cut = &band.cuts[cut as usize];
            positions[point] = lattice.on_edge(cut.key, cut.fraction);
            triangles[point] = cut.triangle;
            sides[point] = Side::On;
        }
    }
    Nodes { positions, sides, triangles }
}

impl Nodes {
    /// Adds the lattice points that came after the band, all inside, and then the cuts.
    pub fn complete(&mut self, band: &Band, lattice: &Lattice) {
        let later = &band.points[self.positions.len()..];
        self.positions.extend(later.iter().map(|p| lattice.position(*p)));
        self.sides.resize(band.points.len(), Side::Inside);
        self.triangles.resize(band.points.len(), NO_TRIANGLE);
        self.positions.extend(band.cuts.iter().map(|cut| lattice.on_edge(cut.key, cut.fraction)));
        self.triangles.extend(band.cuts.iter().map(|cut| cut.triangle));
    }
}

/// Distance of a cut from one of its ends, if that is too close and the cut is still there.
fn violation(band: &Band, sides: &[Side], cut: u32, point: u32) -> Option<f64> {
    let cut = &band.cuts[cut as usize];
    let (other, fraction) =
        if cut.ends[0] == point { (cut.ends[1], cut.fraction) } else { (cut.ends[0], 1.0 - cut.fraction) };
    let long = cut.key & 7 < 3;
    let (share, length) = if long { (LONG, 2.0) } else { (SHORT, 3.0_f64.sqrt()) };
    (sides[other as usize] != Side::On && fraction < share).then_some(fraction * length)
}

/// The cuts next to each point, as offsets and a list.
fn cuts_of_points(band: &Band) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; band.points.len() + 1];
    for cut in &band.cuts {
        for end in cut.ends {
            starts[end as usize + 1] += 1;
        }
    }
    for i in 0..band.points.len() {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut incident = vec![0; 2 * band.cuts.len()];
    for (c, cut) in band.cuts.iter().enumerate() {
        for end in cut.ends {
            incident[next[end as usize] as usize] = c as u32;
            next[end as usize] += 1;
        }
    }
    (starts, incident)
}
