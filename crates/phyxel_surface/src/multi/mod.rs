//! Müller's multi-representation surface: detail where the topology stays, an implicit surface where it changes.

mod boundary;
mod crowd;
mod field;
mod joined;
mod memory;
mod mould;
mod resample;

pub use boundary::boundary_probabilities;
pub use field::Field;

use crate::felt::Spacings;
use crate::flow::Flow;
use crate::grid::PointGrid;
use crate::mesh::unit;
use crate::surfels::{COVER, Disc, frame};
use boundary::Watch;
use phyxel::math::Vec3;
use phyxel::model::{BLOCK, lines};
use phyxel::record::Surfels;
use phyxel::{par, vectorised};
use resample::Limits;

type V = Vec3<f64>;

/// A disc of the beginning, which is carried along and never resampled: where detail and colour are kept
/// (Müller et al. 2004, section 5.2.5).
#[derive(Clone, Copy, Debug)]
struct Zombie {
    point: V,
    normal: V,
    colour: [f32; 3],
    /// How far it has gone from the detail surface (0) to the implicit one (1): `ΔΓ_tot`.
    gone: f64,
    /// Its area over that of the beginning.
    area: f64,
}

/// A disc that is drawn.
#[derive(Clone, Copy, Debug)]
struct Shown {
    point: V,
    normal: V,
    colour: [f32; 3],
    /// What the matter around it covers now over what it did in the last frame.
    area: f64,
}

impl Shown {
    fn of(z: &Zombie) -> Self {
        Shown { point: z.point, normal: z.normal, colour: z.colour, area: z.area }
    }

    /// Whether the matter around it hardly changes.
    fn is_calm(&self) -> bool {
        (self.area - 1.0).abs() < CALM
    }
}

/// Distance to a thing that matter may lie in or on, negative inside of that [m].
pub type Wall<'a> = &'a (dyn Fn(V) -> f64 + Sync);

/// Where phyxels are and what they touch, in one frame.
pub struct Moment<'a> {
    /// The phyxels [m].
    pub phyxels: &'a [[f64; 3]],
    /// What the matter lies in or on.
    pub mould: &'a [Wall<'a>],
    /// The matter sets: what was taken over from the mould stays.
    pub sets: bool,
}

/// The surface of one body, or of several that have run into each other (Müller et al. 2004, section 5.2).
pub struct MultiSurface {
    zombies: Vec<Zombie>,
    shown: Vec<Shown>,
    coloured: bool,
    phyxels: Vec<[f64; 3]>,
    /// How far apart they are [m], one by one.
    spacings: Vec<f64>,
    watch: Watch,
    /// The largest of those.
    spacing: f64,
    /// Least distance between the discs of the beginning, which are spread evenly [m].
    size: f64,
    /// The same of the drawn ones: it grows with the surface, so that they stay about as many as they were [m].
    apart: f64,
    /// How many there were.
    start: usize,
    /// Nothing has changed since the beginning: the discs of then are as even as can be, and are drawn.
    whole: bool,
    /// How many zombies have been let go of, because they would show nothing ever again.
    let_go: usize,
    /// Phyxels under zombies that show most of their detail: there the implicit surface says nothing. Not kept from frame to
    /// frame.
    held: Vec<bool>,
    round: u64,
}

