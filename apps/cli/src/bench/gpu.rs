//! The kernels of a graphics device: time, bytes, and how near they come to a plain copy.

use super::{Only, Row};
use phyxel::material::LawKind;
use phyxel::math::{Mat3, Vec3};
use phyxel::scene::{Body, Integrator, Method, MlsSettings, Pin, Region, Scene, Support};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::stencil::Present;
use phyxel::stencil::block::Stencils;
use phyxel::{Material, Simulation};
use phyxel_gpu::{
    Device, Explicit, Implicit, KernelTime, Rebuild, Resident, SkinProduct, SurfelCarriers, SurfelProduct, SurfelRest,
    copy_bandwidth, median, settled,
};
use std::sync::Arc;
use std::time::Instant;

/// Elements of the large workloads, in millions; a software driver gets small ones.
fn sizes(device: &Device) -> &'static [f64] {
    if device.summary().kind == "software" { &[0.02] } else { &[1.0, 5.0] }
}

/// A block of so many elements.
struct Workload {
    millions: f64,
    law: LawKind,
    /// Of phyxels, 32 neighbours each; of tetrahedra where there is none.
    stabilisation: Option<f64>,
}

/// What all cases need to know.
struct Bench<'a> {
    device: &'a Arc<Device>,
    only: Only<'a>,
    /// Bytes per second of a plain copy.
    copy: f64,
    out: &'a mut dyn FnMut(Row),
}

/// What rows are called that are the only ones of their workload.
const SKIN: &str = "skin points";
const SURFELS: &str = "surfels";
const REBUILD: &str = "neighbours and stencils of random points";

/// Runs the suite on a device.
pub fn run(device: &Arc<Device>, only: Only<'_>, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    let bytes = 1_u64 << if device.summary().kind == "software" { 24 } else { 30 };
    let copy = copy_bandwidth(device, bytes)?;
    let mut bench = Bench { device, only, copy, out };
    // What a launch costs whatever it does shows in small copies: kernels that move as little cannot be nearer to the large one.
    for bytes in [bytes, bytes >> 4, bytes >> 5, bytes >> 6, bytes >> 7].into_iter().filter(|_| only.wants("copy")) {
        let row = bench.row("copy", "", "");
        let own = copy_bandwidth(device, bytes)?;
        (bench.out)(row.timed(2e3 * bytes as f64 / own, 0.0).moving(2.0 * bytes as f64, copy));
    }
    for &millions in sizes(device) {
        for law in [LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean, LawKind::Linear] {
            bench.explicit(&Workload { millions, law, stabilisation: None })?;
        }
        bench.implicit(&Workload { millions, law: LawKind::Corotated, stabilisation: None })?;
    }
    let millions = sizes(device)[0];
    let phyxels = |penalty: f64| Workload { millions, law: LawKind::StVenantKirchhoff, stabilisation: Some(penalty) };
    bench.explicit(&phyxels(0.0))?;
    bench.explicit(&phyxels(0.1))?;
    bench.implicit(&phyxels(0.1))?;
    bench.skin(millions)?;
    bench.surfels(millions)?;
    bench.rebuild(millions)
}

fn soft(law: LawKind) -> Material {
    Material { law, young_modulus: 1e4, poisson_ratio: 0.3, density: 1000.0, ..Material::default() }
}

fn tets(millions: f64, law: LawKind) -> anyhow::Result<Body> {
    let cells = (millions * 1e6 / 5.0).cbrt().round() as usize;
    let mesh = box_tets([cells; 3], [0.0; 3], [1.0; 3], CubeSplit::Five)?;
    Ok(Body::new("block", Geometry::Tets(mesh), Method::Tet, soft(law)))
}

