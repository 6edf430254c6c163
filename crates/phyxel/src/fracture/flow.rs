//! Cracks in matter that has no rest shape.
//!
//! Where stencils follow the present shape (updated Lagrangian), there is no space at rest that all phyxels share and discs could
//! lie in. But each phyxel knows the gradient `T` of all that it has gone through, and around it, what is now at `x` was at
//! `X = X_k + T_k⁻¹ (x − x_k)`. A disc lies in that space of the phyxel that carries it. Both copies of a phyxel that has split
//! carry one, so that each face of a crack stays with its matter, however far both move and slide on each other.
//! Different pieces do not see each other at all, wherever they meet, unless both are molten; a melt carries no cracks.

use super::points::PointPieces;
use crate::math::{Mat3, Real, Vec3};
use crate::par;
use crate::stencil::Neighbours;

/// Faces farther from the middle of a pair than half of its length and this many spacings are not between the two.
const BESIDE: f64 = 1.5;

/// Where the phyxels of a body have come to, and what they have gone through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Where phyxels are in the reference of their stencils [m].
    places: Vec<Vec3<f64>>,
    /// The deformation gradient of each from rest to that reference, and its inverse.
    gradients: Vec<Mat3<f64>>,
    inverses: Vec<Mat3<f64>>,
    /// The cracks that each carries, ascending.
    faces: Vec<Vec<u32>>,
    /// On which side of cracks each was that it was near to when they began, by their numbers, ascending: what is on one side
    /// stays there, however faces are bent.
    sides: Vec<Vec<(u32, bool)>>,
    molten: Vec<bool>,
    /// Where each stands when it looks around, in the reference [m].
    stands: Vec<Vec3<f64>>,
    /// Whether each may see the face of a crack.
    beside: Vec<bool>,
    /// Pieces with molten matter in them, ascending.
    liquid: Vec<u32>,
}

/// What a snapshot keeps of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// The gradient of each phyxel from rest.
    pub gradients: Vec<Mat3<f64>>,
    /// Phyxels, and the cracks that they carry.
    pub faces: Vec<[u32; 2]>,
    /// Phyxels, cracks, and on which side of them they are.
    pub sides: Vec<[u32; 3]>,
    /// Whether each is molten.
    pub molten: Vec<bool>,
}

impl Flow {
    /// Phyxels at rest.
    pub fn new(points: &[Vec3<f64>]) -> Self {
        let count = points.len();
        Flow {
            places: points.to_vec(),
            gradients: vec![Mat3::identity(); count],
            inverses: vec![Mat3::identity(); count],
            faces: vec![Vec::new(); count],
            sides: vec![Vec::new(); count],
            molten: vec![false; count],
            stands: Vec::new(),
            beside: Vec::new(),
            liquid: Vec::new(),
        }
    }

    /// Whether a piece has molten matter in it.
    pub fn is_liquid(&self, piece: u32) -> bool {
        self.liquid.binary_search(&piece).is_ok()
    }

    /// Finds the pieces with molten matter in them; true when these are others than before.
    pub fn find_liquid(&mut self, piece_of: &[u32]) -> bool {
        let mut liquid: Vec<u32> = self.molten.iter().zip(piece_of).filter(|(m, _)| **m).map(|(_, p)| *p).collect();
        liquid.sort_unstable();
        liquid.dedup();
        let changed = liquid != self.liquid;
        self.liquid = liquid;
        changed
    }

    /// The reference moves: `step` is the gradient of that motion at each phyxel.
    pub fn go_on(&mut self, step: impl Fn(usize) -> Mat3<f64> + Sync) {
        par::chunks2((&mut self.gradients, &mut self.inverses), par::GRAIN, |start, gradients, inverses| {
            for (k, (gradient, inverse)) in gradients.iter_mut().zip(inverses).enumerate() {
                let next = step(start + k) * *gradient;
                // What is pressed flat, or has lost its neighbours, keeps what it knows.
                if let Some(back) = next.inverse().filter(Mat3::is_finite) {
                    (*gradient, *inverse) = (next, back);
                }
            }
        });
    }