/// `λ` of eq. 30. A flat cut changes the probability of the phyxels around it by a sixth on average: half of such a cut
/// leaves nothing of the detail.
const LAMBDA: f64 = 12.0;
/// How far a disc looks for phyxels that change, in spacings.
const SEES: f64 = 1.8;
/// Where a surface is looked for around each phyxel in case that no disc is there, from it, in spacings: towards the faces
/// and corners of a cube.
const FACE: f64 = 0.6;
const CORNER: f64 = 0.35;
/// Where less of the detail is gone, zombies tell where the surface is and phyxels do not.
const HELD: f64 = 0.5;
/// Surfaces whose normals differ by more than this cosine are no two answers to one question.
const ALIKE: f64 = 0.5;
/// A zombie of which nothing is left to show is put back onto the implicit surface once in so many frames.
const SELDOM: u64 = 4;
/// No more than this many times as many discs as there were, however fast the surface grows.
const GROWTH: usize = 3;
/// There are no more discs than there were, but for this factor, after a surface has grown: they are larger.
const ROUGHLY: f64 = 1.1;
/// By how much drawn discs grow or shrink in a frame at most, while there are too many or too few.
const BREATH: f64 = 1.12;
/// The same ahead of a motion that is seen to spread the matter.
const GASP: f64 = 1.5;
/// From where all detail is gone to where all of it may be left, in spacings: a shorter way would be a step in the surface.
const RAMP: f64 = 1.0;
/// Where so many times the area is left of each zombie, or so few, they are too far apart to tell a surface, or heaped up.
const TORN: f64 = 2.0;
const HEAPED: f64 = 0.4;
/// A body of which one phyxel in so many is torn from its neighbours within a frame has burst.
const BURST: f64 = 20.0;
/// Discs whose area changes by less than this in a frame are looked at in every other one.
const CALM: f64 = 0.04;
/// All are calm when no more than one disc in so many is not.
const CALM_SHARE: f64 = 20.0;
/// A field below this is more than a spacing from all phyxels: no matter is left there.
const NOTHING: f64 = 0.12;
/// And a field above this, so many spacings outward of a zombie, is that of matter which has come to lie on it.
const BURIED: f64 = 2.0;
const OUTWARD: f64 = 0.75;
/// Places farther than this from the mean of the zombies around them, in distances between those, have them on one side.
const ASIDE: f64 = 0.5;

impl MultiSurface {
    /// Discs of half axis `size` [m] on the skin of phyxels, which are `spacing` [m] apart. `colours` has one for each disc,
    /// or none.
    pub fn new(discs: &[Disc], colours: &[[f32; 3]], size: f64, phyxels: Vec<[f64; 3]>, spacing: f64) -> Self {
        let zombie = |(i, disc): (usize, &Disc)| Zombie {
            point: Vec3(disc.point),
            normal: unit(V::cross(Vec3(disc.tangents[0]), Vec3(disc.tangents[1]))),
            colour: colours.get(i).copied().unwrap_or([1.0; 3]),
            gone: 0.0,
            area: 1.0,
        };
        let zombies: Vec<Zombie> = discs.iter().enumerate().map(zombie).collect();
        let shown = zombies.iter().map(Shown::of).collect();
        let watch = Watch::new(&phyxels, Spacings::All(spacing));
        let spacings = vec![spacing; phyxels.len()];
        let (coloured, start, size) = (!colours.is_empty(), discs.len(), size / COVER);
        let (apart, whole, let_go, round) = (size, true, 0, 0);
        #[rustfmt::skip]
        let surface = MultiSurface {
            zombies, shown, coloured, phyxels, spacings, watch, spacing, size, apart, start, whole, let_go, round,
            held: Vec::new(),
        };
        surface
    }

    /// Discs that are drawn.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Share of the detail that is gone, 0 to 1.
    pub fn detail_gone(&self) -> f64 {
        let gone = self.zombies.iter().map(|z| z.gone).sum::<f64>() + self.let_go as f64;
        gone / (self.zombies.len() + self.let_go).max(1) as f64
    }

    /// Follows the phyxels to a moment and gives the discs there.
    pub fn advance(&mut self, moment: &Moment<'_>) -> Surfels {
        let mut out = Surfels::default();
        self.advance_into(moment, &mut out);
        out
    }

