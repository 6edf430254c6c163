//! Devices that go away: what is known of the motion stays, and the processor goes on from there.

mod common;

use common::{laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::scene::{Integrator, Lagrangian, Method, Scene};
use phyxel_gpu::{Choice, Device, DriveError, Driver, GpuError};

fn falling(integrator: Integrator, method: Method, updated: bool) -> Scene {
    let mut body = solid("a", method, soft(laws()[2].clone()), [0.0, 0.1, 0.0]);
    body.spin = [0.0, 3.0, 1.0];
    if updated {
        (body.mls.lagrangian, body.mls.reanchor) = (Lagrangian::Updated, 0.0);
    }
    let mut scene = scene(vec![body]);
    scene.solver.integrator = integrator;
    scene.solver.step = 5e-4;
    scene
}

#[test]
fn a_device_that_is_lost_leaves_the_last_good_state() {
    for (integrator, method, updated) in [
        (Integrator::LeapFrog, Method::Tet, false),
        (Integrator::ImplicitEuler, Method::Tet, false),
        (Integrator::Xpbd, Method::Tet, false),
        (Integrator::LeapFrog, Method::Mls, true),
        (Integrator::ImplicitEuler, Method::Mls, true),
    ] {
        // One of its own: the others of this process stay whole.
        let Ok(device) = Device::open(&Choice::Any) else { return };
        let what = format!("{} {}", integrator.name(), method.name());
        let scene = falling(integrator, method, updated);
        let mut simulation = Simulation::<f32>::build(&scene).expect(&what);
        let mut driver = Driver::new(&device, &scene, &simulation).expect(&what);
        driver.advance_to(&mut simulation, 0.01).expect(&what);
        let (state, rest) = (simulation.state().clone(), simulation.model().rest.clone());
        device.handles().0.destroy();
        let error = driver.advance_to(&mut simulation, 0.02).expect_err(&what);
        assert!(matches!(error, DriveError::Device(GpuError::Lost { .. })), "{what}: {error:?}");
        assert!(error.to_string().contains("last good state"), "{error}");
        assert_eq!((simulation.state(), &simulation.model().rest), (&state, &rest), "{what}");
        // And that is enough to go on.
        simulation.advance_to(0.02).expect(&what);
        assert!((simulation.time() - 0.02).abs() < 1e-12 && simulation.state().u != state.u, "{what}");
    }
}
