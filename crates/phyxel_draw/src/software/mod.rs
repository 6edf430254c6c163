//! A small rasteriser on the processor, good enough to believe what it shows: the same bytes on every machine and with any
//! number of threads.
//!
//! A picture is drawn in three passes: shadow maps seen from the light and from the floor, the things into a buffer of
//! depth, normal and colour, then the light on every sample.

mod buffer;
mod raster;

pub(crate) use buffer::DepthMap;

use crate::error::DrawError;
use crate::image::Image;
use crate::light::{Dimness, Shadow, backdrop, floor_light, key_direction, reflect};
use crate::picture::{Corner, DARKER, Item, Mesh, Paint, Picture, Shape};
use crate::view::{Projected, V, View};
use crate::{Painter, overlay};
use buffer::{DepthBand, SurfaceBand};
use raster::{Sink, Surface, ball, disc, rod, triangle};
use rayon::prelude::*;

/// Draws on the processor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Software;

/// Rows that are drawn together [pixels].
const BAND: usize = 32;

impl Painter for Software {
    fn name(&self) -> String {
        "cpu".into()
    }

    fn draw(&mut self, picture: &Picture) -> Result<Image, DrawError> {
        picture.check()?;
        let samples = picture.samples.max(1);
        let (width, height) = (picture.width * samples, picture.height * samples);
        let view = View::of_camera(&picture.camera, width, height);
        let posed: Vec<Posed<'_>> = picture.items.iter().map(|item| Posed::new(item, &view)).collect();
        let room = Room {
            picture,
            view: &view,
            shadow: Shadow::of(picture),
            dimness: picture.floor.as_ref().map(|floor| Dimness::of(picture, floor)),
            to_key: key_direction(),
        };
        let bands: Vec<Vec<u8>> = (0..picture.height.div_ceil(BAND))
            .into_par_iter()
            .map(|band| {
                let rows = band * BAND..((band + 1) * BAND).min(picture.height);
                let mut seen = SurfaceBand::new(width, rows.start * samples..rows.end * samples);
                posed.iter().for_each(|p| p.draw(&view, &mut seen));
                let linear: Vec<[f32; 3]> = (0..seen.depth.len()).map(|at| room.light_of(at, height, &seen)).collect();
                Image::resolve(&linear, picture.width, rows.len(), samples).rgb
            })
            .collect();
        let mut image = Image { width: picture.width, height: picture.height, rgb: bands.concat() };
        overlay::write(&picture.overlay, &mut image);
        Ok(image)
    }
}

/// Depths of all that casts shadows, on a square of `size` pixels.
pub(crate) fn draw_depth(picture: &Picture, view: &View, size: usize) -> DepthMap {
    let posed: Vec<Posed<'_>> =
        picture.items.iter().filter(|i| i.casts_shadow).map(|item| Posed::new(item, view)).collect();
    let mut depth = vec![f32::INFINITY; size * size];
    depth.par_chunks_mut(size * BAND).enumerate().for_each(|(band, depth)| {
        let rows = band * BAND..band * BAND + depth.len() / size;
        let mut sink = DepthBand { width: size, rows, depth };
        posed.iter().for_each(|p| p.draw(view, &mut sink));
    });
    DepthMap { size, depth }
}

/// What decides on the light of a sample.
struct Room<'a> {
    picture: &'a Picture,
    view: &'a View,
    shadow: Shadow,
    dimness: Option<Dimness>,
    to_key: V,
}

