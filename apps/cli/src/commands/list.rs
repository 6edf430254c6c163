//! `phyxel list`: what there is to choose from.

use phyxel::material::{PRESETS, Plasticity, Preset};
use phyxel::scene::{Integrator, Method};
use serde::Serialize;

use crate::args::{ListArgs, ListPart};
use crate::bench::SUITES;
use crate::failure::Failure;
use crate::report;

/// What `list` tells.
#[derive(Debug, Serialize)]
struct Listing {
    scenes: Vec<Named>,
    materials: Vec<MaterialEntry>,
    methods: Vec<&'static str>,
    solvers: Vec<&'static str>,
    validation_cases: Vec<&'static str>,
    benchmarks: Vec<Named>,
    devices: Vec<Named>,
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
    summary: String,
}

#[derive(Debug, Serialize)]
struct MaterialEntry {
    name: &'static str,
    law: &'static str,
    young_modulus: f64,
    poisson_ratio: f64,
    density: f64,
    yield_stress: Option<f64>,
    conductivity: f64,
    specific_heat: f64,
    thermal_expansion: f64,
    melts_between: Option<[f64; 2]>,
    source: &'static str,
    heat_source: &'static str,
}

/// Runs the command.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let listing = listing();
    if args.tell.talks() {
        tell(&listing, args.part);
    }
    report::write(args.tell.json.as_deref(), &listing)
}

fn listing() -> Listing {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Listing {
        scenes: phyxel_scenes::ALL
            .iter()
            .map(|scene| Named { name: scene.name.into(), summary: scene.summary.into() })
            .collect(),
        materials: PRESETS.iter().map(material_entry).collect(),
        methods: Method::ALL.map(Method::name).into(),
        solvers: Integrator::ALL.map(Integrator::name).into(),
        validation_cases: super::validate::case_names(),
        benchmarks: SUITES
            .iter()
            .map(|suite| Named { name: suite.name.into(), summary: suite.summary.into() })
            .collect(),
        devices: devices(threads),
    }
}

/// The processor, and every graphics device with its limits.
fn devices(threads: usize) -> Vec<Named> {
    let cpu = Named { name: "cpu".into(), summary: format!("{threads} threads") };
    let gpu = |a: phyxel_gpu::AdapterSummary| Named {
        name: format!("{} {}", a.index, a.name),
        summary: format!(
            "{}, {}, {}; buffers to {:.1} GiB, {:.1} GiB at a time, {} per kernel, {} KiB per workgroup{}",
            a.kind,
            a.backend,
            a.driver,
            a.max_buffer_bytes as f64 / f64::from(1 << 30),
            a.max_binding_bytes as f64 / f64::from(1 << 30),
            a.max_storage_buffers,
            a.workgroup_bytes >> 10,
            if a.timestamps { ", timestamps" } else { "" },
        ),
    };
    std::iter::once(cpu).chain(phyxel_gpu::adapters().into_iter().map(gpu)).collect()
}

fn material_entry(preset: &Preset) -> MaterialEntry {
    let thermal = (preset.thermal)();
    let yield_stress = match preset.plastic {
        Some(Plasticity::Stress { yield_stress, .. }) => Some(yield_stress),
        _ => None,
    };
    MaterialEntry {
        name: preset.name,
        law: preset.material().law.name(),
        young_modulus: preset.young_modulus,
        poisson_ratio: preset.poisson_ratio,
        density: preset.density,
        yield_stress,
        conductivity: thermal.conductivity,
        specific_heat: thermal.specific_heat,
        thermal_expansion: thermal.expansion,
        melts_between: thermal.melting.map(|m| [m.solidus, m.liquidus]),
        source: preset.source,
        heat_source: preset.heat_source,
    }
}

fn tell_material(m: &MaterialEntry) {
    print!(
        "  {:12} {:12} E {:8.2e} Pa, nu {:4.2}, {:6} kg/m³",
        m.name, m.law, m.young_modulus, m.poisson_ratio, m.density
    );
    print!(", {:5} W/(m K), {:4} J/(kg K), {:.1e} /K", m.conductivity, m.specific_heat, m.thermal_expansion);
    if let Some(stress) = m.yield_stress {
        print!(", yields at {stress:.1e} Pa");
    }
    match m.melts_between {
        Some([a, b]) if a < b => println!(", melts from {a} to {b} K"),
        Some([a, _]) => println!(", melts at {a} K"),
        None => println!(),
    }
    println!("               {}; {}", m.source, m.heat_source);
}

fn tell(listing: &Listing, only: Option<ListPart>) {
    let wanted = |part: ListPart| only.is_none_or(|only| only == part);
    if wanted(ListPart::Scenes) {
        println!("Scenes, for `phyxel run NAME`:");
        listing.scenes.iter().for_each(|scene| println!("  {:12} {}", scene.name, scene.summary));
    }
    if wanted(ListPart::Materials) {
        println!("Materials, for `material = \"NAME\"` or `preset = \"NAME\"`:");
        listing.materials.iter().for_each(tell_material);
    }
    if wanted(ListPart::Solvers) {
        println!("Methods:    {}", listing.methods.join(", "));
        println!("Solvers:    {}", listing.solvers.join(", "));
    }
    if wanted(ListPart::Cases) && !listing.validation_cases.is_empty() {
        println!("Validation: {}", listing.validation_cases.join(", "));
    }
    if wanted(ListPart::Benchmarks) {
        println!("Benchmarks, for `phyxel bench NAME`:");
        listing.benchmarks.iter().for_each(|suite| println!("  {:12} {}", suite.name, suite.summary));
    }
    if wanted(ListPart::Devices) {
        listing.devices.iter().for_each(|device| println!("Device:     {}, {}", device.name, device.summary));
    }
}
