//! Zhou et al. 2013, table 1: phyxels without a rest shape, implicit and explicit, and the explicit method of Gerszewski
//! et al. 2009 that they compare with.
//!
//! The paper gives total seconds and no clip lengths. Two seconds are assumed for each: 1000 implicit steps of 2 ms. With our
//! stencils and implicit steps all of them are taken, or as many as fit into two minutes; everything else is timed for a few
//! seconds from the moment at which bodies meet. Rows of the same work find new neighbours in every step, as the paper does;
//! ours when phyxels have moved.
//!
//! Linear solves end at a residual of 1e-4 of the momentum that the bodies have. The paper's solver is relative to its right-hand
//! side too, but solves for positions: at a few tenths of a metre from the origin its velocities may be wrong by 10 mm/s and
//! more, ours at 3 m/s by .3 mm/s.

use super::Row;
use super::papers::describe;
use super::timing::{time_run, time_steps};
use phyxel::Material;
use phyxel::material::Plasticity;
use phyxel::scene::{
    Body, Collider, ColliderShape, Integrator, KernelKind, Lagrangian, Method, MlsSettings, RelativeTo, Scene,
    SolverSettings, Support,
};
use phyxel::shape::{Placement, Resolution, Shape};
use std::time::Duration;

const BUDGET: Duration = Duration::from_secs(4);
/// The longest that a clip may take.
const LONGEST: Duration = Duration::from_secs(120);
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

/// Runs the table.
pub fn run(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for work in TABLE {
        let plastic = work.yield_stress.map(|yield_stress| Plasticity::Stress {
            yield_stress,
            hardening: 0.0,
            relaxation_time: 0.0,
        });
        let material =
            Material { young_modulus: work.young_modulus, poisson_ratio: 0.3, plastic, ..Material::default() };
        let scene = (work.scene)(material)?;
        let ours = updated(KernelKind::Cosine, 1.8, 0.1);
        let his = updated(KernelKind::Cosine, 2.5, 0.0);
        let wide = updated(KernelKind::Poly6, work.gerszewski.2, 0.0);
        let (implicit, explicit) = (Integrator::ImplicitEuler, Integrator::SymplecticEuler);
        for (label, mls, integrator, step, total) in [
            ("our stencils", ours, implicit, 2e-3, work.implicit),
            ("same work", his, implicit, 2e-3, work.implicit),
            ("explicit, our stencils", ours, explicit, work.explicit.0, work.explicit.1),
            ("explicit, same work", his, explicit, work.explicit.0, work.explicit.1),
            ("gerszewski, our stencils", ours, explicit, work.gerszewski.0, work.gerszewski.1),
            ("gerszewski, same work", wide, explicit, work.gerszewski.0, work.gerszewski.1),
        ] {
            let mut scene = scene.clone();
            scene.bodies.iter_mut().for_each(|body| body.mls = mls);
            // The paper's solver measures its residual by the whole right-hand side.
            let relative_to = RelativeTo::Momentum;
            scene.solver =
                SolverSettings { integrator, step, tolerance: 1e-4, relative_to, ..SolverSettings::default() };
            let threads = rayon::current_num_threads();
            let mut case = format!("zhou-1 {} {label}", work.name);
            let timed = if integrator == implicit && mls == ours {
                let steps = (CLIP / step).round() as usize;
                time_run::<f32>(&scene, step, steps, LONGEST).map(|(timed, done)| {
                    case = format!("{case}, {done} of {steps} steps");
                    timed
                })
            } else {
                time_steps::<f32>(&scene, step, BUDGET)
            };
            let timed = match timed {
                Ok(timed) => timed,
                // The paper found some of these unstable too; that is a result.
                Err(error) => {
                    out(Row {
                        suite: "papers",
                        case: format!("{case}: {error}"),
                        device: "cpu".into(),
                        threads,
                        ..Row::default()
                    });
                    continue;
                }
            };
            let row = Row {
                case,
                iterations: (integrator == implicit).then_some(timed.iterations),
                ..describe(&timed.simulation, &scene, threads, "f32")
            };
            out(row.timed(timed.ms_per_step, step).beside_paper(CLIP / step / total));
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
