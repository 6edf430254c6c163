//! `phyxel bench`: the benchmark suites.

use crate::args::BenchArgs;
use crate::bench::{Only, Row, SUITES, Suite};
use crate::device::Wanted;
use crate::failure::Failure;
use crate::report;
use crate::threads::with_threads;

/// Runs the command: a line for each row as it comes.
pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    // Benchmarks compare devices: they use the one that is asked for, and the processor otherwise.
    let device = match Wanted::parse(&args.device) {
        Wanted::Cpu | Wanted::Auto | Wanted::Balanced => None,
        Wanted::Gpu(choice) => Some(phyxel_gpu::Device::open(&choice).map_err(Failure::input)?),
    };
    let mut chosen = choose(&args.suites)?;
    if device.is_some() {
        if let (Some(suite), false) = (chosen.iter().find(|s| s.run_on.is_none()), args.suites.is_empty()) {
            return Err(Failure::input(format!(
                "the suite {} runs on the processor only; leave --device out",
                suite.name
            )));
        }
        chosen.retain(|suite| suite.run_on.is_some());
    }
    let talks = args.tell.talks();
    let rows = with_threads(args.threads, |_| {
        let mut rows: Vec<Row> = Vec::new();
        for suite in chosen {
            let only = Only(args.case.as_deref());
            let mut out = |row: Row| {
                if !only.wants(&row.case) {
                    return;
                }
                if talks {
                    println!("{}", row.line());
                }
                rows.push(row);
            };
            let outcome = match (&device, suite.run_on) {
                (Some(device), Some(run_on)) => run_on(device, only, &mut out),
                _ => (suite.run)(only, &mut out),
            };
            outcome.map_err(|error| Failure::work(format!("suite {}: {error:#}", suite.name)))?;
        }
        Ok(rows)
    })?;
    report::write(args.tell.json.as_deref(), &rows)
}

fn choose(names: &[String]) -> Result<Vec<&'static Suite>, Failure> {
    if names.is_empty() {
        // The papers have those on surfaces in them.
        return Ok(SUITES.iter().filter(|suite| suite.name != "surfaces").collect());
    }
    let find = |name: &String| {
        SUITES.iter().find(|suite| suite.name == name).ok_or_else(|| {
            let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            Failure::input(format!("there is no benchmark suite `{name}`; there are: {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}
