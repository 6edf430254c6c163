//! A cover: coarse tetrahedra around a surface, reaching beyond it, that carry it along.
//!
//! The surface may be as fine, as broken or as thin as it likes; the tetrahedra are those of the body-centred cubic
//! lattice, all of one good shape. Each knows which share of it the solid fills. Parts of a surface that meet in a
//! tetrahedron move as one there, whether they touch or not (two fingers side by side): a finer cover parts them.

use super::sampling::cubes::Cubes;
use super::sampling::interior::Interior;
use super::sampling::size_for;
use super::structured::six_volume;
use super::{Resolution, ShapeError, Solid, TetMesh, TriMesh};
use std::collections::BTreeMap;

/// A surface in tetrahedra that reach beyond it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct EmbeddedMesh {
    /// The tetrahedra; the surface lies inside them.
    pub mesh: TetMesh,
    /// Share of each tetrahedron's volume that is matter, from 0 to 1; mass and stiffness are in proportion to it.
    pub fill: Vec<f64>,
    /// The surface that is drawn; each vertex keeps its place in the tetrahedron around it.
    pub skin: TriMesh,
}

impl EmbeddedMesh {
    /// Volume of the matter [m³].
    pub fn volume(&self) -> f64 {
        let volume = |(tet, fill): (&[u32; 4], &f64)| fill * six_volume(&self.mesh.points, *tet) / 6.0;
        self.mesh.tets.iter().zip(&self.fill).map(volume).sum()
    }
}

/// Covers a solid with tetrahedra. `Resolution::Size` is the edge of the lattice's cubes [m], which is the longest edge
/// of the tetrahedra; `Resolution::Count` is met by the number of nodes within 10 %.
pub fn cover(solid: &Solid, resolution: &Resolution) -> Result<EmbeddedMesh, ShapeError> {
    let interior = Interior::of(solid);
    let size = match *resolution {
        Resolution::Size(size) => size,
        Resolution::Count(wanted) => {
            ShapeError::check_count("nodes", wanted, 8)?;
            ShapeError::check_nodes("surface", wanted as f64)?;
            let guess = (2.0 * solid.volume() / wanted as f64).cbrt();
            size_for(wanted, guess, |size| Ok(Cover::new(&interior, size)?.mesh().1.points.len()))?
        }
        Resolution::Cells(_) => return Err(ShapeError::CellsNeedABox { shape: "surface" }),
    };
    let cover = Cover::new(&interior, size)?;
    let (mut fill, mesh) = cover.mesh();
    ShapeError::check_nodes("surface", mesh.points.len() as f64)?;
    meet_volume(&mut fill, size.powi(3) / 12.0, solid.volume());
    Ok(EmbeddedMesh { mesh, fill, skin: solid.mesh().clone() })
}

/// Scales the fill of the tetrahedra at the surface such that all hold `wanted` [m³]; `each` is the volume of one.
fn meet_volume(fill: &mut [f64], each: f64, wanted: f64) {
    // More than once, because what a tetrahedron cannot hold has to go into others.
    for _ in 0..8 {
        let whole = fill.iter().filter(|f| **f >= 1.0).count() as f64;
        let partial: f64 = fill.iter().filter(|f| **f < 1.0).sum();
        let scale = if partial > 0.0 { (wanted / each - whole) / partial } else { 1.0 };
        fill.iter_mut().filter(|f| **f < 1.0).for_each(|f| *f = (*f * scale.clamp(0.5, 2.0)).min(1.0));
    }
}

/// Parts of a cube's edge when what is inside is measured: enough for some forty in each tetrahedron.
const PARTS: usize = 8;

/// The tetrahedra that hold something of a solid. A tetrahedron lies between the centres of two cubes side by side, around
/// one of the four edges of their common face, and is named by the lower cube, the axis and the edge.
struct Cover {
    cubes: Cubes,
    /// Share of each that is filled.
    fill: BTreeMap<u64, f64>,
}

/// Where in a cube: along which axis the face is, whether the upper one, and which of its edges.
type Wedge = (usize, bool, usize);

