//! Nearest points of the parts of a surface: a point and a triangle, two edges.

use crate::math::Vec3;

type V = Vec3<f64>;

/// Where two things are nearest: four points `a b c d`, each with a weight, so that `Σ w x` points from the second thing
/// to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Weights of the four points; they sum to zero.
    pub weights: [f64; 4],
    /// From the second thing to the first [m].
    pub between: V,
}

impl Nearest {
    fn new(points: [V; 4], weights: [f64; 4]) -> Self {
        let between = points.iter().zip(&weights).fold(Vec3::zero(), |sum, (x, w)| sum + *x * *w);
        Nearest { weights, between }
    }
}

/// The point `a` and the triangle `b c d` (Ericson, Real-Time Collision Detection, 5.1.5).
pub fn point_triangle([p, a, b, c]: [V; 4]) -> Nearest {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let at = |u: f64, v: f64| Nearest::new([p, a, b, c], [1.0, u + v - 1.0, -u, -v]);
    if d1 <= 0.0 && d2 <= 0.0 {
        return at(0.0, 0.0);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return at(1.0, 0.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return at(d1 / (d1 - d3), 0.0);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return at(0.0, 1.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return at(0.0, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return at(1.0 - w, w);
    }
    let scale = 1.0 / (va + vb + vc);
    at(vb * scale, vc * scale)
}

/// The edges `a b` and `c d` (Ericson, 5.1.9).
pub fn edge_edge([a, b, c, d]: [V; 4]) -> Nearest {
    let (d1, d2, r) = (b - a, d - c, a - c);
    let (l1, l2, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(r));
    let unit = |x: f64| x.clamp(0.0, 1.0);
    let (s, t) = if l1 == 0.0 {
        (0.0, if l2 == 0.0 { 0.0 } else { unit(f / l2) })
    } else if l2 == 0.0 {
        (unit(-d1.dot(r) / l1), 0.0)
    } else {
        let (b, c) = (d1.dot(d2), d1.dot(r));
        let denominator = l1 * l2 - b * b;
        let s = if denominator > 1e-12 * l1 * l2 { unit((b * f - c * l2) / denominator) } else { 0.5 };
        let t = (b * s + f) / l2;
        if t < 0.0 {
            (unit(-c / l1), 0.0)
        } else if t > 1.0 {
            (unit((b - c) / l1), 1.0)
        } else {
            (s, t)
        }
    };
    Nearest::new([a, b, c, d], [1.0 - s, s, t - 1.0, -t])
}

/// How much nearer than at the start two things can come on the way `moves`, at most [m].
pub fn approach(moves: &[V; 4]) -> f64 {
    let mean = moves.iter().fold(Vec3::zero(), |sum, m| sum + *m) * 0.25;
    let speeds = moves.map(|m| (m - mean).norm());
    let fastest = speeds[0].max(speeds[1]) + speeds[2].max(speeds[3]);
    fastest.max(speeds[0] + speeds[1].max(speeds[2]).max(speeds[3]))
}

/// The first part of the way `moves` after which the two things come within `gap`, or nearly; `None` when they do not. At the
/// start they are `distance` apart, and come no nearer than `fastest` less (see [`approach`]).
///
/// Additive advancement (Li, Kaufman, Jiang 2021, section 5): steps as long as the distance allows, so nothing is missed
/// however fast it goes, and what is found lies before the contact, never behind it.
pub fn first_contact(
    nearest: impl Fn([V; 4]) -> Nearest,
    (points, moves): ([V; 4], [V; 4]),
    (distance, fastest): (f64, f64),
    gap: f64,
) -> Option<f64> {
    /// Part of the gap, or of the first distance where there is no gap, within which two things count as met.
    const LEFT: f64 = 0.1;
    if fastest == 0.0 {
        return None;
    }
    // Without what they share, so that places keep their digits.
    let mean = moves.iter().fold(Vec3::zero(), |sum, m| sum + *m) * 0.25;
    let moves = moves.map(|m| m - mean);
    let start = distance - gap;
    if start <= 0.0 {
        return Some(0.0);
    }
    // A part of the first distance would make what comes from afar and passes by a contact.
    let enough = if gap > 0.0 { LEFT * gap } else { LEFT * start };
    let mut t = 0.9 * start / fastest;
    for _ in 0..256 {
        if t > 1.0 {
            return None;
        }
        let distance = nearest(std::array::from_fn(|k| points[k] + moves[k] * t)).between.norm() - gap;
        if distance < enough {
            return Some(t);
        }
        t += 0.9 * distance / fastest;
    }
    Some(t.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(nearest: fn([V; 4]) -> Nearest, points: [V; 4], moves: [V; 4], gap: f64) -> Option<f64> {
        let distance = nearest(points).between.norm();
        first_contact(nearest, (points, moves), (distance, approach(&moves)), gap)
    }

    fn sample(i: usize, k: usize) -> V {
        let at = |m: usize| ((i * 7919 + k * 104_729 + m * 1_299_709) % 1009) as f64 / 504.5 - 1.0;
        Vec3([at(1), at(2), at(3)])
    }

    /// The least distance over a fine grid of both things.
    fn brute(points: [V; 4], edges: bool) -> f64 {
        let [a, b, c, d] = points;
        let mut least = f64::INFINITY;
        for i in 0..=60 {
            for j in 0..=60 {
                let (s, t) = (i as f64 / 60.0, j as f64 / 60.0);
                let between = if edges {
                    a + (b - a) * s - (c + (d - c) * t)
                } else {
                    let t = t * (1.0 - s);
                    a - (b + (c - b) * s + (d - b) * t)
                };
                least = least.min(between.norm());
            }
        }
        least
    }

    #[test]
    fn nothing_is_nearer_than_the_nearest_points() {
        for i in 0..300 {
            let points = std::array::from_fn(|k| sample(i, k + 1));
            for (nearest, edges) in [(point_triangle as fn([V; 4]) -> Nearest, false), (edge_edge, true)] {
                let found = nearest(points);
                let (distance, least) = (found.between.norm(), brute(points, edges));
                assert!(distance <= least + 1e-12 && distance > least - 0.05, "{distance} {least}");
                assert!(found.weights.iter().sum::<f64>().abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_point_shot_through_a_triangle_is_stopped_before_it() {
        let points = [[0.2, 5.0, 0.2], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3);
        let moves = [[0.0, -100.0, 0.0], [0.0; 3], [0.0; 3], [0.0; 3]].map(Vec3);
        let t = met(point_triangle, points, moves, 1e-3).expect("it hits");
        assert!(t < 0.05 && t > 0.04, "{t}");
        let aside = [[2.0, -100.0, 0.0], [0.0; 3], [0.0; 3], [0.0; 3]].map(Vec3);
        let beside = [[1.2, 5.0, 0.2], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3);
        assert_eq!(met(point_triangle, beside, aside, 1e-3), None);
    }

    #[test]
    fn nothing_comes_nearer_than_its_moves_allow() {
        for i in 0..300 {
            let points: [V; 4] = std::array::from_fn(|k| sample(i, k + 1));
            let moves: [V; 4] = std::array::from_fn(|k| sample(i, k + 11));
            for nearest in [point_triangle as fn([V; 4]) -> Nearest, edge_edge] {
                let least = nearest(points).between.norm() - approach(&moves);
                for k in 1..=20 {
                    let at = std::array::from_fn(|n| points[n] + moves[n] * (k as f64 / 20.0));
                    assert!(nearest(at).between.norm() > least - 1e-12);
                }
            }
        }
    }

    #[test]
    fn crossing_edges_meet() {
        let points = [[-1.0, 0.5, 0.0], [1.0, 0.5, 0.0], [0.1, 0.0, -1.0], [0.1, 0.0, 1.0]].map(Vec3);
        let moves = [[0.0, -1.0, 0.0], [0.0, -1.0, 0.0], [0.0; 3], [0.0; 3]].map(Vec3);
        let t = met(edge_edge, points, moves, 0.0).expect("they cross");
        assert!(t <= 0.5 && t > 0.4, "{t}");
    }
}
