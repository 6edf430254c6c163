use super::*;
use crate::shape::quality::{enclosed_volume, is_watertight};

/// A box of two triangles per side, wound outward.
fn block(low: [f64; 3], high: [f64; 3]) -> TriMesh {
    let pick = |i: usize, k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] };
    let points = (0..8).map(|i| [pick(i, 0), pick(i, 1), pick(i, 2)]).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { points, triangles }
}

fn cube() -> TriMesh {
    block([0.0; 3], [1.0; 3])
}

fn inverted(mut mesh: TriMesh) -> TriMesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

fn joined(parts: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for part in parts {
        let first = all.points.len() as u32;
        all.points.extend(&part.points);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

/// Every triangle with vertices of its own, as STL files have it.
fn soup(mesh: &TriMesh) -> TriMesh {
    let points: Vec<_> = mesh.triangles.iter().flatten().map(|&v| mesh.points[v as usize]).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh { points, triangles }
}

/// A strip of quads whose ends are joined after a number of half turns.
fn strip(half_turns: u32) -> TriMesh {
    let n = 12;
    let mut points = Vec::new();
    for i in 0..n {
        let around = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let twist = 0.5 * around * f64::from(half_turns);
        for side in [-0.3, 0.3] {
            let r = 1.0 + side * twist.cos();
            points.push([r * around.cos(), r * around.sin(), side * twist.sin()]);
        }
    }
    let mut triangles = Vec::new();
    for i in 0..n {
        let swap = u32::from(i == n - 1 && half_turns % 2 == 1);
        let j = (i + 1) % n;
        let [a, b, c, d] = [2 * i, 2 * i + 1, 2 * j + swap, 2 * j + 1 - swap];
        triangles.extend([[a, c, b], [b, c, d]]);
    }
    TriMesh { points, triangles }
}

fn fixed(mesh: TriMesh) -> (TriMesh, RepairReport) {
    repair(mesh, &RepairSettings::default()).unwrap()
}

#[test]
fn a_good_surface_stays_as_it_is() {
    let (mesh, report) = fixed(cube());
    assert_eq!(mesh, cube());
    assert!(report.closed && !report.changed());
    assert_eq!(report.sentences(), ["the surface is closed"]);
    assert!(report.origins.iter().enumerate().all(|(i, o)| o.triangle == i as u32 && !o.turned));
}

#[test]
fn a_soup_of_triangles_becomes_a_closed_surface() {
    let mut given = soup(&cube());
    // Copies that differ in the seventh digit, as text files have them.
    given.points.iter_mut().enumerate().for_each(|(i, p)| p[i % 3] += 1e-7 * (i % 5) as f64);
    let exact = RepairSettings { weld: Some(0.0), ..RepairSettings::default() };
    assert!(!repair(given.clone(), &exact).unwrap().1.closed);
    let (mesh, report) = fixed(given);
    assert_eq!((report.welded, report.vertices, report.faces), (28, 8, 12));
    assert!(report.closed && is_watertight(&mesh.triangles));
    assert!((enclosed_volume(&mesh) - 1.0).abs() < 1e-5);
    assert_eq!(report.sentences()[0], "welded 28 duplicate vertices");
    let (_, report) = repair(soup(&cube()), &exact).unwrap();
    assert!(report.closed && report.welded == 28);
}

#[test]
fn the_two_zeros_are_one_place() {
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.0, 0.0, -0.0]];
    let mesh = TriMesh { points, triangles: vec![[0, 1, 2], [3, 2, 1]] };
    let exact = RepairSettings { weld: Some(0.0), drop_duplicates: false, ..RepairSettings::default() };
    assert_eq!(repair(mesh, &exact).unwrap().1.welded, 1);
}

#[test]
fn a_vertex_far_away_that_nothing_uses_does_not_coarsen_the_weld() {
    let mut given = soup(&cube());
    given.points.push([1e9, 0.0, 0.0]);
    let (mesh, report) = fixed(given);
    assert_eq!((mesh.points.len(), report.unreferenced), (8, 1));
    assert!(report.closed);
}

#[test]
fn flipped_faces_are_turned_back_and_named() {
    let mut given = cube();
    for face in [1, 4, 9] {
        given.triangles[face].swap(1, 2);
    }
    let (mesh, report) = fixed(given);
    assert_eq!((report.turned, report.shells_turned), (3, 0));
    assert_eq!(mesh, cube());
    assert!(report.origins[4].turned && !report.origins[5].turned);
    assert!(report.sentences().contains(&"turned 3 flipped faces".to_string()));
}

