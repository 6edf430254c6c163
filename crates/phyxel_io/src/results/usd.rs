//! USD: one animated scene in the text form of Universal Scene Description (`.usda`).
//!
//! Surfaces are `Mesh` prims, phyxels without a skin `Points`, springs without triangles `BasisCurves`. A surface found
//! anew in some frames is a `Mesh` of its own beside the body's prim, whose triangles change from sample to sample; of the
//! two, only the one that is drawn in a frame is visible.

use super::textures::Textures;
use super::usd_looks::{
    BINDS, SCOPE, close_inside, display_colour, open_inside, write_binding, write_free_binding, write_free_material,
    write_inside_material, write_materials, write_uvs,
};
use super::usd_parts::{Names, Parts, Samples, WIDTHS};
use super::{FrameStats, Run, Writer};
use crate::drawable::{Drawable, DrawnShape, DrawnSurface, spacing};
use crate::file::{AtomicFile, OutputError};
use phyxel::record::Frame;
use phyxel_draw::{Creases, vertex_normals};
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct UsdWriter {
    run: Arc<Run>,
    path: PathBuf,
    names: Names,
    textures: Textures,
    /// Diameter of points and curves [m], one per body, known with the first frame; zero for meshes.
    widths: Vec<f32>,
    /// Where the normals of each body's skin are, known with the first frame that draws it.
    creases: Vec<Option<Creases>>,
    parts: Parts,
    first: Option<usize>,
    last: usize,
}

