//! Linear tetrahedra: `d_k = ∇N_k`.

use super::{StencilError, TetTable};
use crate::math::Vec3;

/// A tetrahedron counts as flat when six times its volume is below this share of the cube of its longest edge;
/// its gradients would be rounding errors.
const FLAT: f64 = 1e-12;

impl TetTable<f64> {
    /// The gradients of the linear shape functions, from points [m] and the four nodes of each tetrahedron.
    pub fn build(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Result<Self, StencilError> {
        StencilError::check_finite(points)?;
        let mut table = TetTable { nodes: tets.to_vec(), ..TetTable::default() };
        table.gradients.reserve_exact(tets.len());
        table.volumes.reserve_exact(tets.len());
        for (t, nodes) in tets.iter().enumerate() {
            let (gradients, volume) = gradients_and_volume(points, t as u32, nodes)?;
            table.gradients.push(gradients);
            table.volumes.push(volume);
        }
        Ok(table)
    }
}

fn gradients_and_volume(
    points: &[[f64; 3]],
    tet: u32,
    nodes: &[u32; 4],
) -> Result<([Vec3<f64>; 3], f64), StencilError> {
    if let Some(&node) = nodes.iter().find(|&&n| n as usize >= points.len()) {
        return Err(StencilError::NodeOutOfRange { tet, node, nodes: points.len() });
    }
    let p = nodes.map(|n| Vec3(points[n as usize]));
    let [a, b, c] = [p[1] - p[0], p[2] - p[0], p[3] - p[0]];
    // Cofactors of the edge matrix: its inverse has the gradients as rows.
    let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
    let six_volume = a.dot(cofactors[0]);
    let longest = [a, b, c, b - a, c - a, c - b].iter().fold(0.0, |m: f64, e| m.max(e.norm()));
    let solid = six_volume > FLAT * longest.powi(3) && six_volume.is_finite();
    if !solid {
        return Err(StencilError::FlatTet { tet, six_volume });
    }
    Ok((cofactors.map(|g| g * (1.0 / six_volume)), six_volume / 6.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Mat3;

    const POINTS: [[f64; 3]; 5] = [[0.3, 0.1, 0.2], [1.4, 0.2, 0.1], [0.2, 1.1, 0.4], [0.4, 0.3, 1.7], [1.0, 1.0, 1.0]];

    #[test]
    fn gradients_are_complete_and_reproduce_a_linear_field() {
        let table = TetTable::build(&POINTS, &[[0, 1, 2, 3]]).unwrap();
        let d = table.all_gradients(0);
        let f = Mat3::of([[1.2, 0.1, 0.0], [0.05, 0.9, 0.2], [0.0, -0.1, 1.1]]);
        let mut seen = Mat3::zero();
        for k in 0..4 {
            seen += Mat3::outer(f * Vec3(POINTS[k]) + Vec3([3.0, -2.0, 7.0]), d[k]);
        }
        assert!((seen - f).norm() < 1e-14, "{seen:?}");
    }

    #[test]
    fn the_volume_of_the_corner_tetrahedron_is_a_sixth() {
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let table = TetTable::build(&corner, &[[0, 1, 2, 3]]).unwrap();
        assert_eq!(table.volumes, [1.0 / 6.0]);
        assert_eq!(table.gradients[0][2], Vec3([0.0, 0.0, 1.0]));
    }

    #[test]
    fn bad_tetrahedra_are_named() {
        let inverted = TetTable::build(&POINTS, &[[0, 1, 2, 3], [0, 2, 1, 3]]).unwrap_err();
        assert!(matches!(inverted, StencilError::FlatTet { tet: 1, six_volume } if six_volume < 0.0));
        assert!(inverted.to_string().contains("tetrahedron 1 is flat or inside out (6V = -"));
        let flat = TetTable::build(&POINTS, &[[0, 1, 1, 3]]).unwrap_err();
        assert!(matches!(flat, StencilError::FlatTet { tet: 0, .. }));
        let missing = TetTable::build(&POINTS, &[[0, 1, 2, 9]]).unwrap_err();
        assert_eq!(missing, StencilError::NodeOutOfRange { tet: 0, node: 9, nodes: 5 });
        let nan = TetTable::build(&[[f64::NAN; 3]], &[]).unwrap_err();
        assert_eq!(nan, StencilError::NotFinite { node: 0 });
    }

    #[test]
    fn casting_rounds_and_keeps_nodes() {
        let table = TetTable::build(&POINTS, &[[0, 1, 2, 3]]).unwrap();
        let single = table.cast::<f32>();
        assert_eq!(single.nodes, table.nodes);
        assert_eq!(single.volumes[0], table.volumes[0] as f32);
        assert_eq!(single.gradients[0][1].0[2], table.gradients[0][1].0[2] as f32);
    }
}
