//! `phyxel mesh`, and scenes whose bodies come from files.

mod common;

use common::{phyxel, stderr, stdout};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// A ball of radius 0.5 as OBJ: a cube's surface of `n` squares along an edge, blown up.
fn ball(n: usize) -> String {
    let mut text = String::new();
    let mut count = 0;
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0_f64)] {
        let first = count + 1;
        for i in 0..=n {
            for j in 0..=n {
                let (s, t) = (2.0 * i as f64 / n as f64 - 1.0, 2.0 * j as f64 / n as f64 - 1.0);
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, sign * s, t);
                let length = p.iter().map(|c: &f64| c * c).sum::<f64>().sqrt();
                writeln!(text, "v {} {} {}", 0.5 * p[0] / length, 0.5 * p[1] / length, 0.5 * p[2] / length).unwrap();
                count += 1;
            }
        }
        for i in 0..n {
            for j in 0..n {
                let a = first + i * (n + 1) + j;
                writeln!(text, "f {} {} {} {}", a, a + n + 1, a + n + 2, a + 1).unwrap();
            }
        }
    }
    text
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_surface_becomes_tetrahedra_in_every_format_and_the_report_holds_what_is_promised() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ball.obj"), ball(12)).unwrap();
    for out in ["a.msh", "a.node", "a.mesh", "a.vtk", "a.vtu", "a.usda", "a.stl"] {
        let args = ["mesh", "ball.obj", "-o", out, "--count", "3000", "--json", "report.json"];
        let output = phyxel(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(folder.path().join(out).exists(), "{out}");
        let report = json(&folder.path().join("report.json"));
        assert_eq!(report["input"]["triangles"], 1728);
        assert_eq!(report["input"]["closed"], true);
        let number = |field: &str| report[field].as_f64().unwrap_or_else(|| panic!("{field} in {report}"));
        assert!((number("elements") - 3000.0).abs() <= 300.0, "{report}");
        assert!(number("volume_error") < 0.02 && number("volume_m3") > 0.5);
        assert!(number("min_dihedral_deg") > 10.0 && number("max_dihedral_deg") < 165.0);
        assert!(number("min_quality") > 0.0 && number("hausdorff") < 0.05 && number("seconds") >= 0.0);
        assert_eq!((&report["watertight"], &report["components"]), (&true.into(), &1.into()));
        assert!(stdout(&output).contains("° to "), "a histogram is shown");
    }
    // What was written is read again, converted, and is the same.
    let args = ["mesh", "a.msh", "-o", "b.vtu", "--json", "again.json", "--quiet"];
    assert_eq!(phyxel(folder.path(), &args).status.code(), Some(0));
    let (first, again) = (json(&folder.path().join("report.json")), json(&folder.path().join("again.json")));
    assert_eq!(first["elements"], again["elements"]);
}

#[test]
fn a_surface_becomes_phyxels_of_every_layout() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ball.obj"), ball(12)).unwrap();
    for (method, out) in [("voxels", "p.ply"), ("bcc", "p.csv"), ("octree", "p.vtk")] {
        let args = ["mesh", "ball.obj", "-o", out, "--method", method, "--count", "1000", "--json", "-", "--unit", "2"];
        let output = phyxel(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert!((report["elements"].as_f64().unwrap() - 1000.0).abs() <= 100.0, "{report}");
        assert!(report["volume_error"].as_f64().unwrap() < 0.01 && report["min_dihedral_deg"].is_null());
        assert!((report["volume_m3"].as_f64().unwrap() - 4.0 / 3.0 * std::f64::consts::PI).abs() < 0.1);
    }
}

#[test]
fn a_scene_names_a_file_and_what_is_wrong_with_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ball.obj"), ball(8)).unwrap();
    std::fs::write(folder.path().join("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").unwrap();
    let scene = |shape: &str, rest: &str| {
        let text =
            format!("name = 's'\nduration = 0.05\n[[bodies]]\nname = 'b'\nshape = {shape}\ncount = 300\n{rest}\n");
        std::fs::write(folder.path().join("s.toml"), text).unwrap();
        phyxel(folder.path(), &["run", "s.toml", "--formats", "none", "--json", "-"])
    };
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.1_f64.powi(3);
    for (rest, fill) in
        [("", ""), ("method = 'tet'", ""), ("method = 'edge'", ", fill = 'cover'"), ("", ", fill = 'octree'")]
    {
        let output = scene(&format!("{{ file = 'ball.obj', height = 0.2, origin = 'base'{fill} }}"), rest);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let run: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let mass = run["bodies"][0]["mass_kg"].as_f64().unwrap();
        assert!((mass / (1000.0 * volume) - 1.0).abs() < 0.06, "{mass} kg for {rest} {fill}");
    }
    for (shape, rest, parts) in [
        ("{ file = 'none.obj' }", "", &["line 5", "none.obj", "does not exist"][..]),
        ("{ file = 'sheet.obj' }", "", &["line 5", "sheet.obj", "encloses nothing"]),
        ("{ file = 's.toml' }", "", &["line 5", "s.toml"]),
        ("{ file = 'ball.obj', unit = 2, height = 1 }", "", &["unit", "height"]),
        ("{ file = 'ball.obj', fill = 'cover' }", "", &["cover", "mls"]),
        ("{ file = 'ball.obj', fill = 'jam' }", "", &["jam", "voxels"]),
        ("{ file = 'ball.obj', uint = 2 }", "", &["`unit`"]),
        ("{ file = 'ball.obj' }", "method = 'spring'", &["spring"]),
    ] {
        let output = scene(shape, rest);
        assert_eq!(output.status.code(), Some(2), "{shape}: {}", stderr(&output));
        assert!(parts.iter().all(|p| stderr(&output).contains(p)), "{shape}: {}", stderr(&output));
    }
}
