//! What the commands do when all is well.

mod common;

use common::{phyxel, stderr, stdout};
use serde_json::Value;

const SCENE: &str = "name = 'test'\nduration = 0.1\n[[bodies]]\nname = 'cube'\nshape = { box = [1, 1, 1] }\nsize = 0.5\n\
                     method = 'tet'\n";

fn json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn help_shows_three_examples() {
    let folder = tempfile::tempdir().unwrap();
    let bare = phyxel(folder.path(), &[]);
    assert_eq!(bare.status.code(), Some(0));
    assert!(stdout(&bare).matches("\n  phyxel ").count() >= 3, "{}", stdout(&bare));
    let asked = phyxel(folder.path(), &["--help"]);
    assert_eq!((asked.status.code(), stdout(&asked)), (Some(0), stdout(&bare)));
}

#[test]
fn list_names_every_scene_and_material() {
    let folder = tempfile::tempdir().unwrap();
    let output = phyxel(folder.path(), &["list"]);
    assert_eq!(output.status.code(), Some(0));
    for word in phyxel_scenes::ALL.iter().map(|scene| scene.name).chain(["rubber", "implicit-euler", "cpu"]) {
        assert!(stdout(&output).contains(word), "`{word}` is not listed");
    }
    let listing: Value = serde_json::from_str(&stdout(&phyxel(folder.path(), &["list", "--json", "-"]))).unwrap();
    assert_eq!(listing["scenes"].as_array().unwrap().len(), phyxel_scenes::ALL.len());
}

#[test]
fn check_tells_sizes_and_simulates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let output = phyxel(folder.path(), &["check", "scene.toml", "--json", "check.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let check = json(&folder.path().join("check.json"));
    assert_eq!(check["scene"], "test");
    // 2 x 2 x 2 cells of five tetrahedra
    assert_eq!((&check["bodies"][0]["nodes"], &check["bodies"][0]["elements"]), (&27.into(), &40.into()));
    assert!(check["stable_step_s"].as_f64().unwrap() > 0.0);
    assert!(check["memory_bytes"].as_u64().unwrap() > 0);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn run_writes_results_and_the_promised_fields() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let output = phyxel(folder.path(), &["run", "scene.toml", "--json", "run.json", "--threads", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = json(&folder.path().join("run.json"));
    for field in [
        "scene",
        "device",
        "precision",
        "threads",
        "frames",
        "steps",
        "simulated_s",
        "wall_s",
        "real_time_factor",
        "bodies",
        "energy",
        "momentum",
        "state_hash",
        "warnings",
        "outputs",
        "timings_ms",
    ] {
        assert!(!run[field].is_null(), "no `{field}`");
    }
    // 0.1 s at 60 frames/s, and the initial frame
    assert_eq!((&run["frames"], &run["threads"]), (&7.into(), &2.into()));
    assert!((run["simulated_s"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    let outputs = run["outputs"].as_array().unwrap();
    assert_eq!(outputs.len(), 5);
    for path in outputs {
        assert!(folder.path().join(path.as_str().unwrap()).exists(), "{path} is missing");
    }
    assert!(!folder.path().join("out/scene/checkpoint.phyxel").exists());
}

#[test]
fn quiet_runs_say_nothing_and_json_has_stdout_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let quiet = phyxel(folder.path(), &["run", "scene.toml", "--quiet", "--formats", "csv"]);
    assert_eq!((quiet.status.code(), stdout(&quiet), stderr(&quiet)), (Some(0), String::new(), String::new()));
    let piped = phyxel(folder.path(), &["run", "scene.toml", "--formats", "none", "--frames", "2", "--json", "-"]);
    let run: Value = serde_json::from_str(&stdout(&piped)).expect("stdout is JSON alone");
    assert_eq!(run["frames"], 3);
    assert_eq!(run["outputs"], Value::Array(vec![]));
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let hash = |threads: &str| {
        let args = ["run", "scene.toml", "--formats", "none", "--json", "-", "--threads", threads];
        serde_json::from_str::<Value>(&stdout(&phyxel(folder.path(), &args))).unwrap()["state_hash"].clone()
    };
    assert_eq!(hash("1"), hash("3"));
}

/// Whether there is a graphics device; `PHYXEL_REQUIRE_GPU` makes its absence a failure.
fn has_graphics_device() -> bool {
    let found = !phyxel_gpu::adapters().is_empty();
    assert!(found || std::env::var_os("PHYXEL_REQUIRE_GPU").is_none(), "a graphics device is required");
    if !found {
        eprintln!("GPU test skipped: no graphics device was found");
    }
    found
}

#[test]
fn a_graphics_device_gives_the_answer_of_the_processor() {
    if !has_graphics_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let run = |device: &str| {
        let args = ["run", "scene.toml", "--formats", "none", "--json", "-", "--device", device];
        let output = phyxel(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_str::<Value>(&stdout(&output)).unwrap()
    };
    let (cpu, gpu, by_number) = (run("cpu"), run("gpu"), run("0"));
    assert_eq!(cpu["device"], "cpu");
    assert_ne!(gpu["device"], "cpu");
    assert_eq!(gpu["device"], by_number["device"]);
    assert_eq!(cpu["steps"], gpu["steps"]);
    let fall = |run: &Value| run["momentum"][1].as_f64().unwrap();
    assert!((fall(&cpu) / fall(&gpu) - 1.0).abs() < 1e-5, "{} and {}", fall(&cpu), fall(&gpu));
    assert!(gpu["timings_ms"].as_object().unwrap().keys().any(|key| key.starts_with("kernel ")));
}

#[test]
fn a_scene_that_devices_cannot_do_is_refused_or_calculated_on_the_processor() {
    if !has_graphics_device() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let scene = format!("{SCENE}[solver]\nmethod = 'rk4'\n");
    std::fs::write(folder.path().join("scene.toml"), scene).unwrap();
    let forced = phyxel(folder.path(), &["run", "scene.toml", "--formats", "none", "--device", "gpu"]);
    assert_eq!(forced.status.code(), Some(2));
    assert!(stderr(&forced).contains("rk4") && stderr(&forced).contains("--device cpu"), "{}", stderr(&forced));
    let auto = phyxel(folder.path(), &["run", "scene.toml", "--formats", "none", "--device", "auto"]);
    assert_eq!(auto.status.code(), Some(0), "{}", stderr(&auto));
}
