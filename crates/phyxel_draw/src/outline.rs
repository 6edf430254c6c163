//! Outlines of what stands still: one can see through them to the matter inside a mould.

use phyxel::scene::{Collider, ColliderShape};

/// Sides of the polygons that stand for circles.
const SIDES: usize = 32;

/// A straight piece of an outline, from end to end [m].
pub type Segment = [[f64; 3]; 2];

/// The outlines of the colliders that do not move; planes, terrain and meshes have none.
pub fn outlines(colliders: &[Collider]) -> Vec<Segment> {
    colliders.iter().filter(|c| stays(c)).flat_map(of_collider).collect()
}

fn stays(collider: &Collider) -> bool {
    let motion = &collider.motion;
    motion.velocity == [0.0; 3] && motion.spin == [0.0; 3] && motion.keys.is_empty()
}

fn of_collider(collider: &Collider) -> Vec<Segment> {
    let mut segments = match collider.shape {
        ColliderShape::Box { size } => edges(size.map(|s| 0.5 * s)),
        ColliderShape::Sphere { radius } => vertical_arcs(radius, [0.0, 1.0], 0.0),
        ColliderShape::Cylinder { radius, height } => barrel(radius, 0.5 * height),
        ColliderShape::Capsule { radius, height } => {
            let half = 0.5 * height - radius;
            let ends = [vertical_arcs(radius, [0.0, 0.5], half), vertical_arcs(radius, [0.5, 1.0], -half)].concat();
            [barrel(radius, half), ends].concat()
        }
        ColliderShape::HalfSpace { .. } | ColliderShape::HeightField(_) | ColliderShape::Mesh { .. } => Vec::new(),
    };
    segments.iter_mut().for_each(|segment| collider.placement.apply(segment));
    segments
}

fn edges(half: [f64; 3]) -> Vec<Segment> {
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] });
    let pairs = (0..8usize).flat_map(|k| (0..3).map(move |axis| (k, k | 1 << axis)));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| [corner(a), corner(b)]).collect()
}

/// Two circles about y at `±half`, and four lines between them.
fn barrel(radius: f64, half: f64) -> Vec<Segment> {
    let at = |k: usize, y: f64| {
        let (s, c) = (std::f64::consts::TAU * k as f64 / SIDES as f64).sin_cos();
        [radius * c, y, radius * s]
    };
    let circles = [half, -half].into_iter().flat_map(|y| (0..SIDES).map(move |k| [at(k, y), at(k + 1, y)]));
    let lines = (0..4).map(|k| [at(k * SIDES / 4, half), at(k * SIDES / 4, -half)]);
    circles.chain(lines).collect()
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

    #[test]
    fn outlines_lie_on_the_shapes() {
        let mut block = Collider::new(ColliderShape::Box { size: [2.0, 4.0, 6.0] });
        block.placement.position = [10.0, 0.0, 0.0];
        let drawn = outlines(&[block.clone()]);
        assert_eq!(drawn.len(), 12);
        assert!(drawn.iter().flatten().all(|p| [9.0, 11.0].contains(&p[0]) && p[1].abs() == 2.0 && p[2].abs() == 3.0));
        let capsule = Collider::new(ColliderShape::Capsule { radius: 0.5, height: 3.0 });
        for [x, y, z] in outlines(&[capsule]).into_iter().flatten() {
            let beyond = (y.abs() - 1.0).max(0.0);
            assert!(((x * x + beyond * beyond + z * z).sqrt() - 0.5).abs() < 1e-12);
        }
        block.motion.velocity = [1.0, 0.0, 0.0];
        assert!(outlines(&[block]).is_empty(), "it will not stay there");
    }
}
