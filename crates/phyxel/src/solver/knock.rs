//! Contact among bodies by impulses, one pair of surface parts after the other: for displacements in position-based
//! steps, for velocities in explicit ones.
//!
//! Each pair that is near, or meets on its way, may not come nearer than the distance that is kept. What keeps it apart is
//! summed up, may shrink again and never pulls; friction is summed up likewise within Coulomb's cone (projected
//! Gauss–Seidel). Both sides get the same impulse, so momentum is kept to rounding; a pair only ever loses energy, but for
//! overlap at the start, which is undone at a bounded speed. Pairs are swept in the order of their keys, whatever the threads.

use super::ledger::{Note, Partner};
use super::riding::{Hand, Riding};
use crate::contact::{Finder, Gripper, KEPT_APART, MAX_PUSH_SPEED, Pair, Sweep, Vertex};
use crate::math::{Real, Vec3};
use crate::model::{Anchor, Model};

/// Part of the distance kept that a pair must not go beyond.
const PASSED: f64 = 0.5;
/// Part of the distance kept by which a pair may miss it.
const MISSED: f64 = 0.05;

/// Part of the distance kept by which both things of a pair may end elsewhere than expected and still be apart.
const STRAYED: f64 = 0.2;

/// The same among solids with fine skins.
const STRAYED_OF_SOLIDS: f64 = 2.0;
/// Part of an edge that solids with fine skins may be behind each other at the end of a part of a step.
const LEFT_BEHIND: f64 = 0.1;

/// One pair within a step.
#[derive(Clone, Copy, Debug)]
struct Row<R> {
    key: u64,
    first: u32,
    count: u32,
    normal: Vec3<R>,
    /// The combination of the unknowns at the start.
    base: Vec3<R>,
    /// The least that it must grow by along the normal.
    least: R,
    friction: R,
    /// How much the combination changes for an impulse along the normal, and at most for one across it [1/kg].
    along: R,
    across: R,
    /// Sums of the impulses, in kilograms times the unit of the unknowns.
    push: R,
    drag: Vec3<R>,
    /// Where a rigid body is the second thing.
    hand: Option<Hand<R>>,
    /// The tie that this is, which has no normal and always holds, and the change that it asks for.
    tie: Option<(u32, Vec3<R>)>,
}

/// What is solved for.
#[derive(Clone, Copy)]
pub struct Unknowns<'a, R> {
    /// The model.
    pub model: &'a Model<R>,
    /// Their values at the start; none for velocities, which begin at nothing.
    pub start: Option<&'a [Vec3<R>]>,
    /// Inverse masses along the axes, zero where held [1/kg].
    pub inverse_mass: &'a [Vec3<R>],
    /// The way that one unit leads: 1 for displacements, the time for velocities.
    pub way: f64,
    /// Time in which nodes move so [s].
    pub dt: f64,
}

impl<R: Real> Unknowns<'_, R> {
    /// What a velocity of one is in the unit of the unknowns.
    pub fn scale(&self) -> f64 {
        self.dt / self.way
    }

    /// How far a vertex has moved [m].
    fn way_of(&self, vertex: &Vertex, x: &[Vec3<R>]) -> Vec3<f64> {
        let start = self.start.map_or(Vec3::zero(), |start| vertex.of(start));
        (vertex.of(x) - start) * self.way
    }
}

/// All pairs of a step.
#[derive(Clone, Debug, Default)]
pub struct Knocks<R> {
    finder: Finder,
    found: Vec<Pair>,
    /// Ascending by key.
    rows: Vec<Row<R>>,
    /// Node and weight, row after row.
    entries: Vec<(u32, R)>,
    from: Vec<Vec3<f64>>,
    /// Where vertices went when their bodies last looked for pairs.
    moves: Vec<Vec3<f64>>,
    /// Pairs have been looked for since the start.
    looked: bool,
    /// See [`Tolerances::strayed`] [m].
    strayed: f64,
    /// Bodies that go where they went then, and need not look at each other again.
    calm: Vec<bool>,
    /// Bodies that have pressed on each other since the last [`Knocks::part`].
    joined: Vec<(usize, usize)>,
    /// Rigid bodies, which go along.
    pub riding: Riding<R>,
    speeds: Vec<(Vec3<f64>, Vec3<f64>)>,
    bounce: Vec<f64>,
}

