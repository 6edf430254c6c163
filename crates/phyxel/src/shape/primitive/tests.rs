use super::super::quality::{TetQuality, enclosed_volume, is_watertight};
use super::*;

const SOLIDS: [Shape; 4] = [
    Shape::Box { size: [1.0, 0.4, 0.3] },
    Shape::Sphere { radius: 0.5 },
    Shape::Cylinder { radius: 0.3, height: 1.0 },
    Shape::Torus { major_radius: 0.6, minor_radius: 0.2 },
];

fn cut(shape: Shape, method: Method, resolution: Resolution) -> Result<Geometry, ShapeError> {
    shape.discretise(method, &resolution, &Placement::at([1.0, 2.0, 3.0]), &Material::default())
}

#[test]
fn solids_of_tetrahedra_fill_their_volume_where_they_are_placed() {
    for shape in SOLIDS {
        let Geometry::Tets(mesh) = cut(shape, Method::Edge, Resolution::Count(3000)).unwrap() else { panic!() };
        let quality = TetQuality::of(&mesh);
        assert!(quality.watertight && quality.min_volume > 0.0);
        // Surfaces are inscribed: the torus loses 1.1 % to its 24-sided section and as much to its segments.
        assert!((quality.volume / shape.volume() - 1.0).abs() < 0.025, "{shape:?} {quality:?}");
        assert!((mesh.points.len() as f64 / 3000.0 - 1.0).abs() < 0.35, "{shape:?} {}", mesh.points.len());
        let low = mesh.points.iter().fold(f64::INFINITY, |m, p| m.min(p[1]));
        let high = mesh.points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[1]));
        assert!((0.5 * (low + high) - 2.0).abs() < 1e-9);
    }
}

#[test]
fn solids_of_phyxels_share_the_exact_volume_and_meet_their_count() {
    for shape in SOLIDS {
        for wanted in [200, 1000, 20_000] {
            let Geometry::Points(body) = cut(shape, Method::Mls, Resolution::Count(wanted)).unwrap() else { panic!() };
            let n = body.points.len();
            let allowed = if matches!(shape, Shape::Box { .. }) { 0.35 } else { 0.1 };
            assert!((n as f64 / wanted as f64 - 1.0).abs() < allowed, "{shape:?} {wanted} {n}");
            assert!((body.volumes.iter().sum::<f64>() / shape.volume() - 1.0).abs() < 1e-12);
            assert_eq!((body.volumes.len(), body.boundary.len()), (n, n));
            let inner = body.boundary.iter().filter(|b| !**b).count();
            assert!(wanted == 200 || (inner > 0 && inner < n));
            assert!(is_watertight(&body.skin.triangles));
            assert!((enclosed_volume(&body.skin) / shape.volume() - 1.0).abs() < 0.1);
        }
    }
}

#[test]
fn a_size_beyond_the_body_still_gives_a_body() {
    for shape in SOLIDS {
        for method in [Method::Tet, Method::Mls] {
            match cut(shape, method, Resolution::Size(50.0)).unwrap() {
                Geometry::Tets(mesh) => assert!(TetQuality::of(&mesh).min_volume > 0.0),
                Geometry::Points(body) => assert!(!body.points.is_empty()),
                Geometry::Springs(_) | Geometry::Embedded(_) => unreachable!(),
            }
        }
    }
    let rope = Shape::Rope { length: 1.0, radius: 0.01 };
    let Geometry::Springs(net) = cut(rope, Method::Spring, Resolution::Size(9.0)).unwrap() else { panic!() };
    assert_eq!(net.springs.len(), 1);
}

#[test]
fn cells_and_sizes_of_a_box_are_exact() {
    let shape = Shape::Box { size: [1.0, 0.1, 0.1] };
    for resolution in [Resolution::Cells([40, 4, 4]), Resolution::Size(0.025)] {
        let Geometry::Tets(mesh) = cut(shape, Method::Tet, resolution).unwrap() else { panic!() };
        assert_eq!((mesh.points.len(), mesh.tets.len()), (41 * 25, 5 * 640));
        assert_eq!(shape.node_estimate(Method::Tet, &resolution).unwrap(), 1025.0);
        assert_eq!(mesh.points[0], [0.5, 1.95, 2.95]);
    }
}

#[test]
fn springs_are_cut_from_boxes_cloth_and_ropes() {
    let cloth = Shape::Cloth { size: [1.0, 0.5], thickness: 1e-3 };
    let Geometry::Springs(net) = cut(cloth, Method::Spring, Resolution::Count(231)).unwrap() else { panic!() };
    assert_eq!(net.points.len(), 231);
    assert!(net.points.iter().all(|p| p[1] == 2.0));
    let solid = Shape::Box { size: [1.0; 3] };
    let Geometry::Springs(net) = cut(solid, Method::Spring, Resolution::Count(1000)).unwrap() else { panic!() };
    assert_eq!(net.points.len(), 1000);
    assert!(is_watertight(&net.triangles));
}

#[test]
fn impossible_wishes_are_refused_with_a_remedy() {
    let unit = Shape::Box { size: [1.0; 3] };
    let message = |r: Result<Geometry, ShapeError>| r.unwrap_err().to_string();
    let huge = message(cut(unit, Method::Tet, Resolution::Size(1e-4)));
    assert!(huge.contains("1.000e12 nodes") && huge.contains("coarser resolution"), "{huge}");
    assert!(message(cut(unit, Method::Mls, Resolution::Size(f64::MIN_POSITIVE))).contains("coarser"));
    assert!(message(cut(SOLIDS[1], Method::Mls, Resolution::Count(usize::MAX))).contains("coarser"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            message(cut(Shape::Sphere { radius: bad }, Method::Tet, Resolution::Size(0.1)))
                .contains("positive, finite")
        );
        assert!(message(cut(unit, Method::Tet, Resolution::Size(bad))).contains("positive, finite"));
    }
    assert!(message(cut(unit, Method::Tet, Resolution::Count(0))).contains("at least 1"));
    assert!(message(cut(unit, Method::Tet, Resolution::Cells([2, 0, 2]))).contains("at least 1"));
    assert!(message(cut(SOLIDS[1], Method::Tet, Resolution::Cells([2; 3]))).contains("for boxes"));
    assert!(message(cut(SOLIDS[1], Method::Spring, Resolution::Size(0.1))).contains("use `tet`"));
    let cloth = Shape::Cloth { size: [1.0; 2], thickness: 1e-3 };
    assert!(message(cut(cloth, Method::Tet, Resolution::Size(0.1))).contains("use `spring`"));
    let fat = Shape::Torus { major_radius: 0.1, minor_radius: 0.2 };
    assert!(message(cut(fat, Method::Tet, Resolution::Size(0.1))).contains("minor radius the smaller"));
}
