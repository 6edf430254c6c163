//! Layouts and frames as bytes: little endian, lengths before lists, coordinates and numbers in single precision, which is
//! finer than any pixel.

use super::Head;
use phyxel::record::{BodyFrame, BodyLayout, Cells, Frame, FreeSurface, Look, PartLook, Surfels};
use phyxel::scene::{Camera, Motion};
use phyxel_draw::Outline;

/// Bytes being written.
#[derive(Default)]
pub(super) struct Sink(pub Vec<u8>);

impl Sink {
    fn count(&mut self, n: usize) {
        self.0.extend((n as u64).to_le_bytes());
    }
    fn double(&mut self, v: f64) {
        self.0.extend(v.to_le_bytes());
    }
    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }
    fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.0.push(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }
    fn singles(&mut self, values: impl ExactSizeIterator<Item = f32>) {
        self.count(values.len());
        values.for_each(|v| self.0.extend(v.to_le_bytes()));
    }
    fn numbers(&mut self, values: &[f64]) {
        self.singles(values.iter().map(|v| *v as f32));
    }
    fn points(&mut self, points: &[[f64; 3]]) {
        self.numbers(points.as_flattened());
    }
    fn indices(&mut self, values: &[u32]) {
        self.count(values.len());
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
    }
}

/// Bytes being read; everything that is not there is `None`, and nothing is allocated before it is known to be there.
pub(super) struct Source<'a>(pub &'a [u8]);

impl<'a> Source<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.0.split_off(..count)
    }
    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }
    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(*self.take(8)?.first_chunk()?)).ok()
    }
    fn double(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(*self.take(8)?.first_chunk()?))
    }
    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.byte()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }
    fn words(&mut self) -> Option<Vec<[u8; 4]>> {
        let count = self.count()?;
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.as_chunks::<4>().0.to_vec())
    }
    fn singles(&mut self) -> Option<Vec<f32>> {
        Some(self.words()?.into_iter().map(f32::from_le_bytes).collect())
    }
    fn numbers(&mut self) -> Option<Vec<f64>> {
        Some(self.singles()?.into_iter().map(f64::from).collect())
    }
    fn points(&mut self) -> Option<Vec<[f64; 3]>> {
        whole(&self.numbers()?)
    }
    fn indices(&mut self) -> Option<Vec<u32>> {
        Some(self.words()?.into_iter().map(u32::from_le_bytes).collect())
    }
    /// A list of which each item takes at least one byte.
    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count().filter(|n| *n <= self.0.len())?;
        (0..count).map(|_| read(self)).collect()
    }
    fn triple(&mut self) -> Option<[f64; 3]> {
        Some([self.double()?, self.double()?, self.double()?])
    }
}

/// Groups of `N`, if there is nothing left over.
fn whole<T: Copy, const N: usize>(values: &[T]) -> Option<Vec<[T; N]>> {
    let (groups, rest) = values.as_chunks::<N>();
    rest.is_empty().then(|| groups.to_vec())
}

pub(super) fn write_head(head: &Head) -> Vec<u8> {
    let mut w = Sink::default();
    w.text(&head.name);
    w.double(head.frame_rate);
    w.option(head.ground, Sink::double);
    w.count(head.outlines.len());
    head.outlines.iter().for_each(|outline| write_outline(&mut w, outline));
    w.option(head.camera, |w, c| {
        [c.position, c.target].as_flattened().iter().chain([&c.fov]).for_each(|v| w.double(*v))
    });
    w.count(head.layouts.len());
    head.layouts.iter().for_each(|layout| write_layout(&mut w, layout));
    w.0
}

pub(super) fn read_head(bytes: &[u8]) -> Option<Head> {
    let mut r = Source(bytes);
    Some(Head {
        name: r.text()?,
        frame_rate: r.double().filter(|rate| *rate > 0.0 && rate.is_finite())?,
        ground: r.option(Source::double)?,
        outlines: r.list(read_outline)?,
        camera: r.option(|r| Some(Camera { position: r.triple()?, target: r.triple()?, fov: r.double()? }))?,
        layouts: r.list(read_layout)?,
    })
}

fn write_outline(w: &mut Sink, outline: &Outline) {
    w.count(outline.segments.len());
    outline.segments.as_flattened().as_flattened().iter().for_each(|c| w.double(*c));
    let Motion { velocity, spin, center, until, keys } = &outline.motion;
    [velocity, spin, center].into_iter().flatten().chain([until]).for_each(|c| w.double(*c));
    w.count(keys.len());
    keys.iter().for_each(|(time, shift)| [time].into_iter().chain(shift).for_each(|c| w.double(*c)));
}

fn read_outline(r: &mut Source<'_>) -> Option<Outline> {
    let segments = r.list(|r| Some([r.triple()?, r.triple()?]))?;
    let (velocity, spin, center, until) = (r.triple()?, r.triple()?, r.triple()?, r.double()?);
    let keys = r.list(|r| Some((r.double()?, r.triple()?)))?;
    Some(Outline { segments, motion: Motion { velocity, spin, center, until, keys } })
}

