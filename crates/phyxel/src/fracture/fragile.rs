//! A body that can break: how its pieces hang together, and what each place bears.

use super::cohesion::Link;
use super::debris::Debris;
use super::drawn::Drawn;
use super::edges::Site;
use super::flow::Flow;
use super::fragments::{Fragment, first_fragment};
use super::points::PointPieces;
use super::tets::TetPieces;
use crate::math::{Mat3, Real, Vec3, eigen_symmetric};
use crate::record::BodyFrame;
use crate::scene::{Body, Fate, FragmentRule};
use crate::shape::PointSampling;
use crate::stencil::{MlsStencils, Neighbours, StencilTable, TetTable};

/// What is known about a body that can break, beyond its stencils. All numbers of nodes are within the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragile {
    /// The node of the unbroken body that each node is a copy of.
    pub origin: Vec<u32>,
    /// How nodes hang together.
    pub pieces: Pieces,
    /// Strength over that of the material, for each node of the unbroken body.
    pub strength: Vec<f64>,
    /// The least of these, and one at most.
    pub weakest: f64,
    /// The least of these around each tetrahedron; empty where all are one, and for phyxels.
    pub factors: Vec<f64>,
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
    /// Copies of nodes that cracks still hold together.
    pub links: Vec<Link>,
    /// What faces of cracks are called where the surface is found anew in each frame.
    pub interior: u32,
    /// Whether planes cut elements, instead of going along their faces.
    pub cuts: bool,
    /// What becomes of small pieces.
    pub rule: Option<FragmentRule>,
    /// Pieces that are not deformed any more.
    pub debris: Vec<Debris>,
}

/// How the nodes of a body hang together.
// There is one per body: what the larger variant leaves unused is nothing beside its arrays.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum Pieces {
    /// By tetrahedra.
    Tets(TetPieces),
    /// By sight.
    Points(PointPieces),
}

impl Fragile {
    /// An unbroken body of tetrahedra.
    pub fn of_tets(body: &Body, table: TetTable<f64>, smoothed_over_edges: bool) -> Self {
        let nodes = body.geometry.points().len();
        let strength = strengths(body);
        let (mass, volume) = {
            let volume: f64 = table.volumes.iter().sum();
            (volume * body.material.density, volume)
        };
        let (elements, sharpness) = (table.len(), sharpness(&table));
        let interior = body.material.fracture.map_or(1, |f| f.interior);
        // A regular tetrahedron has the volume a³/(6√2).
        let size = (6.0 * 2.0f64.sqrt() * volume / elements.max(1) as f64).cbrt();
        let mut drawn = match body.cut_elements {
            true => Drawn::of_free(&body.name, nodes),
            false => Drawn::of(&body.name, &table.nodes, &body.whole_cells, interior)
                .smoothed(&table.nodes, body.geometry.points()),
        };
        drawn.layout.look.colour = body.colour();
        let mut pieces = TetPieces::new(table, body.whole_cells.clone(), smoothed_over_edges, nodes);
        if body.cut_elements {
            pieces.allow_cuts(body.geometry.points());
        } else if let Some((fracture, edges)) = body.material.fracture.and_then(|f| Some((f, f.edges?))) {
            let (points, grain) = (body.geometry.points(), fracture.grain.map(|g| g.direction));
            drawn.roughen(&pieces, &Site { points, edges: &edges, grain, size });
        }
        let mut fragile = Fragile {
            origin: (0..nodes as u32).collect(),
            pieces: Pieces::Tets(pieces),
            weakest: strength.iter().copied().fold(1.0, f64::min),
            factors: Vec::new(),
            strength,
            tips: vec![false; nodes],
            loose: Vec::new(),
            fragments: vec![first_fragment(elements, mass, volume)],
            fragment_of: vec![0; elements],
            sharpness,
            size,
            drawn,
            links: Vec::new(),
            interior,
            cuts: body.cut_elements,
            rule: body.fragments,
            debris: Vec::new(),
        };
        fragile.find_factors();
        fragile
    }

