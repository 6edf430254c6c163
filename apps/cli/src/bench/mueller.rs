//! Müller et al. 2004, table 1 and section 6.2: phyxels with surfels, physics and surface apart.
//!
//! A frame of the paper is 20 explicit steps of 0.1 ms (section 6.3) or one implicit one. Its surface column holds the
//! drawing as well, which is none of ours.

use super::Row;
use super::papers::{describe, mean_neighbours, on_the_floor, unstabilised};
use super::timing::time_steps;
use phyxel::material::LawKind;
use phyxel::record::{BodyFrame, Frame};
use phyxel::scene::{Integrator, MlsSettings, Scene, Support, SurfaceKind};
use phyxel::shape::structured::box_points;
use phyxel::{Material, Simulation};
use phyxel_surface::{Dresser, ReconstructionSettings};
use std::time::{Duration, Instant};

const BUDGET: Duration = Duration::from_millis(700);
/// What a frame of the paper's explicit method simulates [s].
const EXPLICIT_FRAME: f64 = 2e-3;
const IMPLICIT_STEP: f64 = 0.01;

/// A line of the table: phyxels along each axis, surfels, milliseconds of physics explicit and implicit, of the surface, and
/// frames per second explicit and implicit.
struct Line {
    points: [usize; 3],
    surfels: usize,
    physics: [f64; 2],
    surface: f64,
    frames: [f64; 2],
}

const TABLE: [Line; 2] = [
    Line { points: [6, 6, 6], surfels: 10_000, physics: [15.0, 22.0], surface: 22.0, frames: [27.0, 22.0] },
    Line { points: [7, 8, 7], surfels: 20_000, physics: [35.0, 60.0], surface: 50.0, frames: [12.0, 9.0] },
];

/// The physics of the table: points along each axis, milliseconds explicit and implicit.
pub(super) fn physics() -> impl Iterator<Item = ([usize; 3], f64, f64)> {
    TABLE.iter().map(|line| (line.points, line.physics[0], line.physics[1]))
}

/// His support: three times the mean distance to the ten nearest.
pub(super) fn his_support() -> MlsSettings {
    unstabilised(Support::Nearest { k: 10, factor: 3.0 })
}

/// A cube of phyxels on the floor.
pub(super) fn scene(points: [usize; 3], mls: MlsSettings, integrator: Integrator, dt: f64) -> anyhow::Result<Scene> {
    let cells = points.map(|n| n - 1);
    let sampling = box_points(cells, [0.0; 3], cells.map(|c| 0.1 * c as f64))?;
    let material =
        Material { law: LawKind::StVenantKirchhoff, young_modulus: 1.0e6, poisson_ratio: 0.3, ..Material::default() };
    Ok(on_the_floor(sampling, material, mls, integrator, dt))
}

/// Runs the table and the funnel.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for line in &TABLE {
        for (label, mls) in [("his support", his_support()), ("our support", MlsSettings::default())] {
            for (column, integrator) in [(0, Integrator::LeapFrog), (1, Integrator::ImplicitEuler)] {
                frame_of_table(line, (label, mls), (column, integrator), out)?;
            }
        }
    }
    funnel(out)
}

/// How many steps a frame takes: his with his support, and with ours as many as it needs.
fn steps_per_frame(line: &Line, mls: MlsSettings, integrator: Integrator) -> anyhow::Result<(f64, f64)> {
    if integrator == Integrator::ImplicitEuler {
        return Ok((IMPLICIT_STEP, 1.0));
    }
    if mls == his_support() {
        return Ok((EXPLICIT_FRAME / 20.0, 20.0));
    }
    let mut simulation = Simulation::<f32>::build(&scene(line.points, mls, integrator, EXPLICIT_FRAME)?)?;
    let parts = (EXPLICIT_FRAME / (0.9 * simulation.stable_step())).ceil().max(1.0);
    Ok((EXPLICIT_FRAME / parts, parts))
}