    /// The same, into memory that is there already.
    pub fn advance_into(&mut self, moment: &Moment<'_>, out: &mut Surfels) {
        self.round += 1;
        let field = Field::around(moment.phyxels, Spacings::Each(&self.spacings));
        let torn = self.carry(moment.phyxels);
        self.blend(&field, moment.phyxels, &torn);
        self.whole &= self.zombies.iter().all(|z| z.gone == 0.0);
        if !self.whole && !self.coloured {
            // Where all is gone they show nothing ever again, and there are no colours that they could keep.
            let count = self.zombies.len();
            self.zombies.retain(|z| z.gone < 1.0);
            self.let_go += count - self.zombies.len();
        }
        self.settle(&field);
        let contact = mould::pressed(&self.shown, moment.mould, self.size, self.spacing);
        if moment.sets {
            self.keep(&contact);
        }
        self.show(&contact, out);
    }

    /// Both representations move with the matter (section 5.1). Which phyxels were torn from their neighbours.
    fn carry(&mut self, now: &[[f64; 3]]) -> Vec<bool> {
        let flow = Flow::of(&self.phyxels, now, Spacings::Each(&self.spacings));
        move_all(&flow, &mut self.zombies, |z| (&mut z.point, &mut z.normal, &mut z.area));
        if self.whole {
            self.shown.clear();
            self.shown.extend(self.zombies.iter().map(Shown::of));
        } else {
            self.shown.iter_mut().for_each(|s| s.area = 1.0);
            move_all(&flow, &mut self.shown, |s| (&mut s.point, &mut s.normal, &mut s.area));
        }
        self.phyxels = now.to_vec();
        flow.torn
    }

    /// Larger discs where the matter is about to spread, so that they are not multiplied first and thinned out later.
    fn inhale(&mut self) {
        let count = par::sum(self.shown.len(), |i| self.shown[i].area.min(GASP * GASP));
        let grown = count / (ROUGHLY * self.start as f64);
        self.apart *= grown.sqrt().clamp(1.0, GASP);
    }

    /// Zombies near phyxels whose place in the boundary changes go over to the implicit surface. With function values that
    /// change linearly, the paper's `b_I = (s̃ᵗ − sᵗ⁻¹)/(S − sᵗ⁻¹)` is the share of what was left that goes now.
    fn blend(&mut self, field: &Field<'_>, now: &[[f64; 3]], torn: &[bool]) {
        let count = torn.iter().filter(|torn| **torn).count();
        if BURST * count as f64 > torn.len() as f64 {
            // A skin that is torn everywhere at once tells no surface any more.
            self.zombies.iter_mut().for_each(|z| z.gone = 1.0);
        }
        let mut changes = self.watch.changes(now, Spacings::Each(&self.spacings));
        changes.iter_mut().zip(torn).filter(|(_, torn)| **torn).for_each(|(change, _)| *change = f64::INFINITY);
        let changing = changes.iter().any(|c| *c != 0.0);
        let reach = SEES * self.spacing;
        let grid = changing.then(|| PointGrid::new(now, reach));
        let before: Vec<f64> = self.zombies.iter().map(|z| z.gone).collect();
        par::for_each(&mut self.zombies, |_, z| {
            if let Some(grid) = grid.as_ref().filter(|_| z.gone < 1.0) {
                let (mut sum, mut count) = (0.0, 0.0_f64);
                grid.each_within(z.point, reach, |j, _, _| {
                    sum += changes[j as usize];
                    count += 1.0;
                });
                // Eq. 30.
                z.gone = (z.gone + LAMBDA / count.max(1.0) * f64::abs(sum)).min(1.0);
            }
            let outward = z.point + z.normal * (OUTWARD * self.spacing);
            let lost = || field.at(z.point).0 < NOTHING || field.at(outward).0 > BURIED;
            if !(HEAPED..TORN).contains(&z.area) || (changing && z.gone < 1.0 && lost()) {
                z.gone = 1.0;
            }
        });
        self.ramp(now);
        let turn = self.round % SELDOM;
        par::for_each(&mut self.zombies, |i, z| {
            let before = before[i];
            if z.gone == before && (before < 1.0 || i as u64 % SELDOM != turn) {
                return;
            }
            let share = if before < 1.0 { (z.gone - before) / (1.0 - before) } else { 1.0 };
            if let Some((place, normal)) = field.approach(z.point) {
                z.point = place * share + z.point * (1.0 - share);
                z.normal = unit(normal * share + z.normal * (1.0 - share));
            }
        });
    }

