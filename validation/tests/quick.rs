//! The cases that take seconds: every row passes. `phyxel validate` runs all of them.

use phyxel::Precision;
use phyxel_validation::{Options, Row, cases};

const QUICK: [&str; 9] =
    ["patch", "finite-strain", "rigid", "shear", "cantilever-frequency", "residual", "cook", "sphere", "convergence"];

fn run(names: &[&str], precision: Precision) -> Vec<Row> {
    let chosen: Vec<_> = cases().into_iter().filter(|c| names.contains(&c.name)).collect();
    assert_eq!(chosen.len(), names.len(), "a case was renamed");
    chosen.iter().flat_map(|case| (case.run)(&Options { precision })).collect()
}

fn assert_all_pass(rows: &[Row]) {
    let failures: Vec<&Row> = rows.iter().filter(|row| !row.pass).collect();
    assert!(!rows.is_empty());
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn quick_cases_pass() {
    assert_all_pass(&run(&QUICK, Precision::F64));
}

#[test]
fn matter_yields_conducts_and_melts() {
    assert_all_pass(&run(
        &["yield", "j2", "flow-volume", "slab", "t3", "expansion", "heating", "stefan"],
        Precision::F64,
    ));
    assert_all_pass(&run(&["j2", "flow-volume", "expansion", "heating"], Precision::F32));
}

#[test]
fn single_precision_agrees() {
    assert_all_pass(&run(&["patch", "finite-strain", "rigid", "shear", "cook"], Precision::F32));
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = cases().iter().map(|c| c.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
