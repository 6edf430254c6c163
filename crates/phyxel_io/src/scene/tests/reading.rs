//! Good scenes.

use phyxel::material::{LawKind, Material};
use phyxel::scene::Place;
use phyxel::scene::*;
use phyxel::shape::Geometry;

use super::*;

#[test]
fn a_small_scene_has_the_documented_defaults() {
    let scene = parse(SMALL).unwrap();
    assert_eq!(scene.name, "untitled");
    assert_eq!((scene.duration, scene.frame_rate, scene.gravity), (3.0, 60.0, [0.0, -9.81, 0.0]));
    assert_eq!(scene.solver, SolverSettings::default());
    assert_eq!(scene.bodies.len(), 1);
    let body = &scene.bodies[0];
    assert_eq!(body.method, Method::Mls);
    assert_eq!(body.material, Material::default());
    assert_eq!(body.mls, MlsSettings::default());
    assert_eq!(body.mass, MassKind::Lumped);
}

#[test]
fn bodies_say_where_they_want_to_be_calculated() {
    assert_eq!(parse(SMALL).unwrap().bodies[0].place, Place::Auto);
    for (word, place) in [("cpu", Place::Cpu), ("gpu", Place::Gpu), ("auto", Place::Auto)] {
        assert_eq!(parse(&format!("{SMALL}device = '{word}'\n")).unwrap().bodies[0].place, place);
    }
    let error = parse(&format!("{SMALL}device = 'abacus'\n")).unwrap_err().to_string();
    assert!(error.contains("device") && error.contains("auto, cpu, gpu"), "{error}");
}

#[test]
fn cloth_and_rope_are_springs_unless_told_otherwise() {
    let text = SMALL.replace("{ box = [1, 1, 1] }", "{ cloth = { size = [1, 1], thickness = 0.001 } }");
    assert_eq!(parse(&text).unwrap().bodies[0].method, Method::Spring);
}

#[test]
fn every_key_of_the_solver_is_read() {
    let text = format!(
        "name = 'all'\nduration = 1\nframe_rate = 30\ngravity = [1, 2, 3]\n[solver]\nmethod = 'xpbd'\nstep = 0.01\n\
         linear = 'lu'\ntolerance = 1e-6\nrelative_to = 'momentum'\nmax_iterations = 7\nnewton_iterations = 3\nnewton_tolerance = 1e-7\n\
         iterations = 5\nsubsteps = 2\npbd_stiffness = 1\nconserve_momentum = false\n\
         sleep_speed = 0.5\nmax_new_nodes = 77\n{SMALL}"
    );
    let scene = parse(&text).unwrap();
    assert_eq!((scene.name.as_str(), scene.duration, scene.frame_rate), ("all", 1.0, 30.0));
    assert_eq!(scene.gravity, [1.0, 2.0, 3.0]);
    let expected = SolverSettings {
        integrator: Integrator::Xpbd,
        step: 0.01,
        linear: LinearSolver::Lu,
        tolerance: 1e-6,
        relative_to: RelativeTo::Momentum,
        max_iterations: 7,
        newton_iterations: 3,
        newton_tolerance: 1e-7,
        iterations: 5,
        substeps: 2,
        pbd_stiffness: 1.0,
        conserve_momentum: false,
        sleep_speed: 0.5,
        max_new_nodes: 77,
    };
    assert_eq!(scene.solver, expected);
}

#[test]
fn a_material_overrides_its_preset() {
    let text = format!(
        "[materials.soft]\npreset = 'rubber'\nlaw = 'neo-hookean'\nyoung_modulus = 123.0\nviscosity = 2\n{SMALL}material = 'soft'\n"
    );
    let material = parse(&text).unwrap().bodies[0].material.clone();
    let rubber = Material::preset("rubber").unwrap();
    let expected = Material { law: LawKind::NeoHookean, young_modulus: 123.0, viscosity: 2.0, ..rubber };
    assert_eq!(material, expected);
}

