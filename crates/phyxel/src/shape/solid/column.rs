//! Straight lines along an axis through a surface.

use super::tree::{Tree, Triangle};

/// Where a line along an axis goes through a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// Coordinate along the axis [m].
    pub at: f64,
    /// One where the line goes in, minus one where it comes out.
    pub turn: i32,
}

/// All crossings of the line along `axis` through `(u, v)` on the following two axes, in order.
pub(super) fn crossings(tree: &Tree, axis: usize, [u, v]: [f64; 2], out: &mut Vec<Crossing>) {
    out.clear();
    let (au, av) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut i = 0;
    let mut stack = [0u32; 64];
    let mut depth = 0;
    loop {
        let node = &tree.nodes[i];
        let missed = u < node.min[au] || u > node.max[au] || v < node.min[av] || v > node.max[av];
        if !missed && node.second != 0 {
            stack[depth] = node.second;
            depth += 1;
            i += 1;
            continue;
        }
        if !missed {
            let turned = |t: &Triangle| t.corners.map(|c| [c[axis], c[au], c[av]]);
            let hits = tree.triangles[node.triangles()].iter().filter_map(|t| cross(turned(t), [u, v]));
            out.extend(hits);
        }
        if depth == 0 {
            break;
        }
        depth -= 1;
        i = stack[depth] as usize;
    }
    out.sort_unstable_by(|a, b| a.at.total_cmp(&b.at).then(b.turn.cmp(&a.turn)));
}

/// Whether and where a line goes through one triangle, in coordinates `t` along the line and `u`, `v` across. An edge is
/// evaluated from its lower end to its higher one, whichever triangle asks, so that a line through it belongs to exactly
/// one of its two triangles.
#[inline]
pub(crate) fn cross(corners: [[f64; 3]; 3], [u, v]: [f64; 2]) -> Option<Crossing> {
    let flat = corners.map(|c| [c[1] - u, c[2] - v]);
    let side = |p: [f64; 2], q: [f64; 2]| {
        let swap = p > q;
        let (p, q) = if swap { (q, p) } else { (p, q) };
        let area = p[0] * q[1] - p[1] * q[0];
        // A line exactly through the edge is taken to pass on one fixed side of it.
        let area = if area == 0.0 { f64::MIN_POSITIVE } else { area };
        if swap { -area } else { area }
    };
    let weights = [side(flat[1], flat[2]), side(flat[2], flat[0]), side(flat[0], flat[1])];
    let turn = match weights.map(|w| w > 0.0) {
        [true, true, true] => -1,
        [false, false, false] => 1,
        _ => return None,
    };
    let sum: f64 = weights.iter().sum();
    let at = (0..3).map(|k| weights[k] / sum * corners[k][0]).sum();
    Some(Crossing { at, turn })
}
