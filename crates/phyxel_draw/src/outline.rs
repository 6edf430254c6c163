//! Outlines of what bodies hit: one can see through them to the matter inside a mould.

use crate::contour::{contours, sharp_edges};
use phyxel::contact::HeightField;
use phyxel::math::Vec3;
use phyxel::scene::{Collider, ColliderShape, Motion, Scene};
use phyxel::shape::Placement;

/// Sides of the polygons that stand for circles.
const SIDES: usize = 32;
/// Squares along a side of the grid that stands for a plane.
const GRID: usize = 16;
/// Most lines over terrain in each direction.
const MOST_ROWS: usize = 40;

/// A straight piece of an outline, from end to end [m].
pub type Segment = [[f64; 3]; 2];

/// The outline of a thing that stands or moves.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Outline {
    /// Where it is before it has moved at all.
    pub segments: Vec<Segment>,
    /// How it moves.
    pub motion: Motion,
}

impl Outline {
    /// Of something that stands still.
    pub fn still(segments: Vec<Segment>) -> Self {
        Outline { segments, motion: Motion::default() }
    }

    /// The rotation, row by row, and the shift [m] that bring its segments to where they are at a time [s].
    pub fn pose(&self, time: f64) -> ([[f64; 3]; 3], [f64; 3]) {
        let (turn, shift) = self.motion.at(time);
        let centre = Vec3(self.motion.center);
        (turn.0, (centre - turn * centre + shift).0)
    }

    /// The segments at a time [s].
    pub fn at(&self, time: f64) -> Vec<Segment> {
        if !self.motion.moves() {
            return self.segments.clone();
        }
        let (turn, shift) = self.pose(time);
        let moved = |p: [f64; 3]| [0, 1, 2].map(|i| (0..3).map(|j| turn[i][j] * p[j]).sum::<f64>() + shift[i]);
        self.segments.iter().map(|ends| ends.map(moved)).collect()
    }

    /// What a camera that sees it at these times [s] must see: all segments of what stands still, the diagonals of the box
    /// around what moves.
    pub(crate) fn seen(&self, times: &[f64]) -> Vec<Segment> {
        if !self.motion.moves() || self.segments.is_empty() {
            return self.segments.clone();
        }
        let bound = |axis: usize, start: f64, pick: fn(f64, f64) -> f64| {
            self.segments.iter().flatten().map(|p| p[axis]).fold(start, pick)
        };
        let low = [0, 1, 2].map(|a| bound(a, f64::INFINITY, f64::min));
        let high = [0, 1, 2].map(|a| bound(a, f64::NEG_INFINITY, f64::max));
        let corner = |k: usize| [0, 1, 2].map(|a| if k >> a & 1 == 1 { high[a] } else { low[a] });
        let diagonals = (0..4).map(|k| [corner(k), corner(7 - k)]).collect();
        let frame = Outline { segments: diagonals, motion: self.motion.clone() };
        times.iter().flat_map(|t| frame.at(*t)).collect()
    }
}

/// The outlines of what bodies of a scene hit. Level planes that stay are the floor and have none; other planes are shown by
/// a grid twice as wide as all bodies together are at the start, because they move.
pub fn scene_outlines(scene: &Scene) -> Vec<Outline> {
    let points = || scene.bodies.iter().flat_map(|b| b.geometry.points()).filter(|p| p.iter().all(|c| c.is_finite()));
    let bound = |a: usize, start: f64, pick: fn(f64, f64) -> f64| points().map(|p| p[a]).fold(start, pick);
    let low = Vec3([0, 1, 2].map(|a| bound(a, f64::INFINITY, f64::min)));
    let high = Vec3([0, 1, 2].map(|a| bound(a, f64::NEG_INFINITY, f64::max)));
    let (centre, radius) = ((low + high) * 0.5, 2.0 * (high - low).norm());
    let mut all = outlines(&scene.colliders);
    if radius.is_finite() && radius > 0.0 {
        let shown = scene.colliders.iter().filter(|c| !is_floor(c));
        let planes = shown.map(|c| Outline { segments: plane(c, centre, radius), motion: c.motion.clone() });
        all.extend(planes.filter(|o| !o.segments.is_empty()));
    }
    all
}

/// Whether a collider is a level plane that stays: pictures have a floor there.
pub fn is_floor(collider: &Collider) -> bool {
    let level =
        matches!(collider.shape, ColliderShape::HalfSpace { normal: [x, y, z], .. } if x == 0.0 && z == 0.0 && y > 0.0);
    level && !collider.motion.moves() && collider.placement == Placement::default()
}

