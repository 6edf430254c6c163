//! The outside of phyxels that have come apart: what each piece has of the skin, and its faces of the cracks.
//!
//! A point of the rest shape belongs to the phyxel nearest to it, on its side of the cracks. Triangles of the skin go to the
//! piece that they belong to, in parts where they lie across a crack; each copy of a phyxel has a square of the crack that it
//! lies in, as much of it as is inside the body. Vertices are held by four phyxels of their piece; a piece that has no four
//! which span a space has no surface, and touches colliders alone.

use super::front::axes;
use super::points::{Disc, PointPieces};
use crate::contact::Vertex;
use crate::math::Vec3;
use crate::model::held_by_four;
use crate::shape::{Solid, TriMesh};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often a triangle that lies across a crack is divided into four.
const DEPTH: usize = 2;
/// Vertices nearer to each other than this, in spacings, are one.
const SAME: f64 = 1e-6;
/// How far inside the corners of a triangle it is looked up whom they belong to, as a share of the way to its middle.
const WITHIN: f64 = 0.1;

/// Corners of the face of a disc between phyxels.
const CORNERS: usize = 8;

/// The skin of the unbroken body.
#[derive(Clone, Debug)]
pub struct Outside {
    mesh: TriMesh,
    /// The phyxel nearest to each vertex.
    nearest: Vec<u32>,
    solid: Arc<Solid>,
}

impl PartialEq for Outside {
    /// All follows from the skin and the phyxels.
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh && self.nearest == other.nearest
    }
}

impl Outside {
    /// A closed skin around phyxels that are about `spacing` apart; nothing where there is none.
    pub fn new(skin: &TriMesh, points: &[Vec3<f64>], spacing: f64) -> Option<Self> {
        let solid = Arc::new(Solid::new(skin.clone()).ok()?);
        let cell = |x: Vec3<f64>| x.0.map(|c| (c / spacing).floor() as i64);
        let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
        points.iter().zip(0..).for_each(|(x, n)| cells.entry(cell(*x)).or_default().push(n));
        let nearest = |x: Vec3<f64>| {
            let [i, j, k] = cell(x);
            let mut best = (f64::INFINITY, 0);
            // Nothing beyond a ring of cells is nearer than the ring is wide.
            for ring in 0.. {
                if best.0 <= (ring as f64 - 1.0).max(0.0) * spacing || ring > points.len() as i64 {
                    break;
                }
                let on = |a: i64, b: i64, c: i64| a.abs().max(b.abs()).max(c.abs()) == ring;
                let around = (-ring..=ring).flat_map(|a| (-ring..=ring).map(move |b| (a, b)));
                let around = around.flat_map(|(a, b)| (-ring..=ring).map(move |c| (a, b, c)));
                for (a, b, c) in around.filter(|(a, b, c)| on(*a, *b, *c)) {
                    for &n in cells.get(&[i + a, j + b, k + c]).into_iter().flatten() {
                        let distance = (points[n as usize] - x).norm();
                        if distance < best.0 {
                            best = (distance, n);
                        }
                    }
                }
            }
            best.1
        };
        let nearest = skin.points.iter().map(|x| nearest(Vec3(*x))).collect();
        (!points.is_empty()).then(|| Outside { mesh: skin.clone(), nearest, solid })
    }
}

/// The surface of all pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shell {
    /// Combinations of phyxels, numbered within the body.
    pub vertices: Vec<Vertex>,
    /// Three vertices of each triangle, wound outward, and the piece that it is of.
    pub triangles: Vec<([u32; 3], u32)>,
    /// How many of them are of the skin; the others are faces of cracks.
    pub outside: usize,
}

/// What a shell is made from.
struct Making<'a> {
    points: &'a PointPieces,
    outside: &'a Outside,
    fragment_of: &'a [u32],
    /// The copies of each phyxel of the unbroken body that is in more than one piece of itself.
    copies: BTreeMap<u32, Vec<u32>>,
    /// Vertices that pieces have already, by piece and place.
    known: BTreeMap<(u32, [i64; 3]), Option<u32>>,
    shell: Shell,
}

