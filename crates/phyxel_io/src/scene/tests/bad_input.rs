//! Bad scenes, and the sentences that people get.

use super::*;

/// Each line of text, and parts that its error must have.
fn refused(cases: &[(&str, &[&str])]) {
    for (text, parts) in cases {
        let sentence = sentence(text);
        for part in *parts {
            assert!(sentence.contains(part), "no `{part}` in: {sentence}\nfrom:\n{text}");
        }
        assert!(sentence.starts_with("test.toml"), "no file in: {sentence}");
        assert!(!sentence.contains('\n'), "more than one line: {sentence}");
    }
}

fn with(lines: &str) -> String {
    format!("{SMALL}{lines}\n")
}

#[test]
fn files_that_are_no_scenes() {
    refused(&[
        ("", &["is empty", "[[bodies]]"]),
        (" \n\t\n", &["is empty"]),
        ("# only a comment\n", &["no bodies", "[[bodies]]"]),
        ("a\0b", &["not text"]),
        ("name = \n", &["line 1", "not valid TOML"]),
        ("name = 'a'\nname = 'b'\n", &["line 2", "not valid TOML"]),
        ("name = 'x'\n", &["no bodies"]),
        ("bodies = []\n", &["no bodies"]),
        ("bodies = 3\n", &["line 1, bodies", "the number 3"]),
    ]);
}

#[test]
fn unreadable_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.toml");
    let error = read_scene(&missing, &[]).unwrap_err().to_string();
    assert!(error.contains("missing.toml") && error.contains("cannot be read"), "{error}");
    let binary = folder.path().join("binary.toml");
    std::fs::write(&binary, [0xffu8, 0xfe, 0, 1, 2]).unwrap();
    assert!(matches!(read_scene(&binary, &[]).unwrap_err().problem, Problem::NotText));
    assert!(matches!(read_scene(folder.path(), &[]).unwrap_err().problem, Problem::Unreadable(_)));
}

#[test]
fn unknown_keys_are_suggested_at_every_level() {
    refused(&[
        ("durration = 3\n", &["line 1, durration", "did you mean `duration`?"]),
        ("[solver]\nstpe = 0.1\n", &["line 2, solver.stpe", "did you mean `step`?", "newton_iterations"]),
        ("\n[materials.a]\nyoungs_modulus = 1\n", &["line 3, materials.a.youngs_modulus", "`young_modulus`"]),
        (&with("flavour = 'sweet'"), &["line 5, bodies[0].flavour", "not a known key", "known here: name, shape"]),
        (&with("pins = [{ al = true }]"), &["bodies[0].pins[0].al", "`all`"]),
        (&with("[[events]]\nat = 1\nrelaese = true"), &["line 7, events[0].relaese", "`release`"]),
        (&with("[[colliders]]\nplane = { nromal = [0, 1, 0] }"), &["line 6", "`normal`"]),
    ]);
}

#[test]
fn unknown_words_list_the_known_ones() {
    refused(&[
        ("[solver]\nmethod = 'implicit_euler'\n", &["line 2", "did you mean `implicit-euler`?", "verlet"]),
        ("[solver]\nlinear = 'qr'\n", &["linear solver", "auto, cg, cholesky, lu"]),
        ("[materials.a]\nlaw = 'neohookean'\n", &["`neo-hookean`", "anisotropic"]),
        ("[materials.a]\npreset = 'rubbber'\n", &["line 2, materials.a.preset", "`rubber`"]),
        (&with("material = 'jely'"), &["line 5, bodies[0].material", "\"jely\"", "jelly"]),
        (&with("method = 'fem'"), &["tet, edge, node, selective, mls, spring"]),
        (&with("mass = 'heavy'"), &["lumped, consistent"]),
        (&with("method = 'tet'\nsplit = 'seven'"), &["five, six"]),
        (&with("pins = [{ all = true, axes = ['w'] }]"), &["pins[0].axes[0]", "x, y, z"]),
        (&with("[[events]]\nat = 1\nbody = 'cub'\nrelease = true"), &["line 7", "did you mean `cube`?"]),
    ]);
}

#[test]
fn wrong_types_say_what_is_wanted() {
    refused(&[
        ("duration = '3 s'\n", &["line 1, duration", "the text \"3 s\"", "write a number"]),
        ("gravity = -9.81\n", &["gravity", "3 numbers"]),
        ("gravity = [0, 1]\n", &["a list of 2", "3 numbers"]),
        ("solver = 'rk4'\n", &["line 1, solver", "a table"]),
        ("[solver]\niterations = 2.5\n", &["whole number"]),
        ("[solver]\nconserve_momentum = 'yes'\n", &["true or false"]),
        ("[[bodies]]\nname = 3\nshape = { sphere = 1 }\n", &["line 2, bodies[0].name", "text in quotes"]),
        ("duration = 2020-01-01\n", &["a date"]),
    ]);
}