    /// Says which phyxels are molten; those carry no cracks any more.
    pub fn melt(&mut self, molten: impl Iterator<Item = bool>) {
        for ((known, faces), molten) in self.molten.iter_mut().zip(&mut self.faces).zip(molten) {
            *known = molten;
            if molten {
                faces.clear();
            }
        }
    }

    /// Says where phyxels are in the reference.
    pub fn place<R: Real>(&mut self, places: &[Vec3<R>]) {
        self.places.clear();
        self.places.extend(places.iter().map(|x| Vec3(x.to_f64())));
    }

    /// A copy of a phyxel, which carries what that carries.
    pub fn copy(&mut self, node: u32) {
        let n = node as usize;
        self.places.push(self.places[n]);
        self.gradients.push(self.gradients[n]);
        self.inverses.push(self.inverses[n]);
        self.faces.push(self.faces[n].clone());
        self.sides.push(self.sides[n].clone());
        self.molten.push(self.molten[n]);
    }

    /// Lets a phyxel carry a crack.
    pub fn carry(&mut self, node: u32, crack: u32) {
        self.faces[node as usize].push(crack);
    }

    /// The gradient from rest to the reference at a phyxel.
    pub fn gradient(&self, node: u32) -> Mat3<f64> {
        self.gradients[node as usize]
    }

    /// The way from one phyxel to another in the space of the first at rest [m].
    pub fn arm(&self, from: u32, to: u32) -> Vec3<f64> {
        self.inverses[from as usize] * (self.places[to as usize] - self.places[from as usize])
    }

    /// For a snapshot.
    pub fn carried(&self) -> Carried {
        let faces = self.faces.iter().zip(0..).flat_map(|(faces, n)| faces.iter().map(move |c| [n, *c]));
        let sides =
            self.sides.iter().zip(0..).flat_map(|(sides, n)| sides.iter().map(move |(c, up)| [n, *c, *up as u32]));
        let (faces, sides) = (faces.collect(), sides.collect());
        Carried { gradients: self.gradients.clone(), faces, sides, molten: self.molten.clone() }
    }

    /// Goes on from a snapshot, in these pieces.
    pub fn set(&mut self, carried: Carried, piece_of: &[u32]) {
        let count = carried.gradients.len();
        self.inverses = carried.gradients.iter().map(|g| g.inverse().unwrap_or_else(Mat3::identity)).collect();
        (self.gradients, self.molten) = (carried.gradients, carried.molten);
        self.faces = vec![Vec::new(); count];
        carried.faces.into_iter().for_each(|[n, crack]| self.faces[n as usize].push(crack));
        self.sides = vec![Vec::new(); count];
        carried.sides.into_iter().for_each(|[n, crack, up]| self.sides[n as usize].push((crack, up == 1)));
        self.places.resize(count, Vec3::zero());
        self.find_liquid(piece_of);
    }
}

impl PointPieces {
    /// How much phyxels that are near to each other see of each other, as a share for each of `near`: nothing across cracks and
    /// between pieces. Copies of one phyxel count by their matter, and together as much as it did.
    pub fn shares<R: Real>(&mut self, (origin, piece_of): (&[u32], &[u32]), near: &Neighbours, out: &mut Vec<R>) {
        out.clear();
        out.resize(near.indices.len(), R::one());
        self.stand_up(origin, near);
        let this = &*self;
        par::rows(out, &near.offsets, &|i, own| {
            for (share, j) in own.iter_mut().zip(near.of(i)) {
                *share = R::of(this.sight(origin, piece_of, near, (i as u32, *j)));
            }
            this.share_among_copies(origin, near.of(i), own);
        });
    }

