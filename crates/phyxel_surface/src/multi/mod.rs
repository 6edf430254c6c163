//! Müller's multi-representation surface: detail where the topology stays, an implicit surface where it changes.

mod boundary;
mod field;
mod resample;

pub use boundary::boundary_probabilities;
pub use field::Field;

use crate::flow::Flow;
use crate::grid::PointGrid;
use crate::mesh::unit;
use crate::surfels::{COVER, Disc, frame};
use boundary::Watch;
use phyxel::math::Vec3;
use phyxel::par;
use phyxel::record::Surfels;

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
}

/// A disc that is drawn.
#[derive(Clone, Copy, Debug)]
struct Shown {
    point: V,
    normal: V,
    colour: [f32; 3],
}

/// Where phyxels are and what they touch, in one frame.
pub struct Moment<'a> {
    /// The phyxels [m].
    pub phyxels: &'a [[f64; 3]],
    /// Distance to what the matter lies in or on, negative inside of that [m].
    pub mould: &'a (dyn Fn(V) -> f64 + Sync),
    /// The matter sets: what was taken over from the mould stays.
    pub sets: bool,
}

/// The surface of one body (Müller et al. 2004, section 5.2).
pub struct MultiSurface {
    zombies: Vec<Zombie>,
    shown: Vec<Shown>,
    coloured: bool,
    phyxels: Vec<[f64; 3]>,
    watch: Watch,
    spacing: f64,
    /// Least distance between discs that are spread evenly [m].
    size: f64,
    most: usize,
    round: u64,
}

/// `λ` of eq. 30. A flat cut changes the probability of the phyxels around it by a sixth on average: half of such a cut
/// leaves nothing of the detail.
const LAMBDA: f64 = 12.0;
/// How far a disc looks for phyxels that change, in spacings.
const SEES: f64 = 1.8;
/// Rounds of spreading per frame; those after the first only where something was multiplied.
const SPREADS: usize = 2;
/// How many times as many discs there may be as there were.
const GROWTH: usize = 8;

impl MultiSurface {
    /// Discs of half axis `size` [m] on the skin of phyxels, which are `spacing` [m] apart. `colours` has one for each disc,
    /// or none.
    pub fn new(discs: &[Disc], colours: &[[f32; 3]], size: f64, phyxels: Vec<[f64; 3]>, spacing: f64) -> Self {
        let zombie = |(i, disc): (usize, &Disc)| Zombie {
            point: Vec3(disc.point),
            normal: unit(V::cross(Vec3(disc.tangents[0]), Vec3(disc.tangents[1]))),
            colour: colours.get(i).copied().unwrap_or([1.0; 3]),
            gone: 0.0,
        };
        let zombies: Vec<Zombie> = discs.iter().enumerate().map(zombie).collect();
        let shown = zombies.iter().map(|z| Shown { point: z.point, normal: z.normal, colour: z.colour }).collect();
        let watch = Watch::new(&phyxels, spacing);
        let (coloured, most) = (!colours.is_empty(), GROWTH * discs.len());
        MultiSurface { zombies, shown, coloured, phyxels, watch, spacing, size: size / COVER, most, round: 0 }
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
        self.zombies.iter().map(|z| z.gone).sum::<f64>() / self.zombies.len().max(1) as f64
    }

    /// Follows the phyxels to a moment and gives the discs there.
    pub fn advance(&mut self, moment: &Moment<'_>) -> Surfels {
        self.round += 1;
        let field = Field::new(moment.phyxels, self.spacing);
        self.carry(moment.phyxels);
        self.blend(&field, moment.phyxels);
        self.settle(&field);
        let contact = self.pressed(moment);
        if moment.sets {
            self.keep(&contact);
        }
        self.surfels(&contact)
    }

    /// Both representations move with the matter (section 5.1).
    fn carry(&mut self, now: &[[f64; 3]]) {
        let flow = Flow::new(&self.phyxels, now, self.spacing);
        let carried = |point: V, normal: V| {
            let (place, gradient) = flow.at(point);
            // Normals turn as areas do.
            let turned = gradient.cofactor() * normal;
            (place, if turned.norm() > 0.0 { unit(turned) } else { normal })
        };
        par::for_each(&mut self.zombies, |_, z| (z.point, z.normal) = carried(z.point, z.normal));
        par::for_each(&mut self.shown, |_, s| (s.point, s.normal) = carried(s.point, s.normal));
        self.phyxels = now.to_vec();
    }

