//! `phyxel pictures`: a small sheet of pictures of every built-in scene, for the docs.

use std::path::Path;

use phyxel::{AnySimulation, Precision};
use phyxel_draw::sheet::{SheetLayout, captions};
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

fn one(name: &str, folder: &Path, painter: &mut dyn Painter, quiet: bool) -> Result<(), Failure> {
    let started = std::time::Instant::now();
    let image = sheet(name, painter)?;
    let path = sheet_path(folder, name);
    write_small_png(&path, &image).map_err(Failure::work)?;
    if !quiet {
        println!("{} in {:.1} s", path.display(), started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Simulates a scene and draws six moments of it; only those are recorded.
fn sheet(name: &str, painter: &mut dyn Painter) -> Result<Image, Failure> {
    let layout = SheetLayout { columns: 3, rows: 2, width: 480 };
    let text = find(name).map_or("", |scene| scene.text);
    let scene = parse_scene(text, name, &[]).map_err(Failure::input)?;
    let mut simulation = AnySimulation::build(&scene, Precision::F32).map_err(Failure::input)?;
    let mut dresser = Dresser::new(&simulation, ReconstructionSettings::default())
        .map_err(Failure::input)?
        .with_colours(|body| body_colour(body).map(linear_from_srgb));
    let (width, height) = layout.tile();
    let settings = StageSettings {
        width,
        height,
        samples: 4,
        camera: scene.camera,
        ground: floor(&scene),
        outlines: scene_outlines(&scene),
        ..StageSettings::default()
    };
    let mut stage = Stage::new(&simulation.layouts(), settings).map_err(Failure::work)?;
    let mut frames = Vec::new();
    for i in 0..layout.count() {
        let time = scene.duration * i as f64 / (layout.count() - 1) as f64;
        simulation.advance_to(time).map_err(Failure::work)?;
        let mut frame = simulation.take_frame(i);
        dresser.dress(&simulation, &mut frame).map_err(Failure::work)?;
        stage.survey(&frame).map_err(Failure::work)?;
        frames.push(frame);
    }
    let times: Vec<f64> = frames.iter().map(|f| f.time).collect();
    let mut tiles = Vec::new();
    for (frame, caption) in frames.iter().zip(captions(&times)) {
        let picture = stage.picture(frame).map_err(Failure::work)?;
        tiles.push((painter.draw(&picture).map_err(Failure::work)?, caption));
    }
    Ok(layout.paste(&tiles))
}
