//! Every law against finite differences of the formula in its paper, and against what all laws must obey.

mod input;
mod oracle;

use input::{Numbers, deformations, spring_deformations};
use oracle::*;
use phyxel::material::*;
use phyxel::math::{Lanes, Mat3, Real};

/// A law, its energy written down again, and the deformations that it is tested on.
struct Case {
    name: String,
    law: AnyLaw<f64>,
    single: AnyLaw<f32>,
    energy: Box<dyn Fn(&M) -> f64>,
    inputs: Vec<M>,
    /// What the law's argument is measured from: `I`, or 0 for fibres.
    unit: Mat3<f64>,
}

impl Case {
    fn argument(&self, f: &M) -> Mat3<f64> {
        Mat3(*f) - self.unit
    }
    fn stress(&self, f: &M) -> M {
        self.law.stress(self.argument(f)).0
    }
    /// Size of the stress and of the tangent at `F` [Pa]: what rounding errors are measured by.
    fn scale(&self, f: &M) -> f64 {
        1e6 * (1.0 + squared(f)).powi(2)
    }
}

const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;

/// A symmetric positive definite stiffness without any symmetry of the matter.
fn stiffness() -> [[f64; 6]; 6] {
    let mut numbers = Numbers(5);
    let half: [[f64; 6]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| numbers.uniform()));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let sum: f64 = (0..6).map(|k| half[i][k] * half[j][k]).sum();
            3e5 * (sum + if i == j { 1.0 } else { 0.0 })
        })
    })
}

fn case(law: LawKind, volume_stiffness: f64, energy: impl Fn(&M) -> f64 + 'static) -> Case {
    let name = format!("{} with k_v = {volume_stiffness}", law.name());
    let material =
        Material { law, young_modulus: YOUNG, poisson_ratio: POISSON, volume_stiffness, ..Material::default() };
    Case {
        name,
        law: AnyLaw::new(&material, Part::Whole),
        single: AnyLaw::new(&material, Part::Whole),
        energy: Box::new(move |f| energy(f) + volume(volume_stiffness, f)),
        inputs: deformations(),
        unit: Mat3::identity(),
    }
}

fn cases() -> Vec<Case> {
    let (lam, mu) = lame(YOUNG, POISSON);
    let mut all = Vec::new();
    for k in [0.0, 7e5] {
        all.push(case(LawKind::Linear, k, move |f| linear(lam, mu, f)));
        all.push(case(LawKind::StVenantKirchhoff, k, move |f| stvk(lam, mu, f)));
        all.push(case(LawKind::Corotated, k, move |f| corotated(lam, mu, f)));
        all.push(case(LawKind::NeoHookean, k, move |f| neo_hookean(lam, mu, f)));
        all.push(case(LawKind::Anisotropic(Box::new(stiffness())), k, |f| anisotropic(&stiffness(), f)));
    }
    all.push(Case {
        name: "fibre".into(),
        law: AnyLaw::Fibre(Fibre { modulus: YOUNG }),
        single: AnyLaw::Fibre(Fibre { modulus: YOUNG as f32 }),
        energy: Box::new(|f| fibre(YOUNG, f)),
        inputs: spring_deformations(),
        unit: Mat3::zero(),
    });
    all
}

/// Runs a check on every law and every deformation.
fn everywhere(check: impl Fn(&Case, &M)) {
    for case in cases() {
        for f in &case.inputs {
            check(&case, f);
        }
    }
}

#[track_caller]
fn assert_close(found: &M, expected: &M, tolerance: f64, what: &str) {
    let error = (Mat3(*found) - Mat3(*expected)).norm();
    assert!(error <= tolerance, "{what}: off by {error:e}, allowed {tolerance:e}\n{found:?}\n{expected:?}");
}

#[test]
fn energy_is_the_formula_of_the_paper() {
    everywhere(|case, f| {
        let (found, expected) = (case.law.energy(case.argument(f)), (case.energy)(f));
        assert!((found - expected).abs() < 1e-13 * case.scale(f), "{} at {f:?}: {found} {expected}", case.name);
    });
}

