//! Phyxels that can part: cracks in rest space, and who still sees whom.
//!
//! A crack is a set of discs in the rest shape. Phyxels see each other where no disc is in between (the visibility criterion
//! of Belytschko et al. 1994); near the rim of a disc sight fades instead of ending at once (the transparency of Organ et
//! al. 1996, as in Pauly et al. 2005). A phyxel in the plane of a crack is duplicated: each copy has half of its matter and
//! sees one side. Only the stencils that a disc touches are built anew.

pub use super::disc::Disc;
use super::disc::{FADE, sight_past};
use super::flow::Flow;
use super::front::{FrontPoint, Fronts};
use super::shell::{Outside, Shell};
use crate::math::{Mat3, Vec3};
use crate::scene::{KernelKind, Lagrangian, MlsSettings};
use crate::shape::PointSampling;
use crate::stencil::StencilTable;
use crate::stencil::mls::{Entries, Pair, Row};

/// How far a copy stands beside its crack when it looks around, in spacings: so far that neighbours whose cracks are tilted by a
/// few degrees against its own do not see it from the other side.
const BESIDE: f64 = 0.1;

/// Cosine of the angle within which neighbours are straight ahead.
const AHEAD: f64 = 0.8;

/// The phyxels that a crack comes to next are within so many spacings.
const NEXT: f64 = 1.6;

/// Cosine of the angle between cracks up to which they are one.
const ALIKE: f64 = 0.7;
/// Places nearer to a disc than this, in depths at which sight ends, lie on it.
const ON_DISC: f64 = 0.5;

/// Where toughness decides, no crack starts nearer to the faces of another than this, in spacings.
const BESIDE_FACES: f64 = 0.75;

/// Neighbours within this many spacings of a crack's plane belong to it.
const IN_PLANE: f64 = 0.5;

/// A disc, and the phyxels that it duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Crack {
    /// The disc.
    pub disc: Disc,
    /// The phyxels, within the body.
    pub splits: Vec<u32>,
    /// The phyxel that it is at, within the body; it carries the disc where nothing is duplicated.
    pub at: u32,
}

/// The phyxels of the unbroken body.
#[derive(Clone, Debug, PartialEq)]
pub struct Unbroken {
    points: Vec<Vec3<f64>>,
    volumes: Vec<f64>,
    radii: Vec<f64>,
    spacings: Vec<f64>,
    table: StencilTable<f64>,
    kernel: KernelKind,
    stabilisation: f64,
    /// Pairs see as far as both do on average.
    mutual: bool,
}

/// Phyxels with the cracks among them.
#[derive(Clone, Debug, PartialEq)]
pub struct PointPieces {
    unbroken: Unbroken,
    /// The skin of the unbroken body.
    pub(super) outside: Option<Outside>,
    /// Every crack so far, in order.
    pub cracks: Vec<Crack>,
    /// Where each phyxel stands when it looks around: beside the cracks that it lies in [m].
    stands: Vec<Vec3<f64>>,
    /// Where cracks end, if toughness decides whether they run on.
    pub(super) fronts: Option<Fronts>,
    /// Where phyxels have come to, if they have no rest shape.
    pub flow: Option<Flow>,
    /// The surface of its pieces.
    pub(super) kept: Shell,
    /// The present stencils, over nodes of the body; without weights where phyxels have no rest shape.
    pub table: StencilTable<f64>,
}

impl PointPieces {
    /// Phyxels of an unbroken body with the stencils that were built for them.
    pub fn new(sampling: &PointSampling, settings: &MlsSettings, radii: &[f64], table: StencilTable<f64>) -> Self {
        let points: Vec<Vec3<f64>> = sampling.points.iter().map(|p| Vec3(*p)).collect();
        let spacing = |i: usize| sampling.spacings.get(i).copied().unwrap_or(sampling.spacing);
        let unbroken = Unbroken {
            volumes: sampling.volumes.clone(),
            radii: radii.to_vec(),
            spacings: (0..points.len()).map(spacing).collect(),
            table: table.clone(),
            kernel: settings.kernel,
            stabilisation: settings.stabilisation,
            mutual: settings.support.is_mutual() && !sampling.spacings.is_empty(),
            points: points.clone(),
        };
        let outside = Outside::new(&sampling.skin, &points, sampling.spacing);
        let flow = (settings.lagrangian == Lagrangian::Updated).then(|| Flow::new(&points));
        let kept = Shell::default();
        PointPieces { unbroken, outside, cracks: Vec::new(), stands: points, fronts: None, flow, kept, table }
    }

