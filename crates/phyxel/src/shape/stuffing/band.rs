//! The cells around the surface, all of the finest size, with winding numbers at their points and cuts on their edges.

use super::crossings::Record;
use super::field::Field;
use super::key_map::KeyMap;
use super::lattice::{DIRECTIONS, add, cells_at, edge_between, edge_of, pack};
use crate::shape::ShapeError;
use rayon::prelude::*;

/// A cut that belongs to no triangle: it closes a hole.
pub(super) const NO_TRIANGLE: u32 = u32::MAX;

/// A place where an edge goes from inside to outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub key: u64,
    /// Its points, the lower one first.
    pub ends: [u32; 2],
    /// How far it is from the lower end, from zero to one.
    pub fraction: f64,
    pub triangle: u32,
}

/// Cells that the surface goes through, and all that touch them.
pub(super) struct Band {
    pub cells: Vec<[i32; 3]>,
    /// Points of each cell: eight corners, x fastest, and the centre.
    pub nodes: Vec<[u32; 9]>,
    pub known: KeyMap,
    surface: KeyMap,
    /// From keys of points to their places in `points`.
    pub vertices: KeyMap,
    pub points: Vec<[i32; 3]>,
    pub winding: Vec<f32>,
    pub cuts: Vec<Cut>,
    pub cut_of: KeyMap,
}

/// The corners of a cell around its lowest, in units of its edge.
pub(super) const CORNERS: [[i32; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]];

/// Pairs of corners that an edge joins.
const CORNER_EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

impl Band {
    /// Starts at the crossings. Where the surface has a hole, the winding number passes one half without a triangle; the band
    /// follows that sheet from the rim until it is closed.
    pub fn new(field: &Field, records: &[Record]) -> Result<Self, ShapeError> {
        let room = records.len();
        let mut band = Band {
            cells: Vec::new(),
            nodes: Vec::new(),
            known: KeyMap::with_room(room),
            surface: KeyMap::with_room(room / 2),
            vertices: KeyMap::with_room(2 * room),
            points: Vec::new(),
            winding: Vec::new(),
            cuts: Vec::new(),
            cut_of: KeyMap::with_room(room),
        };
        let groups = groups(records);
        let mut fresh = Vec::new();
        for r in records {
            cells_at(r.key, r.fraction, |cell| band.mark(cell, field, &mut fresh));
        }
        while !fresh.is_empty() {
            let done = band.cells.len();
            band.surround(&fresh);
            ShapeError::check_nodes("solid", band.points.len() as f64)?;
            band.evaluate(field);
            fresh = band.cut(field, records, &groups, done);
        }
        Ok(band)
    }

    fn mark(&mut self, cell: [i32; 3], field: &Field, fresh: &mut Vec<[i32; 3]>) {
        if field.lattice.contains(cell) && self.surface.insert(pack(cell), 0).1 {
            fresh.push(cell);
        }
    }

    /// Adds cells and all that touch them, with their points.
    fn surround(&mut self, centres: &[[i32; 3]]) {
        for centre in centres {
            for k in 0..27 {
                let cell = add(*centre, [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
                if self.known.insert(pack(cell), self.cells.len() as u32).1 {
                    let nodes = self.add_nodes(cell.map(|c| 2 * c), 1);
                    self.cells.push(cell);
                    self.nodes.push(nodes);
                }
            }
        }
    }

    /// The points of a cell, made where they are missing.
    pub fn add_nodes(&mut self, lowest: [i32; 3], half: i32) -> [u32; 9] {
        std::array::from_fn(|k| {
            let offset = if k < 8 { CORNERS[k].map(|c| 2 * half * c) } else { [half; 3] };
            let point = add(lowest, offset);
            let (index, new) = self.vertices.insert(pack(point), self.points.len() as u32);
            if new {
                self.points.push(point);
            }
            index
        })
    }

    fn evaluate(&mut self, field: &Field) {
        let new = &self.points[self.winding.len()..];
        let values: Vec<f32> = new.par_iter().with_min_len(256).map(|p| field.winding(*p)).collect();
        self.winding.extend(values);
    }

    #[inline]
    pub fn inside(&self, node: u32) -> bool {
        self.winding[node as usize] > 0.5
    }

    /// Finds cuts on the edges of the cells from `first` on; gives back cells that the surface turns out to go through.
    fn cut(&mut self, field: &Field, records: &[Record], groups: &KeyMap, first: usize) -> Vec<[i32; 3]> {
        let changing = |i: usize| self.changing_edges(i);
        let edges: Vec<u64> =
            (first..self.cells.len()).into_par_iter().with_min_len(256).flat_map_iter(changing).collect();
        let mut new = Vec::new();
        for key in edges {
            if self.cut_of.insert(key, (self.cuts.len() + new.len()) as u32).1 {
                new.push(key);
            }
        }
        let cuts: Vec<Cut> =
            new.par_iter().with_min_len(64).map(|key| self.locate(field, records, groups, *key)).collect();
        let mut fresh = Vec::new();
        for cut in cuts {
            if cut.triangle == NO_TRIANGLE {
                cells_at(cut.key, cut.fraction, |cell| self.mark(cell, field, &mut fresh));
            }
            self.cuts.push(cut);
        }
        fresh
    }

    /// Edges of a cell that begin inside and end outside or the other way round.
    fn changing_edges(&self, cell: usize) -> Vec<u64> {
        let nodes = &self.nodes[cell];
        let inside = nodes.map(|n| self.inside(n));
        let mut edges = Vec::new();
        let mut push = |a: u32, b: u32| edges.push(edge_between(self.points[a as usize], self.points[b as usize]).0);
        for [a, b] in CORNER_EDGES.into_iter().chain((0..8).map(|k| [k, 8])) {
            if inside[a] != inside[b] {
                push(nodes[a], nodes[b]);
            }
        }
        let centre = self.points[nodes[8] as usize];
        for (axis, step) in (0..3).flat_map(|a| [(a, 2), (a, -2)]) {
            let mut next = centre;
            next[axis] += step;
            if let Some(other) = self.vertices.get(pack(next)).filter(|n| self.inside(*n) != inside[8]) {
                push(nodes[8], other);
            }
        }
        edges
    }

    /// Where on an edge the inside ends: at the crossing nearest to the point inside, beyond which it is outside.
    fn locate(&self, field: &Field, records: &[Record], groups: &KeyMap, key: u64) -> Cut {
        let (lower, direction) = edge_of(key);
        let end = |p: [i32; 3]| self.vertices.get(pack(p)).unwrap_or(0);
        let ends = [end(lower), end(add(lower, DIRECTIONS[direction]))];
        let from_inside = self.inside(ends[0]);
        let first = groups.get(key).map_or(records.len(), |i| i as usize);
        let own = records[first..].iter().take_while(|r| r.key == key);
        let (mut winding, mut found) = (self.winding[ends[0] as usize], None);
        for record in own {
            let before = winding > 0.5;
            winding += f32::from(record.turn);
            let leaves = before && winding <= 0.5;
            let enters = !before && winding > 0.5;
            if (from_inside && leaves && found.is_none()) || (!from_inside && enters) {
                found = Some((record.fraction, record.triangle));
            }
        }
        let (fraction, triangle) = found.unwrap_or_else(|| (field.closing(key, from_inside), NO_TRIANGLE));
        Cut { key, ends, fraction, triangle }
    }
}

/// From edges to the first of their records.
fn groups(records: &[Record]) -> KeyMap {
    let mut groups = KeyMap::with_room(records.len());
    for (i, record) in records.iter().enumerate() {
        groups.insert(record.key, i as u32);
    }
    groups
}
