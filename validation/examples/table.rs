//! Prints the rows of the cases named on the command line; `f32` among them asks for single precision.

use phyxel_validation::{Options, cases};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let precision = if names.iter().any(|n| n == "f32") { phyxel::Precision::F32 } else { phyxel::Precision::F64 };
    for case in cases().iter().filter(|c| names.iter().any(|n| n == c.name)) {
        for r in (case.run)(&Options { precision }) {
            println!(
                "{:12} {:18} {:28} {:26} {:>13.6e} {:>13.6e} {:>9.2e} {:>8} {} {:6.2}",
                r.case, r.method, r.setting, r.quantity, r.value, r.reference, r.relative_error,
                r.tolerance.map_or("-".into(), |t| format!("{t:.0e}")), if r.pass { "ok  " } else { "FAIL" }, r.seconds
            );
        }
    }
}
