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
/// Outlines, in parts of the scene's radius, and their grey.
const OUTLINE: f64 = 0.004;
const GREY: [f32; 3] = [0.20, 0.22, 0.25];
const DIMNESS_SIZE: usize = 160;

/// Everything that is the same in all pictures.
pub(super) struct Studio<'a> {
    bodies: Vec<Body<'a>>,
    settings: PictureSettings,
    view: View,
    /// Height of the floor [m].
    ground: f64,
    /// Side of a square of the floor's grid [m].
    grid: f64,
    to_key: V,
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
    /// Of the faces of cracks.
    inside: [f32; 3],
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
        let (grid, to_key) = (grid_side(radius), key_direction());
        Studio { bodies, settings, view, ground, grid, to_key, centre: (low + high) * 0.5, radius }
    }

    /// Draws one frame.
    pub(super) fn draw(&self, frame: &Snapshot) -> Image {
        let factor = self.settings.supersampling;
        let (width, height) = (self.settings.width * factor, self.settings.height * factor);
        let posed: Vec<Posed<'_>> = self.bodies.iter().zip(&frame.points).map(|(b, p)| Posed::new(b, p)).collect();
        let mut buffer = SurfaceBuffer::new(width, height);
        posed.iter().for_each(|p| p.draw(&self.view, &mut buffer));
        for ends in &self.settings.outlines {
            rod(&mut buffer, &self.view, ends.map(V::of), OUTLINE * self.radius, GREY);
        }
        let (shadow, dimness) = self.shadows(&posed);
        let linear: Vec<[f32; 3]> =
            (0..width * height).map(|at| self.light_of(at, width, height, &buffer, &shadow, &dimness)).collect();
        Image::resolve(&linear, self.settings.width, self.settings.height, factor)
    }

    /// The light that a sample of the picture receives, linear: from a body, the floor or the backdrop.
    fn light_of(
        &self,
        at: usize,
        width: usize,
        height: usize,
        buffer: &SurfaceBuffer,
        shadow: &Shadow,
        dimness: &Dimness,
    ) -> [f32; 3] {
        let (x, y) = ((at % width) as f64 + 0.5, (at / width) as f64 + 0.5);
        let (from, along) = self.view.ray(x, y);
        let depth = f64::from(buffer.depth[at]);
        let floor = (self.ground - from[1]) / along[1];
        let sees_floor = from[1] > self.ground && floor > 0.0 && floor < depth;
        if sees_floor && floor.is_finite() {
            let sample = floor / self.settings.width as f64;
            self.floor(from + along * floor, y / height as f64, sample, shadow, dimness)
        } else if depth.is_finite() {
            let (p, to_eye) = (from + along * depth, -along.normalized());
            let normal = V::of(buffer.normal[at].map(f64::from)).normalized();
            // The inside of a torn or inverted skin is lit like an outside.
            let normal = if normal.dot(to_eye) < 0.0 { -normal } else { normal };
            let faces_light = normal.dot(self.to_key) > 0.0;
            let lit = if faces_light { shadow.light_at(p, normal) } else { 0.0 };
            reflect(buffer.colour[at], normal, to_eye, lit)
        } else {
            backdrop(y / height as f64)
        }
    }

    /// The floor at `p`: a grid that fades into the backdrop, with shadows.
    fn floor(&self, p: V, above: f64, pixel: f64, shadow: &Shadow, dimness: &Dimness) -> [f32; 3] {
        let cell = self.grid;
        let line = |c: f64| ((c / cell - (c / cell).round()).abs() * cell) < 0.008 * cell + 0.2 * pixel;
        let distance = (V::new(p[0], 0.0, p[2]) - V::new(self.centre[0], 0.0, self.centre[2])).norm() / self.radius;
        let fade = (1.0 - (distance - 1.2) / 3.8).clamp(0.0, 1.0) as f32;
        let fade = fade * fade * (3.0 - 2.0 * fade);
        let base = if line(p[0]) || line(p[2]) { 0.56 } else { 0.70 };
        let key = shadow.light_at(p, V::new(0.0, 1.0, 0.0));
        let light = (0.48 + 0.52 * key) * (1.0 - 0.62 * dimness.at(p));
        let far = backdrop(above);
        [0, 1, 2].map(|k| {
            let tint = [0.985, 1.0, 1.02][k];
            let open = far[k] * (1.0 - fade) + base * tint * fade;
            open * light
        })
    }

    /// Maps that just cover the bodies of this frame, so that they are as sharp in a fall from afar as at rest.
    fn shadows(&self, posed: &[Posed<'_>]) -> (Shadow, Dimness) {
        let balls = posed.iter().flat_map(|p| p.points.iter().map(|&at| (at, p.body.thickness)));
        let (low, high) = bounds(balls.filter(|(p, _)| p.is_finite()));
        let (centre, radius) = ((low + high) * 0.5, ((high - low).norm() / 2.0).max(1e-6));
        let draw = |view: &View, size: usize| {
            let mut map = DepthMap::new(size);
            posed.iter().for_each(|p| p.draw(view, &mut map));
            map
        };
        let view = View::parallel(centre, radius * 1.05, self.to_key, SHADOW_SIZE);
        let map = draw(&view, SHADOW_SIZE);
        let shadow = Shadow { view, map, texel: 2.1 * radius / SHADOW_SIZE as f64 };

        let under = V::new(centre[0], self.ground, centre[2]);
        let view = View::parallel(under, radius * 1.4, V::new(0.0, -1.0, 0.0), DIMNESS_SIZE);
        let floor = view.project(under).map_or(0.0, |at| at.depth);
        let map = draw(&view, DIMNESS_SIZE);
        (shadow, Dimness::new(view, map, floor, 0.4 * radius))
    }
}

/// Side of a square of the grid [m] for a scene of this radius [m]: 1, 2 or 5 times a power of ten, about four to the
/// width of the scene.
fn grid_side(radius: f64) -> f64 {
    let wanted = radius / 2.0;
    let power = 10f64.powf(wanted.log10().floor());
    let off = |side: &f64| (side * power / wanted).ln().abs();
    [1.0, 2.0, 5.0, 10.0].into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(1.0) * power
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
            DrawnShape::Spheres => (None, 0.55 * gap()),
            DrawnShape::Segments(_) => (None, 0.09 * gap()),
        };
        let colour = body_colour(index).map(linear_from_srgb);
        // Broken faces are paler than the outside, and without its pattern.
        let inside = colour.map(|c| 0.45 * c + 0.4);
        Body { drawable, fans, checker: Checker::over(low.0, high.0), rest, colour, inside, thickness }
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
                let parts = &self.body.drawable.parts;
                for (t, (corners, normals)) in triangles.iter().zip(&self.normals).enumerate() {
                    self.draw_triangle(view, sink, (corners, parts.get(t).is_some_and(|p| *p > 0)), normals);
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

    fn draw_triangle(&self, view: &View, sink: &mut impl Sink, (corners, inside): (&[u32; 3], bool), normals: &[V; 3]) {
        let [Some(a), Some(b), Some(c)] = corners.map(|v| view.project(self.points[v as usize])) else { return };
        let mix = |values: &[V; 3], w: [f64; 3]| values[0] * w[0] + values[1] * w[1] + values[2] * w[2];
        let rest = corners.map(|v| self.body.rest[v as usize]);
        triangle(sink, [a, b, c], |w| Surface {
            normal: mix(normals, w).normalized(),
            colour: if inside { self.body.inside } else { self.body.checker.colour(self.body.colour, mix(&rest, w).0) },
        });
    }
}