fn write_layout(w: &mut Sink, layout: &BodyLayout) {
    w.text(&layout.name);
    w.count(layout.node_count);
    match &layout.cells {
        Cells::Points => w.0.push(0),
        Cells::Tets(tets) => {
            w.0.push(1);
            w.indices(tets.as_flattened());
        }
        Cells::Lines(lines) => {
            w.0.push(2);
            w.indices(lines.as_flattened());
        }
    }
    w.indices(layout.skin_triangles.as_flattened());
    w.indices(&layout.skin_parts);
    w.option(layout.look.colour, |w, colour| w.0.extend(colour));
    w.singles(layout.look.uvs.as_flattened().as_flattened().iter().copied());
    w.singles(layout.look.normals.as_flattened().as_flattened().iter().copied());
    w.singles(layout.look.colours.as_flattened().iter().copied());
    w.count(layout.look.parts.len());
    for part in &layout.look.parts {
        w.text(&part.name);
        w.option(part.colour, |w, c| w.singles(c.into_iter()));
        w.option(part.texture.as_ref(), |w, path| w.text(&path.to_string_lossy()));
    }
}

fn read_layout(r: &mut Source<'_>) -> Option<BodyLayout> {
    let (name, node_count) = (r.text()?, r.count()?);
    let cells = match r.byte()? {
        0 => Cells::Points,
        1 => Cells::Tets(whole(&r.indices()?)?),
        2 => Cells::Lines(whole(&r.indices()?)?),
        _ => return None,
    };
    let cells_fit = match &cells {
        Cells::Points => true,
        Cells::Tets(tets) => tets.as_flattened().iter().all(|n| (*n as usize) < node_count),
        Cells::Lines(lines) => lines.as_flattened().iter().all(|n| (*n as usize) < node_count),
    };
    let skin_triangles = whole(&r.indices()?)?;
    let skin_parts = r.indices()?;
    let colour = r.option(|r| Some([r.byte()?, r.byte()?, r.byte()?]))?;
    let corners: Vec<[f32; 2]> = whole(&r.singles()?)?;
    let uvs = whole(&corners)?;
    let normals: Vec<[f32; 3]> = whole(&r.singles()?)?;
    let normals = whole(&normals)?;
    let colours = whole(&r.singles()?)?;
    let parts = r.list(|r| {
        let (name, colour) = (r.text()?, r.option(|r| r.singles()?.try_into().ok())?);
        Some(PartLook { name, colour, texture: r.option(Source::text)?.map(Into::into) })
    })?;
    let look = Look { colour, uvs, normals, colours, parts };
    cells_fit.then_some(BodyLayout { name, node_count, cells, skin_triangles, skin_parts, look })
}

pub(super) fn write_frame(frame: &Frame) -> Vec<u8> {
    let mut w = Sink::default();
    w.count(frame.index);
    w.double(frame.time);
    w.count(frame.bodies.len());
    frame.bodies.iter().for_each(|body| write_body(&mut w, body));
    w.0
}

/// A frame, as far as it is drawn: contacts, triggers and cracks are in the tables.
pub(super) fn read_frame(bytes: &[u8]) -> Option<Frame> {
    let mut r = Source(bytes);
    Some(Frame { index: r.count()?, time: r.double()?, bodies: r.list(read_body)?, ..Frame::default() })
}

fn write_body(w: &mut Sink, body: &BodyFrame) {
    w.points(&body.positions);
    w.points(&body.velocities);
    [&body.von_mises, &body.strain, &body.damage, &body.temperatures].into_iter().for_each(|of| w.numbers(of));
    // The corners of rigid and of broken bodies are their nodes.
    let same = !body.skin.is_empty() && body.skin == body.positions;
    w.0.push(u8::from(same));
    if !same {
        w.points(&body.skin);
    }
    w.option(body.free.as_ref(), |w, free| {
        w.points(&free.points);
        w.points(&free.normals);
        w.singles(free.colours.as_flattened().iter().copied());
        w.indices(free.triangles.as_flattened());
        w.indices(&free.parts);
    });
    w.option(body.surfels.as_ref(), |w, surfels| {
        w.points(&surfels.points);
        w.points(&surfels.normals);
        w.points(surfels.tangents.as_flattened());
        w.singles(surfels.colours.as_flattened().iter().copied());
    });
}

fn read_body(r: &mut Source<'_>) -> Option<BodyFrame> {
    let (positions, velocities) = (r.points()?, r.points()?);
    let [von_mises, strain, damage, temperatures] = [r.numbers()?, r.numbers()?, r.numbers()?, r.numbers()?];
    let skin = if r.byte()? == 1 { positions.clone() } else { r.points()? };
    let free = r.option(|r| {
        let (points, normals) = (r.points()?, r.points()?);
        let (colours, triangles): (_, Vec<[u32; 3]>) = (whole(&r.singles()?)?, whole(&r.indices()?)?);
        let parts = r.indices()?;
        let fits = triangles.as_flattened().iter().all(|v| (*v as usize) < points.len());
        fits.then_some(FreeSurface { points, normals, colours, triangles, parts })
    })?;
    let surfels = r.option(|r| {
        let (points, normals) = (r.points()?, r.points()?);
        let (tangents, colours) = (whole(&r.points()?)?, whole(&r.singles()?)?);
        Some(Surfels { points, normals, tangents, colours })
    })?;
    Some(BodyFrame { positions, velocities, von_mises, strain, damage, temperatures, skin, free, surfels })
}