    /// Lists whom each phyxel saw at first, with all copies of them, and where all were at rest.
    pub fn list_first<R: Real>(&self, origin: &[u32], (near, rest): &mut (Neighbours, Vec<Vec3<R>>)) {
        rest.clear();
        rest.extend(origin.iter().map(|own| Vec3::of(self.rest(*own).0)));
        let whole = self.whole_count();
        near.offsets.clear();
        near.indices.clear();
        near.offsets.push(0);
        for own in origin {
            let seen = self.neighbours_at_first(*own);
            let start = near.indices.len();
            near.indices.extend(seen);
            near.indices[start..].sort_unstable();
            // Copies are behind all others.
            let copies = (whole as u32..).zip(&origin[whole..]).filter(|(_, copied)| seen.contains(copied));
            near.indices.extend(copies.map(|(copy, _)| copy));
            near.offsets.push(near.indices.len() as u32);
        }
    }

    /// Finds where phyxels stand in the reference, and which of them may see the face of a crack.
    fn stand_up(&mut self, origin: &[u32], near: &Neighbours) {
        let Some(mut flow) = self.flow.take() else { return };
        flow.stands.resize(origin.len(), Vec3::zero());
        flow.beside.resize(origin.len(), false);
        let Flow { places, gradients, faces, stands, beside, .. } = &mut flow;
        let (places, gradients, faces) = (&*places, &*gradients, &*faces);
        par::for_each(stands, |n, stand| {
            *stand = places[n] + gradients[n] * (self.stand(n as u32) - self.rest(origin[n]));
        });
        let carries = |n: usize| !faces[n].is_empty();
        par::for_each(beside, |n, beside| *beside = carries(n) || near.of(n).iter().any(|j| carries(*j as usize)));
        self.flow = Some(flow);
    }

    /// How much one phyxel sees of another that is near, 0 to 1.
    fn sight(&self, origin: &[u32], piece_of: &[u32], near: &Neighbours, (i, j): (u32, u32)) -> f64 {
        let Some(flow) = &self.flow else { return 1.0 };
        let [a, b] = [i as usize, j as usize];
        let one_melt = flow.molten[a] && flow.molten[b];
        let apart = origin[a] == origin[b] || piece_of[a] != piece_of[b];
        if apart && !one_melt {
            return 0.0;
        }
        if !flow.beside[a] && !flow.beside[b] {
            return 1.0;
        }
        let around = |n: usize| std::iter::once(n as u32).chain(near.of(n).iter().copied());
        let carriers = around(a).chain(around(b)).filter(|k| !flow.faces[*k as usize].is_empty());
        carriers.map(|k| self.past(flow, origin[k as usize], k, (a, b))).fold(1.0, f64::min)
    }

    /// How much two phyxels see of each other past the cracks that a third one carries.
    fn past(&self, flow: &Flow, own: u32, k: u32, (a, b): (usize, usize)) -> f64 {
        let (here, [p, q]) = (flow.places[k as usize], [flow.stands[a], flow.stands[b]]);
        let reach = 0.5 * (q - p).norm() + BESIDE * self.spacing(own) * flow.gradients[k as usize].norm();
        if ((p + q) * 0.5 - here).norm() > reach {
            return 1.0;
        }
        let at_rest = |x: Vec3<f64>| self.rest(own) + flow.inverses[k as usize] * (x - here);
        let (p, q) = (at_rest(p), at_rest(q));
        let side = |n: usize, crack: u32| {
            let sides = &flow.sides[n];
            sides.binary_search_by_key(&crack, |(c, _)| *c).ok().map(|k| sides[k].1)
        };
        let past = |c: &u32| match (side(a, *c), side(b, *c)) {
            (Some(up), Some(down)) if up == down => 1.0,
            _ => self.cracks[*c as usize].disc.sight(p, q),
        };
        flow.faces[k as usize].iter().map(past).fold(1.0, f64::min)
    }