impl PointPieces {
    /// The surface of all pieces, over phyxels of the body; nothing where it has no skin.
    pub fn shell(&self) -> Option<&Shell> {
        self.outside.as_ref().map(|_| &self.kept)
    }

    /// Brings the surface in line with the present pieces. It is kept until these change, because frames ask for it.
    pub fn renew_shell(&mut self, origin: &[u32], fragment_of: &[u32]) {
        self.kept = self.made_shell(origin, fragment_of).unwrap_or_default();
    }

    fn made_shell(&self, origin: &[u32], fragment_of: &[u32]) -> Option<Shell> {
        let outside = self.outside.as_ref()?;
        let whole = self.whole_count();
        let mut copies: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (copy, own) in origin.iter().enumerate().skip(whole) {
            copies.entry(*own).or_insert_with(|| vec![*own]).push(copy as u32);
        }
        let (known, shell) = (BTreeMap::new(), Shell::default());
        let mut making = Making { points: self, outside, fragment_of, copies, known, shell };
        making.add_skin();
        making.shell.outside = making.shell.triangles.len();
        making.add_cracks(origin);
        Some(making.shell)
    }
}

impl Making<'_> {
    /// The copy of a phyxel that has a point on its side of the cracks.
    fn node_of(&self, own: u32, x: Vec3<f64>) -> u32 {
        let Some(copies) = self.copies.get(&own) else { return own };
        let arm = x - self.points.rest(own);
        let side = |n: u32| arm.dot(self.points.stand(n) - self.points.rest(own));
        copies.iter().copied().fold(own, |best, n| if side(n) > side(best) { n } else { best })
    }

    /// The piece that a point near some phyxels belongs to.
    fn owner(&self, x: Vec3<f64>, near: &[u32]) -> u32 {
        let distance = |n: &u32| (self.points.rest(*n) - x).norm_squared();
        let nearest = near.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        nearest.map_or(0, |n| self.fragment_of[self.node_of(n, x) as usize])
    }

    /// Phyxels of the unbroken body around some of them.
    fn around(&self, centers: &[u32]) -> Vec<u32> {
        let mut near: Vec<u32> = centers.to_vec();
        near.extend(centers.iter().flat_map(|n| self.points.neighbours_at_first(*n)));
        near.sort_unstable();
        near.dedup();
        near
    }

    /// A vertex of a piece, held by phyxels of it; the same one for all triangles that meet there. Nothing where they cannot
    /// hold it in its place.
    fn hold(&mut self, x: Vec3<f64>, piece: u32, near: &[u32]) -> Option<u32> {
        let spacing = near.first().map_or(1.0, |n| self.points.spacing(*n));
        let key = (piece, x.0.map(|c| (c / (SAME * spacing)).round() as i64));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let of_piece = |own: &u32| {
            let beside = self.node_of(*own, x);
            let all = self.copies.get(own).map_or(&[][..], |copies| copies);
            let mut nodes = std::iter::once(beside).chain(all.iter().copied());
            nodes.find(|n| self.fragment_of[*n as usize] == piece).map(|n| (n, self.points.rest(*own)))
        };
        let mut nodes: Vec<(u32, Vec3<f64>)> = near.iter().filter_map(of_piece).collect();
        nodes.sort_by(|a, b| (a.1 - x).norm_squared().total_cmp(&(b.1 - x).norm_squared()).then(a.0.cmp(&b.0)));
        let vertex = held_by_four(x, &nodes, spacing);
        let rest = |n: u32| nodes.iter().find(|(m, _)| *m == n).map_or(Vec3::zero(), |(_, rest)| *rest);
        let held = vertex.parts().fold(Vec3::zero(), |sum, (n, weight)| sum + rest(n) * weight);
        let number = ((held - x).norm() < SAME * spacing).then_some(self.shell.vertices.len() as u32);
        self.shell.vertices.extend(number.map(|_| vertex));
        self.known.insert(key, number);
        number
    }

    /// Adds a triangle of a piece that can hold its corners.
    fn add(&mut self, [a, b, c]: [Option<u32>; 3], piece: u32) {
        let triangle = a.zip(b).zip(c).map(|((a, b), c)| ([a, b, c], piece));
        self.shell.triangles.extend(triangle);
    }

    /// Gives every piece its part of the skin.
    fn add_skin(&mut self) {
        let outside = self.outside;
        for triangle in &outside.mesh.triangles {
            let corners = triangle.map(|v| Vec3(outside.mesh.points[v as usize]));
            let near = self.around(&triangle.map(|v| outside.nearest[v as usize]));
            match self.owner_of_all(corners, &near) {
                Some(piece) => {
                    let vertices = corners.map(|x| self.hold(x, piece, &near));
                    self.add(vertices, piece);
                }
                None => self.divide(corners, &near, DEPTH),
            }
        }
    }

    /// The piece that all of a triangle belongs to, if that is one.
    fn owner_of_all(&self, corners: [Vec3<f64>; 3], near: &[u32]) -> Option<u32> {
        let middle = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
        let owners = corners.map(|x| self.owner(x + (middle - x) * WITHIN, near));
        (owners[0] == owners[1] && owners[1] == owners[2]).then_some(owners[0])
    }

    /// Adds a triangle in parts that belong to one piece each.
    fn divide(&mut self, corners: [Vec3<f64>; 3], near: &[u32], depth: usize) {
        let owner = self.owner_of_all(corners, near);
        if depth == 0 || owner.is_some() {
            let middle = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
            let piece = owner.unwrap_or_else(|| self.owner(middle, near));
            let vertices = corners.map(|x| self.hold(x, piece, near));
            self.add(vertices, piece);
            return;
        }
        let [a, b, c] = corners;
        let [d, e, f] = [(a, b), (b, c), (c, a)].map(|(p, q)| (p + q) * 0.5);
        for part in [[a, d, f], [d, b, e], [f, e, c], [d, e, f]] {
            self.divide(part, near, depth - 1);
        }
    }

    /// Gives whoever is on both sides of a disc its face of it, as much as is inside the body.
    fn add_disc(&mut self, disc: &Disc, at: u32) {
        let near = self.around(&[at]);
        let [first, second] = axes(disc.normal, Vec3::zero());
        let corner = |k: usize| {
            let (sin, cos) = (std::f64::consts::TAU * (k % CORNERS) as f64 / CORNERS as f64).sin_cos();
            disc.center + (first * cos + second * sin) * disc.radius
        };
        for out in [1.0, -1.0] {
            let Some(piece) = self.piece_beside(disc, out, &near) else { continue };
            for k in 0..CORNERS {
                let [a, b] = if out < 0.0 { [corner(k), corner(k + 1)] } else { [corner(k + 1), corner(k)] };
                if self.outside.solid.inside(((disc.center + a + b) * (1.0 / 3.0)).0) {
                    let vertices = [disc.center, a, b].map(|x| self.hold(x, piece, &near));
                    self.add(vertices, piece);
                }
            }
        }
    }

    /// The piece that is on one side of a disc.
    fn piece_beside(&self, disc: &Disc, side: f64, near: &[u32]) -> Option<u32> {
        let all = near.iter().flat_map(|own| match self.copies.get(own) {
            Some(copies) => copies.clone(),
            None => vec![*own],
        });
        let height = |n: u32| (self.points.stand(n) - disc.center).dot(disc.normal) * side;
        let distance = |n: &u32| (self.points.stand(*n) - disc.center).norm_squared();
        let nearest = all.filter(|n| height(*n) > 0.0);
        let nearest = nearest.min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)))?;
        Some(self.fragment_of[nearest as usize])
    }

    /// Gives both copies of every phyxel in a crack their face of it: four squares around the phyxel, without those outside.
    fn add_cracks(&mut self, origin: &[u32]) {
        let points = self.points;
        for crack in &points.cracks {
            if crack.disc.radius < points.spacing(origin[crack.at as usize]) {
                // It has run on from a front, between phyxels as a rule.
                self.add_disc(&crack.disc, origin[crack.at as usize]);
                continue;
            }
            let normal = crack.disc.normal;
            let axis = (0..3).min_by(|a, b| normal[*a].abs().total_cmp(&normal[*b].abs())).unwrap_or(0);
            let mut along = Vec3::zero();
            along.0[axis] = 1.0;
            let along = (along - normal * normal[axis]).normalized();
            let across = normal.cross(along);
            for &split in &crack.splits {
                let own = origin[split as usize];
                let (middle, half) = (points.rest(own), 0.5 * points.spacing(own));
                let near = self.around(&[own]);
                let (p, q) = (along * half, across * half);
                let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(s, t)| (p * s, q * t));
                let is_inside =
                    |(p, q): &(Vec3<f64>, Vec3<f64>)| self.outside.solid.inside((middle + (*p + *q) * 0.5).0);
                let squares: Vec<[Vec3<f64>; 4]> = match corners.iter().all(is_inside) {
                    true => vec![corners.map(|(p, q)| middle + p + q)],
                    false => {
                        let inside = corners.into_iter().enumerate().filter(|(_, corner)| is_inside(corner));
                        let square = |(k, (p, q)): (usize, (Vec3<f64>, Vec3<f64>))| {
                            // Around the same way in every quarter.
                            let (from, to) = if k % 2 == 0 { (p, q) } else { (q, p) };
                            [middle, middle + from, middle + p + q, middle + to]
                        };
                        inside.map(square).collect()
                    }
                };
                for square in squares {
                    let center = square.iter().fold(Vec3::zero(), |sum, x| sum + *x) * 0.25;
                    for out in [1.0, -1.0] {
                        let piece = self.fragment_of[self.node_of(own, center - normal * (out * half)) as usize];
                        let [a, b, c, d] = square.map(|x| self.hold(x, piece, &near));
                        let triangles = match out > 0.0 {
                            true => [[a, b, c], [a, c, d]],
                            false => [[a, c, b], [a, d, c]],
                        };
                        triangles.into_iter().for_each(|t| self.add(t, piece));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::points::Crack;
    use super::*;
    use crate::scene::MlsSettings;
    use crate::shape::structured::box_points;
    use crate::stencil::MlsStencils;

    #[test]
    fn pieces_of_a_block_have_closed_surfaces_of_their_own() {
        let sampling = box_points([6, 2, 2], [0.0; 3], [6.0, 2.0, 2.0]).expect("a block");
        let built = MlsStencils::build(&sampling, &MlsSettings::default()).expect("stencils");
        let mut pieces = PointPieces::new(&sampling, &MlsSettings::default(), &built.radii, built.table);
        let mut origin: Vec<u32> = (0..sampling.points.len() as u32).collect();
        let middle: Vec<u32> = origin.iter().copied().filter(|n| pieces.rest(*n)[0] == 3.0).collect();
        for node in middle {
            let disc = pieces.disc_at(node, Vec3([1.0, 0.0, 0.0]));
            pieces.crack(&mut origin, &Crack { disc, splits: vec![node], at: node });
        }
        // Those that see higher ones are one piece.
        let right = |n: usize| pieces.stand(n as u32)[0] > 3.0;
        let fragment_of: Vec<u32> = (0..origin.len()).map(|n| right(n) as u32).collect();
        pieces.renew_shell(&origin, &fragment_of);
        let shell = pieces.shell().expect("a skin").clone();
        let rest: Vec<Vec3<f64>> = origin.iter().map(|o| pieces.rest(*o)).collect();
        for piece in 0..2 {
            let (mut out, mut volume, mut area) = (Vec3::zero(), 0.0, 0.0);
            for (triangle, _) in shell.triangles.iter().filter(|t| t.1 == piece) {
                let corners = triangle.map(|v| shell.vertices[v as usize]);
                for vertex in corners {
                    assert!(vertex.parts().all(|(n, _)| fragment_of[n as usize] == piece));
                }
                let [a, b, c] = corners.map(|v| v.of(&rest));
                let vector = (b - a).cross(c - a) * 0.5;
                (out, area, volume) = (out + vector, area + vector.norm(), volume + a.dot(vector) / 3.0);
            }
            // Half of the block: 3 x 2 x 2, and nothing is missing between its outside and the crack.
            assert!(out.norm() < 1e-9 && (volume - 12.0).abs() < 1e-9 && (area - 32.0).abs() < 1e-9, "{area} {volume}");
        }
    }
}