    /// Zombies near phyxels whose place in the boundary changes go over to the implicit surface. With function values that
    /// change linearly, the paper's `b_I = (s̃ᵗ − sᵗ⁻¹)/(S − sᵗ⁻¹)` is the share of what was left that goes now.
    fn blend(&mut self, field: &Field, now: &[[f64; 3]]) {
        let changes = self.watch.changes(now, self.spacing);
        let changing: Vec<usize> = (0..changes.len()).filter(|&i| changes[i] != 0.0).collect();
        let grid = (!changing.is_empty()).then(|| PointGrid::new(now, SEES * self.spacing));
        let reach = SEES * self.spacing;
        par::for_each(&mut self.zombies, |_, z| {
            let before = z.gone;
            if let Some(grid) = &grid {
                let (mut sum, mut count) = (0.0, 0.0_f64);
                grid.each_within(z.point, reach, |j, _, _| {
                    sum += changes[j as usize];
                    count += 1.0;
                });
                // Eq. 30.
                z.gone = (z.gone + LAMBDA / count.max(1.0) * f64::abs(sum)).min(1.0);
            }
            if z.gone == 0.0 {
                return;
            }
            let share = if before < 1.0 { (z.gone - before) / (1.0 - before) } else { 1.0 };
            if share > 0.0 {
                let (place, normal) = field.project(z.point);
                z.point = place * share + z.point * (1.0 - share);
                z.normal = unit(normal * share + z.normal * (1.0 - share));
            }
        });
    }

    /// Spreads the drawn discs and puts them back onto the surface: that of the zombies where these still show detail, the
    /// implicit one elsewhere.
    fn settle(&mut self, field: &Field) {
        let points: Vec<[f64; 3]> = self.zombies.iter().map(|z| z.point.0).collect();
        let normals: Vec<V> = self.zombies.iter().map(|z| z.normal).collect();
        let grid = PointGrid::new(&points, 2.0 * self.size);
        let (zombies, size) = (&self.zombies, self.size);
        let project =
            |shown: &mut [Shown]| par::for_each(shown, |_, s| onto(s, field, zombies, (&grid, &normals), size));
        project(&mut self.shown);
        // Where nothing has changed, the discs of the beginning are as even as can be, and stay.
        if self.zombies.iter().all(|z| z.gone == 0.0) {
            return;
        }
        for k in 0..SPREADS {
            let grew = resample::recount(&mut self.shown, size, self.most, self.round * SPREADS as u64 + k as u64);
            resample::repel(&mut self.shown, size);
            project(&mut self.shown);
            if !grew {
                break;
            }
        }
        self.colour(&grid);
    }

    /// Colours of the drawn discs from the zombies around them.
    fn colour(&mut self, grid: &PointGrid) {
        if !self.coloured {
            return;
        }
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

    /// Where discs lie when those that have gone into the mould are put onto its surface (section 5.2.3).
    fn pressed(&self, moment: &Moment<'_>) -> Vec<Shown> {
        let mut out = self.shown.clone();
        let step = 1e-3 * self.size;
        par::for_each(&mut out, |_, s| {
            for _ in 0..3 {
                let depth = (moment.mould)(s.point);
                if depth >= 0.0 || !depth.is_finite() {
                    return;
                }
                let slope = |a: usize| {
                    let mut x = s.point;
                    x[a] += step;
                    let ahead = (moment.mould)(x);
                    x[a] -= 2.0 * step;
                    (ahead - (moment.mould)(x)) / (2.0 * step)
                };
                let away = unit(Vec3([slope(0), slope(1), slope(2)]));
                if away.norm() == 0.0 {
                    return;
                }
                s.point += away * (-depth);
                s.normal = -away;
            }
        });
        out
    }

    /// Makes what is drawn the detail from now on: the matter has set.
    fn keep(&mut self, contact: &[Shown]) {
        self.shown = contact.to_vec();
        let zombie = |s: &Shown| Zombie { point: s.point, normal: s.normal, colour: s.colour, gone: 0.0 };
        self.zombies = contact.iter().map(zombie).collect();
    }

    fn surfels(&self, discs: &[Shown]) -> Surfels {
        let axes = |s: &Shown| {
            let (a, b) = frame(s.normal);
            [(a * (COVER * self.size)).0, (b * (COVER * self.size)).0]
        };
        Surfels {
            points: discs.iter().map(|s| s.point.0).collect(),
            normals: discs.iter().map(|s| s.normal.0).collect(),
            tangents: discs.iter().map(axes).collect(),
            colours: if self.coloured { discs.iter().map(|s| s.colour).collect() } else { Vec::new() },
        }
    }
}

/// Puts a drawn disc onto the surface: the closest zombie says which.
fn onto(s: &mut Shown, field: &Field, zombies: &[Zombie], (grid, normals): (&PointGrid, &[V]), size: f64) {
    let gone = match grid.nearest(s.point) {
        Some((j, distance)) if distance < 2.0 * size => zombies[j as usize].gone,
        _ => 1.0,
    };
    if gone < 1.0 {
        for _ in 0..2 {
            // The moving least squares surface of the zombies, by planes (Levin 2001).
            let Some((center, normal)) = resample::plane(grid, normals, s.point, s.normal, size) else { break };
            s.point -= normal * normal.dot(s.point - center);
            s.normal = normal;
        }
    } else {
        (s.point, s.normal) = field.project(s.point);
    }
}
