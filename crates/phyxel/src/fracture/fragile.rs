//! A body that can break: how its pieces hang together, and what each place bears.

use super::drawn::Drawn;
use super::fragments::{Fragment, first_fragment};
use super::points::PointPieces;
use crate::math::{Mat3, Vec3, eigen_symmetric};
use crate::model::BuildError;
use crate::record::BodyFrame;
use crate::scene::{Action, Body, Lagrangian, MassKind, Region, Scene};
use crate::shape::{Geometry, PointSampling};
use crate::stencil::incidence::Incidence;
use crate::stencil::{MlsStencils, TetTable};

/// What is known about a body that can break, beyond its stencils. All numbers of nodes are within the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragile {
    /// The node of the unbroken body that each node is a copy of.
    pub origin: Vec<u32>,
    /// How nodes hang together.
    pub pieces: Pieces,
    /// Strength over that of the material, for each node of the unbroken body.
    pub strength: Vec<f64>,
    /// Whether each node lies at the tip of a crack.
    pub tips: Vec<bool>,
    /// Nodes around which elements may hang together at the node alone; they are looked at in the next step.
    pub loose: Vec<u32>,
    /// The pieces that the body is in, by identity; those that have broken into others keep their place.
    pub fragments: Vec<Fragment>,
    /// The fragment of each tetrahedron or phyxel.
    pub fragment_of: Vec<u32>,
    /// The largest eigenvalue of `Σ d dᵀ` of any element, and the largest trace [1/m²]: how fast elements can vibrate.
    pub sharpness: (f64, f64),
    /// Length of the edge of a typical element, or distance of phyxels [m].
    pub size: f64,
    /// What is drawn of it.
    pub drawn: Drawn,
}

/// How the nodes of a body hang together.
#[derive(Clone, Debug, PartialEq)]
pub enum Pieces {
    /// By tetrahedra.
    Tets(TetPieces),
    /// By sight.
    Points(PointPieces),
}

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
    /// `4 · tet + corner` of every tetrahedron around each node.
    around: Incidence,
}

impl TetPieces {
    /// Tetrahedra over so many nodes; `edges` where strains are smoothed over them.
    pub fn new(table: TetTable<f64>, cells: Vec<u32>, edges: bool, nodes: usize) -> Self {
        let mut pieces =
            TetPieces { table, cells, edges: Vec::new(), splittable: Vec::new(), around: Incidence::default() };
        pieces.refresh(nodes, edges);
        pieces
    }

    /// Brings what follows from the present nodes up to date.
    pub fn refresh(&mut self, nodes: usize, edges: bool) {
        self.around = Incidence::new(self.table.nodes.as_flattened(), 0..nodes);
        let cell = |t: u32| self.cells.get(t as usize).copied().unwrap_or(t);
        let several = |n: u32| {
            let mut cells = self.around(n).map(cell);
            cells.next().is_some_and(|first| cells.any(|c| c != first))
        };
        self.splittable = (0..nodes as u32).map(several).collect();
        if edges {
            self.edges = edges_of(&self.table.nodes);
        }
    }

    /// The tetrahedra around a node.
    pub fn around(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.around.entries()[self.around.run(node as usize)].iter().map(|corner| corner / 4)
    }
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

impl Fragile {
    /// An unbroken body of tetrahedra.
    pub fn of_tets(body: &Body, table: TetTable<f64>, smoothed_over_edges: bool) -> Self {
        let nodes = body.geometry.points().len();
        let (mass, volume) = {
            let volume: f64 = table.volumes.iter().sum();
            (volume * body.material.density, volume)
        };
        let (elements, sharpness) = (table.len(), sharpness(&table));
        let interior = body.material.fracture.map_or(1, |f| f.interior);
        let drawn = Drawn::of(&body.name, &table.nodes, &body.whole_cells, interior);
        let pieces = TetPieces::new(table, body.whole_cells.clone(), smoothed_over_edges, nodes);
        Fragile {
            origin: (0..nodes as u32).collect(),
            pieces: Pieces::Tets(pieces),
            strength: strengths(body),
            tips: vec![false; nodes],
            loose: Vec::new(),
            fragments: vec![first_fragment(elements, mass, volume)],
            fragment_of: vec![0; elements],
            sharpness,
            // A regular tetrahedron has the volume a³/(6√2).
            size: (6.0 * 2.0f64.sqrt() * volume / elements.max(1) as f64).cbrt(),
            drawn,
        }
    }

