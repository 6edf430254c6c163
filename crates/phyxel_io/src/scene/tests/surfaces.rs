//! Which surface of a body is drawn, and what a file says about it.

use super::*;
use phyxel::scene::{DEFAULT_SURFELS, SurfaceKind};
use phyxel::shape::Geometry;

#[test]
fn surfaces_and_surfels_are_read() {
    let body = |lines: &str| parse(&format!("{SMALL}{lines}\n")).unwrap_or_else(|e| panic!("{e}")).bodies.remove(0);
    let plain = body("");
    assert_eq!((plain.surface, plain.surfels), (SurfaceKind::Auto, DEFAULT_SURFELS));
    for kind in SurfaceKind::ALL {
        assert_eq!(body(&format!("surface = \"{}\"", kind.name())).surface, kind);
    }
    let multi = body("surface = \"multi\"\nsurfels = 53000");
    assert_eq!((multi.surface, multi.surfels), (SurfaceKind::Multi, 53_000));
}

#[test]
fn surfaces_that_make_no_sense_are_refused_with_the_remedy() {
    let refusal = |lines: &str| sentence(&format!("{SMALL}{lines}\n"));
    assert!(refusal("surface = \"surfel\"").contains("surfels"));
    assert!(refusal("surfels = 100").contains("surface = \"surfels\""));
    assert!(refusal("surface = \"surfels\"\nsurfels = 0").contains("surfels"));
    assert!(refusal("surface = \"multi\"\nsurfels = 90000000").contains("10 million"));
    assert!(refusal("method = \"tet\"\nsurface = \"multi\"").contains("method = \"mls\""));
    assert!(refusal("skin = \"file\"").contains("leave it out"));
}

/// A cube with texture coordinates and a material, as each kind of body.
#[test]
fn a_files_looks_reach_every_kind_of_body() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut obj = String::from("mtllib cube.mtl\nusemtl paint\n");
    for i in 0..8 {
        obj += &format!("v {} {} {}\nvt {} {}\n", i & 1, i >> 1 & 1, i >> 2, i & 1, i >> 1 & 1);
    }
    for [a, b, c, d] in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        obj += &format!("f {a}/{a} {b}/{b} {c}/{c} {d}/{d}\n");
    }
    std::fs::write(folder.path().join("cube.obj"), obj).expect("written");
    std::fs::write(folder.path().join("cube.mtl"), "newmtl paint\nKd 1 0.5 0.25\n").expect("written");
    let scene = folder.path().join("scene.toml");
    let body = |lines: &str| {
        let text = format!("[[bodies]]\nname = \"cube\"\nposition = [0, 3, 0]\n{lines}\n");
        parse_scene(&text, &scene.display().to_string(), &[]).unwrap_or_else(|e| panic!("{e}")).bodies.remove(0)
    };
    let phyxels = body("shape = { file = \"cube.obj\" }\nsize = 0.25");
    let cover = body("shape = { file = \"cube.obj\", fill = \"cover\" }\nmethod = \"tet\"\nsize = 0.5");
    let fitted = body("shape = { file = \"cube.obj\" }\nmethod = \"tet\"\nsize = 0.25\nskin = \"file\"");
    for body in [&phyxels, &cover, &fitted] {
        assert_eq!((body.look.uvs.len(), body.look.parts.len()), (12, 1));
        assert_eq!(
            (body.look.parts[0].name.as_str(), body.look.parts[0].colour),
            ("paint", Some([1.0, 0.5, 0.25, 1.0]))
        );
    }
    let (Geometry::Points(sampling), Some(skin)) = (&phyxels.geometry, &fitted.skin) else { panic!("kinds") };
    assert_eq!(&sampling.skin, skin);
    assert!(skin.points.iter().all(|p| (3.0..=4.0).contains(&p[1])), "placed like the body");
    // Without being asked for, the boundary of the tetrahedra is drawn, and that is told.
    let plain = body("shape = { file = \"cube.obj\" }\nmethod = \"tet\"\nsize = 0.25");
    assert_eq!((plain.skin, plain.look.uvs.len()), (None, 0));
    assert!(plain.notes.iter().any(|n| n.contains("skin = \"file\"")), "{:?}", plain.notes);
}

