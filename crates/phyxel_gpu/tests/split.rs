//! Arrays that are larger than one binding may be: the same kernels over several buffers give the same answers.

mod common;

use common::{Numbers, device, laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::math::Vec3;
use phyxel::scene::{Body, Integrator, Method, Pin, Region};
use phyxel_gpu::{Choice, Device, Explicit, Implicit, Resident};
use std::sync::Arc;

type Vectors = Vec<Vec3<f32>>;

/// Forces, a run of explicit steps and an implicit step, with one kind of body.
fn outcomes(device: &Arc<Device>, method: Method) -> (Vectors, Vectors, Vectors) {
    let body = |i: usize| -> Body {
        let mut body = solid(&format!("b{i}"), method, soft(laws()[2].clone()), [i as f64, 0.1, 0.0]);
        body.pins.push(Pin::hold(Region::Box { min: [-1.0; 3], max: [i as f64 + 0.05, 2.0, 2.0] }));
        body.contact.enabled = false;
        body
    };
    let mut scene = scene((0..3).map(body).collect());
    scene.solver.tolerance = 1e-6;
    let cpu = Simulation::<f32>::build(&scene).expect("three bodies");
    let model = cpu.model();
    let resident = Resident::new(device, model, cpu.state()).expect("room");
    let mut numbers = Numbers(11);
    let u: Vectors = model.rest.iter().map(|_| Vec3::of(numbers.vector(0.01))).collect();
    let v = vec![Vec3::zero(); u.len()];
    resident.set_state(&u, &v);
    let explicit = Explicit::new(&resident, model, &[], Integrator::LeapFrog).expect("kernels");
    let forces = explicit.forces(&resident).expect("forces");
    explicit.run(&resident, 0.0, 1e-4, 20).expect("steps");
    let moved = resident.state().expect("a state").0;
    resident.set_state(&u, &v);
    let mut implicit = Implicit::new(&resident, model, &[]).expect("a system");
    implicit.step(&resident, model, (0.0, 0.005), &scene.solver).expect("a step");
    (forces, moved, resident.state().expect("a state").1)
}

#[test]
fn many_small_buffers_are_as_good_as_a_large_one() {
    let Some(whole) = device() else { return };
    for (method, bytes) in [(Method::Tet, 256 << 10), (Method::Mls, 64 << 10)] {
        let cut = Device::open_within(&Choice::Any, bytes).expect("the same device");
        let (a, b) = (outcomes(&whole, method), outcomes(&cut, method));
        for (one, other) in [(&a.0, &b.0), (&a.1, &b.1), (&a.2, &b.2)] {
            let size = one.iter().map(|x| x.norm()).fold(0.0, f32::max);
            let error = one.iter().zip(other).map(|(x, y)| (*x - *y).norm()).fold(0.0, f32::max);
            assert!(size > 0.0 && error <= 1e-5 * size, "{}: {error:e} of {size:e}", method.name());
        }
    }
}
