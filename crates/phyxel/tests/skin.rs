//! The skin follows its body: exactly in linear fields and rigid motion, smoothly elsewhere, whatever carries it.

use phyxel::math::{Mat3, Vec3};
use phyxel::record::{Look, PartLook};
use phyxel::scene::{Body, Method, Scene, SurfaceKind};
use phyxel::shape::structured::{CubeSplit, box_points, box_tets};
use phyxel::shape::{Geometry, Resolution, Solid, TriMesh, cover};
use phyxel::{BuildError, Material, Simulation};

const LOW: [f64; 3] = [-0.1, 0.0, -0.1];
const HIGH: [f64; 3] = [0.1, 0.8, 0.1];

/// A fine surface of the bar.
fn fine(cells: [usize; 3]) -> TriMesh {
    box_points(cells, LOW, HIGH).expect("a bar").skin
}

/// The bar as phyxels, in a cover, and as tetrahedra with a surface of their own; all with the same skin.
fn bars(skin: &TriMesh) -> Vec<Body> {
    let mut sampling = box_points([4, 16, 4], LOW, HIGH).expect("a bar");
    sampling.skin = skin.clone();
    let solid = Solid::new(fine([1, 4, 1])).expect("a solid");
    let mut covered = cover(&solid, &Resolution::Size(0.1)).expect("a cover");
    covered.skin = skin.clone();
    let mesh = box_tets([4, 16, 4], LOW, HIGH, CubeSplit::Five).expect("a bar");
    let body = |name: &str, geometry, method| Body::new(name, geometry, method, Material::default());
    let mut tets = body("tets", Geometry::Tets(mesh), Method::Tet);
    tets.skin = Some(skin.clone());
    vec![
        body("phyxels", Geometry::Points(sampling), Method::Mls),
        body("cover", Geometry::Embedded(covered), Method::Tet),
        tets,
    ]
}

fn simulation(body: Body) -> Simulation<f64> {
    Simulation::build(&Scene { bodies: vec![body], ..Scene::default() }).expect("a scene")
}

/// Moves the nodes by a map of space, and gives the skin.
fn skin_under(simulation: &mut Simulation<f64>, map: impl Fn(Vec3<f64>) -> Vec3<f64>) -> Vec<[f64; 3]> {
    let rest = simulation.model().rest.clone();
    simulation.state_mut().u = rest.iter().map(|x| map(*x) - *x).collect();
    simulation.frame(0).bodies.remove(0).skin
}

#[test]
fn linear_fields_are_reproduced_and_rigid_motion_stays_rigid() {
    let skin = fine([7, 23, 5]);
    let stretch = Mat3([[1.3, 0.2, -0.1], [0.05, 0.8, 0.3], [0.2, -0.4, 1.1]]);
    let (s, c) = 1.1_f64.sin_cos();
    let turn = Mat3([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]);
    for body in bars(&skin) {
        let name = body.name.clone();
        let mut simulation = simulation(body);
        for gradient in [stretch, turn] {
            let shift = Vec3([0.3, -2.0, 5.0]);
            let found = skin_under(&mut simulation, |x| gradient * x + shift);
            let error = |(p, x): (&[f64; 3], &[f64; 3])| (Vec3(*p) - (gradient * Vec3(*x) + shift)).norm();
            let worst = found.iter().zip(&skin.points).map(error).fold(0.0, f64::max);
            assert!(worst < 1e-11, "{name}: {worst}");
        }
    }
}

/// The angle between the triangles on both sides of every edge [rad], in a fixed order.
fn bends(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<f64> {
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| Vec3(points[v as usize]));
        (b - a).cross(c - a).normalized()
    };
    let mut sides: Vec<([u32; 2], usize)> = Vec::new();
    for (i, t) in triangles.iter().enumerate() {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            sides.push(([a.min(b), a.max(b)], i));
        }
    }
    sides.sort_unstable();
    let pairs = sides.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge.len() == 2);
    pairs.map(|e| normal(&triangles[e[0].1]).cross(normal(&triangles[e[1].1])).norm().asin()).collect()
}

