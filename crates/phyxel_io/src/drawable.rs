//! What of a body is drawn: its skin, the boundary of its tetrahedra, its phyxels or its springs; or, in frames that have
//! one, a surface found anew.

use crate::file::OutputError;
use phyxel::record::{BodyFrame, BodyLayout, Cells, Frame, FreeSurface, Look, Surfels};
use phyxel_draw::boundary;
pub(crate) use phyxel_draw::{body_colour, inside_colour, spacing};

/// A body as it is drawn.
pub(crate) struct Drawable {
    pub name: String,
    pub shape: DrawnShape,
    /// What each triangle shows; empty where all is outside.
    pub parts: Vec<u32>,
    /// Colours and textures of the triangles; empty where they are not a skin.
    pub look: Look,
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
        check_look(layout)?;
        let on_skin = !layout.skin_triangles.is_empty();
        let shape = match &layout.cells {
            _ if on_skin => DrawnShape::Triangles(layout.skin_triangles.clone()),
            Cells::Tets(tets) => DrawnShape::Triangles(boundary(tets)),
            Cells::Points => DrawnShape::Spheres,
            Cells::Lines(lines) => DrawnShape::Segments(lines.clone()),
        };
        let least_skin = layout.skin_triangles.iter().flatten().map(|&v| v as usize + 1).max().unwrap_or(0);
        let parts = if on_skin { layout.skin_parts.clone() } else { Vec::new() };
        let look = match on_skin {
            true => layout.look.clone(),
            false => Look { colour: layout.look.colour, ..Look::default() },
        };
        let (name, node_count) = (layout.name.clone(), layout.node_count);
        Ok(Drawable { name, shape, parts, look, node_count, on_skin, least_skin })
    }

    /// The positions that the primitives refer to [m].
    pub(crate) fn points<'a>(&self, body: &'a BodyFrame) -> &'a [[f64; 3]] {
        if self.on_skin { &body.skin } else { &body.positions }
    }

    /// Whether the points of the layout's shape are the body's nodes.
    pub(crate) fn is_on_nodes(&self) -> bool {
        !self.on_skin
    }

    /// The triangles drawn in this frame: those found anew, or else those of the layout; nothing for a body of balls
    /// or rods.
    pub(crate) fn surface<'a>(&'a self, body: &'a BodyFrame) -> Option<DrawnSurface<'a>> {
        if let Some(free) = &body.free {
            let FreeSurface { points, normals, colours, triangles, parts } = free;
            return Some(DrawnSurface { points, normals, colours, triangles, parts, is_free: true });
        }
        let DrawnShape::Triangles(triangles) = &self.shape else { return None };
        let points = self.points(body);
        let colours = if self.look.colours.len() == points.len() { &self.look.colours[..] } else { &[] };
        let parts = &self.parts[..];
        Some(DrawnSurface { points, normals: &[], colours, triangles, parts, is_free: false })
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
        expect(frame, skin.min(self.least_skin), self.least_skin, || format!("the skin of body `{}`", self.name))?;
        if let Some(free) = &body.free {
            self.check_free(frame, free)?;
        }
        body.surfels.as_ref().map_or(Ok(()), |surfels| self.check_surfels(frame, surfels))
    }

    fn check_free(&self, frame: usize, free: &FreeSurface) -> Result<(), OutputError> {
        let count = free.points.len();
        for (list, found) in [("normals", free.normals.len()), ("colours", free.colours.len())] {
            let fits = if found == 0 { count } else { found };
            expect(frame, fits, count, || format!("the list of {list} of the surface of body `{}`", self.name))?;
        }
        let parts = if free.parts.is_empty() { free.triangles.len() } else { free.parts.len() };
        expect(frame, parts, free.triangles.len(), || {
            format!("the list of parts of the surface of body `{}`", self.name)
        })?;
        match free.triangles.iter().flatten().max() {
            Some(&index) if index as usize >= count => {
                Err(OutputError::BadIndex { body: self.name.clone(), what: "surface triangles", index, count })
            }
            _ => Ok(()),
        }
    }

    fn check_surfels(&self, frame: usize, surfels: &Surfels) -> Result<(), OutputError> {
        let count = surfels.points.len();
        let colours = if surfels.colours.is_empty() { count } else { surfels.colours.len() };
        let lists = [("normals", surfels.normals.len()), ("tangents", surfels.tangents.len()), ("colours", colours)];
        for (list, found) in lists {
            expect(frame, found, count, || format!("the list of {list} of the surfels of body `{}`", self.name))?;
        }
        Ok(())
    }
}

