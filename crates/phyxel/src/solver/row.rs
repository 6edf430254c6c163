//! One row of contact within an implicit step.

use crate::math::{Real, Vec3};

/// Drags that change by less than this part need no further solve.
const DRIFT: f64 = 0.1;
/// Slips slower than this need no drag that is exact [m/s].
const HARDLY: f64 = 1e-4;

/// A point of a rigid body that a row acts on.
#[derive(Clone, Copy, Debug)]
pub struct Hold<R> {
    /// Which body.
    pub rigid: u32,
    /// Whether it belongs to the first thing or, negative, to the second.
    pub sign: R,
    /// From the centre of mass to the point [m].
    pub arm: Vec3<R>,
}

/// Where a row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Two surface parts, or one and a rigid body.
    Pair,
    /// A tie of the model.
    Tie(u32),
    /// Two rigid things.
    Support,
}

/// One pair within a step.
#[derive(Clone, Copy, Debug)]
pub struct Row<R> {
    /// By which it is known again.
    pub key: u64,
    /// Its entries.
    pub first: u32,
    /// How many they are.
    pub count: u32,
    /// The soft bodies of the first and of the last entry.
    pub bodies: [u32; 2],
    /// Rigid bodies that take part.
    pub holds: [Option<Hold<R>>; 2],
    /// From the second thing to the first; zero for ties.
    pub normal: Vec3<R>,
    /// Least normal velocity of the first thing relative to the second [m/s].
    pub target: R,
    /// Slip that friction asks for: that of a moving floor, or what brings a tie back [m/s].
    pub wish: Vec3<R>,
    /// Impulse per velocity [kg].
    pub stiffness: R,
    /// Coulomb's coefficient.
    pub friction: R,
    /// Friction's impulse per slip velocity: the stiffness while the pair sticks, and Coulomb's limit over the last slip
    /// while it slides [kg].
    pub drag: R,
    /// Normal impulse carried so far [N s].
    pub impulse: R,
    /// Friction's impulse carried so far, while the pair sticks [N s].
    pub traction: Vec3<R>,
    /// What the last solve made it do to the first thing [N s]; zero when it did not press.
    pub given: Vec3<R>,
    /// It presses.
    pub active: bool,
    /// It does not slide.
    pub sticking: bool,
    /// Where it comes from.
    pub source: Source,
}

/// What a solve has changed about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing that matters.
    None,
    /// How friction acts, which is no reason not to learn how hard it presses.
    Friction,
    /// Whether it presses.
    Pressing,
}

/// Impulses that a solve got wrong, and all of them [N s].
#[derive(Clone, Copy, Debug, Default)]
pub struct Wrong<R> {
    /// Of rows that pulled, or did not press though they should have.
    pub pressing: R,
    /// Of friction.
    pub rubbing: R,
    /// All normal impulses.
    pub all: R,
}

impl<R: Real> Wrong<R> {
    /// Adds that of another row.
    pub fn add(&mut self, other: &Self) {
        self.pressing += other.pressing;
        self.rubbing += other.rubbing;
        self.all += other.all;
    }
}

/// The entries of all rows, and where the unknowns of rigid bodies begin.
#[derive(Clone, Copy)]
pub struct Reach<'a, R> {
    /// Node and weight, row after row.
    pub entries: &'a [(u32, R)],
    /// How many unknowns belong to nodes.
    pub nodes: usize,
}

impl<R: Real> Reach<'_, R> {
    /// The entries of a row.
    pub fn of(&self, row: &Row<R>) -> &[(u32, R)] {
        &self.entries[row.first as usize..(row.first + row.count) as usize]
    }

    /// How the first thing of a row moves relative to the second.
    #[inline]
    pub fn combine(&self, row: &Row<R>, x: &[Vec3<R>]) -> Vec3<R> {
        let mut sum = self.of(row).iter().fold(Vec3::zero(), |sum, &(n, w)| sum + x[n as usize] * w);
        for hold in row.holds.iter().flatten() {
            let place = self.nodes + 2 * hold.rigid as usize;
            sum += (x[place] + x[place + 1].cross(hold.arm)) * hold.sign;
        }
        sum
    }

    /// Adds an impulse on the first thing of a row, and its opposite on the second.
    #[inline]
    pub fn spread(&self, row: &Row<R>, pull: Vec3<R>, out: &mut [Vec3<R>]) {
        self.of(row).iter().for_each(|&(n, w)| out[n as usize] += pull * w);
        for hold in row.holds.iter().flatten() {
            let place = self.nodes + 2 * hold.rigid as usize;
            out[place] += pull * hold.sign;
            out[place + 1] += hold.arm.cross(pull) * hold.sign;
        }
    }
}

impl<R: Real> Row<R> {
    /// A row that does nothing yet.
    pub fn new(key: u64, (first, count): (usize, usize), holds: [Option<Hold<R>>; 2]) -> Self {
        Row {
            key,
            first: first as u32,
            count: count as u32,
            bodies: [0; 2],
            holds,
            normal: Vec3::zero(),
            target: R::zero(),
            wish: Vec3::zero(),
            stiffness: R::zero(),
            friction: R::zero(),
            drag: R::zero(),
            impulse: R::zero(),
            traction: Vec3::zero(),
            given: Vec3::zero(),
            active: false,
            sticking: false,
            source: Source::Pair,
        }
    }