#[test]
fn numbers_must_be_finite_everywhere() {
    refused(&[
        ("duration = nan\n", &["line 1, duration", "NaN", "finite"]),
        ("gravity = [0, -inf, 0]\n", &["line 1, gravity[1]", "-inf"]),
        ("[materials.a]\nyoung_modulus = 1e300\n", &["line 2, materials.a.young_modulus", "below 1e30"]),
        (&with("position = [0.0, 0.0, inf]"), &["line 5, bodies[0].position[2]", "inf"]),
        (&with("pins = [{ sphere = { center = [0, 0, 0], radius = nan } }]"), &["pins[0].sphere.radius", "NaN"]),
        (&with("[[events]]\nat = nan\nrelease = true"), &["events[0].at", "NaN"]),
    ]);
}

#[test]
fn ranges_are_checked_with_the_line_of_the_key() {
    refused(&[
        ("duration = 0\n", &["line 1, duration", "is 0", "greater than 0"]),
        ("frame_rate = -60\n", &["frame_rate", "is -60"]),
        ("# comment\n[solver]\nmethod = 'rk4'\nstep = -0.1\n", &["line 4, solver.step", "is -0.1"]),
        ("[solver]\nstep = 0\n", &["solver.step"]),
        ("[solver]\nsubsteps = 0\n", &["solver.substeps", "1 or more"]),
        ("[solver]\ntolerance = 1\n", &["less than 1"]),
        ("[materials.a]\nyoung_modulus = 0\n", &["line 2", "greater than 0"]),
        ("[materials.a]\nyoung_modulus = -5\n", &["is -5"]),
        ("[materials.a]\ndensity = 0\n", &["materials.a.density"]),
        ("[materials.a]\npoisson_ratio = 0.5\n", &["less than 0.5"]),
        ("[materials.a]\npoisson_ratio = -1\n", &["greater than -1"]),
        ("[materials.a]\nviscosity = -1\n", &["0 or more"]),
        (&SMALL.replace("0.5", "0"), &["line 4, bodies[0].size", "greater than 0"]),
        (&SMALL.replace("0.5", "-0.5"), &["line 4, bodies[0].size"]),
        (&SMALL.replace("[1, 1, 1]", "[1, 0, 1]"), &["line 3, bodies[0].shape.box[1]"]),
        (&SMALL.replace("{ box = [1, 1, 1] }", "{ sphere = -2 }"), &["shape.sphere", "is -2"]),
        (&SMALL.replace("size = 0.5", "count = 0"), &["bodies[0].count"]),
        (&SMALL.replace("size = 0.5", "cells = [2, 0, 2]"), &["bodies[0].cells[1]"]),
        (&with("[[colliders]]\nplane = {}\nfriction = -0.1"), &["line 7, colliders[0].friction", "0 or more"]),
        (&with("[[colliders]]\nplane = { normal = [0, 0, 0] }"), &["line 6", "length zero"]),
        (&with("[[events]]\nat = 3.5\nrelease = true"), &["line 6, events[0].at", "3.5 s", "0 to 3 s"]),
        (&with("[[events]]\nat = -1\nrelease = true"), &["events[0].at", "-1 s"]),
        ("duration = 1e20\n", &["frames", "limit"]),
        ("[solver]\nstep = 1e-20\n", &["steps", "limit"]),
    ]);
}

#[test]
fn what_must_be_there_is_asked_for() {
    refused(&[
        ("[[bodies]]\nshape = { sphere = 1 }\n", &["line 1, bodies[0]", "no `name`"]),
        ("[[bodies]]\nname = 'a'\n", &["no `shape`", "box"]),
        ("[[bodies]]\nname = ' '\nshape = { sphere = 1 }\n", &["is empty", "give the body a name"]),
        ("[[bodies]]\nname = 'a'\nshape = { }\n", &["none of box, sphere"]),
        (&SMALL.replace("{ box = [1, 1, 1] }", "{ cylinder = { radius = 1 } }"), &["no `height`"]),
        (&with("count = 10"), &["line 5, bodies[0]", "size and count", "exactly one"]),
        (&with("pins = [{ velocity = [0, 0, 0] }]"), &["pins[0]", "none of box, sphere, all"]),
        (&with("loads = [{ all = true }]"), &["none of force, total_force, traction, pressure"]),
        (&with("[[events]]\nrelease = true"), &["no `at`"]),
        (&with("[[events]]\nat = 1"), &["none of set, release"]),
        (&with("[[events]]\nat = 1\nrelease = true\npush = [0, 1, 0]"), &["release and push", "exactly one"]),
        (&with("[[colliders]]\nfriction = 1"), &["none of plane, sphere"]),
    ]);
}

