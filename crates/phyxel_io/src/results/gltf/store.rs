//! Frames of a glTF file on their way, in a hidden file: the file itself begins with a description of all that follows,
//! which is known only at the end.

use crate::drawable::Drawable;
use crate::file::{OutputError, append, remove_if_there};
use phyxel::record::Frame;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

type Triple = [f32; 3];

/// A frame as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub index: usize,
    /// [s]
    pub time: f32,
    pub bodies: Vec<Drawn>,
}

/// A body in a frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Drawn {
    /// In the shape of its layout: the points of that [m].
    Own(Vec<Triple>),
    /// As a surface found anew.
    Free(Surface),
}

/// A surface found anew.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Surface {
    /// [m]
    pub points: Vec<Triple>,
    pub normals: Vec<Triple>,
    /// Linear; empty: as the body.
    pub colours: Vec<Triple>,
    /// Those of one part together.
    pub triangles: Vec<[u32; 3]>,
    /// Each part that there are triangles of, in rising order, and how many.
    pub parts: Vec<[u32; 2]>,
}

impl Record {
    pub(super) fn of(drawables: &[Drawable], frame: &Frame) -> Self {
        // What is no number has no place in glTF.
        let single = |p: &[f64; 3]| p.map(|c| if c.is_finite() { c as f32 } else { 0.0 });
        let singles = |points: &[[f64; 3]]| points.iter().map(single).collect::<Vec<_>>();
        let bodies = drawables.iter().zip(&frame.bodies).map(|(drawable, body)| {
            match drawable.surface(body).filter(|s| s.is_free) {
                None => Drawn::Own(singles(drawable.points(body))),
                Some(s) => {
                    let found = || phyxel_draw::vertex_normals(s.points, s.triangles);
                    let normals = if s.normals.is_empty() { singles(&found()) } else { singles(s.normals) };
                    let (triangles, parts) = by_part(s.triangles, s.parts);
                    let (points, colours) = (singles(s.points), s.colours.to_vec());
                    Drawn::Free(Surface { points, normals, colours, triangles, parts })
                }
            }
        });
        Record { index: frame.index, time: frame.time as f32, bodies: bodies.collect() }
    }

    fn write(&self, w: &mut impl Write) -> io::Result<()> {
        w.write_all(&(self.index as u64).to_le_bytes())?;
        w.write_all(&self.time.to_le_bytes())?;
        for body in &self.bodies {
            match body {
                Drawn::Own(points) => {
                    w.write_all(&[0])?;
                    write_triples(points, w)?;
                }
                Drawn::Free(surface) => {
                    w.write_all(&[1])?;
                    [&surface.points, &surface.normals, &surface.colours]
                        .into_iter()
                        .try_for_each(|l| write_triples(l, w))?;
                    w.write_all(&(surface.triangles.len() as u64).to_le_bytes())?;
                    surface.triangles.iter().flatten().try_for_each(|v| w.write_all(&v.to_le_bytes()))?;
                    w.write_all(&(surface.parts.len() as u64).to_le_bytes())?;
                    surface.parts.iter().flatten().try_for_each(|v| w.write_all(&v.to_le_bytes()))?;
                }
            }
        }
        Ok(())
    }

    fn read(bodies: usize, r: &mut impl Read) -> io::Result<Self> {
        let index = u64::from_le_bytes(bytes(r)?) as usize;
        let time = f32::from_le_bytes(bytes(r)?);
        let mut record = Record { index, time, bodies: Vec::new() };
        for _ in 0..bodies {
            let [kind] = bytes(r)?;
            let points = read_triples(r)?;
            if kind == 0 {
                record.bodies.push(Drawn::Own(points));
                continue;
            }
            let (normals, colours) = (read_triples(r)?, read_triples(r)?);
            let count = u64::from_le_bytes(bytes(r)?);
            let corner = |r: &mut _| bytes(r).map(u32::from_le_bytes);
            let triangles = (0..count).map(|_| Ok([corner(r)?, corner(r)?, corner(r)?])).collect::<io::Result<_>>()?;
            let count = u64::from_le_bytes(bytes(r)?);
            let parts = (0..count).map(|_| Ok([corner(r)?, corner(r)?])).collect::<io::Result<_>>()?;
            record.bodies.push(Drawn::Free(Surface { points, normals, colours, triangles, parts }));
        }
        Ok(record)
    }
}

/// Triangles in the order of their parts, and how many there are of each.
fn by_part(triangles: &[[u32; 3]], parts: &[u32]) -> (Vec<[u32; 3]>, Vec<[u32; 2]>) {
    let part = |t: usize| parts.get(t).copied().unwrap_or(0);
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by_key(|t| part(*t));
    let runs = order.chunk_by(|a, b| part(*a) == part(*b));
    let counts = runs.map(|run| [part(run[0]), run.len() as u32]).collect();
    (order.into_iter().map(|t| triangles[t]).collect(), counts)
}

fn bytes<const N: usize>(r: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    r.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn write_triples(list: &[Triple], w: &mut impl Write) -> io::Result<()> {
    w.write_all(&(list.len() as u64).to_le_bytes())?;
    list.iter().flatten().try_for_each(|c| w.write_all(&c.to_le_bytes()))
}

fn read_triples(r: &mut impl Read) -> io::Result<Vec<Triple>> {
    let count = u64::from_le_bytes(bytes(r)?);
    let mut number = || bytes(r).map(f32::from_le_bytes);
    (0..count).map(|_| Ok([number()?, number()?, number()?])).collect()
}

/// The hidden file.
pub(super) struct Store {
    path: PathBuf,
    bodies: usize,
}

impl Store {
    /// Begins anew, or with the frames that `keep` accepts of those that an earlier run left.
    pub(super) fn create(path: PathBuf, bodies: usize, keep: impl Fn(usize) -> bool) -> Result<Self, OutputError> {
        let resumed = path.with_extension("resumed.partial");
        remove_if_there(&resumed)?;
        let store = Store { path, bodies };
        store.each(|record| {
            if keep(record.index) {
                append(&resumed, |w| record.write(w))?;
            }
            Ok(())
        })?;
        remove_if_there(&store.path)?;
        if resumed.exists() {
            std::fs::rename(&resumed, &store.path).map_err(|e| OutputError::at(&store.path, e))?;
        }
        Ok(store)
    }

    pub(super) fn push(&self, record: &Record) -> Result<(), OutputError> {
        append(&self.path, |w| record.write(w))
    }

    /// Visits the frames one after the other; one that was cut off ends the list.
    pub(super) fn each(&self, mut visit: impl FnMut(Record) -> Result<(), OutputError>) -> Result<(), OutputError> {
        let file = match File::open(&self.path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened.map_err(|e| OutputError::at(&self.path, e))?,
        };
        let mut reader = BufReader::with_capacity(1 << 16, file);
        while let Ok(record) = Record::read(self.bodies, &mut reader) {
            visit(record)?;
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
