//! One body: what of it is drawn, and with which colours.

use super::checker::Checker;
use super::hue::What;
use super::parts::{body_colour, boundary, edges, inside_colour, spacing};
use crate::colour_map::{colour_map, texture_coordinate};
use crate::creases::Creases;
use crate::error::DrawError;
use crate::image::linear_from_srgb;
use crate::near::{Near, Weights, number};
use crate::picture::{Ball, Corner, Disc, Item, Mesh, Paint, Rod, Shape};
use crate::texture::Texture;
use crate::view::V;
use phyxel::record::{BodyFrame, BodyLayout, Cells, FreeSurface, Surfels};
use std::sync::Arc;

/// Colours of a body that has none of the numbers that are shown, linear.
const BLANK: [f32; 3] = [0.52, 0.53, 0.55];
/// Of wires, and of the faces between them.
const WIRE: [f32; 3] = [0.035, 0.045, 0.06];

/// How numbers become colours in one frame.
pub(super) struct Colouring<'a> {
    /// At the nodes; nothing where the body has none.
    pub numbers: Option<Vec<f32>>,
    /// Nodes [m] and their numbers where a surface holds more bodies than its own.
    pub around: Option<(Vec<[f64; 3]>, Vec<f32>)>,
    pub range: [f64; 2],
    pub map: &'a Arc<Texture>,
}

impl Colouring<'_> {
    fn share(&self, number: f32) -> f32 {
        ((f64::from(number) - self.range[0]) / (self.range[1] - self.range[0])) as f32
    }
}

/// A body, with what is worked out once.
pub(super) struct Body {
    layout: BodyLayout,
    /// Over the skin, or over the nodes.
    triangles: Vec<[u32; 3]>,
    on_skin: bool,
    /// Linear.
    colour: [f32; 3],
    /// Of the faces of cracks.
    inside: [f32; 3],
    textures: Vec<Option<Arc<Texture>>>,
    first: Option<First>,
}

/// What the first frame tells.
struct First {
    /// Drawn points then [m].
    rest: Vec<[f64; 3]>,
    /// Nodes then [m].
    nodes: Vec<[f64; 3]>,
    /// Distance between nodes [m].
    gap: f64,
    checker: Checker,
    creases: Creases,
    /// From nodes to the vertices of the skin; nothing where they are the same.
    carriers: Option<Vec<Weights>>,
}

impl Body {
    /// Takes a layout; textures that cannot be read are told in `notes`, and the body's colour serves instead.
    pub(super) fn new(index: usize, layout: &BodyLayout, notes: &mut Vec<String>) -> Self {
        let on_skin = !layout.skin_triangles.is_empty();
        let triangles = match &layout.cells {
            _ if on_skin => layout.skin_triangles.clone(),
            Cells::Tets(tets) => boundary(tets),
            _ => Vec::new(),
        };
        let mut texture = |path: &Option<std::path::PathBuf>| {
            let read = Texture::read(path.as_deref()?);
            read.map(Arc::new).map_err(|e| notes.push(format!("body `{}`: {e}", layout.name))).ok()
        };
        let textures = layout.look.parts.iter().map(|p| texture(&p.texture)).collect();
        let colour = body_colour(index, &layout.look).map(linear_from_srgb);
        let inside = inside_colour(colour);
        Body { layout: layout.clone(), triangles, on_skin, colour, inside, textures, first: None }
    }

