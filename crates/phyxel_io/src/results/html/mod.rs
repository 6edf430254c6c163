//! HTML: one page that plays the result in any browser, without a server and without a network.
//!
//! The page holds the drawing library three.js, a viewer, the shapes of the bodies, and one line per frame: deflated and
//! as base64, since a page is text. The viewer unpacks a frame when it is to be shown, so that long results need little
//! memory in the browser, too.

mod frame;
mod head;
mod lines;
mod squeeze;

pub(super) use frame::srgb_byte;
pub(super) use head::media_type;

use super::{FrameStats, Run, Writer};
use crate::file::{AtomicFile, OutputError};
use crate::picture::Outline;
use frame::First;
use head::Head;
use lines::{Lines, pack};
use phyxel::record::Frame;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

const THREE: &str = include_str!("../../../assets/three/three.min.js");
const THREE_LICENSE: &str = include_str!("../../../assets/three/LICENSE");
const STYLE: &str = include_str!("../../../assets/html/page.css");
const BODY: &str = include_str!("../../../assets/html/page.html");
/// In the order in which they rely on each other.
const VIEWER: [&str; 6] = [
    include_str!("../../../assets/html/unpack.js"),
    include_str!("../../../assets/html/colours.js"),
    include_str!("../../../assets/html/normals.js"),
    include_str!("../../../assets/html/bodies.js"),
    include_str!("../../../assets/html/stage.js"),
    include_str!("../../../assets/html/player.js"),
];

pub(super) struct HtmlWriter {
    run: Arc<Run>,
    path: PathBuf,
    lines: Lines,
    first: First,
    ground: Option<f64>,
    outlines: Vec<Outline>,
}

impl HtmlWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let path = run.dir.join(format!("{}.html", run.name));
        let (lines, first) = Lines::create(&path, run.drawables.len(), run.resume_from)?;
        Ok(HtmlWriter { run, path, lines, first, ground: None, outlines: Vec::new() })
    }

    fn write(&self, head: &str, w: &mut impl Write) -> io::Result<()> {
        let title = self.run.name.replace('&', "&amp;").replace('<', "&lt;");
        writeln!(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        writeln!(w, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(w, "<meta name=\"generator\" content=\"phyxel {}\">", env!("CARGO_PKG_VERSION"))?;
        writeln!(w, "<title>{title} · phyxel</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{BODY}")?;
        writeln!(w, "<!--\nThis page contains three.js (https://threejs.org), under the following licence.\n")?;
        writeln!(w, "{THREE_LICENSE}-->")?;
        writeln!(w, "<script type=\"phyxel/library\">{}</script>", pack(THREE.as_bytes())?)?;
        writeln!(w, "<script type=\"phyxel/head\">{head}</script>")?;
        writeln!(w, "<script type=\"phyxel/topology\">{}</script>", pack(&head::topology(&self.run.drawables))?)?;
        self.lines.write(w)?;
        writeln!(w, "<script>\n(function () {{\n'use strict';")?;
        VIEWER.iter().try_for_each(|part| w.write_all(part.as_bytes()))?;
        writeln!(w, "}})();\n</script>\n</body>\n</html>")
    }
}

impl Writer for HtmlWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        let (bytes, mut meta) = frame::encode(&self.run.drawables, frame, &mut self.first);
        meta.poses = head::moving(&self.outlines).map(|o| frame::pose(o, frame.time)).collect();
        self.lines.push(&bytes, &meta)
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        let head = serde_json::to_string(&Head::of(&self.run, self.ground, &self.outlines))
            .map_err(|source| OutputError::Json { path: self.path.clone(), source })?;
        // A name must not end the element that holds it.
        let head = head.replace('<', "\\u003c");
        AtomicFile::write(&self.path, |w| self.write(&head, w))?;
        self.lines.remove()?;
        Ok(Some(self.path))
    }

    fn set_ground(&mut self, y: f64) {
        self.ground = Some(y).filter(|y| y.is_finite());
    }

    fn set_outlines(&mut self, outlines: &[Outline]) {
        self.outlines = outlines.to_vec();
    }
}