impl Cover {
    fn new(interior: &Interior, size: f64) -> Result<Self, ShapeError> {
        let inner = Cubes::over(interior.solid, size, 1)?;
        // One more all around: the outermost half cubes are in no tetrahedron.
        let cubes = Cubes { low: inner.low.map(|l| l - size), size, counts: inner.counts.map(|c| c + 2) };
        ShapeError::check_nodes("surface", 2.0 * cubes.len() as f64)?;
        let mut held = vec![0.0_f32; 24 * cubes.len()];
        let wedges = wedges_of_parts();
        cubes.parts_inside(interior, PARTS, |cube, [x, y, z], share| {
            for (wedge, overlap) in &wedges[(z * PARTS + y) * PARTS + x] {
                held[24 * cube + wedge] += (share * overlap) as f32;
            }
        });
        let mut cover = Cover { cubes, fill: BTreeMap::new() };
        for (i, held) in held.iter().enumerate().filter(|(_, h)| **h > 0.0) {
            // A wedge is half of its tetrahedron.
            if let Some(name) = cover.name(i / 24, wedge(i % 24)) {
                *cover.fill.entry(name).or_default() += 0.5 * *held as f64;
            }
        }
        for p in &interior.solid.mesh().points {
            cover.hold(*p);
        }
        // Single precision is not quite exact.
        cover.fill.values_mut().filter(|f| **f > 1.0 - 1e-5).for_each(|f| *f = 1.0);
        Ok(cover)
    }

    /// Makes sure that a point is inside some tetrahedron.
    fn hold(&mut self, p: [f64; 3]) {
        let along = [0, 1, 2].map(|a| (p[a] - self.cubes.low[a]) / self.cubes.size);
        let cube = [0, 1, 2].map(|a| (along[a].max(0.0) as usize).min(self.cubes.counts[a] - 1));
        let wedge = wedge_of([0, 1, 2].map(|a| along[a] - cube[a] as f64 - 0.5));
        if let Some(name) = self.name(self.cubes.index(cube), wedge) {
            self.fill.entry(name).or_default();
        }
    }

    fn name(&self, cube: usize, (axis, upper, edge): Wedge) -> Option<u64> {
        let mut step = [0; 3];
        step[axis] = if upper { 1 } else { -1 };
        let other = self.cubes.neighbour(cube, step)?;
        Some((cube.min(other) * 12 + 4 * axis + edge) as u64)
    }

