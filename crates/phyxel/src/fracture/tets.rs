//! Tetrahedra that can part: their present nodes, and which of them lie on each other.

use super::room::make_room;
use super::split::Touched;
use crate::shape::quality::FACES;
use crate::stencil::TetTable;
use crate::stencil::incidence::Incidence;

/// Tetrahedra with their present nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct TetPieces {
    /// Present nodes, gradients and volumes.
    pub table: TetTable<f64>,
    /// Tetrahedra of the same number never part; empty where all may.
    pub cells: Vec<u32>,
    /// The edges, ascending, where strains are smoothed over them.
    pub edges: Vec<[u32; 2]>,
    /// Whether the tetrahedra around each node can part at all.
    pub splittable: Vec<bool>,
    /// For each face of each tetrahedron, `4 · tet + face` of the other one that has it, or `ALONE`.
    pub twins: Vec<[u32; 4]>,
    /// The same before anything parted.
    pub mates: Vec<[u32; 4]>,
    /// Where nodes are at rest [m]; empty where elements are never cut.
    pub rest: Vec<[f64; 3]>,
    /// Which faces of each tetrahedron are of the outside of the unbroken body; empty where elements are never cut, because
    /// `mates` tell it then.
    pub outside: Vec<[bool; 4]>,
    /// `4 · tet + corner` of every tetrahedron around each node.
    around: Incidence,
}

impl TetPieces {
    /// Tetrahedra over so many nodes; `edges` where strains are smoothed over them.
    pub fn new(table: TetTable<f64>, cells: Vec<u32>, edges: bool, nodes: usize) -> Self {
        let twins = twins_of(&table.nodes);
        let mut pieces = TetPieces {
            table,
            cells,
            edges: Vec::new(),
            splittable: Vec::new(),
            mates: twins.clone(),
            twins,
            rest: Vec::new(),
            outside: Vec::new(),
            around: Incidence::default(),
        };
        pieces.refresh(nodes, edges);
        pieces
    }

    /// Gives the tetrahedra other nodes, out of so many.
    pub fn set_nodes(&mut self, tets: Vec<[u32; 4]>, nodes: usize, edges: bool) {
        self.twins = twins_of(&tets);
        if self.mates.len() != tets.len() {
            self.mates = self.twins.clone();
        }
        self.table.nodes = tets;
        self.refresh(nodes, edges);
    }

    /// Gives some of the tetrahedra around a node a copy of it, which becomes the last node. Returns the copy.
    pub(super) fn split_node(&mut self, node: u32, tets: &[u32]) -> u32 {
        let copy = self.splittable.len() as u32;
        for t in tets {
            self.table.nodes[*t as usize].iter_mut().filter(|n| **n == node).for_each(|n| *n = copy);
        }
        self.around.split(node as usize, |corner| tets.contains(&(corner / 4)));
        self.splittable.push(self.can_part_at(copy));
        self.splittable[node as usize] = self.can_part_at(node);
        copy
    }

    /// Lets go of the neighbours of a tetrahedron that have not got its new `copy` of a node, and lists the corners of faces that
    /// are bare now.
    pub(super) fn part_faces(&mut self, t: u32, copy: u32, touched: &mut Touched) {
        let own = self.table.nodes[t as usize];
        let twins = self.twins[t as usize];
        for (face, corners) in FACES.iter().enumerate() {
            let twin = twins[face];
            if twin == ALONE || corners.iter().all(|k| own[*k] != copy) {
                continue;
            }
            let other = self.table.nodes[twin as usize / 4];
            if !other.contains(&copy) {
                self.twins[t as usize][face] = ALONE;
                self.twins[twin as usize / 4][twin as usize % 4] = ALONE;
                touched.bare.extend(corners.map(|k| own[k]));
                touched.bare.extend(FACES[twin as usize % 4].map(|k| other[k]));
                touched.pinched.extend(corners.map(|k| own[k]).into_iter().filter(|n| other.contains(n)));
            }
        }
    }

    /// Whether two tetrahedra have a face in common, or never part.
    pub(super) fn hang_together(&self, a: u32, b: u32) -> bool {
        let whole = !self.cells.is_empty() && self.cells[a as usize] == self.cells[b as usize];
        whole || self.twins[a as usize].iter().any(|twin| *twin != ALONE && twin / 4 == b)
    }

    /// Faces that only one tetrahedron has, wound outward, in the order of the tetrahedra.
    pub fn boundary(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.bare_faces().map(|(t, face)| FACES[face].map(|k| self.table.nodes[t as usize][k]))
    }

    /// Tetrahedra and their faces that no other one has, in order.
    pub fn bare_faces(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        (0..).zip(&self.twins).flat_map(|(t, twins)| {
            let alone = (0..4).zip(twins).filter(|(_, twin)| **twin == ALONE);
            alone.map(move |(face, _)| (t, face))
        })
    }

