use super::super::quality::{TetQuality, enclosed_volume, is_watertight, surface_area};
use super::*;
use crate::shape::ShapeError;
use crate::stencil::TetTable;
use std::f64::consts::PI;

/// Every tetrahedron positive, the outside closed, each node used.
fn check(mesh: &TetMesh) -> TetQuality {
    TetTable::build(&mesh.points, &mesh.tets).unwrap();
    let quality = TetQuality::of(mesh);
    assert!(quality.watertight && quality.min_volume > 0.0);
    let mut used = vec![false; mesh.points.len()];
    mesh.tets.iter().flatten().for_each(|n| used[*n as usize] = true);
    assert!(used.iter().all(|u| *u));
    quality
}

#[test]
fn blocks_fill_their_box_exactly() {
    for (split, per_cube) in [(CubeSplit::Five, 5), (CubeSplit::Six, 6)] {
        let mesh = box_tets([3, 2, 4], [-1.0, 0.0, 2.0], [0.5, 0.7, 3.0], split).unwrap();
        assert_eq!((mesh.tets.len(), mesh.points.len()), (24 * per_cube, 60));
        let quality = check(&mesh);
        assert!((quality.volume - 1.05).abs() < 1e-14);
        assert!((quality.surface_area - 2.0 * (1.05 + 1.5 + 0.7)).abs() < 1e-13);
        assert_eq!((mesh.points[0], mesh.points[59]), ([-1.0, 0.0, 2.0], [0.5, 0.7, 3.0]));
    }
}

#[test]
fn six_tetrahedra_share_the_diagonal() {
    let mesh = box_tets([1, 1, 1], [0.0; 3], [1.0; 3], CubeSplit::Six).unwrap();
    assert!(mesh.tets.iter().all(|t| t.contains(&0) && t.contains(&7)));
}

#[test]
fn tori_have_the_published_numbers_of_elements() {
    use TorusSection::{Fan, Grid};
    for (section, segments, elements) in [
        (Fan(10), 22, 660),
        (Fan(10), 37, 1110),
        (Grid(5, 5), 16, 2000),
        (Grid(5, 5), 26, 3250),
        (Grid(6, 6), 30, 5400),
    ] {
        let mesh = torus_tets(1.0, 0.4, section, segments).unwrap();
        assert_eq!(mesh.tets.len(), elements);
        let quality = check(&mesh);
        let exact = 2.0 * PI * PI * 0.16;
        // Inscribed in the true shape: a decagon has 0.935 of its circle, twenty sides 0.984.
        assert!(quality.volume < exact && quality.volume > 0.9 * exact, "{}", quality.volume / exact);
    }
    assert_eq!(torus_tets(1.0, 0.4, Grid(5, 5), 15).unwrap_err(), ShapeError::OddSegments { segments: 15 });
    assert!(matches!(torus_tets(1.0, 1.0, Fan(10), 15), Err(ShapeError::FatTorus { .. })));
}

#[test]
fn round_solids_approach_their_volume_with_good_angles() {
    let ball = ball_tets(0.5, 6).unwrap();
    assert_eq!((ball.tets.len(), ball.points.len()), (20 * 216, ball_node_count(6.0) as usize));
    let cylinder = cylinder_tets(0.5, 2.0, 5, 12).unwrap();
    assert_eq!(cylinder.tets.len(), 3 * 150 * 12);
    let torus = torus_tets(1.0, 0.3, TorusSection::Rings(4), 40).unwrap();
    for (mesh, exact) in [(ball, PI / 6.0), (cylinder, PI * 0.5), (torus, 2.0 * PI * PI * 0.09)] {
        let quality = check(&mesh);
        assert!((quality.volume / exact - 1.0).abs() < 0.02, "{}", quality.volume / exact);
        assert!(quality.min_dihedral > 0.2 && quality.max_dihedral < 2.6, "{quality:?}");
    }
}

