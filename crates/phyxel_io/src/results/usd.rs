//! USD: one animated scene in the text form of Universal Scene Description (`.usda`).
//!
//! Surfaces are `Mesh` prims, phyxels without a skin `Points`, springs without triangles `BasisCurves`.

use super::usd_parts::{Parts, Samples, WIDTHS};
use super::{FrameStats, Run, Writer};
use crate::drawable::{Drawable, DrawnShape, body_colour, spacing};
use crate::file::{AtomicFile, OutputError};
use phyxel::record::Frame;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct UsdWriter {
    run: Arc<Run>,
    path: PathBuf,
    /// Names of the prims, one per body.
    names: Vec<String>,
    /// Diameter of points and curves [m], one per body, known with the first frame; zero for meshes.
    widths: Vec<f32>,
    parts: Parts,
    first: Option<usize>,
    last: usize,
}

impl UsdWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let path = run.dir.join(format!("{}.usda", run.name));
        let names = prim_names(run.drawables.iter().map(|d| d.name.as_str()));
        let (parts, earlier) = Parts::create(&path, &names, run.resume_from)?;
        let (first, last) = earlier.map_or((None, 0), |(first, last)| (Some(first), last));
        let widths = parts.earlier_widths(&path)?.filter(|_| run.resume_from > 0).unwrap_or_default();
        Ok(UsdWriter { run, path, names, widths, parts, first, last })
    }

    fn write(&self, w: &mut impl Write) -> io::Result<()> {
        let (rate, start) = (self.run.frame_rate, self.first.unwrap_or(0));
        writeln!(w, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"Simulated by phyxel\"")?;
        writeln!(w, "    endTimeCode = {}\n    framesPerSecond = {rate}\n    metersPerUnit = 1", self.last)?;
        writeln!(w, "    startTimeCode = {start}\n    timeCodesPerSecond = {rate}\n    upAxis = \"Y\"\n)\n")?;
        writeln!(w, "def Xform \"World\"\n{{")?;
        for (body, drawable) in self.run.drawables.iter().enumerate() {
            self.write_body(body, drawable, w)?;
        }
        writeln!(w, "}}")
    }

    fn write_body(&self, body: usize, drawable: &Drawable, w: &mut impl Write) -> io::Result<()> {
        let kind = match drawable.shape {
            DrawnShape::Triangles(_) => "Mesh",
            DrawnShape::Spheres => "Points",
            DrawnShape::Segments(_) => "BasisCurves",
        };
        writeln!(w, "    def {kind} \"{}\"\n    {{", self.names[body])?;
        self.parts.write(body, Samples::Extent, w)?;
        self.parts.write(body, Samples::Points, w)?;
        let width = self.widths.get(body).copied().unwrap_or(0.01);
        self.write_topology(width, drawable, w)?;
        writeln!(w, "        {WIDTHS}{width}]")?;
        // Display colours are linear in USD.
        let [r, g, b] = body_colour(body).map(|c| c.powf(2.2));
        writeln!(w, "        color3f[] primvars:displayColor = [({r}, {g}, {b})]")?;
        writeln!(w, "        custom string phyxel:name = \"{}\"\n    }}", quoted(&drawable.name))
    }

    fn write_topology(&self, width: f32, drawable: &Drawable, w: &mut impl Write) -> io::Result<()> {
        match &drawable.shape {
            DrawnShape::Triangles(triangles) => {
                write_ints(w, "faceVertexCounts", triangles.iter().map(|_| 3))?;
                write_ints(w, "faceVertexIndices", triangles.iter().flatten().copied())?;
                writeln!(w, "        uniform token orientation = \"rightHanded\"")?;
                writeln!(w, "        uniform token subdivisionScheme = \"none\"")?;
                return Ok(());
            }
            DrawnShape::Spheres => {}
            DrawnShape::Segments(segments) => {
                write_ints(w, "curveVertexCounts", segments.iter().map(|_| 2))?;
                writeln!(w, "        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"")?;
            }
        }
        writeln!(w, "        float[] widths = [{width}] (\n            interpolation = \"constant\"\n        )")
    }
}

