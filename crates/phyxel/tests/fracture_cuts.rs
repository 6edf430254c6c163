//! Cuts that go through elements.

mod common;

use common::{alone, chalk};
use phyxel::scene::{Action, Blade, Body, Cut, Event, Integrator, Method};
use phyxel::shape::Geometry;
use phyxel::shape::structured::{CubeSplit, box_tets};
use phyxel::{Material, Simulation};

/// A bar from x = 0 to 1, a tenth thick.
fn bar(method: Method, cells: [usize; 3], material: Material) -> Body {
    let mesh = box_tets(cells, [0.0; 3], [1.0, 0.1, 0.1], CubeSplit::Five).expect("a bar");
    Body::new("bar", Geometry::Tets(mesh), method, material)
}

fn steps(simulation: &mut Simulation<f64>, count: usize, dt: f64) {
    for _ in 0..count {
        simulation.step(dt).expect("a step");
    }
}

fn mass(simulation: &Simulation<f64>) -> f64 {
    simulation.model().masses.iter().sum()
}

#[test]
fn a_cut_through_elements_follows_the_plane_and_keeps_mass_and_momenta() {
    for method in [Method::Tet, Method::Edge] {
        let mut body = bar(method, [10, 2, 2], chalk(1e9));
        body.contact.enabled = false;
        body.cut_elements = true;
        body.spin = [1.0, 2.0, 3.0];
        body.velocity = [1.0, 0.0, 0.0];
        let mut scene = alone(body, Integrator::LeapFrog, 1e-4);
        // It turns about its middle, so this plane leaves 0.498 of its length on one side.
        let plane = Cut::plane([0.513, 0.0, 0.0], [1.0, 0.3, 0.0]);
        scene.events = vec![Event { at: 0.0, body: None, action: Action::Cut(plane) }];
        let mut simulation = Simulation::<f64>::build(&scene).expect("a bar");
        let (weight, linear, spin) = (mass(&simulation), simulation.momentum(), simulation.angular_momentum());
        steps(&mut simulation, 1, 1e-4);
        assert_eq!(simulation.bodies()[0].fragments, 2, "{method:?}");
        let mut volumes: Vec<f64> = simulation.fragments(0).iter().map(|p| p.volume).collect();
        volumes.sort_by(f64::total_cmp);
        assert!((volumes[0] / 4.98e-3 - 1.0).abs() < 0.02, "{method:?}: {volumes:?}");
        assert!((mass(&simulation) / weight - 1.0).abs() < 1e-13);
        let drift = |now: [f64; 3], then: [f64; 3]| (0..3).map(|a| (now[a] - then[a]).abs()).fold(0.0, f64::max);
        assert!(drift(simulation.momentum(), linear) < 1e-11 * weight, "{method:?}");
        assert!(drift(simulation.angular_momentum(), spin) < 1e-10 * weight, "{method:?}");
        let area: f64 = simulation.take_cracks().iter().map(|c| c.area).sum();
        assert!((area / (0.01 * 1.09f64.sqrt()) - 1.0).abs() < 1e-9, "{method:?}: {area}");
        let smallest = simulation.model().blocks[0].volumes().iter().copied().fold(f64::INFINITY, f64::min);
        assert!(smallest > 1e-3 * 0.01 / 200.0, "a sliver of {smallest} m³");
        let kept = simulation.snapshot();
        steps(&mut simulation, 50, 1e-4);
        let mut second = Simulation::<f64>::build(&scene).expect("a bar");
        second.restore(&kept).expect("its own snapshot");
        assert_eq!(second.snapshot(), kept, "{method:?}");
        steps(&mut second, 50, 1e-4);
        assert_eq!(simulation.state_hash(), second.state_hash(), "{method:?}");
        let frame = simulation.frame(0);
        // There were 176 triangles before the cut.
        let free = frame.bodies[0].free.as_ref().expect("a surface of its own");
        assert!(free.triangles.len() > 176 && free.points.len() == 3 * free.triangles.len());
    }
}

#[test]
fn a_blade_cuts_elements_too() {
    let mut body = bar(Method::Tet, [10, 2, 2], chalk(1e9));
    body.contact.enabled = false;
    body.cut_elements = true;
    let mut simulation = Simulation::<f64>::build(&alone(body, Integrator::LeapFrog, 1e-3)).expect("a bar");
    let weight = mass(&simulation);
    let blade = Blade {
        from: [[0.46, 0.15, -0.1], [0.42, 0.15, 0.2]],
        to: [[0.46, -0.05, -0.1], [0.42, -0.05, 0.2]],
        duration: 0.05,
    };
    simulation.sweep("bar", blade).expect("a blade");
    steps(&mut simulation, 60, 1e-3);
    assert_eq!(simulation.bodies()[0].fragments, 2, "{:?}", simulation.fragments(0));
    // At z = 0.05 the edge is at x = 0.44.
    let least = simulation.fragments(0).iter().map(|p| p.volume).fold(f64::INFINITY, f64::min);
    assert!((least / 4.4e-3 - 1.0).abs() < 0.05, "{least}");
    assert!((mass(&simulation) / weight - 1.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let mut whole = bar(Method::Tet, [10, 2, 2], chalk(1e9));
    whole.whole_cells = (0..200).map(|t| t / 5).collect();
    whole.cut_elements = true;
    let said = Simulation::<f64>::build(&alone(whole, Integrator::LeapFrog, 1e-3)).err().expect("refused").to_string();
    assert!(said.contains("cubes that stay whole"), "{said}");
}