    /// Refuses a frame that does not fit.
    pub(super) fn check(&self, index: usize, frame: &BodyFrame) -> Result<(), DrawError> {
        let name = &self.layout.name;
        let fail = |what: String| Err(DrawError::Frame { frame: index, what });
        if frame.positions.len() != self.layout.node_count {
            return fail(format!("body `{name}` has {} nodes, not {}", frame.positions.len(), self.layout.node_count));
        }
        let drawn = self.points(frame).len();
        let most = self.triangles.iter().flatten().max().map_or(0, |v| *v as usize + 1);
        if most > drawn || self.first.as_ref().is_some_and(|f| f.rest.len() != drawn) {
            return fail(format!(
                "the surface of body `{name}` has {drawn} vertices, which are not those of its triangles"
            ));
        }
        let lines = if let Cells::Lines(lines) = &self.layout.cells { lines.iter().flatten().max() } else { None };
        if lines.is_some_and(|v| *v as usize >= frame.positions.len()) {
            return fail(format!("the springs of body `{name}` name nodes that are not there"));
        }
        let free = frame.free.as_ref();
        if free.is_some_and(|f| f.triangles.iter().flatten().any(|v| *v as usize >= f.points.len())) {
            return fail(format!("the free surface of body `{name}` names points that are not there"));
        }
        Ok(())
    }

    /// Takes the first frame.
    pub(super) fn begin(&mut self, frame: &BodyFrame, coloured: bool) {
        if self.first.is_some() {
            return;
        }
        let rest = self.points(frame).to_vec();
        let gap = spacing(&frame.positions);
        let same = !self.on_skin || frame.skin == frame.positions;
        let carriers = (coloured && !same).then(|| {
            let near = Near::new(&frame.positions, gap);
            rest.iter().map(|p| near.weights(*p)).collect()
        });
        let given = if self.on_skin { &self.layout.look.normals[..] } else { &[] };
        let creases = Creases::of(&rest, &self.triangles, given);
        let checker = Checker::over(&rest, &self.triangles);
        self.first = Some(First { rest, nodes: frame.positions.clone(), gap, checker, creases, carriers });
    }

