//! What was found in a mesh file, in numbers and in words.

/// What was read, what was changed and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TetMeshReport {
    /// The format's name, such as `Gmsh 4.1, binary`.
    pub format: &'static str,
    /// Nodes in the file.
    pub nodes_in: usize,
    /// Four-node tetrahedra in the file.
    pub tets_in: usize,
    /// Tetrahedra that were inside out and were turned.
    pub turned: usize,
    /// Flat tetrahedra that were dropped.
    pub flat: usize,
    /// Tetrahedra with the same four nodes as an earlier one, which were dropped.
    pub duplicates: usize,
    /// Nodes that no tetrahedron uses, which were dropped.
    pub unreferenced: usize,
    /// Cells of other kinds, such as `triangles`, with their number.
    pub skipped: Vec<(String, usize)>,
    /// Transforms in a USD file, which are not applied.
    pub transforms: usize,
    /// Nodes now.
    pub nodes: usize,
    /// Tetrahedra now.
    pub tets: usize,
}

impl TetMeshReport {
    /// Counts cells that are left out.
    pub(super) fn skip(&mut self, what: &str, count: usize) {
        if count == 0 {
            return;
        }
        match self.skipped.iter_mut().find(|(name, _)| name == what) {
            Some((_, total)) => *total += count,
            None => self.skipped.push((what.into(), count)),
        }
    }

    /// What was left out, as text; empty when nothing.
    pub(super) fn left_out(&self) -> String {
        self.skipped.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }

    /// What was read and done, one sentence each, without a full stop.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = vec![format!("read {} nodes and {} tetrahedra ({})", self.nodes_in, self.tets_in, self.format)];
        if self.turned == self.tets_in {
            all.push("turned all tetrahedra: the file lists their corners in the other order".into());
        } else if self.turned > 0 {
            all.push(format!("turned {} tetrahedra that were inside out", self.turned));
        }
        let counts = [
            (self.flat, "flat tetrahedra"),
            (self.duplicates, "duplicate tetrahedra"),
            (self.unreferenced, "nodes that no tetrahedron uses"),
        ];
        all.extend(counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("dropped {n} {what}")));
        if !self.skipped.is_empty() {
            all.push(format!("left out {}", self.left_out()));
        }
        if self.transforms > 0 {
            all.push(format!("did not apply {} transforms of the USD file: check the placement", self.transforms));
        }
        all
    }
}
