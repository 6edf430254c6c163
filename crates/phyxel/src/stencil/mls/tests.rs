use super::*;
use crate::math::Mat3;
use crate::scene::KernelKind;
use crate::stencil::neighbours::tests::cloud;

/// `Σ d = 0` and `Σ X ⊗ d = I` for every element, relative to the size of the terms.
pub(crate) fn assert_complete(table: &StencilTable<f64>, points: &[[f64; 3]], tolerance: f64) {
    let x: Vec<Vec3<f64>> = points.iter().map(|p| Vec3(*p)).collect();
    for e in 0..table.len() {
        let sum = table.entries(e).fold(Vec3::zero(), |s, k| s + table.weights[k]);
        let size: f64 = table.entries(e).map(|k| table.weights[k].norm()).sum();
        assert!(sum.norm() <= tolerance * size, "element {e}: Σd = {sum:?}");
        let f = table.deformation(e, &x);
        let origin: f64 = table.entries(e).map(|k| table.weights[k].norm() * x[table.nodes[k] as usize].norm()).sum();
        assert!((f - Mat3::identity()).norm() <= tolerance * origin.max(1.0), "element {e}: {f:?}");
    }
}

/// A lattice of `n³` phyxels with the given spacing.
pub(crate) fn lattice(n: usize, spacing: f64) -> PointSampling {
    let points: Vec<[f64; 3]> =
        (0..n * n * n).map(|i| [i % n, i / n % n, i / (n * n)].map(|c| c as f64 * spacing)).collect();
    sampling(points, spacing)
}

fn sampling(points: Vec<[f64; 3]>, spacing: f64) -> PointSampling {
    let n = points.len();
    PointSampling { points, volumes: vec![spacing.powi(3); n], spacing, boundary: vec![false; n], ..Default::default() }
}

#[test]
fn weights_are_complete_on_regular_and_random_points() {
    let random = sampling(cloud(600, 9).iter().map(|p| p.0).collect(), 0.13);
    for kernel in [KernelKind::Poly6, KernelKind::Cosine] {
        for support in [Support::Spacings(1.9), Support::Nearest { k: 10, factor: 3.0 }] {
            let settings = MlsSettings { kernel, support, consistency: false, ..Default::default() };
            for body in [&lattice(5, 0.2), &random] {
                let built = MlsStencils::build(body, &settings).unwrap();
                assert_eq!(built.report.singular_phyxels, 0);
                assert_complete(&built.table, &body.points, 1e-10);
            }
        }
    }
}

#[test]
fn the_weights_of_an_interior_lattice_point_are_the_formula() {
    let built = MlsStencils::build(
        &lattice(5, 1.0),
        &MlsSettings { consistency: false, stabilisation: 1.0, ..Default::default() },
    )
    .unwrap();
    let (kernel, h) = (KernelKind::Poly6, 1.8);
    // By symmetry A is a multiple of I: Σ w x² over 6 neighbours at 1, 12 at √2, 8 at √3.
    let (w1, w2, w3) = (kernel.weight(1.0, h), kernel.weight(2f64.sqrt(), h), kernel.weight(3f64.sqrt(), h));
    let a = 2.0 * w1 + 8.0 * w2 + 8.0 * w3;
    let centre = 62;
    let entries = built.table.entries(centre);
    assert_eq!(entries.len(), 27);
    assert_eq!(built.table.nodes[entries.start] as usize, centre);
    let to_right = entries.clone().find(|&k| built.table.nodes[k] == 63).unwrap();
    assert!((built.table.weights[to_right] - Vec3([w1 / a, 0.0, 0.0])).norm() < 1e-15);
    assert!(built.table.weights[entries.start].norm() < 1e-15);
    assert!(built.table.nodes[entries.start + 1..entries.end].is_sorted());
    let penalty = w1 / (6.0 * w1 + 12.0 * w2 + 8.0 * w3);
    assert!((built.table.penalties[to_right] - penalty).abs() < 1e-15);
    assert_eq!(built.table.penalties[entries.start], 0.0);
    assert_eq!(built.report.max_neighbours, 26);
}

#[test]
fn penalties_are_absent_when_not_wanted() {
    let settings = MlsSettings { stabilisation: 0.0, ..Default::default() };
    assert!(MlsStencils::build(&lattice(3, 0.1), &settings).unwrap().table.penalties.is_empty());
}

#[test]
fn sheets_lines_and_lone_phyxels_lose_directions_and_are_counted() {
    let settings = MlsSettings { consistency: false, ..Default::default() };
    let sheet = sampling((0..25).map(|i| [(i % 5) as f64, 0.5, (i / 5) as f64]).collect(), 1.0);
    let built = MlsStencils::build(&sheet, &settings).unwrap();
    assert_eq!((built.report.singular_phyxels, built.report.dropped_directions), (25, 25));
    let f = built.table.deformation(12, &sheet.points.iter().map(|p| Vec3(*p)).collect::<Vec<_>>());
    assert!((f - Mat3::diagonal([1.0, 0.0, 1.0])).norm() < 1e-14);

    let line = sampling((0..6).map(|i| [i as f64, i as f64, 0.0]).collect(), 1.0);
    assert_eq!(MlsStencils::build(&line, &settings).unwrap().report.dropped_directions, 12);

    let alone = MlsStencils::build(&sampling(vec![[1.0, 2.0, 3.0]], 1.0), &settings).unwrap();
    assert_eq!((alone.table.nodes, alone.table.weights), (vec![0], vec![Vec3::zero()]));
    assert_eq!(alone.report.dropped_directions, 3);
    let nearest = MlsSettings { support: Support::Nearest { k: 10, factor: 3.0 }, ..settings };
    assert!(
        MlsStencils::build(&sampling(vec![[0.0; 3]; 3], 1.0), &nearest)
            .unwrap()
            .table
            .penalties
            .iter()
            .all(|p| p.is_finite())
    );
    assert_eq!(MlsStencils::build(&sampling(vec![], 1.0), &settings).unwrap().table.offsets, [0]);
}

#[test]
fn bad_samplings_and_settings_are_named() {
    let settings = MlsSettings::default();
    let mut body = lattice(2, 1.0);
    body.volumes[3] = -1.0;
    let error = MlsStencils::build(&body, &settings).unwrap_err();
    assert_eq!(error, StencilError::BadVolume { phyxel: 3, volume: -1.0 });
    body.volumes.pop();
    assert!(matches!(MlsStencils::build(&body, &settings), Err(StencilError::Length { found: 7, expected: 8, .. })));
    let narrow = MlsSettings { support: Support::Spacings(0.0), ..settings };
    let error = MlsStencils::build(&lattice(2, 1.0), &narrow).unwrap_err();
    assert!(error.to_string().contains("the support in spacings is 0: give a positive, finite number"), "{error}");
    let negative = MlsSettings { stabilisation: f64::NAN, ..settings };
    assert!(matches!(MlsStencils::build(&lattice(2, 1.0), &negative), Err(StencilError::BadSetting { .. })));
}
