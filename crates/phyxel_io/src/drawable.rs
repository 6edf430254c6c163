//! What of a body is drawn: its skin, the boundary of its tetrahedra, its phyxels or its springs.

use crate::file::OutputError;
use phyxel::record::{BodyFrame, BodyLayout, Cells, Frame};
use phyxel_draw::boundary;
pub(crate) use phyxel_draw::{body_colour, spacing};

/// A body as it is drawn.
pub(crate) struct Drawable {
    pub name: String,
    pub shape: DrawnShape,
    /// What each triangle shows; empty where all is outside.
    #[allow(dead_code)] // for formats that tell insides from outsides
    pub parts: Vec<u32>,
    node_count: usize,
    on_skin: bool,
    least_skin: usize,
}

/// The primitives, over [`Drawable::points`].
pub(crate) enum DrawnShape {
    Triangles(Vec<[u32; 3]>),
    Spheres,
    Segments(Vec<[u32; 2]>),
}

impl Drawable {
    /// Decides what to draw, and refuses cells and triangles that name nodes which are not there.
    pub(crate) fn of(layout: &BodyLayout) -> Result<Self, OutputError> {
        check_cells(layout)?;
        let on_skin = !layout.skin_triangles.is_empty();
        let shape = match &layout.cells {
            _ if on_skin => DrawnShape::Triangles(layout.skin_triangles.clone()),
            Cells::Tets(tets) => DrawnShape::Triangles(boundary(tets)),
            Cells::Points => DrawnShape::Spheres,
            Cells::Lines(lines) => DrawnShape::Segments(lines.clone()),
        };
        let least_skin = layout.skin_triangles.iter().flatten().map(|&v| v as usize + 1).max().unwrap_or(0);
        let parts = if on_skin { layout.skin_parts.clone() } else { Vec::new() };
        Ok(Drawable { name: layout.name.clone(), shape, parts, node_count: layout.node_count, on_skin, least_skin })
    }

    /// The positions that the primitives refer to [m].
    pub(crate) fn points<'a>(&self, body: &'a BodyFrame) -> &'a [[f64; 3]] {
        if self.on_skin { &body.skin } else { &body.positions }
    }

    fn check(&self, frame: usize, body: &BodyFrame) -> Result<(), OutputError> {
        let lengths = [
            ("positions", body.positions.len()),
            ("velocities", body.velocities.len()),
            ("von Mises stresses", body.von_mises.len()),
        ];
        for (field, found) in lengths {
            expect(frame, found, self.node_count, || format!("the list of {field} of body `{}`", self.name))?;
        }
        let (warm, cold) = (body.temperatures.len(), body.temperatures.is_empty());
        expect(frame, if cold { self.node_count } else { warm }, self.node_count, || {
            format!("the list of temperatures of body `{}`", self.name)
        })?;
        let skin = body.skin.len();
        expect(frame, skin.min(self.least_skin), self.least_skin, || format!("the skin of body `{}`", self.name))
    }
}

/// Refuses a frame that does not fit the bodies.
pub(crate) fn check_frame(drawables: &[Drawable], frame: &Frame) -> Result<(), OutputError> {
    expect(frame.index, frame.bodies.len(), drawables.len(), || "the list of bodies".into())?;
    drawables.iter().zip(&frame.bodies).try_for_each(|(d, body)| d.check(frame.index, body))
}

fn expect(frame: usize, found: usize, expected: usize, what: impl FnOnce() -> String) -> Result<(), OutputError> {
    if found == expected { Ok(()) } else { Err(OutputError::FrameMismatch { frame, what: what(), found, expected }) }
}

fn check_cells(layout: &BodyLayout) -> Result<(), OutputError> {
    let largest = match &layout.cells {
        Cells::Tets(tets) => tets.iter().flatten().max(),
        Cells::Lines(lines) => lines.iter().flatten().max(),
        Cells::Points => None,
    };
    match largest {
        Some(&index) if index as usize >= layout.node_count => {
            Err(OutputError::BadIndex { body: layout.name.clone(), what: "cells", index, count: layout.node_count })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_names_a_missing_node_is_refused() {
        let layout =
            BodyLayout { name: "b".into(), node_count: 3, cells: Cells::Lines(vec![[0, 3]]), ..BodyLayout::default() };
        assert!(matches!(Drawable::of(&layout), Err(OutputError::BadIndex { index: 3, count: 3, .. })));
    }
}
