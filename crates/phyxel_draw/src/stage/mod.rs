//! The stage: makes pictures of frames, with a camera, a floor and colours that stay while the bodies move.
//!
//! All frames are surveyed first, one by one, so that the camera sees them all and colours mean the same in each; then any
//! of them becomes a [`Picture`].

mod body;
mod checker;
mod hue;
mod parts;

pub use hue::{Hue, What};
pub use parts::{bodies_within, body_colour, boundary, inside_colour, spacing};

use crate::colour_map::map_texture;
use crate::error::DrawError;
use crate::outline::{Outline, Segment};
use crate::overlay::{ColourBar, Overlay};
use crate::picture::{Floor, Item, Picture, Rod, Shape};
use crate::texture::Texture;
use crate::view::{FOV, Fit, V, check_camera};
use body::{Body, Colouring};
use hue::Spread;
use phyxel::record::{BodyLayout, Frame};
use phyxel::scene::Camera;
use std::sync::Arc;

/// Towards the eye: a three-quarter view from above.
const EYE: [f64; 3] = [0.52, 0.42, 0.86];
/// Outlines, in parts of the scene's radius, and their grey.
const OUTLINE: f64 = 0.004;
const GREY: [f32; 3] = [0.20, 0.22, 0.25];
/// Outlines that reach farther from the bodies than this many of their radii are not made room for.
const ROOM: f64 = 1.6;

/// How frames are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct StageSettings {
    /// [pixels]
    pub width: usize,
    /// [pixels]
    pub height: usize,
    /// Samples per pixel along each side, for smooth edges.
    pub samples: usize,
    /// What is drawn of bodies.
    pub what: What,
    /// What colours mean.
    pub hue: Hue,
    /// The numbers at the ends of the colour bar; found where none are given.
    pub range: Option<[f64; 2]>,
    /// Where the eye is; fitted to all frames where none is given.
    pub camera: Option<Camera>,
    /// Height of the floor [m]; the lowest point of all frames where none is given.
    pub ground: Option<f64>,
    /// Outlines of what bodies hit, standing or moving.
    pub outlines: Vec<Outline>,
    /// Above every picture; may be empty.
    pub title: String,
    /// Whether the time is told below every picture.
    pub tells_time: bool,
}

impl Default for StageSettings {
    /// Large enough for a page, small enough to be quick.
    fn default() -> Self {
        StageSettings {
            width: 960,
            height: 540,
            samples: 3,
            what: What::Skin,
            hue: Hue::Body,
            range: None,
            camera: None,
            ground: None,
            outlines: Vec::new(),
            title: String::new(),
            tells_time: false,
        }
    }
}

/// Frames on their way to pictures.
pub struct Stage {
    settings: StageSettings,
    bodies: Vec<Body>,
    fit: Fit,
    low: [f64; 3],
    high: [f64; 3],
    spread: Spread,
    /// Of the frames that were surveyed [s].
    times: Vec<f64>,
    has_surfels: bool,
    map: Arc<Texture>,
    notes: Vec<String>,
}

impl Stage {
    /// Prepares for frames of these bodies.
    pub fn new(layouts: &[BodyLayout], settings: StageSettings) -> Result<Self, DrawError> {
        DrawError::check_size(settings.width, settings.height)?;
        if let Some(camera) = &settings.camera {
            check_camera(camera)?;
        }
        if let Some([low, high]) = settings.range.filter(|[low, high]| low.is_nan() || high.is_nan() || low >= high) {
            return Err(DrawError::Range { low, high });
        }
        let mut notes = Vec::new();
        let bodies = layouts.iter().enumerate().map(|(i, layout)| Body::new(i, layout, &mut notes)).collect();
        Ok(Stage {
            fit: Fit::new(EYE, FOV, settings.width as f64 / settings.height as f64),
            settings,
            bodies,
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
            spread: Spread::default(),
            times: Vec::new(),
            has_surfels: false,
            map: Arc::new(map_texture()),
            notes,
        })
    }

    /// What could not be shown as asked for, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Looks at a frame that will be shown; the first one fixes the pattern on the bodies.
    pub fn survey(&mut self, frame: &Frame) -> Result<(), DrawError> {
        self.check(frame)?;
        self.times.push(frame.time);
        let Stage { bodies, fit, settings, .. } = self;
        for (body, now) in bodies.iter_mut().zip(&frame.bodies) {
            body.begin(now, settings.hue != Hue::Body);
            for (p, radius) in body.extent(now) {
                fit.add(p, radius);
                for k in 0..3 {
                    if p.iter().all(|c| c.is_finite()) {
                        self.low[k] = self.low[k].min(p[k] - radius);
                        self.high[k] = self.high[k].max(p[k] + radius);
                    }
                }
            }
            self.has_surfels |= now.surfels.is_some();
            if let Some(numbers) = settings.hue.numbers(now) {
                self.spread.add(&numbers);
            }
        }
        Ok(())
    }

