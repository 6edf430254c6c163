//! Winding numbers at lattice points.

use super::crossings::Record;
use super::key_map::KeyMap;
use super::lattice::{Lattice, edge_of, pack};
use crate::shape::Solid;

/// Winding numbers at lattice points: by counting crossings along lines of a closed surface, otherwise by its tree.
pub(super) struct Field<'a> {
    pub solid: &'a Solid,
    pub lattice: &'a Lattice,
    lines: Option<Lines>,
}

/// Crossings of the lines along x, with the winding number after each.
struct Lines {
    /// From the coordinates of a line to its place in `starts`.
    places: KeyMap,
    starts: Vec<u32>,
    /// Lower end of the crossed edge, and the winding number beyond it.
    steps: Vec<(i32, i32)>,
}

impl<'a> Field<'a> {
    pub fn new(solid: &'a Solid, lattice: &'a Lattice, records: &[Record]) -> Self {
        Field { solid, lattice, lines: solid.closed().then(|| Lines::new(records)) }
    }

    /// Counting replaces the tree.
    pub fn counts(&self) -> bool {
        self.lines.is_some()
    }

    /// The winding number at a lattice point; whole where it is counted.
    pub fn winding(&self, point: [i32; 3]) -> f32 {
        match self.lines.as_ref().map(|lines| lines.winding(point)) {
            Some(Some(whole)) => whole as f32,
            Some(None) => self.by_tree(point).round(),
            None => self.by_tree(point),
        }
    }

    fn by_tree(&self, point: [i32; 3]) -> f32 {
        self.solid.winding_number(self.lattice.position(point).0) as f32
    }
}

impl Lines {
    fn new(records: &[Record]) -> Self {
        let along_x = records.iter().filter(|r| r.key & 7 == 0);
        let mut lines = Lines { places: KeyMap::with_room(records.len() / 4), starts: vec![], steps: vec![] };
        let mut winding = 0;
        for record in along_x {
            let ([x, y, z], _) = edge_of(record.key);
            if lines.places.insert(pack([0, y, z]), lines.starts.len() as u32).1 {
                lines.starts.push(lines.steps.len() as u32);
                winding = 0;
            }
            winding += i32::from(record.turn);
            lines.steps.push((x, winding));
        }
        lines.starts.push(lines.steps.len() as u32);
        lines
    }

    /// `None` when a crossing of the line was lost to rounding, so that it never comes out again.
    fn winding(&self, [x, y, z]: [i32; 3]) -> Option<i32> {
        let Some(line) = self.places.get(pack([0, y, z])) else { return Some(0) };
        let steps = &self.steps[self.starts[line as usize] as usize..self.starts[line as usize + 1] as usize];
        if steps[steps.len() - 1].1 != 0 {
            return None;
        }
        Some(steps.iter().take_while(|step| step.0 < x).last().map_or(0, |step| step.1))
    }
}

impl Field<'_> {
    /// Where on an edge without triangles the winding number passes one half, from its lower end. On a closed surface that is a
    /// crossing lost to rounding, at the end that lies on the surface.
    pub fn closing(&self, key: u64, from_inside: bool) -> f64 {
        let at = |fraction: f64| self.lattice.on_edge(key, fraction).0;
        if self.counts() {
            let distance = |fraction| self.solid.nearest(at(fraction)).distance;
            return if distance(0.0) <= distance(1.0) { 0.0 } else { 1.0 };
        }
        let value = |fraction: f64| {
            let above = self.solid.winding_number(at(fraction)) - 0.5;
            if from_inside { above } else { -above }
        };
        root(value)
    }
}

/// A root between zero and one of a function that falls from positive to negative: regula falsi in the Illinois variant, since a
/// harmonic function is nearly straight on an edge.
fn root(value: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = ((0.0, value(0.0)), (1.0, value(1.0)));
    if low.1 <= 0.0 || high.1 > 0.0 {
        return if low.1 <= 0.0 { 0.0 } else { 1.0 };
    }
    let mut rose = None;
    for _ in 0..40 {
        let at = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
        let found = value(at);
        if found.abs() < 1e-9 || high.0 - low.0 < 1e-9 {
            return at;
        }
        let rises = found > 0.0;
        let stale = if rose == Some(rises) { 0.5 } else { 1.0 };
        if rises {
            (low, high.1) = ((at, found), stale * high.1);
        } else {
            (high, low.1) = ((at, found), stale * low.1);
        }
        rose = Some(rises);
    }
    0.5 * (low.0 + high.0)
}