/// A grid of lines in the plane of a half-space, around the place in it that is nearest to `centre`.
fn plane(collider: &Collider, centre: Vec3<f64>, radius: f64) -> Vec<Segment> {
    let ColliderShape::HalfSpace { normal, offset } = collider.shape else { return Vec::new() };
    let turn = collider.placement.rotation_matrix();
    let normal = (turn * Vec3(normal)).normalized();
    let origin = Vec3(collider.placement.position) + normal * offset;
    let middle = centre - normal * normal.dot(centre - origin);
    let helper = if normal[1].abs() < 0.9 { Vec3([0.0, 1.0, 0.0]) } else { Vec3([1.0, 0.0, 0.0]) };
    let across = normal.cross(helper).normalized();
    let along = normal.cross(across);
    let steps = || (0..=GRID).map(|k| radius * (2.0 * k as f64 / GRID as f64 - 1.0));
    let line = |a: Vec3<f64>, b: Vec3<f64>, s: f64| [(middle + a * s - b * radius).0, (middle + a * s + b * radius).0];
    steps().map(|s| line(across, along, s)).chain(steps().map(|s| line(along, across, s))).collect()
}

/// Lines over terrain, no more than can be told apart.
fn terrain(field: &HeightField) -> Vec<Segment> {
    let [nx, nz] = field.counts;
    if nx < 2 || nz < 2 || field.heights.len() < nx * nz {
        return Vec::new();
    }
    let at = |i: usize, k: usize| {
        let place = |n: usize, count: usize| (n as f64 - 0.5 * (count - 1) as f64) * field.spacing;
        [place(i, nx), field.heights[k * nx + i], place(k, nz)]
    };
    let picked = |count: usize| -> Vec<usize> {
        let stride = (count - 1).div_ceil(MOST_ROWS).max(1);
        (0..count - 1).step_by(stride).chain([count - 1]).collect()
    };
    let (xs, zs) = (picked(nx), picked(nz));
    let rows = zs.iter().flat_map(|&k| xs.windows(2).map(move |w| [at(w[0], k), at(w[1], k)]));
    let columns = xs.iter().flat_map(|&i| zs.windows(2).map(move |w| [at(i, w[0]), at(i, w[1])]));
    rows.chain(columns).collect()
}

/// The outlines of colliders; planes, which have no end, have none.
pub fn outlines(colliders: &[Collider]) -> Vec<Outline> {
    let outline = |c: &Collider| Outline { segments: of_collider(c), motion: c.motion.clone() };
    colliders.iter().map(outline).filter(|o| !o.segments.is_empty()).collect()
}

fn of_collider(collider: &Collider) -> Vec<Segment> {
    let mut segments = match &collider.shape {
        ColliderShape::Box { size } => edges(size.map(|s| 0.5 * s)),
        &ColliderShape::Sphere { radius } => {
            [vertical_arcs(radius, [0.0, 1.0], 0.0), barrel_ends(radius, &[0.0])].concat()
        }
        &ColliderShape::Cylinder { radius, height } => barrel(radius, 0.5 * height),
        &ColliderShape::Capsule { radius, height } => {
            let half = 0.5 * height - radius;
            let ends = [vertical_arcs(radius, [0.0, 0.5], half), vertical_arcs(radius, [0.5, 1.0], -half)].concat();
            [barrel(radius, half), ends].concat()
        }
        ColliderShape::Mesh { solid, .. } => {
            let edges = sharp_edges(solid.mesh());
            if edges.is_empty() { contours(solid.mesh()) } else { edges }
        }
        ColliderShape::HeightField(field) => terrain(field),
        ColliderShape::HalfSpace { .. } => Vec::new(),
    };
    segments.iter_mut().for_each(|segment| collider.placement.apply(segment));
    segments
}

fn edges(half: [f64; 3]) -> Vec<Segment> {
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] });
    let pairs = (0..8usize).flat_map(|k| (0..3).map(move |axis| (k, k | 1 << axis)));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| [corner(a), corner(b)]).collect()
}

/// A point of a circle about y.
fn around(radius: f64, k: usize, y: f64) -> [f64; 3] {
    let (s, c) = (std::f64::consts::TAU * k as f64 / SIDES as f64).sin_cos();
    [radius * c, y, radius * s]
}

/// Circles about y at these heights.
fn barrel_ends(radius: f64, heights: &[f64]) -> Vec<Segment> {
    let circle = |&y: &f64| (0..SIDES).map(move |k| [around(radius, k, y), around(radius, k + 1, y)]);
    heights.iter().flat_map(circle).collect()
}

/// Two circles about y at `±half`, and four lines between them.
fn barrel(radius: f64, half: f64) -> Vec<Segment> {
    let line = |k: usize| [around(radius, k * SIDES / 4, half), around(radius, k * SIDES / 4, -half)];
    barrel_ends(radius, &[half, -half]).into_iter().chain((0..4).map(line)).collect()
}

