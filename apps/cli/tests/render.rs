//! Results become pictures and films.

mod common;

use std::path::Path;

use common::{phyxel, stderr, stdout};

const SCENE: &str = "name = 'drop'\nduration = 0.2\nframe_rate = 50\n[solver]\nstep = 0.01\n[[bodies]]\nname = 'cube'\n\
    shape = { box = [1, 1, 1] }\nsize = 0.34\nposition = [0, 0.6, 0]\n[[colliders]]\nplane = {}\n\
    [camera]\nposition = [3, 2, 4]\ntarget = [0, 0.5, 0]\nfov = 40\n";

fn succeeds(folder: &Path, args: &[&str]) -> String {
    let output = phyxel(folder, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

fn size_of_png(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{}", path.display());
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (word(16), word(20))
}

#[test]
fn a_run_leaves_frames_that_become_pictures_and_films() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("drop.toml"), SCENE).unwrap();
    succeeds(dir, &["run", "drop.toml", "--out", "r", "--formats", "frames,png", "--quiet"]);
    assert!(dir.join("r/drop.frames").is_file() && dir.join("r/sheet.png").is_file());

    succeeds(dir, &["render", "r", "-o", "last.png", "--size", "160x90", "--device", "cpu"]);
    assert_eq!(size_of_png(&dir.join("last.png")), (160, 90));
    let first = ["render", "r/drop.frames", "-o", "first.png", "--size", "160x90", "--device", "cpu", "--time", "0"];
    succeeds(dir, &first);
    let read = |name: &str| std::fs::read(dir.join(name)).unwrap();
    assert_ne!(read("first.png"), read("last.png"), "it has fallen");
    let before = read("first.png");
    succeeds(dir, &first);
    assert_eq!(read("first.png"), before, "the same bytes again");

    for (view, colour) in [("wire", "body"), ("phyxels", "stress"), ("skin", "speed"), ("skin", "strain")] {
        let name = format!("{view}-{colour}.png");
        let args =
            ["render", "r", "-o", &name, "--view", view, "--colour", colour, "--size", "200x120", "--device", "cpu"];
        succeeds(dir, &args);
        assert_ne!(read(&name), read("last.png"));
    }
    succeeds(dir, &["render", "r", "-o", "sheet.png", "--sheet", "3x2", "--size", "300x200", "--device", "cpu"]);
    let (width, _) = size_of_png(&dir.join("sheet.png"));
    assert!((280..=300).contains(&width), "{width}");
    succeeds(dir, &["render", "r", "-o", "film.gif", "--size", "96x54", "--device", "cpu", "--quiet"]);
    assert!(read("film.gif").starts_with(b"GIF89a"));
    succeeds(dir, &["render", "r", "-o", "film.mp4", "--size", "96x54", "--device", "cpu", "--quiet"]);
    assert_eq!(read("film.mp4")[4..8], *b"ftyp");

    for (args, part) in [
        (&["--frame", "99"][..], "frames 0 to 10"),
        (&["--time", "7"], "from 0 to 0.2 s"),
        (&["--colour", "temperature"], "no body has a temperature"),
        (&["--colour", "damage"], "nothing in it can break"),
        (&["--view", "surfels"], "--view skin"),
        (&["--device", "abacus"], "--device"),
    ] {
        let output = phyxel(dir, &[&["render", "r", "-o", "bad.png"][..], args].concat());
        let sentence = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {sentence}");
        assert!(sentence.contains(part), "{args:?}: no `{part}` in: {sentence}");
        assert!(!dir.join("bad.png").exists());
    }
}

#[test]
fn films_are_formats_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("drop.toml"), SCENE).unwrap();
    let run = ["run", "drop.toml", "--out", "r", "--formats", "gif,mp4", "--device", "cpu", "--quiet", "--frames", "3"];
    succeeds(dir, &run);
    let mut names: Vec<String> =
        std::fs::read_dir(dir.join("r")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["drop.gif", "drop.mp4"], "and nothing else");
}

#[test]
fn pictures_of_built_in_scenes_are_small() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &["pictures", "docs", "poisson", "--quiet"]);
    let path = folder.path().join("docs/poisson.png");
    let (width, _) = size_of_png(&path);
    assert!((470..=480).contains(&width), "{width}");
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes <= 60_000, "{bytes} bytes");
}
