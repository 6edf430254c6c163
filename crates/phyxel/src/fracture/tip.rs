//! Cracks that run on from their tips where matter has a toughness: what is around each tip, for [`hoop`].

use super::fragile::{Fragile, Pieces};
use super::hoop::{Front, Run, Shown, fitted, run_by_intensity, run_on};
use super::rule::Candidate;
use super::tets::TetPieces;
use super::view::View;
use crate::material::Fracture;
use crate::math::{Mat3, Real, Vec3};
use crate::par;
use crate::scene::Method;
use crate::shape::quality::FACES;

/// Tips that one thread takes at least.
const TASK: usize = 4;
/// Cosine of the angle to its front within which a tip's neighbour is of the same front.
const SAME_FRONT: f64 = 0.7;

/// What the places around a tip show of `K`: elements next to a tip cannot follow its field, the less so the stiffer they are; finer
/// ones miss a little less. With these numbers notched beams of 12 and of 16 cells break within a tenth of the load of linear
/// fracture mechanics (`phyxel validate notch`).
const fn share_shown(method: Method) -> f64 {
    match method {
        Method::Mls => 0.57,
        Method::Edge | Method::Selective | Method::Node => 0.74,
        _ => 0.585,
    }
}

/// Room for looking at tips.
#[derive(Clone, Debug, Default)]
pub(super) struct Tips {
    nodes: Vec<u32>,
    found: Vec<Option<Candidate>>,
}

impl Tips {
    /// Adds the tips from which cracks run on to the candidates, in the place of what these nodes would do otherwise.
    pub fn look<R: Real>(&mut self, view: &View<'_, R>, fragile: &Fragile, candidates: &mut Vec<Candidate>) {
        let Some(fracture) = &view.spec.material.fracture else { return };
        if !fragile.has_fronts(fracture) {
            return;
        }
        let Pieces::Tets(tets) = &fragile.pieces else { return };
        let can_part = |n: u32| tets.splittable[n as usize];
        self.nodes.clear();
        self.nodes.extend((0..).zip(&fragile.tips).filter(|(n, tip)| **tip && can_part(*n)).map(|(n, _)| n));
        self.found.clear();
        self.found.resize(self.nodes.len(), None);
        let (nodes, around) = (&self.nodes, (Around { view, fragile, fracture }, tets));
        par::chunks(&mut self.found, TASK, |first, found| {
            let mut shown = Vec::new();
            found
                .iter_mut()
                .zip(&nodes[first..])
                .for_each(|(found, n)| *found = around.0.candidate(around.1, *n, &mut shown));
        });
        let runs = |n: u32| self.nodes.binary_search(&n).is_ok_and(|k| self.found[k].is_some());
        candidates.retain(|c| !runs(c.node));
        candidates.extend(self.found.iter().flatten());
    }
}

impl Fragile {
    /// Whether toughness decides about tips, and it is known how cracks end there.
    pub(super) fn has_fronts(&self, fracture: &Fracture) -> bool {
        let flows = matches!(&self.pieces, Pieces::Points(points) if points.flow.is_some());
        fracture.judges_tips() && !flows
    }
}

/// A body with its tips.
pub(super) struct Around<'a, R> {
    pub view: &'a View<'a, R>,
    pub fragile: &'a Fragile,
    pub fracture: &'a Fracture,
}

/// A front, and nodes on it beside the tip.
type Edge = (Front, Vec<u32>);

