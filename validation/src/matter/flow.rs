//! Flow on singular values.

use crate::elasticity::rig::judged;
use crate::{Options, Row};
use phyxel::material::plastic::{Grain, InnerLaw, isochoric_power};
use phyxel::material::{AnyLaw, Part, Plasticity};
use phyxel::math::{Mat3, Real};
use phyxel::{Material, Precision};
use std::time::Instant;

/// The example of the reference, and a thousand random flows.
pub fn volume(options: &Options) -> Vec<Row> {
    match options.precision {
        Precision::F32 => rows::<f32>(options),
        Precision::F64 => rows::<f64>(options),
    }
}

fn rows<R: Real>(options: &Options) -> Vec<Row> {
    let started = Instant::now();
    let row = |quantity: &str, value: f64, reference: f64| {
        Row::of("flow-volume", "any", R::NAME, started).quantity(quantity, value, reference)
    };
    let stretches = isochoric_power([1.5, 1.0, 0.8].map(R::of), R::of(0.5)).map(|s| s.to_f64());
    // The references to more digits than the table of cases has: (σ / 1.2^⅓)^½.
    let exact = [1.5f64, 1.0, 0.8].map(|s| (s / 1.2f64.cbrt()).sqrt());
    let tolerance = if options.precision == Precision::F32 { 1e-4 } else { 1e-9 };
    let mut rows: Vec<Row> =
        (0..3).map(|i| row(&format!("stretch {} of F_p", i + 1), stretches[i], exact[i]).within(tolerance)).collect();
    rows.push(judged(
        row("det F_p after 1000 random flows", random_flows::<R>(), 1.0),
        tolerance,
        &Options { precision: Precision::F64 },
    ));
    rows
}

fn random_flows<R: Real>() -> f64 {
    let plastic = Some(Plasticity::Stress { yield_stress: 500.0, hardening: 100.0, relaxation_time: 0.0 });
    let material = Material { young_modulus: 1e4, poisson_ratio: 0.3, plastic, ..Material::default() };
    let law = InnerLaw::<R>::new(&material, Part::Whole, AnyLaw::new(&material, Part::Whole));
    let mut grain = Grain::<R>::default();
    let mut seed = 5u64;
    for _ in 0..1000 {
        let mut g = [[0.0; 3]; 3];
        for entry in g.iter_mut().flatten() {
            // Knuth's multiplicative generator, upper bits.
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *entry = 0.8 * ((seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5);
        }
        law.settle(Mat3::of(g), &mut grain, R::zero());
    }
    1.0 / (Mat3::identity() + grain.offset).det().to_f64()
}
