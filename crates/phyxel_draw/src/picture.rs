//! What is to be seen: the description that every back end draws.

use crate::error::DrawError;
use crate::overlay::Overlay;
use crate::texture::Texture;
use crate::view::check_camera;
use phyxel::scene::Camera;
use std::sync::Arc;

#[cfg(feature = "gpu")]
use bytemuck::{Pod, Zeroable};

/// A picture before it is drawn. Lengths are in metres, colours linear red, green and blue in 0..1.
#[derive(Clone, Debug)]
pub struct Picture {
    /// [pixels]
    pub width: usize,
    /// [pixels]
    pub height: usize,
    /// Samples per pixel along each side, for smooth edges.
    pub samples: usize,
    /// Where the eye is.
    pub camera: Camera,
    /// What the things stand on.
    pub floor: Option<Floor>,
    /// The things.
    pub items: Vec<Item>,
    /// What is written over them.
    pub overlay: Overlay,
}

impl Picture {
    /// Refuses pictures that cannot be drawn.
    pub fn check(&self) -> Result<(), DrawError> {
        DrawError::check_size(self.width, self.height)?;
        DrawError::check_size(self.width * self.samples, self.height * self.samples)?;
        check_camera(&self.camera)
    }

    /// The box around all that casts shadows: centre and half diagonal [m].
    pub(crate) fn shadow_ball(&self) -> ([f64; 3], f64) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (p, radius) in self.items.iter().filter(|i| i.casts_shadow).flat_map(Item::balls) {
            if p.iter().all(|c| c.is_finite()) {
                for k in 0..3 {
                    low[k] = low[k].min(f64::from(p[k] - radius));
                    high[k] = high[k].max(f64::from(p[k] + radius));
                }
            }
        }
        if low[0] > high[0] {
            return ([0.0; 3], 0.5);
        }
        let half = [0, 1, 2].map(|k| (high[k] - low[k]) / 2.0);
        let radius = half.iter().map(|h| h * h).sum::<f64>().sqrt();
        ([0, 1, 2].map(|k| low[k] + half[k]), radius.max(1e-6))
    }
}

/// A level floor with a grid that fades out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// y of the floor [m].
    pub height: f64,
    /// Side of a square of its grid [m].
    pub grid: f64,
    /// What the grid fades around [m].
    pub centre: [f64; 3],
    /// How far things reach from there [m].
    pub radius: f64,
}

/// A thing.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its primitives.
    pub shape: Shape,
    /// Whether it stands in the light's way.
    pub casts_shadow: bool,
}

impl Item {
    /// Balls around all of it.
    fn balls(&self) -> Box<dyn Iterator<Item = ([f32; 3], f32)> + '_> {
        match &self.shape {
            Shape::Mesh(mesh) => Box::new(mesh.corners.iter().map(|c| (c.position, 0.0))),
            Shape::Balls(balls) => Box::new(balls.iter().map(|b| (b.centre, b.radius))),
            Shape::Rods(rods) => Box::new(rods.iter().flat_map(|r| [(r.from, r.radius), (r.to, r.radius)])),
            Shape::Discs(discs) => Box::new(discs.iter().map(|d| (d.centre, d.reach()))),
        }
    }
}

/// Primitives of one kind.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Triangles.
    Mesh(Mesh),
    /// Balls: phyxels.
    Balls(Vec<Ball>),
    /// Rods with round ends: springs, wires, outlines.
    Rods(Vec<Rod>),
    /// Elliptic discs: surfels.
    Discs(Vec<Disc>),
}

/// Triangles with normals, colours and a paint.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Three for each triangle, counter-clockwise when seen from outside.
    pub corners: Vec<Corner>,
    /// How the colours are changed.
    pub paint: Paint,
}

/// How the colour of a mesh is found at a pixel.
#[derive(Clone, Debug)]
pub enum Paint {
    /// The colour of the corners.
    Plain,
    /// That, darker in every other cell of the coordinates.
    Checker,
    /// The texture at the first two coordinates, repeated.
    Texture(Arc<Texture>),
}

/// The corner of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "gpu", derive(Pod, Zeroable), repr(C))]
pub struct Corner {
    /// [m]
    pub position: [f32; 3],
    /// Outward unit normal.
    pub normal: [f32; 3],
    /// Linear.
    pub colour: [f32; 3],
    /// Texture coordinates, v upward, or cells of a chequered pattern.
    pub coordinates: [f32; 3],
}

/// A ball.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "gpu", derive(Pod, Zeroable), repr(C))]
pub struct Ball {
    /// [m]
    pub centre: [f32; 3],
    /// [m]
    pub radius: f32,
    /// Linear.
    pub colour: [f32; 3],
}

/// A straight rod with round ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "gpu", derive(Pod, Zeroable), repr(C))]
pub struct Rod {
    /// One end [m].
    pub from: [f32; 3],
    /// [m]
    pub radius: f32,
    /// The other end [m].
    pub to: [f32; 3],
    /// Linear.
    pub colour: [f32; 3],
}

/// An elliptic disc.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "gpu", derive(Pod, Zeroable), repr(C))]
pub struct Disc {
    /// [m]
    pub centre: [f32; 3],
    /// Outward unit normal.
    pub normal: [f32; 3],
    /// One half axis [m].
    pub first: [f32; 3],
    /// The other [m].
    pub second: [f32; 3],
    /// Linear.
    pub colour: [f32; 3],
}

impl Disc {
    /// The longer half axis [m].
    pub(crate) fn reach(&self) -> f32 {
        let length = |v: [f32; 3]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
        length(self.first).max(length(self.second))
    }
}

/// How much a disc's rim lies behind its middle, in parts of its reach: where discs overlap, the one whose middle is
/// nearer wins, and the seams between them run half way.
pub(crate) const RIM: f32 = 0.35;
/// Cells of a chequered pattern, the darker ones.
pub(crate) const DARKER: f32 = 0.78;
