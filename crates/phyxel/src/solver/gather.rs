//! Products with many rows of contact on all threads: what the rows do first, then what each node gets.

use super::row::{Reach, Row};
use crate::math::{Real, Vec3};
use crate::par;
use std::sync::{Mutex, PoisonError};

/// Fewest rows that are worth it.
const FEWEST: usize = 1000;

/// The rows that press, close together, and for each node those that act on it. Sums have the order in which rows stand, as if
/// one thread had gone through them.
#[derive(Debug, Default)]
pub struct Gather<R> {
    rows: Vec<Slim<R>>,
    /// Node and weight, row after row.
    entries: Vec<(u32, R)>,
    /// Row and weight, node after node, and where those of each node begin.
    acting: Vec<(u32, R)>,
    starts: Vec<u32>,
    /// What each row does; products have no room of their own.
    pulls: Mutex<Vec<Vec3<R>>>,
    valid: bool,
}

/// What products need of a row.
#[derive(Clone, Copy, Debug)]
struct Slim<R> {
    normal: Vec3<R>,
    stiffness: R,
    drag: R,
    end: u32,
}

impl<R: Clone> Clone for Gather<R> {
    /// One that must be filled first.
    fn clone(&self) -> Self {
        Gather {
            rows: Vec::new(),
            entries: Vec::new(),
            acting: Vec::new(),
            starts: Vec::new(),
            pulls: Mutex::default(),
            valid: false,
        }
    }
}

impl<R: Real> Gather<R> {
    /// Rows have changed.
    pub fn forget(&mut self) {
        self.valid = false;
    }

    /// Takes the rows that press, if they are many and none acts on rigid bodies.
    pub fn fill(&mut self, rows: &[Row<R>], reach: Reach<'_, R>) {
        let Self { rows: slim, entries, acting, starts, valid, .. } = self;
        let active = || rows.iter().filter(|r| r.active);
        *valid = active().count() >= FEWEST && active().all(|r| r.holds[0].is_none());
        if !*valid {
            return;
        }
        slim.clear();
        entries.clear();
        for row in active() {
            entries.extend_from_slice(reach.of(row));
            let Row { normal, stiffness, drag, .. } = *row;
            slim.push(Slim { normal, stiffness, drag, end: entries.len() as u32 });
        }
        starts.clear();
        starts.resize(reach.nodes + 1, 0);
        entries.iter().for_each(|(n, _)| starts[*n as usize] += 1);
        let mut sum = 0;
        for start in starts.iter_mut() {
            (*start, sum) = (sum, sum + *start);
        }
        acting.resize(entries.len(), (0, R::zero()));
        let mut first = 0;
        for (k, row) in slim.iter().enumerate() {
            for &(n, weight) in &entries[first..row.end as usize] {
                let place = &mut starts[n as usize];
                acting[*place as usize] = (k as u32, weight);
                *place += 1;
            }
            first = row.end as usize;
        }
        // Each start has moved on to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// `out += Σ wᵀ W w x`; false if it has not been filled.
    pub fn add_product(&self, x: &[Vec3<R>], out: &mut [Vec3<R>]) -> bool {
        let Self { rows, entries, acting, starts, pulls, valid } = self;
        if !valid {
            return false;
        }
        let mut pulls = pulls.lock().unwrap_or_else(PoisonError::into_inner);
        pulls.resize(rows.len(), Vec3::zero());
        par::for_each(&mut pulls, |k, pull| {
            let first = if k == 0 { 0 } else { rows[k - 1].end as usize };
            let Slim { normal, stiffness, drag, end } = rows[k];
            let own = entries[first..end as usize].iter();
            let moved = own.fold(Vec3::zero(), |sum, &(n, w)| sum + x[n as usize] * w);
            let along = normal * normal.dot(moved);
            *pull = along * stiffness + (moved - along) * drag;
        });
        let pulls = &**pulls;
        par::for_each(&mut out[..starts.len() - 1], |n, out| {
            let own = &acting[starts[n] as usize..starts[n + 1] as usize];
            own.iter().for_each(|&(k, w)| *out += pulls[k as usize] * w);
        });
        true
    }
}
