//! What the skin of a body at rest knows that its phyxels do not: the surface found around a lattice shows the lattice, the
//! skin does not. Where matter has not flowed, the surface is put onto the skin, as that has moved along.

use crate::grid::PointGrid;
use crate::mesh::unit;
use crate::surfels::{Disc, sample_skin};
use phyxel::math::{Mat3, Vec3, pseudo_inverse_symmetric};
use phyxel::par;
use phyxel::shape::TriMesh;

type V = Vec3<f64>;

/// How far a phyxel's say about the surface reaches, in spacings, and the Gaussian's exponent at one spacing.
const REACH: f64 = 1.6;
const DECAY: f64 = 3.0;
/// Places of the skin that are looked at, per square of the spacing.
const SAMPLES: f64 = 16.0;
/// Normals of the skin are those around a place, so far, in spacings: edges are as round as the triangles are large.
const AROUND: f64 = 0.4;
/// The skin is looked for as far as this, in spacings, and all of what it says counts up to half of that.
const MOST: f64 = 1.0;
/// Cosine of the largest angle between a surface and the skin that it is put onto.
const FACING: f64 = 0.2;
/// Phyxels closer than this to the skin at rest, in spacings, know of it.
const OUTER: f64 = 2.2;
/// Phyxels closer than this at rest, in spacings, are neighbours.
const BESIDE: f64 = 1.8;
/// While distances to neighbours change by less than the first the skin is as it was; beyond the second nothing of it is
/// left.
const BENT: f64 = 0.1;
const FLOWED: f64 = 0.35;
/// Directions in which neighbours are this much closer together than in others are not known.
const FLAT: f64 = 1e-4;

/// A neighbour at rest.
#[derive(Clone, Copy, Debug)]
struct Beside {
    who: u32,
    /// How far it was [m].
    far: f64,
    /// What its place adds to the gradient of the motion [1/m].
    weight: V,
}

/// The skin of phyxels at rest, and who was beside whom then. It is a function of the present places: nothing to be saved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relief {
    /// Phyxels near the skin, and where they were [m].
    outer: Vec<(u32, V)>,
    starts: Vec<u32>,
    beside: Vec<Beside>,
    /// Places of the skin, and the normals there.
    skin: PointGrid,
    normals: Vec<V>,
}

/// What became of the matter around a phyxel.
#[derive(Clone, Copy, Debug)]
struct Pose {
    now: V,
    rest: V,
    /// From rest to now, and back.
    ahead: Mat3<f64>,
    back: Mat3<f64>,
    /// How much of the skin is left, 0 to 1.
    left: f64,
}

/// What a vertex was told by the skin: its normal, and how much that counts.
pub(crate) type Told = (V, f64);

impl Relief {
    /// Of phyxels at rest, `spacing` [m] apart, with their skin; nothing where that is the skin of something else, because
    /// most of it is far from all of them.
    pub fn new(phyxels: &[[f64; 3]], spacing: f64, skin: &TriMesh) -> Self {
        let per_area = SAMPLES / (spacing * spacing);
        let count = per_area * crate::mesh::area(&skin.points, &skin.triangles);
        let (discs, _, _) = sample_skin(skin, &[], count as usize);
        let points: Vec<[f64; 3]> = discs.iter().map(|d| d.point).collect();
        let grid = PointGrid::new(phyxels, BESIDE * spacing);
        let near = |p: &&[f64; 3]| grid.nearest(Vec3(**p)).is_some_and(|n| n.1 < BESIDE * spacing);
        if 2 * points.iter().filter(near).count() <= points.len() {
            return Relief::default();
        }
        let normal = |d: &Disc| unit(V::cross(Vec3(d.tangents[0]), Vec3(d.tangents[1])));
        let (skin, normals) = (PointGrid::new(&points, 0.5 * spacing), discs.iter().map(normal).collect());
        let mut relief = Relief { starts: vec![0], skin, normals, ..Relief::default() };
        for (i, p) in phyxels.iter().enumerate().map(|(i, p)| (i as u32, Vec3(*p))) {
            let mut seen = false;
            relief.skin.each_within(p, OUTER * spacing, |_, _, _| seen = true);
            if seen {
                relief.outer.push((i, p));
                relief.beside.extend(neighbours(&grid, i, p, BESIDE * spacing));
                relief.starts.push(relief.beside.len() as u32);
            }
        }
        relief
    }

