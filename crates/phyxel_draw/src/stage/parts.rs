//! Small facts about bodies: the boundary of tetrahedra, edges, typical distances, colours.

use phyxel::record::{BodyFrame, Frame, Look};

/// The engine's word for it: faces of one tetrahedron alone, in the order of the tetrahedra, wound outwards.
pub use phyxel::shape::quality::boundary_triangles as boundary;

/// The edges of triangles, each once, in order.
pub(super) fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Typical distance between neighbours [m]: the median, over a few points, of the distance to the nearest other.
/// One metre when there are too few to tell.
pub fn spacing(points: &[[f64; 3]]) -> f64 {
    const SAMPLES: usize = 48;
    let square = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
    let nearest = |i: usize| {
        let others = points.iter().enumerate().filter(|&(j, _)| j != i);
        others.map(|(_, &p)| square(points[i], p)).filter(|&d| d > 0.0).fold(f64::INFINITY, f64::min)
    };
    let stride = points.len().div_ceil(SAMPLES).max(1);
    let mut found: Vec<f64> = (0..points.len()).step_by(stride).map(nearest).filter(|d| d.is_finite()).collect();
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).map_or(1.0, |d| d.sqrt())
}

/// The bodies whose matter the free surface or the discs of a body hold: its own and, where bodies have run into each other,
/// those that are left with an empty surface of that kind.
pub fn bodies_within(frame: &Frame, body: usize) -> Vec<usize> {
    let free = |b: &BodyFrame| b.free.as_ref().map(|f| f.triangles.len());
    let discs = |b: &BodyFrame| b.surfels.as_ref().map(|s| s.points.len());
    let own = &frame.bodies[body];
    let is_with = |other: &BodyFrame| match (free(own), discs(own)) {
        (Some(1..), _) => free(other) == Some(0),
        (None, Some(1..)) => free(other).is_none() && discs(other) == Some(0),
        _ => false,
    };
    let others = (0..frame.bodies.len()).filter(|i| *i != body && is_with(&frame.bodies[*i]));
    [body].into_iter().chain(others).collect()
}

/// The colour of a body, as sRGB in 0..1: that of its look, or one that tells it from the others.
pub fn body_colour(body: usize, look: &Look) -> [f32; 3] {
    look.colour.map_or_else(|| palette_colour(body), |colour| colour.map(|c| f32::from(c) / 255.0))
}

/// What broken faces look like where nobody says, linear as the colour of the outside: paler, and darker where that is pale, but
/// of the same hue: the inside of brown wood is light wood, not plaster.
pub fn inside_colour(outside: [f32; 3]) -> [f32; 3] {
    const PALE: f32 = 0.35;
    /// How much of what makes matter paler has no hue.
    const GREY: f32 = 0.35;
    let [r, g, b] = outside;
    // Luminance of linear sRGB (Rec. 709).
    let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    if luminance > PALE {
        return outside.map(|c| 0.55 * c);
    }
    let paler = 0.45 * luminance + 0.4;
    let scale = (1.0 - GREY) * paler / luminance.max(1e-3);
    outside.map(|c| (c * scale + GREY * paler).min(1.0))
}

/// Colours that are told apart and pleasant beside each other, as sRGB in 0..1; they repeat after the last.
fn palette_colour(body: usize) -> [f32; 3] {
    const PALETTE: [[u8; 3]; 10] = [
        [226, 112, 74],
        [62, 130, 178],
        [236, 178, 76],
        [86, 156, 110],
        [158, 104, 170],
        [206, 84, 104],
        [84, 172, 178],
        [166, 124, 88],
        [128, 142, 196],
        [160, 176, 82],
    ];
    PALETTE[body % PALETTE.len()].map(|c| f32::from(c) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tetrahedra_share_one_hidden_face() {
        let faces = boundary(&[[0, 1, 2, 3], [4, 2, 1, 3]]);
        assert_eq!(faces.len(), 6);
        assert!(faces.iter().all(|f| !(f.contains(&1) && f.contains(&2) && f.contains(&3))));
        assert_eq!(edges(&faces).len(), 9, "Euler: 5 - 9 + 6 = 2");
    }

    #[test]
    fn boundary_faces_point_outwards() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0f64]];
        for [a, b, c] in boundary(&[[0, 1, 2, 3]]).into_iter().map(|f| f.map(|v| corners[v as usize])) {
            let (u, v) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
            let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let outwards: f64 = (0..3).map(|k| normal[k] * (a[k] - 0.25)).sum();
            assert!(outwards > 0.0, "{a:?} {b:?} {c:?}");
        }
    }

    #[test]
    fn spacing_of_a_grid_is_its_cell() {
        let grid: Vec<[f64; 3]> = (0..1000).map(|i| [i % 10, i / 10 % 10, i / 100].map(|c| c as f64 * 0.03)).collect();
        assert!((spacing(&grid) - 0.03).abs() < 1e-12);
        assert_eq!(spacing(&[]), 1.0);
        assert_eq!(spacing(&[[f64::NAN; 3]; 5]), 1.0);
    }
}
