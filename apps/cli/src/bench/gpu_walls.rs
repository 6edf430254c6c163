//! Morris's walls on a graphics device: fracture and the ground with them, and from how many walls on it is faster than the
//! processor.

use super::papers::describe;
use super::{Only, Row};
use phyxel::shape::Geometry;
use phyxel::{Scene, Simulation};
use phyxel_gpu::{Device, Driver};
use std::sync::Arc;
use std::time::Instant;

/// Frames per second of Morris's fifty walls with the work shared between his processor and his card; a frame is a step.
const MORRIS: f64 = 110.0;
/// How many walls; fifty are his.
const WALLS: [usize; 6] = [1, 5, 20, 50, 200, 1000];
/// Time between two looks at everything [s]: state and cracks come back as often.
const FRAME: f64 = 1.0 / 60.0;

/// Runs the suite on a device.
pub fn run(device: &Arc<Device>, only: Only<'_>, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let software = device.summary().kind == "software";
    let case = |walls: usize| format!("morris {walls} walls");
    for walls in WALLS.into_iter().filter(|walls| (!software || *walls <= 50) && only.wants(&case(*walls))) {
        // Most of what breaks does so in the first second; less than fifty are compared by less.
        let duration = if walls == 50 && !software { 1.5 } else { 0.4 };
        let scene = scene_of(walls, duration)?;
        let (ms, simulation) = time_on_device(device, &scene)?;
        let cpu = time_on_cpu(&scene)?;
        let mut row = describe(&simulation, &scene, 1, "f32");
        row.case = case(walls);
        row.device.clone_from(&device.summary().name);
        row.peer = Some(format!("cpu, {} threads", rayon::current_num_threads()));
        row.peer_ms_per_step = Some(cpu);
        let elements = row.elements as f64;
        let mut row = row.timed(ms, scene.solver.step).handling(elements, "elements");
        row.ratio_to_peer = Some(cpu / ms);
        out(if walls == 50 { row.beside_paper(MORRIS) } else { row });
    }
    Ok(())
}

/// The scene of fifty walls with fewer of them, or with rows of fifty beside each other.
fn scene_of(walls: usize, duration: f64) -> anyhow::Result<Scene> {
    let fifty = phyxel_scenes::find("fifty-walls").ok_or_else(|| anyhow::anyhow!("there is no scene fifty-walls"))?;
    let mut scene = phyxel_io::scene::parse_scene(fifty.text, "fifty-walls.toml", &[])?;
    // A body that sleeps costs nothing, which is no time for a step.
    scene.solver.sleep_speed = 0.0;
    scene.duration = duration;
    let given = scene.bodies.clone();
    scene.bodies = given.iter().cycle().take(walls).cloned().collect();
    for (k, wall) in scene.bodies.iter_mut().enumerate() {
        wall.name = format!("wall {k}");
        let Geometry::Tets(mesh) = &mut wall.geometry else { anyhow::bail!("a wall is made of tetrahedra") };
        mesh.points.iter_mut().for_each(|p| p[0] += 10.5 * (k / given.len()) as f64);
    }
    Ok(scene)
}

/// Milliseconds per step over the whole scene; what breaks is told to the simulation in every frame.
fn time_on_device(device: &Arc<Device>, scene: &Scene) -> anyhow::Result<(f64, Simulation<f32>)> {
    let mut simulation = Simulation::<f32>::build(scene)?;
    let mut driver = Driver::new(device, scene, &simulation)?;
    // The card wakes up, and the first frame brings everything there.
    driver.time_kernels()?;
    driver.advance_to(&mut simulation, FRAME)?;
    let (mut steps, mut frame) = (0, 1);
    let started = Instant::now();
    while simulation.time() < scene.duration - 1e-9 {
        frame += 1;
        let report = driver.advance_to(&mut simulation, (f64::from(frame) * FRAME).min(scene.duration))?;
        anyhow::ensure!(report.substeps == report.steps, "steps were cut into parts");
        steps += report.steps;
    }
    let ms = started.elapsed().as_secs_f64() * 1e3 / steps as f64;
    Ok((ms, simulation))
}

fn time_on_cpu(scene: &Scene) -> anyhow::Result<f64> {
    let mut simulation = Simulation::<f32>::build(scene)?;
    let started = Instant::now();
    let report = simulation.advance_to(scene.duration)?;
    Ok(started.elapsed().as_secs_f64() * 1e3 / report.steps as f64)
}
