//! From the frames of a run to pictures, sheets and films.

use crate::file::{AtomicFile, OutputError};
use crate::frames::{FramesError, FramesFile};
use crate::picture::write_png;
use phyxel_draw::movie::{self, Form, Plan};
use phyxel_draw::sheet::{SheetLayout, captions, evenly};
use phyxel_draw::{DrawError, Image, Painter, Stage, StageSettings};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use thiserror::Error;

/// Why a result could not be drawn.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The result could not be read.
    #[error(transparent)]
    Frames(#[from] FramesError),
    /// The picture cannot be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The picture cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A frame that is not there.
    #[error("there is no frame {asked}: the result has frames {first} to {last}")]
    NoSuchFrame {
        /// What was asked for.
        asked: usize,
        /// The first that is there.
        first: usize,
        /// The last.
        last: usize,
    },
    /// A time at which nothing was simulated.
    #[error("nothing was simulated at t = {asked} s: the result goes from {first} to {last} s")]
    NoSuchTime {
        /// What was asked for [s].
        asked: f64,
        /// Where the result begins [s].
        first: f64,
        /// Where it ends [s].
        last: f64,
    },
}

impl RenderError {
    /// Whether the request was wrong, and not the machine.
    pub fn is_input(&self) -> bool {
        !matches!(self, RenderError::Draw(DrawError::Io(_)) | RenderError::Output(OutputError::DiskFull { .. }))
    }
}

/// Which frames are drawn, and as what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Which {
    /// One picture of the frame that had this number in its run.
    Frame(usize),
    /// One picture of the frame nearest to this time [s].
    Time(f64),
    /// One picture of the last frame.
    Last,
    /// Several pictures on one.
    Sheet(SheetLayout),
    /// A film, with so many pictures per second where it matters.
    Film(Form, Option<f64>),
}

/// Draws a result into the file `output`. `progress` hears how many pictures of how many are drawn.
///
/// `settings` are taken as they are but for what the result itself tells: its floor and its outlines, and its camera where
/// none is given. Returns what could not be shown as asked for, in sentences.
pub fn render(
    result: &mut FramesFile,
    mut settings: StageSettings,
    which: Which,
    output: &Path,
    painter: &mut dyn Painter,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<String>, RenderError> {
    result.not_empty()?;
    let head = result.head();
    settings.ground = settings.ground.or(head.ground);
    settings.camera = settings.camera.or(head.camera);
    settings.outlines.clone_from(&head.outlines);
    if let Which::Sheet(layout) = &which {
        (settings.width, settings.height) = layout.tile();
    }
    if let Which::Film(form, _) = which {
        form.check()?;
    }
    let chosen = chosen(result, which)?;
    let mut studio = Studio { stage: survey(result, settings)?, result, painter };
    match which {
        Which::Frame(_) | Which::Time(_) | Which::Last => {
            write_png(output, &studio.draw(chosen[0])?)?;
            progress(1, 1);
        }
        Which::Sheet(layout) => write_png(output, &studio.sheet(&layout, &chosen, progress)?)?,
        Which::Film(form, rate) => {
            let plan = Plan::new(chosen.len(), studio.result.head().frame_rate, form, rate);
            studio.film(form, &plan, output, progress)?;
        }
    }
    Ok(studio.stage.notes().to_vec())
}

/// Places in the file of the frames that are asked for.
fn chosen(result: &FramesFile, which: Which) -> Result<Vec<usize>, RenderError> {
    let (first, last) = (result.label(0), result.label(result.len() - 1));
    Ok(match which {
        Which::Frame(asked) => {
            let at = (0..result.len()).find(|&at| result.label(at).0 == asked);
            vec![at.ok_or(RenderError::NoSuchFrame { asked, first: first.0, last: last.0 })?]
        }
        Which::Time(asked) => {
            let half = 0.5 / result.head().frame_rate;
            if !(asked >= first.1 - half && asked <= last.1 + half) {
                return Err(RenderError::NoSuchTime { asked, first: first.1, last: last.1 });
            }
            let off = |at: &usize| (result.label(*at).1 - asked).abs();
            (0..result.len()).min_by(|a, b| off(a).total_cmp(&off(b))).into_iter().collect()
        }
        Which::Last => vec![result.len() - 1],
        Which::Sheet(layout) => evenly(result.len(), layout.count()),
        Which::Film(..) => (0..result.len()).collect(),
    })
}

/// Looks at every frame, so that all pictures of a result have the same camera and the same colours.
fn survey(result: &mut FramesFile, settings: StageSettings) -> Result<Stage, RenderError> {
    let mut stage = Stage::new(&result.head().layouts, settings)?;
    for at in 0..result.len() {
        stage.survey(&result.read(at)?)?;
    }
    stage.ready()?;
    Ok(stage)
}

struct Studio<'a> {
    stage: Stage,
    result: &'a mut FramesFile,
    painter: &'a mut dyn Painter,
}

impl Studio<'_> {
    fn draw(&mut self, at: usize) -> Result<Image, RenderError> {
        let frame = self.result.read(at)?;
        Ok(self.painter.draw(&self.stage.picture(&frame)?)?)
    }

    fn sheet(
        &mut self,
        layout: &SheetLayout,
        chosen: &[usize],
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Image, RenderError> {
        let times: Vec<f64> = chosen.iter().map(|at| self.result.label(*at).1).collect();
        let mut tiles = Vec::new();
        for (at, caption) in chosen.iter().zip(captions(&times)) {
            tiles.push((self.draw(*at)?, caption));
            progress(tiles.len(), chosen.len());
        }
        Ok(layout.paste(&tiles))
    }

    fn film(
        &mut self,
        form: Form,
        plan: &Plan,
        output: &Path,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), RenderError> {
        let mut samples = Vec::new();
        if form == Form::Gif {
            // A few pictures decide on the colours of all.
            for at in evenly(plan.frames.len(), 4) {
                samples.push(self.draw(plan.frames[at])?);
            }
        }
        let bytes = Shared::default();
        let mut film = movie::begin(form, plan.rate, &samples.iter().collect::<Vec<_>>(), Box::new(bytes.clone()))?;
        let mut last: Option<(usize, Image)> = None;
        for (done, &at) in plan.frames.iter().enumerate() {
            let image = match last.take().filter(|(drawn, _)| *drawn == at) {
                Some((_, image)) => image,
                None => self.draw(at)?,
            };
            film.push(&image)?;
            last = Some((at, image));
            progress(done + 1, plan.frames.len());
        }
        film.finish()?;
        Ok(AtomicFile::write(output, |w| w.write_all(&bytes.take()))?)
    }
}

/// Bytes of a film, which are written to their file only when they are all there.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn take(&self) -> Vec<u8> {
        self.0.lock().map(|mut bytes| std::mem::take(&mut *bytes)).unwrap_or_default()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::Error::other("the film was given up"))?.extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The form of a film by the extension of its file.
pub fn film_form(path: &Path) -> Option<Form> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "gif" => Some(Form::Gif),
        "mp4" => Some(Form::Mp4),
        _ => None,
    }
}

/// The file of a film in a folder.
pub(crate) fn film_path(dir: &Path, name: &str, form: Form) -> PathBuf {
    let extension = match form {
        Form::Gif => "gif",
        Form::Mp4 => "mp4",
    };
    dir.join(format!("{name}.{extension}"))
}