impl<R: Real> Knocks<R> {
    /// Forgets who pressed on whom.
    pub fn part(&mut self) {
        self.joined.clear();
    }

    /// Whether edges within flat parts of two solids are left out; see [`Finder::skip_flat_edges`].
    pub fn skip_flat_edges(&mut self, skips: bool) {
        self.finder.skip_flat_edges(skips);
    }

    /// Starts with nodes at displacements `u`.
    pub fn begin(&mut self, model: &Model<R>, u: &[Vec3<R>], near: &Tolerances) {
        self.rows.clear();
        self.entries.clear();
        self.found.clear();
        self.looked = false;
        self.strayed = near.strayed;
        model.surface.positions(model, u, &mut self.from);
        self.finder.begin();
    }

    /// How many pairs press on each other.
    pub fn touching(&self) -> usize {
        self.rows.iter().filter(|r| r.push > R::zero()).count()
    }

    /// Adds the pairs that are near, or meet on the way to `x`.
    pub fn find(&mut self, unknowns: &Unknowns<'_, R>, x: &[Vec3<R>]) {
        let surface = &unknowns.model.surface;
        self.note_moves(unknowns, x);
        let sweep = Sweep { from: &self.from, moves: &self.moves };
        let model = unknowns.model;
        let velocity = 1.0 / unknowns.scale();
        self.speeds.clear();
        let pairs = self.riding.x.chunks_exact(2);
        self.speeds.extend(pairs.map(|c| (Vec3(c[0].to_f64()) * velocity, Vec3(c[1].to_f64()) * velocity)));
        self.bounce.clear();
        self.bounce.extend(surface.parts.iter().map(|p| model.bodies[p.body].material.restitution));
        let rigid = (&self.riding.states[..], &self.speeds[..]);
        let mut gripper = Gripper::new(&model.rigid, rigid, &self.bounce, unknowns.dt);
        self.finder.find(surface, model.version, &sweep, (&mut gripper, &self.calm), &mut self.found);
        let known = self.rows.len();
        for k in 0..self.found.len() {
            let key = self.found[k].key;
            if self.rows[..known].binary_search_by_key(&key, |r| r.key).is_err() {
                let pair = self.found[k];
                self.add_row(unknowns, &pair);
            }
        }
        self.rows.sort_unstable_by_key(|r| r.key);
    }

    /// Notes where vertices go, but for bodies that go where they went when pairs were last looked for.
    fn note_moves(&mut self, unknowns: &Unknowns<'_, R>, x: &[Vec3<R>]) {
        let Self { moves, calm, .. } = self;
        let looked = std::mem::replace(&mut self.looked, true);
        let (model, near) = (unknowns.model, self.strayed);
        let vertices = || {
            let body = |part: &u32| model.surface.parts[*part as usize].body;
            model.surface.vertices.iter().map(|v| unknowns.way_of(v, x)).zip(model.surface.part_of.iter().map(body))
        };
        calm.clear();
        calm.resize(model.bodies.len(), looked);
        if !looked {
            moves.clear();
            moves.extend(vertices().map(|(way, _)| way));
            return;
        }
        for ((way, body), was) in vertices().zip(&*moves) {
            calm[body] &= (way - *was).norm_squared() <= near * near;
        }
        vertices().zip(moves).filter(|((_, body), _)| !calm[*body]).for_each(|((way, _), was)| *was = way);
    }

    /// How far the way of any vertex to `x` ends from where it did when pairs were last looked for [m].
    pub fn strayed(&self, unknowns: &Unknowns<'_, R>, x: &[Vec3<R>]) -> f64 {
        let vertices = unknowns.model.surface.vertices.iter().zip(&self.moves);
        vertices.map(|(v, m)| (unknowns.way_of(v, x) - *m).norm_squared()).fold(0.0, f64::max).sqrt()
    }