impl UsdWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let path = run.dir.join(format!("{}.usda", run.name));
        let names = names(run.drawables.iter().map(|d| d.name.as_str()));
        let (parts, earlier) = Parts::create(&path, &names, run.resume_from)?;
        let (first, last) = earlier.map_or((None, 0), |(first, last)| (Some(first), last));
        let widths = parts.earlier_widths(&path)?.filter(|_| run.resume_from > 0).unwrap_or_default();
        let textures = Textures::gather(&run)?;
        let mut creases = Vec::new();
        for (body, drawable) in run.drawables.iter().enumerate() {
            let points = parts.first(body, Samples::Points)?;
            creases.push(points.and_then(|points| find_creases(drawable, &points)));
        }
        Ok(UsdWriter { run, path, names, textures, widths, creases, parts, first, last })
    }

    fn write(&self, shown: &[Shown], w: &mut impl Write) -> io::Result<()> {
        let (rate, start) = (self.run.frame_rate, self.first.unwrap_or(0));
        writeln!(w, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"Simulated by phyxel\"")?;
        writeln!(w, "    endTimeCode = {}\n    framesPerSecond = {rate}\n    metersPerUnit = 1", self.last)?;
        writeln!(w, "    startTimeCode = {start}\n    timeCodesPerSecond = {rate}\n    upAxis = \"Y\"\n)\n")?;
        writeln!(w, "def Xform \"World\"\n{{")?;
        for (body, drawable) in self.run.drawables.iter().enumerate() {
            self.write_body(body, drawable, shown[body].as_deref(), w)?;
            if let Some(shown) = &shown[body] {
                self.write_free(body, drawable, shown, w)?;
            }
        }
        self.write_looks(shown, w)?;
        writeln!(w, "}}")
    }

    fn write_body(
        &self,
        body: usize,
        drawable: &Drawable,
        shown: Option<&[(usize, bool)]>,
        w: &mut impl Write,
    ) -> io::Result<()> {
        let kind = match drawable.shape {
            DrawnShape::Triangles(_) => "Mesh",
            DrawnShape::Spheres => "Points",
            DrawnShape::Segments(_) => "BasisCurves",
        };
        writeln!(w, "    def {kind} \"{}\"{BINDS}\n    {{", self.names.own[body])?;
        self.parts.write(body, Samples::Extent, w)?;
        self.parts.write(body, Samples::Points, w)?;
        let width = self.widths.get(body).copied().unwrap_or(0.01);
        self.write_topology(body, width, drawable, w)?;
        writeln!(w, "        {WIDTHS}{width}]")?;
        self.write_colours(body, drawable, w)?;
        if let Some(shown) = shown {
            write_visibility(shown, false, w)?;
        }
        writeln!(w, "        custom string phyxel:name = \"{}\"", quoted(&drawable.name))?;
        write_binding(&self.names.own[body], drawable, w)?;
        writeln!(w, "    }}")
    }

    fn write_colours(&self, body: usize, drawable: &Drawable, w: &mut impl Write) -> io::Result<()> {
        let own = &drawable.look.colours;
        if own.is_empty() {
            let [r, g, b] = display_colour(body, &drawable.look);
            return writeln!(w, "        color3f[] primvars:displayColor = [({r}, {g}, {b})]");
        }
        write!(w, "        color3f[] primvars:displayColor = [")?;
        for (i, [r, g, b]) in own.iter().enumerate() {
            write!(w, "{}({r}, {g}, {b})", if i > 0 { ", " } else { "" })?;
        }
        writeln!(w, "] (\n            interpolation = \"vertex\"\n        )")
    }

    fn write_topology(&self, body: usize, width: f32, drawable: &Drawable, w: &mut impl Write) -> io::Result<()> {
        match &drawable.shape {
            DrawnShape::Triangles(triangles) => {
                write_ints(w, "faceVertexCounts", triangles.iter().map(|_| 3))?;
                write_ints(w, "faceVertexIndices", triangles.iter().flatten().copied())?;
                if let Some(creases) = &self.creases[body] {
                    self.parts.write(body, Samples::Normals, w)?;
                    write_ints(w, "primvars:normals:indices", creases.corners.iter().flatten().copied())?;
                }
                write_uvs(drawable, w)?;
                return write_mesh_tokens(w);
            }
            DrawnShape::Spheres => {}
            DrawnShape::Segments(segments) => {
                write_ints(w, "curveVertexCounts", segments.iter().map(|_| 2))?;
                writeln!(w, "        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"")?;
            }
        }
        writeln!(w, "        float[] widths = [{width}] (\n            interpolation = \"constant\"\n        )")
    }

    fn write_free(
        &self,
        body: usize,
        drawable: &Drawable,
        shown: &[(usize, bool)],
        w: &mut impl Write,
    ) -> io::Result<()> {
        let name = &self.names.free[body];
        writeln!(w, "    def Mesh \"{name}\"{BINDS}\n    {{")?;
        use Samples::{FreeColours, FreeCounts, FreeExtent, FreeIndices, FreeNormals, FreePoints};
        for samples in [FreeExtent, FreePoints, FreeNormals, FreeColours, FreeCounts, FreeIndices] {
            self.parts.write(body, samples, w)?;
        }
        write_mesh_tokens(w)?;
        let breaks = self.parts.has(body, Samples::FreeParts);
        if breaks {
            self.parts.write(body, Samples::FreeParts, w)?;
        }
        write_visibility(shown, true, w)?;
        write_free_binding(name, w)?;
        writeln!(w, "        custom string phyxel:name = \"{}\"", quoted(&drawable.name))?;
        if breaks {
            open_inside(w)?;
            self.parts.write_inside(body, w)?;
            close_inside(name, w)?;
        }
        writeln!(w, "    }}")
    }

    fn write_looks(&self, shown: &[Shown], w: &mut impl Write) -> io::Result<()> {
        writeln!(w, "    def Scope \"{SCOPE}\"\n    {{")?;
        for (body, drawable) in self.run.drawables.iter().enumerate() {
            write_materials((body, &self.names.own[body]), drawable, &self.textures, w)?;
            if shown[body].is_some() {
                write_free_material((body, &drawable.look), &self.names.free[body], w)?;
                if self.parts.has(body, Samples::FreeParts) {
                    write_inside_material((body, &self.names.free[body]), drawable, w)?;
                }
            }
        }
        writeln!(w, "    }}")
    }

    /// A frame of a body's own prim.
    fn push_own(&mut self, body: usize, frame: usize, points: &[[f64; 3]]) -> Result<(), OutputError> {
        let drawable = &self.run.drawables[body];
        let margin = f64::from(self.widths[body]) / 2.0;
        self.parts.push(body, frame, Samples::Extent, extent(points, margin).into_iter())?;
        match &drawable.shape {
            DrawnShape::Segments(segments) => {
                let ends = segments.iter().flatten().map(|&v| points[v as usize]);
                self.parts.push(body, frame, Samples::Points, ends)?;
            }
            _ => self.parts.push(body, frame, Samples::Points, points.iter().copied())?,
        }
        let DrawnShape::Triangles(triangles) = &drawable.shape else { return Ok(()) };
        if self.creases[body].is_none() {
            // From the numbers in the file, so that a run that resumes this one finds the same edges.
            let written = self.parts.first(body, Samples::Points)?;
            self.creases[body] = written.and_then(|points| find_creases(drawable, &points));
        }
        let Some(creases) = &self.creases[body] else { return Ok(()) };
        self.parts.push(body, frame, Samples::Normals, creases.normals(points, triangles).into_iter())
    }

    /// A frame of a surface found anew.
    fn push_free(&self, body: usize, frame: usize, surface: &DrawnSurface<'_>) -> Result<(), OutputError> {
        let DrawnSurface { points, normals, colours, triangles, parts, .. } = *surface;
        let push = |samples, values: &mut dyn Iterator<Item = [f64; 3]>| self.parts.push(body, frame, samples, values);
        push(Samples::FreeExtent, &mut extent(points, 0.0).into_iter())?;
        push(Samples::FreePoints, &mut points.iter().copied())?;
        if normals.is_empty() {
            push(Samples::FreeNormals, &mut vertex_normals(points, triangles).into_iter())?;
        } else {
            push(Samples::FreeNormals, &mut normals.iter().copied())?;
        }
        // One colour per vertex even where all are alike: the interpolation of an attribute cannot change with time.
        let plain = display_colour(body, &self.run.drawables[body].look).map(f64::from);
        let colour = |i: usize| colours.get(i).map_or(plain, |c| c.map(f64::from));
        push(Samples::FreeColours, &mut (0..points.len()).map(colour))?;
        self.parts.push_ints(body, frame, Samples::FreeCounts, triangles.iter().map(|_| 3))?;
        self.parts.push_ints(body, frame, Samples::FreeIndices, triangles.iter().flatten().copied())?;
        if parts.is_empty() {
            return Ok(());
        }
        self.parts.push_ints(body, frame, Samples::FreeParts, parts.iter().copied())
    }

    /// In which frames each body is drawn as its surface found anew.
    fn shown(&self) -> Result<Vec<Shown>, OutputError> {
        let of_body = |body: usize| {
            if !self.parts.has(body, Samples::FreePoints) {
                return Ok(None);
            }
            let own = self.parts.frames(body, Samples::Points)?.into_iter().map(|frame| (frame, false));
            let free = self.parts.frames(body, Samples::FreePoints)?.into_iter().map(|frame| (frame, true));
            let mut shown: Vec<(usize, bool)> = own.chain(free).collect();
            shown.sort_unstable();
            shown.dedup_by_key(|(_, is_free)| *is_free);
            Ok(Some(shown))
        };
        (0..self.run.drawables.len()).map(of_body).collect()
    }
}