impl Room<'_> {
    /// The light that a sample of the picture receives, linear: from a thing, the floor or the backdrop.
    fn light_of(&self, at: usize, height: usize, seen: &SurfaceBand) -> [f32; 3] {
        let (x, y) = ((at % seen.width) as f64 + 0.5, (seen.rows.start + at / seen.width) as f64 + 0.5);
        let (from, along) = self.view.ray(x, y);
        let depth = f64::from(seen.depth[at]);
        if let (Some(floor), Some(dimness)) = (&self.picture.floor, &self.dimness) {
            let far = (floor.height - from[1]) / along[1];
            if from[1] > floor.height && far > 0.0 && far < depth && far.is_finite() {
                let p = from + along * far;
                let key = self.shadow.light_at(p, V::new(0.0, 1.0, 0.0));
                let pixel = far / self.picture.width as f64;
                return floor_light(floor, p, y / height as f64, pixel, key, dimness.at(p));
            }
        }
        if !depth.is_finite() {
            return backdrop(y / height as f64);
        }
        let (p, to_eye) = (from + along * depth, -along.normalized());
        let normal = V::of(seen.normal[at].map(f64::from)).normalized();
        // The inside of a torn or inverted skin is lit like an outside.
        let normal = if normal.dot(to_eye) < 0.0 { -normal } else { normal };
        let lit = if normal.dot(self.to_key) > 0.0 { self.shadow.light_at(p, normal) } else { 0.0 };
        reflect(seen.colour[at], normal, to_eye, lit)
    }
}

/// A thing, and where the corners of its triangles are on the picture.
struct Posed<'a> {
    item: &'a Item,
    corners: Vec<Option<Projected>>,
}

impl<'a> Posed<'a> {
    fn new(item: &'a Item, view: &View) -> Self {
        let project = |c: &Corner| view.project(wide(c.position));
        let corners = match &item.shape {
            Shape::Mesh(mesh) => mesh.corners.par_iter().map(project).collect(),
            _ => Vec::new(),
        };
        Posed { item, corners }
    }

    fn draw(&self, view: &View, sink: &mut impl Sink) {
        match &self.item.shape {
            Shape::Mesh(mesh) => self.draw_mesh(mesh, sink),
            Shape::Balls(balls) => {
                balls.iter().for_each(|b| ball(sink, view, wide(b.centre), f64::from(b.radius), b.colour));
            }
            Shape::Rods(rods) => {
                rods.iter().for_each(|r| rod(sink, view, [r.from, r.to].map(wide), f64::from(r.radius), r.colour));
            }
            Shape::Discs(discs) => discs.iter().for_each(|d| {
                let surface = Surface { normal: wide(d.normal), colour: d.colour };
                disc(sink, view, wide(d.centre), [d.first, d.second].map(wide), surface);
            }),
        }
    }

    fn draw_mesh(&self, mesh: &Mesh, sink: &mut impl Sink) {
        let rows = sink.rows();
        let (top, bottom) = (rows.start as f64, rows.end as f64);
        for (corners, at) in mesh.corners.chunks_exact(3).zip(self.corners.chunks_exact(3)) {
            let [Some(a), Some(b), Some(c)] = [at[0], at[1], at[2]] else { continue };
            if a.y.max(b.y).max(c.y) < top || a.y.min(b.y).min(c.y) > bottom {
                continue;
            }
            triangle(sink, [a, b, c], |w| surface(&mesh.paint, corners, w.map(|w| w as f32)));
        }
    }
}

/// What a triangle shows where its corners have these weights.
fn surface(paint: &Paint, corners: &[Corner], w: [f32; 3]) -> Surface {
    let mix = |value: fn(&Corner) -> [f32; 3]| {
        let [a, b, c] = [0, 1, 2].map(|i: usize| value(&corners[i]));
        [0, 1, 2].map(|k: usize| a[k] * w[0] + b[k] * w[1] + c[k] * w[2])
    };
    let colour = match paint {
        Paint::Plain => mix(|c| c.colour),
        Paint::Checker => {
            let odd = mix(|c| c.coordinates).iter().fold(0, |parity, c| parity ^ c.floor() as i64) & 1 == 1;
            mix(|c| c.colour).map(|c| if odd { DARKER * c } else { c })
        }
        Paint::Texture(texture) => {
            let [u, v, _] = mix(|c| c.coordinates);
            texture.at(u, v)
        }
    };
    Surface { normal: wide(mix(|c| c.normal)).normalized(), colour }
}

fn wide(p: [f32; 3]) -> V {
    V::of(p.map(f64::from))
}

#[cfg(test)]
mod tests;
