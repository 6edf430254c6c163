use super::*;
use crate::math::Vec3;
use crate::shape::TriMesh;
use crate::shape::quality::{
    Connection, TetQuality, boundary_triangles, connected_components, enclosed_volume, hausdorff,
};
use crate::shape::structured::{box_skin, sphere_skin, torus_skin};
use std::f64::consts::{FRAC_PI_6, PI};

fn by_size(size: f64) -> StuffingSettings {
    StuffingSettings::new(Fineness::Size(size))
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

fn shifted(mut mesh: TriMesh, by: [f64; 3]) -> TriMesh {
    mesh.points.iter_mut().for_each(|p| *p = (Vec3(*p) + Vec3(by)).0);
    mesh
}

fn turned(mut mesh: TriMesh) -> TriMesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

/// A ball with bumps, no symmetry left.
fn bumpy() -> TriMesh {
    let mut mesh = sphere_skin(1.0, 0.04);
    for p in &mut mesh.points {
        let [x, y, z] = *p;
        let r = 1.0 + 0.2 * (5.0 * x + 1.0).sin() * (4.0 * y).cos() + 0.1 * (9.0 * z + 2.0 * x).sin();
        *p = p.map(|c| c * r);
    }
    mesh
}

fn boundary(mesh: &TetMesh) -> TriMesh {
    TriMesh { points: mesh.points.clone(), triangles: boundary_triangles(&mesh.tets) }
}

/// What holds for every result: angles, orientation, a closed boundary whose nodes lie on the surface, one piece.
fn check(solid: &Solid, settings: &StuffingSettings, pieces: usize) -> (TetMesh, StuffingReport) {
    let (mesh, report) = stuff(solid, settings).unwrap();
    let quality = TetQuality::of(&mesh);
    assert!(quality.min_dihedral.to_degrees() > 10.4 && quality.max_dihedral.to_degrees() < 163.6, "{quality:?}");
    assert!(quality.min_volume > 0.0 && quality.watertight);
    let outside = boundary(&mesh);
    for n in outside.triangles.iter().flatten() {
        let p = mesh.points[*n as usize];
        assert!(solid.nearest(p).distance < 1e-6 * report.size, "{p:?}");
    }
    // Nothing overlaps and nothing is hollow: the boundary encloses what the tetrahedra fill.
    assert!((enclosed_volume(&outside) - quality.volume).abs() < 1e-9 * quality.volume);
    assert_eq!((report.components, connected_components(&mesh.tets, Connection::Faces).1), (pieces, pieces));
    assert!(mesh.tets.iter().flatten().all(|n| (*n as usize) < mesh.points.len()));
    (mesh, report)
}

#[test]
fn angles_hold_on_round_flat_and_bumpy_shapes_at_all_sizes() {
    let cuboid = box_skin([3; 3], [0.0; 3], [1.3, 0.9, 1.1]).unwrap();
    for surface in [sphere_skin(1.0, 0.1), torus_skin(1.0, 0.4, 0.1), cuboid, bumpy()] {
        let solid = Solid::new(surface).unwrap();
        for size in [0.31, 0.173, 0.08] {
            for grading in [true, false] {
                check(&solid, &StuffingSettings { grading, ..by_size(size) }, 1);
            }
        }
    }
}

#[test]
fn the_boundary_stays_within_half_a_cell() {
    for surface in [sphere_skin(1.0, 0.1), torus_skin(1.0, 0.4, 0.1), bumpy()] {
        let solid = Solid::new(surface).unwrap();
        for size in [0.2, 0.1] {
            let (mesh, _) = check(&solid, &by_size(size), 1);
            let apart = hausdorff(&boundary(&mesh), &solid, 0.2 * size);
            assert!(apart.to_surface < 0.5 * size && apart.from_surface < 0.5 * size, "{apart:?}");
        }
    }
}

#[test]
fn the_volume_converges_with_the_square_of_the_size() {
    let solid = Solid::new(sphere_skin(1.0, 0.02)).unwrap();
    let error = |size: f64| {
        let (mesh, _) = stuff(&solid, &by_size(size)).unwrap();
        1.0 - TetQuality::of(&mesh).volume / solid.volume()
    };
    let [coarse, middle, fine] = [0.24, 0.12, 0.06].map(error);
    assert!(coarse < 0.02 && fine > 0.0);
    for (a, b) in [(coarse, middle), (middle, fine)] {
        let order = (a / b).log2();
        assert!((1.6..2.4).contains(&order), "{coarse} {middle} {fine}");
    }
}

#[test]
fn grading_keeps_the_surface_and_saves_the_inside() {
    let solid = Solid::new(sphere_skin(1.0, 0.05)).unwrap();
    let (graded, _) = check(&solid, &by_size(0.06), 1);
    let (even, _) = check(&solid, &StuffingSettings { grading: false, ..by_size(0.06) }, 1);
    assert!(2 * graded.tets.len() < even.tets.len());
    let volume = |mesh: &TetMesh| TetQuality::of(mesh).volume;
    assert!((volume(&graded) - volume(&even)).abs() < 1e-9, "{} {}", volume(&graded), volume(&even));
    assert_eq!(boundary(&graded).triangles.len(), boundary(&even).triangles.len());
}

#[test]
fn counts_are_met_to_a_tenth() {
    let solid = Solid::new(bumpy()).unwrap();
    for grading in [true, false] {
        for count in [1000, 20_000, 100_000] {
            let tets = StuffingSettings { grading, ..StuffingSettings::new(Fineness::Tets(count)) };
            let found = stuff(&solid, &tets).unwrap().0.tets.len() as f64;
            assert!((found / count as f64 - 1.0).abs() < 0.1, "{found} of {count}");
        }
        let nodes = StuffingSettings { grading, ..StuffingSettings::new(Fineness::Nodes(5000)) };
        let found = stuff(&solid, &nodes).unwrap().0.points.len() as f64;
        assert!((found / 5000.0 - 1.0).abs() < 0.1, "{found}");
    }
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let whole = bumpy();
            let open = TriMesh { triangles: whole.triangles[300..].to_vec(), ..whole.clone() };
            [whole, open].map(|surface| stuff(&Solid::new(surface).unwrap(), &by_size(0.09)).unwrap())
        })
    };
    let one = build(1);
    assert_eq!(one, build(2));
    assert_eq!(one, build(5));
}