impl Workload {
    fn method(&self) -> &'static str {
        if self.stabilisation.is_some() { Method::Mls.name() } else { Method::Tet.name() }
    }

    /// What [`Explicit::time_kernels`] calls the launches of a step.
    fn explicit_passes(&self) -> [&'static str; 2] {
        if self.stabilisation.is_some() { ["general", "nodes"] } else { ["tets", "nodes"] }
    }

    fn body(&self) -> anyhow::Result<Body> {
        let Some(stabilisation) = self.stabilisation else {
            return tets(self.millions, self.law.clone());
        };
        let cells = (self.millions * 1e6).cbrt().round() as usize - 1;
        let points = box_points([cells; 3], [0.0; 3], [1.0; 3])?;
        let mut body = Body::new("block", Geometry::Points(points), Method::Mls, soft(self.law.clone()));
        let support = Support::Spacings(2.1);
        body.mls = MlsSettings { support, stabilisation, consistency: false, ..MlsSettings::default() };
        Ok(body)
    }
}

impl Bench<'_> {
    fn row(&self, case: impl Into<String>, method: &'static str, solver: &'static str) -> Row {
        let device = self.device.summary().name.clone();
        Row { suite: "kernels", case: case.into(), method, solver, device, precision: "f32", ..Row::default() }
    }

    fn wants_any(&self, cases: &[String]) -> bool {
        cases.iter().any(|case| self.only.wants(case))
    }

    /// One launch, beside the large copy and one of as many bytes as it moves; nothing where it is not asked for.
    fn put(&mut self, row: Row, kernel: &KernelTime) -> anyhow::Result<()> {
        if !self.only.wants(&row.case) {
            return Ok(());
        }
        let traffic_ms = kernel.traffic.map(|seconds| seconds * 1e3);
        let row = Row { traffic_ms, ..row.timed(kernel.seconds * 1e3, 0.0) };
        let row = match kernel.bytes {
            0 => row,
            bytes => {
                let own = copy_bandwidth(self.device, bytes.div_ceil(32) * 16)?;
                row.moving(bytes as f64, self.copy).beside_copy(own)
            }
        };
        (self.out)(row);
        Ok(())
    }

    /// Milliseconds of one of the `steps` that `work` takes: the median of three times, once the device is warm.
    fn median_ms(&self, steps: usize, mut work: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
        let mut measure = || {
            let started = Instant::now();
            work()?;
            self.device.wait()?;
            Ok(started.elapsed().as_secs_f64() * 1e3 / steps as f64)
        };
        settled(self.device, &mut measure)?;
        Ok(median((0..3).map(|_| measure()).collect::<anyhow::Result<_>>()?))
    }

    fn explicit(&mut self, workload: &Workload) -> anyhow::Result<()> {
        let (law, method) = (workload.law.name(), workload.method());
        let penalty = workload.stabilisation.map_or(String::new(), |penalty| format!(" penalty {penalty}"));
        let whole = format!("explicit {law}{penalty}");
        let pass = |kernel: &str| format!("  {kernel} pass, {law}{penalty}");
        let passes = self.wants_any(&workload.explicit_passes().map(pass));
        if !passes && !self.only.wants(&whole) {
            return Ok(());
        }
        let mut scene = Scene { bodies: vec![workload.body()?], ..Scene::default() };
        scene.solver.integrator = Integrator::LeapFrog;
        let simulation = Simulation::<f32>::build(&scene)?;
        let resident = Resident::new(self.device, simulation.model(), simulation.state())?;
        let explicit = Explicit::new(&resident, simulation.model(), &[], Integrator::LeapFrog)?;
        let dt = 1e-5;
        let (nodes, elements) = (resident.node_count(), resident.element_count());
        let row = |bench: &Self, case: String| Row { nodes, elements, ..bench.row(case, method, "leap-frog") };
        if self.only.wants(&whole) {
            let steps = if self.device.summary().kind == "software" { 20 } else { 2000 };
            let ms = self.median_ms(steps, || Ok(explicit.run(&resident, 0.0, dt, steps)?))?;
            let (first, second) = resident.force_bytes();
            let row = row(self, whole).timed(ms, dt).handling(elements as f64, "elements");
            (self.out)(row.moving((first + second) as f64, self.copy));
        }
        if passes {
            for kernel in explicit.time_kernels(&resident, dt, 32)? {
                self.put(row(self, pass(&kernel.name)), &kernel)?;
            }
        }
        Ok(())
    }

    /// Assembly, one iteration, and whole steps of 50 iterations.
    fn implicit(&mut self, workload: &Workload) -> anyhow::Result<()> {
        let (law, method) = (workload.law.name(), workload.method());
        let parts = [format!("  assembly, {law}"), format!("  one CG iteration, {law}")];
        let whole = format!("implicit {law}, 50 iterations");
        let pass = |kernel: &str| format!("  {kernel} pass, {law}");
        let passes = self.wants_any(&Implicit::PASSES.map(pass));
        if !passes && !self.wants_any(&parts) && !self.only.wants(&whole) {
            return Ok(());
        }
        let mut body = workload.body()?;
        body.pins.push(Pin::hold(Region::Box { min: [-1.0, -1.0, -1.0], max: [0.001, 2.0, 2.0] }));
        let mut scene = Scene { bodies: vec![body], ..Scene::default() };
        // So stiff that 50 iterations are never enough, and a tolerance that is never met: every iteration works.
        scene.bodies[0].material.young_modulus = 1e8;
        scene.solver.tolerance = 1e-4;
        scene.solver.max_iterations = 50;
        let simulation = Simulation::<f32>::build(&scene)?;
        scene.solver.tolerance = -1.0;
        let model = simulation.model();
        let resident = Resident::new(self.device, model, simulation.state())?;
        let mut implicit = Implicit::new(&resident, model, &[])?;
        let (nodes, elements) = (resident.node_count(), resident.element_count());
        let software = self.device.summary().kind == "software";
        let dt = 1.0 / 60.0;
        // Kernels are timed on a system that has been assembled.
        let (assembly, iteration) = implicit.time(&resident, model, dt, if software { 4 } else { 200 })?;
        let bytes = implicit.iteration_bytes(&resident) as f64;
        let row = |bench: &Self, case: String| Row { nodes, elements, ..bench.row(case, method, "implicit-euler") };
        let [first, second] = parts.map(|case| row(self, case));
        (self.out)(first.timed(assembly * 1e3, 0.0));
        (self.out)(second.timed(iteration * 1e3, 0.0).moving(bytes, self.copy));
        if passes {
            for kernel in implicit.time_kernels(&resident, if software { 2 } else { 32 })? {
                self.put(row(self, pass(&kernel.name)), &kernel)?;
            }
        }
        if !self.only.wants(&whole) {
            return Ok(());
        }
        let steps = if software { 1 } else { 40 };
        let mut iterations = 0;
        let ms = self.median_ms(steps, || {
            iterations = 0;
            for _ in 0..steps {
                iterations += implicit.step(&resident, model, (0.0, dt), &scene.solver)?.iterations;
            }
            Ok(())
        })?;
        let row = Row { iterations: Some(iterations as f64 / steps as f64), ..row(self, whole) };
        (self.out)(row.timed(ms, dt).handling(elements as f64, "elements"));
        Ok(())
    }

    /// A million points, each in a tetrahedron of the block.
    fn skin(&mut self, millions: f64) -> anyhow::Result<()> {
        if !self.only.wants(SKIN) {
            return Ok(());
        }
        let body = tets(millions, LawKind::Linear)?;
        let Geometry::Tets(mesh) = &body.geometry else { return Ok(()) };
        let count = (millions * 1e6) as usize;
        let carriers: Vec<Vec<(u32, f32)>> =
            (0..count).map(|i| mesh.tets[i * mesh.tets.len() / count].map(|n| (n, 0.25)).to_vec()).collect();
        let rest = vec![[0.0; 3]; count];
        let scene = Scene { bodies: vec![body], ..Scene::default() };
        let simulation = Simulation::<f32>::build(&scene)?;
        let resident = Resident::new(self.device, simulation.model(), simulation.state())?;
        let skin = SkinProduct::new(&resident, &rest, &carriers)?;
        if let Some(kernel) = skin.time(&resident, 32)? {
            let row = Row { nodes: count, ..self.row(SKIN, "", "") };
            self.put(row, &kernel)?;
        }
        Ok(())
    }

    /// A million discs, each in a tetrahedron of the block.
    fn surfels(&mut self, millions: f64) -> anyhow::Result<()> {
        if !self.only.wants(SURFELS) {
            return Ok(());
        }
        let body = tets(millions, LawKind::Linear)?;
        let count = (millions * 1e6) as usize;
        let scene = Scene { bodies: vec![body], ..Scene::default() };
        let simulation = Simulation::<f32>::build(&scene)?;
        let model = simulation.model();
        let resident = Resident::new(self.device, model, simulation.state())?;
        let Stencils::Tets(tets) = &model.blocks[0].stencils else { return Ok(()) };
        let table = &tets.table;
        let carriers: Vec<Vec<(u32, f32, [f32; 3])>> = (0..count)
            .map(|i| {
                let e = i * table.len() / count;
                let gradients = table.all_gradients(e);
                (0..4).map(|k| (table.nodes[e][k], 0.25, gradients[k].0)).collect()
            })
            .collect();
        let disc = SurfelRest { point: [0.0; 3], tangents: [[0.01, 0.0, 0.0], [0.0, 0.01, 0.0]] };
        let product = SurfelProduct::new(&resident, model, &vec![disc; count], SurfelCarriers::Nodes(&carriers))?;
        if let Some(kernel) = product.time(&resident, 32)? {
            let row = Row { nodes: count, ..self.row(SURFELS, "", "") };
            self.put(row, &kernel)?;
        }
        Ok(())
    }

    /// A million points anywhere, 32 neighbours each: found, and their stencils made.
    fn rebuild(&mut self, millions: f64) -> anyhow::Result<()> {
        if !self.only.wants(REBUILD) {
            return Ok(());
        }
        let count = (millions * 1e6) as usize;
        let random = super::kernels::random;
        let positions: Vec<Vec3<f32>> =
            (0..count as u64).map(|i| Vec3::of([0, 1, 2].map(|a| random(3 * i + a)))).collect();
        let radius = (1.033 * 32.0 / (4.0 / 3.0 * std::f64::consts::PI * count as f64)).cbrt() as f32;
        let (elastic, volumes) = (vec![Mat3::identity(); count], vec![1.0 / count as f32; count]);
        let now = Present {
            positions: &positions,
            elastic: &elastic,
            known: None,
            volumes: &volumes,
            radii: &vec![radius; count],
            mutual: true,
            kernel: MlsSettings::default().kernel,
            stabilisation: 0.1,
        };
        let mut rebuild = Rebuild::new(self.device, count)?;
        rebuild.set(&now);
        let mut entries = 0;
        let ms = self.median_ms(1, || {
            entries = rebuild.run()?.entries;
            Ok(())
        })?;
        let neighbours = Some((entries - count) as f64 / count as f64);
        let row = Row { nodes: count, neighbours, ..self.row(REBUILD, "mls", "") };
        (self.out)(row.timed(ms, 0.0).handling((entries - count) as f64, "pairs"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phyxel_gpu::Choice;

    #[test]
    fn what_is_not_asked_for_is_not_run() {
        let Ok(device) = Device::open(&Choice::Any) else {
            eprintln!("there is no device");
            return;
        };
        let rows = |text| {
            let mut found = Vec::new();
            run(&device, Only(Some(text)), &mut |row| found.push(row.case)).expect("a suite");
            found
        };
        assert_eq!(rows("no row has such a name"), [""; 0]);
        assert_eq!(rows("copy"), ["copy"; 5]);
        assert!(rows(SURFELS).iter().all(|case| case == SURFELS));
    }
}
