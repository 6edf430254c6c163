//! One frame as bytes, and what the page must know of it before it unpacks them.

use super::squeeze::{Cell, push_bytes, push_indices, push_points, read_points};
use crate::drawable::{Drawable, DrawnShape, spacing};
use crate::picture::Outline;
use phyxel::record::{BodyFrame, Frame};
use phyxel_draw::{Near, Weights, bodies_within, number};
use serde::Serialize;

const FREE: u8 = 1;
const COLOURS: u8 = 2;
const SURFELS: u8 = 4;

/// The scalars that can be shown, in the order of their numbers in the bytes.
const FIELDS: [&str; 2] = ["stress", "temperature"];

/// What stands beside the bytes of a frame.
#[derive(Serialize)]
pub(super) struct Meta {
    pub index: usize,
    /// [s]
    pub time: f64,
    /// Around all points [m]: the lower corner, then the upper.
    #[serde(rename = "box")]
    pub bounds: [f32; 6],
    /// Least and greatest value of each field that some body has, and what nearly all values lie below: single points
    /// with very high values would leave all others in the dark.
    pub fields: Vec<(&'static str, f32, f32, f32)>,
    /// Where things that move are: a rotation, row by row, and a shift [m] each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub poses: Vec<[f32; 12]>,
}

/// Where an outline is at a time [s], for [`Meta::poses`].
pub(super) fn pose(outline: &Outline, time: f64) -> [f32; 12] {
    let (turn, shift) = outline.pose(time);
    let mut all = [0.0; 12];
    turn.iter().chain([&shift]).flatten().zip(&mut all).for_each(|(c, slot)| *slot = *c as f32);
    all
}

/// The first points of each body, which later frames are told by.
#[derive(Default)]
pub(super) struct First {
    pub bodies: Vec<Option<Vec<Cell>>>,
}

impl First {
    /// Reads them back from the bytes of the first frame of an earlier run; nothing when they are not whole.
    pub(super) fn read(mut bytes: &[u8], bodies: usize) -> Option<First> {
        let mut first = First::default();
        for _ in 0..bodies {
            let length = u32::from_le_bytes(*bytes.split_first_chunk()?.0) as usize;
            let mut body = bytes.get(4..4 + length)?;
            bytes = &bytes[4 + length..];
            let flags = *body.split_off_first()?;
            body = body.get(4..)?;
            let cells = read_points(&mut body, None)?;
            first.bodies.push((flags & (FREE | SURFELS) == 0).then_some(cells));
        }
        Some(first)
    }
}

/// The bytes of a frame. In the first one, `first` is empty and is filled.
pub(super) fn encode(drawables: &[Drawable], frame: &Frame, first: &mut First) -> (Vec<u8>, Meta) {
    let is_first = first.bodies.is_empty();
    let mut meta =
        Meta { index: frame.index, time: frame.time, bounds: no_box(), fields: Vec::new(), poses: Vec::new() };
    let mut bytes = Vec::new();
    for (i, (drawable, body)) in drawables.iter().zip(&frame.bodies).enumerate() {
        let mut own = Vec::new();
        let drawn = Drawn::of(drawable, body);
        own.push(drawn.flags);
        own.extend((if is_first { thickness(drawable, drawable.points(body)) } else { 0.0 }).to_le_bytes());
        let plain = drawn.flags & (FREE | SURFELS) == 0;
        let reference = first.bodies.get(i).and_then(Option::as_deref).filter(|_| plain);
        let cells = push_points(drawn.points, reference, &mut own);
        if is_first {
            first.bodies.push(plain.then_some(cells));
        }
        drawn.push_rest(body, &mut own);
        let around = bodies_within(frame, i).into_iter().map(|b| &frame.bodies[b]).collect::<Vec<_>>();
        push_fields(&drawn, drawable, &around, &mut meta, &mut own);
        widen(&mut meta.bounds, drawn.points);
        bytes.extend((own.len() as u32).to_le_bytes());
        bytes.extend(own);
    }
    if meta.bounds[0] > meta.bounds[3] {
        meta.bounds = [0.0; 6];
    }
    (bytes, meta)
}

/// What is drawn of a body in a frame.
struct Drawn<'a> {
    flags: u8,
    points: &'a [[f64; 3]],
    colours: &'a [[f32; 3]],
}

impl<'a> Drawn<'a> {
    fn of(drawable: &'a Drawable, body: &'a BodyFrame) -> Self {
        let (flags, points, colours) = match (drawable.surface(body), &body.surfels) {
            (Some(s), _) if s.is_free => (FREE, s.points, s.colours),
            (Some(s), _) => (0, s.points, &[][..]),
            (None, Some(s)) if !s.points.is_empty() => (SURFELS, &s.points[..], &s.colours[..]),
            (None, _) => (0, drawable.points(body), &[][..]),
        };
        Drawn { flags: flags | if colours.is_empty() { 0 } else { COLOURS }, points, colours }
    }