#[test]
fn a_surface_inside_out_is_turned_as_a_whole() {
    let (mesh, report) = fixed(inverted(cube()));
    assert_eq!((report.turned, report.shells_turned), (0, 1));
    assert!((enclosed_volume(&mesh) - 1.0).abs() < 1e-15);
}

#[test]
fn cavities_stay_cavities_whichever_way_the_file_was_wound() {
    let hollow = joined(&[cube(), inverted(block([0.25; 3], [0.75; 3]))]);
    for (given, turned) in [(hollow.clone(), 0), (inverted(hollow), 2)] {
        let (mesh, report) = fixed(given);
        assert_eq!(report.shells_turned, turned);
        assert!((enclosed_volume(&mesh) - 0.875).abs() < 1e-14);
        assert!(report.closed && report.components == 2);
    }
}

#[test]
fn each_of_several_bodies_is_turned_by_itself_and_takes_its_inside_along() {
    let far = block([5.0, 0.0, 0.0], [6.0, 1.0, 1.0]);
    let solid_in_solid = joined(&[cube(), block([0.25; 3], [0.75; 3])]);
    let (mesh, report) = fixed(joined(&[inverted(far), solid_in_solid.clone()]));
    assert_eq!(report.shells_turned, 1);
    assert!((enclosed_volume(&mesh) - 2.125).abs() < 1e-13);
    let (mesh, _) = fixed(inverted(solid_in_solid));
    assert!((enclosed_volume(&mesh) - 1.125).abs() < 1e-14, "a solid in a solid stays one");
}

#[test]
fn an_open_shell_is_turned_too_but_a_sheet_is_not() {
    let mut open = inverted(cube());
    open.triangles.truncate(11);
    let (mesh, report) = fixed(open);
    assert_eq!((report.shells_turned, report.boundary_edges, report.boundary_loops), (1, 3, 1));
    assert!(report.sentences().contains(&"3 open edges in 1 hole: inside is decided by winding number".to_string()));
    assert_eq!(mesh.triangles[0].map(|v| mesh.points[v as usize][2]), [0.0; 3]);
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.01]];
    let sheet = TriMesh { points, triangles: vec![[0, 2, 1], [0, 3, 2]] };
    let (mesh, report) = fixed(sheet.clone());
    assert_eq!((mesh, report.boundary_edges, report.shells_turned), (sheet, 4, 0));
}

#[test]
fn faces_without_area_go_but_not_the_seam_that_closes_a_surface() {
    let mut given = cube();
    given.points.push([0.5, 0.0, 0.0]);
    given.triangles.extend([[0, 0, 1], [0, 8, 1]]);
    let (mesh, report) = fixed(given);
    assert_eq!((report.degenerate, report.unreferenced, report.closed), (2, 1, true));
    assert_eq!(mesh, cube());
    // A vertex in the middle of the edge from 0 to 1, known to one of its two faces only.
    let mut seam = cube();
    let face = seam.triangles.iter().position(|t| t.contains(&0) && t.contains(&1)).unwrap();
    let other = seam.triangles[face].into_iter().find(|v| ![0, 1].contains(v)).unwrap();
    let [a, b] = if seam.triangles[face].windows(2).any(|w| w == [0, 1]) { [0, 1] } else { [1, 0] };
    seam.points.push([0.5, 0.0, 0.0]);
    seam.triangles[face] = [a, 8, other];
    seam.triangles.extend([[8, b, other], [a, b, 8]]);
    let (mesh, report) = fixed(seam);
    assert!(report.closed && is_watertight(&mesh.triangles), "{report:?}");
    assert_eq!((report.flat_kept, report.degenerate), (1, 0));
}

#[test]
fn copies_of_faces_go_and_both_sides_of_every_face_become_one() {
    let mut given = cube();
    given.triangles.extend([[2, 3, 0], [3, 2, 0]]);
    given.triangles.push(given.triangles[7]);
    let (mesh, report) = fixed(given);
    assert_eq!((report.duplicates, report.non_manifold_edges), (3, 0));
    assert_eq!(mesh, cube());
    let double = joined(&[cube(), inverted(cube())]);
    let (mesh, report) = fixed(double);
    assert_eq!((report.welded, report.duplicates), (8, 12));
    assert!((enclosed_volume(&mesh) - 1.0).abs() < 1e-15);
}

