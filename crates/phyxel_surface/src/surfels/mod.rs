//! Discs that are carried along, split where the surface stretches and merged where it shrinks.

mod adapt;
mod sample;

pub use sample::sample_skin;
pub(crate) use sample::{COVER, frame, mixed};

use crate::flow::Flow;
use crate::mesh::unit;
use phyxel::math::Vec3;
use phyxel::model::{AffineMap, Carried, Site};
use phyxel::par;
use phyxel::record::Surfels;

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
        let mut cloud = SurfelCloud { rest: discs, colours, phyxels, carried: Carried::default(), spacing, size, most };
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
    }

    /// The discs under the present motion of the phyxels from rest, and then adapted to it.
    pub fn follow(&mut self, site: impl Fn(usize) -> Site + Sync) -> Surfels {
        let maps = self.carried.maps(site);
        let mut surfels = self.carry(&maps);
        if self.adapt(&surfels) {
            self.tie();
            surfels = self.carry(&maps);
        }
        surfels.colours = self.colours.clone();
        surfels
    }

    /// The discs after the phyxels have moved to `now`, wherever they were; for matter without a rest shape.
    pub fn flow(&mut self, now: &[[f64; 3]]) -> Surfels {
        let flow = Flow::new(&self.phyxels, now, self.spacing);
        par::for_each(&mut self.rest, |_, disc| *disc = carried_by(&flow, disc));
        self.phyxels = now.to_vec();
        let mut surfels = shown(&self.rest);
        if self.adapt(&surfels) {
            surfels = shown(&self.rest);
        }
        surfels.colours = self.colours.clone();
        surfels
    }

    /// One product with a sparse matrix: centres, axes and normals.
    fn carry(&self, maps: &[AffineMap]) -> Surfels {
        let count = self.len();
        let mut out = Surfels {
            points: vec![[0.0; 3]; count],
            normals: vec![[0.0; 3]; count],
            tangents: vec![[[0.0; 3]; 2]; count],
            colours: Vec::new(),
        };
        par::update3((&mut out.points, &mut out.normals, &mut out.tangents), &|first, points, normals, tangents| {
            for k in 0..points.len() {
                let map = self.carried.blend(maps, first + k);
                points[k] = self.carried.place(&map, first + k);
                tangents[k] = self.rest[first + k].tangents.map(|t| turned(&map, t));
                normals[k] = normal(&tangents[k]);
            }
            [0.0; 2]
        });
        out
    }
}

/// A disc after a motion.
fn carried_by(flow: &Flow, disc: &Disc) -> Disc {
    let (point, gradient) = flow.at(Vec3(disc.point));
    Disc { point: point.0, tangents: disc.tangents.map(|t| (gradient * Vec3(t)).0) }
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

#[inline(always)]
fn turned(map: &AffineMap, [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|a| map[a] * x + map[3 + a] * y + map[6 + a] * z)
}

#[inline(always)]
fn normal(tangents: &[[f64; 3]; 2]) -> [f64; 3] {
    unit(V::cross(Vec3(tangents[0]), Vec3(tangents[1]))).0
}
