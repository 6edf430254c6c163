//! Sections carried along a line or around a ring.

use super::super::{ShapeError, TetMesh};
use super::block::{Block, CubeSplit, box_tets};
use super::oriented;
use super::section::{Section, TorusSection, fan, rings, square_to_disc};
use std::f64::consts::TAU;

/// A cylinder along y around the origin: `rings` rings of triangles in `layers` layers of prisms, three tetrahedra each.
pub fn cylinder_tets(radius: f64, height: f64, rings_count: usize, layers: usize) -> Result<TetMesh, ShapeError> {
    ShapeError::check_length("cylinder", "radius", radius)?;
    ShapeError::check_length("cylinder", "height", height)?;
    ShapeError::check_count("layers of a cylinder", layers, 1)?;
    let section = checked(rings(rings_count)?, "cylinder", layers + 1)?;
    let position =
        |[u, v]: [f64; 2], level: usize| [radius * u, height * (level as f64 / layers as f64 - 0.5), radius * v];
    Ok(extrude(&section, layers, layers + 1, position))
}

/// A torus around the y axis: radius of the ring `major`, of the tube `minor` [m].
pub fn torus_tets(major: f64, minor: f64, section: TorusSection, segments: usize) -> Result<TetMesh, ShapeError> {
    check_torus(major, minor)?;
    ShapeError::check_count("segments of a torus", segments, 3)?;
    let position = |[u, v]: [f64; 2], segment: usize| {
        let (sin, cos) = (TAU * segment as f64 / segments as f64).sin_cos();
        let from_axis = major + minor * u;
        [from_axis * cos, minor * v, -from_axis * sin]
    };
    let section = match section {
        TorusSection::Fan(n) => fan(n)?,
        TorusSection::Rings(m) => rings(m)?,
        TorusSection::Grid(a, b) => return bent_block(a, b, segments, position),
    };
    let section = checked(section, "torus", segments)?;
    Ok(extrude(&section, segments, segments, position))
}

/// Radii of a torus that is one.
pub(crate) fn check_torus(major: f64, minor: f64) -> Result<(), ShapeError> {
    ShapeError::check_length("torus", "major radius", major)?;
    ShapeError::check_length("torus", "minor radius", minor)?;
    if minor < major { Ok(()) } else { Err(ShapeError::FatTorus { major, minor }) }
}

fn checked(section: Section, shape: &'static str, levels: usize) -> Result<Section, ShapeError> {
    ShapeError::check_nodes(shape, section.points.len() as f64 * levels as f64)?;
    Ok(section)
}

/// Prisms between consecutive levels; the last level is the first again when there are as many levels as layers.
fn extrude(section: &Section, layers: usize, levels: usize, at: impl Fn([f64; 2], usize) -> [f64; 3]) -> TetMesh {
    let per_level = section.points.len() as u32;
    let points = (0..levels).flat_map(|l| section.points.iter().map(|p| (*p, l)).collect::<Vec<_>>());
    let points = points.map(|(p, l)| at(p, l)).collect();
    let mut tets = Vec::with_capacity(3 * layers * section.triangles.len());
    for layer in 0..layers {
        let (low, high) = (layer as u32 * per_level, ((layer + 1) % levels) as u32 * per_level);
        for t in &section.triangles {
            tets.extend(split_prism(t.map(|n| n + low), t.map(|n| n + high)));
        }
    }
    oriented(points, tets)
}

/// Three tetrahedra of a prism. Each quadrilateral is cut by the diagonal through its smallest node, so that neighbours
/// agree; two of the three diagonals then meet in the prism's smallest node, and the split exists.
fn split_prism(low: [u32; 3], high: [u32; 3]) -> [[u32; 4]; 3] {
    let all = [low, high].concat();
    let smallest = (0..6).min_by_key(|&i| all[i]).unwrap_or(0);
    let (near, far) = if smallest < 3 { (low, high) } else { (high, low) };
    let turn = |t: [u32; 3]| [0, 1, 2].map(|i| t[(smallest + i) % 3]);
    let ([a, b, c], [a_far, b_far, c_far]) = (turn(near), turn(far));
    // `a` is smallest: its two side faces are cut from `a`; the opposite one by its own smallest node.
    let opposite = [b, c, b_far, c_far].into_iter().min();
    let from_b = opposite == Some(b) || opposite == Some(c_far);
    let top = [a, a_far, b_far, c_far];
    if from_b { [top, [a, b, c, c_far], [a, b, b_far, c_far]] } else { [top, [a, b, c, b_far], [a, c, b_far, c_far]] }
}

/// A block of `a` x `b` x `segments` cubes, bent to a disc and closed to a ring.
fn bent_block(
    a: usize,
    b: usize,
    segments: usize,
    at: impl Fn([f64; 2], usize) -> [f64; 3],
) -> Result<TetMesh, ShapeError> {
    if segments % 2 == 1 {
        return Err(ShapeError::OddSegments { segments });
    }
    let cells = [a, b, segments];
    let straight = box_tets(cells, [-1.0, -1.0, 0.0], [1.0, 1.0, 1.0], CubeSplit::Five)?;
    let block = Block::new(cells, [-1.0, -1.0, 0.0], [1.0, 1.0, 1.0])?;
    let per_level = (a + 1) * (b + 1);
    let open = straight.points.iter().take(per_level * segments).enumerate();
    let points: Vec<[f64; 3]> = open.map(|(i, p)| at(square_to_disc(p[0], p[1]), block.coordinates(i)[2])).collect();
    let nodes = points.len() as u32;
    let tets = straight.tets.iter().map(|t| t.map(|n| n % nodes)).collect();
    Ok(oriented(points, tets))
}