    /// Whether a node is next to the tip of a crack.
    pub fn is_near_tip(&self, node: u32) -> bool {
        let is_tip = |n: &u32| self.tips[*n as usize];
        match &self.pieces {
            Pieces::Tets(tets) => tets.around(node).any(|t| tets.table.nodes[t as usize].iter().any(is_tip)),
            Pieces::Points(points) => points.neighbours(node).iter().any(is_tip),
        }
    }

    /// The strength of a node over that of the material.
    pub fn strength_of(&self, node: u32) -> f64 {
        self.strength[self.origin[node as usize] as usize]
    }

    /// An unbroken body of phyxels.
    pub fn of_points(body: &Body, sampling: &PointSampling, built: MlsStencils) -> Self {
        let nodes = sampling.points.len();
        let volume: f64 = sampling.volumes.iter().sum();
        Fragile {
            origin: (0..nodes as u32).collect(),
            pieces: Pieces::Points(PointPieces::new(sampling, &body.mls, &built.radii, built.table)),
            strength: strengths(body),
            tips: vec![false; nodes],
            loose: Vec::new(),
            fragments: vec![first_fragment(nodes, volume * body.material.density, volume)],
            fragment_of: vec![0; nodes],
            sharpness: (0.0, 0.0),
            size: sampling.spacing,
            drawn: Drawn::of_phyxels(&body.name, nodes),
        }
    }

    /// Each phyxel of the unbroken body and its first copy, or itself again; empty for meshes.
    fn first_copies(&self) -> Vec<u32> {
        let Pieces::Points(_) = &self.pieces else { return Vec::new() };
        let mut nodes: Vec<u32> = (0..self.strength.len() as u32).flat_map(|n| [n, n]).collect();
        for (copy, origin) in self.origin.iter().enumerate().skip(self.strength.len()) {
            let second = &mut nodes[2 * *origin as usize + 1];
            if *second == *origin {
                *second = copy as u32;
            }
        }
        nodes
    }

    /// A frame over nodes as one over the vertices that are drawn.
    pub fn spread(&self, frame: &BodyFrame) -> BodyFrame {
        let first_copies = self.first_copies();
        let node = |corner: &u32| match &self.pieces {
            Pieces::Tets(tets) => tets.table.nodes.as_flattened()[*corner as usize] as usize,
            Pieces::Points(_) => first_copies[*corner as usize] as usize,
        };
        let triples = |of: &[[f64; 3]]| self.drawn.corners.iter().map(|c| of[node(c)]).collect::<Vec<_>>();
        let numbers = |of: &[f64]| match of {
            [] => Vec::new(),
            of => self.drawn.corners.iter().map(|c| of[node(c)]).collect(),
        };
        let positions = triples(&frame.positions);
        BodyFrame {
            skin: if self.drawn.layout.skin_triangles.is_empty() { Vec::new() } else { positions.clone() },
            positions,
            velocities: triples(&frame.velocities),
            von_mises: numbers(&frame.von_mises),
            strain: numbers(&frame.strain),
            damage: numbers(&frame.damage),
            temperatures: numbers(&frame.temperatures),
            ..BodyFrame::default()
        }
    }

    /// How far each node has parted from others, 0 to 1: one of several copies lies on the face of a crack.
    pub fn damage(&self) -> Vec<f64> {
        let mut copies = vec![0_u32; self.strength.len()];
        self.origin.iter().for_each(|o| copies[*o as usize] += 1);
        self.origin.iter().map(|o| if copies[*o as usize] > 1 { 1.0 } else { 0.0 }).collect()
    }

    /// How many fragments there are now.
    pub fn fragment_count(&self) -> usize {
        self.fragments.iter().filter(|f| f.elements > 0).count()
    }

