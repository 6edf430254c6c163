use super::*;
use crate::math::Mat3;
use crate::scene::{KernelKind, MlsSettings, Support};
use crate::shape::PointSampling;
use crate::shape::structured::{Movable, box_points, cell_centres, jitter};
use crate::stencil::MlsStencils;
use crate::stencil::mls::tests::assert_complete;

fn jittered(mut body: PointSampling, share: f64) -> PointSampling {
    jitter(&mut body.points, &body.boundary, share * body.spacing, 11, Movable::Interior);
    body
}

fn uncorrected(body: &PointSampling, support: f64, kernel: KernelKind) -> StencilTable<f64> {
    let settings =
        MlsSettings { support: Support::Spacings(support), kernel, consistency: false, ..Default::default() };
    MlsStencils::build(body, &settings).unwrap().table
}

/// The largest relative `Σ_e V_e d_ek` over interior nodes, summed plainly.
fn imbalance(table: &StencilTable<f64>, boundary: &[bool]) -> f64 {
    let mut sums = vec![(Vec3::zero(), 0.0); boundary.len()];
    for e in 0..table.len() {
        for k in table.entries(e) {
            let sum = &mut sums[table.nodes[k] as usize];
            sum.0 += table.weights[k] * table.volumes[e];
            sum.1 += table.weights[k].norm() * table.volumes[e];
        }
    }
    (0..sums.len()).filter(|k| !boundary[*k]).map(|k| sums[k].0.norm() / sums[k].1).fold(0.0, f64::max)
}

#[test]
fn a_jittered_lattice_passes_the_patch_test_to_rounding() {
    for (body, support, kernel) in [
        (jittered(box_points([7; 3], [0.0; 3], [1.0; 3]).unwrap(), 0.25), 1.8, KernelKind::Poly6),
        (jittered(box_points([7; 3], [0.0; 3], [1.0; 3]).unwrap(), 0.25), 2.5, KernelKind::Cosine),
        (jittered(cell_centres([8; 3], [0.0; 3], [1.0; 3]).unwrap(), 0.25), 1.8, KernelKind::Poly6),
    ] {
        let mut table = uncorrected(&body, support, kernel);
        let before = imbalance(&table, &body.boundary);
        let report = correct(&mut table, &body.points, &body.boundary);
        let after = imbalance(&table, &body.boundary);
        assert!(before > 1e-3 && after < 1e-13, "{before} {after} {report:?}");
        assert_complete(&table, &body.points, 1e-12);
        assert!((report.imbalance_before - before).abs() < 1e-12 && (report.imbalance_after - after).abs() < 1e-14);
        assert_eq!(report.singular_elements, 0);
        assert!(report.iterations < 400);
    }
}

#[test]
fn the_area_of_the_boundary_is_what_remains() {
    // With the divergence theorem inside, the boundary's sums are outward areas: their moments are the volume.
    let body = jittered(box_points([6; 3], [0.0; 3], [1.0, 1.0, 1.0]).unwrap(), 0.25);
    let mut table = uncorrected(&body, 1.8, KernelKind::Poly6);
    correct(&mut table, &body.points, &body.boundary);
    let mut moment = Mat3::zero();
    for e in 0..table.len() {
        for k in table.entries(e).filter(|&k| body.boundary[table.nodes[k] as usize]) {
            moment += Mat3::outer(Vec3(body.points[table.nodes[k] as usize]), table.weights[k] * table.volumes[e]);
        }
    }
    assert!((moment - Mat3::identity()).norm() < 1e-12, "{moment:?}");
}