    /// Finds what each tetrahedron bears over what the material does. Splitting a node changes none of it, because its copies
    /// are as strong; cutting elements does.
    pub(super) fn find_factors(&mut self) {
        let Pieces::Tets(tets) = &self.pieces else { return };
        self.factors.clear();
        if self.strength.iter().any(|s| *s != 1.0) {
            let least = |tet: &[u32; 4]| tet.iter().map(|n| self.strength_of(*n)).fold(f64::INFINITY, f64::min);
            self.factors = tets.table.nodes.iter().map(least).collect();
        }
    }

    /// Reads what a break of these nodes will read, besides what [`TetPieces::fetch`] does.
    pub(super) fn fetch(&self, nodes: impl Iterator<Item = u32>) {
        let read = nodes.fold(0, |read, n| read ^ self.origin[n as usize] ^ u32::from(self.tips[n as usize]));
        std::hint::black_box(read);
    }

    /// Whether a node is next to the tip of a crack.
    pub fn is_near_tip(&self, node: u32) -> bool {
        let is_tip = |n: &u32| self.tips[*n as usize];
        match &self.pieces {
            Pieces::Tets(tets) => tets.around(node).any(|t| tets.table.nodes[t as usize].iter().any(is_tip)),
            Pieces::Points(points) => points.is_near_front(self.origin[node as usize]),
        }
    }

    /// The strength of a node over that of the material.
    pub fn strength_of(&self, node: u32) -> f64 {
        // Nodes of the unbroken body keep their numbers.
        match self.strength.get(node as usize) {
            Some(own) => *own,
            None => self.strength[self.origin[node as usize] as usize],
        }
    }

    /// An unbroken body of phyxels.
    pub fn of_points(body: &Body, sampling: &PointSampling, built: MlsStencils) -> Self {
        let nodes = sampling.points.len();
        let strength = strengths(body);
        let volume: f64 = sampling.volumes.iter().sum();
        let mut drawn = Drawn::of_phyxels(&body.name, nodes);
        drawn.layout.look.colour = body.colour();
        let mut pieces = PointPieces::new(sampling, &body.mls, &built.radii, built.table);
        if body.material.fracture.is_some_and(|f| f.judges_tips()) {
            pieces.follow_fronts();
        }
        let mut fragile = Fragile {
            origin: (0..nodes as u32).collect(),
            pieces: Pieces::Points(pieces),
            weakest: strength.iter().copied().fold(1.0, f64::min),
            factors: Vec::new(),
            strength,
            tips: vec![false; nodes],
            loose: Vec::new(),
            fragments: vec![first_fragment(nodes, volume * body.material.density, volume)],
            fragment_of: vec![0; nodes],
            sharpness: (0.0, 0.0),
            size: sampling.spacing,
            drawn,
            links: Vec::new(),
            interior: body.material.fracture.map_or(1, |f| f.interior),
            cuts: false,
            rule: body.fragments,
            debris: Vec::new(),
        };
        fragile.renew_shell();
        fragile
    }

    /// Brings the surface of phyxels in line with their pieces.
    pub(super) fn renew_shell(&mut self) {
        if let Pieces::Points(points) = &mut self.pieces {
            points.renew_shell(&self.origin, &self.fragment_of);
        }
    }

    /// Where its phyxels have come to, if they have no rest shape.
    pub(crate) fn flow(&mut self) -> Option<&mut Flow> {
        match &mut self.pieces {
            Pieces::Points(points) => points.flow.as_mut(),
            Pieces::Tets(_) => None,
        }
    }

    /// Whether some of its phyxels may not see others that are near.
    pub(crate) fn may_hide(&self) -> bool {
        let cracks = matches!(&self.pieces, Pieces::Points(points) if !points.cracks.is_empty());
        cracks || self.fragments.len() > 1
    }

    /// How much its phyxels see of each other; see [`PointPieces::shares`].
    pub(crate) fn shares<R: Real>(&mut self, near: &Neighbours, out: &mut Vec<R>) {
        if let Pieces::Points(points) = &mut self.pieces {
            points.shares((&self.origin, &self.fragment_of), near, out);
        }
    }