/// Arcs of two upright circles about `(0, y, 0)`, from and to the given shares of the turn.
fn vertical_arcs(radius: f64, [from, to]: [f64; 2], y: f64) -> Vec<Segment> {
    let at = |k: usize, axis: usize| {
        let turn = from + (to - from) * k as f64 / SIDES as f64;
        let (s, c) = (std::f64::consts::TAU * turn).sin_cos();
        let mut p = [0.0, y + radius * s, 0.0];
        p[axis] = radius * c;
        p
    };
    let arc = |axis: usize| (0..SIDES).map(move |k| [at(k, axis), at(k + 1, axis)]);
    arc(0).chain(arc(2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use phyxel::material::Material;
    use phyxel::scene::{Body, Method};
    use phyxel::shape::Geometry;

    fn all(colliders: &[Collider], time: f64) -> Vec<Segment> {
        outlines(colliders).iter().flat_map(|o| o.at(time)).collect()
    }

    #[test]
    fn outlines_lie_on_the_shapes() {
        let mut block = Collider::new(ColliderShape::Box { size: [2.0, 4.0, 6.0] });
        block.placement.position = [10.0, 0.0, 0.0];
        let drawn = all(&[block.clone()], 0.0);
        assert_eq!(drawn.len(), 12);
        assert!(drawn.iter().flatten().all(|p| [9.0, 11.0].contains(&p[0]) && p[1].abs() == 2.0 && p[2].abs() == 3.0));
        let capsule = Collider::new(ColliderShape::Capsule { radius: 0.5, height: 3.0 });
        for [x, y, z] in all(&[capsule], 0.0).into_iter().flatten() {
            let beyond = (y.abs() - 1.0).max(0.0);
            assert!(((x * x + beyond * beyond + z * z).sqrt() - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn what_moves_is_where_bodies_meet_it() {
        let mut ball = Collider::new(ColliderShape::Sphere { radius: 0.5 });
        ball.placement.position = [1.0, 0.0, 0.0];
        ball.motion = Motion { velocity: [0.0, 2.0, 0.0], spin: [0.0, 0.0, 1.0], until: 3.0, ..Motion::default() };
        let met = phyxel::contact::Collider::new(&ball);
        for time in [0.0, 0.4, 5.0] {
            for p in all(&[ball.clone()], time).into_iter().flatten() {
                assert!(met.distance(Vec3(p), time).abs() < 1e-12, "at {time} s: {p:?}");
            }
        }
        let seen = outlines(&[ball])[0].seen(&[0.0, 3.0]);
        let highest = seen.iter().flatten().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
        assert!(highest > 6.0, "a camera sees where it ends: {highest}");
    }

    #[test]
    fn slopes_and_terrain_are_shown_and_the_floor_is_not() {
        let body = phyxel::shape::structured::box_points([2, 2, 2], [0.0; 3], [1.0; 3]).unwrap();
        let body = Body::new("b", Geometry::Points(body), Method::Mls, Material::default());
        let mut slope = Collider::new(ColliderShape::HalfSpace { normal: [1.0, 2.0, 0.0], offset: -0.3 });
        slope.placement.position = [0.1, 0.2, 0.3];
        let floor = Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 });
        let heights = (0..100 * 3).map(|i| 0.01 * f64::from(i)).collect();
        let field = HeightField { counts: [100, 3], spacing: 0.1, heights };
        let hills = Collider::new(ColliderShape::HeightField(std::sync::Arc::new(field)));
        let colliders = vec![floor, slope.clone(), hills.clone()];
        let all = scene_outlines(&Scene { bodies: vec![body], colliders, ..Scene::default() });
        assert_eq!(all.len(), 2, "terrain and slope");
        for (outline, collider) in all.iter().zip([hills, slope]) {
            let met = phyxel::contact::Collider::new(&collider);
            let far = outline.segments.iter().flatten().map(|p| met.distance(Vec3(*p), 0.0).abs()).fold(0.0, f64::max);
            assert!(far < 1e-9 && outline.segments.len() < 5000, "{far} m off");
        }
    }

    #[test]
    fn meshes_show_their_edges_or_their_contours() {
        let cube = phyxel::shape::structured::box_points([2, 2, 2], [0.0; 3], [1.0; 3]).unwrap().skin;
        let length: f64 = sharp_edges(&cube).iter().map(|[a, b]| (Vec3(*b) - Vec3(*a)).norm()).sum();
        assert!((length - 12.0).abs() < 1e-12, "the twelve edges and nothing else: {length} m");
        let round = phyxel::shape::TriMesh {
            points: cube.points.iter().map(|p| (Vec3(*p) - Vec3([0.5; 3])).normalized().0).collect(),
            ..cube.clone()
        };
        let lines = contours(&round);
        assert!(lines.len() > 20 && lines.iter().flatten().flatten().all(|c| c.abs() <= 1.0));
    }
}