    fn push_rest(&self, body: &BodyFrame, out: &mut Vec<u8>) {
        if let (true, Some(free)) = (self.flags & FREE != 0, &body.free) {
            push_indices(free.triangles.iter().flatten().copied(), out);
        }
        if let (true, Some(surfels)) = (self.flags & SURFELS != 0, &body.surfels) {
            // Both half axes say where the normal is.
            let axes: Vec<f32> = surfels.tangents.iter().flatten().flatten().map(|c| *c as f32).collect();
            let largest = axes.iter().filter(|c| c.is_finite()).fold(f32::MIN_POSITIVE, |m, c| m.max(c.abs()));
            out.extend(largest.to_le_bytes());
            let small: Vec<u8> = axes.iter().map(|c| (c / largest * 127.0).round() as i8 as u8).collect();
            push_bytes(&small, 6, out);
        }
        let colours: Vec<u8> = self.colours.iter().flatten().map(|c| srgb_byte(*c)).collect();
        push_bytes(&colours, 3, out);
    }
}

/// Bytes as screens understand them, from linear colours.
pub(in super::super) fn srgb_byte(linear: f32) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let srgb = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * srgb).round() as u8
}

/// Diameter that suits the distance between points [m]: phyxels nearly touch, springs are thin.
fn thickness(drawable: &Drawable, points: &[[f64; 3]]) -> f32 {
    match drawable.shape {
        DrawnShape::Triangles(_) => 0.0,
        DrawnShape::Spheres => (0.95 * spacing(points)) as f32,
        DrawnShape::Segments(_) => (0.15 * spacing(points)) as f32,
    }
}

/// Appends the scalars of the drawn points in 256 steps each, from the nodes of the bodies within what is drawn.
fn push_fields(drawn: &Drawn<'_>, drawable: &Drawable, within: &[&BodyFrame], meta: &mut Meta, out: &mut Vec<u8>) {
    let nodes: Vec<[f64; 3]> = within.iter().flat_map(|b| b.positions.iter().copied()).collect();
    let all = |of: fn(&BodyFrame) -> &Vec<f64>| within.iter().flat_map(|b| of(b).iter().map(|v| *v as f32)).collect();
    let usable = |v: &Vec<f32>| v.len() == nodes.len() && v.iter().any(|v| v.is_finite() && *v != 0.0);
    let fields: [Vec<f32>; 2] = [all(|b| &b.von_mises), all(|b| &b.temperatures)];
    let fields: Vec<(usize, Vec<f32>)> = fields.into_iter().enumerate().filter(|(_, v)| usable(v)).collect();
    out.push(fields.len() as u8);
    if fields.is_empty() {
        return;
    }
    let on_nodes = drawn.flags == 0 && drawable.is_on_nodes();
    let sources: Option<Vec<Weights>> = (!on_nodes).then(|| {
        let near = Near::new(&nodes, spacing(&nodes));
        drawn.points.iter().map(|p| near.weights(*p)).collect()
    });
    for (field, values) in fields {
        let values = match &sources {
            None => values,
            Some(sources) => sources.iter().map(|near| number(near, &values)).collect(),
        };
        push_field(field, &values, meta, out);
    }
}

fn push_field(number: usize, values: &[f32], meta: &mut Meta, out: &mut Vec<u8>) {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    out.push(number as u8);
    out.extend(low.to_le_bytes());
    out.extend(high.to_le_bytes());
    let width = if high > low { high - low } else { 1.0 };
    let steps: Vec<u8> = values.iter().map(|v| ((v - low) / width * 255.0).round() as u8).collect();
    push_bytes(&steps, 1, out);
    let (name, common) = (FIELDS[number], nearly_all_below(finite().collect()));
    match meta.fields.iter_mut().find(|f| f.0 == name) {
        Some(known) => *known = (name, known.1.min(low), known.2.max(high), known.3.max(common)),
        None => meta.fields.push((name, low, high, common)),
    }
}

/// The value that 97 of 100 lie below.
fn nearly_all_below(mut values: Vec<f32>) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let place = (values.len() - 1) * 97 / 100;
    *values.select_nth_unstable_by(place, f32::total_cmp).1
}

fn no_box() -> [f32; 6] {
    [f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY]
}

fn widen(bounds: &mut [f32; 6], points: &[[f64; 3]]) {
    for point in points.iter().filter(|p| p.iter().all(|c| c.is_finite())) {
        for k in 0..3 {
            bounds[k] = bounds[k].min(point[k] as f32);
            bounds[3 + k] = bounds[3 + k].max(point[k] as f32);
        }
    }
}
