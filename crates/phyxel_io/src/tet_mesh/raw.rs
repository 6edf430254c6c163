//! Nodes and tetrahedra as a file has them, and the checks that make a mesh of them.

use super::TetMeshReport;
use crate::input::{Axes, Cursor, MeshFileError, Problem, Source, Spot};
use phyxel::shape::TetMesh;

/// A tetrahedron is flat when six times its volume is below this fraction of its longest edge's cube: rounding of four
/// points in a plane. A regular one has 0.71, and one with an angle of a thousandth of a degree still 1e-5.
const FLAT: f64 = 1e-12;

/// A mesh in the making.
pub(super) struct Raw {
    pub(super) axes: Axes,
    pub(super) points: Vec<[f64; 3]>,
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) report: TetMeshReport,
    /// The largest node that a tetrahedron names, and where.
    largest: Option<(u32, Spot)>,
}

impl Raw {
    pub(super) fn new(axes: Axes) -> Self {
        let report = TetMeshReport::default();
        Raw { axes, points: Vec::new(), tets: Vec::new(), report, largest: None }
    }

    /// Adds a node that was read at the cursor.
    pub(super) fn node(&mut self, cursor: &Cursor, p: [f64; 3]) -> Result<(), MeshFileError> {
        let point = self.axes.point(p).map_err(|problem| cursor.error(problem))?;
        if self.points.len() >= u32::MAX as usize - 1 {
            let (count, limit) = (self.points.len() as u64 + 1, u64::from(u32::MAX) - 1);
            return Err(cursor.error(Problem::TooMany { what: "nodes", count, limit }));
        }
        self.points.push(point);
        Ok(())
    }

    /// Adds a tetrahedron that was read at the cursor; its nodes, counted from zero, may come later.
    pub(super) fn tet(&mut self, cursor: &Cursor, nodes: [i64; 4]) -> Result<(), MeshFileError> {
        let mut tet = [0; 4];
        for (slot, node) in tet.iter_mut().zip(nodes) {
            let bad = || Problem::OutOfRange { what: "node", index: node, count: self.points.len() };
            *slot = u32::try_from(node).map_err(|_| cursor.error(bad()))?;
            if self.largest.is_none_or(|(largest, _)| *slot > largest) {
                self.largest = Some((*slot, cursor.spot()));
            }
        }
        self.tets.push(tet);
        Ok(())
    }

    /// Counts cells that are left out.
    pub(super) fn skip(&mut self, what: &str, count: usize) {
        self.report.skip(what, count);
    }

    /// Checks and cleans.
    pub(super) fn finish(
        mut self,
        source: &Source,
        drop_flat: bool,
    ) -> Result<(TetMesh, TetMeshReport), MeshFileError> {
        let count = self.points.len();
        if let Some((node, spot)) = self.largest.filter(|(node, _)| *node as usize >= count) {
            let problem = Problem::OutOfRange { what: "node", index: i64::from(node), count };
            return Err(source.error_at(spot, problem));
        }
        (self.report.nodes_in, self.report.tets_in) = (count, self.tets.len());
        self.turn_and_drop_flat(drop_flat).map_err(|problem| source.error(problem))?;
        self.drop_duplicates();
        if self.tets.is_empty() {
            return Err(source.error(Problem::Nothing {
                what: "tetrahedra",
                skipped: self.report.left_out(),
                remedy: "export volume cells of four nodes (order 1, tetrahedra only)",
            }));
        }
        self.drop_unreferenced();
        (self.report.nodes, self.report.tets) = (self.points.len(), self.tets.len());
        Ok((TetMesh { points: self.points, tets: self.tets }, self.report))
    }

    fn turn_and_drop_flat(&mut self, drop_flat: bool) -> Result<(), Problem> {
        let mut kept = 0;
        for t in 0..self.tets.len() {
            let mut tet = self.tets[t];
            let (six_volume, longest) = measure(tet.map(|n| self.points[n as usize]));
            if six_volume.abs() <= FLAT * longest.powi(3) {
                if !drop_flat {
                    return Err(Problem::FlatTet { tet: t, six_volume });
                }
                self.report.flat += 1;
                continue;
            }
            if six_volume < 0.0 {
                tet.swap(2, 3);
                self.report.turned += 1;
            }
            self.tets[kept] = tet;
            kept += 1;
        }
        self.tets.truncate(kept);
        Ok(())
    }

    fn drop_duplicates(&mut self) {
        let sorted = |(t, tet): (usize, &[u32; 4])| {
            let mut key = *tet;
            key.sort_unstable();
            (key, t as u32)
        };
        let mut keys: Vec<([u32; 4], u32)> = self.tets.iter().enumerate().map(sorted).collect();
        keys.sort_unstable();
        let mut keep = vec![true; self.tets.len()];
        for pair in keys.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            keep[pair[1].1 as usize] = false;
            self.report.duplicates += 1;
        }
        let mut keep = keep.into_iter();
        self.tets.retain(|_| keep.next().unwrap_or(true));
    }

    fn drop_unreferenced(&mut self) {
        let mut used = vec![false; self.points.len()];
        self.tets.iter().flatten().for_each(|&n| used[n as usize] = true);
        let mut name = vec![0u32; self.points.len()];
        let mut kept = 0;
        for n in (0..self.points.len()).filter(|&n| used[n]) {
            self.points[kept] = self.points[n];
            name[n] = kept as u32;
            kept += 1;
        }
        self.report.unreferenced = self.points.len() - kept;
        self.points.truncate(kept);
        self.tets.iter_mut().flatten().for_each(|n| *n = name[*n as usize]);
    }
}

/// Six times the signed volume [m³] and the longest edge [m].
fn measure([a, b, c, d]: [[f64; 3]; 4]) -> (f64, f64) {
    let minus = |p: [f64; 3], q: [f64; 3]| -> [f64; 3] { std::array::from_fn(|k| p[k] - q[k]) };
    let (u, v, w) = (minus(b, a), minus(c, a), minus(d, a));
    let cross = [v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]];
    let square = |p: [f64; 3]| p.iter().map(|c| c * c).sum::<f64>();
    let edges = [u, v, w, minus(c, b), minus(d, c), minus(b, d)].map(square);
    (u[0] * cross[0] + u[1] * cross[1] + u[2] * cross[2], edges.into_iter().fold(0.0, f64::max).sqrt())
}
