//! Contact among bodies inside an implicit step: rows that couple the nodes of two surfaces, or of one and a rigid body.
//!
//! Each pair of surface parts that is about to touch adds one row to the system, an augmented Lagrangian: a stiff spring
//! between the two, and the impulse that it has had to carry so far. A few solves move the whole load from the spring to
//! the impulse, so that surfaces neither sink into each other nor need a stiffness that ruins the linear solver. Friction is
//! treated alike, within Coulomb's cone (Simo and Laursen 1992). Impulses are remembered from step to step. A tie is a row
//! without a normal that always sticks.

use super::gather::Gather;
use super::riders::Riders;
use super::row::{Change, Hold, Reach, Row, Source, Wrong};
use super::touch::Stage;
use crate::contact::{Finder, Gripper, MAX_PUSH_SPEED, Pair, REST_SPEED, Sweep};
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Anchor, Model};

/// Stiffness of a row relative to that of the nodes that it joins: soft enough for conjugate gradients, stiff enough that
/// three solves leave a thousandth of the load to the spring.
const STIFFNESS: f64 = 10.0;
/// The same where sets settle by impulses: skins are finer than phyxels, so that many rows act on each node, and ten times as
/// stiff ones make solves take four times as many iterations. What they leave, the next step mends.
const SOFT_STIFFNESS: f64 = 1.0;
/// Part of all impulses on a body that may be wrong where sets settle by impulses.
const WRONG: f64 = 0.05;
/// How many times what a step may miss a row must be short by to count as contradicted by others, and the same where sets settle by
/// impulses.
const SHORT: f64 = 4.0;
const FAR_SHORT: f64 = 80.0;

/// Rounds in which friction that changes asks for another solve.
const MOST_RUBBING: usize = 8;

/// How far the rows of a step are from where they will stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// Others press than before.
    Changed,
    /// The same ones do, but springs still carry load, or friction has not found its size.
    Learning,
    /// Nothing is left to do.
    Done,
}

/// The rows of a step, and what is remembered between steps.
#[derive(Clone, Debug, Default)]
pub struct Press<R> {
    finder: Finder,
    pairs: Vec<Pair>,
    pub(super) rows: Vec<Row<R>>,
    /// Node and weight, row after row.
    entries: Vec<(u32, R)>,
    /// Key, normal impulse and traction of the last step's rows, ascending.
    memory: Vec<(u64, R, Vec3<R>)>,
    from: Vec<Vec3<f64>>,
    moves: Vec<Vec3<f64>>,
    speeds: Vec<(Vec3<f64>, Vec3<f64>)>,
    bounce: Vec<f64>,
    /// Bodies of which some row has just begun or ceased to press.
    restless: Vec<bool>,
    gather: Gather<R>,
    /// For each body, what the last solve got wrong.
    wrong: Vec<Wrong<R>>,
    /// Sets settle by impulses: a further solve is made when more than a small part of them was wrong.
    by_impulses: bool,
    /// Where the rigid bodies' unknowns begin.
    nodes: usize,
}

impl<R: Real> Press<R> {
    /// Whether sets settle by impulses, from the next step on.
    pub fn settle_by_impulses(&mut self, wanted: bool) {
        self.by_impulses = wanted;
        self.finder.skip_flat_edges(wanted);
    }

    /// Whether sets settle by impulses.
    pub fn settles_by_impulses(&self) -> bool {
        self.by_impulses
    }

    /// Whether any pair is being watched.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For each soft body, whether any row acts on it; the array is lent.
    pub fn take_busy(&mut self, bodies: usize) -> Vec<bool> {
        let mut busy = std::mem::take(&mut self.restless);
        busy.clear();
        busy.resize(bodies, false);
        self.rows.iter().filter(|r| r.active).for_each(|r| r.bodies.iter().for_each(|&b| busy[b as usize] = true));
        busy
    }

    /// Takes back what [`Press::take_busy`] lent.
    pub fn give_back_busy(&mut self, busy: Vec<bool>) {
        self.restless = busy;
    }

    /// How many pairs press on each other.
    pub fn touching(&self) -> usize {
        self.rows.iter().filter(|r| r.pressed() && matches!(r.source, Source::Pair)).count()
    }

    /// The pairs and their impulses, for the next step and for snapshots.
    pub fn memory(&self) -> &[(u64, R, Vec3<R>)] {
        &self.memory
    }

