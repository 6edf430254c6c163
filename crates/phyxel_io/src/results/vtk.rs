//! VTK: all nodes and cells with their fields, one `.vtu` per frame, and a `.pvd` that gives each its time.
//!
//! The arrays are appended to the XML as raw little-endian bytes, each behind its length (u64): the form that ParaView
//! itself prefers, exact and without blow-up.

use super::sequence::Sequence;
use super::{FrameStats, Run, Writer};
use crate::file::{AtomicFile, OutputError};
use phyxel::record::{BodyFrame, BodyLayout, Cells, Frame};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const VTK_VERTEX: u8 = 1;
const VTK_LINE: u8 = 3;
const VTK_TETRA: u8 = 10;
const TIME_OPENING: &str = "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">";

pub(super) struct VtkWriter {
    run: Arc<Run>,
    sequence: Sequence,
    topology: Topology,
    /// Index and time [s] of the frames recorded.
    frames: Vec<(usize, f64)>,
}

impl VtkWriter {
    pub(super) fn create(run: Arc<Run>) -> Result<Self, OutputError> {
        let sequence = Sequence::create(&run, "vtk", "vtu")?;
        let earlier = |index| Some((index, time_of(&sequence.path(index))?));
        let frames = (0..run.resume_from).filter_map(earlier).collect();
        let topology = Topology::of(&run.layouts);
        Ok(VtkWriter { run, sequence, topology, frames })
    }

    fn write_list(&self, path: &Path) -> Result<(), OutputError> {
        AtomicFile::write(path, |w| {
            writeln!(w, "<?xml version=\"1.0\"?>")?;
            writeln!(w, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  <Collection>")?;
            for (index, time) in &self.frames {
                let file = self.sequence.path(*index);
                let file = file.file_name().unwrap_or_default().to_string_lossy();
                writeln!(w, "    <DataSet timestep=\"{time}\" part=\"0\" file=\"vtk/{file}\"/>")?;
            }
            writeln!(w, "  </Collection>\n</VTKFile>")
        })
    }
}

impl Writer for VtkWriter {
    fn push(&mut self, frame: &Frame, _: &FrameStats) -> Result<(), OutputError> {
        self.sequence.write(frame.index, |w| write_frame(&self.topology, frame, w))?;
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

/// An array of the file: its element in the XML, short of the offset, and its bytes.
struct Array<'a> {
    attributes: &'static str,
    bytes: &'a [u8],
}

fn doubles(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(f64::to_le_bytes).collect()
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
    let array = |attributes, bytes| Array { attributes, bytes };
    let vector = "type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\"";
    let mut fields = vec![
        array(vector, &velocities),
        array("type=\"Float64\" Name=\"von_mises\"", &stresses),
        array("type=\"UInt32\" Name=\"body\"", &topology.body_of_point),
    ];
    if !temperatures.is_empty() {
        fields.push(array("type=\"Float64\" Name=\"temperature\"", &temperatures));
    }
    let sections = [
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
    writeln!(
        w,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
    )?;
    writeln!(
        w,
        "  <UnstructuredGrid>\n    <FieldData>\n      <DataArray type=\"Float64\" {TIME_OPENING}{}</DataArray>",
        frame.time
    )?;
    let count = stresses.len() / 8;
    writeln!(w, "    </FieldData>\n    <Piece NumberOfPoints=\"{count}\" NumberOfCells=\"{}\">", topology.cells)?;
    let mut offset = 0;
    for (section, arrays) in &sections {
        writeln!(w, "      <{section}>")?;
        for Array { attributes, bytes } in arrays {
            writeln!(w, "        <DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>")?;
            offset += 8 + bytes.len();
        }
        writeln!(w, "      </{section}>")?;
    }
    write!(w, "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_")?;
    for Array { bytes, .. } in sections.iter().flat_map(|(_, arrays)| arrays) {
        w.write_all(&(bytes.len() as u64).to_le_bytes())?;
        w.write_all(bytes)?;
    }
    writeln!(w, "\n  </AppendedData>\n</VTKFile>")
}

/// The time that a frame of an earlier run carries [s]; nothing when there is no such frame.
fn time_of(path: &Path) -> Option<f64> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(1024).read_to_end(&mut head).ok()?;
    let text = String::from_utf8_lossy(&head);
    text.split_once(TIME_OPENING)?.1.split_once('<')?.0.parse().ok()
}
