//! Cuts that go through elements.

mod common;

use common::{alone, chalk};
use phyxel::fracture::Pieces;
use phyxel::material::Fracture;
use phyxel::math::Vec3;
use phyxel::scene::{Action, Blade, Body, Cut, Event, Integrator, Method, Region, Scene, Weakness};
use phyxel::shape::Geometry;
use phyxel::shape::quality::radius_ratio;
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
        // Both faces of the cut show the inside, and nothing else does; also after a snapshot.
        let parts_area = |simulation: &Simulation<f64>, part: u32| {
            let frame = simulation.frame(0);
            let free = frame.bodies[0].free.as_ref().expect("a surface of its own");
            let area = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|n| Vec3(free.points[n as usize]));
                0.5 * (b - a).cross(c - a).norm()
            };
            assert_eq!(free.parts.len(), free.triangles.len());
            free.triangles.iter().zip(&free.parts).filter(|(_, p)| **p == part).map(|(t, _)| area(t)).sum::<f64>()
        };
        for s in [&simulation, &second] {
            let (outside, inside) = (parts_area(s, 0), parts_area(s, 1));
            assert!((outside / 0.42 - 1.0).abs() < 1e-3, "{method:?}: {outside} m² outside");
            // The cut goes through nodes that it comes near to, so it may be straighter than its plane.
            assert!(inside > 0.0199 && inside < 2.002 * area, "{method:?}: {inside} m² inside");
        }
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

/// A block whose middle is weak, and in which cracks run as easily; no face of its mesh is square to [`PULL`].
fn block(method: Method, cut_elements: bool) -> Scene {
    let mesh = box_tets([8, 8, 4], [-0.4, -0.4, -0.2], [0.4, 0.4, 0.2], CubeSplit::Five).expect("a block");
    let mut material = chalk(4e4);
    material.fracture = Some(Fracture { tip_strength: 0.5, ..Fracture::brittle(4e4) });
    let mut body = Body::new("block", Geometry::Tets(mesh), method, material);
    let middle = Region::Box { min: [-0.01; 3], max: [0.01; 3] };
    body.weaknesses = vec![Weakness { region: middle, factor: 0.5 }];
    body.contact.enabled = false;
    body.cut_elements = cut_elements;
    (body.velocity, body.spin) = ([1.0, 2.0, 0.0], [0.0, 0.0, 0.5]);
    alone(body, Integrator::LeapFrog, 1e-6)
}

/// 25 degrees from the x axis.
const PULL: Vec3<f64> = Vec3([0.906_307_787_036_65, 0.422_618_261_740_7, 0.0]);

/// Stretches the block evenly to seven tenths of its strength, all at once, and lets it break.
fn burst(scene: &Scene, count: usize) -> Simulation<f64> {
    let mut simulation = Simulation::<f64>::build(scene).expect("a block");
    let rest = simulation.model().rest.clone();
    // The stress along the pull is 1.11 E times the strain, at a ratio of Poisson's of 0.2.
    let strain = 0.7 * 4e4 / 1.111e7;
    let shape = rest.iter().map(|x| PULL * (strain * PULL.dot(*x)));
    simulation.state_mut().u.iter_mut().zip(shape).for_each(|(u, shape)| *u = shape);
    steps(&mut simulation, count, 1e-6);
    simulation
}

/// Area of the faces of cracks, how much of it is square to the pull, and the worst element, at rest.
fn crack(simulation: &Simulation<f64>) -> (f64, f64, f64) {
    let model = simulation.model();
    let Pieces::Tets(tets) = &model.bodies[0].fragile.as_ref().expect("it breaks").pieces else { panic!("tetrahedra") };
    let at = |n: u32| model.rest[n as usize];
    let outside = |x: Vec3<f64>, y: Vec3<f64>, z: Vec3<f64>| {
        let side = |a: usize, at: f64| [x, y, z].iter().all(|p| (p.0[a] - at).abs() < 1e-9);
        [(0, 0.4), (1, 0.4), (2, 0.2)].iter().any(|(a, at)| side(*a, *at) || side(*a, -at))
    };
    let (mut area, mut square) = (0.0, 0.0);
    for [a, b, c] in tets.boundary().map(|face| face.map(at)).filter(|[a, b, c]| !outside(*a, *b, *c)) {
        let vector = (b - a).cross(c - a) * 0.5;
        area += vector.norm();
        square += vector.dot(PULL).abs();
    }
    let quality = |tet: &[u32; 4]| radius_ratio(tet.map(|n| at(n).0));
    (area, square, tets.table.nodes.iter().map(quality).fold(f64::INFINITY, f64::min))
}

