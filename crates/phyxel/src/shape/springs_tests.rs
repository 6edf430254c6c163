use super::*;

fn material() -> Material {
    Material { young_modulus: 2.0e5, density: 800.0, ..Material::default() }
}

/// Energy of the springs after moving every node by `G X`.
fn energy(net: &SpringNet, g: [[f64; 3]; 3]) -> f64 {
    let moved: Vec<[f64; 3]> =
        net.points.iter().map(|p| [0, 1, 2].map(|i| p[i] + (0..3).map(|j| g[i][j] * p[j]).sum::<f64>())).collect();
    let length = |[a, b]: [u32; 2]| {
        let (p, q) = (moved[a as usize], moved[b as usize]);
        ((p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2) + (p[2] - q[2]).powi(2)).sqrt()
    };
    net.springs.iter().map(|s| 0.5 * s.stiffness * (length(s.nodes) - s.rest_length).powi(2)).sum()
}

/// `½ ε : C : ε` of an isotropic solid.
fn isotropic(young: f64, nu: f64, strain: [[f64; 3]; 3]) -> f64 {
    let (lam, mu) = crate::material::lame(young, nu);
    let trace = strain[0][0] + strain[1][1] + strain[2][2];
    0.5 * lam * trace * trace + mu * strain.iter().flatten().map(|e| e * e).sum::<f64>()
}

#[test]
fn the_lattice_is_a_solid_with_poisson_ratio_a_quarter() {
    let net = lattice([3, 4, 5], [0.0; 3], [0.3, 0.4, 0.5], &material()).unwrap();
    let e = 1e-6;
    for strain in [
        [[e, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [0.0, e, 0.0], [0.0, 0.0, -e]],
        [[0.0, e, 0.0], [e, 0.0, e], [0.0, e, 0.0]],
        [[e, 0.3 * e, 0.0], [0.3 * e, -0.25 * e, 0.5 * e], [0.0, 0.5 * e, 0.7 * e]],
    ] {
        let expected = isotropic(2.0e5, 0.25, strain) * 0.06;
        let found = energy(&net, strain);
        assert!((found - expected).abs() < 1e-5 * expected, "{found} {expected}");
    }
    let mass: f64 = net.masses.iter().sum();
    assert!((mass - 800.0 * 0.06).abs() < 1e-12);
    assert_eq!(net.springs.len(), 3 * 5 * 6 + 4 * 4 * 6 + 4 * 5 * 5 + 2 * (4 * 4 * 5 + 3 * 5 * 5 + 3 * 4 * 6));
}

#[test]
fn cloth_is_a_membrane_with_the_young_modulus_of_the_material() {
    let (size, thickness) = ([0.6, 0.4], 1e-4);
    let net = cloth([12, 8], size, thickness, &material()).unwrap();
    let e = 1e-6;
    // Plane stress with nu = 1/3: E t / (1 − nu²) (½ εxx² + ½ εzz² + nu εxx εzz + (1 − nu) εxz²) per area.
    for [xx, zz, xz] in [[e, 0.0, 0.0], [0.0, e, 0.0], [e, -e / 3.0, 0.0], [0.0, 0.0, e], [e, 0.5 * e, 0.3 * e]] {
        let plane = 2.0e5 * thickness / (1.0 - 1.0 / 9.0);
        let density = plane * (0.5 * xx * xx + 0.5 * zz * zz + xx * zz / 3.0 + xz * xz * 2.0 / 3.0);
        let found = energy(&net, [[xx, 0.0, xz], [0.0, 0.0, 0.0], [xz, 0.0, zz]]);
        // Folding springs add (t/a)² = 4e-6 of the structural stiffness, twice as long.
        assert!((found - density * 0.24).abs() < 1e-4 * density * 0.24, "{found} {}", density * 0.24);
    }
    assert!((net.masses.iter().sum::<f64>() - 800.0 * 0.24 * thickness).abs() < 1e-15);
    assert_eq!(net.triangles.len(), 2 * 96);
    let [a, b, c] = net.triangles[0].map(|n| net.points[n as usize]);
    assert!((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0.0, "faces look up");
}

#[test]
fn a_rope_has_the_stiffness_of_a_bar() {
    let net = rope(7, 1.4, 0.01, &material()).unwrap();
    let area = PI * 1e-4;
    let compliance: f64 = net.springs.iter().map(|s| 1.0 / s.stiffness).sum();
    assert!((1.0 / compliance - 2.0e5 * area / 1.4).abs() < 1e-9);
    assert!((net.masses.iter().sum::<f64>() - 800.0 * area * 1.4).abs() < 1e-12);
    assert_eq!((net.points[0], net.points[7]), ([-0.7, 0.0, 0.0], [0.7, 0.0, 0.0]));
}

#[test]
fn a_material_without_stiffness_is_refused() {
    let limp = Material { young_modulus: 0.0, ..material() };
    let error = rope(3, 1.0, 0.1, &limp).unwrap_err();
    assert_eq!(error, ShapeError::BadMaterial { what: "Young's modulus", value: 0.0 });
}
