//! The workloads of the source papers.

use super::timing::{on_one_thread, time_steps};
use super::{Only, Row};
use phyxel::material::LawKind;
use phyxel::scene::{
    Body, Collider, ColliderShape, Integrator, Load, LoadKind, Method, MlsSettings, Region, Scene, Support,
};
use phyxel::shape::structured::{Movable, TorusSection, box_points, jitter, torus_tets};
use phyxel::shape::{Geometry, PointSampling};
use phyxel::stencil::{MlsStencils, StencilTable};
use phyxel::{Material, scene::Lagrangian};
use std::time::Duration;

const BUDGET: Duration = Duration::from_millis(700);

/// Runs the suite.
pub fn run(only: Only<'_>, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    type Paper = fn(Only<'_>, &mut dyn FnMut(Row)) -> anyhow::Result<()>;
    // What names of rows begin with, and who makes them.
    let papers: [(&str, Paper); 5] = [
        ("stegmayr", |_, out| stegmayr(out)),
        ("mueller", |_, out| super::mueller::run(out)),
        ("zhou", super::zhou::run),
        ("morris", |_, out| super::walls::run(out)),
        ("ciecierski", |_, out| ciecierski(out)),
    ];
    let names = papers.map(|paper| paper.0);
    for (_, paper) in papers.into_iter().filter(|paper| only.may_want(paper.0, &names)) {
        paper(only, out)?;
    }
    Ok(())
}

/// Stegmayr 2008, table 5.1: points along each axis, mean neighbours, frames per second at 0.01 s.
const STEGMAYR: [([usize; 3], f64, f64); 7] = [
    ([4, 4, 3], 37.9, 227.8),
    ([5, 5, 4], 74.9, 83.5),
    ([6, 6, 5], 104.4, 44.0),
    ([7, 7, 6], 133.5, 21.6),
    ([8, 8, 7], 127.7, 12.3),
    ([8, 8, 7], 248.3, 8.2),
    ([11, 11, 10], 66.6, 7.2),
];

fn stegmayr(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for (points, neighbours, paper) in STEGMAYR {
        let scene = stegmayr_scene(points, neighbours)?;
        for threads in thread_counts() {
            let timed = with(threads, || time_steps::<f32>(&scene, 0.01, BUDGET))?;
            let row = Row {
                case: format!("stegmayr-5.1 {}", points.iter().product::<usize>()),
                neighbours: Some(mean_neighbours(&timed.simulation)),
                parts: Some(timed.substeps).filter(|parts| *parts > 1.0),
                ..describe(&timed.simulation, &scene, threads, "f32")
            };
            let pairs = row.neighbours.unwrap_or(0.0) * row.nodes as f64;
            out(row.timed(timed.ms_per_step, 0.01).handling(pairs, "pairs").beside_paper(paper));
        }
    }
    Ok(())
}

fn stegmayr_scene(points: [usize; 3], neighbours: f64) -> anyhow::Result<Scene> {
    let cells = points.map(|n| n - 1);
    // Shells of a perfect lattice jump past his counts; shaken points meet them.
    let mut sampling = box_points(cells, [0.0; 3], cells.map(|c| 0.1 * c as f64))?;
    jitter(&mut sampling.points, &sampling.boundary, 0.01, 1, Movable::All);
    let mut mls = unstabilised(Support::Spacings(1.0));
    mls.support = Support::Spacings(support_for(&sampling, &mls, neighbours)?);
    let material = Material {
        law: LawKind::StVenantKirchhoff,
        young_modulus: 1.0e3,
        poisson_ratio: 0.3,
        density: 1000.0,
        volume_stiffness: 1.0e2,
        ..Material::default()
    };
    Ok(on_the_floor(sampling, material, mls, Integrator::LeapFrog, 0.01))
}

/// Ciecierski's torus of about these many elements; 20 ms at 3 500 on a GTX 1060.
const TORI: [(TorusSection, usize, Option<f64>); 5] = [
    (TorusSection::Fan(10), 22, None),
    (TorusSection::Fan(10), 37, None),
    (TorusSection::Grid(5, 5), 16, None),
    (TorusSection::Grid(5, 5), 26, Some(50.0)),
    (TorusSection::Grid(6, 6), 30, None),
];

fn ciecierski(out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for (section, segments, paper) in TORI {
        let (scene, elements) = torus_scene(section, segments)?;
        let threads = rayon::current_num_threads();
        let timed = time_steps::<f32>(&scene, 0.016, BUDGET)?;
        let row =
            Row { case: format!("ciecierski-torus {elements}"), ..describe(&timed.simulation, &scene, threads, "f32") };
        let row = row.timed(timed.ms_per_step, 0.016);
        out(match paper {
            Some(paper) => row.beside_paper(paper),
            None => row,
        });
    }
    Ok(())
}