    /// The nearest place of the skin at rest, no farther than `most` [m], that looks the way of a surface there: the other
    /// side of something thin does not. Its number and distance [m].
    fn nearest(&self, x: V, out: V, most: f64) -> Option<(u32, f64)> {
        let mut best: Option<(f64, u32)> = None;
        self.skin.each_within(x, most, |j, _, square| {
            if best.is_none_or(|b| (square, j) < b) && self.normals[j as usize].dot(out) > FACING {
                best = Some((square, j));
            }
        });
        best.map(|(square, j)| (j, square.sqrt()))
    }

    /// What became of the matter around the `k`th phyxel near the skin.
    fn pose(&self, k: usize, now: &[[f64; 3]]) -> Option<Pose> {
        let (i, rest) = self.outer[k];
        let around = &self.beside[self.starts[k] as usize..self.starts[k + 1] as usize];
        let here = Vec3(*now.get(i as usize)?);
        let (mut ahead, mut change) = (Mat3::zero(), 0.0);
        for b in around {
            let arm = Vec3(now[b.who as usize]) - here;
            ahead += Mat3::outer(arm, b.weight);
            change += (arm.norm() / b.far - 1.0).powi(2);
        }
        let bent = (change / around.len().max(1) as f64).sqrt();
        let left = ((FLOWED - bent) / (FLOWED - BENT)).clamp(0.0, 1.0);
        let back = ahead.inverse().filter(|b| left > 0.0 && ahead.det() > 0.0 && b.is_finite());
        let left = if back.is_some() { left * left * (3.0 - 2.0 * left) } else { 0.0 };
        Some(Pose { now: here, rest, ahead, back: back.unwrap_or(Mat3::identity()), left })
    }
}

/// Who is near a phyxel.
fn neighbours(grid: &PointGrid, i: u32, x: V, far: f64) -> Vec<Beside> {
    let mut found = Vec::new();
    let mut moment = Mat3::zero();
    grid.each_within(x, far, |j, arm, square| {
        if j != i && square > 0.0 {
            let weight = 1.0 - square / (far * far);
            moment += Mat3::outer(arm, arm) * weight;
            found.push(Beside { who: j, far: square.sqrt(), weight: arm * weight });
        }
    });
    let (inverse, _) = pseudo_inverse_symmetric(&moment, FLAT);
    found.iter_mut().for_each(|b| b.weight = inverse * b.weight);
    found
}

/// Puts vertices of a surface onto the skins of bodies whose phyxels are at these places now, as far as their matter has not
/// flowed; `normals` are those of the surface. What each vertex was told.
pub(crate) fn lift(
    points: &mut [V],
    normals: &[[f64; 3]],
    bodies: &[(&Relief, &[[f64; 3]])],
    spacing: f64,
) -> Vec<Told> {
    let mut told = vec![(V::zero(), 0.0); points.len()];
    let sets: Vec<(&Relief, Vec<Pose>)> = bodies.iter().map(|(relief, now)| (*relief, poses(relief, now))).collect();
    let places: Vec<[f64; 3]> = sets.iter().flat_map(|(_, poses)| poses.iter().map(|p| p.now.0)).collect();
    if sets.iter().all(|(_, poses)| poses.iter().all(|p| p.left == 0.0)) {
        return told;
    }
    let owners: Vec<(usize, usize)> =
        sets.iter().enumerate().flat_map(|(s, (_, poses))| (0..poses.len()).map(move |k| (s, k))).collect();
    let grid = PointGrid::new(&places, REACH * spacing);
    par::chunks2((points, &mut told), par::GRAIN / 4, |first, points, told| {
        for (k, (x, told)) in points.iter_mut().zip(told).enumerate() {
            *told = settle(x, Vec3(normals[first + k]), &sets, (&grid, &owners), spacing).unwrap_or_default();
        }
    });
    told
}

fn poses(relief: &Relief, now: &[[f64; 3]]) -> Vec<Pose> {
    let mut out = vec![None; relief.outer.len()];
    par::for_each(&mut out, |k, pose| *pose = relief.pose(k, now));
    out.into_iter().flatten().collect()
}