    fn share_among_copies<R: Real>(&self, origin: &[u32], near: &[u32], shares: &mut [R]) {
        let whole = self.whole_count() as u32;
        if near.iter().all(|j| *j < whole) {
            return;
        }
        let matter = |j: u32| self.table.volumes[j as usize];
        let sights: Vec<R> = shares.to_vec();
        for (k, j) in near.iter().enumerate().filter(|(k, _)| sights[*k] > R::zero()) {
            let own = origin[*j as usize];
            let alike = near.iter().zip(&sights).filter(|(n, s)| origin[**n as usize] == own && **s > R::zero());
            shares[k] = sights[k] * R::of(matter(*j) / alike.map(|(n, _)| matter(*n)).sum::<f64>());
        }
    }

    /// Takes sight from phyxels where a new crack is in between, until stencils are built anew. Copies have the numbers from
    /// `before` on.
    pub(super) fn list_again(&mut self, origin: &[u32], before: usize, splits: &[u32]) {
        let Some(flow) = &self.flow else { return };
        let stand = |n: usize| flow.places[n] + flow.gradients[n] * (self.stand(n as u32) - self.rest(origin[n]));
        let copies = |j: u32| splits.iter().zip(before as u32..).filter(move |(s, _)| **s == j).map(|(_, copy)| copy);
        let crack = self.cracks.len() as u32 - 1;
        let carriers: Vec<u32> =
            (0..origin.len() as u32).filter(|n| flow.faces[*n as usize].last() == Some(&crack)).collect();
        let disc = &self.cracks[crack as usize].disc;
        let sees = |a: usize, b: usize| {
            carriers.iter().all(|&k| {
                let at_rest = |n: usize| {
                    let way = flow.inverses[k as usize] * (stand(n) - flow.places[k as usize]);
                    self.rest(origin[k as usize]) + way
                };
                disc.sight(at_rest(a), at_rest(b)) > LEAST
            })
        };
        let is_far = |n: usize| {
            carriers.iter().all(|&k| {
                let own = origin[k as usize];
                let reach = (self.radius(own) + 2.0 * self.spacing(own)) * flow.gradients[k as usize].norm();
                (flow.places[n] - flow.places[k as usize]).norm() > reach
            })
        };
        // Seen from the first carrier: all of them are in one place now.
        let first = carriers.first().copied().unwrap_or(0);
        let height = |n: usize| {
            let way = flow.inverses[first as usize] * (stand(n) - flow.places[first as usize]);
            (self.rest(origin[first as usize]) + way - disc.center).dot(disc.normal)
        };
        let sides: Vec<Option<bool>> = (0..origin.len()).map(|n| (!is_far(n)).then(|| height(n) > 0.0)).collect();
        let (mut offsets, mut nodes) = (vec![0], Vec::with_capacity(self.table.nodes.len()));
        for n in 0..origin.len() {
            let source = if n < before { n } else { splits[n - before] as usize };
            nodes.push(n as u32);
            let far = is_far(n);
            for &j in &self.table.nodes[self.table.entries(source)][1..] {
                for c in std::iter::once(j).chain(copies(j)) {
                    if origin[c as usize] != origin[n] && (far || sees(n, c as usize)) {
                        nodes.push(c);
                    }
                }
            }
            offsets.push(nodes.len() as u32);
        }
        (self.table.offsets, self.table.nodes) = (offsets, nodes);
        if let Some(flow) = &mut self.flow {
            for (known, side) in flow.sides.iter_mut().zip(sides) {
                known.extend(side.map(|up| (crack, up)));
            }
        }
    }

    /// Takes over whom phyxels see from stencils that have been built anew.
    pub fn follow(&mut self, offsets: &[u32], nodes: &[u32]) {
        self.table.offsets.clear();
        self.table.offsets.extend_from_slice(offsets);
        self.table.nodes.clear();
        self.table.nodes.extend_from_slice(nodes);
    }
}