#[test]
fn a_cavity_stays_hollow() {
    let shells = joined(&[sphere_skin(1.0, 0.06), turned(sphere_skin(0.5, 0.06))]);
    let solid = Solid::new(shells).unwrap();
    let (mesh, report) = check(&solid, &by_size(0.1), 1);
    assert_eq!(report.lost_parts, 0);
    let volume = TetQuality::of(&mesh).volume;
    assert!((volume / (4.0 / 3.0 * PI * 0.875) - 1.0).abs() < 0.02, "{volume}");
    assert!(mesh.points.iter().all(|p| Vec3(*p).norm() > 0.49));
}

#[test]
fn near_parts_stay_apart_and_overlapping_parts_join() {
    let ball = || sphere_skin(0.5, 0.05);
    let two = |gap: f64| Solid::new(joined(&[ball(), shifted(ball(), [1.0 + gap, 0.1, 0.0])])).unwrap();
    check(&two(0.3), &by_size(0.1), 2);
    let (mesh, report) = check(&two(-0.4), &by_size(0.1), 1);
    assert_eq!(report.lost_parts, 0);
    let volume = TetQuality::of(&mesh).volume;
    assert!((volume / two(-0.4).volume() - 1.0).abs() < 0.02);
    // Closer than a cell: the gap may close, but nothing breaks.
    let (mesh, _) = stuff(&two(0.01), &by_size(0.1)).unwrap();
    assert!(TetQuality::of(&mesh).watertight);
}

