//! Samples of a USD file on their way: USD keeps all times of one attribute together, a simulation gives all attributes
//! of one time. So each attribute gathers in a hidden file of its own, one line per frame, and the files are joined at
//! the end; memory holds one frame at most.

use crate::file::{self, OutputError, append, partial_name, remove_if_there};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// An animated attribute: of a body's own prim, or (`Free…`) of the prim of its surface found anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Samples {
    Extent,
    Points,
    Normals,
    FreeExtent,
    FreePoints,
    FreeNormals,
    FreeColours,
    FreeCounts,
    FreeIndices,
    FreeParts,
}

impl Samples {
    const ALL: [Samples; 10] = [
        Samples::Extent,
        Samples::Points,
        Samples::Normals,
        Samples::FreeExtent,
        Samples::FreePoints,
        Samples::FreeNormals,
        Samples::FreeColours,
        Samples::FreeCounts,
        Samples::FreeIndices,
        Samples::FreeParts,
    ];

    /// The line that opens the attribute's samples.
    const fn opening(self) -> &'static str {
        match self {
            Samples::Extent | Samples::FreeExtent => "float3[] extent.timeSamples = {",
            Samples::Points | Samples::FreePoints => "point3f[] points.timeSamples = {",
            Samples::Normals => "normal3f[] primvars:normals.timeSamples = {",
            Samples::FreeNormals => "normal3f[] normals.timeSamples = {",
            Samples::FreeColours => "color3f[] primvars:displayColor.timeSamples = {",
            Samples::FreeCounts => "int[] faceVertexCounts.timeSamples = {",
            Samples::FreeIndices => "int[] faceVertexIndices.timeSamples = {",
            Samples::FreeParts => "int[] primvars:phyxel:part.timeSamples = {",
        }
    }

    /// How values hang on the surface, where it must be said.
    const fn interpolation(self) -> &'static str {
        match self {
            Samples::Normals => "faceVarying",
            Samples::FreeNormals | Samples::FreeColours => "vertex",
            Samples::FreeParts => "uniform",
            _ => "",
        }
    }

    const fn is_free(self) -> bool {
        use Samples::*;
        matches!(self, FreeExtent | FreePoints | FreeNormals | FreeColours | FreeCounts | FreeIndices | FreeParts)
    }

    /// The attribute that a line opens, in a prim that is that of a surface found anew or not.
    fn opened_by(line: &str, is_free: bool) -> Option<Samples> {
        Samples::ALL.into_iter().find(|s| s.is_free() == is_free && s.opening() == line)
    }
}

/// The prims of the bodies.
pub(super) struct Names {
    /// One per body.
    pub own: Vec<String>,
    /// Those of surfaces found anew, one per body whether it has one or not.
    pub free: Vec<String>,
}

impl Names {
    /// The body and kind of a prim.
    fn find(&self, name: &str) -> Option<(usize, bool)> {
        let among = |names: &[String]| names.iter().position(|n| n == name);
        among(&self.own).map(|body| (body, false)).or_else(|| among(&self.free).map(|body| (body, true)))
    }
}

/// What stands before the width of a body.
pub(super) const WIDTHS: &str = "custom float[] phyxel:widths = [";

/// The hidden files.
pub(super) struct Parts {
    stem: PathBuf,
    bodies: usize,
}

impl Parts {
    /// Begins anew, or with the samples before `resume_from` that an earlier run left: in its hidden files when it was
    /// cut off, in the finished file otherwise. Also gives the first and last frame found there.
    pub(super) fn create(
        path: &Path,
        names: &Names,
        resume_from: usize,
    ) -> Result<(Self, Option<(usize, usize)>), OutputError> {
        let parts = Parts { stem: partial_name(path), bodies: names.own.len() };
        let mut found: Option<(usize, usize)> = None;
        parts.all().try_for_each(|(body, samples)| remove_if_there(&parts.resumed(body, samples)))?;
        if resume_from == 0 {
            remove_if_there(&parts.widths_path())?;
        } else {
            let unfinished =
                parts.bodies > 0 && [Samples::Points, Samples::FreePoints].iter().any(|s| parts.path(0, *s).exists());
            let mut keep = |body: usize, samples: Samples, frame: usize, line: &[u8]| {
                let (first, last) = found.unwrap_or((frame, frame));
                found = Some((first.min(frame), last.max(frame)));
                append(&parts.resumed(body, samples), |w| w.write_all(line))
            };
            if unfinished {
                parts.read_unfinished(resume_from, &mut keep)?;
            } else {
                read_finished(path, names, resume_from, &mut keep)?;
            }
        }
        for (body, samples) in parts.all() {
            remove_if_there(&parts.path(body, samples))?;
            let resumed = parts.resumed(body, samples);
            if resumed.exists() {
                let target = parts.path(body, samples);
                std::fs::rename(&resumed, &target).map_err(|e| OutputError::at(&target, e))?;
            }
        }
        Ok((parts, found))
    }

