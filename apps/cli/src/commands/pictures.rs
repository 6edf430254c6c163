//! `phyxel pictures`: a small sheet of pictures of every built-in scene, for the docs.

use std::path::{Path, PathBuf};

use phyxel::record::{BodyFrame, BodyLayout, Frame};
use phyxel::scene::Scene;
use phyxel::{AnySimulation, Precision};
use phyxel_draw::sheet::{SheetLayout, captions, moments};
use phyxel_draw::{Image, Painter, Stage, StageSettings, body_colour, linear_from_srgb};
use phyxel_io::parse_scene;
use phyxel_io::picture::{scene_outlines, write_small_png};
use phyxel_scenes::{ALL, find};
use phyxel_surface::{Dresser, ReconstructionSettings};

use super::render::sheet_path;
use super::run::floor;
use crate::args::PicturesArgs;
use crate::device::Wanted;
use crate::failure::Failure;
use crate::painter;
use crate::threads::with_threads;

/// Runs the command.
pub fn pictures(args: &PicturesArgs) -> Result<(), Failure> {
    let names: Vec<&str> = match args.scenes.as_slice() {
        [] => ALL.iter().map(|scene| scene.name).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    if let Some(unknown) = names.iter().find(|name| find(name).is_none()) {
        return Err(Failure::input(format!("there is no built-in scene `{unknown}`; see `phyxel list scenes`")));
    }
    std::fs::create_dir_all(&args.folder)
        .map_err(|error| Failure::input(format!("the folder {}: {error}", args.folder.display())))?;
    with_threads(args.threads, |_| {
        let mut painter = painter::choose(&Wanted::parse(&args.device))?;
        names.iter().try_for_each(|name| one(name, &args.folder, &mut *painter, args.quiet))
    })
}

/// Scenes that the README shows, on a larger sheet beside the small one.
const FEATURED: [&str; 5] = ["jelly", "tumble", "knockabout", "dent", "funnel"];
const SMALL: SheetLayout = SheetLayout { columns: 3, rows: 2, width: 480 };
const LARGE: SheetLayout = SheetLayout { columns: 4, rows: 3, width: 800 };
/// At most so many frames of a scene are kept, to choose from.
const KEPT: usize = 60;

fn one(name: &str, folder: &Path, painter: &mut dyn Painter, quiet: bool) -> Result<(), Failure> {
    let started = std::time::Instant::now();
    let clip = Clip::of(name)?;
    let mut draw = |layout: SheetLayout, path: PathBuf| {
        write_small_png(&path, &clip.sheet(layout, painter)?).map_err(Failure::work)?;
        if !quiet {
            println!("{} in {:.1} s", path.display(), started.elapsed().as_secs_f64());
        }
        Ok(())
    };
    draw(SMALL, sheet_path(folder, name))?;
    if FEATURED.contains(&name) {
        draw(LARGE, sheet_path(folder, &format!("{name}-large")))?;
    }
    Ok(())
}

/// What happened in a scene.
struct Clip {
    scene: Scene,
    layouts: Vec<BodyLayout>,
    frames: Vec<Frame>,
}

impl Clip {
    /// Simulates a built-in scene and keeps moments of it, evenly spaced.
    fn of(name: &str) -> Result<Self, Failure> {
        let text = find(name).map_or("", |scene| scene.text);
        let scene = parse_scene(text, name, &[]).map_err(Failure::input)?;
        let mut simulation = AnySimulation::build(&scene, Precision::F32).map_err(Failure::input)?;
        let layouts = simulation.layouts();
        let mut dresser = Dresser::new(&simulation, ReconstructionSettings::default())
            .map_err(Failure::input)?
            .with_colours(|body| body_colour(body, &layouts[body].look).map(linear_from_srgb));
        let last = ((scene.duration * scene.frame_rate).round() as usize).clamp(1, KEPT);
        let mut frames = Vec::new();
        for i in 0..=last {
            simulation.advance_to(scene.duration * i as f64 / last as f64).map_err(Failure::work)?;
            let mut frame = simulation.take_frame(i);
            dresser.dress(&simulation, &mut frame).map_err(Failure::work)?;
            frames.push(frame);
        }
        Ok(Clip { scene, layouts, frames })
    }

    /// Draws moments with about as much happening between each two.
    fn sheet(&self, layout: SheetLayout, painter: &mut dyn Painter) -> Result<Image, Failure> {
        let (width, height) = layout.tile();
        let settings = StageSettings {
            width,
            height,
            samples: 4,
            camera: self.scene.camera,
            ground: floor(&self.scene),
            outlines: scene_outlines(&self.scene),
            ..StageSettings::default()
        };
        let mut stage = Stage::new(&self.layouts, settings).map_err(Failure::work)?;
        let motions: Vec<f64> = self.frames.windows(2).map(|pair| motion(&pair[0], &pair[1])).collect();
        let frames: Vec<&Frame> = moments(&motions, layout.count()).into_iter().map(|i| &self.frames[i]).collect();
        frames.iter().try_for_each(|frame| stage.survey(frame)).map_err(Failure::work)?;
        let times: Vec<f64> = frames.iter().map(|f| f.time).collect();
        let mut tiles = Vec::new();
        for (frame, caption) in frames.iter().zip(captions(&times)) {
            let picture = stage.picture(frame).map_err(Failure::work)?;
            tiles.push((painter.draw(&picture).map_err(Failure::work)?, caption));
        }
        Ok(layout.paste(&tiles))
    }
}

/// How far nodes moved from one frame to another, on average and body by body [m].
fn motion(before: &Frame, after: &Frame) -> f64 {
    let way = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    let of_body = |(a, b): (&BodyFrame, &BodyFrame)| {
        let ways = a.positions.iter().zip(&b.positions).map(way).filter(|way| way.is_finite());
        ways.sum::<f64>() / a.positions.len().max(1) as f64
    };
    before.bodies.iter().zip(&after.bodies).map(of_body).sum()
}
