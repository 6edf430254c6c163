//! Where the meshes of a glTF file stand.

use super::document::{Document, Node};
use crate::input::Problem;

/// An affine map: three rows of four.
pub(super) type Affine = [[f64; 4]; 3];

const IDENTITY: Affine = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Every mesh with the map of its node to the world, in the order of the scenes; without scenes, all nodes that have no
/// parent begin one. A node that is reached a second time (which the format forbids) is an error, except that scenes may
/// share their nodes; so this ends for cycles too.
pub(super) fn placed_meshes(document: &Document) -> Result<Vec<(usize, Affine)>, Problem> {
    let count = document.nodes.len();
    let mut has_parent = vec![false; count];
    for node in &document.nodes {
        for &child in &node.children {
            let slot = has_parent.get_mut(child).ok_or(missing(child, count))?;
            if std::mem::replace(slot, true) {
                let what = format!("node {child} has two parents");
                return Err(Problem::Malformed { what, remedy: "export the file again" });
            }
        }
    }
    let mut roots: Vec<usize> = document.scenes.iter().flat_map(|s| s.nodes.iter().copied()).collect();
    if document.scenes.is_empty() {
        roots = (0..count).filter(|&n| !has_parent[n]).collect();
    }
    let mut placed = Vec::new();
    let mut seen = vec![false; count];
    for root in roots {
        let mut open = vec![(root, IDENTITY)];
        while let Some((index, parent)) = open.pop() {
            let node = document.nodes.get(index).ok_or(missing(index, count))?;
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let world = product(&parent, &local(node));
            // The joints of a skinned mesh place it, not its node.
            let map = if node.skin.is_some() { IDENTITY } else { world };
            placed.extend(node.mesh.map(|mesh| (mesh, map)));
            open.extend(node.children.iter().rev().map(|&child| (child, world)));
        }
    }
    Ok(placed)
}

fn missing(index: usize, count: usize) -> Problem {
    Problem::OutOfRange { what: "node", index: index as i64, count }
}

fn local(node: &Node) -> Affine {
    if let Some(m) = &node.matrix {
        return std::array::from_fn(|row| std::array::from_fn(|column| m[4 * column + row]));
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let t = node.translation.unwrap_or_default();
    let s = node.scale.unwrap_or([1.0; 3]);
    let r = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    std::array::from_fn(|i| [r[i][0] * s[0], r[i][1] * s[1], r[i][2] * s[2], t[i]])
}

fn product(a: &Affine, b: &Affine) -> Affine {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let sum: f64 = (0..3).map(|k| a[i][k] * b[k][j]).sum();
            if j == 3 { sum + a[i][3] } else { sum }
        })
    })
}

/// A point through a map.
pub(super) fn apply(map: &Affine, p: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| map[i][0] * p[0] + map[i][1] * p[1] + map[i][2] * p[2] + map[i][3])
}

/// A normal through a map: by the matrix of cofactors, which also turns it over where the map mirrors.
pub(super) fn apply_to_normal(map: &Affine, n: [f64; 3]) -> [f64; 3] {
    let turned: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| cofactor(map, i, j) * n[j]).sum());
    let length = turned.iter().map(|c| c * c).sum::<f64>().sqrt();
    let sign = if determinant(map) < 0.0 { -1.0 } else { 1.0 };
    if length > 0.0 { turned.map(|c| sign * c / length) } else { n }
}

/// Negative when the map mirrors.
pub(super) fn determinant(map: &Affine) -> f64 {
    (0..3).map(|j| map[0][j] * cofactor(map, 0, j)).sum()
}

fn cofactor(m: &Affine, i: usize, j: usize) -> f64 {
    let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
    m[a][c] * m[b][d] - m[a][d] * m[b][c]
}