#[test]
fn stress_is_the_slope_of_the_energy() {
    everywhere(|case, f| {
        let expected = gradient(f, &case.energy);
        assert_close(&case.stress(f), &expected, 1e-9 * case.scale(f), &format!("{} at {f:?}", case.name));
    });
}

#[test]
fn tangent_is_the_slope_of_the_stress_and_symmetric() {
    everywhere(|case, f| {
        let found = case.law.tangent(case.argument(f), Curvature::Exact).0;
        let error = norm9(&minus9(&found, &jacobian(f, |f| case.stress(f))));
        assert!(error < 1e-8 * case.scale(f), "{} at {f:?}: off by {error:e}", case.name);
        for a in 0..9 {
            for b in 0..a {
                assert_eq!(found[a][b], found[b][a], "{}", case.name);
            }
        }
    });
}

#[test]
fn positive_tangent_is_the_exact_projection() {
    everywhere(|case, f| {
        let found = case.law.tangent(case.argument(f), Curvature::Psd).0;
        let expected = projected(&jacobian(f, |f| case.stress(f)));
        let error = norm9(&minus9(&found, &expected));
        assert!(error < 1e-8 * case.scale(f), "{} at {f:?}: off by {error:e}", case.name);
        let least = eigenvalues(&found)[0];
        assert!(least > -1e-13 * case.scale(f), "{} at {f:?}: eigenvalue {least:e}", case.name);
    });
}

#[test]
fn the_projection_is_not_idle() {
    for case in cases() {
        if case.name == "linear with k_v = 0" {
            continue;
        }
        let least = |f: &M| eigenvalues(&case.law.tangent(case.argument(f), Curvature::Exact).0)[0];
        assert!(case.inputs.iter().any(|f| least(f) < -1e3), "{} was never indefinite", case.name);
    }
}

#[test]
fn change_of_stress_is_tangent_times_change() {
    let mut numbers = Numbers(31);
    for case in cases() {
        for f in &case.inputs {
            let dg = Mat3(numbers.matrix(1.0));
            for curvature in [Curvature::Exact, Curvature::Psd] {
                let found = case.law.stress_change(case.argument(f), dg, curvature);
                let expected = case.law.tangent(case.argument(f), curvature).apply(&dg);
                assert_close(&found.0, &expected.0, 1e-12 * case.scale(f), &format!("{} {curvature:?}", case.name));
            }
        }
    }
}

#[test]
fn constraints_add_up_to_energy_and_stress() {
    everywhere(|case, f| {
        let total = |f: &M| {
            let parts = case.law.constraints(case.argument(f));
            parts.iter().map(|c| 0.5 * c.modulus * c.value * c.value).sum::<f64>() - case.law.energy(case.argument(f))
        };
        let constant = total(&case.inputs[0]);
        assert!((total(f) - constant).abs() < 1e-13 * case.scale(f), "{} at {f:?}", case.name);
        let parts = case.law.constraints(case.argument(f));
        let stress = parts.iter().fold(Mat3::zero(), |sum, c| sum + c.gradient * (c.modulus * c.value));
        assert_close(&stress.0, &case.stress(f), 1e-13 * case.scale(f), &case.name);
    });
}

#[test]
fn gradient_of_a_constraint_is_the_slope_of_its_value() {
    everywhere(|case, f| {
        for n in 0..3 {
            let value = |f: &M| case.law.constraints(case.argument(f))[n].value;
            let constraint = case.law.constraints(case.argument(f))[n];
            // A norm has a kink at zero, and differences must not reach across it.
            let smooth = constraint.value.abs() > 0.05 || n > 0;
            if constraint.modulus != 0.0 && smooth {
                let scale = 1e-8 * case.scale(f) / 1e6 * constraint.gradient.norm().max(1.0);
                assert_close(&constraint.gradient.0, &gradient(f, value), scale, &format!("{} part {n}", case.name));
            }
        }
    });
}

#[test]
fn nothing_moves_at_rest() {
    for case in cases().iter().filter(|case| case.name != "fibre") {
        assert_eq!(case.law.stress(Mat3::zero()), Mat3::zero(), "{}", case.name);
        assert_eq!(case.law.energy(Mat3::zero()), 0.0, "{}", case.name);
        let gradient = case.law.constraints(Mat3::zero())[0].gradient;
        assert!(gradient.is_finite(), "{}", case.name);
    }
}

