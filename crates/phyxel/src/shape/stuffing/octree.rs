//! Cells of all sizes: the finest around the surface, larger ones inside.

use super::band::{Band, CORNERS};
use super::field::Field;
use super::key_map::KeyMap;
use super::lattice::{add, morton, pack, unpack};
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
/// (Labelle and Shewchuk 2007, section 4). Cells of the band stay whole; so do those inside when not `graded`, but at the
/// finest level.
pub(super) fn leaves(band: &mut Band, field: &Field, graded: bool) -> Result<Vec<Leaf>, ShapeError> {
    let mut cells: Vec<Cell> = band.cells.iter().map(|place| Cell { place: *place, level: 0 }).collect();
    let mut divided = parents(band.cells.iter().copied());
    for level in 0..=field.lattice.levels {
        let before = cells.len();
        for &key in divided.keys() {
            let inside = children(unpack(key)).filter(|place| is_leaf(band, &divided, level, *place));
            let inside = inside.map(|place| Cell { place, level }).filter(|cell| is_inside(band, field, *cell));
            cells.extend(inside);
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

/// Divided cells of a level, and those of the level below.
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

fn parents(cells: impl ExactSizeIterator<Item = [i32; 3]>) -> Divided {
    let mut own = Cells::new(cells.len() / 4);
    for cell in cells {
        own.insert(cell.map(|c| c >> 1));
    }
    Divided { own, below: Cells::new(0) }
}

impl Divided {
    fn keys(&self) -> &[u64] {
        &self.own.list
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

/// Not divided itself, and not one of the band's.
fn is_leaf(band: &Band, divided: &Divided, level: u32, place: [i32; 3]) -> bool {
    !(if level == 0 { &band.known } else { &divided.below.set }).contains(pack(place))
}

/// The surface does not come near, so that one point speaks for all.
fn is_inside(band: &Band, field: &Field, cell: Cell) -> bool {
    let lowest = cell.lowest();
    let corner = |k: usize| pack(add(lowest, CORNERS[k].map(|c| c << (cell.level + 1))));
    let known = |k: usize| band.vertices.get(corner(k)).filter(|n| (*n as usize) < band.winding.len());
    if field.counts() {
        return field.winding(lowest) > 0.5;
    }
    match (0..8).find_map(known) {
        Some(node) => band.inside(node),
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