#[test]
fn contradictions_are_explained() {
    refused(&[
        ("[materials.a]\nlaw = 'anisotropic'\n", &["stiffness_matrix"]),
        ("[materials.a]\nstiffness_matrix = []\n", &["law = \"anisotropic\""]),
        ("[materials.a]\nlaw = 'stvk'\nstiffness_matrix = []\n", &["line 3", "leave it out"]),
        ("[materials.a]\npreset = 'wood'\nyoung_modulus = 1\n", &["line 3", "no effect"]),
        (&format!("{SMALL}\n{SMALL}"), &["line 7, bodies[1].name", "\"cube\"", "earlier body"]),
        (&with("method = 'tet'\nsplit = 'six'"), &["line 6, bodies[0].split", "needs cells"]),
        (
            &SMALL.replace("{ box = [1, 1, 1] }", "{ torus = { major_radius = 1, minor_radius = 2 } }"),
            &["line 3", "torus"],
        ),
        (&with("mass = 'consistent'"), &["needs tetrahedra"]),
        (&with("pins = [{ all = false }]"), &["must be true"]),
        (&with("pins = [{ all = true, axes = [] }]"), &["holds no direction"]),
        (&with("pins = [{ box = { min = [1, 0, 0], max = [0, 1, 1] } }]"), &["min above its max"]),
        (&with("[[events]]\nat = 1\nset = { density = 2 }"), &["events[0].set.density", "cannot change"]),
        (&with("[[events]]\nat = 1\nbody = 'cube'\ngravity = [0, 0, 0]"), &["leave out `body`"]),
        (&with("[[events]]\nat = 1\nset = { young_modulus = -2 }"), &["events[0].set.young_modulus", "is -2"]),
    ]);
}

#[test]
fn a_region_without_nodes_tells_where_the_body_is() {
    refused(&[
        (
            &with("pins = [{ all = true }, { box = { min = [8, 8, 8], max = [9, 9, 9] } }]"),
            &["line 5, bodies[0].pins[1]", "holds no node", "[-0.5, -0.5, -0.5]"],
        ),
        (
            &with("loads = [{ sphere = { center = [9, 9, 9], radius = 1 }, force = [0, 1, 0] }]"),
            &["bodies[0].loads[0]", "holds no node"],
        ),
    ]);
}

#[test]
fn too_many_nodes_are_refused_before_they_are_made() {
    refused(&[
        (&SMALL.replace("0.5", "1e-4"), &["bodies[0]", "1.0e12 nodes", "1.5 PB", "coarser"]),
        (&SMALL.replace("size = 0.5", "count = 1000000000000"), &["1.0e12 nodes"]),
        (&SMALL.replace("size = 0.5", "cells = [10000, 10000, 10000]"), &["1.0e12 nodes"]),
        (&SMALL.replace("size = 0.5", "count = 9000000000000000000000"), &["e19 nodes"]),
    ]);
}

#[test]
fn files_that_are_missing_or_empty_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, "[[bodies]]\nname = 'a'\nshape = { file = 'bunny.obj' }\n").unwrap();
    let error = read_scene(&path, &[]).unwrap_err();
    assert!(matches!(&error.problem, Problem::MissingFile(file) if *file == folder.path().join("bunny.obj")));
    std::fs::write(folder.path().join("bunny.obj"), "v 0 0 0\n").unwrap();
    let error = read_scene(&path, &[]).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("no triangles"), "{error}");
}

#[test]
fn overrides_are_checked_like_the_file() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("solver.step", "-1", &["--set solver.step=-1", "solver.step: is -1"]),
        ("solver.stpe", "1", &["--set solver.stpe=1", "`step`"]),
        ("solver.method", "rk5", &["\"rk5\" is not a known solver", "rk4"]),
        ("bodies.ball.size", "1", &["nothing in the list is called `ball`", "cube"]),
        ("bodies.3.size", "1", &["no item 3", "has 1"]),
        ("materials.rock.density", "1", &["no material `rock`"]),
        ("duration.x", "1", &["duration"]),
        ("a..b", "1", &["empty part"]),
        ("duration", "nan", &["NaN"]),
    ];
    let text = format!("duration = 3\n{SMALL}");
    for (key, value, parts) in cases {
        let sentence = parse_with(&text, &[(key, value)]).expect_err(key).to_string();
        for part in parts {
            assert!(sentence.contains(part), "no `{part}` in: {sentence}");
        }
    }
}

#[test]
fn colours_are_written_as_pages_write_them() {
    let cases = ["'red'", "'#12345'", "'#1234567'", "'#12345g'", "'#é2345'", "'123456'"];
    for colour in cases {
        refused(&[(&with(&format!("colour = {colour}")), &["line 5, bodies[0].colour", "is not a colour", "#c89c68"])]);
    }
    refused(&[("[materials.a]\ncolour = 3\n", &["line 2, materials.a.colour", "a text in quotes"])]);
}
