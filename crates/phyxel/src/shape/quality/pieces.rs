//! What hangs together.

use super::outside::face_groups;
use crate::shape::union_find::UnionFind;

/// How two tetrahedra must touch to hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// They share a face.
    Faces,
    /// They share a node.
    Nodes,
}

/// Numbers the connected pieces of a mesh in the order of their first tetrahedra: the piece of each tetrahedron, and how many
/// pieces there are.
pub fn connected_components(tets: &[[u32; 4]], connection: Connection) -> (Vec<u32>, usize) {
    let mut pieces = UnionFind::new(tets.len());
    match connection {
        Connection::Faces => {
            for same in face_groups(tets).iter() {
                same.windows(2).for_each(|pair| pieces.join(pair[0].tag / 4, pair[1].tag / 4));
            }
        }
        Connection::Nodes => {
            let highest = tets.iter().flatten().max().map_or(0, |n| *n as usize);
            let mut first = vec![u32::MAX; highest + 1];
            for (t, n) in tets.iter().enumerate().flat_map(|(t, tet)| tet.iter().map(move |n| (t as u32, *n as usize)))
            {
                if first[n] == u32::MAX {
                    first[n] = t;
                } else {
                    pieces.join(first[n], t);
                }
            }
        }
    }
    pieces.numbered()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_face_holds_and_a_common_node_only_hinges() {
        let tets = [[0, 1, 2, 3], [10, 11, 12, 3], [1, 2, 3, 4], [20, 21, 22, 23]];
        assert_eq!(connected_components(&tets, Connection::Faces), (vec![0, 1, 0, 2], 3));
        assert_eq!(connected_components(&tets, Connection::Nodes), (vec![0, 0, 0, 1], 2));
        assert_eq!(connected_components(&[], Connection::Nodes), (vec![], 0));
    }
}
