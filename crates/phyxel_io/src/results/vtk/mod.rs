//! VTK: all nodes and cells with their fields, one `.vtu` per frame; surfaces found anew and surfels, one `.vtp` per frame
//! that has some; and a `.pvd` that gives each its time.

mod surfaces;
mod xml;

use super::sequence::Sequence;
use super::{FrameStats, Run, Writer};
use crate::file::{AtomicFile, OutputError};
use phyxel::record::{BodyFrame, BodyLayout, Cells, Frame};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xml::{Array, Section, array, doubles, time_of, write_file};

const VTK_VERTEX: u8 = 1;
const VTK_LINE: u8 = 3;
const VTK_TETRA: u8 = 10;

pub(super) struct VtkWriter {
    run: Arc<Run>,
    sequence: Sequence,
    surfaces: Sequence,
    topology: Topology,
    /// Index and time [s] of the frames recorded.
    frames: Vec<(usize, f64)>,
}

impl VtkWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let sequence = Sequence::create(&run, "vtk", "vtu")?;
        let surfaces = Sequence::create(&run, "vtk", "vtp")?;
        let earlier = |index| Some((index, time_of(&sequence.path(index))?));
        let frames = (0..run.resume_from).filter_map(earlier).collect();
        let topology = Topology::of(&run.layouts);
        Ok(VtkWriter { run, sequence, surfaces, topology, frames })
    }

    fn write_list(&self, path: &Path) -> Result<(), OutputError> {
        AtomicFile::write(path, |w| {
            writeln!(w, "<?xml version=\"1.0\"?>")?;
            writeln!(w, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  <Collection>")?;
            for (index, time) in &self.frames {
                for (part, sequence) in [&self.sequence, &self.surfaces].into_iter().enumerate() {
                    let path = sequence.path(*index);
                    if part > 0 && !path.is_file() {
                        continue;
                    }
                    let file = path.file_name().unwrap_or_default().to_string_lossy();
                    writeln!(w, "    <DataSet timestep=\"{time}\" part=\"{part}\" file=\"vtk/{file}\"/>")?;
                }
            }
            writeln!(w, "  </Collection>\n</VTKFile>")
        })
    }
}

impl Writer for VtkWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        self.sequence.write(frame.index, |w| write_frame(&self.topology, frame, w))?;
        if frame.bodies.iter().any(surfaces::has_one) {
            self.surfaces.write(frame.index, |w| surfaces::write(frame, w))?;
        }
        self.frames.push((frame.index, frame.time));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Option<PathBuf>, OutputError> {
        let path = self.run.dir.join(format!("{}.pvd", self.run.name));
        self.write_list(&path)?;
        Ok(Some(path))
    }
}

/// What is the same in every frame, as bytes.
#[derive(Default)]
struct Topology {
    cells: usize,
    connectivity: Vec<u8>,
    offsets: Vec<u8>,
    types: Vec<u8>,
    body_of_cell: Vec<u8>,
    body_of_point: Vec<u8>,
}

impl Topology {
    fn of(layouts: &[BodyLayout]) -> Self {
        let (mut topology, mut first, mut end) = (Topology::default(), 0, 0);
        for (body, layout) in layouts.iter().enumerate() {
            let body = (body as u32).to_le_bytes();
            let mut add = |kind: u8, nodes: &[u32]| {
                end += nodes.len() as u32;
                topology.cells += 1;
                topology.connectivity.extend(nodes.iter().flat_map(|n| (first + n).to_le_bytes()));
                topology.offsets.extend(end.to_le_bytes());
                topology.types.push(kind);
                topology.body_of_cell.extend(body);
            };
            match &layout.cells {
                Cells::Tets(tets) => tets.iter().for_each(|t| add(VTK_TETRA, t)),
                Cells::Lines(lines) => lines.iter().for_each(|l| add(VTK_LINE, l)),
                Cells::Points => (0..layout.node_count as u32).for_each(|n| add(VTK_VERTEX, &[n])),
            }
            topology.body_of_point.extend(body.repeat(layout.node_count));
            first += layout.node_count as u32;
        }
        topology
    }
}

/// Temperatures of all points [K], NaN for bodies that have none; nothing when no body has any.
fn temperatures(frame: &Frame) -> Vec<u8> {
    if frame.bodies.iter().all(|b| b.temperatures.is_empty()) {
        return Vec::new();
    }
    let of_body = |body: &BodyFrame| match &body.temperatures[..] {
        [] => vec![f64::NAN; body.positions.len()],
        known => known.to_vec(),
    };
    doubles(frame.bodies.iter().flat_map(of_body))
}

fn write_frame(topology: &Topology, frame: &Frame, w: &mut impl Write) -> io::Result<()> {
    let bodies = || frame.bodies.iter();
    let points = doubles(bodies().flat_map(|b| b.positions.iter().flatten().copied()));
    let velocities = doubles(bodies().flat_map(|b| b.velocities.iter().flatten().copied()));
    let stresses = doubles(bodies().flat_map(|b| b.von_mises.iter().copied()));
    let temperatures = temperatures(frame);
    let vector = "type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\"";
    let mut fields: Vec<Array<'_>> = vec![
        array(vector, &velocities),
        array("type=\"Float64\" Name=\"von_mises\"", &stresses),
        array("type=\"UInt32\" Name=\"body\"", &topology.body_of_point),
    ];
    if !temperatures.is_empty() {
        fields.push(array("type=\"Float64\" Name=\"temperature\"", &temperatures));
    }
    let sections: [Section<'_>; 4] = [
        ("PointData", fields),
        ("CellData", vec![array("type=\"UInt32\" Name=\"body\"", &topology.body_of_cell)]),
        ("Points", vec![array("type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", &points)]),
        (
            "Cells",
            vec![
                array("type=\"UInt32\" Name=\"connectivity\"", &topology.connectivity),
                array("type=\"UInt32\" Name=\"offsets\"", &topology.offsets),
                array("type=\"UInt8\" Name=\"types\"", &topology.types),
            ],
        ),
    ];
    let counts = format!("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", stresses.len() / 8, topology.cells);
    write_file("UnstructuredGrid", frame.time, &counts, &sections, w)
}
