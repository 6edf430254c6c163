//! `phyxel list`: what there is to choose from.

use phyxel::material::PRESETS;
use phyxel::scene::{Integrator, Method};
use serde::Serialize;

use crate::args::ListArgs;
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
    source: &'static str,
}

/// Runs the command.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let listing = listing();
    if args.tell.talks() {
        tell(&listing);
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
        materials: PRESETS
            .iter()
            .map(|preset| MaterialEntry {
                name: preset.name,
                law: preset.material().law.name(),
                young_modulus: preset.young_modulus,
                poisson_ratio: preset.poisson_ratio,
                density: preset.density,
                source: preset.source,
            })
            .collect(),
        methods: Method::ALL.map(Method::name).into(),
        solvers: Integrator::ALL.map(Integrator::name).into(),
        validation_cases: super::validate::case_names(),
        benchmarks: SUITES
            .iter()
            .map(|suite| Named { name: suite.name.into(), summary: suite.summary.into() })
            .collect(),
        devices: vec![Named { name: "cpu".into(), summary: format!("{threads} threads") }],
    }
}

fn tell(listing: &Listing) {
    println!("Scenes, for `phyxel run NAME`:");
    listing.scenes.iter().for_each(|scene| println!("  {:12} {}", scene.name, scene.summary));
    println!("\nMaterials, for `material = \"NAME\"` or `preset = \"NAME\"`:");
    for m in &listing.materials {
        println!(
            "  {:12} {:12} E {:8.2e} Pa, nu {:4.2}, {:6} kg/m³",
            m.name, m.law, m.young_modulus, m.poisson_ratio, m.density
        );
    }
    println!("\nMethods:    {}", listing.methods.join(", "));
    println!("Solvers:    {}", listing.solvers.join(", "));
    if !listing.validation_cases.is_empty() {
        println!("Validation: {}", listing.validation_cases.join(", "));
    }
    println!("\nBenchmarks, for `phyxel bench NAME`:");
    listing.benchmarks.iter().for_each(|suite| println!("  {:12} {}", suite.name, suite.summary));
    listing.devices.iter().for_each(|device| println!("Device:     {}, {}", device.name, device.summary));
}