    /// Lists whom phyxels without a rest shape saw when they were whole, and where; false where they are not of that kind.
    pub(crate) fn list_first<R: Real>(&self, first: &mut (Neighbours, Vec<Vec3<R>>)) -> bool {
        match &self.pieces {
            Pieces::Points(points) if points.flow.is_some() => points.list_first(&self.origin, first),
            _ => return false,
        }
        true
    }

    /// Takes over whom phyxels without a rest shape see, from stencils over nodes of the body.
    pub(crate) fn follow<R: Real>(&mut self, table: &StencilTable<R>) {
        if let Pieces::Points(points) = &mut self.pieces
            && points.flow.is_some()
        {
            points.follow(&table.offsets, &table.nodes);
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
        let free = self.free_surface(frame);
        if let (Some(free), Pieces::Tets(_)) = (&free, &self.pieces) {
            let free = free.clone();
            let whole = self.strength.len();
            let numbers = |of: &[f64]| of.iter().copied().take(whole).collect();
            return BodyFrame {
                positions: frame.positions[..whole].to_vec(),
                velocities: frame.velocities[..whole].to_vec(),
                von_mises: numbers(&frame.von_mises),
                temperatures: numbers(&frame.temperatures),
                free: Some(free),
                ..BodyFrame::default()
            };
        }
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
        let mut positions = triples(&frame.positions);
        // What has been removed is drawn as nothing: all its vertices in one place.
        for gone in self.debris.iter().filter(|d| d.fate == Fate::Removed) {
            let place = frame.positions[gone.nodes[0] as usize];
            let inside = |corner: &u32| gone.nodes.binary_search(&(node(corner) as u32)).is_ok();
            let vertices = self.drawn.corners.iter().zip(&mut positions).filter(|(corner, _)| inside(corner));
            vertices.for_each(|(_, position)| *position = place);
        }
        BodyFrame {
            skin: match &self.pieces {
                _ if self.drawn.layout.skin_triangles.is_empty() => Vec::new(),
                Pieces::Tets(tets) if !self.drawn.carried.is_empty() => self.rough_skin(tets, frame),
                _ => positions.clone(),
            },
            positions,
            velocities: triples(&frame.velocities),
            von_mises: numbers(&frame.von_mises),
            strain: numbers(&frame.strain),
            damage: numbers(&frame.damage),
            temperatures: numbers(&frame.temperatures),
            free,
            ..BodyFrame::default()
        }
    }

    /// How far each node has parted from others, 0 to 1: one of several copies lies on the face of a crack.
    pub fn damage(&self) -> Vec<f64> {
        let mut copies = vec![0_u32; self.strength.len()];
        self.origin.iter().for_each(|o| copies[*o as usize] += 1);
        self.origin.iter().map(|o| if copies[*o as usize] > 1 { 1.0 } else { 0.0 }).collect()
    }

    /// The drawn surface where broken edges have a look of their own.
    fn rough_skin(&self, tets: &TetPieces, frame: &BodyFrame) -> Vec<[f64; 3]> {
        let gone = |t: u32| self.fragments[self.fragment_of[t as usize] as usize].fate == Fate::Removed;
        let place = |(t, weights): &(u32, [f64; 4])| {
            let corners = tets.table.nodes[*t as usize].map(|n| Vec3(frame.positions[n as usize]));
            let weights = if gone(*t) { &[1.0, 0.0, 0.0, 0.0] } else { weights };
            (0..4).fold(Vec3::zero(), |sum, k| sum + corners[k] * weights[k]).0
        };
        self.drawn.carried.iter().map(place).collect()
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
pub(super) fn sharpness(table: &TetTable<f64>) -> (f64, f64) {
    let squares = |e: usize| table.all_gradients(e).iter().fold(Mat3::zero(), |s, d| s + Mat3::outer(*d, *d));
    (0..table.len()).map(squares).fold((0.0, 0.0), |(largest, trace), s| {
        (f64::max(largest, eigen_symmetric(&s).0[0]), f64::max(trace, s.trace()))
    })
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
#[inline(always)]
pub(super) fn centre([a, b, c, d]: [u32; 4], place: impl Fn(u32) -> Vec3<f64>) -> Vec3<f64> {
    (place(a) + place(b) + place(c) + place(d)) * 0.25
}