    fn add_row(&mut self, unknowns: &Unknowns<'_, R>, pair: &Pair) {
        let first = self.entries.len();
        for (&v, &weight) in pair.vertices.iter().zip(&pair.weights).filter(|(_, w)| **w != 0.0) {
            for (node, share) in unknowns.model.surface.vertices[v as usize].parts() {
                // Vertices of phyxels may share some.
                match self.entries[first..].iter_mut().find(|e| e.0 == node) {
                    Some(entry) => entry.1 += R::of(weight * share),
                    None => self.entries.push((node, R::of(weight * share))),
                }
            }
        }
        let entries = &mut self.entries[first..];
        entries.sort_unstable_by_key(|e| e.0);
        let normal = Vec3::of(pair.normal.0);
        let (mut along, mut across) = (R::zero(), R::zero());
        for &(node, weight) in entries.iter() {
            let w = unknowns.inverse_mass[node as usize];
            along += weight * weight * normal.dot(each(w, normal));
            across += weight * weight * w.0[0].max(w.0[1]).max(w.0[2]);
        }
        let hand = pair.grip.map(|g| Hand { rigid: g.rigid, arm: Vec3::of(g.arm.0) });
        if let Some(hand) = &hand {
            let (straight, any) = self.riding.rates(hand, normal);
            (along, across) = (along + straight, across + any);
        }
        if along <= R::zero() {
            self.entries.truncate(first);
            return;
        }
        let entries = &self.entries[first..];
        let least = R::of((-pair.gap).min(MAX_PUSH_SPEED * unknowns.dt) / unknowns.way);
        let base = unknowns.start.map_or(Vec3::zero(), |start| combine(entries, start));
        self.rows.push(Row {
            key: pair.key,
            first: first as u32,
            count: entries.len() as u32,
            normal,
            base,
            least,
            friction: R::of(pair.friction),
            along,
            across,
            push: R::zero(),
            drag: Vec3::zero(),
            hand,
            tie: None,
        });
    }

    /// Adds rows that hold tied nodes where they belong.
    pub fn add_ties(&mut self, unknowns: &Unknowns<'_, R>, u: &[Vec3<R>]) {
        let model = unknowns.model;
        for (index, tie) in model.ties.iter().enumerate() {
            if self.riding.torn[index] {
                continue;
            }
            let first = self.entries.len();
            self.entries.push((tie.node, R::one()));
            let here = model.place(tie.node as usize, u[tie.node as usize]);
            let (there, hand) = match tie.anchor {
                Anchor::Body(vertex) => {
                    let mut place = Vec3::zero();
                    for (node, weight) in vertex.parts() {
                        self.entries.push((node, R::of(-weight)));
                        place += model.place(node as usize, u[node as usize]) * weight;
                    }
                    (place, None)
                }
                Anchor::Rigid { rigid, local } => {
                    let state = &self.riding.states[rigid as usize];
                    let place = state.pose.to_world(local);
                    (place, Some(Hand { rigid, arm: Vec3::of((place - state.center).0) }))
                }
            };
            let entries = &self.entries[first..];
            let mut across = R::zero();
            for &(node, weight) in entries {
                let w = unknowns.inverse_mass[node as usize];
                across += weight * weight * w.0[0].max(w.0[1]).max(w.0[2]);
            }
            across += hand.as_ref().map_or(R::zero(), |hand| self.riding.rates(hand, Vec3::zero()).1);
            if across <= R::zero() {
                self.entries.truncate(first);
                continue;
            }
            let (error, most) = (there - here, MAX_PUSH_SPEED * unknowns.dt);
            let wish = if error.norm() > most { error * (most / error.norm()) } else { error };
            let base = unknowns.start.map_or(Vec3::zero(), |start| combine(entries, start));
            self.rows.push(Row {
                key: TIE | index as u64,
                first: first as u32,
                count: entries.len() as u32,
                normal: Vec3::zero(),
                base,
                least: R::zero(),
                friction: R::zero(),
                along: across,
                across,
                push: R::zero(),
                drag: Vec3::zero(),
                hand,
                tie: Some((index as u32, Vec3::of((wish * (1.0 / unknowns.way)).0))),
            });
        }
    }

