//! Where the rasteriser draws: depth alone for maps, depth with normal and colour for the picture.

use super::raster::{Sink, Surface};

/// Depth of the nearest surface per pixel [m]; infinite where there is none.
pub(super) struct DepthMap {
    pub size: usize,
    pub depth: Vec<f32>,
}

impl DepthMap {
    pub(super) fn new(size: usize) -> Self {
        DepthMap { size, depth: vec![f32::INFINITY; size * size] }
    }
}

impl Sink for DepthMap {
    fn size(&self) -> (usize, usize) {
        (self.size, self.size)
    }
    fn put(&mut self, x: usize, y: usize, depth: f64, _: impl FnOnce() -> Surface) {
        let nearest = &mut self.depth[y * self.size + x];
        *nearest = nearest.min(depth as f32);
    }
}

/// What is seen at each sample of the picture.
pub(super) struct SurfaceBuffer {
    width: usize,
    height: usize,
    pub depth: Vec<f32>,
    pub normal: Vec<[f32; 3]>,
    pub colour: Vec<[f32; 3]>,
}

impl SurfaceBuffer {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let count = width * height;
        SurfaceBuffer {
            width,
            height,
            depth: vec![f32::INFINITY; count],
            normal: vec![[0.0; 3]; count],
            colour: vec![[0.0; 3]; count],
        }
    }
}

impl Sink for SurfaceBuffer {
    fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }
    fn put(&mut self, x: usize, y: usize, depth: f64, surface: impl FnOnce() -> Surface) {
        let at = y * self.width + x;
        if (depth as f32) < self.depth[at] {
            let surface = surface();
            self.depth[at] = depth as f32;
            self.normal[at] = surface.normal.0.map(|c| c as f32);
            self.colour[at] = surface.colour;
        }
    }
}
