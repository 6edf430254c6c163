//! CSV: energies, momenta and counters, one row per frame; beside it the forces of contacts, what triggers noticed, what
//! broke, and temperatures.

use super::{Run, Writer};
use crate::file::{AtomicFile, OutputError, append, partial_name, remove_if_there};
use phyxel::record::Frame;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The numbers of a frame, over all bodies.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct FrameStats {
    /// Kinetic energy [J].
    pub kinetic_j: f64,
    /// Elastic energy [J].
    pub elastic_j: f64,
    /// Potential energy of gravity [J].
    pub potential_j: f64,
    /// Energy lost so far to damping, plastic flow and friction [J].
    pub dissipated_j: f64,
    /// Momentum [kg m/s].
    pub momentum: [f64; 3],
    /// Angular momentum about the origin [kg m²/s].
    pub angular_momentum: [f64; 3],
    /// Steps since the previous frame.
    pub steps: usize,
    /// Sub-steps since the previous frame.
    pub substeps: usize,
    /// Iterations of the solvers since the previous frame.
    pub iterations: usize,
    /// Largest relative residual that a solve since the previous frame ended with.
    pub residual: f64,
    /// Smallest det F of all elements: below zero, one is inside out.
    pub min_det_f: f64,
}

const HEADER: &str = "frame,time_s,kinetic_j,elastic_j,potential_j,dissipated_j,\
    momentum_x_kg_m_per_s,momentum_y_kg_m_per_s,momentum_z_kg_m_per_s,\
    angular_momentum_x_kg_m2_per_s,angular_momentum_y_kg_m2_per_s,angular_momentum_z_kg_m2_per_s,\
    steps,substeps,iterations,residual,min_det_f\n";

const CONTACTS_HEADER: &str = "frame,time_s,first,second,force_x_n,force_y_n,force_z_n,\
    point_x_m,point_y_m,point_z_m,normal_x,normal_y,normal_z,places\n";
const CRACKS_HEADER: &str =
    "frame,time_s,body,point_x_m,point_y_m,point_z_m,normal_x,normal_y,normal_z,area_m2,energy_j\n";
const TRIGGERS_HEADER: &str = "frame,time_s,trigger,who,entered\n";
const TEMPERATURES_HEADER: &str = "frame,time_s,body,lowest_k,mean_k,highest_k\n";

/// The table of the run, and those of contacts, triggers, cracks and temperatures where there are any.
pub(super) struct CsvWriter {
    frames: Table,
    contacts: Table,
    triggers: Table,
    cracks: Table,
    temperatures: Table,
    /// Names of the bodies.
    bodies: Vec<String>,
}

/// Rows gather in a hidden file, which becomes the table when the run ends.
struct Table {
    header: &'static str,
    path: PathBuf,
    rows: PathBuf,
}

impl Table {
    fn create(run: &Run, ending: &str, header: &'static str) -> Result<Self, OutputError> {
        let path = run.dir.join(format!("{}{ending}", run.name));
        let rows = partial_name(&path.with_extension("rows"));
        let kept = earlier_rows(&path, &rows, run.resume_from);
        remove_if_there(&rows)?;
        append(&rows, |w| w.write_all(kept.as_bytes()))?;
        Ok(Table { header, path, rows })
    }

    fn push(&self, rows: &str) -> Result<(), OutputError> {
        append(&self.rows, |w| w.write_all(rows.as_bytes()))
    }

    fn has_rows(&self) -> bool {
        fs::metadata(&self.rows).is_ok_and(|rows| rows.len() > 0)
    }

    fn finish(self) -> Result<PathBuf, OutputError> {
        AtomicFile::write(&self.path, |w| {
            w.write_all(self.header.as_bytes())?;
            io::copy(&mut File::open(&self.rows)?, w).map(drop)
        })?;
        remove_if_there(&self.rows)?;
        Ok(self.path)
    }

    fn finish_if_used(self) -> Result<(), OutputError> {
        if self.has_rows() { self.finish().map(drop) } else { remove_if_there(&self.rows) }
    }
}

impl CsvWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        Ok(CsvWriter {
            frames: Table::create(&run, ".csv", HEADER)?,
            contacts: Table::create(&run, ".contacts.csv", CONTACTS_HEADER)?,
            triggers: Table::create(&run, ".triggers.csv", TRIGGERS_HEADER)?,
            cracks: Table::create(&run, ".cracks.csv", CRACKS_HEADER)?,
            temperatures: Table::create(&run, ".temperatures.csv", TEMPERATURES_HEADER)?,
            bodies: run.layouts.iter().map(|body| body.name.clone()).collect(),
        })
    }
}

/// The whole rows of frames before `resume_from`, from a table that was finished or from the rows of a run that was not.
fn earlier_rows(path: &PathBuf, rows: &PathBuf, resume_from: usize) -> String {
    let text = if resume_from == 0 {
        String::new()
    } else {
        fs::read_to_string(rows).or(fs::read_to_string(path)).unwrap_or_default()
    };
    let early = |line: &&str| {
        let frame = line.split(',').next().and_then(|f| f.parse::<usize>().ok());
        line.ends_with('\n') && frame.is_some_and(|f| f < resume_from)
    };
    text.split_inclusive('\n').filter(early).collect()
}

/// A name as a field: quoted where it must be.
fn field(name: &str) -> String {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}

