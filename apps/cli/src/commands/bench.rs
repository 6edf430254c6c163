//! `phyxel bench`: the benchmark suites.

use crate::args::{BenchArgs, DeviceArg};
use crate::bench::{Row, SUITES, Suite};
use crate::failure::Failure;
use crate::report;
use crate::threads::with_threads;

/// Runs the command: a line for each row as it comes.
pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    if args.device == DeviceArg::Gpu {
        return Err(Failure::input("--device gpu: this version calculates on the processor only; leave it out"));
    }
    let chosen = choose(&args.suites)?;
    let talks = args.tell.talks();
    let rows = with_threads(args.threads, |_| {
        let mut rows: Vec<Row> = Vec::new();
        for suite in chosen {
            let mut out = |row: Row| {
                if talks {
                    println!("{}", row.line());
                }
                rows.push(row);
            };
            (suite.run)(&mut out).map_err(|error| Failure::work(format!("suite {}: {error:#}", suite.name)))?;
        }
        Ok(rows)
    })?;
    report::write(args.tell.json.as_deref(), &rows)
}

fn choose(names: &[String]) -> Result<Vec<&'static Suite>, Failure> {
    if names.is_empty() {
        return Ok(SUITES.iter().collect());
    }
    let find = |name: &String| {
        SUITES.iter().find(|suite| suite.name == name).ok_or_else(|| {
            let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            Failure::input(format!("there is no benchmark suite `{name}`; there are: {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}