#[test]
fn a_hole_is_closed() {
    let whole = box_skin([4; 3], [0.0; 3], [1.0; 3]).unwrap();
    let count = whole.triangles.len();
    let open = TriMesh { triangles: whole.triangles[..count - count / 6].to_vec(), ..whole };
    let solid = Solid::new(open).unwrap();
    let (mesh, report) = stuff(&solid, &by_size(0.09)).unwrap();
    let quality = TetQuality::of(&mesh);
    assert!(report.hole_cuts > 50 && quality.watertight && report.components == 1);
    assert!((quality.volume - 1.0).abs() < 0.01, "{}", quality.volume);
    // The missing side was at z = 1, and the sheet at one half is there.
    let top = mesh.points.iter().map(|p| p[2]).fold(0.0, f64::max);
    assert!((top - 1.0).abs() < 0.02, "{top}");
}

#[test]
fn loose_and_turned_triangles_are_no_obstacle() {
    let sphere = bumpy();
    let mut soup = TriMesh::default();
    for (i, t) in sphere.triangles.iter().enumerate() {
        let base = soup.points.len() as u32;
        // No two corners are at the same place any more, so that nothing can be joined.
        let nudge = |n: u32| sphere.points[n as usize].map(|c| c * (1.0 + 1e-7 * (i % 17) as f64));
        soup.points.extend(t.map(nudge));
        soup.triangles.push(if i % 20 == 0 { [base, base + 2, base + 1] } else { [base, base + 1, base + 2] });
    }
    let (mesh, _) = stuff(&Solid::new(soup).unwrap(), &by_size(0.1)).unwrap();
    let (volume, exact) = (TetQuality::of(&mesh).volume, Solid::new(sphere).unwrap().volume());
    assert!((volume / exact - 1.0).abs() < 0.03, "{volume} {exact}");
    assert!(TetQuality::of(&mesh).watertight);
}

#[test]
fn thin_sheets_ask_for_a_size() {
    let sheet = |thickness: f64| Solid::new(box_skin([8, 1, 8], [0.0; 3], [1.0, thickness, 1.0]).unwrap()).unwrap();
    let Err(ShapeError::Unresolved { needed, .. }) = stuff(&sheet(0.004), &by_size(0.1)) else {
        panic!("a sheet of a 25th of a cell is not resolved")
    };
    assert!(needed > 0.002 && needed < 0.006);
    check(&sheet(0.1), &by_size(0.06), 1);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let solid = Solid::new(sphere_skin(1.0, 0.2)).unwrap();
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(stuff(&solid, &by_size(size)), Err(ShapeError::BadLength { .. })));
    }
    assert!(matches!(stuff(&solid, &by_size(1e-5)), Err(ShapeError::TooLarge { .. })));
    assert!(matches!(stuff(&solid, &by_size(1e-300)), Err(ShapeError::TooLarge { .. })));
    assert!(matches!(stuff(&solid, &by_size(10.0)), Err(ShapeError::Unresolved { .. })));
    let none = StuffingSettings::new(Fineness::Tets(0));
    assert!(matches!(stuff(&solid, &none), Err(ShapeError::TooFew { .. })));
    let many = StuffingSettings::new(Fineness::Tets(1_000_000_000_000));
    assert!(matches!(stuff(&solid, &many), Err(ShapeError::TooLarge { .. })));
    assert!(StuffingSettings::from_resolution(&Resolution::Cells([1; 3])).is_err());
}

#[test]
fn tiny_huge_and_distant_solids_are_no_different() {
    let count = |scale: f64, offset: f64| {
        let mut mesh = sphere_skin(1.0, 0.1);
        mesh.points.iter_mut().for_each(|p| *p = p.map(|c| c * scale + offset));
        let (mesh, _) = stuff(&Solid::new(mesh).unwrap(), &by_size(0.2 * scale)).unwrap();
        let quality = TetQuality::of(&mesh);
        assert!(quality.watertight && quality.min_dihedral.to_degrees() > 10.4);
        mesh.tets.len()
    };
    let usual = count(1.0, 0.0);
    assert_eq!(count(1e-9, 0.0), usual);
    assert_eq!(count(1e12, 0.0), usual);
    // At a distance the surface itself is rounded.
    assert!((count(1e-3, 1e3) as f64 / usual as f64 - 1.0).abs() < 0.05);
}

