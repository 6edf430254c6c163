//! The studio: a camera, a floor and lights that stay while the bodies move.

use super::PictureSettings;
use super::buffer::{DepthMap, SurfaceBuffer};
use super::checker::Checker;
use super::image::{Image, linear_from_srgb};
use super::light::{Dimness, Shadow, key_direction, reflect};
use super::mesh::Fans;
use super::raster::{Sink, Surface, ball, rod, triangle};
use super::sheet::Snapshot;
use super::view::{V, View};
use crate::drawable::{Drawable, DrawnShape, body_colour, spacing};

/// Towards the eye: a three-quarter view from above.
const EYE: [f64; 3] = [0.52, 0.42, 0.86];
const SHADOW_SIZE: usize = 640;
const DIMNESS_SIZE: usize = 160;

/// Everything that is the same in all pictures.
pub(super) struct Studio<'a> {
    bodies: Vec<Body<'a>>,
    settings: PictureSettings,
    view: View,
    /// Height of the floor [m].
    ground: f64,
    /// Around all bodies at all times [m].
    centre: V,
    radius: f64,
}

/// A body and what is precomputed for it.
struct Body<'a> {
    drawable: &'a Drawable,
    fans: Option<Fans>,
    checker: Checker,
    rest: Vec<V>,
    colour: [f32; 3],
    /// Radius of balls or rods [m].
    thickness: f64,
}

impl<'a> Studio<'a> {
    /// A studio for these frames, which are not empty of bodies or else show an empty floor.
    pub(super) fn new(drawables: &'a [Drawable], frames: &[Snapshot], settings: &PictureSettings) -> Self {
        let mut settings = settings.clone();
        for side in [&mut settings.width, &mut settings.height, &mut settings.supersampling] {
            *side = (*side).max(1);
        }
        let bodies: Vec<Body<'_>> =
            drawables.iter().enumerate().map(|(i, d)| Body::new(i, d, frames.first())).collect();
        let balls = || {
            frames.iter().flat_map(|f| f.points.iter().zip(&bodies)).flat_map(|(points, body)| {
                let margin = if body.fans.is_some() { 0.0 } else { body.thickness };
                points.iter().map(move |p| (wide(*p), margin)).filter(|(p, _)| p.is_finite())
            })
        };
        let (low, high) = bounds(balls());
        let ground = settings.ground.filter(|y| y.is_finite()).unwrap_or(low[1]);
        let factor = settings.supersampling;
        let view = View::fit(balls(), V::of(EYE), settings.width * factor, settings.height * factor);
        let radius = ((high - low).norm() / 2.0).max(1e-6);
        Studio { bodies, settings, view, ground, centre: (low + high) * 0.5, radius }
    }

    /// Draws one frame.
    pub(super) fn draw(&self, frame: &Snapshot) -> Image {
        let factor = self.settings.supersampling;
        let (width, height) = (self.settings.width * factor, self.settings.height * factor);
        let posed: Vec<Posed<'_>> = self.bodies.iter().zip(&frame.points).map(|(b, p)| Posed::new(b, p)).collect();
        let mut buffer = SurfaceBuffer::new(width, height);
        posed.iter().for_each(|p| p.draw(&self.view, &mut buffer));
        let (shadow, dimness) = (self.shadow(&posed), self.dimness(&posed));
        let mut linear = Vec::with_capacity(width * height);
        for at in 0..width * height {
            let (x, y) = (at % width, at / width);
            let (from, along) = self.view.ray(x as f64 + 0.5, y as f64 + 0.5);
            let depth = f64::from(buffer.depth[at]);
            let floor = (self.ground - from[1]) / along[1];
            let above = (y as f64 + 0.5) / height as f64;
            linear.push(if depth.is_finite() && !(floor > 0.0 && floor < depth && from[1] > self.ground) {
                let (p, to_eye) = (from + along * depth, -along.normalized());
                let normal = V::of(buffer.normal[at].map(f64::from)).normalized();
                // The inside of a torn or inverted skin is lit like an outside.
                let normal = if normal.dot(to_eye) < 0.0 { -normal } else { normal };
                reflect(buffer.colour[at], normal, to_eye, shadow.light_at(p, normal))
            } else if floor > 0.0 && floor.is_finite() && from[1] > self.ground {
                self.floor(from + along * floor, above, floor / self.settings.width as f64, &shadow, &dimness)
            } else {
                backdrop(above)
            });
        }
        Image::resolve(&linear, self.settings.width, self.settings.height, factor)
    }

    /// The floor at `p`: a grid that fades into the backdrop, with shadows.
    fn floor(&self, p: V, above: f64, pixel: f64, shadow: &Shadow, dimness: &Dimness) -> [f32; 3] {
        let cell = self.grid_cell();
        let line = |c: f64| ((c / cell - (c / cell).round()).abs() * cell) < 0.008 * cell + 0.2 * pixel;
        let distance = (V::new(p[0], 0.0, p[2]) - V::new(self.centre[0], 0.0, self.centre[2])).norm() / self.radius;
        let fade = (1.0 - (distance - 1.2) / 3.8).clamp(0.0, 1.0) as f32;
        let fade = fade * fade * (3.0 - 2.0 * fade);
        let base = if line(p[0]) || line(p[2]) { 0.56 } else { 0.70 };
        let key = shadow.light_at(p, V::new(0.0, 1.0, 0.0));
        let light = (0.48 + 0.52 * key) * (1.0 - 0.55 * dimness.at(p));
        let far = backdrop(above);
        [0, 1, 2].map(|k| {
            let tint = [0.985, 1.0, 1.02][k];
            let open = far[k] * (1.0 - fade) + base * tint * fade;
            open * light
        })
    }

