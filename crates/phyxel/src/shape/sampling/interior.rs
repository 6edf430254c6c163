//! What bounds the inside of a solid: its faces, with lids on small holes.

use crate::math::Vec3;
use crate::shape::quality::enclosed_volume;
use crate::shape::{Solid, TriMesh};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Lids are believed when what they enclose is this close to the volume that the winding number tells.
const AGREES: f64 = 0.01;

/// A solid, and faces all around it where there are such.
pub(crate) struct Interior<'a> {
    pub solid: &'a Solid,
    faces: Option<Cow<'a, TriMesh>>,
}

impl<'a> Interior<'a> {
    /// Holes get flat lids, which is what the winding number says of small ones but for a slight bulge. Surfaces that are
    /// not closed by lids (an open box, loose triangles) are left to the winding number.
    pub fn of(solid: &'a Solid) -> Self {
        if solid.closed() {
            return Interior { solid, faces: Some(Cow::Borrowed(solid.mesh())) };
        }
        let closed = with_lids(solid.mesh());
        let enclosed = enclosed_volume(&closed) / solid.volume();
        let agrees = (enclosed - 1.0).abs() < AGREES;
        Interior { solid, faces: agrees.then_some(Cow::Owned(closed)) }
    }

    /// Faces all around, wound outward; `None` where only the winding number tells.
    pub fn faces(&self) -> Option<&TriMesh> {
        self.faces.as_deref()
    }
}

/// The surface with a cone over each of its rims. A rim is a closed chain of edges, since every triangle adds one, so the
/// cone over any of its parts that hang together closes it.
fn with_lids(mesh: &TriMesh) -> TriMesh {
    let place = welded(mesh);
    let mut rim: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|n| place[n as usize]);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let turn = if from < to { 1 } else { -1 };
            *rim.entry([from.min(to), from.max(to)]).or_default() += if from == to { 0 } else { turn };
        }
    }
    rim.retain(|_, uses| *uses != 0);
    let mut closed = mesh.clone();
    for edges in parts(&rim) {
        let middle = edges.iter().flatten().fold(Vec3::zero(), |s, n| s + Vec3(mesh.points[*n as usize]));
        let top = closed.points.len() as u32;
        closed.points.push((middle * (0.5 / edges.len() as f64)).0);
        for [low, high] in edges {
            let uses = rim[&[low, high]];
            let lid = if uses > 0 { [high, low, top] } else { [low, high, top] };
            closed.triangles.extend((0..uses.abs()).map(|_| lid));
        }
    }
    closed
}

/// The first vertex at the place of each.
fn welded(mesh: &TriMesh) -> Vec<u32> {
    let mut known = BTreeMap::new();
    // Adding zero makes the two zeros the same.
    let key = |p: &[f64; 3]| p.map(|c| (c + 0.0).to_bits());
    mesh.points.iter().zip(0..).map(|(p, i)| *known.entry(key(p)).or_insert(i)).collect()
}

/// Edges that hang together.
fn parts(rim: &BTreeMap<[u32; 2], i32>) -> Vec<Vec<[u32; 2]>> {
    let mut at: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
    for edge in rim.keys() {
        edge.iter().for_each(|n| at.entry(*n).or_default().push(*edge));
    }
    let mut parts = Vec::new();
    while let Some((start, _)) = at.first_key_value() {
        let (mut open, mut edges) = (vec![*start], Vec::new());
        while let Some(n) = open.pop() {
            for edge in at.remove(&n).unwrap_or_default() {
                // An edge is met from both its ends and counted from its lower one.
                if edge[0] == n {
                    edges.push(edge);
                }
                open.extend(edge);
            }
        }
        parts.push(edges);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::quality::is_watertight;
    use crate::shape::structured::{box_skin, sphere_skin};

    #[test]
    fn holes_of_a_ball_get_lids() {
        let mut mesh = sphere_skin(1.0, 0.1);
        let whole = enclosed_volume(&mesh);
        let far = |n: &u32| mesh.points[*n as usize][1].abs() < 0.97 && mesh.points[*n as usize][2] < 0.98;
        mesh.triangles = mesh.triangles.iter().copied().filter(|t| t.iter().all(far)).collect();
        let solid = Solid::new(mesh).unwrap();
        assert!(!solid.closed());
        let interior = Interior::of(&solid);
        let faces = interior.faces().unwrap();
        assert!(is_watertight(&faces.triangles));
        assert_eq!(faces.points.len(), solid.mesh().points.len() + 3);
        assert!((enclosed_volume(faces) / whole - 1.0).abs() < 0.01);
    }

    #[test]
    fn what_lids_do_not_close_is_left_to_the_winding_number() {
        let block = box_skin([2; 3], [0.0; 3], [1.0; 3]).unwrap();
        // Every triangle shrunk a little: no two of them meet.
        let mut loose = TriMesh::default();
        for t in &block.triangles {
            let corners = t.map(|n| Vec3(block.points[n as usize]));
            let middle = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
            let first = loose.points.len() as u32;
            loose.points.extend(corners.map(|c| (middle + (c - middle) * 0.98).0));
            loose.triangles.push([first, first + 1, first + 2]);
        }
        let solid = Solid::new(loose).unwrap();
        assert!(Interior::of(&solid).faces().is_none());
    }
}