#[test]
fn turning_the_body_turns_the_stress_and_nothing_else() {
    let mut numbers = Numbers(41);
    for case in cases().iter().filter(|case| !case.name.starts_with("linear")) {
        for f in &case.inputs {
            let q = numbers.rotation();
            let expected = product(&q, &case.stress(f));
            assert_close(&case.stress(&product(&q, f)), &expected, 1e-12 * case.scale(f), &case.name);
        }
        if case.name != "fibre" {
            let stress = case.stress(&numbers.rotation());
            assert!(Mat3(stress).norm() < 1e-8, "{}: a rotation costs {stress:?} Pa", case.name);
        }
    }
}

#[test]
fn wide_stress_equals_stress_bit_for_bit() {
    for case in cases() {
        same_in_lanes::<f64, 4>(&case, &case.law);
        same_in_lanes::<f32, 8>(&case, &case.single);
    }
}

fn same_in_lanes<R: Real, const N: usize>(case: &Case, law: &AnyLaw<R>) {
    for group in case.inputs.windows(N) {
        let g: [Mat3<R>; N] = std::array::from_fn(|lane| Mat3::of(case.argument(&group[lane]).0));
        let wide =
            Mat3(std::array::from_fn(|i| std::array::from_fn(|j| Lanes(std::array::from_fn(|lane| g[lane].0[i][j])))));
        let found = law.stress_wide::<N>(wide);
        for (lane, g) in g.iter().enumerate() {
            let expected = law.stress(*g);
            for a in 0..9 {
                let (found, expected) = (found.0[a / 3][a % 3].0[lane], expected.0[a / 3][a % 3]);
                assert_eq!(found.bits(), expected.bits(), "{}", case.name);
            }
        }
    }
}

#[test]
fn single_precision_loses_only_its_own_rounding() {
    everywhere(|case, f| {
        let g: Mat3<f32> = Mat3::of(case.argument(f).0);
        let (single, double) = (case.single.stress(g), case.law.stress(Mat3(g.to_f64())));
        assert_close(&single.to_f64(), &double.0, 3e-6 * case.scale(f), &format!("{} at {f:?}", case.name));
        let energy = case.single.energy(g) as f64 - case.law.energy(Mat3(g.to_f64()));
        assert!(energy.abs() < 3e-6 * case.scale(f), "{} at {f:?}: energy off by {energy}", case.name);
        let single = case.single.tangent(g, Curvature::Psd).0.map(|row| row.map(f64::from));
        let double = case.law.tangent(Mat3(g.to_f64()), Curvature::Psd).0;
        let error = norm9(&minus9(&single, &double));
        assert!(error < 2e-6 * case.scale(f), "{} at {f:?}: tangent off by {error:e}", case.name);
    });
}

#[test]
fn small_strains_keep_their_digits_in_single_precision() {
    // F − I formed in f32 would keep no digit of a strain of 1e-8.
    let mut numbers = Numbers(51);
    for case in cases().iter().filter(|case| case.name != "fibre") {
        for size in [1e-3, 1e-6, 1e-8] {
            let g: Mat3<f32> = Mat3::of(numbers.matrix(size));
            let wide = Mat3(g.to_f64());
            let (single, double) = (case.single.stress(g).to_f64(), case.law.stress(wide));
            assert_close(&single, &double.0, 2e-6 * double.norm(), &format!("{} at {size:e}", case.name));
            let (single, double) = (case.single.energy(g) as f64, case.law.energy(wide));
            assert!((single / double - 1.0).abs() < 1e-4, "{} at {size:e}: {single:e} {double:e}", case.name);
        }
    }
}

#[test]
fn collapse_and_kinks_stay_finite() {
    let mut numbers = Numbers(71);
    let collapsed = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.5, -0.5], [1.0, 1e-7, -1e-7], [-1.0, -1.0, -1.0]];
    for case in cases() {
        for d in collapsed {
            let g = case.argument(&numbers.stretched(d));
            all_finite(&case.name, &case.law, g);
            all_finite(&case.name, &case.single, Mat3::of(g.0));
        }
    }
}