    fn all(&self) -> impl Iterator<Item = (usize, Samples)> + use<> {
        (0..self.bodies).flat_map(|body| Samples::ALL.map(|samples| (body, samples)))
    }

    fn path(&self, body: usize, samples: Samples) -> PathBuf {
        self.stem.with_extension(format!("{body}-{samples:?}.partial").to_lowercase())
    }

    fn resumed(&self, body: usize, samples: Samples) -> PathBuf {
        self.stem.with_extension(format!("{body}-{samples:?}.resumed.partial").to_lowercase())
    }

    fn widths_path(&self) -> PathBuf {
        self.stem.with_extension("widths.partial")
    }

    /// Notes the widths, one per body [m], for a run that resumes this one.
    pub(super) fn push_widths(&self, widths: &[f32]) -> Result<(), OutputError> {
        let line = |w: &f32| format!("{WIDTHS}{w}]\n");
        append(&self.widths_path(), |out| out.write_all(widths.iter().map(line).collect::<String>().as_bytes()))
    }

    /// The widths of the run that is resumed: from its note, or from the finished file at `path`.
    pub(super) fn earlier_widths(&self, path: &Path) -> Result<Option<Vec<f32>>, OutputError> {
        for source in [&self.widths_path(), path] {
            let mut widths = Vec::new();
            each_line(source, |line| {
                let text = String::from_utf8_lossy(line);
                let value = text.trim().strip_prefix(WIDTHS).and_then(|v| v.split(']').next());
                widths.extend(value.and_then(|v| v.parse::<f32>().ok()));
                Ok(())
            })?;
            if widths.len() == self.bodies {
                return Ok(Some(widths));
            }
        }
        Ok(None)
    }

    /// Adds one sample of triples.
    pub(super) fn push(
        &self,
        body: usize,
        frame: usize,
        samples: Samples,
        points: impl Iterator<Item = [f64; 3]>,
    ) -> Result<(), OutputError> {
        append(&self.path(body, samples), |w| {
            write!(w, "            {frame}: [")?;
            for (i, [x, y, z]) in points.map(|p| p.map(number)).enumerate() {
                if i > 0 {
                    write!(w, ", ")?;
                }
                write!(w, "({x}, {y}, {z})")?;
            }
            writeln!(w, "],")
        })
    }

    /// Adds one sample of whole numbers.
    pub(super) fn push_ints(
        &self,
        body: usize,
        frame: usize,
        samples: Samples,
        values: impl Iterator<Item = u32>,
    ) -> Result<(), OutputError> {
        append(&self.path(body, samples), |w| {
            write!(w, "            {frame}: [")?;
            for (i, value) in values.enumerate() {
                write!(w, "{}{value}", if i > 0 { ", " } else { "" })?;
            }
            writeln!(w, "],")
        })
    }

    /// Whether there are samples of an attribute.
    pub(super) fn has(&self, body: usize, samples: Samples) -> bool {
        self.path(body, samples).exists()
    }

    /// The frames that have a sample.
    pub(super) fn frames(&self, body: usize, samples: Samples) -> Result<Vec<usize>, OutputError> {
        let mut frames = Vec::new();
        each_line(&self.path(body, samples), |line| {
            frames.extend(frame_of(line));
            Ok(())
        })?;
        Ok(frames)
    }