#[test]
fn the_coarsest_round_solids_are_valid() {
    check(&ball_tets(1.0, 1).unwrap());
    check(&cylinder_tets(1.0, 1.0, 1, 1).unwrap());
    check(&torus_tets(1.0, 0.5, TorusSection::Rings(1), 3).unwrap());
    check(&torus_tets(1.0, 0.5, TorusSection::Fan(3), 3).unwrap());
    check(&torus_tets(1.0, 0.5, TorusSection::Grid(1, 1), 4).unwrap());
}

#[test]
fn skins_are_closed_and_face_outward() {
    for (skin, volume, area) in [
        (box_skin([2, 3, 4], [0.0; 3], [1.0, 2.0, 3.0]).unwrap(), 6.0, 22.0),
        (sphere_skin(0.5, 0.05), PI / 6.0, PI),
        (cylinder_skin(0.5, 2.0, 0.05).unwrap(), 0.5 * PI, 2.5 * PI),
        (torus_skin(1.0, 0.3, 0.05), 2.0 * PI * PI * 0.09, 4.0 * PI * PI * 0.3),
    ] {
        assert!(is_watertight(&skin.triangles));
        assert!((enclosed_volume(&skin) / volume - 1.0).abs() < 0.01, "{}", enclosed_volume(&skin) / volume);
        assert!((surface_area(&skin) / area - 1.0).abs() < 0.01);
    }
}

#[test]
fn lattice_points_share_the_volume_and_know_the_boundary() {
    let body = box_points([4, 2, 2], [0.0; 3], [0.4, 0.2, 0.2]).unwrap();
    assert_eq!(body.points.len(), 45);
    assert!((body.volumes.iter().sum::<f64>() - 0.016).abs() < 1e-16);
    assert_eq!(body.boundary.iter().filter(|b| !**b).count(), 3);
    assert!((body.volumes[0] - 1.25e-4).abs() < 1e-18 && (body.spacing - 0.1).abs() < 1e-15);
    let centres = cell_centres([4, 3, 3], [0.0; 3], [0.4, 0.3, 0.3]).unwrap();
    assert_eq!(centres.boundary.iter().filter(|b| !**b).count(), 2);
    assert!((centres.volumes.iter().sum::<f64>() - 0.036).abs() < 1e-15);
    assert!((centres.points[0][1] - 0.05).abs() < 1e-16);
}

#[test]
fn jitter_is_seeded_bounded_and_leaves_the_boundary() {
    let body = box_points([6; 3], [0.0; 3], [1.0; 3]).unwrap();
    let moved = |seed| {
        let mut points = body.points.clone();
        jitter(&mut points, &body.boundary, 0.04, seed, Movable::Interior);
        points
    };
    assert_eq!(moved(1), moved(1));
    assert_ne!(moved(1), moved(2));
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    for (i, p) in moved(1).iter().enumerate() {
        for a in 0..3 {
            let d = p[a] - body.points[i][a];
            assert!(d == 0.0 || !body.boundary[i]);
            largest = largest.max(d.abs());
            sum += d;
        }
    }
    assert!(largest <= 0.04 && largest > 0.038);
    assert!((sum / 375.0_f64).abs() < 0.005);
}

#[test]
fn impossible_blocks_are_named() {
    assert!(matches!(box_tets([0, 1, 1], [0.0; 3], [1.0; 3], CubeSplit::Five), Err(ShapeError::TooFew { .. })));
    assert!(matches!(box_points([1; 3], [0.0; 3], [1.0, 0.0, 1.0]), Err(ShapeError::BadExtent { axis: 1, .. })));
    assert!(matches!(box_points([1; 3], [0.0; 3], [f64::NAN; 3]), Err(ShapeError::BadExtent { axis: 0, .. })));
    assert!(matches!(box_points([usize::MAX; 3], [0.0; 3], [1.0; 3]), Err(ShapeError::TooLarge { .. })));
}
