//! Ctrl-C, and going on afterwards.
#![cfg(unix)]

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{phyxel, stderr, stdout};
use serde_json::Value;

/// Long enough that the signal arrives in the middle on any machine.
const SCENE: &str = "name = 'long'\nduration = 1e4\n[[bodies]]\nname = 'cube'\nshape = { box = [1, 1, 1] }\nsize = 0.25\n\
                     method = 'tet'\n";

#[test]
fn ctrl_c_leaves_results_and_a_checkpoint_from_which_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("long.toml"), SCENE).unwrap();
    let run = ["run", "long.toml", "--formats", "csv", "--quiet"];
    let child = Command::new(env!("CARGO_BIN_EXE_phyxel"))
        .current_dir(folder.path())
        .args(run)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_it_runs(&folder.path().join("out/long"));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("--resume"), "{}", stderr(&output));
    let checkpoint = phyxel_io::read_checkpoint(&folder.path().join("out/long/checkpoint.phyxel")).unwrap();
    let rows =
        |folder: &std::path::Path| std::fs::read_to_string(folder.join("out/long/long.csv")).unwrap().lines().count();
    assert_eq!(rows(folder.path()), checkpoint.frame + 2, "a header, the initial frame, and those simulated");

    let last = (checkpoint.frame + 5).to_string();
    let further = ["run", "long.toml", "--formats", "csv", "--resume", "--frames", &last, "--json", "-"];
    let resumed = phyxel(folder.path(), &further);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert_eq!(rows(folder.path()), checkpoint.frame + 7);
    let resumed: Value = serde_json::from_str(&stdout(&resumed)).unwrap();

    let straight = ["run", "long.toml", "--formats", "none", "--frames", &last, "--json", "-"];
    let straight: Value = serde_json::from_str(&stdout(&phyxel(folder.path(), &straight))).unwrap();
    assert_eq!(resumed["state_hash"], straight["state_hash"], "going on gives what going through gives");
    assert_eq!(resumed["steps"], straight["steps"]);
}

/// Waits for the output folder to hold something: from then on Ctrl-C is handled.
fn wait_until_it_runs(folder: &std::path::Path) {
    let started = Instant::now();
    while !folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        assert!(started.elapsed() < Duration::from_secs(60), "the run did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
}
