//! Which nodes of a body a region means.

use crate::scene::Region;

/// The nodes of `points` inside a region, ascending.
pub(crate) fn nodes_inside(region: &Region, points: &[[f64; 3]]) -> Vec<u32> {
    let tolerance = 1e-9 * extent(points);
    let inside = |p: &[f64; 3]| match region {
        Region::All => true,
        Region::Box { min, max } => (0..3).all(|a| p[a] >= min[a] - tolerance && p[a] <= max[a] + tolerance),
        Region::Sphere { center, radius } => {
            let squared: f64 = (0..3).map(|a| (p[a] - center[a]).powi(2)).sum();
            squared.sqrt() <= radius + tolerance
        }
        Region::Nodes(_) => false,
    };
    match region {
        Region::Nodes(nodes) => {
            let mut nodes = nodes.clone();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        }
        _ => (0..points.len() as u32).filter(|&i| inside(&points[i as usize])).collect(),
    }
}

fn extent(points: &[[f64; 3]]) -> f64 {
    let mut size = 0.0f64;
    for axis in 0..3 {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in points {
            low = low.min(p[axis]);
            high = high.max(p[axis]);
        }
        size = size.max(high - low).max(low.abs()).max(high.abs());
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_holds_nodes_on_its_faces_in_spite_of_rounding() {
        let points: Vec<[f64; 3]> = (0..11).map(|i| [0.1 * i as f64, 0.0, 0.0]).collect();
        let region = Region::Box { min: [0.3, 0.0, 0.0], max: [0.7, 0.0, 0.0] };
        assert_eq!(nodes_inside(&region, &points), [3, 4, 5, 6, 7]);
    }
}
