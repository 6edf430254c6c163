//! Discs that are carried along, split where the surface stretches and merged where it shrinks.

mod adapt;
mod sample;

pub use sample::sample_skin;
pub(crate) use sample::{COVER, frame};

use crate::flow::Flow;
use crate::mesh::unit;
use crate::saved::{Reader, Saved, Writer};
use adapt::{Odd, OddOnes};
use phyxel::math::Vec3;
use phyxel::model::{BLOCK, Carried, Lines, Maps, Site, lines};
use phyxel::record::Surfels;
use phyxel::{par, vectorised};

type V = Vec3<f64>;

/// One disc: its centre and half axes [m].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Disc {
    /// Centre [m].
    pub point: [f64; 3],
    /// Half axes [m]; their cross product points out.
    pub tangents: [[f64; 3]; 2],
}

/// Discs on the skin of a body of phyxels (Müller et al. 2004, section 5.1; Pauly et al. 2003).
#[derive(Clone, Debug)]
pub struct SurfelCloud {
    /// The discs where they were when they were last tied to phyxels.
    rest: Vec<Disc>,
    /// Linear red, green and blue; empty where there are none.
    colours: Vec<[f32; 3]>,
    /// The phyxels then [m].
    phyxels: Vec<[f64; 3]>,
    carried: Carried,
    /// Half axes of the discs there, block by block [m].
    axes: Vec<[Lines<f32>; 2]>,
    maps: Maps,
    spacing: f64,
    /// Half axis of a disc that is neither split nor merged [m].
    size: f64,
    /// No more discs than this, however much the surface stretches.
    most: usize,
}

/// How many times as many discs there may be as there were.
const GROWTH: usize = 16;

impl SurfelCloud {
    /// Discs of half axis `size` [m] on phyxels at rest, which are `spacing` [m] apart. `colours` has one for each disc, or
    /// none.
    pub fn new(discs: Vec<Disc>, colours: Vec<[f32; 3]>, size: f64, phyxels: Vec<[f64; 3]>, spacing: f64) -> Self {
        let most = GROWTH * discs.len();
        let (carried, axes, maps) = (Carried::default(), Vec::new(), Maps::default());
        let mut cloud = SurfelCloud { rest: discs, colours, phyxels, carried, axes, maps, spacing, size, most };
        cloud.tie();
        cloud
    }

    /// How many discs there are.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn tie(&mut self) {
        let points: Vec<[f64; 3]> = self.rest.iter().map(|d| d.point).collect();
        self.carried = Carried::new(&self.phyxels, &points, self.spacing).0;
        self.axes.clear();
        let axes = |discs: &[Disc]| [0, 1].map(|k| lines(discs.iter().map(|d| d.tangents[k].map(|c| c as f32))));
        self.axes.extend(self.rest.chunks(BLOCK).map(axes));
    }

    /// The discs under the present motion of the phyxels from rest, and then adapted to it.
    pub fn follow(&mut self, site: impl Fn(usize) -> Site + Sync) -> Surfels {
        let mut out = Surfels::default();
        self.follow_into(site, &mut out);
        out
    }

    /// The same, into memory that is there already.
    pub fn follow_into(&mut self, site: impl Fn(usize) -> Site + Sync, out: &mut Surfels) {
        let mut maps = std::mem::take(&mut self.maps);
        self.carried.maps_into(site, &mut maps);
        let odd = self.carry(&maps, out);
        if odd.any() && self.adapt(out) {
            self.tie();
            self.carry(&maps, out);
        }
        self.maps = maps;
        out.colours.clone_from(&self.colours);
    }

    /// The discs after the phyxels have moved to `now`, wherever they were; for matter without a rest shape.
    pub fn flow(&mut self, now: &[[f64; 3]]) -> Surfels {
        let flow = Flow::new(&self.phyxels, now, self.spacing);
        par::chunks(&mut self.rest, par::GRAIN, |_, discs| {
            vectorised(
                #[inline(always)]
                || discs.chunks_mut(BLOCK).for_each(|discs| move_block(&flow, discs)),
            );
        });
        self.phyxels = now.to_vec();
        let mut surfels = shown(&self.rest);
        if self.adapt(&surfels) {
            surfels = shown(&self.rest);
        }
        surfels.colours = self.colours.clone();
        surfels
    }

    /// One product with a sparse matrix: centres, axes and normals. How many discs are to be split or merged.
    fn carry(&self, maps: &Maps, out: &mut Surfels) -> Odd {
        out.points.resize(self.len(), [0.0; 3]);
        out.normals.resize(self.len(), [0.0; 3]);
        out.tangents.resize(self.len(), [[0.0; 3]; 2]);
        let arrays = (&mut out.points[..], &mut out.normals[..], &mut out.tangents[..]);
        let [long, small] = par::update3(arrays, &|first, points, normals, tangents| {
            let mut odd = OddOnes::new(self.size);
            vectorised(
                #[inline(always)]
                || {
                    let discs = points.chunks_mut(BLOCK).zip(normals.chunks_mut(BLOCK)).zip(tangents.chunks_mut(BLOCK));
                    for (b, ((points, normals), tangents)) in discs.enumerate() {
                        self.carry_block(maps, first + BLOCK * b, (points, normals, tangents), &mut odd);
                    }
                },
            );
            odd.count()
        });
        Odd { long, small }
    }

    #[inline(always)]
    fn carry_block(&self, maps: &Maps, first: usize, out: Out<'_>, odd: &mut OddOnes) {
        let block = self.carried.blend(maps, first);
        let place = self.carried.place(maps, &block, first);
        let [a, b] = &self.axes[first / BLOCK];
        let (a, b) = (maps.turn(&block, a), maps.turn(&block, b));
        let (normal, square) = normals(&a, &b);
        odd.see(&a, &b, &square, out.0.len());
        for (l, x) in out.0.iter_mut().enumerate() {
            *x = [place[0][l], place[1][l], place[2][l]];
        }
        for (l, n) in out.1.iter_mut().enumerate() {
            *n = wide(&normal, l);
        }
        for (l, t) in out.2.iter_mut().enumerate() {
            *t = [wide(&a, l), wide(&b, l)];
        }
    }
}

