//! Discs by place, so that those around one are found at once.

use super::Shown;
use phyxel::math::Vec3;
use phyxel::par;

/// How far discs look for each other, in distances between them.
pub(super) const LOOK: f32 = 1.6;
/// Discs whose normals differ by more than this cosine are on another sheet.
pub(super) const SAME_SHEET: f64 = 0.2;
/// Discs that look the other way by more than this cosine are the far side of something thin.
const FAR_SIDE: f32 = -0.5;
/// Cells per disc at most: wide boxes are cut more coarsely.
const CELLS: usize = 40;

/// A disc as others see it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// From the corner of the box, in distances between discs.
    at: [f32; 3],
    normal: [f32; 3],
}

impl Seen {
    /// The arm to another, its square, and the cosine between the normals.
    #[inline(always)]
    fn meet(&self, other: &Seen) -> ([f32; 3], f32, f32) {
        let arm = [0, 1, 2].map(|a| other.at[a] - self.at[a]);
        let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        (arm, dot(arm, arm), dot(self.normal, other.normal))
    }
}

/// Discs in cells. Those of the beginning lie side by side; others may come later, and any may go.
pub(super) struct Crowd {
    low: [f64; 3],
    /// Distance between discs [m].
    apart: f64,
    per_cell: f32,
    counts: [usize; 3],
    starts: Vec<u32>,
    seen: Vec<Seen>,
    /// How many were there from the beginning.
    early: usize,
    /// The last disc that came to each cell later, counted from one; empty while none has.
    last: Vec<u32>,
    /// The one before it, likewise, for each that came later.
    before: Vec<u32>,
}

impl Crowd {
    /// Sorts discs, `apart` [m] from each other, into cells; their order is that of the crowd from now on. Discs that are
    /// nowhere are left out.
    pub fn new(discs: &mut Vec<Shown>, apart: f64) -> Self {
        discs.retain(|d| d.point.is_finite());
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for d in discs.iter() {
            low = [0, 1, 2].map(|a| low[a].min(d.point[a]));
            high = [0, 1, 2].map(|a| high[a].max(d.point[a]));
        }
        let mut cell = f64::from(LOOK) * apart;
        let counts = |cell: f64| [0, 1, 2].map(|a| ((high[a] - low[a]) / cell).max(0.0).floor() + 1.0);
        while counts(cell).iter().product::<f64>() > (CELLS * discs.len() + 64) as f64 {
            cell *= 1.3;
        }
        let counts = counts(cell).map(|c| c as usize);
        let per_cell = (apart / cell) as f32;
        let (starts, seen, last, before) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut crowd = Crowd { low, apart, per_cell, counts, starts, seen, early: discs.len(), last, before };
        crowd.sort(discs);
        crowd
    }

    fn sort(&mut self, discs: &mut Vec<Shown>) {
        let mut seen = vec![(Seen { at: [0.0; 3], normal: [0.0; 3] }, 0_u32); discs.len()];
        par::for_each(&mut seen, |i, (seen, cell)| {
            *seen = self.see(&discs[i]);
            *cell = self.cell(seen.at) as u32;
        });
        let mut starts = vec![0_u32; self.counts.iter().product::<usize>() + 1];
        seen.iter().for_each(|(_, cell)| starts[*cell as usize + 1] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut order = vec![0_u32; discs.len()];
        let mut next = starts.clone();
        for (i, (_, cell)) in seen.iter().enumerate() {
            let place = &mut next[*cell as usize];
            order[*place as usize] = i as u32;
            *place += 1;
        }
        *discs = order.iter().map(|i| discs[*i as usize]).collect();
        self.seen = order.iter().map(|i| seen[*i as usize].0).collect();
        self.starts = starts;
    }

    fn see(&self, disc: &Shown) -> Seen {
        let at = [0, 1, 2].map(|a| ((disc.point[a] - self.low[a]) / self.apart) as f32);
        Seen { at, normal: disc.normal.0.map(|c| c as f32) }
    }

    #[inline]
    fn along(&self, x: f32, axis: usize) -> usize {
        ((x * self.per_cell).max(0.0) as usize).min(self.counts[axis] - 1)
    }

    #[inline]
    fn cell(&self, at: [f32; 3]) -> usize {
        let [x, y, z] = [0, 1, 2].map(|a| self.along(at[a], a));
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Leaves a disc out from now on.
    pub fn remove(&mut self, i: usize) {
        self.seen[i].at = [f32::INFINITY; 3];
    }

    /// Takes in one more.
    pub fn add(&mut self, disc: &Shown) {
        let seen = self.see(disc);
        let cell = self.cell(seen.at);
        if self.last.is_empty() {
            self.last = vec![0; self.counts.iter().product()];
        }
        self.seen.push(seen);
        self.before.push(self.last[cell]);
        self.last[cell] = (self.seen.len() - self.early) as u32;
    }

    /// Calls `visit(index, arm, squared distance)` for the discs on the sheet of one, that one left out, no farther than
    /// `far`; lengths are in distances between discs.
    #[inline]
    pub fn each_around(&self, i: usize, far: f32, mut visit: impl FnMut(usize, [f32; 3], f32)) {
        self.each(self.seen[i], far, SAME_SHEET as f32, |j, arm, square| {
            if j != i {
                visit(j, arm, square);
            }
        });
    }

    /// Whether no disc is closer than `far` distances to one that is about to be added, the far side of thin matter aside.
    pub fn has_room(&self, disc: &Shown, far: f32) -> bool {
        let mut free = true;
        self.each(self.see(disc), far, FAR_SIDE, |_, _, _| free = false);
        free
    }

    #[inline(always)]
    fn each(&self, me: Seen, far: f32, least: f32, mut visit: impl FnMut(usize, [f32; 3], f32)) {
        let low = [0, 1, 2].map(|a| self.along(me.at[a] - far, a));
        let high = [0, 1, 2].map(|a| self.along(me.at[a] + far, a));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                // Cells along x lie side by side.
                let row = (z * self.counts[1] + y) * self.counts[0];
                let first = self.starts[row + low[0]] as usize;
                let run = &self.seen[first..self.starts[row + high[0] + 1] as usize];
                for (k, other) in run.iter().enumerate() {
                    let (arm, square, alike) = me.meet(other);
                    if square < far * far && alike > least {
                        visit(first + k, arm, square);
                    }
                }
                if self.last.is_empty() {
                    continue;
                }
                for cell in row + low[0]..=row + high[0] {
                    let mut k = self.last[cell] as usize;
                    while k > 0 {
                        let (arm, square, alike) = me.meet(&self.seen[self.early + k - 1]);
                        if square < far * far && alike > least {
                            visit(self.early + k - 1, arm, square);
                        }
                        k = self.before[k - 1] as usize;
                    }
                }
            }
        }
    }

    /// Where an arm in distances between discs leads [m].
    pub fn length(&self, arm: [f32; 3]) -> Vec3<f64> {
        Vec3(arm.map(f64::from)) * self.apart
    }
}