impl<R: Real> Around<'_, R> {
    /// A tip as a candidate, if the crack runs on from it.
    fn candidate(&self, tets: &TetPieces, node: u32, shown: &mut Vec<Shown>) -> Option<Candidate> {
        let (front, beside) = self.front_of_tets(tets, node)?;
        // The mean along a front, so that neighbours agree where to go.
        shown.clear();
        let gradient = self.add(tets, node, shown);
        beside.iter().for_each(|n| {
            self.add(tets, *n, shown);
        });
        let Run { ratio, stress, normal, ahead } =
            self.run(&front, shown, (gradient, self.fragile.strength_of(node)))?;
        let at_rest = (gradient.transpose() * normal).normalized();
        let ahead_at_rest = (gradient.inverse()? * ahead).normalized();
        Some(Candidate { node, ratio, strength: stress / ratio, normal, at_rest, ahead: Some([ahead, ahead_at_rest]) })
    }

    /// How a crack runs on from a front, if it does; `factor` is how strong matter is there over what it is elsewhere.
    pub fn run(&self, front: &Front, shown: &[Shown], (gradient, factor): (Mat3<f64>, f64)) -> Option<Run> {
        let spec = self.view.spec;
        // K² = G E/(1 − ν²): what is at a front inside matter does not give way along it (Irwin 1957).
        let stiffness = spec.material.young_modulus / (1.0 - spec.material.poisson_ratio.powi(2));
        let toughness = (self.fracture.fracture_energy * stiffness).sqrt();
        let bears = factor * share_shown(spec.method) * toughness;
        let grain = self.fracture.grain.map(|g| ((gradient * Vec3(g.direction)).normalized(), g.along));
        let of_plane = |n: Vec3<f64>| {
            let along = grain.map_or(0.0, |(g, along)| n.dot(g).powi(2) * (along / self.fracture.strength - 1.0));
            bears * (1.0 + along)
        };
        let run = match spec.method {
            Method::Mls => run_by_intensity(front, fitted(front, shown)?, self.fragile.size, of_plane),
            _ => {
                let least = grain.map_or(1.0, |(_, along)| (along / self.fracture.strength).min(1.0)) * bears;
                run_on(front, shown, (least, of_plane))
            }
        };
        run.filter(|run| run.ratio >= 1.0)
    }

    /// Adds what is shown beside a tip; how the tip is deformed.
    fn add(&self, tets: &TetPieces, node: u32, shown: &mut Vec<Shown>) -> Mat3<f64> {
        let from = self.view.place(node);
        match self.view.spec.method {
            Method::Edge | Method::Selective | Method::Node => {
                let mut ends: Vec<u32> =
                    tets.around(node).flat_map(|t| tets.table.nodes[t as usize]).filter(|n| *n != node).collect();
                ends.sort_unstable();
                ends.dedup();
                for end in ends {
                    self.show_towards(tets, (node, end), self.view.place(end) - from, shown);
                }
            }
            _ => {
                for t in tets.around(node) {
                    let centre = super::fragile::centre(tets.table.nodes[t as usize], |n| self.view.place(n));
                    self.show((0, t as usize), centre - from, shown);
                }
            }
        }
        self.turned(tets, node)
    }

    /// Adds what the stencil of an edge shows, or that of its far end.
    fn show_towards(&self, tets: &TetPieces, (node, end): (u32, u32), arm: Vec3<f64>, shown: &mut Vec<Shown>) {
        if self.view.spec.method == Method::Node {
            return self.show((0, end as usize), arm, shown);
        }
        let Ok(edge) = tets.edges.binary_search(&[node.min(end), node.max(end)]) else { return };
        let before = shown.len();
        self.show((0, edge), arm * 0.5, shown);
        // The pressure of selective smoothing is that of the nodes.
        if let (Some(edge), true) = (shown.get_mut(before), self.view.blocks.len() > 1) {
            for n in [node, end] {
                edge.stress += self.feel((1, n as usize)).map_or(Mat3::zero(), |(_, stress)| stress) * 0.5;
            }
        }
    }

    pub fn show(&self, (place, e): (usize, usize), arm: Vec3<f64>, shown: &mut Vec<Shown>) {
        if let Some((_, stress)) = self.feel((place, e)) {
            shown.push(Shown { arm, volume: self.view.blocks[place].volumes()[e].to_f64(), stress });
        }
    }

    /// How an element of a block is deformed, and its stress [Pa]; nothing where it is pressed flat.
    pub fn feel(&self, (place, e): (usize, usize)) -> Option<(Mat3<f64>, Mat3<f64>)> {
        let state = self.view.state;
        let inner = state.inner(0.0).of(self.view.first_block + place);
        let (gradient, stress) = self.view.blocks.get(place)?.cauchy_stress(e, &state.u, inner);
        let stress = Mat3(stress.to_f64()).symmetric_part();
        stress.is_finite().then_some((Mat3(gradient.to_f64()), stress))
    }

    /// The mean deformation of the tetrahedra around a node, where a grain turns with it.
    fn turned(&self, tets: &TetPieces, node: u32) -> Mat3<f64> {
        if self.fracture.grain.is_none() {
            return Mat3::identity();
        }
        let start = self.view.spec.nodes.start;
        let u = |n: u32| Vec3(self.view.state.u[start + n as usize].to_f64());
        let (mut sum, mut volume) = (Mat3::zero(), 0.0);
        for t in tets.around(node) {
            let (t, own) = (t as usize, tets.table.volumes[t as usize]);
            let pairs = tets.table.nodes[t].into_iter().zip(tets.table.all_gradients(t));
            sum += pairs.fold(Mat3::identity(), |f, (n, d)| f + Mat3::outer(u(n), d)) * own;
            volume += own;
        }
        sum * (1.0 / f64::max(volume, f64::MIN_POSITIVE))
    }

    /// How the crack ends at a node: its faces there say what is behind, tips among their corners how its edge goes on.
    fn front_of_tets(&self, tets: &TetPieces, node: u32) -> Option<Edge> {
        let place = |n: u32| self.view.place(n);
        let from = place(node);
        let (mut normal, mut back) = (Vec3::zero(), Vec3::zero());
        let mut beside: Vec<u32> = Vec::new();
        for corner in tets.corners(node) {
            let (t, own) = (corner / 4, *corner as usize % 4);
            for face in (0..4).filter(|face| *face != own && tets.is_cracked(t, *face)) {
                let corners = FACES[face].map(|k| tets.table.nodes[t as usize][k]);
                let [a, b, c] = corners.map(place);
                let area = (b - a).cross(c - a);
                normal += if area.dot(normal) < 0.0 { -area } else { area };
                back += ((a + b + c) * (1.0 / 3.0) - from) * area.norm();
                beside.extend(corners.iter().filter(|n| **n != node && self.fragile.tips[**n as usize]));
            }
        }
        beside.sort_unstable();
        beside.dedup();
        let normal = normal.normalized();
        let mut along = Vec3::zero();
        for n in &beside {
            let arm = (place(*n) - from).normalized();
            along += if arm.dot(along) < 0.0 { -arm } else { arm };
        }
        along = along - normal * along.dot(normal);
        if along.norm() < 0.1 {
            along = normal.cross(back);
        }
        self.edge(along, (normal, back), (node, beside))
    }

    /// A front out of its parts, with those of its neighbours that are on it.
    fn edge(
        &self,
        along: Vec3<f64>,
        (normal, back): (Vec3<f64>, Vec3<f64>),
        (node, mut beside): (u32, Vec<u32>),
    ) -> Option<Edge> {
        let straight = along.normalized().cross(normal);
        let back = if straight.dot(back) < 0.0 { -straight } else { straight };
        if !(0.5..2.0).contains(&back.norm_squared()) {
            return None;
        }
        let (along, back) = (along.normalized(), back.normalized());
        let from = self.view.place(node);
        beside.retain(|n| (self.view.place(*n) - from).normalized().dot(along).abs() > SAME_FRONT);
        Some((Front { along, back }, beside))
    }
}
