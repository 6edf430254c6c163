use super::*;
use crate::math::Vec3;
use crate::scene::MlsSettings;
use crate::shape::TriMesh;
use crate::shape::structured::{box_skin, sphere_skin};
use crate::stencil::MlsStencils;

fn ball(radius: f64) -> Solid {
    Solid::new(sphere_skin(radius, 0.04 * radius)).unwrap()
}

fn sampled(solid: &Solid, kind: Sampling, resolution: Resolution) -> (PointSampling, SamplingReport) {
    SamplingSettings { kind, resolution, ..SamplingSettings::default() }.sample(solid).unwrap()
}

#[test]
fn volumes_sum_to_the_solid_and_sit_where_the_matter_is() {
    let solid = ball(1.0);
    for (kind, size) in [(Sampling::Voxels, 0.13), (Sampling::Bcc, 0.13), (Sampling::Octree, 0.08)] {
        let (body, report) = sampled(&solid, kind, Resolution::Size(size));
        let total: f64 = body.volumes.iter().sum();
        assert!((total / solid.volume() - 1.0).abs() < 1e-12);
        assert!(report.volume_error.abs() < 3e-3, "{kind:?}: {}", report.volume_error);
        assert!(report.missed.is_empty() && report.warning().is_none());
        assert_eq!(report.phyxels(), body.points.len());
        assert_eq!(body.skin, *solid.mesh());
        // The polar moment of a ball is 3/5 V R²; equal volumes on these lattices miss it by up to several per cent.
        let moment = |volume: &dyn Fn(usize) -> f64| {
            (0..body.points.len()).map(|i| volume(i) * Vec3(body.points[i]).norm_squared()).sum::<f64>()
        };
        let own = moment(&|i| body.volumes[i]) / (0.6 * total) - 1.0;
        assert!(own.abs() < 0.02, "{kind:?}: moment off by {own}");
        assert!(body.points.iter().all(|p| Vec3(*p).norm() < 1.0));
        let outermost = body.points.iter().map(|p| Vec3(*p).norm()).fold(0.0, f64::max);
        assert!(outermost > 1.0 - size);
    }
}

#[test]
fn counts_are_met_within_a_tenth() {
    let solid = ball(0.3);
    for kind in Sampling::ALL {
        for wanted in [60, 1000, 30_000] {
            let (body, _) = sampled(&solid, kind, Resolution::Count(wanted));
            let miss = (body.points.len() as f64 / wanted as f64 - 1.0).abs();
            assert!(miss < 0.1, "{kind:?}: {} for {wanted}", body.points.len());
        }
        assert!(!sampled(&solid, kind, Resolution::Count(1)).0.points.is_empty());
    }
}

#[test]
fn voxels_of_a_box_are_its_cells() {
    let solid = Solid::new(box_skin([1; 3], [-0.2, 0.0, 0.1], [0.2, 0.3, 0.2]).unwrap()).unwrap();
    let (body, _) = sampled(&solid, Sampling::Voxels, Resolution::Size(0.05));
    assert_eq!(body.points.len(), 8 * 6 * 2);
    assert!(body.volumes.iter().all(|v| (v / 0.05_f64.powi(3) - 1.0).abs() < 1e-9));
    assert!(body.spacings.is_empty() && body.boundary.iter().all(|b| *b));
}

/// Every place inside is in the cell of exactly one phyxel, and neighbours differ by one level at most.
#[test]
fn octrees_are_balanced_and_fill_the_solid_once() {
    let solid = ball(1.0);
    let size = 0.06;
    let (body, report) = sampled(&solid, Sampling::Octree, Resolution::Size(size));
    assert_eq!(report.phyxels_per_level.len(), 3);
    assert!(report.phyxels_per_level.iter().all(|n| *n > 20), "{:?}", report.phyxels_per_level);
    assert_eq!((report.smallest_spacing, report.largest_spacing), (size, 4.0 * size));
    let gap = |i: usize, j: usize| {
        let apart = (Vec3(body.points[i]) - Vec3(body.points[j])).0.map(f64::abs);
        let largest = apart.iter().fold(0.0, |m: f64, c| m.max(*c));
        largest - 0.5 * (body.spacings[i] + body.spacings[j])
    };
    for i in 0..body.points.len() {
        for j in 0..i {
            let gap = gap(i, j);
            assert!(gap > -1e-9, "cells {i} and {j} overlap");
            let ratio = body.spacings[i] / body.spacings[j];
            assert!(gap > 1e-9 || (0.4..2.1).contains(&ratio), "cells {i} and {j} touch");
        }
        let to_surface = 1.0 - Vec3(body.points[i]).norm();
        assert!(body.spacings[i] < 1.5 * size || to_surface > body.spacings[i]);
        assert!(body.spacings[i] < 1.5 * size || !body.boundary[i]);
    }
    let inner = (0..body.points.len()).filter(|i| body.spacings[*i] > 1.5 * size);
    assert!(inner.clone().all(|i| (body.volumes[i] / body.spacings[i].powi(3) - 1.0).abs() < 5e-3));
}