    /// Goes on with [`Press::memory`].
    pub fn recall(&mut self, memory: Vec<(u64, R, Vec3<R>)>) {
        self.memory = memory;
    }

    /// Starts a step: ties, and the pairs that meet if nodes move at `velocity`.
    pub fn begin(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        riders: &Riders<R>,
        velocity: &[Vec3<R>],
        diagonal: &[Mat3<R>],
    ) {
        self.gather.forget();
        self.pairs.clear();
        self.rows.clear();
        self.entries.clear();
        self.nodes = model.node_count();
        self.restless.resize(model.bodies.len().max(1), false);
        self.bounce.clear();
        self.bounce.extend(model.surface.parts.iter().map(|p| model.bodies[p.body].material.restitution));
        self.add_ties(model, stage, riders, diagonal);
        if model.rows_needed() {
            model.surface.positions(model, stage.u, &mut self.from);
            self.finder.begin();
            self.add_meeting(model, stage, riders, velocity, diagonal);
        }
        if self.rows.iter().any(|r| r.holds[0].is_some()) {
            self.add_supports(stage, riders, velocity, diagonal);
        }
        self.rows.sort_unstable_by_key(|r| r.key);
    }

    /// Finds pairs that meet if nodes move at `velocity` and are not among the known ones; true when there are any.
    pub fn add_meeting(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        riders: &Riders<R>,
        velocity: &[Vec3<R>],
        diagonal: &[Mat3<R>],
    ) -> bool {
        if !model.rows_needed() {
            return false;
        }
        self.gather.forget();
        model.surface.velocities(velocity, &mut self.moves);
        let over = stage.over.to_f64();
        self.moves.iter_mut().for_each(|m| *m = *m * over);
        let sweep = Sweep { from: &self.from, moves: &self.moves };
        self.speeds.clear();
        self.speeds.extend(velocity[self.nodes..].chunks_exact(2).map(|c| (Vec3(c[0].to_f64()), Vec3(c[1].to_f64()))));
        let mut gripper = Gripper::new(&model.rigid, (&riders.states, &self.speeds), &self.bounce, over);
        if !self.finder.find(&model.surface, model.version, &sweep, (&mut gripper, &riders.asleep), &mut self.pairs) {
            return false;
        }
        self.rows.sort_unstable_by_key(|r| r.key);
        let (mut added, known) = (false, self.rows.len());
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k];
            // Rows found in this call stand behind those known before, which stay sorted.
            if self.rows[..known].binary_search_by_key(&pair.key, |r| r.key).is_err() {
                added |= self.add_pair(model, stage, velocity, (&pair, diagonal));
            }
        }
        self.rows.sort_unstable_by_key(|r| r.key);
        added
    }

    fn add_pair(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        velocity: &[Vec3<R>],
        (pair, diagonal): (&Pair, &[Mat3<R>]),
    ) -> bool {
        let first = self.entries.len();
        for (&v, &weight) in pair.vertices.iter().zip(&pair.weights).filter(|(_, w)| **w != 0.0) {
            for (node, share) in model.surface.vertices[v as usize].parts() {
                self.entries.push((node, R::of(weight * share)));
            }
        }
        let hold = pair.grip.map(|g| Hold { rigid: g.rigid, sign: R::of(-1.0), arm: Vec3::of(g.arm.0) });
        let row = Row::new(pair.key, (first, self.entries.len() - first), [hold, None]);
        let stiffness = self.row_stiffness() / self.compliance(&row, diagonal);
        let over = stage.over.to_f64();
        let normal: Vec3<R> = Vec3::of(pair.normal.0);
        let mut target = R::of((-pair.gap / over).min(MAX_PUSH_SPEED));
        let reach = Reach { entries: &self.entries, nodes: self.nodes };
        let moved = reach.combine(&row, velocity);
        let approach = target - normal.dot(moved);
        if pair.restitution > 0.0 && approach > R::zero() && -normal.dot(moved) > R::of(REST_SPEED) {
            target = target.max(-normal.dot(moved) * R::of(pair.restitution));
        }
        // What the last step left is a good start unless the pair parts faster than that would let it.
        let (impulse, traction) = self.remembered(pair.key);
        let active = impulse + stiffness * approach > R::zero();
        let (impulse, traction) = if active { (impulse, traction) } else { (R::zero(), Vec3::zero()) };
        let sticking = pair.friction > 0.0;
        let bodies = [first, self.entries.len() - 1].map(|i| model.body_index(self.entries[i].0 as usize) as u32);
        self.rows.push(Row {
            bodies,
            normal,
            target,
            stiffness,
            friction: R::of(pair.friction),
            drag: if sticking { stiffness } else { R::zero() },
            impulse,
            traction: traction - normal * normal.dot(traction),
            active,
            sticking,
            ..row
        });
        active
    }

    fn row_stiffness(&self) -> R {
        R::of(if self.by_impulses { SOFT_STIFFNESS } else { STIFFNESS })
    }

    fn remembered(&self, key: u64) -> (R, Vec3<R>) {
        let place = self.memory.binary_search_by_key(&key, |m| m.0);
        place.map_or((R::zero(), Vec3::zero()), |i| (self.memory[i].1, self.memory[i].2))
    }

    /// Rows that hold tied nodes where they belong.
    fn add_ties(&mut self, model: &Model<R>, stage: &Stage<'_, R>, riders: &Riders<R>, diagonal: &[Mat3<R>]) {
        for (index, tie) in model.ties.iter().enumerate().filter(|(i, _)| !riders.torn.get(*i).is_some_and(|t| *t)) {
            let first = self.entries.len();
            let here = model.place(tie.node as usize, stage.u[tie.node as usize]);
            self.entries.push((tie.node, R::one()));
            let (there, hold) = match tie.anchor {
                Anchor::Body(vertex) => {
                    let mut sum = Vec3::zero();
                    for (node, weight) in vertex.parts() {
                        self.entries.push((node, R::of(-weight)));
                        sum += model.place(node as usize, stage.u[node as usize]) * weight;
                    }
                    (sum, None)
                }
                Anchor::Rigid { rigid, local } => {
                    let state = &riders.states[rigid as usize];
                    let place = state.pose.to_world(local);
                    (place, Some(Hold { rigid, sign: R::of(-1.0), arm: Vec3::of((place - state.center).0) }))
                }
            };
            let key = TIE | index as u64;
            let row = Row::new(key, (first, self.entries.len() - first), [hold, None]);
            let stiffness = self.row_stiffness() / self.compliance(&row, diagonal);
            let error = (there - here) * (1.0 / stage.over.to_f64());
            let speed = error.norm();
            let wish = if speed > MAX_PUSH_SPEED { error * (MAX_PUSH_SPEED / speed) } else { error };
            let traction = self.remembered(key).1;
            let source = Source::Tie(index as u32);
            let tied = Row { stiffness, drag: stiffness, traction, wish: Vec3::of(wish.0), ..row };
            self.rows.push(Row { active: true, sticking: true, source, ..tied });
        }
    }

    /// Rows between rigid things, so that a body which lies on something is not pushed into it by what lies on it.
    fn add_supports(&mut self, stage: &Stage<'_, R>, riders: &Riders<R>, velocity: &[Vec3<R>], diagonal: &[Mat3<R>]) {
        for (index, support) in riders.supports.iter().enumerate() {
            let hold = |rigid: usize, sign: f64| Hold {
                rigid: rigid as u32,
                sign: R::of(sign),
                arm: Vec3::of((support.point - riders.states[rigid].center).0),
            };
            let holds = [Some(hold(support.first, 1.0)), support.second.map(|s| hold(s, -1.0))];
            let row = Row::new(SUPPORT | index as u64, (self.entries.len(), 0), holds);
            let stiffness = self.row_stiffness() / self.compliance(&row, diagonal);
            let normal: Vec3<R> = Vec3::of(support.normal.0);
            let push = (-support.gap / stage.over.to_f64()).min(MAX_PUSH_SPEED);
            let target = R::of(push + support.normal.dot(support.velocity));
            let wish = support.velocity - support.normal * support.normal.dot(support.velocity);
            let reach = Reach { entries: &self.entries, nodes: self.nodes };
            let active = target > normal.dot(reach.combine(&row, velocity));
            let sticking = support.friction > 0.0;
            self.rows.push(Row {
                normal,
                target,
                wish: Vec3::of(wish.0),
                stiffness,
                friction: R::of(support.friction),
                drag: if sticking { stiffness } else { R::zero() },
                active,
                sticking,
                source: Source::Support,
                ..row
            });
        }
    }

    /// One over the mass of a pair as its spring feels it, inertia and stiffness together [1/kg].
    fn compliance(&self, row: &Row<R>, diagonal: &[Mat3<R>]) -> R {
        let resistance = |block: &Mat3<R>| (block.trace() * R::of(1.0 / 3.0)).max(R::of(f64::MIN_POSITIVE.sqrt()));
        let reach = Reach { entries: &self.entries, nodes: self.nodes };
        let mut sum = R::zero();
        for &(node, weight) in reach.of(row) {
            sum += weight * weight / resistance(&diagonal[node as usize]);
        }
        for hold in row.holds.iter().flatten() {
            let place = self.nodes + 2 * hold.rigid as usize;
            let turning = R::of(2.0 / 3.0) * hold.arm.dot(hold.arm) / resistance(&diagonal[place + 1]);
            sum += R::one() / resistance(&diagonal[place]) + turning;
        }
        sum.max(R::of(f64::MIN_POSITIVE.sqrt()))
    }

    /// The bodies that press on each other or are tied together, pair after pair, in order and each once.
    pub fn touching_bodies(&self, model: &Model<R>, pairs: &mut Vec<(usize, usize)>) {
        let reach = self.reach();
        let joins = |row: &&Row<R>| row.pressed() && row.holds[0].is_none();
        let bodies = |row: &Row<R>| {
            let entries = reach.of(row);
            let [a, b] = [entries[0].0, entries[entries.len() - 1].0].map(|n| model.body_index(n as usize));
            (a.min(b), a.max(b))
        };
        pairs.clear();
        pairs.extend(self.rows.iter().filter(joins).map(bodies));
        pairs.sort_unstable();
        pairs.dedup();
    }

    pub(super) fn reach(&self) -> Reach<'_, R> {
        Reach { entries: &self.entries, nodes: self.nodes }
    }

    /// Makes products with the present rows quick.
    pub fn prepare_products(&mut self) {
        let Self { gather, rows, entries, nodes, .. } = self;
        gather.fill(rows, Reach { entries, nodes: *nodes });
    }

    /// `out += Σ wᵀ W w x` over the rows that press.
    pub fn add_product(&self, x: &[Vec3<R>], out: &mut [Vec3<R>]) {
        if self.gather.add_product(x, out) {
            return;
        }
        let reach = self.reach();
        for row in self.rows.iter().filter(|r| r.active) {
            reach.spread(row, row.weigh(reach.combine(row, x)), out);
        }
    }

    /// Calls `add` with every unknown of the rows that press and what these put on its diagonal block.
    pub fn add_diagonal(&self, mut add: impl FnMut(usize, Mat3<R>)) {
        let reach = self.reach();
        for row in self.rows.iter().filter(|r| r.active) {
            let along = Mat3::outer(row.normal, row.normal);
            let share = along * row.stiffness + (Mat3::identity() - along) * row.drag;
            reach.of(row).iter().for_each(|&(n, w)| add(n as usize, share * (w * w)));
            for hold in row.holds.iter().flatten() {
                let place = self.nodes + 2 * hold.rigid as usize;
                add(place, share);
                let arm = cross_matrix(hold.arm);
                add(place + 1, arm * share * arm.transpose());
            }
        }
    }

    /// Adds the impulses, and what the springs want, to the right-hand side.
    pub fn add_impulses(&self, b: &mut [Vec3<R>]) {
        let reach = self.reach();
        self.rows.iter().filter(|r| r.active).for_each(|row| reach.spread(row, row.wanted(), b));
    }

    /// Adds what the rows do to nodes that move at `v`: impulses and springs together.
    pub fn add_reactions(&self, v: &[Vec3<R>], q: &mut [Vec3<R>]) {
        let reach = self.reach();
        for row in self.rows.iter().filter(|r| r.active) {
            reach.spread(row, row.wanted() - row.weigh(reach.combine(row, v)), q);
        }
    }

    /// What the rows add to the incremental potential [J].
    pub fn potential(&self, v: &[Vec3<R>]) -> f64 {
        let reach = self.reach();
        self.rows.iter().filter(|r| r.active).map(|row| row.potential(reach.combine(row, v))).sum()
    }

    /// What a solve that gave velocities `v` says about the rows.
    ///
    /// First the set of rows that press must settle, body by body, with the impulses as they are: springs also pull, and
    /// impulses learnt beside a row that pulls would be wrong ones. Then the load moves from the springs to the impulses,
    /// until no spring carries more than `tolerance` [m/s] of violation. Friction follows all the while, and asks for further solves only
    /// in the first rounds: somewhere in a large heap something always starts or stops to slide.
    pub fn update(&mut self, v: &[Vec3<R>], tolerance: R, round: usize) -> Settling {
        self.gather.forget();
        if self.by_impulses {
            return self.update_by_impulses(v, tolerance);
        }
        let Self { rows, entries, nodes, restless, .. } = self;
        let reach = Reach { entries, nodes: *nodes };
        let (mut pressing, mut rubbing) = (false, false);
        restless.fill(false);
        for row in rows.iter_mut() {
            let moved = reach.combine(row, v);
            row.note(moved);
            let change = row.settle(moved, tolerance);
            if change == Change::Pressing {
                pressing = true;
                row.bodies.iter().for_each(|&b| restless[b as usize] = true);
            }
            rubbing |= change == Change::Friction;
        }
        let mut learning = false;
        let calm = |row: &&mut Row<R>| row.active && row.bodies.iter().all(|&b| !restless[b as usize]);
        for row in rows.iter_mut().filter(calm) {
            let (short, slips) = row.learn(reach.combine(row, v), tolerance);
            learning |= short;
            rubbing |= slips;
        }
        if pressing {
            Settling::Changed
        } else if learning || (rubbing && round < MOST_RUBBING) {
            Settling::Learning
        } else {
            Settling::Done
        }
    }

    /// [`Press::update`] where sets settle by impulses: a body's rows learn once no more than a small part of all impulses on
    /// it is wrong. In an impact some row always changes, but it soon carries next to nothing.
    fn update_by_impulses(&mut self, v: &[Vec3<R>], tolerance: R) -> Settling {
        let Self { rows, entries, nodes, restless, wrong, .. } = self;
        let reach = Reach { entries, nodes: *nodes };
        wrong.clear();
        wrong.resize(restless.len(), Wrong::default());
        for row in rows.iter_mut() {
            let moved = reach.combine(row, v);
            let of_row = row.wrong(moved);
            row.bodies.iter().for_each(|&b| wrong[b as usize].add(&of_row));
            row.note(moved);
            row.settle(moved, tolerance);
        }
        let mut rubbing = false;
        for (restless, wrong) in restless.iter_mut().zip(wrong) {
            *restless = wrong.pressing > wrong.all * R::of(WRONG);
            rubbing |= wrong.rubbing > wrong.all * R::of(WRONG);
        }
        let calm = |row: &&mut Row<R>| row.active && row.bodies.iter().all(|&b| !restless[b as usize]);
        for row in rows.iter_mut().filter(calm) {
            row.learn(reach.combine(row, v), tolerance);
        }
        if restless.contains(&true) {
            Settling::Changed
        } else if rubbing {
            Settling::Learning
        } else {
            Settling::Done
        }
    }

    /// By how much the worst pair approaches faster than it may [m/s].
    pub fn worst(&self, v: &[Vec3<R>]) -> R {
        let reach = self.reach();
        let short = |row: &Row<R>| row.target - row.normal.dot(reach.combine(row, v));
        self.rows.iter().filter(|r| matches!(r.source, Source::Pair)).map(short).fold(R::zero(), R::max)
    }

    /// Ends a step: remembers the impulses. Those of rows that could not be satisfied are halved: where rows contradict
    /// each other, they would grow from step to step.
    pub fn end(&mut self, v: &[Vec3<R>], tolerance: R) {
        let Self { memory, rows, entries, nodes, by_impulses, .. } = self;
        let reach = Reach { entries, nodes: *nodes };
        let most = tolerance * R::of(if *by_impulses { FAR_SHORT } else { SHORT });
        memory.clear();
        memory.extend(rows.iter().filter(|r| r.active && !matches!(r.source, Source::Support)).map(|r| {
            let short = r.target - r.normal.dot(reach.combine(r, v));
            let share = if short > most { R::of(0.5) } else { R::one() };
            // Where solves end before springs have given their load away, what was done counts.
            let done = if *by_impulses { r.done() } else { (r.impulse, r.traction) };
            (r.key, done.0 * share, done.1 * share)
        }));
    }
}

/// Keys of rows that are no pairs of surface parts; pairs with rigid bodies have the bits below free.
const TIE: u64 = 0b0111 << 60;
const SUPPORT: u64 = 0b1111 << 60;

/// The matrix with which `arm ×` multiplies.
pub(super) fn cross_matrix<R: Real>(arm: Vec3<R>) -> Mat3<R> {
    let [x, y, z] = arm.0;
    let o = R::zero();
    Mat3([[o, -z, y], [z, o, -x], [-y, x, o]])
}