    fn slip(&self, moved: Vec3<R>) -> Vec3<R> {
        moved - self.normal * self.normal.dot(moved) - self.wish
    }

    /// The normal impulse and the traction that a solve has made of the row.
    fn force(&self, moved: Vec3<R>) -> (R, Vec3<R>) {
        let impulse = self.impulse + self.stiffness * (self.target - self.normal.dot(moved));
        (impulse, self.traction - self.slip(moved) * self.stiffness)
    }

    /// Notes what a solve has made it do, before anything is learnt from it.
    pub fn note(&mut self, moved: Vec3<R>) {
        self.given = if self.active { self.wanted() - self.weigh(moved) } else { Vec3::zero() };
    }

    /// The normal impulse and, if it sticks, the traction of the last solve.
    pub fn done(&self) -> (R, Vec3<R>) {
        let along = self.normal.dot(self.given);
        let traction = if self.sticking { self.given - self.normal * along } else { Vec3::zero() };
        (along.max(R::zero()), traction)
    }

    /// Whether it pressed in the last solve.
    pub fn pressed(&self) -> bool {
        self.given != Vec3::zero()
    }

    /// What the row does to things that do not move [N s].
    pub fn wanted(&self) -> Vec3<R> {
        self.normal * (self.impulse + self.stiffness * self.target) + self.traction + self.wish * self.drag
    }

    /// What the springs of the row answer to a relative velocity [N s].
    pub fn weigh(&self, moved: Vec3<R>) -> Vec3<R> {
        let along = self.normal * self.normal.dot(moved);
        along * self.stiffness + (moved - along) * self.drag
    }

    /// What the row adds to the incremental potential [J].
    pub fn potential(&self, moved: Vec3<R>) -> f64 {
        let short = self.target + self.impulse / self.stiffness - self.normal.dot(moved);
        let pressed = if self.normal == Vec3::zero() { 0.0 } else { 0.5 * (self.stiffness * short * short).to_f64() };
        let slip = self.slip(moved);
        pressed + 0.5 * (self.drag * slip.dot(slip)).to_f64() - self.traction.dot(slip).to_f64()
    }

    /// Whether it presses, sticks or slides, and what of that is new. Errors of velocity below `tolerance` do not matter.
    pub fn settle(&mut self, moved: Vec3<R>, tolerance: R) -> Change {
        if matches!(self.source, Source::Tie(_)) {
            return Change::None;
        }
        let (was_active, was_sticking, old_drag) = (self.active, self.sticking, self.drag);
        let (impulse, trial) = self.force(moved);
        self.active = impulse > R::zero();
        if !self.active {
            (self.impulse, self.traction) = (R::zero(), Vec3::zero());
            self.sticking = self.friction > R::zero();
            self.drag = if self.sticking { self.stiffness } else { R::zero() };
            let pulled = was_active && -impulse > tolerance * self.stiffness;
            return if pulled { Change::Pressing } else { Change::None };
        }
        let most = self.friction * impulse;
        self.sticking = self.friction > R::zero() && trial.norm() <= most;
        if self.sticking {
            self.drag = self.stiffness;
        } else {
            // Friction as a drag that has Coulomb's size at the slip of the last solve: a given force would push the nodes
            // to and fro from solve to solve.
            let slip = self.slip(moved).norm();
            self.traction = Vec3::zero();
            self.drag = if slip > R::zero() { (most / slip).min(self.stiffness) } else { self.stiffness };
        }
        // What hardly slips needs no drag that is exact.
        let matters = self.slip(moved).norm() > R::of(HARDLY);
        let drifted = matters && (self.drag - old_drag).abs() > R::of(DRIFT) * self.drag;
        if !was_active && impulse > tolerance * self.stiffness {
            Change::Pressing
        } else if (matters && was_sticking != self.sticking) || drifted {
            Change::Friction
        } else {
            Change::None
        }
    }

    /// By how much the normal impulse and friction of a solve were wrong, and how large the right normal impulse is [N s].
    pub fn wrong(&self, moved: Vec3<R>) -> Wrong<R> {
        if matches!(self.source, Source::Tie(_)) {
            return Wrong::default();
        }
        let (impulse, trial) = self.force(moved);
        if !self.active || impulse <= R::zero() {
            let pressing = if self.active { -impulse } else { impulse.max(R::zero()) };
            return Wrong { pressing, ..Wrong::default() };
        }
        let (most, slip) = (self.friction * impulse, self.slip(moved).norm());
        let rubbing = if self.sticking {
            (trial.norm() - most).max(R::zero())
        } else {
            ((self.stiffness * slip).min(most) - self.drag * slip).abs()
        };
        Wrong { pressing: R::zero(), rubbing, all: impulse }
    }

    /// Takes the load over from the springs; says whether they carried more than `tolerance` along the normal, and along
    /// the surface.
    pub fn learn(&mut self, moved: Vec3<R>, tolerance: R) -> (bool, bool) {
        let (impulse, trial) = self.force(moved);
        let slip = self.slip(moved);
        let short = self.target - self.normal.dot(moved);
        let tied = matches!(self.source, Source::Tie(_));
        if !tied {
            self.impulse = impulse;
        }
        if self.sticking {
            self.traction = trial;
        }
        let slips = self.sticking && slip.norm() > tolerance;
        ((!tied && short.abs() > tolerance) || (tied && slips), slips)
    }
}
