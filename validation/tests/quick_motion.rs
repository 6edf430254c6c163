//! The cases of motion that take seconds: every row must pass, in double precision.

use phyxel::Precision;
use phyxel_validation::{Options, cases};

const QUICK: [&str; 11] = [
    "spin",
    "wave",
    "impact",
    "oscillator",
    "order",
    "energy-drift",
    "stable-step",
    "spring",
    "rope",
    "lattice",
    "momentum",
];

#[test]
fn quick_cases_of_motion_give_the_known_answers() {
    let options = Options { precision: Precision::F64 };
    let mut failures = Vec::new();
    for name in QUICK {
        let case = cases().into_iter().find(|c| c.name == name).expect("the case is listed");
        let rows = (case.run)(&options);
        assert!(!rows.is_empty(), "{name} measures nothing");
        failures.extend(rows.into_iter().filter(|r| !r.pass));
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