#[test]
fn a_wall_between_two_solids_keeps_both_of_its_sides() {
    let two = joined(&[cube(), block([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])]);
    let (mesh, report) = fixed(two);
    assert_eq!((report.duplicates, report.faces, report.components), (0, 24, 1));
    // Four edges of the square between them; its diagonals may coincide as well.
    assert!((4..=5).contains(&report.non_manifold_edges), "{report:?}");
    assert!(report.closed);
    assert!((enclosed_volume(&mesh) - 2.0).abs() < 1e-15);
}

#[test]
fn a_strip_with_one_half_turn_has_one_side_and_is_left_alone() {
    let (_, report) = fixed(strip(1));
    assert_eq!((report.one_sided, report.turned, report.boundary_loops), (1, 0, 1));
    assert!(report.inconsistent_edges > 0 && !report.closed);
    assert!(report.sentences().iter().any(|s| s.contains("one side only")));
    let (_, report) = fixed(strip(2));
    assert_eq!((report.one_sided, report.boundary_loops, report.inconsistent_edges), (0, 2, 0));
}

#[test]
fn a_klein_bottle_is_found_although_it_has_no_edge_open() {
    let n = 8u32;
    let at = |i: u32, j: u32| if i < n { i * n + j % n } else { (n - j % n) % n };
    let points = (0..n * n).map(|v| [f64::from(v / n), f64::from(v % n), f64::from(v * v % 7)]).collect();
    let quads = (0..n * n).map(|q| (q / n, q % n));
    let triangles = quads
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    let (_, report) = fixed(TriMesh { points, triangles });
    assert_eq!((report.one_sided, report.boundary_edges, report.components), (1, 0, 1));
    assert!(!report.closed);
}

#[test]
fn repairs_can_be_switched_off_one_by_one() {
    let mut given = joined(&[cube(), TriMesh { points: vec![[9.0; 3]], triangles: vec![] }]);
    given.triangles[3].swap(0, 1);
    given.triangles.push([0, 0, 1]);
    given.triangles.push(given.triangles[0]);
    let (mesh, report) = repair(given.clone(), &RepairSettings::NONE).unwrap();
    assert_eq!(mesh, given);
    assert!(!report.changed() && !report.closed);
    assert_eq!((report.unreferenced, report.inconsistent_edges > 0), (1, true));
    let keep_all = RepairSettings { drop_unreferenced: false, ..RepairSettings::default() };
    assert_eq!(repair(given.clone(), &keep_all).unwrap().0.points.len(), 9);
    let no_orient = RepairSettings { orient: false, ..RepairSettings::default() };
    let (_, report) = repair(given.clone(), &no_orient).unwrap();
    assert_eq!((report.turned, report.inconsistent_edges, report.duplicates), (0, 3, 1));
    let copies = RepairSettings { drop_duplicates: false, ..RepairSettings::default() };
    assert_eq!(repair(given, &copies).unwrap().1.faces, 13);
}

#[test]
fn bad_surfaces_and_settings_are_refused_by_name() {
    let bad = TriMesh { points: vec![[0.0; 3]; 3], triangles: vec![[0, 1, 2], [0, 1, 7]] };
    let error = repair(bad, &RepairSettings::default()).unwrap_err();
    assert_eq!(error, ShapeError::BadTriangle { triangle: 1, vertex: 7, count: 3 });
    let mut nan = cube();
    nan.points[5][1] = f64::NAN;
    assert!(matches!(repair(nan, &RepairSettings::default()), Err(ShapeError::BadVertex { vertex: 5, .. })));
    for value in [-1.0, 1.0, f64::NAN] {
        let settings = RepairSettings { weld: Some(value), ..RepairSettings::default() };
        assert!(matches!(repair(cube(), &settings), Err(ShapeError::BadWeld { .. })));
    }
    let (mesh, report) = fixed(TriMesh::default());
    assert_eq!((mesh, report.closed), (TriMesh::default(), false));
    assert_eq!(report.sentences(), ["there are no faces"]);
}

