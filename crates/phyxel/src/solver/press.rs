//! Contact among bodies inside an implicit step: rows that couple the nodes of two surfaces.
//!
//! Each pair of surface parts that is about to touch adds one row to the system, an augmented Lagrangian: a stiff spring
//! between the two, and the impulse that it has had to carry so far. A few solves move the whole load from the spring to
//! the impulse, so that surfaces neither sink into each other nor need a stiffness that ruins the linear solver. Friction is
//! treated alike, within Coulomb's cone (Simo and Laursen 1992). Impulses are remembered from step to step.

use super::touch::Stage;
use crate::contact::{Finder, MAX_PUSH_SPEED, Pair, Sweep};
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;

/// Stiffness of a row relative to that of the nodes that it joins: soft enough for conjugate gradients, stiff enough that
/// three solves leave a thousandth of the load to the spring.
const STIFFNESS: f64 = 10.0;

/// Drags that change by less than this part need no further solve.
const DRIFT: f64 = 0.1;

/// One pair within a step.
#[derive(Clone, Copy, Debug)]
struct Row<R> {
    key: u64,
    /// Its entries.
    first: u32,
    count: u32,
    normal: Vec3<R>,
    /// Least normal velocity of the first thing relative to the second [m/s].
    target: R,
    /// Impulse per velocity [kg].
    stiffness: R,
    friction: R,
    /// Friction's impulse per slip velocity: the stiffness while the pair sticks, and Coulomb's limit over the last slip
    /// while it slides [kg].
    drag: R,
    /// Normal impulse carried so far [N s].
    impulse: R,
    /// Friction's impulse carried so far, while the pair sticks [N s].
    traction: Vec3<R>,
    active: bool,
    sticking: bool,
}

/// The rows of a step, and what is remembered between steps.
#[derive(Clone, Debug, Default)]
pub struct Press<R> {
    finder: Finder,
    pairs: Vec<Pair>,
    rows: Vec<Row<R>>,
    /// Node and weight, row after row.
    entries: Vec<(u32, R)>,
    /// Key, normal impulse and traction of the last step's rows, ascending.
    memory: Vec<(u64, R, Vec3<R>)>,
    from: Vec<Vec3<f64>>,
    moves: Vec<Vec3<f64>>,
}

impl<R: Real> Press<R> {
    /// Whether any pair is being watched.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many pairs press on each other.
    pub fn touching(&self) -> usize {
        self.rows.iter().filter(|r| r.active).count()
    }

    /// The pairs and their impulses, for the next step and for snapshots.
    pub fn memory(&self) -> &[(u64, R, Vec3<R>)] {
        &self.memory
    }

    /// Goes on with [`Press::memory`].
    pub fn recall(&mut self, memory: Vec<(u64, R, Vec3<R>)>) {
        self.memory = memory;
    }

    /// Starts a step: finds the pairs that meet if nodes move at `velocity`.
    pub fn begin(&mut self, model: &Model<R>, stage: &Stage<'_, R>, velocity: &[Vec3<R>], diagonal: &[Mat3<R>]) {
        self.pairs.clear();
        self.rows.clear();
        self.entries.clear();
        if model.surface.is_needed() {
            model.surface.positions(model, stage.u, &mut self.from);
            self.add_meeting(model, stage, velocity, diagonal);
        }
    }

