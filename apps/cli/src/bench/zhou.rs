//! Zhou et al. 2013, table 1: phyxels without a rest shape, implicit and explicit, and the explicit method of Gerszewski
//! et al. 2009 that they compare with.
//!
//! The paper gives total seconds and no clip lengths. Two seconds are assumed for each, so that what is compared is real seconds
//! per simulated one. With our stencils the whole clip is run in steps of 2 ms, or as much of it as fits into some minutes;
//! explicit ones are cut as stability demands, which is one run beside both explicit methods of the paper. Rows of the same
//! work have the paper's supports and steps, find new neighbours in every step, as the paper does, and run for some seconds from
//! the moment at which bodies meet.
//!
//! Linear solves end at a residual of 1e-4 of the momentum that the bodies have. The paper's solver is relative to its right-hand
//! side too, but solves for positions: at a few tenths of a metre from the origin its velocities may be wrong by 10 mm/s and
//! more, ours at 3 m/s by .3 mm/s.

use super::Row;
use super::papers::describe;
use super::timing::time_run;
use phyxel::Material;
use phyxel::material::Plasticity;
use phyxel::scene::{
    Body, Collider, ColliderShape, Integrator, KernelKind, Lagrangian, Method, MlsSettings, RelativeTo, Scene,
    SolverSettings, Support,
};
use phyxel::shape::{Placement, Resolution, Shape};
use std::time::Duration;

/// The longest that a clip with our stencils may take, which is more than the slower explicit method of the paper takes for its
/// birds, and the longest for one of the same work.
const LONGEST: Duration = Duration::from_secs(650);
const SHORT: Duration = Duration::from_secs(8);
/// Steps with our stencils [s].
const STEP: f64 = 2e-3;
/// Assumed length of the clips [s].
const CLIP: f64 = 2.0;

/// A row of the table: step [s] and total time [s] of each method, and the support, in spacings, of Gerszewski's.
struct Workload {
    name: &'static str,
    young_modulus: f64,
    yield_stress: Option<f64>,
    scene: fn(Material) -> anyhow::Result<Scene>,
    implicit: f64,
    explicit: (f64, f64),
    gerszewski: (f64, f64, f64),
}

const TABLE: [Workload; 5] = [
    Workload {
        name: "figure soft",
        young_modulus: 5.0e4,
        yield_stress: Some(1.0e3),
        scene: figure,
        implicit: 59.0,
        explicit: (5e-5, 467.0),
        gerszewski: (1e-4, 623.0, 5.5),
    },
    Workload {
        name: "figure middle",
        young_modulus: 5.0e5,
        yield_stress: Some(3.0e4),
        scene: figure,
        implicit: 94.0,
        explicit: (5e-5, 496.0),
        gerszewski: (6e-4, 74.0, 4.5),
    },
    Workload {
        name: "figure stiff",
        young_modulus: 1.0e7,
        yield_stress: None,
        scene: figure,
        implicit: 149.0,
        explicit: (2e-5, 1244.0),
        gerszewski: (1e-4, 443.0, 4.5),
    },
    Workload {
        name: "cube",
        young_modulus: 1.0e6,
        yield_stress: None,
        scene: cube,
        implicit: 52.0,
        explicit: (1e-4, 90.0),
        gerszewski: (2e-4, 29.0, 2.5),
    },
    Workload {
        name: "birds",
        young_modulus: 1.0e6,
        yield_stress: None,
        scene: birds,
        implicit: 158.0,
        explicit: (5e-5, 1153.0),
        gerszewski: (5e-5, 629.0, 4.5),
    },
];

/// How phyxels see: ours, the paper's, and those of the method that it compares with.
fn updated(kernel: KernelKind, support: f64, stabilisation: f64) -> MlsSettings {
    let default = MlsSettings { lagrangian: Lagrangian::Updated, consistency: false, ..MlsSettings::default() };
    let reanchor = if stabilisation > 0.0 { default.reanchor } else { 0.0 };
    MlsSettings { kernel, support: Support::Spacings(support), stabilisation, reanchor, ..default }
}

