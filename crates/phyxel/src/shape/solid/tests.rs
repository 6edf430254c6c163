use super::*;
use crate::shape::structured::{box_skin, sphere_skin, torus_skin};
use std::f64::consts::PI;

/// Reproducible numbers between −1 and 1 (splitmix64).
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn points(count: usize, reach: f64) -> Vec<[f64; 3]> {
    let mut next = numbers(7);
    (0..count).map(|_| [reach * next(), reach * next(), reach * next()]).collect()
}

fn unit_box(centre: [f64; 3]) -> TriMesh {
    box_skin([2; 3], centre.map(|c| c - 0.5), centre.map(|c| c + 0.5)).unwrap()
}

fn joined(parts: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for part in parts {
        let base = all.points.len() as u32;
        all.points.extend(&part.points);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|n| n + base)));
    }
    all
}

fn turned(mut mesh: TriMesh) -> TriMesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

/// The sum over all triangles, without a tree.
fn exact_winding(mesh: &TriMesh, p: [f64; 3]) -> f64 {
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|n| Vec3(mesh.points[n as usize]) - Vec3(p));
        let (x, y, z) = (a.norm(), b.norm(), c.norm());
        2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
    };
    mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

#[test]
fn the_tree_gives_the_winding_number_of_the_sum() {
    let sphere = sphere_skin(1.0, 0.05);
    let open = TriMesh { triangles: sphere.triangles[900..].to_vec(), ..sphere.clone() };
    for mesh in [sphere, open, torus_skin(1.0, 0.4, 0.08)] {
        let solid = Solid::new(mesh).unwrap();
        for p in points(300, 1.5) {
            let (found, exact) = (solid.winding_number(p), exact_winding(solid.mesh(), p));
            assert!((found - exact).abs() < 1e-2, "{p:?}: {found} {exact}");
        }
    }
}

#[test]
fn inside_a_torus_is_inside_its_tube() {
    let solid = Solid::new(torus_skin(1.0, 0.4, 0.02)).unwrap();
    assert!(solid.closed());
    for p in points(2000, 1.5) {
        let from_tube = ((p[0].hypot(p[2]) - 1.0).powi(2) + p[1] * p[1]).sqrt() - 0.4;
        assert!((solid.signed_distance(p) - from_tube).abs() < 2e-4, "{p:?}");
    }
}

#[test]
fn nearest_points_are_those_of_a_search_over_all_triangles() {
    let solid = Solid::new(joined(&[sphere_skin(0.7, 0.2), unit_box([1.5, 0.2, 0.1])])).unwrap();
    for p in points(400, 2.0) {
        let all = solid.tree.triangles.iter().map(|t| (nearest::nearest_on(t, Vec3(p)) - Vec3(p)).norm());
        let least = all.fold(f64::INFINITY, f64::min);
        let found = solid.nearest(p);
        assert!((found.distance - least).abs() < 1e-15);
        assert!(((Vec3(found.point) - Vec3(p)).norm() - least).abs() < 1e-15);
        assert_eq!(solid.nearest_within(p, least * 0.999), None);
        assert_eq!(solid.nearest_within(p, least * 1.001), Some(found));
    }
}

#[test]
fn the_nearest_point_of_a_triangle_beats_a_fine_sampling_of_it() {
    let mut next = numbers(3);
    for _ in 0..200 {
        let mut corner = || Vec3([next(), next(), next()]);
        let triangle = tree::Triangle { corners: [corner(), corner(), corner()], index: 0 };
        let p = corner() * 2.0;
        let found = (nearest::nearest_on(&triangle, p) - p).norm();
        let [a, b, c] = triangle.corners;
        let n = 200;
        let sampled = (0..=n)
            .flat_map(|i| (0..=n - i).map(move |j| (i as f64 / n as f64, j as f64 / n as f64)))
            .map(|(u, v)| (a * (1.0 - u - v) + b * u + c * v - p).norm())
            .fold(f64::INFINITY, f64::min);
        assert!(found <= sampled + 1e-14 && sampled < found + 0.02, "{found} {sampled}");
    }
}

#[test]
fn a_box_with_a_hole_still_has_its_volume() {
    let whole = unit_box([0.0; 3]);
    let solid = Solid::new(whole.clone()).unwrap();
    assert!(solid.closed() && (solid.volume() - 1.0).abs() < 1e-14);
    // A planar hole is closed by the plane through its rim, where half the sphere of view is open.
    let open = TriMesh { triangles: whole.triangles[..160].to_vec(), ..whole };
    let solid = Solid::new(open).unwrap();
    assert!(!solid.closed());
    assert!((solid.volume() - 1.0).abs() < 2e-3, "{}", solid.volume());
    assert!(solid.inside([0.0; 3]) && !solid.inside([0.0, 0.0, 0.9]));
}