    /// Prepares for cuts through tetrahedra, whose nodes are there at rest [m].
    pub(super) fn allow_cuts(&mut self, rest: &[[f64; 3]]) {
        self.rest = rest.to_vec();
        self.outside = self.twins.iter().map(|twins| twins.map(|twin| twin == ALONE)).collect();
    }

    /// Whether a face of a tetrahedron is the face of a crack.
    pub fn is_cracked(&self, t: u32, face: usize) -> bool {
        let outside = match self.outside.get(t as usize) {
            Some(outside) => outside[face],
            None => self.mates[t as usize][face] == ALONE,
        };
        self.twins[t as usize][face] == ALONE && !outside
    }

    /// Whether the tetrahedra around a node can part at all: whether they are of several cells.
    fn can_part_at(&self, node: u32) -> bool {
        let mut cells = self.around(node).map(|t| self.cells.get(t as usize).copied().unwrap_or(t));
        cells.next().is_some_and(|first| cells.any(|c| c != first))
    }

    /// Brings what follows from the present nodes up to date.
    pub fn refresh(&mut self, nodes: usize, edges: bool) {
        self.around = Incidence::new(self.table.nodes.as_flattened(), 0..nodes);
        self.splittable = (0..nodes as u32).map(|n| self.can_part_at(n)).collect();
        self.refresh_edges(edges);
    }

    /// Lists the edges, where strains are smoothed over them.
    pub(super) fn refresh_edges(&mut self, edges: bool) {
        if edges {
            self.edges = edges_of(&self.table.nodes);
        }
    }

    /// Makes room for so many more nodes.
    pub(super) fn make_room(&mut self, more: usize) {
        make_room(&mut self.splittable, more);
        self.around.make_room(more);
    }

    /// Reads what a break of these nodes, with these tetrahedra around them, will read. Nothing has been broken since long, so all of
    /// it lies far from the processor; asked for at once it comes at once, but when each read waits for the last one it takes
    /// as long as the break itself.
    pub(super) fn fetch(&self, tets: &[u32], nodes: &[u32]) {
        let mut read = 0;
        for t in tets.iter().map(|t| *t as usize) {
            read ^= self.table.nodes[t][0] ^ self.twins[t][0] ^ self.mates[t][0];
            read ^= self.table.volumes[t].to_bits() as u32 ^ self.cells.get(t).copied().unwrap_or(0);
        }
        for n in nodes {
            read ^= self.corners(*n).first().copied().unwrap_or(0);
        }
        std::hint::black_box(read);
    }

    /// The same for a look at what hangs together around these nodes.
    pub(super) fn fetch_stars(&self, nodes: &[u32]) {
        let mut read = 0;
        for t in nodes.iter().flat_map(|n| self.around(*n)).map(|t| t as usize) {
            read ^= self.twins[t][0] ^ self.cells.get(t).copied().unwrap_or(0);
        }
        std::hint::black_box(read);
    }

    /// What is around the nodes: `4 · tet + corner` of every tetrahedron.
    pub(super) fn incidence(&self) -> &Incidence {
        &self.around
    }

    /// `4 · tet + corner` of every tetrahedron around a node, ascending.
    pub(super) fn corners(&self, node: u32) -> &[u32] {
        &self.around.entries()[self.around.run(node as usize)]
    }

    /// The tetrahedra around a node.
    pub fn around(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.corners(node).iter().map(|corner| corner / 4)
    }
}

/// Stands for the twin of a face that no other tetrahedron has.
pub const ALONE: u32 = u32::MAX;

/// For each face of each tetrahedron the other one that has it.
fn twins_of(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let sorted = |face: usize| {
        let mut nodes = FACES[face % 4].map(|k| tets[face / 4][k]);
        nodes.sort_unstable();
        nodes
    };
    let mut faces: Vec<([u32; 3], u32)> = (0..4 * tets.len()).map(|f| (sorted(f), f as u32)).collect();
    faces.sort_unstable();
    let mut twins = vec![[ALONE; 4]; tets.len()];
    for same in faces.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a), (_, b)] = same {
            twins[*a as usize / 4][*a as usize % 4] = *b;
            twins[*b as usize / 4][*b as usize % 4] = *a;
        }
    }
    twins
}

/// Every edge once, ascending: the order of [`StencilTable::edge_smoothed`](crate::stencil::StencilTable::edge_smoothed).
fn edges_of(tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let sides = tets.iter().flat_map(|t| pairs.map(|[a, b]| [t[a].min(t[b]), t[a].max(t[b])]));
    let mut edges: Vec<[u32; 2]> = sides.collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}