    /// Detail goes gradually beside matter where it is gone.
    fn ramp(&mut self, now: &[[f64; 3]]) {
        self.held.clear();
        self.held.resize(now.len(), false);
        if self.zombies.iter().all(|z| z.gone >= 1.0) || (self.whole && self.zombies.iter().all(|z| z.gone == 0.0)) {
            return;
        }
        let reach = RAMP * self.spacing;
        let grid = PointGrid::new(now, reach);
        let mut owners = vec![None; self.zombies.len()];
        par::for_each(&mut owners, |i, owner| *owner = grid.nearest(self.zombies[i].point).map(|n| n.0 as usize));
        let mut gone = vec![0.0_f64; now.len()];
        for (z, owner) in self.zombies.iter().zip(&owners) {
            if let Some(j) = *owner {
                gone[j] = gone[j].max(z.gone);
            }
        }
        par::for_each(&mut self.zombies, |_, z| {
            if z.gone < 1.0 {
                grid.each_within(z.point, reach, |j, _, square| {
                    z.gone = z.gone.max(gone[j as usize] - square.sqrt() / reach);
                });
            }
        });
        for (z, owner) in self.zombies.iter().zip(&owners) {
            if let Some(j) = owner.filter(|_| z.gone < HELD) {
                self.held[j] = true;
            }
        }
    }

    /// Spreads the drawn discs and puts them back onto the surface: that of the zombies where these still show detail, the
    /// implicit one elsewhere.
    fn settle(&mut self, field: &Field<'_>) {
        if self.whole {
            return;
        }
        self.inhale();
        let detail = Detail::new(&self.zombies, self.size);
        par::for_each(&mut self.shown, |_, s| {
            if detail.onto(s, field) == Onto::Nothing {
                // It is left out when all are sorted.
                s.point = Vec3([f64::NAN; 3]);
            }
        });
        let moving = par::sum(self.shown.len(), |i| f64::from(u8::from(!self.shown[i].is_calm())));
        let calm = CALM_SHARE * moving < self.shown.len() as f64;
        let seeds = self.seeds(field, calm);
        let limits = Limits { apart: self.apart, most: GROWTH * self.start, round: self.round };
        let phyxels = PointGrid::new(&self.phyxels, self.spacing);
        let is_held = |x: V| phyxels.nearest(x).is_some_and(|(j, _)| self.held[j as usize]);
        resample::spread(&mut self.shown, limits, &seeds, &|s| match detail.onto(s, field) {
            Onto::Detail => true,
            // It must not grow over detail that lies higher or lower.
            Onto::Implicit => !(is_held(s.point) && detail.is_beside(s, self.spacing)),
            Onto::Rim | Onto::Nothing => false,
        });
        self.breathe();
        if self.coloured {
            let points: Vec<[f64; 3]> = self.zombies.iter().map(|z| z.point.0).collect();
            self.colour(&PointGrid::new(&points, 2.0 * self.size));
        }
    }

