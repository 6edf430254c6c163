//! Where the rasteriser draws: depth alone for maps, depth with normal and colour for the picture. Both are bands of rows,
//! so that several threads can draw at a time.

use super::raster::{Sink, Surface};
use std::ops::Range;

/// Depth of the nearest surface per pixel [m]; infinite where there is none.
pub(crate) struct DepthMap {
    pub size: usize,
    pub depth: Vec<f32>,
}

/// Some rows of a depth map.
pub(super) struct DepthBand<'a> {
    pub width: usize,
    pub rows: Range<usize>,
    pub depth: &'a mut [f32],
}

impl Sink for DepthBand<'_> {
    fn width(&self) -> usize {
        self.width
    }
    fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }
    fn put(&mut self, x: usize, y: usize, depth: f64, _: impl FnOnce() -> Surface) {
        let nearest = &mut self.depth[(y - self.rows.start) * self.width + x];
        *nearest = nearest.min(depth as f32);
    }
}

/// What is seen at each sample of some rows of the picture.
pub(super) struct SurfaceBand {
    pub width: usize,
    pub rows: Range<usize>,
    pub depth: Vec<f32>,
    pub normal: Vec<[f32; 3]>,
    pub colour: Vec<[f32; 3]>,
}

impl SurfaceBand {
    pub(super) fn new(width: usize, rows: Range<usize>) -> Self {
        let count = width * rows.len();
        SurfaceBand {
            width,
            rows,
            depth: vec![f32::INFINITY; count],
            normal: vec![[0.0; 3]; count],
            colour: vec![[0.0; 3]; count],
        }
    }
}

impl Sink for SurfaceBand {
    fn width(&self) -> usize {
        self.width
    }
    fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }
    fn put(&mut self, x: usize, y: usize, depth: f64, surface: impl FnOnce() -> Surface) {
        let at = (y - self.rows.start) * self.width + x;
        if (depth as f32) < self.depth[at] {
            let surface = surface();
            self.depth[at] = depth as f32;
            self.normal[at] = surface.normal.0.map(|c| c as f32);
            self.colour[at] = surface.colour;
        }
    }
}
