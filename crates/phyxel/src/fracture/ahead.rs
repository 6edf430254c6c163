//! How a crack that runs on from its tip divides the elements around it.

use super::fragile::centre;
use super::star::{CrackPlane, heights_of};
use super::tets::TetPieces;
use crate::math::Vec3;

/// The elements around a tip on the smaller side of a crack that goes on from it in a direction; `None` when all are on one side.
/// `heights` is room for how far each is from its plane.
///
/// Only ahead of the tip the plane divides them. Behind it the crack does that already, which comes from somewhere else as a
/// rule; if the plane went on there as well, every turn of a crack would leave a second one behind.
pub(super) fn side_ahead(
    pieces: &TetPieces,
    node: u32,
    (plane, ahead): (&CrackPlane, Vec3<f64>),
    place: impl Fn(u32) -> Vec3<f64> + Copy,
    heights: &mut Vec<f64>,
) -> Option<Vec<u32>> {
    heights_of(pieces, node, plane, place, heights);
    let star: Vec<u32> = pieces.around(node).collect();
    let side = |k: usize| if heights[k] > 0.0 { 1i8 } else { -1 };
    let is_ahead = |t: u32| (centre(pieces.table.nodes[t as usize], place) - plane.point).dot(ahead) > 0.0;
    let mut sides: Vec<i8> = (0..star.len()).map(|k| if is_ahead(star[k]) { side(k) } else { 0 }).collect();
    keep_cells_whole(pieces, &star, &mut sides);
    // What is behind goes with what it hangs together with, from the front on.
    loop {
        let known = sides.clone();
        for k in (0..star.len()).filter(|k| known[*k] == 0) {
            let with = (0..star.len()).find(|j| known[*j] != 0 && pieces.hang_together(star[k], star[*j]));
            sides[k] = with.map_or(0, |j| known[j]);
        }
        keep_cells_whole(pieces, &star, &mut sides);
        if sides == known {
            break;
        }
    }
    let over = sides.iter().filter(|s| **s > 0).count();
    let under = sides.iter().filter(|s| **s < 0).count();
    if over == 0 || under == 0 {
        return None;
    }
    let smaller = if over <= under { 1 } else { -1 };
    Some(star.iter().zip(&sides).filter(|(_, s)| **s == smaller).map(|(t, _)| *t).collect())
}

/// Gives elements that never part the side of the first of them that has one.
fn keep_cells_whole(pieces: &TetPieces, star: &[u32], sides: &mut [i8]) {
    if pieces.cells.is_empty() {
        return;
    }
    let cell = |k: usize| pieces.cells[star[k] as usize];
    for k in 0..star.len() {
        if let Some(first) = (0..star.len()).find(|j| cell(*j) == cell(k) && sides[*j] != 0) {
            sides[k] = sides[first];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fracture::split::Touched;
    use crate::fracture::star::one_side;
    use crate::shape::structured::{CubeSplit, box_tets};
    use crate::stencil::TetTable;

    #[test]
    fn a_crack_that_turns_leaves_no_second_one_behind() {
        let mesh = box_tets([4, 4, 1], [-2.0, -2.0, 0.0], [2.0, 2.0, 1.0], CubeSplit::Five).expect("a plate");
        let table = TetTable::build(&mesh.points, &mesh.tets).expect("sound");
        let mut pieces = TetPieces::new(table, Vec::new(), false, mesh.points.len());
        let mut points = mesh.points.clone();
        // A notch from the left to the middle.
        for node in 0..mesh.points.len() as u32 {
            let [x, y, _] = mesh.points[node as usize];
            if y == 0.0 && x < -0.5 {
                let plane = CrackPlane { point: Vec3(mesh.points[node as usize]), normal: Vec3([0.0, 1.0, 0.0]) };
                let at = |n: u32| Vec3(points[n as usize]);
                let side = one_side(&pieces, node, &plane, at, &mut Vec::new()).expect("two sides");
                let copy = pieces.split_node(node, &side);
                points.push(points[node as usize]);
                side.iter().for_each(|t| pieces.part_faces(*t, copy, &mut Touched::default()));
            }
        }
        let at = |n: u32| Vec3(points[n as usize]);
        let tip = mesh.points.iter().position(|p| *p == [0.0; 3]).expect("a tip") as u32;
        for turn in [0.0f64, 70.0, -70.0, 45.0] {
            let (sin, cos) = turn.to_radians().sin_cos();
            let (plane, ahead) =
                (CrackPlane { point: Vec3::zero(), normal: Vec3([-sin, cos, 0.0]) }, Vec3([cos, sin, 0.0]));
            let side = side_ahead(&pieces, tip, (&plane, ahead), at, &mut Vec::new()).expect("two sides");
            let over = |t: &u32| centre(pieces.table.nodes[*t as usize], at);
            // Everything right behind the tip, over the notch, is on one side, and what is under it on the other.
            let behind = |up: f64| {
                let near = |t: &u32| over(t)[0] < 0.0 && over(t)[1] * up > 0.0;
                let star: Vec<u32> = pieces.around(tip).filter(near).collect();
                let count = star.iter().filter(|t| side.contains(t)).count();
                assert!(!star.is_empty() && (count == 0 || count == star.len()), "{turn}: {count} of {}", star.len());
                count > 0
            };
            assert_ne!(behind(1.0), behind(-1.0), "{turn}");
        }
    }
}