    /// Ends a part: notes what everything has done to everything, and which ties have torn.
    pub fn end_part(&mut self, unknowns: &Unknowns<'_, R>, u: &[Vec3<R>]) {
        let model = unknowns.model;
        let factor = 1.0 / unknowns.scale();
        for row in &self.rows {
            let impulse = Vec3((row.normal * row.push + row.drag).to_f64()) * factor;
            if impulse == Vec3::zero() {
                continue;
            }
            let entries = &self.entries[row.first as usize..(row.first + row.count) as usize];
            let lead = entries.iter().find(|e| e.1 > R::zero()).unwrap_or(&entries[0]).0 as usize;
            let body = model.body_index(lead);
            if let Some(hand) = &row.hand {
                self.riding.note(hand, body, impulse);
            }
            if let Some((tie, _)) = row.tie {
                self.riding.torn[tie as usize] |= impulse.norm() / unknowns.dt > model.ties[tie as usize].strength;
                continue;
            }
            let other = entries.iter().find(|e| e.1 < R::zero()).map(|e| Partner::Body(model.body_index(e.0 as usize)));
            let second = row.hand.map_or(other, |hand| Some(Partner::Rigid(hand.rigid as usize)));
            let Some(second) = second else { continue };
            let (point, normal) = (model.place(lead, u[lead]), Vec3(row.normal.to_f64()));
            self.riding.notes.push(Note { sides: (Partner::Body(body), second), impulse, point, normal });
        }
    }

    /// Brings every pair apart, one after the other, forward and backward in turn.
    pub fn sweep(&mut self, unknowns: &Unknowns<'_, R>, x: &mut [Vec3<R>], round: usize) {
        let count = self.rows.len();
        for k in 0..count {
            let k = if round.is_multiple_of(2) { k } else { count - 1 - k };
            let row = &mut self.rows[k];
            let entries = &self.entries[row.first as usize..(row.first + row.count) as usize];
            row.solve(unknowns.inverse_mass, entries, x, &mut self.riding);
        }
    }

    /// By how much the worst pair is nearer than it may be [m].
    pub fn worst(&self, unknowns: &Unknowns<'_, R>, x: &[Vec3<R>]) -> f64 {
        let short = |row: &Row<R>| row.least - row.normal.dot(row.moved(self.entries(row), x, &self.riding));
        self.rows.iter().filter(|r| r.tie.is_none()).map(short).fold(R::zero(), R::max).to_f64() * unknowns.way
    }

    /// Goes on with the pairs that press on each other alone, which may not approach any more, whatever they did before.
    pub fn keep_pressing(&mut self) {
        self.rows.retain(|r| r.push > R::zero() && r.tie.is_none());
        for row in &mut self.rows {
            (row.least, row.push, row.drag) = (R::zero(), R::zero(), Vec3::zero());
        }
    }

    /// Notes the bodies that press on each other.
    pub fn note_joined(&mut self, model: &Model<R>) {
        let body = |node: u32| model.bodies.partition_point(|b| b.nodes.end <= node as usize);
        let Self { rows, entries, joined, .. } = self;
        for row in rows.iter().filter(|r| (r.push > R::zero() || r.tie.is_some()) && r.hand.is_none()) {
            let (first, last) = (row.first as usize, (row.first + row.count) as usize - 1);
            joined.push((body(entries[first].0), body(entries[last].0)));
        }
        joined.sort_unstable();
        joined.dedup();
    }

    /// The bodies that have pressed on each other, ascending.
    pub fn joined(&self) -> &[(usize, usize)] {
        &self.joined
    }

    fn entries(&self, row: &Row<R>) -> &[(u32, R)] {
        &self.entries[row.first as usize..(row.first + row.count) as usize]
    }
}