    /// The disc of a crack that starts at a node, normal to a direction of the rest shape.
    pub fn disc_at(&self, origin: u32, normal: Vec3<f64>) -> Disc {
        let spacing = self.unbroken.spacings[origin as usize];
        Disc { center: self.unbroken.points[origin as usize], normal, radius: spacing, fade: FADE * spacing }
    }

    /// Lets toughness decide whether cracks run on: it matters where they end.
    pub(super) fn follow_fronts(&mut self) {
        self.fronts = self.flow.is_none().then(Fronts::default);
    }

    /// The disc of a crack that runs on from its front.
    pub(super) fn disc_ahead(&self, from: &FrontPoint, normal: Vec3<f64>, ahead: Vec3<f64>) -> Disc {
        from.disc(normal, ahead, FADE * from.spacing)
    }

    /// Whether a phyxel of the unbroken body is next to where a crack ends.
    pub fn is_near_front(&self, origin: u32) -> bool {
        let reach = NEXT * self.spacing(origin);
        self.fronts.as_ref().is_some_and(|fronts| fronts.are_near(self.rest(origin), reach))
    }

    /// Whether a crack is so near to a phyxel that its toughness decides, and no other starts there: next to where it ends, and beside
    /// its faces, where a phyxel sees but one side.
    pub(super) fn is_at_crack(&self, origin: &[u32], node: u32) -> bool {
        let own = origin[node as usize];
        let (x, reach) = (self.rest(own), BESIDE_FACES * self.spacing(own));
        let is_beside = || self.cracks.iter().any(|c| c.disc.distance(x) < reach);
        self.fronts.is_some() && (self.is_near_front(own) || is_beside())
    }

    /// How far a place in the plane of a new disc is inside the crack that it lengthens, in depths at which sight ends; nothing
    /// where the disc does not reach it.
    pub(super) fn depth(&self, disc: &Disc, x: Vec3<f64>) -> Option<f64> {
        let own = disc.depth(x).filter(|depth| *depth > 0.0)?;
        let near = |d: &&Disc| d.distance(x) < ON_DISC * disc.fade && d.normal.dot(disc.normal).abs() > ALIKE;
        let others = self.cracks.iter().map(|c| &c.disc).filter(near).filter_map(|d| d.depth(x));
        Some(own + others.filter(|depth| *depth > 0.0).sum::<f64>())
    }

    /// Whether a phyxel has parted already along a plane much like this one.
    pub(super) fn has_parted(&self, origin: &[u32], node: u32, normal: Vec3<f64>) -> bool {
        let aside = self.stands[node as usize] - self.rest(origin[node as usize]);
        aside.norm() > 0.0 && aside.normalized().dot(normal).abs() > ALIKE
    }

    /// Distance between neighbours around a node of the unbroken body [m].
    pub fn spacing(&self, origin: u32) -> f64 {
        self.unbroken.spacings[origin as usize]
    }

    /// Area of a crack that is a phyxel's [m²]: its matter over how thick that is square to the crack, which is the way to the
    /// nearest neighbour in that direction.
    pub fn area(&self, origin: &[u32], node: u32, disc: &Disc) -> f64 {
        let own = origin[node as usize];
        let arms = self.neighbours_at_first(own).iter().map(|j| self.rest(*j) - self.rest(own));
        let heights = arms.filter_map(|arm| {
            let height = arm.dot(disc.normal).abs();
            (height > AHEAD * arm.norm()).then_some(height)
        });
        let thickness = heights.fold(f64::INFINITY, f64::min);
        let thickness = if thickness.is_finite() { thickness } else { self.spacing(own) };
        self.table.volumes[node as usize] / thickness
    }

    /// Matter of a phyxel of the unbroken body [m³].
    pub fn first_volume(&self, origin: u32) -> f64 {
        self.unbroken.volumes[origin as usize]
    }

    /// Where a node of the unbroken body is at rest [m].
    pub fn rest(&self, origin: u32) -> Vec3<f64> {
        self.unbroken.points[origin as usize]
    }

    /// Where a phyxel stands when it looks around [m].
    pub fn stand(&self, node: u32) -> Vec3<f64> {
        self.stands[node as usize]
    }

    /// How many phyxels the unbroken body has.
    pub fn whole_count(&self) -> usize {
        self.unbroken.points.len()
    }

    /// Whom a phyxel of the unbroken body saw.
    pub fn neighbours_at_first(&self, origin: u32) -> &[u32] {
        let table = &self.unbroken.table;
        &table.nodes[table.entries(origin as usize)][1..]
    }

    /// How far a node of the unbroken body sees [m].
    pub fn radius(&self, origin: u32) -> f64 {
        self.unbroken.radii[origin as usize]
    }

