//! Wrong input: exit status 2, one sentence that says what is wrong, and no trace on the disk.

mod common;

use std::path::Path;

use common::{phyxel, stderr};

const GOOD: &str =
    "duration = 0.05\n[solver]\nstep = 0.01\n[[bodies]]\nname = 'cube'\nshape = { box = [1, 1, 1] }\nsize = 0.5\n";

/// Runs, and checks that the sentence has all `parts`.
fn refused(folder: &Path, args: &[&str], parts: &[&str]) {
    let output = phyxel(folder, args);
    let sentence = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {sentence}");
    assert_eq!(sentence.trim_end().lines().count(), 1, "{args:?} said more than one line:\n{sentence}");
    assert!(sentence.starts_with("error: "), "{sentence}");
    for part in parts {
        assert!(sentence.contains(part), "{args:?}: no `{part}` in: {sentence}");
    }
    assert!(!folder.join("out").exists(), "{args:?} left a folder");
}

#[test]
fn bad_scenes_are_refused_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("", &["is empty"]),
        ("duration = 3\n", &["no bodies"]),
        ("durration = 3\n", &["line 1, durration", "`duration`"]),
        ("duration = 'x'\n", &["write a number"]),
        ("duration = nan\n", &["finite"]),
        ("duration = 0\n", &["greater than 0"]),
        (&GOOD.replace("0.01", "-0.01"), &["line 3, solver.step"]),
        (&GOOD.replace("size = 0.5", "size = 0"), &["bodies[0].size"]),
        (&GOOD.replace("size = 0.5", "size = 1e-4"), &["1.0e12 nodes", "memory"]),
        (&GOOD.replace("size = 0.5", "material = 'jely'"), &["`jelly`"]),
        (&GOOD.replace("size = 0.5", "method = 'fem'"), &["tet, edge"]),
        (&format!("{GOOD}[materials.a]\npoisson_ratio = 0.5\n"), &["less than 0.5"]),
        (&format!("{GOOD}[materials.a]\nlaw = 'hooke'\n"), &["neo-hookean"]),
        (&format!("{GOOD}[materials.a]\npreset = 'rubbber'\n"), &["`rubber`"]),
        (&format!("{GOOD}[[colliders]]\nplane = {{ normal = [0, 0, 0] }}\n"), &["length zero"]),
        (&format!("{GOOD}[[colliders]]\nplane = {{}}\nfriction = -1\n"), &["friction"]),
        (&format!("{GOOD}[camera]\nposition = [1, 1, 1]\n"), &["camera", "target"]),
        (&format!("{GOOD}[camera]\nposition = [1, 1, 1]\ntarget = [1, 1, 1]\n"), &["camera.target", "away from"]),
        (&format!("{GOOD}[camera]\nposition = [1, 1, 1]\ntarget = [0, 0, 0]\nfov = 170\n"), &["camera", "150"]),
        (&format!("{GOOD}[[events]]\nat = 9\nrelease = true\n"), &["outside the simulated time"]),
        (&format!("{GOOD}[[events]]\nat = 0\nbody = 'ball'\nrelease = true\n"), &["\"ball\""]),
        (&format!("{GOOD}pins = [{{ box = {{ min = [8, 8, 8], max = [9, 9, 9] }} }}]\n"), &["holds no node"]),
        (&format!("{GOOD}\n[[bodies]]\nname = 'cube'\nshape = {{ sphere = 1 }}\n"), &["earlier body"]),
        (&GOOD.replace("{ box = [1, 1, 1] }", "{ file = 'bunny.obj' }"), &["bunny.obj", "does not exist"]),
    ];
    for (text, parts) in cases {
        std::fs::write(folder.path().join("scene.toml"), text).unwrap();
        refused(folder.path(), &["run", "scene.toml"], parts);
        refused(folder.path(), &["check", "scene.toml"], parts);
    }
}

#[test]
fn binary_and_missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("binary.toml"), [0xff, 0xd8, 0xff, 0, 1]).unwrap();
    refused(folder.path(), &["run", "binary.toml"], &["binary.toml", "not text"]);
    refused(folder.path(), &["run", "missing.toml"], &["missing.toml", "cannot be read"]);
    refused(folder.path(), &["run", "jely"], &["no built-in scene `jely`", "jelly-tets"]);
    refused(folder.path(), &["run", "."], &["cannot be read"]);
}

