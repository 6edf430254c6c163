//! Prints the table of cases: `cargo run --release -p phyxel_validation --example table [-- f32] [names]`.

use phyxel::Precision;
use phyxel_validation::{Options, Row, cases};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let precision = if words.iter().any(|w| w == "f32") { Precision::F32 } else { Precision::F64 };
    let wanted: Vec<&String> = words.iter().filter(|w| *w != "f32").collect();
    let chosen = cases().into_iter().filter(|c| wanted.is_empty() || wanted.iter().any(|w| *w == c.name));
    println!("| case | method | setting | quantity | value | reference | error | tolerance | | seconds |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut failures = 0;
    for case in chosen {
        for row in (case.run)(&Options { precision }) {
            failures += !row.pass as usize;
            print(&row);
        }
    }
    println!("\n{failures} rows fail");
    std::process::exit((failures > 0) as i32);
}

fn print(row: &Row) {
    let verdict = match (row.pass, row.tolerance) {
        (false, _) => "FAILS",
        (true, None) => "shown",
        (true, Some(_)) => "passes",
    };
    let tolerance = row.tolerance.map_or(String::new(), |t| format!("{t:.1e}"));
    println!(
        "| {} | {} | {} | {} | {:.6e} | {:.6e} | {:.2e} | {tolerance} | {verdict} | {:.2} |",
        row.case, row.method, row.setting, row.quantity, row.value, row.reference, row.relative_error, row.seconds
    );
}