fn all_finite<R: Real>(name: &str, law: &AnyLaw<R>, g: Mat3<R>) {
    assert!(law.energy(g).is_finite() && law.stress(g).is_finite(), "{name} at {g:?}");
    for constraint in law.constraints(g) {
        assert!(constraint.value.is_finite() && constraint.gradient.is_finite(), "{name} at {g:?}");
    }
    for curvature in [Curvature::Exact, Curvature::Psd] {
        let tangent = law.tangent(g, curvature).0.map(|row| row.map(R::to_f64));
        let size = norm9(&tangent);
        assert!(size.is_finite(), "{name} at {g:?}");
        let least = eigenvalues(&tangent)[0];
        assert!(curvature == Curvature::Exact || least >= -10.0 * R::EPSILON.to_f64() * size, "{name}: {least:e}");
    }
}

#[test]
fn viscosity_is_the_slope_of_its_dissipation() {
    let viscosity = Viscosity { shear: 30.0, bulk: 70.0 };
    let mut numbers = Numbers(61);
    for f in deformations() {
        let (g, rate) = (Mat3(f) - Mat3::identity(), numbers.matrix(2.0));
        let scale = 100.0 * (1.0 + squared(&f)).powi(2);
        let expected = gradient(&rate, |rate| dissipation(30.0, 70.0, &f, rate));
        assert_close(&viscosity.stress(g, Mat3(rate)).0, &expected, 1e-9 * scale, "viscous stress");
        let tangent = viscosity.tangent(g);
        let error = norm9(&minus9(&tangent.0, &jacobian(&rate, |rate| viscosity.stress(g, Mat3(*rate)).0)));
        assert!(error < 1e-9 * scale, "viscous tangent off by {error:e}");
        assert!(eigenvalues(&tangent.0)[0] > -1e-13 * scale);
        let spin = [[0.0, -3.0, 2.0], [3.0, 0.0, -1.0], [-2.0, 1.0, 0.0]];
        let rigid = viscosity.stress(g, Mat3(product(&spin, &f)));
        assert!(rigid.norm() < 1e-12 * scale, "a rigid spin is not damped: {rigid:?}");
    }
}

/// The law of a kind with E = 1e6 and nu = 0.25, at `F`.
fn published(kind: LawKind, f: M) -> (M, f64) {
    let material = Material { law: kind, young_modulus: 1e6, poisson_ratio: 0.25, ..Material::default() };
    let law = AnyLaw::<f64>::new(&material, Part::Whole);
    let g = Mat3(f) - Mat3::identity();
    (law.stress(g).0, law.energy(g))
}

/// Equal up to half a unit of the last digit in print.
#[track_caller]
fn assert_digits(found: f64, expected: f64, last_digit: f64) {
    assert!((found - expected).abs() < 0.5001 * last_digit, "{found} instead of {expected}");
}

#[test]
fn published_numbers() {
    let f = [[1.2, 0.1, 0.0], [0.05, 0.9, 0.2], [0.0, -0.1, 1.1]];
    let (p, energy) = published(LawKind::StVenantKirchhoff, f);
    assert_digits(p[0][0], 344400.0, 1e-3);
    assert_digits(p[0][1], 82850.0, 1e-3);
    assert_digits(p[0][2], 7600.0, 1e-3);
    assert_digits(energy, 48815.94, 1e-2);
    let (p, energy) = published(LawKind::Corotated, f);
    assert_digits(p[0][0], 249409.05, 1e-2);
    assert_digits(p[0][1], 62891.508, 1e-3);
    assert_digits(p[0][2], 2532.248, 1e-3);
    assert_digits(energy, 40548.263, 1e-3);
    let (sine, cosine) = (30f64.to_radians().sin(), 30f64.to_radians().cos());
    let (p, energy) = published(LawKind::Linear, [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]]);
    assert_digits(p[0][0], -2.143594e5, 1e-1);
    assert_digits(energy, 2.871871e4, 1e-2);
}