    /// Whether anything has broken yet.
    pub fn is_whole(&self) -> bool {
        self.origin.len() == self.strength.len()
    }
}

/// The largest eigenvalue and the largest trace of `Σ d dᵀ` over all elements.
fn sharpness(table: &TetTable<f64>) -> (f64, f64) {
    let squares = |e: usize| table.all_gradients(e).iter().fold(Mat3::zero(), |s, d| s + Mat3::outer(*d, *d));
    (0..table.len()).map(squares).fold((0.0, 0.0), |(largest, trace), s| {
        (f64::max(largest, eigen_symmetric(&s).0[0]), f64::max(trace, s.trace()))
    })
}

/// Whether a body may break: by its material now or later, or by a cut.
pub(crate) fn may_break(scene: &Scene, body: &Body) -> bool {
    let meant = |name: &Option<String>| name.as_ref().is_none_or(|n| *n == body.name);
    let by_event = |action: &Action| match action {
        Action::Cut(_) => true,
        Action::SetMaterial(material) => material.fracture.is_some(),
        _ => false,
    };
    body.material.fracture.is_some() || scene.events.iter().any(|e| meant(&e.body) && by_event(&e.action))
}

/// Checks that a body that may break can.
pub(crate) fn check_body(scene: &Scene, body: &Body) -> Result<(), BuildError> {
    let name = || body.name.clone();
    for weakness in &body.weaknesses {
        let good = weakness.factor > 0.0 && weakness.factor.is_finite();
        if !good {
            let what = format!("the factor of a weakness of body {:?}", body.name);
            return Err(BuildError::BadNumber { what, value: weakness.factor, remedy: " above zero" });
        }
        let points = body.geometry.points();
        if let Region::Nodes(nodes) = &weakness.region
            && let Some(&node) = nodes.iter().find(|n| **n as usize >= points.len())
        {
            return Err(BuildError::NodeOutOfRange { body: name(), node, count: points.len() });
        }
        if crate::model::nodes_inside(&weakness.region, points).is_empty() {
            let what = "a weakness holds no nodes: move or enlarge its region";
            return Err(BuildError::Unsupported { body: name(), what });
        }
    }
    let elements = match &body.geometry {
        Geometry::Tets(mesh) => mesh.tets.len(),
        _ => 0,
    };
    if !body.whole_cells.is_empty() && body.whole_cells.len() != elements {
        let what = "whole_cells needs one number for each tetrahedron of its mesh";
        return Err(BuildError::Unsupported { body: name(), what });
    }
    if !may_break(scene, body) {
        return Ok(());
    }
    let what = match &body.geometry {
        Geometry::Embedded(_) => {
            "it cannot break, because its tetrahedra reach beyond its surface: fill it with others"
        }
        Geometry::Springs(_) => "springs cannot break yet: leave out strength, or use method tet, edge or mls",
        Geometry::Points(_) if body.mls.lagrangian == Lagrangian::Updated => {
            "phyxels without a rest shape come apart by themselves: leave out strength, or write lagrangian = \"total\""
        }
        Geometry::Tets(_) if body.mass == MassKind::Consistent => "bodies that break need mass = \"lumped\"",
        Geometry::Tets(_) | Geometry::Points(_) => return Ok(()),
    };
    Err(BuildError::Unsupported { body: name(), what })
}

/// Strength of each node over that of the material.
fn strengths(body: &Body) -> Vec<f64> {
    let points = body.geometry.points();
    let mut factors = vec![1.0; points.len()];
    for weakness in &body.weaknesses {
        for n in crate::model::nodes_inside(&weakness.region, points) {
            factors[n as usize] = weakness.factor;
        }
    }
    if let Some(fracture) = body.material.fracture.filter(|f| f.scatter > 0.0) {
        for (n, factor) in factors.iter_mut().enumerate() {
            *factor *= 1.0 + fracture.scatter * noise(fracture.seed, n as u64);
        }
    }
    factors
}

/// A number in −1..1 for each node (splitmix64).
fn noise(seed: u64, node: u64) -> f64 {
    let mut z = seed.wrapping_add(node.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    2.0 * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 1.0
}

/// The middle of a tetrahedron.
pub(super) fn centre(tet: [u32; 4], place: impl Fn(u32) -> Vec3<f64>) -> Vec3<f64> {
    tet.into_iter().fold(Vec3::zero(), |sum, n| sum + place(n)) * 0.25
}