#[test]
fn the_change_is_the_smallest_one() {
    // The smallest change is a projection: with any other admissible one it makes a right triangle, in the metric 1/|d|².
    let body = jittered(box_points([4; 3], [0.0; 3], [1.0; 3]).unwrap(), 0.2);
    let start = uncorrected(&body, 1.8, KernelKind::Poly6);
    let mut best = start.clone();
    correct(&mut best, &body.points, &body.boundary);
    // Another one: any complete change, then corrected from there.
    let mut other = best.clone();
    let all_free = System::new(&start, &body.points, &vec![false; body.points.len()]);
    let swirl = |p: &[f64; 3]| Vec3([p[1] * p[2], p[0].sin(), p[0] * p[1] * p[2]]) * 500.0;
    let swirl: Vec<Vec3<f64>> = body.points.iter().map(swirl).collect();
    all_free.apply_change(&swirl, &mut other.weights);
    correct(&mut other, &body.points, &body.boundary);
    assert!(imbalance(&other, &body.boundary) < 1e-13);
    let squared = |a: &StencilTable<f64>, b: &StencilTable<f64>| -> f64 {
        let entries = (0..a.weights.len()).filter(|&k| start.weights[k].norm() > 1e-9);
        entries.map(|k| (a.weights[k] - b.weights[k]).norm_squared() / start.weights[k].norm_squared()).sum()
    };
    let (short, long, between) = (squared(&best, &start), squared(&other, &start), squared(&other, &best));
    assert!(between > 0.01 * short, "the other one must differ: {between} {short}");
    assert!((short + between - long).abs() < 1e-6 * long, "{short} + {between} = {long}");
}

#[test]
fn the_correction_keeps_the_symmetry_of_the_body() {
    let body = cell_centres([8; 3], [0.0; 3], [1.0; 3]).unwrap();
    let mut table = uncorrected(&body, 1.8, KernelKind::Poly6);
    let report = correct(&mut table, &body.points, &body.boundary);
    assert!(report.imbalance_after < 1e-13);
    let mirrored = |k: usize| 8 * 8 * 8 - 1 - k;
    for e in 0..512 {
        for k in table.entries(e) {
            let twin = mirrored(table.nodes[k] as usize) as u32;
            let same = table.entries(mirrored(e)).find(|&m| table.nodes[m] == twin).unwrap();
            assert!((table.weights[k] + table.weights[same]).norm() < 1e-10);
        }
    }
}

#[test]
fn regular_nodes_hardly_need_it() {
    // Half volumes on faces make a regular lattice consistent but for its edges and corners.
    let body = box_points([8; 3], [0.0; 3], [1.0; 3]).unwrap();
    let mut table = uncorrected(&body, 1.8, KernelKind::Poly6);
    let report = correct(&mut table, &body.points, &body.boundary);
    assert!(report.imbalance_before < 0.005 && report.largest_change < 0.01 && report.imbalance_after < 1e-14);
}

#[test]
fn bodies_that_cannot_be_corrected_stay_as_they_are() {
    let sheet = PointSampling {
        points: (0..25).map(|i| [(i % 5) as f64, 0.0, (i / 5) as f64]).collect(),
        volumes: vec![1.0; 25],
        spacing: 1.0,
        boundary: vec![false; 25],
        ..Default::default()
    };
    let mut table = uncorrected(&sheet, 1.8, KernelKind::Poly6);
    let before = table.clone();
    let report = correct(&mut table, &sheet.points, &sheet.boundary);
    assert_eq!((table, report.singular_elements), (before, 25));
    assert_eq!(
        correct(&mut StencilTable { offsets: vec![0], ..Default::default() }, &[], &[]),
        ConsistencyReport::default()
    );
}

#[test]
fn a_body_without_a_boundary_is_left_alone_soon() {
    // The sum of all moments is the volume, so they cannot all vanish.
    let mut body = jittered(box_points([5; 3], [0.0; 3], [1.0; 3]).unwrap(), 0.2);
    body.boundary.fill(false);
    let mut table = uncorrected(&body, 1.8, KernelKind::Poly6);
    let report = correct(&mut table, &body.points, &body.boundary);
    assert!(report.iterations < 2000, "{report:?}");
    assert_eq!(table, uncorrected(&body, 1.8, KernelKind::Poly6));
}

#[test]
fn building_with_consistency_corrects() {
    let body = jittered(box_points([5; 3], [0.0; 3], [1.0; 3]).unwrap(), 0.25);
    let built = MlsStencils::build(&body, &MlsSettings::default()).unwrap();
    assert!(imbalance(&built.table, &body.boundary) < 1e-13);
    assert!(built.report.consistency.unwrap().iterations > 0);
}
