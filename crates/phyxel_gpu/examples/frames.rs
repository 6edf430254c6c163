//! What a frame costs in which the state comes back, where the device waits for the processor and where it goes ahead:
//! `cargo run --release -p phyxel_gpu --example frames -- 58 50` for a cube of 58 x 58 x 58 x 5 tetrahedra (a million), 50 steps a
//! frame. Without numbers: those on a graphics card, and few on a software driver.

use phyxel::material::LawKind;
use phyxel::scene::{Body, Integrator, Method, Scene};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::{Material, Simulation};
use phyxel_gpu::{Ahead, Choice, Device, Driver, Traffic, median};
use std::sync::Arc;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// Frames that are timed, after some in which everything warms up.
const FRAMES: usize = 24;
const WARM: usize = 4;

/// A cube that turns in the air.
fn cube(cells: usize) -> Result<Scene, Failure> {
    let mesh = box_tets([cells; 3], [0.0; 3], [1.0; 3], CubeSplit::Five)?;
    let material = Material {
        law: LawKind::Corotated,
        young_modulus: 1e5,
        poisson_ratio: 0.3,
        density: 1000.0,
        ..Material::default()
    };
    let mut body = Body::new("cube", Geometry::Tets(mesh), Method::Tet, material);
    body.spin = [0.0, 1.0, 3.0];
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    scene.solver.integrator = Integrator::LeapFrog;
    // Waves run 12 m/s: far below what is stable, so that no step is cut into parts.
    scene.solver.step = 0.01 / cells as f64;
    Ok(scene)
}

/// What the processor makes of each frame.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    /// Nothing at all.
    None,
    /// Places of all nodes, as who draws them wants them.
    Places,
}

/// How it went.
struct Run {
    /// Of a frame, and of the part in which the processor was looking at it [ms].
    frame: f64,
    look: f64,
    ahead: Ahead,
    /// Of a frame.
    traffic: Traffic,
    hash: u64,
}

fn run(
    device: &Arc<Device>,
    (scene, simulation): (&Scene, &mut Simulation<f32>),
    steps: usize,
    (ahead, look): (bool, Look),
) -> Result<Run, Failure> {
    let mut driver = Driver::new(device, scene, simulation)?;
    let frame_time = scene.solver.step * steps as f64;
    let time_of = |frame: usize| frame as f64 * frame_time;
    let (mut whole, mut looking, mut before) = (Vec::new(), Vec::new(), Traffic::default());
    let mut sum = 0.0;
    for frame in 1..=WARM + FRAMES {
        if frame == WARM + 1 {
            before = device.traffic();
        }
        let started = Instant::now();
        let next = (ahead && frame < WARM + FRAMES).then(|| time_of(frame + 1));
        let report = driver.advance_with_next(simulation, time_of(frame), next)?;
        assert_eq!(report.substeps, steps, "steps are not cut");
        let stepped = Instant::now();
        if look == Look::Places {
            let places: Vec<[f64; 3]> = (0..simulation.model().node_count()).map(|n| simulation.position(n)).collect();
            sum += places.iter().map(|p| p[1]).sum::<f64>();
        }
        if frame > WARM {
            whole.push(started.elapsed().as_secs_f64() * 1e3);
            looking.push(stepped.elapsed().as_secs_f64() * 1e3);
        }
    }
    let all = device.traffic() - before;
    let frames = FRAMES as u64;
    let traffic = Traffic {
        uploaded: all.uploaded / frames,
        state_uploaded: all.state_uploaded / frames,
        read_back: all.read_back / frames,
        ..all
    };
    if !sum.is_finite() {
        return Err("nodes have left the world".into());
    }
    let hash = simulation.state_hash();
    Ok(Run { frame: median(whole), look: median(looking), ahead: driver.ahead(), traffic, hash })
}

fn main() -> Result<(), Failure> {
    let device = Device::open(&Choice::Any)?;
    let software = device.summary().kind == "software";
    let mut given = std::env::args().skip(1).map(|word| word.parse::<usize>());
    let cells = given.next().transpose()?.unwrap_or(if software { 12 } else { 58 });
    let steps = given.next().transpose()?.unwrap_or(if software { 10 } else { 50 });
    let scene = cube(cells)?;
    let mut simulation = Simulation::<f32>::build(&scene)?;
    let start = simulation.snapshot();
    println!("{}, {} tetrahedra, {steps} steps a frame", device.summary().name, 5 * cells.pow(3));
    for look in [Look::None, Look::Places] {
        let mut run = |ahead| {
            simulation.restore(&start)?;
            run(&device, (&scene, &mut simulation), steps, (ahead, look))
        };
        let (waits, ahead) = (run(false)?, run(true)?);
        let what = if look == Look::None { "nothing else to do" } else { "places of all nodes" };
        println!(
            "{what}: {:.3} ms a frame where the device waits, {:.3} ms where it goes ahead ({:.3} ms of it the processor's own)",
            waits.frame, ahead.frame, ahead.look
        );
        let Traffic { uploaded, state_uploaded, read_back, staging_buffers } = ahead.traffic;
        println!(
            "  a frame: {uploaded} B uploaded, {state_uploaded} B of them state, {read_back} B read back; {staging_buffers} \
             staging buffers made after the first frames; {} of {} runs ahead were of use",
            ahead.ahead.taken, ahead.ahead.submitted
        );
        assert_eq!(waits.hash, ahead.hash, "the same bits");
        assert_eq!((state_uploaded, ahead.ahead.thrown_away), (0, 0), "nothing was changed in between");
    }
    Ok(())
}
