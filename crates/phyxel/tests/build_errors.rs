//! Scenes that cannot be built are refused with a sentence that names the thing and the remedy.

mod common;

use common::{above_floor, cube};
use phyxel::material::LawKind;
use phyxel::scene::{
    Action, Camera, ColliderShape, Event, Integrator, Load, LoadKind, MassKind, Method, Pin, Region, Scene, Support,
};
use phyxel::shape::{Geometry, PointSampling, TetMesh};
use phyxel::{AnySimulation, Material, Precision};

type Change = fn(&mut Scene);

fn sound(method: Method) -> Scene {
    let body = cube(method, 2, 0.1, [0.0, 0.5, 0.0], &Material::default());
    above_floor(body, Integrator::ImplicitEuler, 1.0 / 60.0, 0.5)
}

fn complaint(method: Method, change: Change) -> String {
    let mut scene = sound(method);
    change(&mut scene);
    match AnySimulation::build(&scene, Precision::F32) {
        Ok(_) => panic!("a mistake went unnoticed"),
        Err(error) => error.to_string(),
    }
}

fn assert_complaints(method: Method, table: &[(Change, &[&str])]) {
    for (i, (change, words)) in table.iter().enumerate() {
        let message = complaint(method, *change);
        for word in *words {
            assert!(message.contains(word), "mistake {i}: {message:?} does not contain {word:?}");
        }
    }
}

#[test]
fn sound_scenes_are_built() {
    for method in Method::ALL {
        assert!(AnySimulation::build(&sound(method), Precision::F32).is_ok(), "{}", method.name());
    }
}

#[test]
fn mistakes_in_the_scene() {
    assert_complaints(
        Method::Tet,
        &[
            (|s| s.bodies.clear(), &["no bodies", "add one"]),
            (|s| s.bodies.push(s.bodies[0].clone()), &["\"cube\"", "a name of its own"]),
            (|s| s.duration = -1.0, &["duration", "-1", "above zero"]),
            (|s| s.frame_rate = 0.0, &["frame_rate", "above zero"]),
            (|s| s.gravity[1] = f64::NAN, &["gravity", "finite"]),
            (|s| s.solver.step = 0.0, &["solver step", "above zero"]),
            (|s| s.solver.tolerance = f64::INFINITY, &["solver tolerance", "finite"]),
            (|s| s.solver.newton_tolerance = -1.0, &["newton_tolerance", "above zero"]),
            (|s| s.solver.max_iterations = 0, &["max_iterations", "above zero"]),
            (|s| s.solver.newton_iterations = 0, &["newton_iterations", "above zero"]),
            (|s| s.solver.iterations = 0, &["iterations", "above zero"]),
            (|s| s.solver.substeps = 0, &["substeps", "above zero"]),
            (|s| s.solver.pbd_stiffness = 1.5, &["pbd_stiffness", "1.5", "up to 1"]),
            (|s| s.solver.pbd_stiffness = 0.0, &["pbd_stiffness", "above zero"]),
            (
                |s| s.camera = Some(Camera { position: [1.0; 3], target: [1.0; 3], fov: 30.0 }),
                &["camera", "above zero"],
            ),
            (|s| s.camera = Some(Camera { position: [1.0; 3], target: [0.0; 3], fov: 0.0 }), &["fov", "1 to 150"]),
            (
                |s| s.camera = Some(Camera { position: [f64::NAN; 3], target: [0.0; 3], fov: 30.0 }),
                &["camera", "finite"],
            ),
            (|s| s.colliders[0].friction = -0.1, &["friction", "-0.1", "zero or more"]),
            (
                |s| s.colliders[0].shape = ColliderShape::HalfSpace { normal: [0.0; 3], offset: 0.0 },
                &["collider's normal", "above zero"],
            ),
            (
                |s| s.colliders[0].shape = ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: f64::NAN },
                &["collider", "finite"],
            ),
        ],
    );
}

fn empty_box() -> Region {
    Region::Box { min: [5.0; 3], max: [6.0; 3] }
}

#[test]
fn mistakes_in_a_body() {
    assert_complaints(
        Method::Tet,
        &[
            (
                |s| s.bodies[0].geometry = Geometry::Tets(TetMesh::default()),
                &["\"cube\"", "no nodes", "shape and size"],
            ),
            (|s| s.bodies[0].method = Method::Mls, &["\"cube\"", "\"mls\"", "use tet, edge, node or selective"]),
            (|s| s.bodies[0].material.density = -1.0, &["\"cube\"", "density is -1", "water has 1000"]),
            (|s| s.bodies[0].velocity[0] = f64::NAN, &["velocity", "\"cube\"", "finite"]),
            (|s| s.bodies[0].spin[2] = f64::INFINITY, &["spin", "\"cube\"", "finite"]),
            (flatten, &["\"cube\"", "tetrahedron", "flat or inside out", "repair the mesh"]),
            (misnumber, &["\"cube\"", "names node 999", "number nodes from 0"]),
            (|s| s.bodies[0].pins = vec![Pin::hold(empty_box())], &["\"cube\"", "a pin", "enlarge its region", "0.45"]),
            (
                |s| s.bodies[0].pins = vec![Pin::hold(Region::Nodes(vec![3, 999]))],
                &["\"cube\"", "node 999", "27 nodes"],
            ),
            (
                |s| s.bodies[0].pins = vec![Pin { velocity: [f64::NAN; 3], ..Pin::hold(Region::All) }],
                &["a pin of body \"cube\"", "finite"],
            ),
            (|s| s.bodies[0].pins = vec![Pin { until: f64::NAN, ..Pin::hold(Region::All) }], &["\"cube\"", "until"]),
            (|s| s.bodies[0].loads = vec![load(empty_box(), 1.0)], &["\"cube\"", "a load", "enlarge its region"]),
            (|s| s.bodies[0].loads = vec![load(Region::All, f64::NAN)], &["a load of body \"cube\"", "finite"]),
            (
                |s| {
                    let kind = LoadKind::Pressure(1.0);
                    s.bodies[0].loads = vec![Load { region: Region::Nodes(vec![0]), kind }];
                },
                &["\"cube\"", "no boundary face", "enlarge"],
            ),
            (
                |s| {
                    s.bodies[0].mass = MassKind::Consistent;
                    s.solver.integrator = Integrator::Verlet;
                },
                &["\"cube\"", "implicit solver", "lumped"],
            ),
            (
                |s| {
                    let mut c = [[0.0; 6]; 6];
                    (0..6).for_each(|i| c[i][i] = 1e5);
                    s.bodies[0].material.law = LawKind::Anisotropic(Box::new(c));
                    s.bodies[0].method = Method::Selective;
                },
                &["\"cube\"", "isotropic", "edge"],
            ),
        ],
    );
}