/// Less than this is nothing to see.
const LEAST: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::super::points::Crack;
    use super::*;
    use crate::scene::{Lagrangian, MlsSettings};
    use crate::shape::structured::box_points;
    use crate::stencil::{MlsStencils, NeighbourSearch, Radii};

    /// A block of phyxels without a rest shape that is cracked all through its middle.
    fn cracked() -> (PointPieces, Vec<u32>) {
        let sampling = box_points([6, 4, 4], [0.0; 3], [6.0, 4.0, 4.0]).expect("a block");
        let settings = MlsSettings { lagrangian: Lagrangian::Updated, ..MlsSettings::default() };
        let built = MlsStencils::build(&sampling, &settings).expect("stencils");
        let mut pieces = PointPieces::new(&sampling, &settings, &built.radii, built.table);
        let mut origin: Vec<u32> = (0..sampling.points.len() as u32).collect();
        let middle: Vec<u32> = origin.iter().copied().filter(|n| pieces.rest(*n)[0] == 3.0).collect();
        for node in middle {
            let disc = pieces.disc_at(node, Vec3([1.0, 0.0, 0.0]));
            pieces.crack(&mut origin, &Crack { disc, splits: vec![node], at: node });
        }
        (pieces, origin)
    }

    fn is_right(pieces: &PointPieces, n: usize) -> bool {
        pieces.stand(n as u32)[0] > 3.0
    }

    /// How many pairs see each other within and across, in one piece as far as anybody knows.
    fn sights(pieces: &mut PointPieces, origin: &[u32], places: &[Vec3<f64>]) -> (usize, usize) {
        pieces.flow.as_mut().expect("no rest shape").place(places);
        let (mut near, mut shares) = (Neighbours::default(), Vec::<f64>::new());
        NeighbourSearch::default().rebuild(places, Radii::Fixed(1.8), &mut near).expect("neighbours");
        pieces.shares((origin, &vec![0; origin.len()]), &near, &mut shares);
        let (mut within, mut across) = (0, 0);
        for i in 0..origin.len() {
            for (j, share) in near.of(i).iter().zip(&shares[near.offsets[i] as usize..]) {
                if *share > LEAST {
                    let same = is_right(pieces, i) == is_right(pieces, *j as usize);
                    *(if same { &mut within } else { &mut across }) += 1;
                }
            }
        }
        (within, across)
    }

    #[test]
    fn cracks_go_with_their_matter_as_both_sides_turn_shear_and_slide() {
        let (mut pieces, origin) = cracked();
        let rest: Vec<Vec3<f64>> = origin.iter().map(|o| pieces.rest(*o)).collect();
        for n in 0..origin.len() as u32 {
            let side = is_right(&pieces, n as usize);
            assert!(pieces.neighbours(n).iter().all(|j| is_right(&pieces, *j as usize) == side), "phyxel {n}");
        }
        let (within, across) = sights(&mut pieces, &origin, &rest);
        assert!(within > 2000 && across == 0, "{within} {across}");
        // All of it turns and is sheared; then the right half slides by one and a half phyxels along the crack, and opens.
        let step = Mat3([[0.8, -0.7, 0.1], [0.6, 0.9, 0.0], [0.0, 0.1, 1.0]]);
        pieces.flow.as_mut().expect("no rest shape").go_on(|_| step);
        for (slide, gap) in [(0.0, 0.0), (1.5, 0.0), (1.5, 0.2)] {
            let moved = |n: usize| if is_right(&pieces, n) { Vec3([gap, slide, 0.0]) } else { Vec3::zero() };
            let places: Vec<Vec3<f64>> = (0..rest.len()).map(|n| step * (rest[n] + moved(n))).collect();
            let (inside, through) = sights(&mut pieces, &origin, &places);
            assert_eq!(through, 0, "{slide} {gap}");
            assert!(inside > 1000, "{inside}");
        }
    }

    #[test]
    fn a_melt_carries_no_cracks() {
        let (mut pieces, origin) = cracked();
        let rest: Vec<Vec3<f64>> = origin.iter().map(|o| pieces.rest(*o)).collect();
        let flow = pieces.flow.as_mut().expect("no rest shape");
        flow.melt(origin.iter().map(|_| true));
        assert!(flow.find_liquid(&vec![0; origin.len()]) && flow.is_liquid(0));
        assert!(sights(&mut pieces, &origin, &rest).1 > 100);
    }
}
