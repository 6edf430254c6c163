//! How long steps of phyxels without a rest shape take on a device, and what it costs to find their stencils anew:
//! `cargo run --release -p phyxel_gpu --example updated_phyxels -- 100` for a cube of 100 x 100 x 100.

use phyxel::scene::{Body, Integrator, Lagrangian, Method, MlsSettings, Scene, Support};
use phyxel::shape::Geometry;
use phyxel::shape::structured::box_points;
use phyxel::{Material, Simulation};
use phyxel_gpu::{Choice, Device, Driver};
use std::sync::Arc;
use std::time::Instant;

/// A cube of phyxels with 32 neighbours each that turns in the air.
fn cube(cells: usize, integrator: Integrator, reanchor: f64) -> Result<Scene, Box<dyn std::error::Error>> {
    let points = box_points([cells - 1; 3], [0.0; 3], [1.0; 3])?;
    let mut body = Body::new("cube", Geometry::Points(points), Method::Mls, Material::default());
    let (support, lagrangian) = (Support::Spacings(2.1), Lagrangian::Updated);
    body.mls = MlsSettings { support, lagrangian, reanchor, consistency: false, ..MlsSettings::default() };
    body.spin = [0.0, 1.0, 3.0];
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    scene.solver.integrator = integrator;
    Ok(scene)
}

/// Seconds of so many steps at once, the state taken over at the end, and how often stencils were found.
fn seconds(
    device: &Arc<Device>,
    scene: &Scene,
    counts: [usize; 3],
) -> Result<(Vec<f64>, usize), Box<dyn std::error::Error>> {
    let mut simulation = Simulation::<f32>::build(scene)?;
    let mut driver = Driver::new(device, scene, &simulation)?;
    let (mut time, mut taken) = (0.0, Vec::new());
    for count in counts {
        time += scene.solver.step * count as f64;
        let started = Instant::now();
        driver.advance_to(&mut simulation, time)?;
        taken.push(started.elapsed().as_secs_f64());
    }
    Ok((taken, driver.reanchorings()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cells = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(20);
    let device = Device::open(&Choice::Any)?;
    println!("{}, {} phyxels", device.summary().name, cells * cells * cells);
    for integrator in [Integrator::LeapFrog, Integrator::ImplicitEuler] {
        let explicit = integrator == Integrator::LeapFrog;
        let mut times = [0.0; 2];
        // Never, and in every step.
        for (reanchor, time) in [1e3, 0.0].into_iter().zip(&mut times) {
            let mut scene = cube(cells, integrator, reanchor)?;
            scene.solver.step = if explicit { Simulation::<f32>::build(&scene)?.stable_step() * 0.8 } else { 0.002 };
            let [few, many] = if explicit { [16, 96] } else { [2, 8] };
            // The first steps warm up.
            let (taken, found) = seconds(&device, &scene, [few, few, many])?;
            assert_eq!(found, if reanchor > 0.0 { 0 } else { 2 * few + many }, "how often stencils are found");
            *time = 1e3 * (taken[2] - taken[1]) / (many - few) as f64;
        }
        let [never, always] = times;
        let name = integrator.name();
        println!("{name}: {never:.3} ms a step, and {:.3} where stencils are found anew", always - never);
    }
    Ok(())
}
