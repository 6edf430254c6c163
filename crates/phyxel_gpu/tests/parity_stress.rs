//! Principal stresses on the device against those of the CPU in f64, on random and turned input.

mod common;

use common::{Numbers, device, laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::material::{Fracture, Material};
use phyxel::math::{Mat3, Vec3, eigen_symmetric};
use phyxel::scene::Method;
use phyxel_gpu::{PrincipalStress, Resident};

/// Relative to the largest stress of any element.
const TOLERANCE: f64 = 2e-5;

fn compare(method: Method, law: usize, turned: bool) {
    let Some(device) = device() else { return };
    let what = format!("{} {} {turned}", method.name(), laws()[law].name());
    let material = Material { fracture: Some(Fracture::brittle(1.5e3)), ..soft(laws()[law].clone()) };
    let scene = scene(vec![solid("a", method, material, [0.1; 3])]);
    let single = Simulation::<f32>::build(&scene).expect(&what);
    let double = Simulation::<f64>::build(&scene).expect(&what);
    let mut numbers = Numbers(5);
    let turn = |x: Vec3<f64>| if turned { Vec3([-x[0] - x[1], x[0] - x[1], 0.0]) } else { Vec3::zero() };
    let rest = &double.model().rest;
    let u: Vec<Vec3<f64>> = rest.iter().map(|x| turn(*x) + Vec3(numbers.vector(0.01))).collect();
    let u32: Vec<Vec3<f32>> = u.iter().map(|u| Vec3::of(u.0)).collect();
    let u: Vec<Vec3<f64>> = u32.iter().map(|u| Vec3(u.to_f64())).collect();
    let resident = Resident::new(&device, single.model(), single.state()).expect(&what);
    resident.set_state(&u32, &vec![Vec3::zero(); u32.len()]);
    let stresses = PrincipalStress::new(&resident, single.model()).expect(&what);
    stresses.update(&resident).expect(&what);
    let found = stresses.read(&resident).expect(&what);
    let (mut worst, mut largest, mut beyond): (f64, f64, usize) = (0.0, 0.0, 0);
    for (k, block) in double.model().blocks.iter().enumerate() {
        assert_eq!(found[k].principal.len(), block.len(), "{what}");
        for e in 0..block.len() {
            let stress = block.cauchy_stress(e, &u, double.state().inner(0.0).of(k)).1;
            let expected = eigen_symmetric(&Mat3(stress.0).symmetric_part()).0[0];
            largest = largest.max(expected.abs());
            worst = worst.max((f64::from(found[k].principal[e]) - expected).abs());
            if (expected / 1.5e3 - 1.0).abs() > 1e-4 {
                assert_eq!(found[k].beyond[e], expected > 1.5e3, "{what}, element {e}: {expected} Pa");
            }
            beyond += usize::from(found[k].beyond[e]);
        }
    }
    println!("{what}: {:.1e} off, {beyond} beyond their strength", worst / largest);
    assert!(worst < TOLERANCE * largest, "{what}: {} off", worst / largest);
    assert!(beyond > 0, "{what}: nothing is beyond its strength");
}

#[test]
fn principal_stresses_are_those_of_the_cpu() {
    for law in 0..laws().len() {
        for turned in [false, true] {
            compare(Method::Tet, law, turned);
            compare(Method::Mls, law, turned);
        }
    }
}