/// Puts one vertex onto the skin of the body whose matter is nearest to it.
fn settle(
    x: &mut V,
    normal: V,
    sets: &[(&Relief, Vec<Pose>)],
    (grid, owners): (&PointGrid, &[(usize, usize)]),
    spacing: f64,
) -> Option<Told> {
    let mine = if sets.len() > 1 { owners[grid.nearest(*x)?.0 as usize].0 } else { 0 };
    let (mut all, mut left, mut rest) = (0.0, 0.0, V::zero());
    let (mut ahead, mut back) = (Mat3::zero(), Mat3::zero());
    grid.each_within(*x, REACH * spacing, |j, arm, square| {
        let (set, k) = owners[j as usize];
        let weight = (-DECAY * square / (spacing * spacing)).exp();
        all += weight;
        let pose = &sets[set].1[k];
        if set == mine && pose.left > 0.0 {
            let weight = weight * pose.left;
            left += weight;
            rest += (pose.rest - pose.back * arm) * weight;
            ahead += pose.ahead * weight;
            back += pose.back * weight;
        }
    });
    if left <= 1e-6 * all {
        return None;
    }
    let (rest, ahead, back) = (rest * (1.0 / left), ahead * (1.0 / left), back * (1.0 / left));
    let skin = sets[mine].0;
    let out = unit(back * normal);
    let (j, far) = skin.nearest(rest, out, MOST * spacing)?;
    let known = ((MOST - far / spacing) / (0.5 * MOST)).clamp(0.0, 1.0);
    let share = known * left / all;
    // Along the normal of the surface to the plane of the skin; leaning ones count as far as they are.
    let plane = skin.normals[j as usize];
    let along = plane.dot(skin.skin.point(j) - rest) / plane.dot(out).max(0.5);
    let by = out * along.clamp(-MOST * spacing, MOST * spacing);
    *x += ahead * by * share;
    let mut mean = V::zero();
    skin.skin.each_within(rest + by, AROUND * spacing, |j, _, square| {
        if skin.normals[j as usize].dot(out) > FACING {
            mean += skin.normals[j as usize] * (1.0 - square / (AROUND * spacing).powi(2));
        }
    });
    if mean.norm_squared() == 0.0 {
        mean = plane;
    }
    Some((unit(back.transpose_mul(mean)), share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconstruction::{Matter, Reconstruction, ReconstructionSettings};
    use phyxel::shape::structured::box_points;

    fn cube() -> (TriMesh, Vec<[f64; 3]>) {
        let skin = box_points([10; 3], [0.0; 3], [1.0; 3]).expect("a cube").skin;
        let points = (0..1000).map(|i| [i % 10, i / 10 % 10, i / 100].map(|c| 0.1 * f64::from(c) + 0.05)).collect();
        (skin, points)
    }

    /// The largest distance of a vertex from the sides of the unit cube, in spacings, after moving back.
    fn off(points: &[[f64; 3]], relief: &Relief, back: impl Fn(V) -> V) -> f64 {
        let matter = Matter { points, spacing: 0.1, volume: 1.0, colours: &[] };
        let mut finder = Reconstruction::new(ReconstructionSettings::default()).expect("usual settings");
        let (found, _) = finder.surface_of(&matter, &[(relief, points)]).expect("a surface");
        let depth = |p: &[f64; 3]| {
            let x = back(Vec3(*p));
            x.0.iter().map(|c| c.min(1.0 - c)).fold(f64::INFINITY, f64::min).abs()
        };
        found.points.iter().map(depth).fold(0.0, f64::max) / 0.1
    }

    #[test]
    fn what_has_not_flowed_is_on_its_skin_wherever_it_goes() {
        let (skin, points) = cube();
        let relief = Relief::new(&points, 0.1, &skin);
        let plain = off(&points, &Relief::default(), |x| x);
        let still = off(&points, &relief, |x| x);
        assert!(plain > 0.2 && still < 0.15, "{plain} became {still}");
        let turned: Vec<[f64; 3]> = points.iter().map(|p| [p[1] + 3.0, -p[0], p[2]]).collect();
        let turned = off(&turned, &relief, |x| Vec3([-x[1], x[0] - 3.0, x[2]]));
        assert!(turned < 0.15, "it goes along with a rigid motion: {turned}");
    }

    #[test]
    fn what_flows_and_what_has_another_skin_has_no_relief() {
        let (skin, points) = cube();
        let relief = Relief::new(&points, 0.1, &skin);
        let flowed: Vec<[f64; 3]> = points.iter().map(|p| [p[0] + 4.0 * p[1], p[1], p[2]]).collect();
        let left = |now: &[[f64; 3]]| poses(&relief, now).iter().map(|p| p.left).fold(0.0, f64::max);
        assert_eq!((left(&points), left(&flowed)), (1.0, 0.0));
        let away: Vec<[f64; 3]> = points.iter().map(|p| [p[0] + 9.0, p[1], p[2]]).collect();
        for relief in [Relief::new(&away, 0.1, &skin), Relief::new(&points, 0.1, &TriMesh::default())] {
            assert!(poses(&relief, &points).is_empty());
        }
    }
}