fn load(region: Region, force: f64) -> Load {
    Load { region, kind: LoadKind::TotalForce([force, 0.0, 0.0]) }
}

fn mesh(scene: &mut Scene) -> &mut TetMesh {
    match &mut scene.bodies[0].geometry {
        Geometry::Tets(mesh) => mesh,
        _ => panic!("made of tetrahedra"),
    }
}

fn flatten(scene: &mut Scene) {
    let mesh = mesh(scene);
    mesh.tets[3].swap(0, 1);
}

fn misnumber(scene: &mut Scene) {
    mesh(scene).tets[3][2] = 999;
}

fn points(scene: &mut Scene) -> &mut PointSampling {
    match &mut scene.bodies[0].geometry {
        Geometry::Points(sampling) => sampling,
        _ => panic!("made of phyxels"),
    }
}

#[test]
fn mistakes_in_phyxels() {
    assert_complaints(
        Method::Mls,
        &[
            (|s| s.bodies[0].method = Method::Edge, &["\"cube\"", "\"edge\"", "use mls"]),
            (|s| s.bodies[0].mass = MassKind::Consistent, &["\"cube\"", "tetrahedra", "lumped"]),
            (|s| points(s).volumes[4] = 0.0, &["\"cube\"", "phyxel 4", "positive"]),
            (|s| points(s).volumes.truncate(26), &["\"cube\"", "26 entries where 27"]),
            (|s| points(s).points[2][0] = f64::NAN, &["\"cube\"", "node 2", "finite"]),
            (|s| s.bodies[0].mls.support = Support::Spacings(-1.0), &["\"cube\"", "-1", "positive"]),
            (|s| s.bodies[0].mls.stabilisation = f64::NAN, &["\"cube\"", "NaN"]),
        ],
    );
}

#[test]
fn mistakes_in_springs() {
    fn net(scene: &mut Scene) -> &mut phyxel::shape::SpringNet {
        match &mut scene.bodies[0].geometry {
            Geometry::Springs(net) => net,
            _ => panic!("made of springs"),
        }
    }
    assert_complaints(
        Method::Spring,
        &[
            (|s| s.bodies[0].method = Method::Tet, &["\"cube\"", "\"tet\"", "use spring"]),
            (|s| net(s).springs[1].nodes[0] = 999, &["\"cube\"", "spring 1", "999"]),
            (|s| net(s).springs[1].rest_length = 0.0, &["\"cube\"", "spring 1", "length"]),
            (|s| net(s).springs[2].stiffness = f64::NAN, &["\"cube\"", "spring 2", "stiffness"]),
            (|s| net(s).masses[3] = 0.0, &["\"cube\"", "node 3", "mass"]),
            (|s| net(s).masses.truncate(26), &["\"cube\"", "26", "27"]),
            (|s| net(s).points[5][1] = f64::NAN, &["\"cube\"", "node 5", "finite"]),
        ],
    );
}

fn event(scene: &mut Scene, action: Action) {
    scene.events = vec![Event { at: 0.5, body: Some("cube".into()), action }];
}

#[test]
fn mistakes_in_events() {
    assert_complaints(
        Method::Tet,
        &[
            (
                |s| s.events = vec![Event { at: 1.0, body: Some("ball".into()), action: Action::Release }],
                &["\"ball\"", "does not exist", "\"cube\""],
            ),
            (
                |s| s.events = vec![Event { at: 1e9, body: None, action: Action::Release }],
                &["1000000000 s", "outside the scene's duration"],
            ),
            (
                |s| s.events = vec![Event { at: f64::NAN, body: None, action: Action::Release }],
                &["NaN", "outside the scene's duration"],
            ),
            (|s| event(s, Action::Push([f64::NAN; 3])), &["0.5 s", "finite"]),
            (|s| event(s, Action::SetGravity([f64::INFINITY; 3])), &["0.5 s", "finite"]),
            (
                |s| event(s, Action::SetMaterial(Material { density: 1.0, ..Material::default() })),
                &["0.5 s", "density"],
            ),
            (|s| event(s, Action::SetHeat(Vec::new())), &["0.5 s", "no temperature"]),
            (
                |s| event(s, Action::SetMaterial(Material { poisson_ratio: 0.5, ..Material::default() })),
                &["\"cube\"", "poisson_ratio is 0.5", "0.49"],
            ),
            (
                |s| event(s, Action::Pin(vec![Pin { velocity: [f64::NAN; 3], ..Pin::hold(Region::All) }])),
                &["a pin", "finite"],
            ),
            (|s| event(s, Action::SetLoads(vec![load(Region::All, f64::NAN)])), &["a load", "finite"]),
        ],
    );
}