#[test]
fn bad_arguments_are_refused_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("good.toml"), GOOD).unwrap();
    std::fs::write(folder.path().join("a_file"), "").unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["fly"], &["fly"]),
        (&["run"], &["SCENE"]),
        (&["run", "good.toml", "--formats", "usd,fbx"], &["--formats", "`fbx`"]),
        (&["run", "good.toml", "--device", "gpu", "--precision", "f64"], &["f32", "--precision"]),
        (&["run", "good.toml", "--device", "abacus"], &["--device", "cpu"]),
        (&["run", "good.toml", "--precision", "f16"], &["f16", "f32"]),
        (&["run", "good.toml", "--threads", "0"], &["--threads 0"]),
        (&["run", "good.toml", "--frames", "-1"], &["--frames"]),
        (&["run", "good.toml", "--set", "solver.step"], &["key=value"]),
        (&["run", "good.toml", "--set", "solver.step=-1"], &["--set solver.step=-1", "is -1"]),
        (&["run", "good.toml", "--set", "solver.stpe=1"], &["`step`"]),
        (&["run", "good.toml", "--resume"], &["no checkpoint", "without --resume"]),
        (&["run", "good.toml", "--out", "a_file"], &["--out", "a_file", "not a folder"]),
        (&["mesh", "bunny.obj", "-o", "x.msh"], &["bunny.obj"]),
        (&["mesh", "bunny.obj", "-o", "x.docx"], &["x.docx", ".msh"]),
        (&["mesh", "bunny.obj"], &["--output"]),
        (&["mesh", "bunny.obj", "-o", "x.msh", "--method", "magic"], &["magic", "stuffing"]),
        (&["mesh", "bunny.obj", "-o", "x.msh", "--size", "-1"], &["--size", "-1"]),
        (&["mesh", "bunny.obj", "-o", "x.msh", "--size", "1", "--count", "9"], &["--size", "--count"]),
        (&["mesh", "bunny.obj", "-o", "x.msh", "--count", "0"], &["--count"]),
        (&["mesh", "a_file", "-o", "x.msh"], &["a_file"]),
        (&["render", "result"], &["--output"]),
        (&["render", "result", "-o", "x.png"], &["no result `result`", "folder of a run"]),
        (&["render", ".", "-o", "x.png"], &["no .frames file", "--formats"]),
        (&["render", "a_file", "-o", "x.png"], &["a_file", "not a result"]),
        (&["render", "result", "-o", "x.avi"], &["x.avi", ".png, .gif or .mp4"]),
        (&["render", "result", "-o", "x"], &[".png, .gif or .mp4"]),
        (&["render", "result", "-o", "x.png", "--size", "0x540"], &["--size 0x540", "1 to 8192"]),
        (&["render", "result", "-o", "x.png", "--size", "wide"], &["--size wide", "960x540"]),
        (&["render", "result", "-o", "x.png", "--range", "2,1"], &["--range", "2 to 1 is empty"]),
        (&["render", "result", "-o", "x.png", "--range", "-1"], &["--range -1", "2 numbers"]),
        (&["render", "result", "-o", "x.png", "--camera", "1,1,1", "--target", "1,1,1"], &["--camera", "target"]),
        (&["render", "result", "-o", "x.png", "--camera", "1,1,1"], &["--camera and --target"]),
        (&["render", "result", "-o", "x.png", "--camera", "1,1", "--target", "0,0,0"], &["3 numbers"]),
        (&["render", "result", "-o", "x.png", "--fov", "50"], &["--fov", "--camera"]),
        (&["render", "result", "-o", "x.png", "--view", "bones"], &["--view bones", "skin, wire"]),
        (&["render", "result", "-o", "x.png", "--colour", "taste"], &["--colour taste", "stress"]),
        (&["render", "result", "-o", "x.png", "--sheet", "4"], &["--sheet 4", "4x3"]),
        (&["render", "result", "-o", "x.gif", "--sheet", "4x3"], &["x.gif is a film"]),
        (&["render", "result", "-o", "x.gif", "--fps", "-5"], &["--fps -5"]),
        (&["render", "result", "-o", "x.gif", "--fps", "500"], &["--fps 500", "50"]),
        (&["render", "result", "-o", "x.png", "--frame", "1", "--time", "1"], &["--frame", "--time"]),
        (&["pictures", "somewhere", "jely"], &["no built-in scene `jely`"]),
        (&["validate", "no-such-case"], &["no validation case `no-such-case`"]),
        (&["studio"], &["`phyxel studio` is not in this version"]),
    ];
    for (args, parts) in cases {
        refused(folder.path(), args, parts);
    }
}

#[test]
fn a_checkpoint_must_belong_to_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results");
    std::fs::create_dir(&results).unwrap();
    std::fs::write(folder.path().join("good.toml"), GOOD).unwrap();
    let run = ["run", "good.toml", "--out", "results", "--resume"];
    std::fs::write(results.join("checkpoint.phyxel"), "nonsense").unwrap();
    refused(folder.path(), &run, &["not a checkpoint"]);
    let other = phyxel_io::Checkpoint { scene_hash: 1, precision: "f64".into(), ..Default::default() };
    phyxel_io::write_checkpoint(&results.join("checkpoint.phyxel"), &other).unwrap();
    refused(folder.path(), &run, &["another scene"]);
    let whole = std::fs::read(results.join("checkpoint.phyxel")).unwrap();
    std::fs::write(results.join("checkpoint.phyxel"), &whole[..whole.len() - 3]).unwrap();
    refused(folder.path(), &run, &["cut off"]);
}