/// The triangles of a body in one frame.
#[derive(Clone, Copy)]
pub(crate) struct DrawnSurface<'a> {
    /// Vertices [m].
    pub points: &'a [[f64; 3]],
    /// Normals of the vertices; empty where none are given.
    pub normals: &'a [[f64; 3]],
    /// Linear colours of the vertices; empty where the body's colour counts.
    pub colours: &'a [[f32; 3]],
    pub triangles: &'a [[u32; 3]],
    /// What each triangle shows; empty where all is outside.
    pub parts: &'a [u32],
    /// Found anew in this frame.
    pub is_free: bool,
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

/// Refuses texture coordinates and parts that are not one per triangle of the skin.
fn check_look(layout: &BodyLayout) -> Result<(), OutputError> {
    let expected = layout.skin_triangles.len();
    for (what, found) in [
        ("texture coordinates", layout.look.uvs.len()),
        ("normals", layout.look.normals.len()),
        ("parts of the skin", layout.skin_parts.len()),
    ] {
        if found != 0 && found != expected {
            return Err(OutputError::BadLook { body: layout.name.clone(), what, found, expected });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_does_not_fit_the_skin_is_refused() {
        let look = Look { uvs: vec![[[0.0; 2]; 3]; 2], ..Look::default() };
        let layout = BodyLayout { name: "b".into(), skin_triangles: vec![[0, 1, 2]], look, ..BodyLayout::default() };
        let message = Drawable::of(&layout).err().unwrap().to_string();
        assert!(message.contains("2 texture coordinates") && message.contains("1 triangles"), "{message}");
    }

    #[test]
    fn a_surface_found_anew_is_drawn_instead_of_the_skin_and_checked() {
        let layout = BodyLayout { skin_triangles: vec![[0, 1, 2]], ..BodyLayout::default() };
        let drawable = Drawable::of(&layout).unwrap();
        let free = FreeSurface { points: vec![[5.0; 3]; 4], triangles: vec![[0, 2, 3]], ..FreeSurface::default() };
        let mut body = BodyFrame { skin: vec![[1.0; 3]; 3], ..BodyFrame::default() };
        assert_eq!(drawable.surface(&body).unwrap().points[0], [1.0; 3]);
        body.free = Some(free);
        let drawn = drawable.surface(&body).unwrap();
        assert_eq!((drawn.points.len(), drawn.triangles, drawn.is_free), (4, &[[0, 2, 3]][..], true));
        let frame = |free| Frame { bodies: vec![BodyFrame { free: Some(free), ..body.clone() }], ..Frame::default() };
        let torn = FreeSurface { triangles: vec![[0, 2, 4]], ..body.free.clone().unwrap() };
        let refused = check_frame(std::slice::from_ref(&drawable), &frame(torn));
        assert!(matches!(refused, Err(OutputError::BadIndex { index: 4, count: 4, .. })));
        let short = FreeSurface { normals: vec![[0.0; 3]; 3], ..body.free.clone().unwrap() };
        let message = check_frame(std::slice::from_ref(&drawable), &frame(short)).unwrap_err().to_string();
        assert!(message.contains("list of normals of the surface"), "{message}");
    }

    #[test]
    fn a_cell_that_names_a_missing_node_is_refused() {
        let layout =
            BodyLayout { name: "b".into(), node_count: 3, cells: Cells::Lines(vec![[0, 3]]), ..BodyLayout::default() };
        assert!(matches!(Drawable::of(&layout), Err(OutputError::BadIndex { index: 3, count: 3, .. })));
    }
}