    fn check(&self, frame: &Frame) -> Result<(), DrawError> {
        if frame.bodies.len() != self.bodies.len() {
            let what = format!("it has {} bodies, not {}", frame.bodies.len(), self.bodies.len());
            return Err(DrawError::Frame { frame: frame.index, what });
        }
        self.bodies.iter().zip(&frame.bodies).try_for_each(|(body, now)| body.check(frame.index, now))
    }

    /// Whether what is asked for was found in the frames that were surveyed.
    pub fn ready(&self) -> Result<(), DrawError> {
        let StageSettings { what, hue, .. } = &self.settings;
        if *hue != Hue::Body && self.spread.is_empty() {
            return Err(DrawError::Missing { what: hue.name(), remedy: hue.remedy() });
        }
        if *what == What::Surfels && !self.has_surfels {
            let remedy = "no body has surfels; use --view skin";
            return Err(DrawError::Missing { what: what.name(), remedy });
        }
        Ok(())
    }

    /// Centre and half diagonal of the box around all bodies in all frames [m].
    fn ball(&self) -> (V, f64) {
        if self.low[0] > self.high[0] {
            return (V::zero(), 0.87);
        }
        let (low, high) = (V::of(self.low), V::of(self.high));
        ((low + high) * 0.5, ((high - low).norm() / 2.0).max(1e-6))
    }

    /// The camera: that of the settings, or one that sees all bodies of all frames, and the outlines around them.
    pub fn camera(&self) -> Camera {
        if let Some(camera) = self.settings.camera {
            return camera;
        }
        let ((centre, radius), mut fit) = (self.ball(), self.fit.clone());
        let near = |s: &&Segment| s.iter().all(|p| (V::of(*p) - centre).norm() < ROOM * radius);
        for outline in &self.settings.outlines {
            let room = outline.seen(&self.times);
            room.iter().filter(near).flatten().for_each(|p| fit.add(*p, 0.0));
        }
        fit.camera()
    }

    /// The picture of a frame.
    pub fn picture(&self, frame: &Frame) -> Result<Picture, DrawError> {
        self.check(frame)?;
        let StageSettings { width, height, samples, what, hue, .. } = self.settings;
        let ((centre, radius), camera) = (self.ball(), self.camera());
        let height_there = 2.0 * (V::of(camera.position) - centre).norm() * (0.5 * camera.fov.to_radians()).tan();
        let wire = 0.6 * height_there / height as f64;
        let range = self.settings.range.unwrap_or(self.spread.range(hue));
        let mut items = Vec::new();
        for (i, (body, now)) in self.bodies.iter().zip(&frame.bodies).enumerate() {
            let colouring = (hue != Hue::Body).then(|| Colouring {
                numbers: hue.numbers(now),
                around: around(frame, i, hue),
                range,
                map: &self.map,
            });
            items.extend(body.items(now, what, wire, colouring.as_ref()));
        }
        items.push(self.outlines(frame.time, (OUTLINE * radius).max(0.8 * wire)));
        let ground = self.settings.ground.filter(|y| y.is_finite()).unwrap_or(self.low[1]);
        let floor = Floor { height: ground, grid: grid_side(radius), centre: centre.0, radius };
        let bar = ColourBar { quantity: hue.name().into(), unit: hue.unit().into(), low: range[0], high: range[1] };
        let overlay = Overlay {
            title: self.settings.title.clone(),
            caption: if self.settings.tells_time { format!("t = {:.3} s", frame.time) } else { String::new() },
            bar: (hue != Hue::Body).then_some(bar),
        };
        let floor = ground.is_finite().then_some(floor);
        Ok(Picture { width, height, samples: samples.max(1), camera, floor, items, overlay })
    }

    fn outlines(&self, time: f64, thick: f64) -> Item {
        let single = |p: [f64; 3]| p.map(|c| c as f32);
        let rod = |[a, b]: Segment| Rod { from: single(a), to: single(b), radius: thick as f32, colour: GREY };
        Item {
            shape: Shape::Rods(self.settings.outlines.iter().flat_map(|o| o.at(time)).map(rod).collect()),
            casts_shadow: false,
        }
    }
}

/// Nodes and their numbers of all bodies within the free surface of one; nothing where that is itself alone, or some have
/// no numbers.
fn around(frame: &Frame, body: usize, hue: Hue) -> Option<(Vec<[f64; 3]>, Vec<f32>)> {
    let within: Vec<_> = bodies_within(frame, body).into_iter().map(|i| &frame.bodies[i]).collect();
    let numbers: Option<Vec<Vec<f32>>> = within.iter().map(|b| hue.numbers(b)).collect();
    let nodes = || within.iter().flat_map(|b| b.positions.iter().copied()).collect();
    numbers.filter(|_| within.len() > 1).map(|numbers| (nodes(), numbers.concat()))
}

/// Side of a square of the grid [m] for a scene of this radius [m]: 1, 2 or 5 times a power of ten, about four to the
/// width of the scene.
fn grid_side(radius: f64) -> f64 {
    let wanted = radius / 2.0;
    let power = 10f64.powf(wanted.log10().floor());
    let off = |side: &f64| (side * power / wanted).ln().abs();
    [1.0, 2.0, 5.0, 10.0].into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(1.0) * power
}

#[cfg(test)]
mod tests;