    /// Whom a phyxel sees.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.table.nodes[self.table.entries(node as usize)][1..]
    }

    /// Whether a phyxel has matter on both sides of a plane through it, so that there is something to part.
    pub fn has_both_sides(&self, origin: &[u32], node: u32, normal: Vec3<f64>) -> bool {
        let least = 0.25 * self.spacing(origin[node as usize]);
        let height = |j: &u32| self.arm(origin, (node, *j)).dot(normal);
        let near = self.neighbours(node);
        near.iter().any(|j| height(j) > least) && near.iter().any(|j| height(j) < -least)
    }

    /// Whether one phyxel lies in the plane of a crack through another.
    pub fn in_plane(&self, origin: &[u32], (a, b): (u32, u32), normal: Vec3<f64>) -> bool {
        self.arm(origin, (a, b)).dot(normal).abs() < IN_PLANE * self.spacing(origin[a as usize])
    }

    /// Whether a crack that goes on from one phyxel in a direction comes to another next; to all where it goes both ways.
    pub fn is_next(&self, origin: &[u32], (a, b): (u32, u32), ahead: Option<[f64; 3]>) -> bool {
        let arm = self.arm(origin, (a, b));
        let near = NEXT * self.spacing(origin[a as usize]);
        ahead.is_none_or(|ahead| arm.dot(Vec3(ahead)) > 0.5 * arm.norm() && arm.norm() < near)
    }

    /// The way from one phyxel to another at rest, or in what is rest to the first [m].
    fn arm(&self, origin: &[u32], (from, to): (u32, u32)) -> Vec3<f64> {
        match &self.flow {
            Some(flow) => flow.arm(from, to),
            None => self.rest(origin[to as usize]) - self.rest(origin[from as usize]),
        }
    }

    /// The gradient from rest of what has a gradient from the reference of its stencils.
    pub fn from_rest(&self, node: u32, gradient: Mat3<f64>) -> Mat3<f64> {
        self.flow.as_ref().map_or(gradient, |flow| gradient * flow.gradient(node))
    }

    /// Forgets every crack.
    pub fn mend(&mut self) {
        self.cracks.clear();
        self.fronts = self.fronts.take().map(|_| Fronts::default());
        self.kept = Shell::default();
        self.stands = self.unbroken.points.clone();
        self.table = self.unbroken.table.clone();
        if let Some(flow) = &mut self.flow {
            *flow = Flow::new(&self.unbroken.points);
        }
    }

    /// Adds a crack. Copies are numbered behind all other nodes, and entered into `origin`; returns the node that each is a
    /// copy of.
    pub fn crack(&mut self, origin: &mut Vec<u32>, crack: &Crack) -> Vec<u32> {
        let before = origin.len();
        for &node in &crack.splits {
            let own = origin[node as usize];
            let earlier = origin.iter().filter(|o| **o == own).count() as i32;
            // Each time less, so that a copy stays on its side of earlier cracks.
            let aside = crack.disc.normal * (BESIDE * self.spacing(own) * 0.3f64.powi(earlier - 1));
            let stand = self.stands[node as usize];
            self.stands[node as usize] = stand + aside;
            self.stands.push(stand - aside);
            origin.push(own);
            let half = 0.5 * self.table.volumes[node as usize];
            self.table.volumes[node as usize] = half;
            self.table.volumes.push(half);
        }
        self.cracks.push(crack.clone());
        if let Some(fronts) = &mut self.fronts {
            fronts.follow(&self.cracks, (&self.unbroken.points, &self.unbroken.spacings));
        }
        match &mut self.flow {
            None => self.look_again(origin, before, crack),
            Some(flow) => {
                crack.splits.iter().for_each(|node| flow.copy(*node));
                let at = if crack.splits.is_empty() { &[crack.at][..] } else { &crack.splits };
                let copies = before as u32..origin.len() as u32;
                at.iter().copied().chain(copies).for_each(|n| flow.carry(n, self.cracks.len() as u32 - 1));
                self.list_again(origin, before, &crack.splits);
            }
        }
        crack.splits.clone()
    }

    /// Builds the stencils anew that a new crack touches.
    fn look_again(&mut self, origin: &[u32], before: usize, crack: &Crack) {
        let reach = crack.disc.radius + 4.0 * self.unbroken.radii.iter().copied().fold(0.0, f64::max);
        let near =
            |d: &&Crack| (d.disc.center - crack.disc.center).norm() - d.disc.radius < reach || !reach.is_finite();
        let discs: Vec<Disc> = self.cracks.iter().filter(near).map(|c| c.disc).collect();
        let mut rows = Rows { table: StencilTable { offsets: vec![0], ..StencilTable::default() } };
        for node in 0..origin.len() {
            let source = if node < before { node } else { crack.splits[node - before] as usize };
            let split = node >= before || crack.splits.contains(&(node as u32));
            let own = origin[node] as usize;
            let far = crack.disc.distance(self.unbroken.points[own]) > 2.0 * self.unbroken.radii[own];
            let old = self.table.entries(source);
            if far && !split {
                rows.keep(&self.table, old.clone(), node as u32, |j| j);
                continue;
            }
            match self.renamed(origin, before, (node, old.clone()), crack).filter(|_| !split) {
                Some(names) => rows.keep(&self.table, old, node as u32, |j| {
                    names.iter().find(|(from, _)| *from == j).map_or(j, |(_, to)| *to)
                }),
                None => self.refill(origin, before, (node, old), (crack, &discs), &mut rows),
            }
        }
        rows.table.volumes = std::mem::take(&mut self.table.volumes);
        self.table = rows.table;
    }

    /// The nodes that `node` may see after a crack in the place of one that it saw before.
    fn candidates<'a>(&self, j: u32, before: usize, crack: &'a Crack) -> impl Iterator<Item = u32> + use<'a> {
        let copies = crack.splits.iter().enumerate().filter(move |(_, s)| **s == j);
        std::iter::once(j).chain(copies.map(move |(k, _)| (before + k) as u32))
    }

    /// New names of those whom a phyxel sees, if it sees exactly as much of each as before; `None` when it must look again.
    fn renamed(
        &self,
        _origin: &[u32],
        before: usize,
        (node, old): (usize, std::ops::Range<usize>),
        crack: &Crack,
    ) -> Option<Vec<(u32, u32)>> {
        let mut names = Vec::new();
        for &j in &self.table.nodes[old][1..] {
            let mut seen = None;
            for c in self.candidates(j, before, crack) {
                let sight = crack.disc.sight(self.stands[node], self.stands[c as usize]);
                match (sight, seen) {
                    (1.0, None) => seen = Some(c),
                    (0.0, _) => {}
                    _ => return None,
                }
            }
            match seen {
                Some(c) if c != j => names.push((j, c)),
                Some(_) => {}
                None => return None,
            }
        }
        Some(names)
    }

    fn refill(
        &self,
        origin: &[u32],
        before: usize,
        (node, old): (usize, std::ops::Range<usize>),
        (crack, discs): (&Crack, &[Disc]),
        rows: &mut Rows,
    ) {
        let whole = &self.unbroken;
        let own = origin[node] as usize;
        let mut seen: Vec<(u32, f64)> = Vec::new();
        for &j in &self.table.nodes[old][1..] {
            for c in self.candidates(j, before, crack).filter(|c| origin[*c as usize] as usize != own) {
                let (a, b) = (self.stands[node], self.stands[c as usize]);
                let sight = sight_past(discs, a, b);
                if sight > 1e-6 && !seen.iter().any(|(known, _)| *known == c) {
                    seen.push((c, sight));
                }
            }
        }
        seen.sort_unstable_by_key(|(c, _)| *c);
        // Copies of one phyxel count by their matter, and together as much as it did.
        let matter = |c: u32| self.table.volumes[c as usize];
        let shares: Vec<f64> = seen
            .iter()
            .map(|(c, sight)| {
                let alike = seen.iter().filter(|(d, _)| origin[*d as usize] == origin[*c as usize]);
                sight * matter(*c) / alike.map(|(d, _)| matter(*d)).sum::<f64>()
            })
            .collect();
        let place = |c: u32| seen.binary_search_by_key(&c, |(c, _)| *c).unwrap_or(0);
        let radius = whole.radii[own];
        let row = Row {
            kernel: whole.kernel,
            radius,
            least: 0.0,
            offset: |c: u32| whole.points[origin[c as usize] as usize] - whole.points[own],
            pair: |c: u32| {
                let other = whole.radii[origin[c as usize] as usize];
                let pair = if whole.mutual { Pair::between(radius, other) } else { Pair::alike() };
                Pair { share: pair.share * shares[place(c)], ..pair }
            },
        };
        let start = rows.table.nodes.len();
        rows.table.nodes.push(node as u32);
        rows.table.nodes.extend(seen.iter().map(|(c, _)| *c));
        let end = rows.table.nodes.len();
        rows.table.weights.resize(end, Vec3::zero());
        let stabilised = !whole.table.penalties.is_empty();
        rows.table.penalties.resize(if stabilised { end } else { 0 }, 0.0);
        let entries = Entries {
            nodes: &mut rows.table.nodes[start..],
            weights: &mut rows.table.weights[start..],
            penalties: stabilised.then_some(&mut rows.table.penalties[start..]),
        };
        row.fill(entries, whole.stabilisation * self.table.volumes[node]);
        rows.table.offsets.push(end as u32);
    }
}