impl Saved for SurfelCloud {
    fn save(&self, to: &mut Writer) {
        to.list(&self.rest, |to, disc| {
            to.vector(Vec3(disc.point));
            disc.tangents.into_iter().for_each(|t| to.vector(Vec3(t)));
        });
        to.list(&self.colours, Writer::colour);
        to.list(&self.phyxels, |to, p| to.vector(Vec3(p)));
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let disc = |from: &mut Reader<'_>| {
            let (point, tangents) = (from.vector()?.0, [from.vector()?.0, from.vector()?.0]);
            Some(Disc { point, tangents })
        };
        let rest = from.list(disc).filter(|discs| discs.len() <= self.most)?;
        let colours = from.list_of(if self.colours.is_empty() { 0 } else { rest.len() }, Reader::colour)?;
        let phyxels = from.list_of(self.phyxels.len(), |from| Some(from.vector()?.0))?;
        (self.rest, self.colours, self.phyxels) = (rest, colours, phyxels);
        self.tie();
        Some(())
    }
}

/// Places, normals and half axes of a block of discs.
type Out<'a> = (&'a mut [[f64; 3]], &'a mut [[f64; 3]], &'a mut [[[f64; 3]; 2]]);

#[inline(always)]
fn wide(lines: &Lines<f32>, lane: usize) -> [f64; 3] {
    [f64::from(lines[0][lane]), f64::from(lines[1][lane]), f64::from(lines[2][lane])]
}

/// Unit normals of discs, and the squares of what their half axes span [m⁴].
#[inline(always)]
fn normals(a: &Lines<f32>, b: &Lines<f32>) -> (Lines<f32>, [f32; BLOCK]) {
    let (mut normal, mut square) = ([[0.0; BLOCK]; 3], [0.0; BLOCK]);
    for l in 0..BLOCK {
        let across = Vec3([a[0][l], a[1][l], a[2][l]]).cross(Vec3([b[0][l], b[1][l], b[2][l]]));
        square[l] = across.norm_squared();
        let per_length = 1.0 / square[l].sqrt();
        let per_length = if square[l] > 0.0 { per_length } else { 0.0 };
        for k in 0..3 {
            normal[k][l] = across[k] * per_length;
        }
    }
    (normal, square)
}

/// Discs after a motion.
#[inline(always)]
fn move_block(flow: &Flow, discs: &mut [Disc]) {
    let moved = flow.block(discs.iter().map(|d| Vec3(d.point)));
    let axes = |k: usize| moved.turn(&lines(discs.iter().map(|d| d.tangents[k].map(|c| c as f32))));
    let (a, b) = (axes(0), axes(1));
    for (l, disc) in discs.iter_mut().enumerate() {
        *disc = Disc { point: moved.place(l).0, tangents: [wide(&a, l), wide(&b, l)] };
    }
}

/// Discs as they are.
fn shown(discs: &[Disc]) -> Surfels {
    Surfels {
        points: discs.iter().map(|d| d.point).collect(),
        normals: discs.iter().map(|d| normal(&d.tangents)).collect(),
        tangents: discs.iter().map(|d| d.tangents).collect(),
        colours: Vec::new(),
    }
}

fn normal(tangents: &[[f64; 3]; 2]) -> [f64; 3] {
    unit(V::cross(Vec3(tangents[0]), Vec3(tangents[1]))).0
}