#[test]
fn phyxels_of_all_levels_see_enough_of_each_other() {
    let solid = ball(1.0);
    for kind in Sampling::ALL {
        let (body, _) = sampled(&solid, kind, Resolution::Count(3000));
        let built = MlsStencils::build(&body, &MlsSettings::default()).unwrap();
        assert_eq!(built.report.singular_phyxels, 0);
        assert!(built.report.min_neighbours >= 6, "{kind:?}: {:?}", built.report);
        assert!(built.report.max_neighbours <= 90, "{kind:?}: {:?}", built.report);
        let consistency = built.report.consistency.unwrap();
        assert!(consistency.imbalance_after < 1e-12, "{kind:?}: {consistency:?}");
        assert!(consistency.largest_change < 1.0, "{kind:?}: {consistency:?}");
        crate::stencil::mls::tests::assert_complete(&built.table, &body.points, 1e-9);
    }
}

#[test]
fn holes_hardly_change_the_phyxels() {
    let mut mesh = sphere_skin(0.5, 0.05);
    let whole = sampled(&Solid::new(mesh.clone()).unwrap(), Sampling::Voxels, Resolution::Size(0.09)).0;
    let holes = |t: &[u32; 3]| t.iter().all(|n| mesh.points[*n as usize][1] < 0.48);
    mesh.triangles = mesh.triangles.iter().copied().filter(holes).collect();
    let open = Solid::new(mesh).unwrap();
    assert!(!open.closed());
    for kind in Sampling::ALL {
        let (body, report) = sampled(&open, kind, Resolution::Size(0.09));
        assert!((body.volumes.iter().sum::<f64>() / open.volume() - 1.0).abs() < 1e-12);
        assert!(report.volume_error.abs() < 0.01, "{kind:?}: {report:?}");
    }
    let body = sampled(&open, Sampling::Voxels, Resolution::Size(0.09)).0;
    assert!((body.points.len() as f64 / whole.points.len() as f64 - 1.0).abs() < 0.02);
}

fn joined(mut a: TriMesh, b: TriMesh) -> TriMesh {
    let first = a.points.len() as u32;
    a.points.extend(b.points);
    a.triangles.extend(b.triangles.iter().map(|t| t.map(|n| n + first)));
    a
}

#[test]
fn what_is_thinner_than_the_spacing_is_said() {
    let block = box_skin([1; 3], [0.0; 3], [1.0; 3]).unwrap();
    let needle = box_skin([1; 3], [0.9, 0.56, 0.56], [2.0, 0.58, 0.58]).unwrap();
    let solid = Solid::new(joined(block, needle)).unwrap();
    for kind in Sampling::ALL {
        let (body, report) = sampled(&solid, kind, Resolution::Size(0.21));
        assert_eq!(report.missed.len(), 1, "{kind:?}: {report:?}");
        let missed = report.missed[0];
        assert!(missed.center[0] > 1.3 && (missed.center[1] - 0.5).abs() < 0.2, "{missed:?}");
        let warning = report.warning().unwrap();
        assert!(warning.contains("thinner than the spacing") && warning.contains("smaller size"), "{warning}");
        assert!((body.volumes.iter().sum::<f64>() / solid.volume() - 1.0).abs() < 1e-12);
    }
    let sheet = Solid::new(box_skin([1; 3], [0.0; 3], [1.0, 1.0, 1e-3]).unwrap()).unwrap();
    let (body, report) = sampled(&sheet, Sampling::Voxels, Resolution::Size(0.2));
    assert_eq!((body.points.len(), report.slivers), (25, 25));
    assert!(report.warning().unwrap().contains("25 phyxels stand in parts thinner than"));
    // A hollow block: all lattice points are in the hollow or outside.
    let outside = box_skin([1; 3], [0.0; 3], [1.0; 3]).unwrap();
    let mut hollow = box_skin([1; 3], [1e-3; 3], [0.999; 3]).unwrap();
    hollow.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let shell = Solid::new(joined(outside, hollow)).unwrap();
    for kind in Sampling::ALL {
        let coarse = SamplingSettings { kind, resolution: Resolution::Size(0.37), ..SamplingSettings::default() };
        assert_eq!(coarse.sample(&shell).unwrap_err(), ShapeError::ThinnerThanSpacing { spacing: 0.37 });
    }
}

#[test]
fn impossible_resolutions_are_refused() {
    let solid = ball(1.0);
    let refused = |resolution| SamplingSettings { resolution, ..Default::default() }.sample(&solid).unwrap_err();
    assert!(matches!(refused(Resolution::Size(0.0)), ShapeError::BadLength { .. }));
    assert!(matches!(refused(Resolution::Size(f64::NAN)), ShapeError::BadLength { .. }));
    assert!(matches!(refused(Resolution::Count(0)), ShapeError::TooFew { .. }));
    assert!(matches!(refused(Resolution::Size(1e-5)), ShapeError::TooLarge { .. }));
    assert!(matches!(refused(Resolution::Count(usize::MAX)), ShapeError::TooLarge { .. }));
    assert!(matches!(refused(Resolution::Cells([4; 3])), ShapeError::CellsNeedABox { .. }));
}