    /// The triples of the first sample, as they were written.
    pub(super) fn first(&self, body: usize, samples: Samples) -> Result<Option<Vec<[f64; 3]>>, OutputError> {
        let path = self.path(body, samples);
        let mut line = Vec::new();
        match File::open(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.and_then(|file| BufReader::new(file).read_until(b'\n', &mut line)),
        }
        .map_err(|e| OutputError::at(&path, e))?;
        let text = String::from_utf8_lossy(&line);
        let numbers = text.split_once(':').map_or("", |(_, rest)| rest);
        let mut values =
            numbers.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).filter(|n| !n.is_empty());
        let mut next = || values.next()?.parse::<f32>().ok().map(f64::from);
        Ok(Some(std::iter::from_fn(|| Some([next()?, next()?, next()?])).collect()))
    }

    /// Writes the attribute with all its samples.
    pub(super) fn write(&self, body: usize, samples: Samples, w: &mut impl Write) -> io::Result<()> {
        writeln!(w, "        {}", samples.opening())?;
        match File::open(self.path(body, samples)) {
            Ok(mut file) => drop(io::copy(&mut file, w)?),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        writeln!(w, "        }}")?;
        if samples.interpolation().is_empty() {
            return Ok(());
        }
        let attribute = samples.opening().trim_end_matches(".timeSamples = {");
        writeln!(w, "        {attribute} (\n            interpolation = \"{}\"\n        )", samples.interpolation())
    }

    /// Writes, for each sample of parts, the triangles that show something inside.
    pub(super) fn write_inside(&self, body: usize, w: &mut impl Write) -> io::Result<()> {
        writeln!(w, "        int[] indices.timeSamples = {{")?;
        let path = self.path(body, Samples::FreeParts);
        let written = each_line(&path, |line| {
            let text = String::from_utf8_lossy(line);
            let (Some(frame), Some((_, list))) = (frame_of(line), text.split_once('[')) else { return Ok(()) };
            let parts = list.split([',', ']']).map(|part| part.trim().parse::<u32>());
            let inside = (0..).zip(parts).filter(|(_, part)| part.as_ref().is_ok_and(|part| *part != 0));
            let faces: Vec<String> = inside.map(|(face, _): (usize, _)| face.to_string()).collect();
            writeln!(w, "            {frame}: [{}],", faces.join(", ")).map_err(|e| OutputError::at(&path, e))
        });
        written.map_err(io::Error::other)?;
        writeln!(w, "        }}")
    }

    /// Removes the hidden files.
    pub(super) fn remove(&self) -> Result<(), OutputError> {
        remove_if_there(&self.widths_path())?;
        self.all().try_for_each(|(body, samples)| remove_if_there(&self.path(body, samples)))
    }

    fn read_unfinished(&self, resume_from: usize, keep: &mut Keep<'_>) -> Result<(), OutputError> {
        for (body, samples) in self.all() {
            each_line(&self.path(body, samples), |line| match frame_of(line) {
                Some(frame) if frame < resume_from => keep(body, samples, frame, line),
                _ => Ok(()),
            })?;
        }
        Ok(())
    }
}

/// Takes the line of a sample: body, attribute, frame, text.
type Keep<'a> = dyn FnMut(usize, Samples, usize, &[u8]) -> Result<(), OutputError> + 'a;

/// Finds the samples in a file that this module's owner wrote, whose lines it knows.
fn read_finished(path: &Path, names: &Names, resume_from: usize, keep: &mut Keep<'_>) -> Result<(), OutputError> {
    let (mut prim, mut samples) = (None, None);
    each_line(path, |line| {
        if let (Some((body, _)), Some(samples), Some(frame)) = (prim, samples, frame_of(line)) {
            return if frame < resume_from { keep(body, samples, frame, line) } else { Ok(()) };
        }
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.starts_with("def ") {
            prim = text.split('"').nth(1).and_then(|name| names.find(name));
        }
        samples = prim.and_then(|(_, is_free)| Samples::opened_by(text, is_free));
        Ok(())
    })
}

/// The frame of a whole line of a sample; a line that was cut off has none.
fn frame_of(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"],\n")?;
    let digits = line.split(|&c| c == b':').next()?;
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

fn each_line(path: &Path, mut visit: impl FnMut(&[u8]) -> Result<(), OutputError>) -> Result<(), OutputError> {
    file::each_line(path, |line| visit(line).map(|()| true))
}

/// USD points are single precision. What is no number is put at the origin: few readers know the word `nan`.
fn number(value: f64) -> f32 {
    if value.is_finite() { value.clamp(f32::MIN.into(), f32::MAX.into()) as f32 } else { 0.0 }
}