fn contact_rows(frame: &Frame) -> String {
    let mut rows = String::new();
    for c in &frame.contacts {
        rows += &format!("{},{},{},{}", frame.index, frame.time, field(&c.first), field(&c.second));
        for value in [c.force, c.point, c.normal].as_flattened() {
            rows += &format!(",{value}");
        }
        rows += &format!(",{}\n", c.places);
    }
    rows
}

fn trigger_rows(frame: &Frame) -> String {
    let row = |e: &phyxel::record::TriggerRecord| {
        format!("{},{},{},{},{}\n", frame.index, e.time, field(&e.trigger), field(&e.who), e.entered)
    };
    frame.triggers.iter().map(row).collect()
}

fn crack_rows(frame: &Frame) -> String {
    let mut rows = String::new();
    for c in &frame.cracks {
        rows += &format!("{},{},{}", frame.index, c.time, field(&c.body));
        for value in c.point.iter().chain(&c.normal).chain([&c.area, &c.energy]) {
            rows += &format!(",{value}");
        }
        rows += "\n";
    }
    rows
}

/// Bodies without temperatures have no row.
fn temperature_rows(frame: &Frame, names: &[String]) -> String {
    let mut rows = String::new();
    for (name, body) in names.iter().zip(&frame.bodies).filter(|(_, body)| !body.temperatures.is_empty()) {
        let all = || body.temperatures.iter().copied();
        let (lowest, highest) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let mean = all().sum::<f64>() / body.temperatures.len() as f64;
        rows += &format!("{},{},{},{lowest},{mean},{highest}\n", frame.index, frame.time, field(name));
    }
    rows
}

fn row(frame: &Frame, s: &FrameStats) -> String {
    let [px, py, pz] = s.momentum;
    let [lx, ly, lz] = s.angular_momentum;
    let energies = [s.kinetic_j, s.elastic_j, s.potential_j, s.dissipated_j, px, py, pz, lx, ly, lz];
    let mut row = format!("{},{}", frame.index, frame.time);
    for value in energies {
        row += &format!(",{value}");
    }
    row + &format!(",{},{},{},{},{}\n", s.steps, s.substeps, s.iterations, s.residual, s.min_det_f)
}

impl Writer for CsvWriter {
    fn push(&mut self, frame: &Frame, stats: &FrameStats) -> Result<(), OutputError> {
        self.contacts.push(&contact_rows(frame))?;
        self.triggers.push(&trigger_rows(frame))?;
        self.cracks.push(&crack_rows(frame))?;
        self.temperatures.push(&temperature_rows(frame, &self.bodies))?;
        self.frames.push(&row(frame, stats))
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        self.contacts.finish_if_used()?;
        self.triggers.finish_if_used()?;
        self.cracks.finish_if_used()?;
        self.temperatures.finish_if_used()?;
        self.frames.finish().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_as_many_fields_as_the_header() {
        let stats = FrameStats { momentum: [1.0, 2.0, 3.0], residual: 1e-7, ..FrameStats::default() };
        let row = row(&Frame { index: 4, time: 0.25, ..Frame::default() }, &stats);
        assert_eq!(row.split(',').count(), HEADER.split(',').count());
        assert!(row.starts_with("4,0.25,0,0,0,0,1,2,3,"), "{row}");
        let residual = HEADER.split(',').position(|name| name == "residual").unwrap();
        assert_eq!(row.split(',').nth(residual).unwrap().parse::<f64>(), Ok(1e-7));
    }

    #[test]
    fn names_with_commas_are_quoted_and_rows_fit_their_header() {
        let contact = phyxel::record::ContactRecord {
            first: "a, \"b\"".into(),
            second: "collider 0".into(),
            force: [0.0, 9.81, 0.0],
            point: [0.0; 3],
            normal: [0.0, 1.0, 0.0],
            places: 4,
        };
        let frame = Frame { index: 2, time: 0.5, contacts: vec![contact], ..Frame::default() };
        let rows = contact_rows(&frame);
        assert!(rows.starts_with("2,0.5,\"a, \"\"b\"\"\",collider 0,0,9.81,0,"), "{rows}");
        assert_eq!(rows.split(',').count() - 1, CONTACTS_HEADER.split(',').count());
    }

    #[test]
    fn temperatures_of_bodies_that_have_some_are_told() {
        let body = |temperatures: &[f64]| phyxel::record::BodyFrame {
            temperatures: temperatures.to_vec(),
            ..Default::default()
        };
        let bodies = vec![body(&[]), body(&[300.0, 330.0, 315.0])];
        let frame = Frame { index: 3, time: 0.1, bodies, ..Frame::default() };
        let rows = temperature_rows(&frame, &["cold".into(), "wax".into()]);
        assert_eq!(rows, "3,0.1,wax,300,315,330\n");
        assert_eq!(rows.split(',').count(), TEMPERATURES_HEADER.split(',').count());
    }

    #[test]
    fn cracks_fit_their_header() {
        let crack = phyxel::record::CrackRecord {
            time: 0.25,
            body: "wall".into(),
            point: [1.0, 2.0, 3.0],
            normal: [0.0, 0.0, 1.0],
            area: 0.5,
            energy: 2.0,
        };
        let rows = crack_rows(&Frame { index: 7, cracks: vec![crack], ..Frame::default() });
        assert_eq!(rows, "7,0.25,wall,1,2,3,0,0,1,0.5,2\n");
        assert_eq!(rows.split(',').count(), CRACKS_HEADER.split(',').count());
    }
}
