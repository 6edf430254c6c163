//! Who pressed on whom during a step, and how hard.

use super::press::Press;
use super::row::Source;
use super::touch::{Stage, Touch};
use crate::math::{Real, Vec3};
use crate::model::Model;

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partner {
    /// A body of the scene.
    Body(usize),
    /// A rigid body of the scene.
    Rigid(usize),
    /// A collider of the scene.
    Collider(usize),
}

/// Everything that passed between two things in a step, summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Who is pushed.
    pub first: Partner,
    /// By whom; it is pushed back as hard.
    pub second: Partner,
    /// Mean force on the first over the step, friction included [N].
    pub force: [f64; 3],
    /// Where, on average weighted by normal force [m].
    pub point: [f64; 3],
    /// From the second to the first, averaged alike; a unit vector.
    pub normal: [f64; 3],
    /// Places of contact, counted in every part of the step.
    pub places: usize,
}

/// One place of contact.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    /// Who is pushed, and by whom.
    pub sides: (Partner, Partner),
    /// On the first [N s].
    pub impulse: Vec3<f64>,
    /// Where [m].
    pub point: Vec3<f64>,
    /// From the second to the first.
    pub normal: Vec3<f64>,
}

/// All places between two things, or some of them.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    sides: (Partner, Partner),
    impulse: Vec3<f64>,
    point: Vec3<f64>,
    normal: Vec3<f64>,
    weight: f64,
    places: usize,
}

impl Sum {
    fn new(sides: (Partner, Partner)) -> Self {
        Sum { sides, impulse: Vec3::zero(), point: Vec3::zero(), normal: Vec3::zero(), weight: 0.0, places: 0 }
    }

    fn add(&mut self, note: &Note) {
        let share = note.normal.dot(note.impulse).max(0.0) + f64::MIN_POSITIVE;
        self.impulse += note.impulse;
        self.point += note.point * share;
        self.normal += note.normal * share;
        self.weight += share;
        self.places += 1;
    }

    /// Adds a place to the last of some sums, or to a new one where that is about others.
    pub fn follow(sums: &mut Vec<Sum>, note: &Note) {
        if sums.last().is_none_or(|last| last.sides != note.sides) {
            sums.push(Sum::new(note.sides));
        }
        if let Some(last) = sums.last_mut() {
            last.add(note);
        }
    }

    /// Adds other places of the same two things.
    fn join(&mut self, other: &Sum) {
        self.impulse += other.impulse;
        self.point += other.point;
        self.normal += other.normal;
        self.weight += other.weight;
        self.places += other.places;
    }

    fn force(&self, dt: f64) -> ContactForce {
        ContactForce {
            first: self.sides.0,
            second: self.sides.1,
            force: (self.impulse * (1.0 / dt)).0,
            point: (self.point * (1.0 / self.weight)).0,
            normal: self.normal.normalized().0,
            places: self.places,
        }
    }
}

/// Impulses of a step, and who they act on.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Vec<Note>,
    /// Places that were summed up on the way.
    parts: Vec<Sum>,
    /// Ascending by who takes part.
    sums: Vec<Sum>,
    forces: Vec<ContactForce>,
}

impl Ledger {
    /// Forgets everything, at the start of a step.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.parts.clear();
    }

    /// Notes an impulse on the first of two things [N s] at a place [m].
    pub fn note(&mut self, sides: (Partner, Partner), impulse: Vec3<f64>, (point, normal): (Vec3<f64>, Vec3<f64>)) {
        self.entries.push(Note { sides, impulse, point, normal });
    }

    /// Takes over what a step has noted.
    pub fn extend(&mut self, notes: &[Note]) {
        self.entries.extend_from_slice(notes);
    }

    /// Takes over what a step has summed up; bodies come first in it.
    pub fn extend_summed(&mut self, sums: &[Sum]) {
        self.parts.extend_from_slice(sums);
    }

    /// Notes what an implicit solve says; its impulses act `times` over.
    pub fn note_solve<R: Real>(
        &mut self,
        model: &Model<R>,
        stage: &Stage<'_, R>,
        (touches, press): (&[Touch<R>], &Press<R>),
        times: f64,
    ) {
        for touch in touches {
            let node = touch.node as usize;
            let sides = (Partner::Body(model.body_index(node)), Partner::Collider(touch.collider as usize));
            let (impulse, normal) = (Vec3(touch.reaction.to_f64()) * times, Vec3(touch.plane.normal.to_f64()));
            self.note(sides, impulse, (model.place(node, stage.u[node]), normal));
        }
        let reach = press.reach();
        for row in press.rows.iter().filter(|r| r.pressed() && r.source == Source::Pair) {
            let entries = reach.of(row);
            let first = Partner::Body(model.body_index(entries[0].0 as usize));
            let second = match row.holds[0] {
                Some(hold) => Partner::Rigid(hold.rigid as usize),
                None => Partner::Body(model.body_index(entries[entries.len() - 1].0 as usize)),
            };
            let impulse = Vec3(row.given.to_f64()) * times;
            let of_first = entries.iter().filter(|e| e.1 > R::zero());
            let point = of_first
                .fold(Vec3::zero(), |sum, &(n, w)| sum + model.place(n as usize, stage.u[n as usize]) * w.to_f64());
            self.note((first, second), impulse, (point, Vec3(row.normal.to_f64())));
        }
    }

    /// Sums up a step of `dt`; `resting` are forces that sleepers go on feeling.
    pub fn close(&mut self, dt: f64, resting: &[ContactForce]) {
        let Self { entries, parts, sums, forces } = self;
        sums.clear();
        for entry in entries.iter_mut() {
            if entry.sides.1 < entry.sides.0 {
                entry.sides = (entry.sides.1, entry.sides.0);
                (entry.impulse, entry.normal) = (-entry.impulse, -entry.normal);
            }
            // In the order in which they were noted, so that sums have the same bits every time.
            sum_of(sums, entry.sides).add(entry);
        }
        parts.iter().for_each(|part| sum_of(sums, part.sides).join(part));
        forces.clear();
        forces.extend(sums.iter().map(|sum| sum.force(dt)));
        forces.extend_from_slice(resting);
        forces.sort_unstable_by_key(|f| (f.first, f.second));
    }

    /// The forces of the last step, ordered by who takes part.
    pub fn forces(&self) -> &[ContactForce] {
        &self.forces
    }
}

/// The sum of what passes between two things, among those that are known or new.
fn sum_of(sums: &mut Vec<Sum>, sides: (Partner, Partner)) -> &mut Sum {
    let place = sums.binary_search_by_key(&sides, |s| s.sides).unwrap_or_else(|place| {
        sums.insert(place, Sum::new(sides));
        place
    });
    &mut sums[place]
}
