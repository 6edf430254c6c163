//! The machine-readable results; the names of the fields are a promise to people's scripts.

use std::collections::BTreeMap;
use std::path::Path;

use phyxel::AnySimulation;
use serde::Serialize;

use crate::failure::Failure;

/// What `run` tells.
#[derive(Debug, Serialize)]
pub struct RunReport {
    pub scene: String,
    /// `cpu`, or the name of the graphics device.
    pub device: String,
    pub precision: &'static str,
    pub threads: usize,
    /// Frames written, the initial one included.
    pub frames: usize,
    pub steps: usize,
    pub simulated_s: f64,
    pub wall_s: f64,
    pub real_time_factor: f64,
    pub bodies: Vec<BodyReport>,
    pub energy: EnergyReport,
    pub momentum: [f64; 3],
    pub state_hash: String,
    pub warnings: Vec<String>,
    pub outputs: Vec<String>,
    pub timings_ms: BTreeMap<String, f64>,
}

/// What `check` tells.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    pub scene: String,
    pub bodies: Vec<BodyReport>,
    pub warnings: Vec<String>,
    pub stable_step_s: f64,
    pub memory_bytes: usize,
}

/// One body.
#[derive(Debug, Serialize)]
pub struct BodyReport {
    pub name: String,
    pub nodes: usize,
    pub elements: usize,
    pub method: String,
    pub material: String,
    pub mass_kg: f64,
    pub volume_m3: f64,
    pub fragments: usize,
    /// Mass of small pieces that have been removed.
    pub removed_kg: f64,
}

/// The energies of all bodies together.
#[derive(Debug, Serialize)]
pub struct EnergyReport {
    pub kinetic_j: f64,
    pub elastic_j: f64,
    pub potential_j: f64,
    pub dissipated_j: f64,
}

/// The bodies of a simulation.
pub fn bodies(simulation: &AnySimulation) -> Vec<BodyReport> {
    simulation
        .bodies()
        .into_iter()
        .map(|body| BodyReport {
            name: body.name,
            nodes: body.nodes,
            elements: body.elements,
            method: body.method.to_string(),
            material: body.material.to_string(),
            mass_kg: body.mass_kg,
            volume_m3: body.volume_m3,
            fragments: body.fragments,
            removed_kg: body.removed_kg,
        })
        .collect()
}

/// The present energies.
pub fn energy(simulation: &AnySimulation) -> EnergyReport {
    let energy = simulation.energy();
    EnergyReport {
        kinetic_j: energy.kinetic_j,
        elastic_j: energy.elastic_j,
        potential_j: energy.potential_j,
        dissipated_j: energy.dissipated_j,
    }
}

/// Writes a report where `--json` says.
pub fn write(path: Option<&Path>, report: &impl Serialize) -> Result<(), Failure> {
    path.map_or(Ok(()), |path| phyxel_io::write_json(path, report).map_err(Failure::work))
}