#[test]
fn sharp_edges_and_corners_are_kept_where_asked() {
    let solid = Solid::new(box_skin([3; 3], [0.0; 3], [1.0; 3]).unwrap()).unwrap();
    let volume = |mesh: &TetMesh| TetQuality::of(mesh).volume;
    let (round, _) = check(&solid, &by_size(0.11), 1);
    let (sharp, report) = check(&solid, &StuffingSettings { features: Some(FRAC_PI_6), ..by_size(0.11) }, 1);
    assert!(report.moved > 40, "{report:?}");
    assert!((1.0 - volume(&sharp)) < 0.5 * (1.0 - volume(&round)), "{} {}", volume(&sharp), volume(&round));
    let is_corner = |p: &&[f64; 3]| p.iter().all(|c| *c == 0.0 || *c == 1.0);
    let corners = sharp.points.iter().filter(is_corner).count();
    assert!(corners >= 4, "{corners} {report:?} {}", volume(&sharp));
}

/// A Klein bottle: one closed sheet that goes through itself.
fn klein_bottle(n: usize) -> TriMesh {
    let mut mesh = TriMesh::default();
    let at = |k: usize| 2.0 * PI * k as f64 / n as f64;
    for i in 0..n {
        for j in 0..n {
            let (u, v) = (at(i), at(j));
            let tube = 2.0 + (0.5 * u).cos() * v.sin() - (0.5 * u).sin() * (2.0 * v).sin();
            let height = (0.5 * u).sin() * v.sin() + (0.5 * u).cos() * (2.0 * v).sin();
            mesh.points.push([tube * u.cos(), tube * u.sin(), height]);
        }
    }
    for i in 0..n {
        for j in 0..n {
            // Half a turn takes v to −v.
            let node = |i: usize, j: usize| if i < n { i * n + j % n } else { (n - j % n) % n } as u32;
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

#[test]
fn a_klein_bottle_gives_a_result_or_an_error() {
    if let Ok(solid) = Solid::new(klein_bottle(60)) {
        if let Ok((mesh, _)) = stuff(&solid, &by_size(0.2)) {
            let quality = TetQuality::of(&mesh);
            assert!(quality.watertight && quality.min_volume > 0.0 && quality.min_dihedral.to_degrees() > 10.4);
        }
    }
}

#[test]
fn a_surface_through_itself_is_filled_once() {
    // A tube around a figure of eight in space meets itself.
    let mut mesh = TriMesh::default();
    let (m, n) = (200, 24);
    for i in 0..m {
        let t = 2.0 * PI * i as f64 / m as f64;
        let (centre, along) =
            ([t.sin(), (2.0 * t).sin(), 0.1 * t.cos()], [t.cos(), 2.0 * (2.0 * t).cos(), -0.1 * t.sin()]);
        let side = Vec3(along).cross(Vec3([0.0, 0.0, 1.0])).normalized();
        for j in 0..n {
            let (sin, cos) = (2.0 * PI * j as f64 / n as f64).sin_cos();
            mesh.points.push((Vec3(centre) + side * (0.2 * cos) + Vec3([0.0, 0.0, 0.2 * sin])).0);
        }
    }
    for i in 0..m {
        for j in 0..n {
            let node = |i: usize, j: usize| ((i % m) * n + j % n) as u32;
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let solid = Solid::new(mesh).unwrap();
    let (mesh, _) = check(&solid, &by_size(0.08), 1);
    assert!((TetQuality::of(&mesh).volume / solid.volume() - 1.0).abs() < 0.02);
}