    /// Places of the implicit surface around every phyxel, for drops and sheets that no disc has come along with.
    /// While matter is calm, some of them in each frame.
    fn seeds(&self, field: &Field<'_>, calm: bool) -> Vec<Shown> {
        let mut found = vec![[None; 14]; self.phyxels.len()];
        par::for_each(&mut found, |i, found| {
            let (center, spacing) = (Vec3(self.phyxels[i]), self.spacings[i]);
            if self.held[i] || (calm && i as u64 % SELDOM != self.round % SELDOM) {
                return;
            }
            for (k, found) in found.iter_mut().enumerate() {
                let side = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let mut arm = Vec3([side(0), side(1), side(2)]) * CORNER;
                if k >= 8 {
                    arm = V::zero();
                    arm[(k - 8) / 2] = side(0) * FACE;
                }
                let start = center + arm * spacing;
                if field.at(start).0 < Field::LEVEL {
                    let place = field.approach(start);
                    *found = place.map(|(point, normal)| Shown { point, normal, colour: [1.0; 3], area: 1.0 });
                }
            }
        });
        found.into_iter().flatten().flatten().collect()
    }

    /// Larger discs on a surface that has grown by more than a tenth, and those of the beginning on one that has not.
    fn breathe(&mut self) {
        let grown = self.shown.len() as f64 / (ROUGHLY * self.start as f64);
        if grown > 1.0 {
            self.apart *= grown.sqrt().min(BREATH);
        } else if self.shown.len() < self.start {
            self.apart = (self.apart / BREATH).max(self.size);
        }
    }

    /// Colours of the drawn discs from the zombies around them.
    fn colour(&mut self, grid: &PointGrid) {
        let (zombies, size) = (&self.zombies, self.size);
        par::for_each(&mut self.shown, |_, s| {
            let (mut sum, mut total) = ([0.0; 3], 0.0);
            grid.each_within(s.point, 2.0 * size, |j, _, square| {
                let weight = (-2.0 * square / (size * size)).exp();
                (0..3).for_each(|c| sum[c] += weight * f64::from(zombies[j as usize].colour[c]));
                total += weight;
            });
            if total > 1e-6 {
                s.colour = sum.map(|c| (c / total) as f32);
            } else if let Some((j, _)) = grid.nearest(s.point) {
                s.colour = zombies[j as usize].colour;
            }
        });
    }

    /// Makes what is drawn the detail from now on: the matter has set.
    fn keep(&mut self, contact: &[Shown]) {
        self.shown = contact.to_vec();
        let zombie = |s: &Shown| Zombie { point: s.point, normal: s.normal, colour: s.colour, gone: 0.0, area: 1.0 };
        self.zombies = contact.iter().map(zombie).collect();
        (self.whole, self.let_go) = (true, 0);
    }

    fn show(&self, discs: &[Shown], out: &mut Surfels) {
        out.points.resize(discs.len(), [0.0; 3]);
        out.normals.resize(discs.len(), [0.0; 3]);
        out.tangents.resize(discs.len(), [[0.0; 3]; 2]);
        let arrays = (&mut out.points[..], &mut out.normals[..], &mut out.tangents[..]);
        par::update3(arrays, &|first, points, normals, tangents| {
            for k in 0..points.len() {
                let Shown { point, normal, .. } = discs[first + k];
                let (a, b) = frame(normal);
                let half = COVER * self.apart;
                (points[k], normals[k], tangents[k]) = (point.0, normal.0, [(a * half).0, (b * half).0]);
            }
            [0.0; 2]
        });
        out.colours.clear();
        if self.coloured {
            out.colours.extend(discs.iter().map(|s| s.colour));
        }
    }
}

/// Place, normal and area of a disc.
type Parts<'a> = (&'a mut V, &'a mut V, &'a mut f64);

/// Moves discs with the matter around them.
fn move_all<T: Send>(flow: &Flow, discs: &mut [T], parts: impl Fn(&mut T) -> Parts<'_> + Sync) {
    par::chunks(discs, par::GRAIN, |_, discs| {
        vectorised(
            #[inline(always)]
            || discs.chunks_mut(BLOCK).for_each(|discs| move_block(flow, discs, &parts)),
        );
    });
}