impl<R: Real> Row<R> {
    /// How the first thing has moved relative to the second.
    #[inline]
    fn moved(&self, entries: &[(u32, R)], x: &[Vec3<R>], riding: &Riding<R>) -> Vec3<R> {
        let moved = combine(entries, x) - self.base;
        self.hand.as_ref().map_or(moved, |hand| moved - riding.motion(hand))
    }

    fn solve(&mut self, inverse_mass: &[Vec3<R>], entries: &[(u32, R)], x: &mut [Vec3<R>], riding: &mut Riding<R>) {
        let hand = self.hand;
        let impart = |impulse: Vec3<R>, x: &mut [Vec3<R>], riding: &mut Riding<R>| {
            give(inverse_mass, entries, x, impulse);
            if let Some(hand) = &hand {
                riding.take(hand, impulse);
            }
        };
        let moved = self.moved(entries, x, riding);
        if let Some((_, wish)) = self.tie {
            let pull = (wish - moved) * (R::one() / self.across);
            impart(pull, x, riding);
            self.drag += pull;
            return;
        }
        let push = (self.push + (self.least - self.normal.dot(moved)) / self.along).max(R::zero());
        if push == R::zero() && self.push == R::zero() {
            return;
        }
        impart(self.normal * (push - self.push), x, riding);
        self.push = push;
        if self.friction > R::zero() {
            let moved = self.moved(entries, x, riding);
            let slip = moved - self.normal * self.normal.dot(moved);
            let drag = within_cone(self.drag - slip * (R::one() / self.across), self.friction * push);
            impart(drag - self.drag, x, riding);
            self.drag = drag;
        }
    }
}

/// What counts as near enough between surfaces [m].
#[derive(Clone, Copy, Debug)]
pub struct Tolerances {
    /// An error that they do not feel.
    pub missed: f64,
    /// One with which they may have passed each other.
    pub passed: f64,
    /// Vertices that end no further from where they were expected meet nothing that is not known.
    pub strayed: f64,
}

impl Tolerances {
    /// For the bodies of a model.
    pub fn of<R: Real>(model: &Model<R>) -> Self {
        let kept = model.surface.kept_apart();
        Tolerances { missed: MISSED * kept, passed: PASSED * kept, strayed: STRAYED * kept }
    }

    /// For velocities of the bodies of a model. What of a solid is left behind the surface of another is brought out in the next part
    /// of a step, so where all are solids with fine skins, as much may be left there as in implicit steps. Many pairs act on each node
    /// there, and in an impact hundreds of sweeps would not bring all of them to the last digit.
    pub fn of_velocities<R: Real>(model: &Model<R>) -> Self {
        if !model.has_fine_skins() {
            return Tolerances::of(model);
        }
        let kept = model.surface.kept_apart();
        let passed = LEFT_BEHIND / KEPT_APART * kept;
        Tolerances { missed: MISSED * kept, passed, strayed: STRAYED_OF_SOLIDS * kept }
    }
}

/// Keys of ties; pairs leave these bits free.
const TIE: u64 = 0b0111 << 60;

/// The nearest impulse that is not longer than `most`.
pub fn within_cone<R: Real>(trial: Vec3<R>, most: R) -> Vec3<R> {
    let size = trial.norm();
    if size > most { trial * (most / size) } else { trial }
}

/// The rates along the axes times a vector.
pub fn each<R: Real>(w: Vec3<R>, x: Vec3<R>) -> Vec3<R> {
    Vec3([w.0[0] * x.0[0], w.0[1] * x.0[1], w.0[2] * x.0[2]])
}

/// `Σ w x`.
fn combine<R: Real>(entries: &[(u32, R)], x: &[Vec3<R>]) -> Vec3<R> {
    entries.iter().fold(Vec3::zero(), |sum, &(n, w)| sum + x[n as usize] * w)
}

/// Gives an impulse to the first thing of a pair, and takes it from the second.
fn give<R: Real>(inverse_mass: &[Vec3<R>], entries: &[(u32, R)], x: &mut [Vec3<R>], impulse: Vec3<R>) {
    entries.iter().for_each(|&(n, w)| x[n as usize] += each(inverse_mass[n as usize], impulse * w));
}