impl Writer for UsdWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        if self.widths.is_empty() {
            let bodies = self.run.drawables.iter().zip(&frame.bodies);
            self.widths = bodies.map(|(d, now)| width(d, d.points(now))).collect();
            self.parts.push_widths(&self.widths)?;
        }
        for (body, (drawable, now)) in self.run.drawables.iter().zip(&frame.bodies).enumerate() {
            let points = drawable.points(now);
            let margin = f64::from(self.widths[body]) / 2.0;
            self.parts.push(body, frame.index, Samples::Extent, extent(points, margin).into_iter())?;
            match &drawable.shape {
                DrawnShape::Segments(segments) => {
                    let ends = segments.iter().flatten().map(|&v| points[v as usize]);
                    self.parts.push(body, frame.index, Samples::Points, ends)?;
                }
                _ => self.parts.push(body, frame.index, Samples::Points, points.iter().copied())?,
            }
        }
        self.first.get_or_insert(frame.index);
        self.last = frame.index;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        AtomicFile::write(&self.path, |w| self.write(w))?;
        self.parts.remove()?;
        Ok(Some(self.path))
    }
}

/// Text that may stand between quotation marks.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " ")
}

/// Diameter that suits the distance between points [m]: phyxels nearly touch, springs are thin.
fn width(drawable: &Drawable, points: &[[f64; 3]]) -> f32 {
    match drawable.shape {
        DrawnShape::Triangles(_) => 0.0,
        DrawnShape::Spheres => (0.9 * spacing(points)) as f32,
        DrawnShape::Segments(_) => (0.15 * spacing(points)) as f32,
    }
}

fn write_ints(w: &mut impl Write, name: &str, values: impl Iterator<Item = u32>) -> io::Result<()> {
    write!(w, "        int[] {name} = [")?;
    for (i, value) in values.enumerate() {
        if i > 0 {
            write!(w, ", ")?;
        }
        write!(w, "{value}")?;
    }
    writeln!(w, "]")
}

/// The box around the finite ones of the points, widened by `margin` [m].
fn extent(points: &[[f64; 3]], margin: f64) -> [[f64; 3]; 2] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points.iter().filter(|p| p.iter().all(|c| c.is_finite())) {
        for k in 0..3 {
            low[k] = low[k].min(point[k] - margin);
            high[k] = high[k].max(point[k] + margin);
        }
    }
    if low[0] > high[0] { [[0.0; 3]; 2] } else { [low, high] }
}

/// Names that USD allows (letters, digits and underscores, no digit first), each one only once.
fn prim_names<'a>(bodies: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    bodies
        .map(|body| {
            let mut name: String = body.chars().map(legal).collect();
            if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
                name.insert_str(0, "body_");
            }
            let unique = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name}_{n}") });
            let name = unique.into_iter().find(|n| !taken.contains(n)).unwrap_or_default();
            taken.insert(name.clone());
            name
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prim_names_are_legal_and_unique() {
        let names = prim_names(["cube", "cube", "2nd ball", "", "cube_2", "größe"].into_iter());
        assert_eq!(names, ["cube", "cube_2", "body_2nd_ball", "body_", "cube_2_2", "gr__e"]);
    }

    #[test]
    fn the_extent_ignores_points_that_are_not_numbers() {
        let points = [[1.0, 2.0, 3.0], [f64::NAN, 9.0, 9.0], [-1.0, 0.0, 4.0]];
        assert_eq!(extent(&points, 0.5), [[-1.5, -0.5, 2.5], [1.5, 2.5, 4.5]]);
        assert_eq!(extent(&[], 0.5), [[0.0; 3]; 2]);
    }
}