    /// Side of a square of the grid [m]: 1, 2 or 5 times a power of ten, a few to the width of the scene.
    fn grid_cell(&self) -> f64 {
        let wanted = self.radius / 2.0;
        let power = 10f64.powf(wanted.log10().floor());
        let best = [1.0, 2.0, 5.0, 10.0].into_iter().min_by(|a, b| {
            let off = |m: &f64| (m * power / wanted).ln().abs();
            off(a).total_cmp(&off(b))
        });
        best.unwrap_or(1.0) * power
    }

    fn shadow(&self, posed: &[Posed<'_>]) -> Shadow {
        let view = View::parallel(self.centre, self.radius * 1.05, key_direction(), SHADOW_SIZE);
        let mut map = DepthMap::new(SHADOW_SIZE);
        posed.iter().for_each(|p| p.draw(&view, &mut map));
        Shadow { view, map, texel: 2.1 * self.radius / SHADOW_SIZE as f64 }
    }

    fn dimness(&self, posed: &[Posed<'_>]) -> Dimness {
        let reach = self.radius * 1.3;
        let under = V::new(self.centre[0], self.ground, self.centre[2]);
        let view = View::parallel(under, reach, V::new(0.0, -1.0, 0.0), DIMNESS_SIZE);
        let floor = view.project(under).map_or(0.0, |at| at.depth);
        let mut map = DepthMap::new(DIMNESS_SIZE);
        posed.iter().for_each(|p| p.draw(&view, &mut map));
        Dimness::new(view, map, floor, 0.3 * self.radius)
    }
}

/// A paper backdrop that darkens a little upwards.
fn backdrop(above: f64) -> [f32; 3] {
    let t = above.clamp(0.0, 1.0) as f32;
    [0.78 + 0.06 * t, 0.81 + 0.04 * t, 0.86 + 0.01 * t]
}

fn wide(p: [f32; 3]) -> V {
    V::of(p.map(f64::from))
}

fn bounds(balls: impl Iterator<Item = (V, f64)>) -> (V, V) {
    let (mut low, mut high) = (V::of([f64::INFINITY; 3]), V::of([f64::NEG_INFINITY; 3]));
    for (p, radius) in balls {
        for k in 0..3 {
            low[k] = low[k].min(p[k] - radius);
            high[k] = high[k].max(p[k] + radius);
        }
    }
    if low[0] > high[0] { (V::of([-0.5; 3]), V::of([0.5; 3])) } else { (low, high) }
}

impl<'a> Body<'a> {
    fn new(index: usize, drawable: &'a Drawable, first: Option<&Snapshot>) -> Self {
        let points = first.map_or(&[][..], |f| &f.points[index]);
        let rest: Vec<V> = points.iter().map(|p| wide(*p)).collect();
        let (low, high) = bounds(rest.iter().filter(|p| p.is_finite()).map(|&p| (p, 0.0)));
        let gap = || spacing(&rest.iter().map(|p| p.0).collect::<Vec<_>>());
        let (fans, thickness) = match &drawable.shape {
            DrawnShape::Triangles(triangles) => (Some(Fans::of(rest.len(), triangles)), 0.0),
            DrawnShape::Spheres => (None, 0.5 * gap()),
            DrawnShape::Segments(_) => (None, 0.09 * gap()),
        };
        let colour = body_colour(index).map(linear_from_srgb);
        Body { drawable, fans, checker: Checker::over(low.0, high.0), rest, colour, thickness }
    }
}

/// A body in one frame.
struct Posed<'a> {
    body: &'a Body<'a>,
    points: Vec<V>,
    normals: Vec<[V; 3]>,
}

impl<'a> Posed<'a> {
    fn new(body: &'a Body<'a>, points: &[[f32; 3]]) -> Self {
        let points: Vec<V> = points.iter().map(|p| wide(*p)).collect();
        let normals = match (&body.drawable.shape, &body.fans) {
            (DrawnShape::Triangles(triangles), Some(fans)) => fans.corner_normals(&points, triangles),
            _ => vec![],
        };
        Posed { body, points, normals }
    }

    fn draw(&self, view: &View, sink: &mut impl Sink) {
        let Body { checker, rest, colour, thickness, .. } = self.body;
        match &self.body.drawable.shape {
            DrawnShape::Triangles(triangles) => {
                for (corners, normals) in triangles.iter().zip(&self.normals) {
                    self.draw_triangle(view, sink, corners, normals);
                }
            }
            DrawnShape::Spheres => {
                for (p, r) in self.points.iter().zip(rest) {
                    ball(sink, view, *p, *thickness, checker.colour(*colour, r.0));
                }
            }
            DrawnShape::Segments(segments) => {
                for ends in segments {
                    rod(sink, view, ends.map(|v| self.points[v as usize]), *thickness, *colour);
                }
            }
        }
    }

    fn draw_triangle(&self, view: &View, sink: &mut impl Sink, corners: &[u32; 3], normals: &[V; 3]) {
        let [Some(a), Some(b), Some(c)] = corners.map(|v| view.project(self.points[v as usize])) else { return };
        let mix = |values: &[V; 3], w: [f64; 3]| values[0] * w[0] + values[1] * w[1] + values[2] * w[2];
        let rest = corners.map(|v| self.body.rest[v as usize]);
        triangle(sink, [a, b, c], |w| Surface {
            normal: mix(normals, w).normalized(),
            colour: self.body.checker.colour(self.body.colour, mix(&rest, w).0),
        });
    }
}