    /// Finds pairs that meet if nodes move at `velocity` and are not among the known ones; true when there are any.
    pub fn add_meeting(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        velocity: &[Vec3<R>],
        diagonal: &[Mat3<R>],
    ) -> bool {
        if !model.surface.is_needed() {
            return false;
        }
        model.surface.velocities(velocity, &mut self.moves);
        let over = stage.over.to_f64();
        self.moves.iter_mut().for_each(|m| *m = *m * over);
        let sweep = Sweep { from: &self.from, moves: &self.moves };
        if !self.finder.find(&model.surface, model.version, &sweep, &mut self.pairs) {
            return false;
        }
        let (mut added, known) = (false, self.rows.len());
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k];
            // Rows found in this call stand behind those known before, which stay sorted.
            if self.rows[..known].binary_search_by_key(&pair.key, |r| r.key).is_err() {
                added |= self.add_row(model, stage, velocity, (&pair, diagonal));
            }
        }
        self.rows.sort_unstable_by_key(|r| r.key);
        added
    }

    fn add_row(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        velocity: &[Vec3<R>],
        (pair, diagonal): (&Pair, &[Mat3<R>]),
    ) -> bool {
        let first = self.entries.len();
        for (&v, &weight) in pair.vertices.iter().zip(&pair.weights) {
            for (node, share) in model.surface.vertices[v as usize].parts() {
                self.entries.push((node, R::of(weight * share)));
            }
        }
        let entries = &self.entries[first..];
        // The mass of the pair as the spring feels it, inertia and stiffness together.
        let mut compliance = 0.0;
        for &(node, weight) in entries {
            let resistance = diagonal[node as usize].trace().to_f64() / 3.0;
            compliance += weight.to_f64().powi(2) / resistance.max(f64::MIN_POSITIVE);
        }
        let remembered = self.memory.binary_search_by_key(&pair.key, |m| m.0).ok().map(|i| self.memory[i]);
        let over = stage.over.to_f64();
        let normal = Vec3::of(pair.normal.0);
        let target = R::of((-pair.gap / over).min(MAX_PUSH_SPEED));
        let approach = target - normal.dot(combine(entries, velocity));
        let (impulse, traction) = remembered.map_or((R::zero(), Vec3::zero()), |m| (m.1, m.2));
        // What the last step left is a good start where the pair still approaches, and would only pull where it does not.
        let active = approach > R::zero();
        let (impulse, traction) = if active { (impulse, traction) } else { (R::zero(), Vec3::zero()) };
        self.rows.push(Row {
            key: pair.key,
            first: first as u32,
            count: entries.len() as u32,
            normal,
            target,
            stiffness: R::of(STIFFNESS / compliance),
            friction: R::of(pair.friction),
            drag: if pair.friction > 0.0 { R::of(STIFFNESS / compliance) } else { R::zero() },
            impulse,
            traction: traction - normal * normal.dot(traction),
            active,
            sticking: pair.friction > 0.0,
        });
        active
    }

    fn entries(&self, row: &Row<R>) -> &[(u32, R)] {
        &self.entries[row.first as usize..(row.first + row.count) as usize]
    }

    /// `out += Σ wᵀ W w x` over the rows that press.
    pub fn add_product(&self, x: &[Vec3<R>], out: &mut [Vec3<R>]) {
        for row in self.rows.iter().filter(|r| r.active) {
            let entries = self.entries(row);
            let pull = row.weigh(combine(entries, x));
            entries.iter().for_each(|&(n, w)| out[n as usize] += pull * w);
        }
    }

    /// Calls `add` with every node of the rows that press and what these put on its diagonal block.
    pub fn add_diagonal(&self, mut add: impl FnMut(usize, Mat3<R>)) {
        for row in self.rows.iter().filter(|r| r.active) {
            let along = Mat3::outer(row.normal, row.normal);
            let share = along * row.stiffness + (Mat3::identity() - along) * row.drag;
            self.entries(row).iter().for_each(|&(n, w)| add(n as usize, share * (w * w)));
        }
    }

    /// Adds the impulses, and what the springs want, to the right-hand side.
    pub fn add_impulses(&self, b: &mut [Vec3<R>]) {
        for row in self.rows.iter().filter(|r| r.active) {
            let pull = row.normal * (row.impulse + row.stiffness * row.target) + row.traction;
            self.entries(row).iter().for_each(|&(n, w)| b[n as usize] += pull * w);
        }
    }

    /// Adds what the rows do to nodes that move at `v`: impulses and springs together.
    pub fn add_reactions(&self, v: &[Vec3<R>], q: &mut [Vec3<R>]) {
        for row in self.rows.iter().filter(|r| r.active) {
            let entries = self.entries(row);
            let pull = row.normal * (row.impulse + row.stiffness * row.target) + row.traction;
            let pull = pull - row.weigh(combine(entries, v));
            entries.iter().for_each(|&(n, w)| q[n as usize] += pull * w);
        }
    }

    /// What the rows add to the incremental potential [J].
    pub fn potential(&self, v: &[Vec3<R>]) -> f64 {
        let of_row = |row: &Row<R>| {
            let moved = combine(self.entries(row), v);
            let short = row.target + row.impulse / row.stiffness - row.normal.dot(moved);
            let pressed = 0.5 * (row.stiffness * short * short).to_f64();
            let slip = moved - row.normal * row.normal.dot(moved);
            let held = 0.5 * (row.drag * slip.dot(slip)).to_f64();
            pressed + held - row.traction.dot(slip).to_f64()
        };
        self.rows.iter().filter(|r| r.active).map(of_row).sum()
    }

    /// What a solve that gave velocities `v` says about the rows; true when another one is worth it.
    ///
    /// First the set of rows that press, stick and slide must settle, with the impulses as they are: springs also pull, and
    /// impulses learnt from a row that pulls would be wrong ones. Then the load moves from the springs to the impulses, until
    /// no spring carries more than `tolerance` [m/s] of violation.
    pub fn update(&mut self, v: &[Vec3<R>], tolerance: R) -> bool {
        let Self { rows, entries, .. } = self;
        let moved = |row: &Row<R>| combine(&entries[row.first as usize..(row.first + row.count) as usize], v);
        let changed = rows.iter_mut().fold(false, |changed, row| row.settle(moved(row)) | changed);
        if changed {
            return true;
        }
        rows.iter_mut().filter(|r| r.active).fold(false, |more, row| row.learn(moved(row), tolerance) | more)
    }

    /// By how much the worst pair approaches faster than it may [m/s].
    pub fn worst(&self, v: &[Vec3<R>]) -> R {
        let short = |row: &Row<R>| row.target - row.normal.dot(combine(self.entries(row), v));
        self.rows.iter().map(short).fold(R::zero(), R::max)
    }

    /// Ends a step: remembers the impulses. Those of rows that could not be satisfied are halved: where rows contradict
    /// each other, they would grow from step to step.
    pub fn end(&mut self, v: &[Vec3<R>], tolerance: R) {
        let Self { memory, rows, entries, .. } = self;
        memory.clear();
        memory.extend(rows.iter().filter(|r| r.active).map(|r| {
            let moved = combine(&entries[r.first as usize..(r.first + r.count) as usize], v);
            let short = r.target - r.normal.dot(moved);
            let share = if short > tolerance * R::of(4.0) { R::of(0.5) } else { R::one() };
            (r.key, r.impulse * share, r.traction * share)
        }));
    }

    /// The bodies that press on each other, pair after pair.
    pub fn touching_bodies<'a>(&'a self, model: &'a Model<R>) -> impl Iterator<Item = (usize, usize)> + 'a {
        let body = |node: u32| model.bodies.partition_point(|b| b.nodes.end <= node as usize);
        self.rows.iter().filter(|r| r.active).map(move |r| {
            let entries = self.entries(r);
            (body(entries[0].0), body(entries[entries.len() - 1].0))
        })
    }
}