    /// The points that the triangles refer to [m].
    fn points<'a>(&self, frame: &'a BodyFrame) -> &'a [[f64; 3]] {
        if self.on_skin { &frame.skin } else { &frame.positions }
    }

    /// Whether its nodes are the corners of its skin and nothing else: a rigid body.
    fn is_shell(&self, frame: &BodyFrame) -> bool {
        self.on_skin && self.layout.cells == Cells::Points && frame.skin.len() == frame.positions.len()
    }

    /// Everything that is drawn, for the camera: points and a radius around each [m].
    pub(super) fn extent<'a>(&'a self, frame: &'a BodyFrame) -> impl Iterator<Item = ([f64; 3], f64)> + 'a {
        let points = frame.free.as_ref().map_or(self.points(frame), |f| &f.points);
        let radius = if self.triangles.is_empty() && frame.free.is_none() { self.ball_radius() } else { 0.0 };
        points.iter().map(move |p| (*p, radius))
    }

    fn gap(&self) -> f64 {
        self.first.as_ref().map_or(1.0, |f| f.gap)
    }

    fn ball_radius(&self) -> f64 {
        if matches!(self.layout.cells, Cells::Lines(_)) { 0.09 * self.gap() } else { 0.55 * self.gap() }
    }

    /// The things to draw; `wire` is half the thickness of wires [m].
    pub(super) fn items(&self, frame: &BodyFrame, what: What, wire: f64, by: Option<&Colouring<'_>>) -> Vec<Item> {
        let lit = |shape: Shape| Item { shape, casts_shadow: true };
        let shell = self.is_shell(frame);
        match (what, &frame.surfels, &frame.free) {
            (What::Wire, ..) => self.wires(frame, wire, by),
            (What::Phyxels, ..) if !shell => vec![lit(self.balls(frame, 1.0, by))],
            (What::Surfels, Some(surfels), _) => vec![lit(self.discs(frame, surfels, by))],
            (_, _, Some(free)) if free.triangles.is_empty() => Vec::new(),
            (_, _, Some(free)) => vec![lit(Shape::Mesh(self.free_mesh(frame, free, by)))],
            (_, Some(surfels), None) if self.triangles.is_empty() => vec![lit(self.discs(frame, surfels, by))],
            _ if !self.triangles.is_empty() => self.skin(frame, by).into_iter().map(|m| lit(Shape::Mesh(m))).collect(),
            _ => match &self.layout.cells {
                // A rope seen from afar is still seen.
                Cells::Lines(lines) => vec![lit(self.rods(frame, lines, self.ball_radius().max(1.8 * wire), by))],
                _ => vec![lit(self.balls(frame, 1.0, by))],
            },
        }
    }

    /// The number at the nodes, brought to a vertex of the drawn surface.
    fn at_vertex(&self, by: &Colouring<'_>, vertex: usize) -> Option<f32> {
        let numbers = by.numbers.as_ref()?;
        match self.first.as_ref().and_then(|f| f.carriers.as_ref()) {
            Some(carriers) => Some(number(carriers.get(vertex)?, numbers)),
            None => numbers.get(vertex).copied(),
        }
    }

    /// The surface, one mesh for each paint.
    fn skin(&self, frame: &BodyFrame, by: Option<&Colouring<'_>>) -> Vec<Mesh> {
        let points: Vec<V> = self.points(frame).iter().map(|p| V::of(*p)).collect();
        let Some(first) = &self.first else { return Vec::new() };
        let normals = first.creases.normals(self.points(frame), &self.triangles);
        let mut meshes: Vec<(usize, Mesh)> = Vec::new();
        for (t, (triangle, numbers)) in self.triangles.iter().zip(&first.creases.corners).enumerate() {
            if triangle.iter().any(|v| !points[*v as usize].is_finite()) {
                continue;
            }
            let (key, paint) = self.paint(t, by);
            let at = meshes.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
                meshes.push((key, Mesh { corners: Vec::new(), paint }));
                meshes.len() - 1
            });
            for i in 0..3 {
                let v = triangle[i] as usize;
                let (colour, coordinates) = self.colour_at(t, i, key, first, by);
                meshes[at].1.corners.push(Corner {
                    position: points[v].0.map(|c| c as f32),
                    normal: normals[numbers[i] as usize].map(|c| c as f32),
                    colour,
                    coordinates,
                });
            }
        }
        meshes.into_iter().map(|(_, mesh)| mesh).collect()
    }

    /// How a triangle is painted, and a number for that paint.
    fn paint(&self, triangle: usize, by: Option<&Colouring<'_>>) -> (usize, Paint) {
        const PLAIN: usize = 0;
        const CHECKER: usize = 1;
        const TEXTURES: usize = 2;
        if let Some(by) = by {
            return if by.numbers.is_some() {
                (CHECKER, Paint::Texture(by.map.clone()))
            } else {
                (PLAIN, Paint::Plain)
            };
        }
        let part = self.part(triangle);
        let texture = self.textures.get(part).and_then(Option::as_ref).filter(|_| !self.layout.look.uvs.is_empty());
        match texture {
            Some(texture) => (TEXTURES + part, Paint::Texture(texture.clone())),
            None if part == 0 && self.part_colour(0).is_none() && self.layout.look.colours.is_empty() => {
                (CHECKER, Paint::Checker)
            }
            None => (PLAIN, Paint::Plain),
        }
    }

    fn part(&self, triangle: usize) -> usize {
        if self.on_skin { self.layout.skin_parts.get(triangle).map_or(0, |p| *p as usize) } else { 0 }
    }

    fn part_colour(&self, part: usize) -> Option<[f32; 3]> {
        self.layout.look.parts.get(part).and_then(|p| p.colour).map(|[r, g, b, _]| [r, g, b])
    }

    /// Colour and coordinates of a corner of a triangle that is painted in the way of `key`.
    fn colour_at(
        &self,
        triangle: usize,
        corner: usize,
        key: usize,
        first: &First,
        by: Option<&Colouring<'_>>,
    ) -> ([f32; 3], [f32; 3]) {
        let vertex = self.triangles[triangle][corner] as usize;
        if let Some(by) = by {
            let share = self.at_vertex(by, vertex).map_or(0.0, |n| by.share(n));
            return (BLANK, [texture_coordinate(share), 0.5, 0.0]);
        }
        let part = self.part(triangle);
        if key > 1 {
            let [u, v] = self.layout.look.uvs.get(triangle).map_or([0.0; 2], |uvs| uvs[corner]);
            return (self.colour, [u, v, 0.0]);
        }
        let own = if part == 0 { self.colour } else { self.inside };
        let of_vertex = if part == 0 { self.layout.look.colours.get(vertex).copied() } else { None };
        let colour = of_vertex.or_else(|| self.part_colour(part)).unwrap_or(own);
        (colour, first.checker.coordinates(first.rest[vertex]))
    }

    fn free_mesh(&self, frame: &BodyFrame, free: &FreeSurface, by: Option<&Colouring<'_>>) -> Mesh {
        let points: Vec<V> = free.points.iter().map(|p| V::of(*p)).collect();
        let given = free.normals.len() == points.len();
        // Without normals of its own it is as sharp as it looks now.
        let creases = (!given).then(|| Creases::of(&free.points, &free.triangles, &[]));
        let found = creases.as_ref().map(|c| c.normals(&free.points, &free.triangles)).unwrap_or_default();
        let shares = self.shares(frame, &free.points, by);
        let own = |t: usize| match free.parts.get(t).map_or(0, |p| *p as usize) {
            0 => self.colour,
            part => self.part_colour(part).unwrap_or(self.inside),
        };
        let colour = |t: usize, v: usize| free.colours.get(v).copied().unwrap_or_else(|| own(t));
        let mut corners = Vec::with_capacity(3 * free.triangles.len());
        for (t, triangle) in free.triangles.iter().enumerate() {
            if triangle.iter().any(|v| !points[*v as usize].is_finite()) {
                continue;
            }
            for i in 0..3 {
                let v = triangle[i] as usize;
                let share = shares.as_ref().map_or(0.0, |s| s[v]);
                let normal = creases.as_ref().map_or_else(|| free.normals[v], |c| found[c.corners[t][i] as usize]);
                corners.push(Corner {
                    position: points[v].0.map(|c| c as f32),
                    normal: normal.map(|c| c as f32),
                    colour: if by.is_some() { BLANK } else { colour(t, v) },
                    coordinates: [texture_coordinate(share), 0.5, 0.0],
                });
            }
        }
        let paint = match (by, shares) {
            (Some(by), Some(_)) => Paint::Texture(by.map.clone()),
            _ => Paint::Plain,
        };
        Mesh { corners, paint }
    }

    /// Shares of the colour range at places near the nodes of a frame.
    fn shares(&self, frame: &BodyFrame, places: &[[f64; 3]], by: Option<&Colouring<'_>>) -> Option<Vec<f32>> {
        let (by, numbers) = by.and_then(|by| Some((by, by.numbers.as_ref()?)))?;
        let (nodes, numbers) = by.around.as_ref().map_or((&frame.positions, numbers), |(n, v)| (n, v));
        let near = Near::new(nodes, self.gap());
        Some(places.iter().map(|p| by.share(number(&near.weights(*p), numbers))).collect())
    }

    fn discs(&self, frame: &BodyFrame, surfels: &Surfels, by: Option<&Colouring<'_>>) -> Shape {
        let shares = self.shares(frame, &surfels.points, by);
        let single = |p: [f64; 3]| p.map(|c| c as f32);
        let count = surfels.points.len().min(surfels.normals.len()).min(surfels.tangents.len());
        let colour = |i: usize| match (&shares, by) {
            (Some(shares), _) => colour_map(shares[i]),
            (None, Some(_)) => BLANK,
            _ => surfels.colours.get(i).copied().unwrap_or(self.colour),
        };
        let disc = |i: usize| Disc {
            centre: single(surfels.points[i]),
            normal: single(surfels.normals[i]),
            first: single(surfels.tangents[i][0]),
            second: single(surfels.tangents[i][1]),
            colour: colour(i),
        };
        Shape::Discs((0..count).map(disc).filter(|d| d.centre.iter().all(|c| c.is_finite())).collect())
    }

    /// The colour of a node.
    fn node_colour(&self, node: usize, by: Option<&Colouring<'_>>) -> [f32; 3] {
        match by.map(|by| (by, by.numbers.as_ref())) {
            Some((by, Some(numbers))) => colour_map(by.share(numbers[node])),
            Some(_) => BLANK,
            None => match &self.first {
                Some(first) => first.checker.colour(self.colour, first.nodes[node]),
                None => self.colour,
            },
        }
    }

    fn balls(&self, frame: &BodyFrame, size: f64, by: Option<&Colouring<'_>>) -> Shape {
        let radius = (size * 0.55 * self.gap()) as f32;
        let nodes = frame.positions.iter().enumerate().filter(|(_, p)| p.iter().all(|c| c.is_finite()));
        let ball =
            |(i, p): (usize, &[f64; 3])| Ball { centre: p.map(|c| c as f32), radius, colour: self.node_colour(i, by) };
        Shape::Balls(nodes.map(ball).collect())
    }

    fn rods(&self, frame: &BodyFrame, lines: &[[u32; 2]], radius: f64, by: Option<&Colouring<'_>>) -> Shape {
        let place = |v: u32| frame.positions[v as usize].map(|c| c as f32);
        let finite = |v: &u32| frame.positions[*v as usize].iter().all(|c| c.is_finite());
        let rod = |l: &[u32; 2]| Rod {
            from: place(l[0]),
            to: place(l[1]),
            radius: radius as f32,
            colour: match by {
                Some(_) => self.node_colour(l[0] as usize, by),
                None => self.colour,
            },
        };
        Shape::Rods(lines.iter().filter(|l| l.iter().all(finite)).map(rod).collect())
    }

    /// The simulated mesh: its faces in the body's colour, and dark wires on them.
    fn wires(&self, frame: &BodyFrame, wire: f64, by: Option<&Colouring<'_>>) -> Vec<Item> {
        let triangles = match &self.layout.cells {
            Cells::Tets(tets) => boundary(tets),
            Cells::Points if self.is_shell(frame) => self.triangles.clone(),
            Cells::Points => return vec![Item { shape: self.balls(frame, 0.4, by), casts_shadow: true }],
            Cells::Lines(lines) => {
                return vec![Item {
                    shape: self.rods(frame, lines, wire.max(0.05 * self.gap()), by),
                    casts_shadow: true,
                }];
            }
        };
        let points: Vec<V> = frame.positions.iter().map(|p| V::of(*p)).collect();
        let finite = |t: &&[u32; 3]| t.iter().all(|v| points[*v as usize].is_finite());
        let shown: Vec<[u32; 3]> = triangles.iter().filter(finite).copied().collect();
        let pale = |c: [f32; 3]| c.map(|c| 0.35 * c + 0.5);
        let corner = |v: u32, normal: V| Corner {
            position: points[v as usize].0.map(|c| c as f32),
            normal: normal.0.map(|c| c as f32),
            colour: if by.is_some() { self.node_colour(v as usize, by) } else { pale(self.colour) },
            coordinates: [0.0; 3],
        };
        let flat = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            let normal = (b - a).cross(c - a).normalized();
            t.map(|v| corner(v, normal))
        };
        let mesh = Mesh { corners: shown.iter().flat_map(flat).collect(), paint: Paint::Plain };
        let single = |v: u32| points[v as usize].0.map(|c| c as f32);
        let rod = |[a, b]: [u32; 2]| Rod { from: single(a), to: single(b), radius: wire as f32, colour: WIRE };
        let rods = edges(&shown).into_iter().map(rod).collect();
        vec![
            Item { shape: Shape::Mesh(mesh), casts_shadow: true },
            Item { shape: Shape::Rods(rods), casts_shadow: false },
        ]
    }
}

/// The box around the finite ones of the points [m].
pub(super) fn bounds(points: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points.iter().filter(|p| p.iter().all(|c| c.is_finite())) {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    if low[0] > high[0] { ([-0.5; 3], [0.5; 3]) } else { (low, high) }
}