fn frame_of_table(
    line: &Line,
    (label, mls): (&str, MlsSettings),
    (column, integrator): (usize, Integrator),
    out: &mut dyn FnMut(Row),
) -> anyhow::Result<()> {
    let (dt, parts) = steps_per_frame(line, mls, integrator)?;
    let mut scene = scene(line.points, mls, integrator, dt)?;
    (scene.bodies[0].surface, scene.bodies[0].surfels) = (SurfaceKind::Surfels, line.surfels);
    // The discs are laid on the cube at rest.
    let mut dresser = Dresser::of(&Simulation::<f32>::build(&scene)?, ReconstructionSettings::default())?;
    let timed = time_steps::<f32>(&scene, dt, BUDGET)?;
    let surface_ms = time_surface(&mut dresser, &timed.simulation)?;
    let threads = rayon::current_num_threads();
    let row = |what: &str| Row {
        case: format!("mueller-1 {} {label} {what}", line.points.iter().product::<usize>()),
        ..describe(&timed.simulation, &scene, threads, "f32")
    };
    let (physics_ms, seconds) = (timed.ms_per_step * parts, dt * parts);
    let physics = Row {
        neighbours: Some(mean_neighbours(&timed.simulation)),
        iterations: (column == 1).then_some(timed.iterations),
        ..row(&format!("physics, {parts} steps"))
    };
    out(physics.timed(physics_ms, seconds).beside_paper(1e3 / line.physics[column]));
    let surface = row(&format!("surface, {} surfels", line.surfels));
    out(surface.timed(surface_ms, seconds).beside_paper(1e3 / line.surface));
    out(row("frame").timed(physics_ms + surface_ms, seconds).beside_paper(line.frames[column]));
    Ok(())
}

/// Median time of dressing a frame [ms].
fn time_surface(dresser: &mut Dresser, simulation: &Simulation<f32>) -> anyhow::Result<f64> {
    let mut frame = Frame { bodies: vec![BodyFrame::default()], ..Frame::default() };
    let mut times = Vec::new();
    let all = Instant::now();
    while times.len() < 5 || all.elapsed() < BUDGET {
        let started = Instant::now();
        dresser.dress_one(simulation, &mut frame)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Section 6.2: 53 k surfels on 600 phyxels flow through a funnel, 8 s per frame with drawing.
fn funnel(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let text = phyxel_scenes::find("funnel").ok_or_else(|| anyhow::anyhow!("there is no scene funnel"))?.text;
    let mut scene = phyxel_io::scene::parse_scene(&text.replace("size = 0.018", "count = 600"), "funnel.toml", &[])?;
    (scene.bodies[0].surface, scene.bodies[0].surfels) = (SurfaceKind::Multi, 53_000);
    let mut simulation = Simulation::<f32>::build(&scene)?;
    let mut dresser = Dresser::of(&simulation, ReconstructionSettings::default())?;
    let mut frame = Frame { bodies: vec![BodyFrame::default()], ..Frame::default() };
    // The whole clip: it falls, bursts, runs through, rests, sets and is lifted.
    let frames = (scene.duration * scene.frame_rate) as usize;
    let (mut physics, mut surface, mut slowest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut surfels = 0;
    for index in 1..=frames {
        let started = Instant::now();
        simulation.advance_to(index as f64 / scene.frame_rate)?;
        let moved = started.elapsed();
        dresser.dress_one(&simulation, &mut frame)?;
        let both = started.elapsed();
        (physics, surface, slowest) = (physics + moved, surface + (both - moved), slowest.max(both));
        surfels += frame.bodies[0].surfels.as_ref().map_or(0, |s| s.points.len());
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3 / frames as f64;
    let row = |what: String| Row {
        case: format!("mueller-6.2 funnel {what}"),
        ..describe(&simulation, &scene, rayon::current_num_threads(), "f32")
    };
    let surfels = surfels / frames.max(1);
    out(row("physics".into()).timed(ms(physics), 1.0 / scene.frame_rate));
    out(row(format!("surface, {surfels} surfels")).timed(ms(surface), 1.0 / scene.frame_rate));
    out(row("frame".into()).timed(ms(physics + surface), 1.0 / scene.frame_rate).beside_paper(1.0 / 8.0));
    out(row("slowest frame".into()).timed(slowest.as_secs_f64() * 1e3, 1.0 / scene.frame_rate));
    reconstruction(out)
}

/// A closed mesh around 100 k phyxels, beside a step of the same matter.
fn reconstruction(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let text = phyxel_scenes::find("funnel").ok_or_else(|| anyhow::anyhow!("there is no scene funnel"))?.text;
    let scene = phyxel_io::scene::parse_scene(&text.replace("size = 0.018", "count = 100000"), "funnel.toml", &[])?;
    let mut dresser = Dresser::of(&Simulation::<f32>::build(&scene)?, ReconstructionSettings::default())?;
    let timed = time_steps::<f32>(&scene, scene.solver.step, BUDGET)?;
    let surface_ms = time_surface(&mut dresser, &timed.simulation)?;
    let row = |what: &str| Row {
        case: format!("reconstruction 100 k {what}"),
        ..describe(&timed.simulation, &scene, rayon::current_num_threads(), "f32")
    };
    out(row("step").timed(timed.ms_per_step, scene.solver.step));
    out(row("surface").timed(surface_ms, scene.solver.step));
    Ok(())
}