impl<R: Real> Row<R> {
    /// The normal impulse and the traction that a solve has made of the row.
    fn force(&self, moved: Vec3<R>) -> (R, Vec3<R>) {
        let slip = moved - self.normal * self.normal.dot(moved);
        (self.impulse + self.stiffness * (self.target - self.normal.dot(moved)), self.traction - slip * self.stiffness)
    }

    /// Whether it presses, sticks or slides; true when that is new.
    fn settle(&mut self, moved: Vec3<R>) -> bool {
        let (was_active, was_sticking, old_drag) = (self.active, self.sticking, self.drag);
        let (impulse, trial) = self.force(moved);
        self.active = impulse > R::zero();
        if !self.active {
            (self.impulse, self.traction) = (R::zero(), Vec3::zero());
            self.sticking = self.friction > R::zero();
            self.drag = if self.sticking { self.stiffness } else { R::zero() };
            return was_active;
        }
        let most = self.friction * impulse;
        self.sticking = self.friction > R::zero() && trial.norm() <= most;
        if self.sticking {
            self.drag = self.stiffness;
        } else {
            // Friction as a drag that has Coulomb's size at the slip of the last solve: a given force would push the nodes
            // to and fro from solve to solve.
            let slip = (moved - self.normal * self.normal.dot(moved)).norm();
            self.traction = Vec3::zero();
            self.drag = if slip > R::zero() { (most / slip).min(self.stiffness) } else { self.stiffness };
        }
        let drifted = (self.drag - old_drag).abs() > R::of(DRIFT) * self.drag;
        !was_active || was_sticking != self.sticking || drifted
    }

    /// Takes the load over from the springs; true when they carried more than `tolerance`.
    fn learn(&mut self, moved: Vec3<R>, tolerance: R) -> bool {
        let (impulse, trial) = self.force(moved);
        let slip = moved - self.normal * self.normal.dot(moved);
        let short = self.target - self.normal.dot(moved);
        self.impulse = impulse;
        if self.sticking {
            self.traction = trial;
        }
        short.abs() > tolerance || (self.sticking && slip.norm() > tolerance)
    }

    /// What the springs of the row answer to a relative velocity [N s].
    fn weigh(&self, moved: Vec3<R>) -> Vec3<R> {
        let along = self.normal * self.normal.dot(moved);
        along * self.stiffness + (moved - along) * self.drag
    }
}

/// `Σ w x`.
fn combine<R: Real>(entries: &[(u32, R)], x: &[Vec3<R>]) -> Vec3<R> {
    entries.iter().fold(Vec3::zero(), |sum, &(n, w)| sum + x[n as usize] * w)
}