/// A ball of latitude and longitude, as a soup with some faces flipped; large enough to see the order of the cost.
#[test]
fn a_large_ball_in_pieces_is_put_together() {
    let (rings, sectors) = (150u32, 300u32);
    let angle = |i: u32, n: u32, whole: f64| whole * f64::from(i) / f64::from(n);
    let point = |i: u32, j: u32| {
        let (a, b) = (angle(i, rings, std::f64::consts::PI), angle(j % sectors, sectors, std::f64::consts::TAU));
        [a.sin() * b.cos(), a.sin() * b.sin(), a.cos()]
    };
    let mut mesh = TriMesh::default();
    for (i, j) in (0..rings).flat_map(|i| (0..sectors).map(move |j| (i, j))) {
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| point(i, j));
        let first = mesh.points.len() as u32;
        mesh.points.extend(corners);
        let flip = (7 * i + 13 * j) % 11 == 0;
        for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
            mesh.triangles.push(if flip {
                [first + a, first + c, first + b]
            } else {
                [first + a, first + b, first + c]
            });
        }
    }
    let (mesh, report) = fixed(mesh);
    assert_eq!(report.vertices, ((rings - 1) * sectors + 2) as usize);
    assert_eq!(report.degenerate, 2 * sectors as usize);
    assert!(report.closed && report.components == 1);
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((enclosed_volume(&mesh) / exact - 1.0).abs() < 1e-3);
}

/// Thousands of small shells in a row along each axis, all inside out, one in every other with a cavity.
#[test]
fn many_shells_in_a_row_are_told_apart() {
    for axis in 0..3 {
        let mut parts = Vec::new();
        for i in 0..5000 {
            let mut low = [0.0; 3];
            low[axis] = 2.0 * f64::from(i);
            parts.push(inverted(block(low, low.map(|c| c + 1.0))));
            if i % 2 == 0 {
                parts.push(block(low.map(|c| c + 0.25), low.map(|c| c + 0.75)));
            }
        }
        let (mesh, report) = fixed(joined(&parts));
        assert_eq!((report.shells_turned, report.components), (7500, 7500));
        assert!((enclosed_volume(&mesh) - (5000.0 - 2500.0 * 0.125)).abs() < 1e-6);
    }
}

/// Like the pages of a book: the cost must not grow with the square of the faces at an edge.
#[test]
fn an_edge_may_have_very_many_faces() {
    let pages = 200_000u32;
    let mut points = vec![[0.0; 3], [1.0, 0.0, 0.0]];
    let triangles: Vec<[u32; 3]> = (0..pages).map(|i| [0, 1, i + 2]).collect();
    points.extend((0..pages).map(|i| [0.5, 1.0, f64::from(i)]));
    let (_, report) = fixed(TriMesh { points: points.clone(), triangles: triangles.clone() });
    assert_eq!((report.faces, report.non_manifold_edges, report.components), (pages as usize, 1, 1));
    for p in &mut points[2..] {
        *p = [2.0 + p[2], 0.0, 0.0];
    }
    assert_eq!(fixed(TriMesh { points, triangles }).1.degenerate, pages as usize, "all on one line");
}

/// Any triangles at all: nothing panics, and what a repair promises holds afterwards.
#[test]
fn random_triangles_are_brought_into_order() {
    let mut seed = 7u64;
    let mut below = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    for _ in 0..3000 {
        let (vertices, faces) = (3 + below(7), below(14));
        // Few places, so that vertices coincide and lie on lines.
        let points = (0..vertices).map(|_| [0; 3].map(|_| below(3) as f64)).collect();
        let triangles = (0..faces).map(|_| [0; 3].map(|_| below(vertices) as u32)).collect();
        let given = TriMesh { points, triangles };
        let (mesh, report) = fixed(given.clone());
        assert!(mesh.triangles.iter().all(|[a, b, c]| a != b && b != c && c != a));
        assert_eq!((report.faces, report.vertices), (mesh.triangles.len(), mesh.points.len()));
        assert_eq!(report.faces_in, report.faces + report.degenerate + report.duplicates);
        assert_eq!(report.vertices_in, report.vertices + report.welded + report.unreferenced);
        assert_eq!(report.closed, !mesh.triangles.is_empty() && is_watertight(&mesh.triangles));
        assert!(report.one_sided > 0 || report.inconsistent_edges == 0, "{given:?}");
        for (triangle, origin) in mesh.triangles.iter().zip(&report.origins) {
            let [a, b, c] = given.triangles[origin.triangle as usize].map(|v| given.points[v as usize]);
            let expected = if origin.turned { [a, c, b] } else { [a, b, c] };
            assert_eq!(triangle.map(|v| mesh.points[v as usize]), expected);
        }
        let (again, second) = fixed(mesh.clone());
        assert_eq!(second.welded + second.unreferenced + second.duplicates, 0, "{given:?}");
        assert!(again.triangles.len() <= mesh.triangles.len());
    }
}
