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

/// Impulses of a step, and who they act on.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Vec<Note>,
    forces: Vec<ContactForce>,
}

impl Ledger {
    /// Forgets everything, at the start of a step.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Notes an impulse on the first of two things [N s] at a place [m].
    pub fn note(&mut self, sides: (Partner, Partner), impulse: Vec3<f64>, (point, normal): (Vec3<f64>, Vec3<f64>)) {
        self.entries.push(Note { sides, impulse, point, normal });
    }

    /// Takes over what a step has noted.
    pub fn extend(&mut self, notes: &[Note]) {
        self.entries.extend_from_slice(notes);
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
        // Stable: places of one pair are added in the order in which they were noted.
        self.entries.iter_mut().filter(|e| e.sides.1 < e.sides.0).for_each(|e| {
            e.sides = (e.sides.1, e.sides.0);
            (e.impulse, e.normal) = (-e.impulse, -e.normal);
        });
        self.entries.sort_by_key(|e| e.sides);
        self.forces.clear();
        for run in self.entries.chunk_by(|a, b| a.sides == b.sides) {
            let (mut impulse, mut point, mut normal, mut weight) = (Vec3::zero(), Vec3::zero(), Vec3::zero(), 0.0);
            for entry in run {
                let share = entry.normal.dot(entry.impulse).max(0.0) + f64::MIN_POSITIVE;
                impulse += entry.impulse;
                point += entry.point * share;
                normal += entry.normal * share;
                weight += share;
            }
            self.forces.push(ContactForce {
                first: run[0].sides.0,
                second: run[0].sides.1,
                force: (impulse * (1.0 / dt)).0,
                point: (point * (1.0 / weight)).0,
                normal: normal.normalized().0,
                places: run.len(),
            });
        }
        self.forces.extend_from_slice(resting);
        self.forces.sort_by_key(|f| (f.first, f.second));
    }

    /// The forces of the last step, ordered by who takes part.
    pub fn forces(&self) -> &[ContactForce] {
        &self.forces
    }
}