/// Stencils being put together.
struct Rows {
    table: StencilTable<f64>,
}

impl Rows {
    /// A stencil as it was, for `node`, with other names for whom it sees.
    fn keep(&mut self, old: &StencilTable<f64>, entries: std::ops::Range<usize>, node: u32, name: impl Fn(u32) -> u32) {
        let table = &mut self.table;
        table.nodes.push(node);
        table.nodes.extend(old.nodes[entries.clone()][1..].iter().map(|j| name(*j)));
        table.weights.extend_from_slice(&old.weights[entries.clone()]);
        if !old.penalties.is_empty() {
            table.penalties.extend_from_slice(&old.penalties[entries]);
        }
        table.offsets.push(table.nodes.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::structured::box_points;
    use crate::stencil::MlsStencils;

    fn block() -> (PointPieces, Vec<u32>) {
        let sampling = box_points([6, 4, 4], [0.0; 3], [6.0, 4.0, 4.0]).expect("a block");
        let settings = MlsSettings::default();
        let built = MlsStencils::build(&sampling, &settings).expect("stencils");
        let pieces = PointPieces::new(&sampling, &settings, &built.radii, built.table);
        (pieces, (0..sampling.points.len() as u32).collect())
    }

    /// `Σ X ⊗ d = I` for every phyxel that sees in three directions.
    fn assert_complete(pieces: &PointPieces, origin: &[u32]) {
        let x: Vec<Vec3<f64>> = origin.iter().map(|o| pieces.rest(*o)).collect();
        for e in 0..pieces.table.len() {
            let f = pieces.table.deformation(e, &x);
            assert!((f - Mat3::identity()).norm() < 1e-9, "phyxel {e}: {f:?}");
        }
    }

    #[test]
    fn a_plane_of_cracks_parts_a_block_and_a_linear_field_is_still_exact() {
        let (mut pieces, mut origin) = block();
        let volume: f64 = pieces.table.volumes.iter().sum();
        let middle: Vec<u32> = (0..origin.len() as u32).filter(|n| pieces.rest(*n)[0] == 3.0).collect();
        for &node in &middle {
            let disc = pieces.disc_at(node, Vec3([1.0, 0.0, 0.0]));
            pieces.crack(&mut origin, &Crack { disc, splits: vec![node], at: node });
            assert_complete(&pieces, &origin);
        }
        assert_eq!(origin.len(), pieces.table.len());
        assert!((pieces.table.volumes.iter().sum::<f64>() / volume - 1.0).abs() < 1e-14);
        // Nobody sees the other side any more.
        let side = |n: u32| pieces.stands[n as usize][0] > 3.0;
        for e in 0..pieces.table.len() as u32 {
            assert!(pieces.neighbours(e).iter().all(|j| side(*j) == side(e)), "phyxel {e}");
        }
        let (mut again, mut names) = block();
        for crack in &pieces.cracks {
            again.crack(&mut names, crack);
        }
        assert_eq!((&again, &names), (&pieces, &origin), "the same cracks make the same pieces");
        pieces.mend();
        assert_eq!(pieces, block().0);
    }

    #[test]
    fn far_stencils_are_left_alone() {
        let (mut pieces, mut origin) = block();
        let before = pieces.table.clone();
        let node = 3 + 7 * (2 + 5 * 2);
        assert_eq!(pieces.rest(node), Vec3([3.0, 2.0, 2.0]));
        let disc = pieces.disc_at(node, Vec3([1.0, 0.0, 0.0]));
        pieces.crack(&mut origin, &Crack { disc, splits: vec![node], at: node });
        let rows = |table: &StencilTable<f64>, e: usize| table.weights[table.entries(e)].to_vec();
        let changed = (0..before.len()).filter(|e| rows(&before, *e) != rows(&pieces.table, *e)).count();
        assert!(changed > 4 && changed < 60, "{changed} stencils of {} changed", before.len());
        // Above the crack, the phyxel's upper copy is seen in its place, with the same weight.
        assert!(pieces.has_both_sides(&origin, node + 1, Vec3([1.0, 0.0, 0.0])));
        assert!(!pieces.has_both_sides(&origin, node, Vec3([1.0, 0.0, 0.0])), "it has parted already");
    }
}