/// One run, and what of the paper it stands beside: a name and the total time [s] each.
struct Run {
    mls: MlsSettings,
    integrator: Integrator,
    step: f64,
    longest: Duration,
    beside: Vec<(&'static str, f64)>,
}

/// The runs of a workload.
fn runs(work: &Workload) -> [Run; 5] {
    let ours = updated(KernelKind::Cosine, 1.8, 0.1);
    let his = updated(KernelKind::Cosine, 2.5, 0.0);
    let wide = updated(KernelKind::Poly6, work.gerszewski.2, 0.0);
    let (implicit, explicit) = (Integrator::ImplicitEuler, Integrator::SymplecticEuler);
    let run = |mls: MlsSettings,
               integrator: Integrator,
               step: f64,
               longest: Duration,
               beside: &[(&'static str, f64)]| {
        Run { mls, integrator, step, longest, beside: beside.to_vec() }
    };
    let both = [("explicit, our stencils", work.explicit.1), ("gerszewski, our stencils", work.gerszewski.1)];
    [
        run(ours, implicit, STEP, LONGEST, &[("our stencils", work.implicit)]),
        run(his, implicit, STEP, SHORT, &[("same work", work.implicit)]),
        run(ours, explicit, STEP, LONGEST, &both),
        run(his, explicit, work.explicit.0, SHORT, &[("explicit, same work", work.explicit.1)]),
        run(wide, explicit, work.gerszewski.0, SHORT, &[("gerszewski, same work", work.gerszewski.1)]),
    ]
}

/// Runs the table.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let threads = rayon::current_num_threads();
    for work in TABLE {
        let plastic = work.yield_stress.map(|yield_stress| Plasticity::Stress {
            yield_stress,
            hardening: 0.0,
            relaxation_time: 0.0,
        });
        let material =
            Material { young_modulus: work.young_modulus, poisson_ratio: 0.3, plastic, ..Material::default() };
        let scene = (work.scene)(material)?;
        for Run { mls, integrator, step, longest, beside } in runs(&work) {
            let mut scene = scene.clone();
            scene.bodies.iter_mut().for_each(|body| body.mls = mls);
            // The paper's solver measures its residual by the whole right-hand side.
            let relative_to = RelativeTo::Momentum;
            scene.solver =
                SolverSettings { integrator, step, tolerance: 1e-4, relative_to, ..SolverSettings::default() };
            let steps = (CLIP / step).round() as usize;
            let timed = time_run::<f32>(&scene, step, steps, longest);
            for (label, total) in beside {
                let case = format!("zhou-1 {} {label}", work.name);
                out(match &timed {
                    Ok((timed, done)) => Row {
                        case: format!("{case}, {:.2} of {CLIP} s in {:.0} steps", *done as f64 * step, timed.steps),
                        iterations: (integrator == Integrator::ImplicitEuler).then_some(timed.iterations),
                        ..describe(&timed.simulation, &scene, threads, "f32")
                    }
                    .timed(timed.ms_per_step, step)
                    .beside_paper(CLIP / step / total)
                    .per_simulated_second(timed.ms_per_step * 1e-3 / step, total / CLIP),
                    // The paper found some of these unstable too; that is a result.
                    Err(error) => Row {
                        suite: "papers",
                        case: format!("{case}: {error}"),
                        device: "cpu".into(),
                        threads,
                        ..Row::default()
                    },
                });
            }
        }
    }
    Ok(())
}

fn phyxels(shape: Shape, resolution: Resolution, at: [f64; 3], material: &Material) -> anyhow::Result<Body> {
    let geometry = shape.discretise(Method::Mls, &resolution, &Placement::at(at), material)?;
    Ok(Body::new("body", geometry, Method::Mls, material.clone()))
}

/// Bodies that are just about to hit the floor.
fn on_the_floor(bodies: Vec<Body>) -> Scene {
    let floor = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    Scene { bodies, colliders: vec![Collider::new(floor)], duration: 1e3, ..Scene::default() }
}

fn figure(material: Material) -> anyhow::Result<Scene> {
    let mut body = phyxels(Shape::Figure { height: 1.0 }, Resolution::Count(19_866), [0.0, 0.501, 0.0], &material)?;
    body.velocity = [0.0, -3.0, 0.0];
    Ok(on_the_floor(vec![body]))
}

fn cube(material: Material) -> anyhow::Result<Scene> {
    let mut body = phyxels(Shape::Box { size: [0.26; 3] }, Resolution::Cells([13; 3]), [0.0, 0.131, 0.0], &material)?;
    body.velocity = [0.0, -3.0, 0.0];
    Ok(on_the_floor(vec![body]))
}

/// Twelve boxes of 1000 phyxels, four columns of three, and a ball of about 974 that flies into them.
fn birds(material: Material) -> anyhow::Result<Scene> {
    let mut bodies = Vec::new();
    for k in 0..12 {
        let at = [0.21 * (k % 4) as f64, 0.1005 + 0.201 * (k / 4) as f64, 0.0];
        let mut body = phyxels(Shape::Box { size: [0.2; 3] }, Resolution::Cells([9; 3]), at, &material)?;
        body.name = format!("box {k}");
        bodies.push(body);
    }
    let mut ball = phyxels(Shape::Sphere { radius: 0.12 }, Resolution::Count(974), [-0.26, 0.35, 0.0], &material)?;
    ball.name = "ball".into();
    ball.velocity = [8.0, 0.0, 0.0];
    bodies.push(ball);
    Ok(on_the_floor(bodies))
}
