//! Derivatives against finite differences, and what flow must never do.

use super::*;
use crate::material::{AnyLaw, Curvature, LawKind, Material, Part};
use crate::math::Mat3;
use crate::math::test_input::Numbers;

const STEEL: Material = Material {
    law: LawKind::Corotated,
    young_modulus: 200e9,
    poisson_ratio: 0.3,
    density: 7800.0,
    volume_stiffness: 0.0,
    viscosity: 0.0,
    bulk_viscosity: 0.0,
    rayleigh_mass: 0.0,
    rayleigh_stiffness: 0.0,
    friction: None,
    restitution: 0.0,
    plastic: Some(Plasticity::Stress { yield_stress: 250e6, hardening: 2e9, relaxation_time: 0.0 }),
    thermal: None,
    fracture: None,
    colour: None,
};

fn inner(material: &Material) -> InnerLaw<f64> {
    InnerLaw::new(material, Part::Whole, AnyLaw::new(material, Part::Whole))
}

fn soft(law: LawKind, plastic: Option<Plasticity>) -> Material {
    Material { law, young_modulus: 1e4, poisson_ratio: 0.3, plastic, ..STEEL }
}

fn by_stress(relaxation_time: f64) -> Option<Plasticity> {
    Some(Plasticity::Stress { yield_stress: 500.0, hardening: 300.0, relaxation_time })
}

fn by_strain(max_strain: f64) -> Option<Plasticity> {
    Some(Plasticity::Strain { yield_strain: 0.05, relaxation_time: 0.1, max_strain })
}

/// Every response, with the times for which it is tried.
fn cases() -> Vec<(Material, f64)> {
    let laws = [LawKind::Linear, LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean];
    let mut cases: Vec<_> = laws.iter().map(|law| (soft(law.clone(), by_strain(f64::INFINITY)), 0.01)).collect();
    for law in [LawKind::Linear, LawKind::NeoHookean] {
        cases.extend([(soft(law.clone(), by_stress(0.0)), 0.0), (soft(law.clone(), by_stress(0.02)), 0.01)]);
    }
    cases
}

/// A grain with a past: flow of some size, warmth, softening.
fn grain(numbers: &mut Numbers, material: &Material) -> Grain<f64> {
    let mut offset = numbers.matrix(0.2);
    if material.law == LawKind::Linear {
        offset = offset.symmetric_part();
    }
    Grain {
        offset,
        plastic_strain: 0.3,
        expansion: 0.02,
        stiffness: 0.7,
        strength: 0.8,
        fluidity: 2.0,
        ..Grain::default()
    }
}

#[test]
fn stress_is_the_slope_of_the_incremental_potential_and_the_tangent_that_of_stress() {
    let mut numbers = Numbers::new(7);
    for (material, dt) in cases() {
        let law = inner(&material);
        for round in 0..40 {
            let grain = grain(&mut numbers, &material);
            let rotation = if material.law == LawKind::Linear { Mat3::identity() } else { numbers.rotation() };
            let size = [0.02, 0.1, 0.4][round % 3];
            let g = rotation * (Mat3::identity() + numbers.matrix(size)) - Mat3::identity();
            let direction = numbers.matrix(1.0);
            let h = 1e-6;
            let (plus, minus) = (g + direction * h, g - direction * h);
            let slope = (law.energy(plus, &grain, dt) - law.energy(minus, &grain, dt)) / (2.0 * h);
            let stress = law.stress(g, &grain, dt);
            assert!((slope - stress.contract(&direction)).abs() < 1e-3 * (1.0 + stress.norm()), "{material:?} {round}");
            let difference = (law.stress(plus, &grain, dt) - law.stress(minus, &grain, dt)) * (0.5 / h);
            let change = law.stress_change((g, direction), &grain, dt, Curvature::Exact);
            // On the edge of yielding the tangent jumps; random strains are never there to six digits.
            let error = (difference - change).norm();
            assert!(error < 1e-4 * (1e4 + change.norm()), "{material:?} {round}: {error}");
            let product = law.tangent(g, &grain, dt, Curvature::Exact).apply(&direction);
            assert!((product - change).norm() < 1e-9 * (1e4 + change.norm()));
        }
    }
}

#[test]
fn projected_tangents_never_pull() {
    let mut numbers = Numbers::new(8);
    for (material, dt) in cases() {
        let law = inner(&material);
        for _ in 0..40 {
            let grain = grain(&mut numbers, &material);
            let g = numbers.matrix(0.9);
            let direction = numbers.matrix(1.0);
            let tangent = law.tangent(g, &grain, dt, Curvature::Psd);
            assert!(tangent.apply(&direction).contract(&direction) > -1e-8 * 1e4);
        }
    }
}