#[test]
fn cracks_leave_the_grid_where_elements_may_be_cut() {
    for method in [Method::Tet, Method::Edge] {
        let scene = block(method, true);
        let whole = Simulation::<f64>::build(&scene).expect("a block");
        let broken = burst(&scene, 40);
        assert_eq!(broken.bodies()[0].fragments, 2, "{method:?}: {:?}", broken.fragments(0));
        let (area, square, worst) = crack(&broken);
        // The plane through the middle: 0.8 m over the cosine, times 0.4 m, on both sides.
        let plane = 2.0 * 0.4 * 0.8 / PULL[0];
        assert!(square / area > 0.94, "{method:?}: {square} of {area} m² are square to the pull");
        assert!((square / plane - 1.0).abs() < 0.05, "{method:?}: {square} m² instead of {plane} m²");
        assert!(worst >= 0.1, "{method:?}: a sliver of {worst}");
        // Each event tells the direction of the stress that it followed.
        let mut told = burst(&scene, 40).take_cracks();
        assert!(!told.is_empty() && told.iter().all(|c| Vec3(c.normal).dot(PULL).abs() > 0.95), "{method:?}");
        let sum: f64 = told.drain(..).map(|c| 2.0 * c.area).sum();
        assert!((sum / plane - 1.0).abs() < 0.25, "{method:?}: {sum} m² are told of {plane} m²");
        // Nothing is lost.
        let drift = |now: [f64; 3], then: [f64; 3]| (0..3).map(|a| (now[a] - then[a]).abs()).fold(0.0, f64::max);
        let weight = mass(&whole);
        assert!((mass(&broken) / weight - 1.0).abs() < 1e-12, "{method:?}");
        let before = burst(&scene, 0);
        assert!(drift(broken.momentum(), before.momentum()) < 1e-10 * weight, "{method:?}");
        assert!(drift(broken.angular_momentum(), before.angular_momentum()) < 1e-9 * weight, "{method:?}");
        // Along faces it is a staircase.
        let (stairs, of_them, _) = crack(&burst(&block(method, false), 60));
        assert!(of_them / stairs < 0.9, "{method:?}: {of_them} of {stairs} m²");
    }
}

#[test]
fn cracks_through_elements_are_the_same_for_any_number_of_threads_and_after_a_snapshot() {
    let scene = block(Method::Tet, true);
    let run = |threads: usize, count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| burst(&scene, count))
    };
    let one = run(1, 40);
    assert!(one.bodies()[0].elements > 1280);
    assert_eq!(one.state_hash(), run(3, 40).state_hash());
    let kept = run(2, 5).snapshot();
    let mut on = Simulation::<f64>::build(&scene).expect("a block");
    on.restore(&kept).expect("its own snapshot");
    steps(&mut on, 35, 1e-6);
    assert_eq!(one.state_hash(), on.state_hash());
}

#[test]
fn nodes_on_edges_count_against_the_budget() {
    let mut scene = block(Method::Tet, true);
    scene.solver.max_new_nodes = 30;
    let mut simulation = burst(&scene, 0);
    let (mut broken, mut waiting) = (0, 0);
    for _ in 0..200 {
        let report = simulation.step(1e-6).expect("a step");
        assert!(report.new_nodes <= 30, "{} nodes in a step", report.new_nodes);
        broken += report.new_nodes;
        waiting += report.waiting;
    }
    assert!(broken > 100 && waiting > 0, "{broken} {waiting}");
    assert_eq!(simulation.bodies()[0].fragments, 2);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let mut whole = bar(Method::Tet, [10, 2, 2], chalk(1e9));
    whole.whole_cells = (0..200).map(|t| t / 5).collect();
    whole.cut_elements = true;
    let said = Simulation::<f64>::build(&alone(whole, Integrator::LeapFrog, 1e-3)).err().expect("refused").to_string();
    assert!(said.contains("cubes that stay whole"), "{said}");
}
