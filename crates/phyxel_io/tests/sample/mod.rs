//! A small scene that moves by formulas: a twisting cube with a skin, a heap of phyxels, a net of springs, and a bar
//! of tetrahedra without a skin.

use phyxel::record::{BodyFrame, BodyLayout, Cells, Frame};

/// Cells along the side of the cube.
const CUBE: u32 = 8;

/// The four bodies.
pub fn layouts() -> Vec<BodyLayout> {
    let body = |name: &str, node_count, cells, skin_triangles| BodyLayout {
        name: name.into(),
        node_count,
        cells,
        skin_triangles,
        ..BodyLayout::default()
    };
    let (_, skin) = cube_skin();
    let (bar, tets) = bar();
    let (net, lines) = net();
    vec![
        body("cube", 8, Cells::Points, skin),
        body("ball of phyxels", ball().len(), Cells::Points, vec![]),
        body("net", net.len(), Cells::Lines(lines), vec![]),
        body("cube", bar.len(), Cells::Tets(tets), vec![]),
    ]
}

/// The bodies at the time of a frame, at 30 frames per second.
pub fn frame(index: usize) -> Frame {
    let time = index as f64 / 30.0;
    let corners: Vec<[f64; 3]> = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2 & 1].map(|c| 0.4 * c as f64)).collect();
    let mut cube = pose(&corners, |p| twist(p, time));
    cube.skin = cube_skin().0.into_iter().map(|p| twist(p, time)).collect();
    let drop = 0.22 + (0.5 - 1.2 * time * time).max(0.0) + 0.05 * (9.0 * time).sin().abs();
    let squash = 1.0 - 0.2 * (1.0 - (0.5 - 1.2 * time * time).max(0.0) * 2.0) * (12.0 * time).cos().powi(2);
    let ball = pose(&ball(), |[x, y, z]| [x / squash.sqrt() - 0.75, y * squash + drop, z / squash.sqrt() + 0.1]);
    let net = pose(&net().0, |[x, y, z]| [x + 0.62, 0.75 + y - 0.25 * time * (1.0 - (4.0 * x - 1.0).powi(2)), z]);
    let bar = pose(&bar().0, |[x, y, z]| [x + 0.1, y + 0.05 * (5.0 * time + 6.0 * x).sin() + 0.12, z + 0.75]);
    Frame { index, time, bodies: vec![cube, ball, net, bar], ..Frame::default() }
}

fn pose(rest: &[[f64; 3]], place: impl Fn([f64; 3]) -> [f64; 3]) -> BodyFrame {
    let positions: Vec<[f64; 3]> = rest.iter().map(|p| place(*p)).collect();
    let velocities = positions.iter().map(|p| [p[1], -p[0], 0.5]).collect();
    let von_mises = positions.iter().map(|p| 1000.0 * p[1]).collect();
    BodyFrame { positions, velocities, von_mises, ..BodyFrame::default() }
}

fn twist([x, y, z]: [f64; 3], time: f64) -> [f64; 3] {
    let (angle, stretch) = (2.2 * y * (4.0 * time).sin(), 1.0 + 0.15 * (7.0 * time).sin());
    let (u, v) = ((x - 0.2) / stretch.sqrt(), (z - 0.2) / stretch.sqrt());
    [u * angle.cos() - v * angle.sin(), y * stretch, u * angle.sin() + v * angle.cos()]
}

/// A closed cube of side 0.4 m whose vertices are shared.
fn cube_skin() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let n = CUBE;
    let (mut index, mut points, mut triangles) = (std::collections::HashMap::new(), vec![], vec![]);
    let mut vertex = |p: [u32; 3]| {
        *index.entry(p).or_insert_with(|| {
            points.push(p.map(|c| 0.4 * f64::from(c) / f64::from(n)));
            points.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        for (side, i, j) in (0..2 * n * n).map(|k| (k / (n * n), k / n % n, k % n)) {
            let mut corner = |u: u32, v: u32| {
                let mut p = [side * n; 3];
                (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (i + u, j + v);
                vertex(p)
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    (points, triangles)
}

fn ball() -> Vec<[f64; 3]> {
    let grid = (0..11 * 11 * 11).map(|i| [i % 11, i / 11 % 11, i / 121].map(|c| 0.04 * (c - 5) as f64));
    grid.filter(|p| p.iter().map(|c| c * c).sum::<f64>() < 0.2 * 0.2).collect()
}

fn net() -> (Vec<[f64; 3]>, Vec<[u32; 2]>) {
    let points = (0..81).map(|i| [0.0625 * f64::from(i % 9), 0.0, 0.0625 * f64::from(i / 9)]).collect();
    let across = (0..81u32).filter(|i| i % 9 < 8).map(|i| [i, i + 1]);
    let along = (0..72u32).map(|i| [i, i + 9]);
    (points, across.chain(along).collect())
}

/// A bar of cubes, each cut into six tetrahedra of positive volume around its diagonal.
fn bar() -> (Vec<[f64; 3]>, Vec<[u32; 4]>) {
    let node = |x: u32, y: u32, z: u32| x * 9 + y * 3 + z;
    let points = (0..99).map(|i| [i / 9, i / 3 % 3, i % 3].map(|c| 0.07 * f64::from(c))).collect();
    let mut tets = vec![];
    for (x, y, z) in (0..40).map(|i| (i / 4, i / 2 % 2, i % 2)) {
        for (first, second, odd) in
            [(0, 1, false), (1, 2, false), (2, 0, false), (1, 0, true), (2, 1, true), (0, 2, true)]
        {
            let mut at = [x, y, z];
            let start = node(x, y, z);
            at[first] += 1;
            let one = node(at[0], at[1], at[2]);
            at[second] += 1;
            let two = node(at[0], at[1], at[2]);
            let end = node(x + 1, y + 1, z + 1);
            tets.push(if odd { [start, two, one, end] } else { [start, one, two, end] });
        }
    }
    (points, tets)
}