fn torus_scene(section: TorusSection, segments: usize) -> anyhow::Result<(Scene, usize)> {
    let mesh = torus_tets(1.0, 0.4, section, segments)?;
    let elements = mesh.tets.len();
    let material = Material {
        law: LawKind::Linear,
        young_modulus: 7000.0,
        poisson_ratio: 0.2,
        density: 1.0,
        rayleigh_mass: 10.0,
        rayleigh_stiffness: 2.5,
        ..Material::default()
    };
    let mut body = Body::new("torus", Geometry::Tets(mesh), Method::Tet, material);
    for side in [-1.0, 1.0] {
        // Both flanks of the ring are pushed towards its middle with 100 N each.
        let (low, high) = if side < 0.0 { (-2.0, -1.1) } else { (1.1, 2.0) };
        let region = Region::Box { min: [low, -1.0, -0.4], max: [high, 1.0, 0.4] };
        body.loads.push(Load { region, kind: LoadKind::TotalForce([-100.0 * side, 0.0, 0.0]) });
    }
    let mut scene = Scene { bodies: vec![body], gravity: [0.0; 3], ..Scene::default() };
    scene.solver.step = 0.016;
    Ok((scene, elements))
}

/// A workload of a paper: a step of `dt` [s], `parts` of which make one of the paper's, and the paper's own rate.
pub(super) struct Workload {
    pub case: String,
    pub scene: Scene,
    pub dt: f64,
    pub parts: f64,
    pub paper: Option<f64>,
}

/// All of them.
pub(super) fn workloads() -> anyhow::Result<Vec<Workload>> {
    let mut all = Vec::new();
    for (points, neighbours, paper) in STEGMAYR {
        let case = format!("stegmayr-5.1 {}", points.iter().product::<usize>());
        let scene = stegmayr_scene(points, neighbours)?;
        all.push(Workload { case, scene, dt: 0.01, parts: 1.0, paper: Some(paper) });
    }
    for (points, explicit_ms, implicit_ms) in super::mueller::physics() {
        let explicit = (Integrator::LeapFrog, 1e-4, 20.0, explicit_ms);
        for (integrator, dt, parts, ms) in [explicit, (Integrator::ImplicitEuler, 0.01, 1.0, implicit_ms)] {
            let case = format!("mueller-1 {} his support", points.iter().product::<usize>());
            let scene = super::mueller::scene(points, super::mueller::his_support(), integrator, dt)?;
            all.push(Workload { case, scene, dt, parts, paper: Some(1e3 / ms) });
        }
    }
    for (section, segments, paper) in TORI {
        let (scene, elements) = torus_scene(section, segments)?;
        all.push(Workload { case: format!("ciecierski-torus {elements}"), scene, dt: 0.016, parts: 1.0, paper });
    }
    Ok(all)
}

/// The papers' phyxels: no penalty, no correction.
pub(super) fn unstabilised(support: Support) -> MlsSettings {
    MlsSettings { support, stabilisation: 0.0, consistency: false, lagrangian: Lagrangian::Total, ..Default::default() }
}

/// The support, in spacings, that gives this many neighbours on average.
fn support_for(sampling: &PointSampling, mls: &MlsSettings, neighbours: f64) -> anyhow::Result<f64> {
    let (mut low, mut high) = (1.0, 2.0 * sampling.points.len() as f64);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let built = MlsStencils::build(sampling, &MlsSettings { support: Support::Spacings(middle), ..*mls })?;
        if mean_entries(&built.table) - 1.0 < neighbours {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(high)
}

fn mean_entries<R>(table: &StencilTable<R>) -> f64 {
    table.nodes.len() as f64 / table.volumes.len().max(1) as f64
}

pub(super) fn mean_neighbours<R: phyxel::math::Real>(simulation: &phyxel::Simulation<R>) -> f64 {
    let table = simulation.model().blocks.iter().find_map(|block| match &block.stencils {
        phyxel::stencil::block::Stencils::General(general) => Some(&general.table),
        phyxel::stencil::block::Stencils::Tets(_) => None,
    });
    table.map_or(0.0, |table| mean_entries(table) - 1.0)
}

pub(super) fn on_the_floor(
    sampling: PointSampling,
    material: Material,
    mls: MlsSettings,
    integrator: Integrator,
    step: f64,
) -> Scene {
    let mut body = Body::new("cube", Geometry::Points(sampling), Method::Mls, material);
    body.mls = mls;
    let floor = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
    let mut scene = Scene { bodies: vec![body], colliders: vec![Collider::new(floor)], ..Scene::default() };
    scene.solver.integrator = integrator;
    scene.solver.step = step;
    scene
}

/// What a row says about a simulation.
pub(super) fn describe<R: phyxel::math::Real>(
    simulation: &phyxel::Simulation<R>,
    scene: &Scene,
    threads: usize,
    precision: &'static str,
) -> Row {
    let bodies = simulation.bodies();
    Row {
        suite: "papers",
        method: bodies[0].method,
        solver: scene.solver.integrator.name(),
        device: "cpu".into(),
        threads,
        precision,
        nodes: bodies.iter().map(|b| b.nodes).sum(),
        elements: bodies.iter().map(|b| b.elements).sum(),
        ..Row::default()
    }
}

/// One thread, and all of them where there are more.
pub(super) fn thread_counts() -> Vec<usize> {
    let all = rayon::current_num_threads();
    if all > 1 { vec![1, all] } else { vec![1] }
}

/// Runs `work` on one thread or on all.
pub(super) fn with<T: Send>(threads: usize, work: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    if threads == 1 { on_one_thread(work) } else { work() }
}
