//! Surfaces that are found anew in each frame, as triangles, and surfels, as vertices with their half axes.

use super::xml::{Section, array, doubles, write_file};
use phyxel::record::{BodyFrame, Frame};
use std::io::{self, Write};

/// Whether a body shows more than its nodes and cells in a frame.
pub(super) fn has_one(body: &BodyFrame) -> bool {
    body.free.as_ref().is_some_and(|f| !f.triangles.is_empty())
        || body.surfels.as_ref().is_some_and(|s| !s.points.is_empty())
}

/// What all bodies show, one after the other; surfels come before triangles, as vertices do in VTK.
#[derive(Default)]
struct Shown {
    points: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    /// Half axes of surfels [m]; zero for points of triangles.
    axes: [Vec<[f64; 3]>; 2],
    /// Linear; white where the body has no colours.
    colours: Vec<[f32; 3]>,
    body_of_point: Vec<u32>,
    discs: usize,
    triangles: Vec<[u32; 3]>,
    body_of_triangle: Vec<u32>,
    /// 0 outside; faces of cracks have another number.
    part_of_triangle: Vec<u32>,
}

impl Shown {
    fn of(frame: &Frame) -> Self {
        let mut shown = Shown::default();
        for (body, surfels) in frame.bodies.iter().enumerate().filter_map(|(i, b)| Some((i, b.surfels.as_ref()?))) {
            shown.discs += surfels.points.len();
            shown.axes[0].extend(surfels.tangents.iter().map(|t| t[0]));
            shown.axes[1].extend(surfels.tangents.iter().map(|t| t[1]));
            shown.add(body, &surfels.points, &surfels.normals, &surfels.colours);
        }
        for (body, free) in frame.bodies.iter().enumerate().filter_map(|(i, b)| Some((i, b.free.as_ref()?))) {
            let first = shown.points.len() as u32;
            shown.triangles.extend(free.triangles.iter().map(|t| t.map(|v| first + v)));
            shown.body_of_triangle.extend(std::iter::repeat_n(body as u32, free.triangles.len()));
            shown.part_of_triangle.extend(&free.parts);
            shown.part_of_triangle.resize(shown.triangles.len(), 0);
            shown.add(body, &free.points, &free.normals, &free.colours);
        }
        let count = shown.points.len();
        shown.axes.iter_mut().for_each(|axes| axes.resize(count, [0.0; 3]));
        shown
    }

    fn add(&mut self, body: usize, points: &[[f64; 3]], normals: &[[f64; 3]], colours: &[[f32; 3]]) {
        self.points.extend(points);
        let count = self.points.len();
        self.normals.extend(normals);
        self.normals.resize(count, [0.0; 3]);
        self.colours.extend(colours);
        self.colours.resize(count, [1.0; 3]);
        self.body_of_point.resize(count, body as u32);
    }
}

fn words(values: impl Iterator<Item = u32>) -> Vec<u8> {
    values.flat_map(u32::to_le_bytes).collect()
}

/// Writes the surfaces of a frame as `PolyData`.
pub(super) fn write(frame: &Frame, w: &mut impl Write) -> io::Result<()> {
    let shown = Shown::of(frame);
    let vectors = |of: &[[f64; 3]]| doubles(of.iter().flatten().copied());
    let (points, normals) = (vectors(&shown.points), vectors(&shown.normals));
    let [first, second] = [vectors(&shown.axes[0]), vectors(&shown.axes[1])];
    let colours: Vec<u8> = shown.colours.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    let body_of_point = words(shown.body_of_point.iter().copied());
    let (discs, triangles) = (shown.discs as u32, shown.triangles.len() as u32);
    let of_discs = shown.body_of_point[..shown.discs].iter();
    let body_of_cell = words(of_discs.chain(&shown.body_of_triangle).copied());
    let part_of_cell = words(std::iter::repeat_n(0, shown.discs).chain(shown.part_of_triangle.iter().copied()));
    let (single, single_ends) = (words(0..discs), words(1..=discs));
    let (corners, ends) = (words(shown.triangles.iter().flatten().copied()), words((1..=triangles).map(|t| 3 * t)));
    let (connectivity, offsets) = ("type=\"UInt32\" Name=\"connectivity\"", "type=\"UInt32\" Name=\"offsets\"");
    let mut fields = vec![
        array("type=\"Float64\" Name=\"normals\" NumberOfComponents=\"3\"", &normals),
        array("type=\"Float32\" Name=\"colour\" NumberOfComponents=\"3\"", &colours),
        array("type=\"UInt32\" Name=\"body\"", &body_of_point),
    ];
    if discs > 0 {
        fields.push(array("type=\"Float64\" Name=\"half_axis_1\" NumberOfComponents=\"3\"", &first));
        fields.push(array("type=\"Float64\" Name=\"half_axis_2\" NumberOfComponents=\"3\"", &second));
    }
    let sections: [Section<'_>; 5] = [
        ("PointData", fields),
        (
            "CellData",
            vec![
                array("type=\"UInt32\" Name=\"body\"", &body_of_cell),
                array("type=\"UInt32\" Name=\"part\"", &part_of_cell),
            ],
        ),
        ("Points", vec![array("type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", &points)]),
        ("Verts", vec![array(connectivity, &single), array(offsets, &single_ends)]),
        ("Polys", vec![array(connectivity, &corners), array(offsets, &ends)]),
    ];
    let counts = format!(
        "NumberOfPoints=\"{}\" NumberOfVerts=\"{discs}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{triangles}\"",
        shown.points.len()
    );
    write_file("PolyData", frame.time, &counts, &sections, w)
}
