//! Neighbours and stencils found on the device against those of the processor.

mod common;

use common::{Numbers, device};
use phyxel::math::{Mat3, Vec3};
use phyxel::scene::KernelKind;
use phyxel::stencil::{Present, Seen, StencilTable, UpdatedStencils};
use phyxel_gpu::{Rebuild, RebuildReport};

/// Relative to the largest weight, and the largest penalty, of the same phyxel.
const TOLERANCE: f64 = 1e-5;

/// A body of phyxels after a motion.
struct Body {
    positions: Vec<Vec3<f32>>,
    elastic: Vec<Mat3<f32>>,
    volumes: Vec<f32>,
    radii: Vec<f32>,
    mutual: bool,
    kernel: KernelKind,
    stabilisation: f64,
}

impl Body {
    fn present<'a>(&'a self) -> Present<'a, f32> {
        let Body { positions, elastic, volumes, radii, .. } = self;
        let (mutual, kernel, stabilisation) = (self.mutual, self.kernel, self.stabilisation);
        Present { positions, elastic, known: None, volumes, radii, mutual, kernel, stabilisation }
    }
}

/// A jittered lattice, deformed by gradients that change from place to place, far from the origin.
fn body(cells: usize, seed: u64, kernel: KernelKind) -> Body {
    let mut numbers = Numbers(seed);
    let (mut positions, mut elastic, mut radii) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..cells * cells * cells {
        let x = [i % cells, i / cells % cells, i / (cells * cells)].map(|c| 0.1 * c as f64);
        let jitter = numbers.vector(0.02);
        let f = Mat3::<f64>::of([[1.2, 0.1 * x[0], 0.0], [0.05, 0.9, -0.1 * x[1]], [0.0, 0.1, 1.05 + 0.1 * x[2]]]);
        let at = f * Vec3([0, 1, 2].map(|a| x[a] + jitter[a])) + Vec3([3.0, -2.0, 0.5]);
        positions.push(Vec3::of(at.0));
        elastic.push(Mat3::of(f.0));
        radii.push(0.21);
    }
    let volumes = vec![1e-3; radii.len()];
    Body { positions, elastic, volumes, radii, mutual: true, kernel, stabilisation: 0.3 }
}

fn compare(body: &Body, what: &str) -> Option<RebuildReport> {
    let device = device()?;
    let mut expected = StencilTable::default();
    let told =
        UpdatedStencils::<f32>::default().rebuild(&body.present(), (&mut expected, &mut Seen::default())).expect(what);
    let mut rebuild = Rebuild::new(&device, body.positions.len()).expect(what);
    rebuild.set(&body.present());
    let report = rebuild.run().expect(what);
    let found = rebuild.read().expect(what);
    assert_eq!(found.offsets, expected.offsets, "{what}: how many neighbours");
    assert_eq!(found.nodes, expected.nodes, "{what}: which neighbours");
    assert_eq!(found.volumes, expected.volumes, "{what}");
    assert_eq!(report.entries, expected.nodes.len(), "{what}");
    assert_eq!(report.lost_gradients, told.lost_gradients, "{what}");
    assert_eq!(report.singular_phyxels, told.singular_phyxels, "{what}");
    // In f64, from the same numbers: what both round is neither's fault.
    let wide = |x: &[f32]| x.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    let (positions, elastic): (Vec<Vec3<f64>>, Vec<Mat3<f64>>) = body
        .positions
        .iter()
        .zip(&body.elastic)
        .map(|(x, f)| (Vec3(x.to_f64()), Mat3(f.0.map(|row| row.map(f64::from)))))
        .unzip();
    let (volumes, radii) = (wide(&body.volumes), wide(&body.radii));
    let (mutual, kernel, stabilisation) = (body.mutual, body.kernel, body.stabilisation);
    let now = Present {
        positions: &positions,
        elastic: &elastic,
        known: None,
        volumes: &volumes,
        radii: &radii,
        mutual,
        kernel,
        stabilisation,
    };
    let mut exact = StencilTable::default();
    UpdatedStencils::<f64>::default().rebuild(&now, (&mut exact, &mut Seen::default())).expect(what);
    assert_eq!(exact.nodes, expected.nodes, "{what}: the test must not ask who is at the very edge");
    for e in 0..exact.len() {
        let range = exact.entries(e);
        let size = exact.weights[range.clone()].iter().map(|d| d.norm()).fold(1e-30, f64::max);
        let strong = exact.penalties.get(range.clone()).map_or(1.0, |c| c.iter().copied().fold(1e-30, f64::max));
        for k in range {
            let error = |table: &StencilTable<f32>| (Vec3(table.weights[k].to_f64()) - exact.weights[k]).norm() / size;
            let (own, twin) = (error(&found), error(&expected));
            assert!(own < TOLERANCE.max(2.0 * twin), "{what}: phyxel {e}: {own:e} (CPU in f32: {twin:e})");
            if let Some(c) = exact.penalties.get(k) {
                let own = (f64::from(found.penalties[k]) - c).abs() / strong;
                assert!(own < TOLERANCE, "{what}: penalty of phyxel {e}: {own:e}");
            }
        }
    }
    Some(report)
}

#[test]
fn stencils_of_a_deformed_body() {
    for (i, kernel) in [KernelKind::Poly6, KernelKind::Cosine].into_iter().enumerate() {
        let Some(report) = compare(&body(9, 5 + i as u64, kernel), "deformed") else { return };
        assert_eq!((report.lost_gradients, report.singular_phyxels), (0, 0));
    }
    let mut plain = body(6, 8, KernelKind::Poly6);
    plain.stabilisation = 0.0;
    compare(&plain, "without stabilisation");
}

#[test]
fn phyxels_of_two_sizes_see_each_other() {
    let mut two = body(8, 21, KernelKind::Poly6);
    for (i, radius) in two.radii.iter_mut().enumerate() {
        *radius = if i % 8 < 4 { 0.21 } else { 0.33 };
        two.volumes[i] *= (*radius / 0.21).powi(3);
    }
    compare(&two, "two sizes");
    two.mutual = false;
    compare(&two, "two sizes, each for itself");
}

#[test]
fn sheets_lone_phyxels_and_broken_ones() {
    // A sheet of one layer, two phyxels in the same place, one far away, a gradient without inverse, one that is nowhere.
    let mut odd = body(7, 33, KernelKind::Poly6);
    odd.elastic.iter_mut().for_each(|f| *f = Mat3::identity());
    for (i, x) in odd.positions.iter_mut().enumerate() {
        *x = Vec3::of([
            0.1 * (i % 19) as f64 + 0.013 * (i % 5) as f64,
            0.0,
            0.1 * (i / 19) as f64 + 0.011 * (i % 3) as f64,
        ]);
    }
    odd.positions[3] = odd.positions[4];
    odd.positions[20] = Vec3::of([50.0, 1.0, -70.0]);
    odd.elastic[40] = Mat3::zero();
    odd.positions[60] = Vec3([f32::NAN, 0.0, 0.0]);
    if let Some(report) = compare(&odd, "odd ones") {
        assert_eq!(report.lost_gradients, 1);
        assert!(report.singular_phyxels > 300);
    }
}