#[inline(always)]
fn move_block<T>(flow: &Flow, discs: &mut [T], parts: &impl Fn(&mut T) -> Parts<'_>) {
    let mut before = [(V::zero(), V::zero()); BLOCK];
    for (l, disc) in discs.iter_mut().enumerate() {
        let (point, normal, _) = parts(disc);
        before[l] = (*point, *normal);
    }
    let before = &before[..discs.len()];
    let moved = flow.block(before.iter().map(|b| b.0));
    let turned = moved.turn_areas(&lines(before.iter().map(|b| b.1.0.map(|c| c as f32))));
    for (l, disc) in discs.iter_mut().enumerate() {
        let (point, normal, area) = parts(disc);
        let spanned = Vec3([f64::from(turned[0][l]), f64::from(turned[1][l]), f64::from(turned[2][l])]);
        *point = moved.place(l);
        let ratio = spanned.norm();
        if ratio > 0.0 {
            *normal = spanned * (1.0 / ratio);
            *area *= ratio;
        }
    }
}

/// What a disc was put onto.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Onto {
    /// What the zombies tell.
    Detail,
    /// The plane in which the zombies end, beyond them: a sharp edge.
    Rim,
    Implicit,
    Nothing,
}

/// The zombies that still show something of the beginning.
struct Detail<'a> {
    zombies: &'a [Zombie],
    /// All of them; nothing where all are gone.
    all: PointGrid,
    /// Those that are not.
    left: PointGrid,
    normals: Vec<V>,
    size: f64,
}

impl<'a> Detail<'a> {
    fn new(zombies: &'a [Zombie], size: f64) -> Self {
        let left: Vec<[f64; 3]> = zombies.iter().filter(|z| z.gone < 1.0).map(|z| z.point.0).collect();
        let all: Vec<[f64; 3]> = if left.is_empty() { Vec::new() } else { zombies.iter().map(|z| z.point.0).collect() };
        let normals = all.iter().zip(zombies).map(|(_, z)| z.normal).collect();
        let grid = |points: &[[f64; 3]]| PointGrid::new(points, 2.0 * size);
        Detail { zombies, left: grid(&left), all: grid(&all), normals, size }
    }

    /// Whether detail is left within a distance [m] of a place.
    fn is_within(&self, x: V, distance: f64) -> bool {
        let mut seen = false;
        self.left.each_within(x, distance, |_, _, _| seen = true);
        seen
    }

    /// Whether zombies within a distance [m] show detail that looks the same way as a disc.
    fn is_beside(&self, s: &Shown, distance: f64) -> bool {
        let mut seen = false;
        self.all.each_within(s.point, distance, |j, _, _| {
            seen |= self.zombies[j as usize].gone < HELD && self.normals[j as usize].dot(s.normal) > ALIKE;
        });
        seen
    }

    /// Puts a drawn disc onto the surface: the closest zombie says which.
    fn onto(&self, s: &mut Shown, field: &Field<'_>) -> Onto {
        let close = if self.is_within(s.point, 2.0 * self.size) { self.all.nearest(s.point) } else { None };
        let gone = close.map_or(1.0, |(j, _)| self.zombies[j as usize].gone);
        // The moving least squares surface of the zombies, by planes (Levin 2001).
        let plane = |s: &Shown| resample::plane(&self.all, &self.normals, s.point, s.normal, self.size);
        let Some(mut found) = (gone < 1.0).then(|| plane(s)).flatten() else {
            let Some(place) = field.approach(s.point) else { return Onto::Nothing };
            (s.point, s.normal) = place;
            return Onto::Implicit;
        };
        for _ in 0..2 {
            let (center, normal) = found;
            s.point -= normal * normal.dot(s.point - center);
            s.normal = normal;
            found = plane(s).unwrap_or(found);
        }
        let aside = s.point - found.0;
        let aside = aside - found.1 * aside.dot(found.1);
        // On its way to the implicit surface, detail goes on beyond its edges.
        let is_rim = gone < 0.5 * HELD && aside.norm() > ASIDE * self.size;
        if is_rim { Onto::Rim } else { Onto::Detail }
    }
}