/// The frames in which a body changes over to its surface found anew (true) or back; nothing where it never has one.
type Shown = Option<Vec<(usize, bool)>>;

impl Writer for UsdWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        let run = Arc::clone(&self.run);
        if self.widths.is_empty() {
            let bodies = run.drawables.iter().zip(&frame.bodies);
            self.widths = bodies.map(|(d, now)| width(d, d.points(now))).collect();
            self.parts.push_widths(&self.widths)?;
        }
        for (body, (drawable, now)) in run.drawables.iter().zip(&frame.bodies).enumerate() {
            match drawable.surface(now).filter(|s| s.is_free) {
                Some(surface) => self.push_free(body, frame.index, &surface)?,
                None => self.push_own(body, frame.index, drawable.points(now))?,
            }
        }
        self.first.get_or_insert(frame.index);
        self.last = frame.index;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        let shown = self.shown()?;
        AtomicFile::write(&self.path, |w| self.write(&shown, w))?;
        self.parts.remove()?;
        Ok(Some(self.path))
    }
}

/// The edges of a body's skin; nothing for a body of other things, or points that do not fit its triangles.
fn find_creases(drawable: &Drawable, points: &[[f64; 3]]) -> Option<Creases> {
    let DrawnShape::Triangles(triangles) = &drawable.shape else { return None };
    let fits = triangles.iter().flatten().all(|&v| (v as usize) < points.len());
    fits.then(|| Creases::of(points, triangles, &drawable.look.normals))
}

fn write_mesh_tokens(w: &mut impl Write) -> io::Result<()> {
    writeln!(w, "        uniform token orientation = \"rightHanded\"")?;
    writeln!(w, "        uniform token subdivisionScheme = \"none\"")
}

/// When a prim is seen: the prim of the surface found anew (`free`) in other frames than the body's own.
fn write_visibility(shown: &[(usize, bool)], free: bool, w: &mut impl Write) -> io::Result<()> {
    writeln!(w, "        token visibility.timeSamples = {{")?;
    for (frame, is_free) in shown {
        let word = if *is_free == free { "inherited" } else { "invisible" };
        writeln!(w, "            {frame}: \"{word}\",")?;
    }
    writeln!(w, "        }}")
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

/// Writes whole numbers that do not change.
pub(super) fn write_ints(w: &mut impl Write, name: &str, values: impl Iterator<Item = u32>) -> io::Result<()> {
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

/// Names of all prims. The scope of the materials is among them, so that no body takes its name.
fn names<'a>(bodies: impl Iterator<Item = &'a str>) -> Names {
    let bodies: Vec<String> = bodies.map(String::from).collect();
    let free: Vec<String> = bodies.iter().map(|name| format!("{name}_surface")).collect();
    let mut all = prim_names(std::iter::once(SCOPE).chain(bodies.iter().chain(&free).map(String::as_str)));
    let mut own = all.split_off(1);
    let free = own.split_off(own.len() / 2);
    Names { own, free }
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
