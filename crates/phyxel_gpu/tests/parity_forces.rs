//! Forces on the device against those of the CPU in f64, on random, turned, inverted and collapsed input.

mod common;

use common::{Numbers, device, difference, laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::material::Material;
use phyxel::math::Vec3;
use phyxel::scene::{Body, Integrator, Load, LoadKind, Method, Region, Scene};
use phyxel::shape::Geometry;
use phyxel_gpu::{Explicit, Resident};

/// Relative to the largest force on any node. Sums are made in another order, so a few roundings differ.
const TOLERANCE: f64 = 1e-5;

/// Displacements of every kind: small, large with inverted elements, a turn by a right angle, flat, a point.
fn displacements(rest: &[Vec3<f64>], kind: usize) -> Vec<Vec3<f64>> {
    let mut numbers = Numbers(7 + kind as u64);
    let place = |n: usize, numbers: &mut Numbers| {
        let x = rest[n];
        match kind {
            0 => Vec3(numbers.vector(1e-4)),
            1 => Vec3(numbers.vector(0.01)),
            2 => Vec3(numbers.vector(0.15)),
            3 => Vec3([-x[0] - x[1], x[0] - x[1], 0.0]) + Vec3(numbers.vector(0.01)),
            4 => Vec3([0.0, -x[1], 0.0]),
            _ => -x,
        }
    };
    (0..rest.len()).map(|n| place(n, &mut numbers)).collect()
}

fn compare(scene: &Scene, what: &str) {
    let Some(device) = device() else { return };
    let (mut single, mut double) =
        (Simulation::<f32>::build(scene).expect(what), Simulation::<f64>::build(scene).expect(what));
    let resident = Resident::new(&device, single.model(), single.state()).expect(what);
    let explicit = Explicit::new(&resident, single.model(), &[], Integrator::SymplecticEuler).expect(what);
    let rest = double.model().rest.clone();
    for kind in 0..6 {
        let mut numbers = Numbers(99);
        let u: Vec<Vec3<f32>> = displacements(&rest, kind).iter().map(|u| Vec3::of(u.0)).collect();
        let v: Vec<Vec3<f32>> = u.iter().map(|_| Vec3::of(numbers.vector(0.3))).collect();
        double.state_mut().u = u.iter().map(|u| Vec3(u.to_f64())).collect();
        double.state_mut().v = v.iter().map(|v| Vec3(v.to_f64())).collect();
        (single.state_mut().u, single.state_mut().v) = (u.clone(), v.clone());
        resident.set_state(&u, &v);
        let (found, expected) = (explicit.forces(&resident).expect(what), double.forces());
        let error = difference(&found, &expected);
        // Where the law itself amplifies rounding (flat and inverted elements have no unique rotation), the CPU's f32
        // errs as well: the device may be half again as far off.
        let twin = difference(&single.forces(), &expected);
        assert!(error < TOLERANCE.max(1.5 * twin), "{what}, input {kind}: {error:e} (CPU in f32: {twin:e})");
    }
}

fn all_laws(method: Method) {
    for law in laws() {
        if method == Method::Selective && law.name() == "anisotropic" {
            continue; // it has no parts
        }
        for volume_stiffness in [0.0, 3e4] {
            let material = Material { volume_stiffness, ..soft(law.clone()) };
            let what = format!("{} {} {volume_stiffness}", method.name(), law.name());
            compare(&scene(vec![solid("a", method, material, [0.1; 3])]), &what);
        }
    }
}

#[test]
fn tetrahedra_of_every_law() {
    all_laws(Method::Tet);
}

#[test]
fn edges_of_every_law() {
    all_laws(Method::Edge);
}

#[test]
fn nodes_of_every_law() {
    all_laws(Method::Node);
}

#[test]
fn selective_stencils_of_every_law() {
    all_laws(Method::Selective);
}

#[test]
fn phyxels_of_every_law() {
    all_laws(Method::Mls);
}

/// Points without rows go another way through memory, with shorter records. Without the corotated law: a cloud in a point has
/// no rotation at all.
#[test]
fn phyxels_of_a_cloud() {
    for law in [0, 1, 3, 4].map(|i| laws()[i].clone()) {
        for stabilisation in [0.1, 0.0] {
            let what = format!("cloud {} {stabilisation}", law.name());
            let mut cloud = solid("a", Method::Mls, soft(law.clone()), [0.1; 3]);
            let Geometry::Points(points) = &mut cloud.geometry else { panic!("phyxels are points") };
            let mut numbers = Numbers(17);
            points.points.iter_mut().for_each(|p| {
                let jitter = numbers.vector(0.035);
                (0..3).for_each(|a| p[a] += jitter[a]);
            });
            cloud.mls.stabilisation = stabilisation;
            compare(&scene(vec![cloud]), &what);
        }
    }
}

#[test]
fn springs_and_phyxels_without_stabilisation() {
    compare(&scene(vec![solid("a", Method::Spring, soft(laws()[0].clone()), [0.1; 3])]), "springs");
    let mut plain = solid("a", Method::Mls, soft(laws()[1].clone()), [0.1; 3]);
    plain.mls.stabilisation = 0.0;
    compare(&scene(vec![plain]), "plain phyxels");
}

#[test]
fn damping_of_every_kind() {
    for method in [Method::Tet, Method::Edge, Method::Mls, Method::Spring] {
        for law in laws().into_iter().take(4) {
            let name = law.name();
            let material = Material {
                rayleigh_mass: 0.5,
                rayleigh_stiffness: 0.01,
                viscosity: 20.0,
                bulk_viscosity: 30.0,
                ..soft(law)
            };
            compare(&scene(vec![solid("a", method, material, [0.1; 3])]), &format!("damped {} {name}", method.name()));
        }
    }
}

#[test]
fn bodies_of_all_kinds_together_with_loads() {
    let methods = [Method::Tet, Method::Edge, Method::Mls, Method::Spring, Method::Selective, Method::Tet];
    let body = |(i, method): (usize, Method)| -> Body {
        let law = laws()[i % 4].clone();
        let mut body = solid(&format!("b{i}"), method, soft(law), [i as f64, 0.1, 0.0]);
        body.loads.push(Load { region: Region::All, kind: LoadKind::TotalForce([1.0, 2.0, -3.0]) });
        if matches!(method, Method::Tet | Method::Edge) {
            body.loads.push(Load { region: Region::All, kind: LoadKind::Pressure(50.0) });
        }
        body
    };
    let scene = scene(methods.into_iter().enumerate().map(body).collect());
    compare(&scene, "all kinds");
}