    /// The tetrahedra over the nodes that they need, in the order of their names, and their fill.
    fn mesh(&self) -> (Vec<f64>, TetMesh) {
        let corners = self.cubes.of_corners();
        let mut known = BTreeMap::new();
        let mut mesh = TetMesh::default();
        for name in self.fill.keys() {
            let (cube, wedge) = ((name / 12) as usize, (name % 12) as usize);
            let (axis, edge) = (wedge / 4, wedge % 4);
            let c = self.cubes.coordinates(cube);
            let mut above = c;
            above[axis] += 1;
            // The common face is the upper one of the lower cube; its edge is on one side along `across`.
            let (across, side) = ((axis + 1 + edge / 2) % 3, edge % 2);
            let mut from = above;
            from[across] += side;
            let mut to = from;
            to[3 - axis - across] += 1;
            let ends = [from, to].map(|p| 2 * corners.index(p));
            let centres = [c, above].map(|p| 2 * self.cubes.index(p) + 1);
            let mut tet = [centres[0], centres[1], ends[0], ends[1]].map(|node| {
                *known.entry(node).or_insert_with(|| {
                    mesh.points.push(match node % 2 {
                        1 => self.cubes.centre(node / 2),
                        _ => corners.centre(node / 2),
                    });
                    mesh.points.len() as u32 - 1
                })
            });
            if six_volume(&mesh.points, tet) < 0.0 {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
        }
        (self.fill.values().copied().collect(), mesh)
    }
}

/// The wedges that each part of a cube overlaps, and which share of the wedge the part is.
fn wedges_of_parts() -> Vec<Vec<(usize, f64)>> {
    // An odd number of probes along an edge would favour some wedges where parts lie across their borders.
    let probes = 4;
    let mut parts = vec![[0.0_f64; 24]; PARTS.pow(3)];
    let mut sizes = [0.0; 24];
    let across = PARTS * probes;
    for p in 0..across.pow(3) {
        let probe = [p % across, p / across % across, p / (across * across)];
        // A little off the middle, by amounts that differ, so that none is on a border; mirrored within the cube.
        let at = [0, 1, 2].map(|a| {
            let x = (probe[a] as f64 + 0.5) / across as f64 - 0.5;
            x + x.signum() * 1e-6 * ((p * (a + 3) * 7) % 11) as f64
        });
        let part = probe.map(|p| p / probes);
        let wedge = number(wedge_of(at));
        parts[(part[2] * PARTS + part[1]) * PARTS + part[0]][wedge] += 1.0;
        sizes[wedge] += 1.0;
    }
    let overlaps = |own: &[f64; 24]| (0..24).filter(|w| own[*w] > 0.0).map(|w| (w, own[w] / sizes[w])).collect();
    parts.iter().map(overlaps).collect()
}

/// The wedge of a place, given from the centre of its cube: the largest coordinate tells the face, the next one the edge.
fn wedge_of(from_centre: [f64; 3]) -> Wedge {
    let far = |a: usize| from_centre[a].abs();
    let axis = (1..3).fold(0, |best, a| if far(a) > far(best) { a } else { best });
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
    let (turn, across) = if far(c) > far(b) { (1, c) } else { (0, b) };
    (axis, from_centre[axis] > 0.0, 2 * turn + (from_centre[across] > 0.0) as usize)
}

fn number((axis, upper, edge): Wedge) -> usize {
    8 * axis + 4 * upper as usize + edge
}

fn wedge(number: usize) -> Wedge {
    (number / 8, number / 4 % 2 == 1, number % 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::quality::TetQuality;
    use crate::shape::structured::{box_skin, sphere_skin};

    fn ball() -> Solid {
        Solid::new(sphere_skin(0.5, 0.06)).unwrap()
    }

    #[test]
    fn a_ball_is_covered_by_good_tetrahedra_that_hold_its_volume_and_its_surface() {
        let solid = ball();
        for size in [0.11, 0.2, 0.45, 1.3] {
            let covered = cover(&solid, &Resolution::Size(size)).unwrap();
            assert!((covered.volume() / solid.volume() - 1.0).abs() < 1e-3, "{size}: {}", covered.volume());
            let quality = TetQuality::of(&covered.mesh);
            assert!((quality.min_volume - size.powi(3) / 12.0).abs() < 1e-12);
            assert!((quality.min_dihedral.to_degrees() - 60.0).abs() < 1e-6);
            let points = &covered.mesh.points;
            let holds = |tet: &[u32; 4], p: [f64; 3]| {
                (0..4).all(|k| {
                    let mut corners = tet.map(|n| points[n as usize]);
                    corners[k] = p;
                    six_volume(&corners, [0, 1, 2, 3]) > -1e-12
                })
            };
            assert!(solid.mesh().points.iter().all(|p| covered.mesh.tets.iter().any(|t| holds(t, *p))));
        }
    }

    #[test]
    fn tetrahedra_inside_are_full_and_the_others_hold_their_share() {
        let solid = ball();
        let covered = cover(&solid, &Resolution::Size(0.15)).unwrap();
        for (tet, fill) in covered.mesh.tets.iter().zip(&covered.fill) {
            let distances = tet.map(|n| {
                let p = covered.mesh.points[n as usize];
                p.iter().map(|c| c * c).sum::<f64>().sqrt()
            });
            if distances.iter().all(|d| *d < 0.48) {
                assert_eq!(*fill, 1.0);
            }
            // An independent measure: points spread evenly over the tetrahedron.
            let (mut inside, mut all) = (0.0, 0.0);
            for k in 0..12_usize.pow(3) {
                let w = [k % 12, k / 12 % 12, k / 144].map(|c| (c as f64 + 0.5) / 12.0);
                let rest = 1.0 - w[0] - w[1] - w[2];
                if rest < 0.0 {
                    continue;
                }
                let weights = [w[0], w[1], w[2], rest];
                let at = |a: usize| (0..4).map(|i| weights[i] * covered.mesh.points[tet[i] as usize][a]).sum::<f64>();
                all += 1.0;
                inside += (at(0).hypot(at(1)).hypot(at(2)) < 0.5) as u8 as f64;
            }
            assert!((fill - inside / all).abs() < 0.06, "{fill} for {}", inside / all);
        }
    }

    #[test]
    fn counts_are_met_and_thin_things_are_covered_too() {
        let solid = ball();
        for wanted in [100, 1000, 8000] {
            let nodes = cover(&solid, &Resolution::Count(wanted)).unwrap().mesh.points.len();
            assert!((nodes as f64 / wanted as f64 - 1.0).abs() < 0.1, "{nodes} for {wanted}");
        }
        let sheet = Solid::new(box_skin([4, 1, 4], [0.0; 3], [1.0, 1e-4, 1.0]).unwrap()).unwrap();
        let covered = cover(&sheet, &Resolution::Size(0.25)).unwrap();
        assert!((covered.volume() / 1e-4 - 1.0).abs() < 1e-2, "{}", covered.volume());
        assert!(matches!(cover(&solid, &Resolution::Cells([1; 3])), Err(ShapeError::CellsNeedABox { .. })));
        assert!(matches!(cover(&solid, &Resolution::Size(-1.0)), Err(ShapeError::BadLength { .. })));
    }
}