/// "No visible facets": a bar is turned by a quarter over its length, and its skin has ten triangles for every distance
/// between nodes. Edges of the skin bend by hardly more than those of a skin that follows the twist exactly.
#[test]
fn a_twisted_bar_shows_no_facets() {
    let skin = fine([40, 160, 40]);
    let twist = |x: Vec3<f64>| {
        let (s, c) = (0.5 * std::f64::consts::PI * x[1] / 0.8).sin_cos();
        Vec3([c * x[0] + s * x[2], x[1], -s * x[0] + c * x[2]])
    };
    let exact: Vec<[f64; 3]> = skin.points.iter().map(|p| twist(Vec3(*p)).0).collect();
    let smooth = bends(&exact, &skin.triangles);
    let body = bars(&skin).remove(0);
    let found = skin_under(&mut simulation(body), twist);
    let more = bends(&found, &skin.triangles).iter().zip(&smooth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let off = found.iter().zip(&exact).map(|(p, q)| (Vec3(*p) - Vec3(*q)).norm()).fold(0.0, f64::max);
    println!("bends differ by {} degrees at most, places by {} spacings", more.to_degrees(), off / 0.05);
    assert!(more.to_degrees() < 1.0, "{} degrees", more.to_degrees());
    assert!(off < 0.02 * 0.05, "{off}");
}

#[test]
fn looks_reach_the_layout_of_every_kind_of_body() {
    let skin = fine([2, 3, 2]);
    let part = |name: &str| PartLook { name: name.into(), ..PartLook::default() };
    let look = Look {
        colour: Some([200, 156, 104]),
        uvs: (0..skin.triangles.len()).map(|t| [[t as f32, 0.0], [0.5, 0.25], [0.0, 1.0]]).collect(),
        normals: vec![[[0.0, 1.0, 0.0]; 3]; skin.triangles.len()],
        colours: skin.points.iter().map(|p| p.map(|c| c as f32)).collect(),
        parts: vec![part("paint"), part("metal")],
    };
    let parts: Vec<u32> = (0..skin.triangles.len() as u32).map(|t| t % 2).collect();
    for mut body in bars(&skin) {
        (body.look, body.skin_parts) = (look.clone(), parts.clone());
        let layout = simulation(body).layouts().remove(0);
        assert_eq!((&layout.look, &layout.skin_parts), (&look, &parts));
        assert_eq!(layout.skin_triangles, skin.triangles);
    }
}

#[test]
fn what_is_drawn_changes_nothing_in_mechanics() {
    let run = |change: fn(&mut Body)| {
        let mut bodies = bars(&fine([2, 6, 2]));
        bodies.iter_mut().enumerate().for_each(|(k, b)| b.velocity = [0.3 - 0.3 * k as f64, 0.0, 0.0]);
        bodies.iter_mut().for_each(change);
        let mut simulation = Simulation::<f64>::build(&Scene { bodies, ..Scene::default() }).expect("a scene");
        simulation.advance_to(0.05).expect("steps");
        simulation.state_hash()
    };
    let plain = run(|b| b.skin = None);
    assert_eq!(plain, run(|_| ()));
    assert_eq!(plain, run(|b| b.surface = if b.method == Method::Mls { SurfaceKind::Multi } else { b.surface }));
}

#[test]
fn bad_skins_are_refused_or_told_by_name() {
    let skin = fine([2, 3, 2]);
    let error = |body: Body| {
        let scene = Scene { bodies: vec![body], ..Scene::default() };
        Simulation::<f64>::build(&scene).err().expect("refused").to_string()
    };
    for kind in 0..3 {
        let body = || bars(&skin).remove(kind);
        let mut short = body();
        short.look.uvs = vec![[[0.0; 2]; 3]; 5];
        let sentence = error(short);
        assert!(sentence.contains("texture coordinate") && sentence.contains(&body().name), "{sentence}");
        let mut nowhere = body();
        nowhere.look.colours = vec![[1.0; 3]; 1];
        assert!(error(nowhere).contains("colour of skin vertex"));
        // A vertex far away and a triangle without area are told, and the rest is drawn.
        let mut odd = skin.clone();
        odd.points[0] = [0.0, 5.0, 0.0];
        odd.triangles.push([1, 2, 2]);
        let simulation = simulation(bars(&odd).remove(kind));
        let warnings = simulation.warnings().join("\n");
        let name = format!("{:?}", body().name);
        assert!(warnings.contains("outside of it") && warnings.contains("no area"), "{warnings}");
        assert_eq!(warnings.matches(&name).count(), 2, "{warnings}");
        assert!(simulation.frame(0).bodies[0].skin.iter().flatten().all(|c| c.is_finite()));
    }
    let mut tets = bars(&skin).remove(2);
    tets.surface = SurfaceKind::Reconstructed;
    let scene = Scene { bodies: vec![tets], ..Scene::default() };
    assert!(matches!(Simulation::<f64>::build(&scene), Err(BuildError::Unsupported { .. })));
}