#[test]
fn colours_are_those_of_the_body_its_material_or_its_preset() {
    let table = "[materials.soft]\npreset = 'rubber'\ncolour = '#0A141e'\n";
    let colour = |text: &str| parse(text).unwrap().bodies[0].colour();
    assert_eq!(colour(SMALL), None);
    assert_eq!(colour(&format!("{SMALL}material = 'wood'\n")), Some([200, 156, 104]));
    assert_eq!(colour(&format!("{table}{SMALL}material = 'soft'\n")), Some([10, 20, 30]));
    assert_eq!(colour(&format!("{table}{SMALL}material = 'soft'\ncolour = '#ffffff'\n")), Some([255; 3]));
}

#[test]
fn a_body_may_name_a_preset_directly() {
    let scene = parse(&format!("{SMALL}material = 'rubber'\n")).unwrap();
    assert_eq!(Some(scene.bodies[0].material.clone()), Material::preset("rubber"));
}

#[test]
fn an_anisotropic_material_carries_its_matrix() {
    let rows = (0..6)
        .map(|i| format!("{:?}", (0..6).map(|j| if i == j { 10.0 + i as f64 } else { 1.0 }).collect::<Vec<f64>>()))
        .collect::<Vec<_>>()
        .join(",");
    let text =
        format!("[materials.wood]\nlaw = 'anisotropic'\nstiffness_matrix = [{rows}]\n{SMALL}material = 'wood'\n");
    let LawKind::Anisotropic(matrix) = parse(&text).unwrap().bodies[0].material.law.clone() else {
        panic!("the law is anisotropic")
    };
    assert_eq!((matrix[0][0], matrix[5][5], matrix[2][3]), (10.0, 15.0, 1.0));
}

#[test]
fn pins_and_loads_are_read_with_their_regions() {
    let text = format!(
        "{SMALL}pins = [{{ all = true, axes = ['x', 'z'] }}, {{ box = {{ min = [-1, -1, -1], max = [1, 1, 1] }}, \
         velocity = [1, 0, 0], spin = [0, 2, 0], center = [0, 0, 1], until = 0.5 }}]\n\
         loads = [{{ sphere = {{ center = [0, 0, 0], radius = 2 }}, pressure = 5 }}, {{ all = true, total_force = [0, 1, 0] }}]\n"
    );
    let body = parse(&text).unwrap().bodies.remove(0);
    assert_eq!(body.pins[0], Pin { axes: [true, false, true], ..Pin::hold(Region::All) });
    let region = Region::Box { min: [-1.0; 3], max: [1.0; 3] };
    let moving = Pin {
        velocity: [1.0, 0.0, 0.0],
        spin: [0.0, 2.0, 0.0],
        center: [0.0, 0.0, 1.0],
        until: 0.5,
        ..Pin::hold(region)
    };
    assert_eq!(body.pins[1], moving);
    assert_eq!(body.loads[0].kind, LoadKind::Pressure(5.0));
    assert_eq!(body.loads[0].region, Region::Sphere { center: [0.0; 3], radius: 2.0 });
    assert_eq!(body.loads[1].kind, LoadKind::TotalForce([0.0, 1.0, 0.0]));
}

#[test]
fn meshless_settings_are_read() {
    let text = format!(
        "{SMALL}kernel = 'cosine'\nsupport = {{ k = 10, factor = 3 }}\nstabilisation = 0\nconsistency = false\n\
         lagrangian = 'updated'\nreanchor = 0\n"
    );
    let expected = MlsSettings {
        kernel: KernelKind::Cosine,
        support: Support::Nearest { k: 10, factor: 3.0 },
        stabilisation: 0.0,
        consistency: false,
        lagrangian: Lagrangian::Updated,
        reanchor: 0.0,
    };
    assert_eq!(parse(&text).unwrap().bodies[0].mls, expected);
}