#[test]
fn a_return_from_the_virgin_state_is_that_of_the_textbook() {
    // Simo & Hughes 1998, box 3.1, by hand: p = K ε, q = σy + H (2 mu ε − σy)/(3 mu + H).
    let law = inner(&Material { law: LawKind::Linear, ..STEEL });
    let sigma = law.stress(Mat3::diagonal([0.01, 0.0, 0.0]), &Grain::default(), 0.0);
    let p = sigma.trace() / 3.0;
    let deviator = sigma - Mat3::scaled_identity(p);
    let q = (1.5 * deviator.contract(&deviator)).sqrt();
    assert!((p / 1666.667e6 - 1.0).abs() < 1e-6 && (q / 261.0707e6 - 1.0).abs() < 1e-6, "{p} {q}");
}

#[test]
fn settling_changes_no_stress_and_a_second_time_nothing() {
    let mut numbers = Numbers::new(9);
    for law in [LawKind::Linear, LawKind::Corotated] {
        let material = soft(law, by_stress(0.0));
        let law = inner(&material);
        for _ in 0..20 {
            let mut grain = grain(&mut numbers, &material);
            let g = numbers.matrix(0.5);
            let before = law.stress(g, &grain, 0.0);
            law.settle(g, &mut grain, 0.0);
            let after = law.stress(g, &grain, 0.0);
            assert!((after - before).norm() < 1e-9 * before.norm(), "{after:?} {before:?}");
            let (settled, work) = (grain.offset, grain.work);
            law.settle(g, &mut grain, 0.0);
            assert!((grain.offset - settled).norm() < 1e-12 && grain.work - work < 1e-9 * (1.0 + work));
        }
    }
}

#[test]
fn flow_takes_energy_and_never_gives_it() {
    let mut numbers = Numbers::new(10);
    for (material, dt) in cases() {
        for max_strain in [f64::INFINITY, 0.1] {
            let mut material = material.clone();
            if let Some(Plasticity::Strain { max_strain: bound, .. }) = &mut material.plastic {
                *bound = max_strain;
            }
            let law = inner(&material);
            // Elastic energy alone: what the same grain gives when nothing may flow.
            let elastic = inner(&Material { plastic: None, ..material.clone() });
            for _ in 0..40 {
                let mut grain = grain(&mut numbers, &material);
                let g = numbers.matrix(0.3);
                let energy = |grain: &Grain<f64>| match material.plastic {
                    Some(Plasticity::Strain { .. }) => elastic.energy(g, grain, FROZEN),
                    _ => law.energy(g, grain, FROZEN),
                };
                let before = energy(&grain);
                law.settle(g, &mut grain, dt);
                assert!(energy(&grain) <= before * (1.0 + 1e-12), "{material:?}");
                assert!(grain.work >= 0.0);
            }
        }
    }
}

#[test]
fn held_strain_relaxes_at_its_own_pace_whatever_the_step() {
    for law in [LawKind::Linear, LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean] {
        let inner = inner(&soft(law.clone(), by_strain(f64::INFINITY)));
        // Green strain 0.2 along x.
        let stretch = if law == LawKind::Linear { 1.2 } else { 1.4f64.sqrt() };
        let g = Mat3::diagonal([stretch - 1.0, 0.0, 0.0]);
        for steps in [10, 100, 1000] {
            let mut grain = Grain::default();
            for _ in 0..steps {
                inner.settle(g, &mut grain, 0.1 / steps as f64);
            }
            let f = Mat3::identity() + g;
            let strain = if law == LawKind::Linear {
                (g + grain.offset).0[0][0]
            } else {
                let f = f + f * grain.offset;
                0.5 * (f.0[0][0] * f.0[0][0] - 1.0)
            };
            assert!((strain - 0.2 * (-1.0f64).exp()).abs() < 1e-12, "{law:?} {steps}: {strain}");
            // And stops at the yield strain.
            (0..steps).for_each(|_| inner.settle(g, &mut grain, 0.1 / steps as f64));
            let left = if law == LawKind::Linear {
                (g + grain.offset).0[0][0]
            } else {
                let f = f + f * grain.offset;
                0.5 * (f.0[0][0] * f.0[0][0] - 1.0)
            };
            assert!((left - 0.05).abs() < 1e-12, "{left}");
        }
    }
}

#[test]
fn plastic_strain_stays_below_its_bound() {
    for law in [LawKind::Linear, LawKind::Corotated] {
        let inner = inner(&soft(law.clone(), by_strain(0.1)));
        let mut grain = Grain::default();
        let g = Mat3::diagonal([0.5, -0.1, 0.0]);
        (0..100).for_each(|_| inner.settle(g, &mut grain, 0.1));
        let plastic = match law {
            LawKind::Linear => grain.offset.norm(),
            _ => {
                let f = (Mat3::identity() + grain.offset).inverse().expect("flow keeps matter whole");
                ((f.transpose() * f - Mat3::identity()) * 0.5).norm()
            }
        };
        assert!(plastic <= 0.1 + 1e-9 && plastic > 0.0999, "{plastic}");
    }
}