/// A tetrahedron with a texture coordinate, drawn instead of what carries it.
#[test]
fn any_body_may_carry_another_surface() {
    let folder = tempfile::tempdir().expect("a folder");
    let corners = "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nvt 0.5 0.5\n";
    let faces = "f 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 1/1 4/1 3/1\nf 2/1 3/1 4/1\nf 1/1 1/1 2/1\n";
    std::fs::write(folder.path().join("detail.obj"), format!("{corners}{faces}")).expect("written");
    let scene = folder.path().join("scene.toml").display().to_string();
    let read = |lines: &str| {
        let text = format!("[[bodies]]\nname = \"block\"\nposition = [0, 3, 0]\n{lines}\n");
        parse_scene(&text, &scene, &[])
    };
    let skin = "skin = { file = \"detail.obj\", origin = \"centre\" }";
    let block = |method: &str, skin: &str| {
        let lines = format!("shape = {{ box = [0.4, 0.4, 0.4] }}\nmethod = \"{method}\"\nsize = 0.1\n{skin}");
        read(&lines).unwrap_or_else(|e| panic!("{e}"))
    };
    let (tets, phyxels) = (block("tet", skin), block("mls", skin));
    let carried = tets.bodies[0].skin.as_ref().expect("a skin");
    let Geometry::Points(sampling) = &phyxels.bodies[0].geometry else { panic!("phyxels") };
    assert_eq!((carried, carried.triangles.len()), (&sampling.skin, 4));
    for (point, height) in carried.points.iter().zip([2.9, 2.9, 3.1, 2.9]) {
        assert!((point[1] - height).abs() < 1e-12, "placed like the body: {point:?}");
    }
    for built in [&tets, &phyxels] {
        assert_eq!(built.bodies[0].look.uvs.len(), 4);
        let notes = built.bodies[0].notes.join("; ");
        assert!(notes.contains("the file of its skin has 1 face without area"), "{notes}");
        let (model, warnings) = phyxel::model::Model::<f32>::build(built).expect("a model");
        assert_eq!(model.bodies[0].layout.skin_triangles.len(), 4);
        assert!(!warnings.iter().any(|w| w.contains("outside")), "{warnings:?}");
    }
    // One that hangs in the air is told, with the distance.
    let away = block("tet", "skin = { file = \"detail.obj\", origin = \"centre\", height = 2.0 }");
    let warnings = phyxel::model::Model::<f32>::build(&away).expect("a model").1;
    assert!(warnings.iter().any(|w| w.contains("of its skin lie outside of it")), "{warnings:?}");
    let refused = |lines: &str| read(lines).expect_err("refused").to_string();
    let rope = "shape = { rope = { length = 1.0, radius = 0.01 } }\nmethod = \"spring\"\nsize = 0.1\n";
    assert!(refused(&format!("{rope}{skin}")).contains("springs have neither"));
    let lost = refused("shape = { box = [1, 1, 1] }\nskin = { file = \"lost.obj\" }");
    assert!(lost.contains("lost.obj") && lost.contains("skin"), "{lost}");
}

/// A cube with the normals of its faces, a face without area, and a library that is not there; the body is turned.
#[test]
fn normals_turn_with_the_body_and_flaws_of_the_file_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut obj = String::from("mtllib lost.mtl\n");
    for i in 0..8 {
        obj += &format!("v {} {} {}\n", i & 1, i >> 1 & 1, i >> 2);
    }
    obj += "v 0.5 0 0\nvn 0 0 -1\nvn 0 0 1\nvn 0 -1 0\nvn 0 1 0\nvn -1 0 0\nvn 1 0 0\n";
    let faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    for (n, [a, b, c, d]) in faces.into_iter().enumerate() {
        let n = n + 1;
        obj += &format!("f {a}//{n} {b}//{n} {c}//{n} {d}//{n}\n");
    }
    obj += "f 1//1 2//1 9//1\n";
    std::fs::write(folder.path().join("cube.obj"), obj).expect("written");
    let scene = folder.path().join("scene.toml");
    let text = "[[bodies]]\nname = \"cube\"\nrotation = [20, 30, 40]\nshape = { file = \"cube.obj\" }\nsize = 0.25\n";
    let parsed = parse_scene(text, &scene.display().to_string(), &[]).unwrap_or_else(|e| panic!("{e}"));
    let body = &parsed.bodies[0];
    let Geometry::Points(sampling) = &body.geometry else { panic!("phyxels") };
    assert_eq!((body.look.normals.len(), sampling.skin.triangles.len()), (12, 12));
    for (given, t) in body.look.normals.iter().zip(&sampling.skin.triangles) {
        let [a, b, c] = t.map(|v| phyxel::math::Vec3(sampling.skin.points[v as usize]));
        let own = (b - a).cross(c - a).normalized();
        assert!(given.iter().all(|n| (0..3).all(|k| (f64::from(n[k]) - own[k]).abs() < 1e-6)), "{given:?} {own:?}");
    }
    let notes = body.notes.join("; ");
    assert!(notes.contains("1 face without area, dropped") && notes.contains("`lost.mtl`"), "{notes}");
}