#[test]
fn overlapping_parts_are_a_union() {
    let solid = Solid::new(joined(&[unit_box([0.0; 3]), unit_box([0.5, 0.25, 0.0])])).unwrap();
    assert!(solid.closed());
    assert!((solid.volume() - (2.0 - 0.375)).abs() < 3e-3, "{}", solid.volume());
}

#[test]
fn a_shell_turned_inward_is_a_cavity() {
    let inner = turned(sphere_skin(0.5, 0.05));
    let solid = Solid::new(joined(&[sphere_skin(1.0, 0.05), inner])).unwrap();
    assert!(!solid.inside([0.1, 0.0, 0.0]) && solid.inside([0.75, 0.0, 0.0]));
    assert!((solid.volume() / (4.0 / 3.0 * PI * (1.0 - 0.125)) - 1.0).abs() < 3e-3);
}

#[test]
fn a_surface_wound_inward_is_turned() {
    let solid = Solid::new(turned(sphere_skin(1.0, 0.1))).unwrap();
    assert!(solid.inside([0.0; 3]) && solid.volume() > 0.0);
    // Two of them beside each other, one wound the wrong way.
    let solid = Solid::new(joined(&[unit_box([0.0; 3]), turned(unit_box([3.0, 0.0, 0.0]))])).unwrap();
    assert!(solid.inside([0.0; 3]) && solid.inside([3.0, 0.0, 0.0]) && !solid.inside([1.5, 0.0, 0.0]));
    assert!((solid.volume() - 2.0).abs() < 1e-12);
}

#[test]
fn loose_triangles_with_turned_faces_find_their_neighbours() {
    let sphere = sphere_skin(1.0, 0.1);
    let mut soup = TriMesh::default();
    for (i, t) in sphere.triangles.iter().enumerate() {
        let base = soup.points.len() as u32;
        soup.points.extend(t.map(|n| sphere.points[n as usize]));
        soup.triangles.push(if i % 5 == 0 { [base, base + 2, base + 1] } else { [base, base + 1, base + 2] });
    }
    let solid = Solid::new(soup).unwrap();
    assert!(solid.closed());
    assert!((solid.volume() - Solid::new(sphere).unwrap().volume()).abs() < 1e-12);
}

#[test]
fn what_encloses_nothing_is_refused() {
    let triangle = TriMesh { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]], triangles: vec![[0, 1, 2]] };
    assert_eq!(Solid::new(triangle.clone()).unwrap_err(), ShapeError::EnclosesNothing);
    let twice = TriMesh { triangles: vec![[0, 1, 2], [0, 2, 1]], ..triangle.clone() };
    assert_eq!(Solid::new(twice).unwrap_err(), ShapeError::EnclosesNothing);
    let corner = |i: usize| [(i % 5) as f64, (i / 5) as f64, 3.0];
    let square = |i: u32| [[i, i + 1, i + 6], [i, i + 6, i + 5]];
    let plane = TriMesh {
        points: (0..25).map(corner).collect(),
        triangles: (0..19).filter(|i| i % 5 < 4).flat_map(square).collect(),
    };
    assert_eq!(Solid::new(plane).unwrap_err(), ShapeError::EnclosesNothing);
    let needle = TriMesh { triangles: vec![[0, 1, 1], [2, 2, 2]], ..triangle.clone() };
    assert_eq!(Solid::new(needle).unwrap_err(), ShapeError::EnclosesNothing);
    assert_eq!(Solid::new(TriMesh::default()).unwrap_err(), ShapeError::NoTriangles);
    let outside = TriMesh { triangles: vec![[0, 1, 2], [0, 1, 3]], ..triangle.clone() };
    assert_eq!(Solid::new(outside).unwrap_err(), ShapeError::BrokenTriangle { triangle: 1 });
    let mut nowhere = triangle;
    nowhere.points[1][2] = f64::NAN;
    assert_eq!(Solid::new(nowhere).unwrap_err(), ShapeError::BrokenTriangle { triangle: 0 });
}

#[test]
fn tiny_and_distant_solids_are_no_different() {
    for (scale, offset) in [(1e-9, 0.0), (1e12, 0.0), (1e-3, 1e4)] {
        let mut mesh = sphere_skin(1.0, 0.1);
        mesh.points.iter_mut().for_each(|p| *p = p.map(|c| c * scale + offset));
        let solid = Solid::new(mesh).unwrap();
        let at = |x: f64| [x * scale + offset, offset, offset];
        assert!(solid.inside(at(0.9)) && !solid.inside(at(1.1)));
        assert!((solid.volume() / (4.0 / 3.0 * PI * scale.powi(3)) - 1.0).abs() < 0.01);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let solid = Solid::new(torus_skin(1.0, 0.4, 0.03)).unwrap();
            let values: Vec<u64> = points(100, 1.5).iter().map(|p| solid.signed_distance(*p).to_bits()).collect();
            (values, solid.volume().to_bits())
        })
    };
    let one = build(1);
    assert_eq!(one, build(2));
    assert_eq!(one, build(5));
}
