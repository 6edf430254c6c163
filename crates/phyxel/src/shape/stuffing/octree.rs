//! Cells of all sizes: the finest around the surface, larger ones inside.

use super::band::{Band, CORNERS};
use super::field::Field;
use super::key_map::KeyMap;
use super::lattice::{add, morton, pack, unpack};
use super::warp::{Nodes, Side};
use crate::shape::ShapeError;

/// A cell that is not divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub centre: [i32; 3],
    /// Half its edge, in lattice units.
    pub half: i32,
    /// Eight corners, x fastest, and the centre.
    pub nodes: [u32; 9],
}

/// A cell at a level: its edge is two to the level in units of the finest.
#[derive(Clone, Copy)]
struct Cell {
    place: [i32; 3],
    level: u32,
}

impl Cell {
    fn lowest(&self) -> [i32; 3] {
        self.place.map(|c| c << (self.level + 1))
    }
}

/// All undivided cells that have some inside, in Morton order, neighbours across faces and edges at most one level apart
/// (Labelle and Shewchuk 2007, section 4). Cells whose tetrahedra the surface goes through or has moved are of the finest
/// size; so are all when not `graded`.
pub(super) fn leaves(band: &mut Band, nodes: &Nodes, field: &Field, graded: bool) -> Result<Vec<Leaf>, ShapeError> {
    let fine = finest(band, nodes);
    let mut cells: Vec<Cell> = fine.list.iter().map(|key| Cell { place: unpack(*key), level: 0 }).collect();
    let mut divided = Divided::parents(fine);
    for level in 0..=field.lattice.levels {
        let before = cells.len();
        for &key in &divided.own.list {
            let leaves = children(unpack(key)).filter(|place| !divided.below.set.contains(pack(*place)));
            cells.extend(leaves.map(|place| Cell { place, level }).filter(|cell| is_inside(band, nodes, field, *cell)));
        }
        if level > 0 && cells.len() == before {
            break;
        }
        divided = divided.coarser();
    }
    if !graded {
        cells = refined(cells)?;
    }
    cells.sort_by_cached_key(|cell| morton(cell.place.map(|c| c << cell.level)));
    Ok(cells.iter().map(|cell| leaf(band, *cell)).collect())
}

/// Cells that share a tetrahedron that is not all inside: those with a point that is not inside, and the neighbours of those whose
/// centre is not; of them, those that share one that is not all outside.
fn finest(band: &Band, nodes: &Nodes) -> Cells {
    let inside = |n: u32| nodes.sides[n as usize] == Side::Inside;
    let mut fine = Cells::new(band.cells.len());
    let beside = |cell: [i32; 3], wanted: bool| {
        (0..6).any(|k| {
            let mut next = cell;
            next[k / 2] += if k % 2 == 0 { 1 } else { -1 };
            band.known.get(pack(next)).is_some_and(|i| inside(band.nodes[i as usize][8]) == wanted)
        })
    };
    for (cell, own) in band.cells.iter().zip(&band.nodes) {
        let count = own.iter().filter(|n| inside(**n)).count();
        if (count < 9 && (count > 0 || beside(*cell, true))) || (count == 9 && beside(*cell, false)) {
            fine.insert(*cell);
        }
    }
    fine
}

/// Divided cells of a level, and those of the level below, or its finest cells.
struct Divided {
    own: Cells,
    below: Cells,
}

/// A set of cells in the order in which they came.
struct Cells {
    set: KeyMap,
    list: Vec<u64>,
}

impl Cells {
    fn new(room: usize) -> Self {
        Cells { set: KeyMap::with_room(room), list: Vec::with_capacity(room) }
    }

    fn insert(&mut self, place: [i32; 3]) {
        if self.set.insert(pack(place), 0).1 {
            self.list.push(pack(place));
        }
    }
}

impl Divided {
    /// The parents of the finest cells.
    fn parents(fine: Cells) -> Self {
        let mut own = Cells::new(fine.list.len() / 4);
        for key in &fine.list {
            own.insert(unpack(*key).map(|c| c >> 1));
        }
        Divided { own, below: fine }
    }

    /// The next level: parents of divided cells and of their neighbours across faces and edges, which therefore exist at this level.
    fn coarser(self) -> Self {
        let mut next = Cells::new(self.own.list.len() / 2);
        for &key in &self.own.list {
            let cell = unpack(key);
            for k in 0..27 {
                let offset = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
                if offset.iter().any(|o| *o == 0) {
                    next.insert(add(cell, offset).map(|c| c >> 1));
                }
            }
        }
        Divided { own: next, below: self.own }
    }
}

fn children(parent: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
    CORNERS.into_iter().map(move |corner| add(parent.map(|c| 2 * c), corner))
}

/// The surface does not come near, so that one point speaks for all: a corner that the band knows, or else the lowest.
fn is_inside(band: &Band, nodes: &Nodes, field: &Field, cell: Cell) -> bool {
    let lowest = cell.lowest();
    let known = |corner: [i32; 3]| band.vertices.get(pack(add(lowest, corner.map(|c| c << (cell.level + 1)))));
    match CORNERS.into_iter().find_map(known) {
        Some(node) => nodes.sides[node as usize] == Side::Inside,
        None => field.winding(lowest) > 0.5,
    }
}

/// Every cell cut down to the finest.
fn refined(cells: Vec<Cell>) -> Result<Vec<Cell>, ShapeError> {
    let count: f64 = cells.iter().map(|cell| 8.0_f64.powi(cell.level as i32)).sum();
    // A lattice of cubes has two points per cell.
    ShapeError::check_nodes("solid", 2.0 * count)?;
    let mut fine = Vec::with_capacity(count as usize);
    for cell in cells {
        let n = 1 << cell.level;
        for k in 0..n * n * n {
            let place = add(cell.place.map(|c| c * n), [k % n, k / n % n, k / (n * n)]);
            fine.push(Cell { place, level: 0 });
        }
    }
    Ok(fine)
}

fn leaf(band: &mut Band, cell: Cell) -> Leaf {
    let half = 1 << cell.level;
    let centre = add(cell.lowest(), [half; 3]);
    let nodes = match band.known.get(pack(cell.place)).filter(|_| cell.level == 0) {
        Some(known) => band.nodes[known as usize],
        None => {
            let nodes = band.add_nodes(cell.lowest(), half);
            band.winding.resize(band.points.len(), 1.0);
            nodes
        }
    };
    Leaf { centre, half, nodes }
}