#[test]
fn events_come_in_order_and_later_changes_keep_earlier_ones() {
    let text = format!(
        "{SMALL}[[events]]\nat = 2\nset = {{ poisson_ratio = 0.1 }}\n[[events]]\nat = 1\nbody = 'cube'\n\
         set = {{ young_modulus = 7 }}\n[[events]]\nat = 0.5\ngravity = [0, 0, 0]\n"
    );
    let events = parse(&text).unwrap().events;
    assert_eq!(events.iter().map(|event| event.at).collect::<Vec<_>>(), [0.5, 1.0, 2.0]);
    assert_eq!(events[0].action, Action::SetGravity([0.0; 3]));
    let changed = Material { young_modulus: 7.0, ..Material::default() };
    assert_eq!(events[1].action, Action::SetMaterial(changed.clone()));
    assert_eq!(events[2].action, Action::SetMaterial(Material { poisson_ratio: 0.1, ..changed }));
    assert_eq!(events[2].body.as_deref(), Some("cube"));
}

#[test]
fn overrides_reach_solver_bodies_and_materials() {
    let text = format!("[materials.jelly]\ndensity = 900\n{SMALL}material = 'jelly'\n");
    let scene = parse_with(
        &text,
        &[
            ("solver.step", "0.001"),
            ("solver.method", "rk4"),
            ("bodies.cube.velocity", "[1, 2, 3]"),
            ("bodies.0.count", "8"),
            ("materials.jelly.young_modulus", "1e5"),
            ("name", "other"),
        ],
    )
    .unwrap();
    assert_eq!((scene.solver.step, scene.solver.integrator), (0.001, Integrator::Rk4));
    assert_eq!(scene.bodies[0].velocity, [1.0, 2.0, 3.0]);
    assert_eq!((scene.bodies[0].material.young_modulus, scene.bodies[0].material.density), (1e5, 900.0));
    assert_eq!(scene.name, "other");
}

#[test]
fn an_override_of_a_preset_changes_the_preset() {
    let text = format!("{SMALL}material = 'rubber'\n");
    let scene = parse_with(&text, &[("materials.rubber.density", "777")]).unwrap();
    assert_eq!(scene.bodies[0].material, Material { density: 777.0, ..Material::preset("rubber").unwrap() });
}

#[test]
fn boxes_are_cut_into_five_or_six_tetrahedra_per_cell() {
    for (split, per_cell) in [("five", 5), ("six", 6)] {
        let text = SMALL.replace("size = 0.5", &format!("cells = [2, 3, 4]\nmethod = 'tet'\nsplit = '{split}'"));
        let Geometry::Tets(mesh) = parse(&text).unwrap().bodies.remove(0).geometry else { panic!("tetrahedra") };
        assert_eq!((mesh.points.len(), mesh.tets.len()), (60, 24 * per_cell));
    }
}

#[test]
fn rotation_is_in_degrees_and_position_moves_the_centre() {
    let text = format!("{SMALL}position = [0, 5, 0]\nrotation = [0, 0, 45]\n");
    let Geometry::Points(cube) = parse(&text).unwrap().bodies.remove(0).geometry else { panic!("phyxels") };
    let top = cube.points.iter().map(|point| point[1]).fold(0.0, f64::max);
    assert!((top - (5.0 + 0.5_f64.sqrt())).abs() < 1e-12, "half a diagonal above the centre, not {top}");
}

#[test]
fn a_wall_is_made_of_cubes_as_thick_as_itself() {
    let text = "[[bodies]]\nname = 'w'\nshape = { wall = [1.8, 0.3, 0.1] }\nmethod = 'tet'\n";
    let scene = parse_scene(text, "wall.toml", &[]).unwrap();
    let phyxel::shape::Geometry::Tets(mesh) = &scene.bodies[0].geometry else { panic!("tetrahedra") };
    // Morris 2010: 18 x 3 x 1 cubes of five tetrahedra, 152 nodes.
    assert_eq!((mesh.tets.len(), mesh.points.len()), (270, 152));
}

#[test]
fn a_scene_may_have_a_camera() {
    assert_eq!(parse(SMALL).unwrap().camera, None);
    let text = format!("{SMALL}[camera]\nposition = [1, 2, 3]\ntarget = [0, 0.5, 0]\n");
    let camera = Camera { position: [1.0, 2.0, 3.0], target: [0.0, 0.5, 0.0], fov: 30.0 };
    assert_eq!(parse(&text).unwrap().camera, Some(camera));
    assert_eq!(parse(&format!("{text}fov = 60\n")).unwrap().camera, Some(Camera { fov: 60.0, ..camera }));
}