/// Green's strain of something flat is -½ however small it was: it must not be absorbed for ever.
#[test]
fn what_is_pressed_flat_forgets_only_so_much_of_its_size() {
    for law in [LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean] {
        let law = inner(&soft(law, by_strain(f64::INFINITY)));
        for flat in [0.0, 1e-3, -0.02] {
            let g = Mat3::diagonal([0.1, flat - 1.0, 0.0]);
            let mut grain = Grain::default();
            for _ in 0..1000 {
                law.settle(g, &mut grain, 0.1);
            }
            let size = (Mat3::identity() + grain.offset).norm();
            assert!(size > 5.0 && size <= 10.0 * (1.0 + 1e-9), "{law:?} {flat}: {size}");
        }
    }
}

/// `F − I` of some strain and any rotation.
fn turned(numbers: &mut Numbers) -> [[f64; 3]; 3] {
    (numbers.rotation() * (Mat3::identity() + numbers.matrix(0.3)) - Mat3::identity()).0
}

fn keeps_volume<R: crate::math::Real>(tolerance: f64) {
    let material = soft(LawKind::Corotated, by_stress(0.0));
    let law = InnerLaw::<R>::new(&material, Part::Whole, AnyLaw::new(&material, Part::Whole));
    let mut numbers = Numbers::new(11);
    let mut grain = Grain::<R>::default();
    for _ in 0..1000 {
        law.settle(Mat3::of(turned(&mut numbers)), &mut grain, R::zero());
    }
    assert!(grain.plastic_strain > R::of(10.0));
    let det = (Mat3::identity() + grain.offset).det().to_f64();
    assert!((det - 1.0).abs() < tolerance, "{det}");
}

#[test]
fn a_thousand_random_flows_keep_the_volume() {
    keeps_volume::<f64>(1e-9);
    keeps_volume::<f32>(1e-4);
    let f = isochoric_power([1.5, 1.0, 0.8], 0.5f64);
    for (found, expected) in f.into_iter().zip([1.188088, 0.970070, 0.867657]) {
        assert!((found - expected).abs() < 1e-6, "{f:?}");
    }
}

#[test]
fn a_spring_drawn_beyond_its_yield_point_stays_longer() {
    let material = soft(LawKind::Corotated, by_stress(0.0));
    let law = AnyLaw::fibre(&material);
    let inner = InnerLaw::<f64>::new(&material, Part::Whole, law);
    let f = Mat3::diagonal([1.2, 0.0, 0.0]);
    let mut grain = Grain::<f64>::default();
    inner.settle(f, &mut grain, 0.0);
    // σ = E (ε − ε_p) = σy + H ε_p with ε_p = (E ε − σy)/(E + H), on the strain of the present rest length.
    let flowed: f64 = (1e4 * 0.2 - 500.0) / (1e4 + 300.0);
    let stress = inner.stress(f, &grain, 0.0).0[0][0] / (1.0 + grain.offset.0[0][0]);
    assert!((grain.plastic_strain - flowed).abs() < 1e-12);
    assert!((stress - (500.0 + 300.0 * flowed)).abs() < 1e-9, "{stress}");
}

#[test]
fn creep_is_a_share_per_second() {
    let time = Plasticity::relaxation_of_creep(0.75);
    assert!((1.0 - (-1.0 / time).exp() - 0.75).abs() < 1e-14);
    assert_eq!(Plasticity::relaxation_of_creep(0.0), f64::INFINITY);
    assert_eq!(Plasticity::relaxation_of_creep(1.0), 0.0);
}

#[test]
fn mistakes_are_named() {
    let complaint = |plastic| soft(LawKind::Corotated, Some(plastic)).check().unwrap_err().to_string();
    let m = complaint(Plasticity::Strain { yield_strain: 0.0, relaxation_time: 0.0, max_strain: 1.0 });
    assert!(m.starts_with("yield_strain is 0"), "{m}");
    let m = complaint(Plasticity::Strain { yield_strain: 0.1, relaxation_time: -1.0, max_strain: 1.0 });
    assert!(m.starts_with("relaxation_time is -1"), "{m}");
    let m = complaint(Plasticity::Stress { yield_stress: -3.0, hardening: 0.0, relaxation_time: 0.0 });
    assert!(m.starts_with("yield_stress is -3"), "{m}");
    let m = complaint(Plasticity::Stress { yield_stress: 1.0, hardening: f64::NAN, relaxation_time: 0.0 });
    assert!(m.starts_with("hardening is NaN"), "{m}");
}
