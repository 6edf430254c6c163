//! `phyxel validate`: the mechanics cases with known answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use phyxel_validation::{Case, Options, Row, cases};

use crate::args::{PrecisionArg, ValidateArgs};
use crate::device::Wanted;
use crate::failure::Failure;
use crate::threads::with_threads;
use crate::{interrupt, report, source};

/// The names of all cases.
pub fn case_names() -> Vec<&'static str> {
    cases().iter().map(|case| case.name).collect()
}

/// Runs the command: a line for each row as it comes, and exit status 1 when one does not pass.
pub fn validate(args: &ValidateArgs) -> Result<(), Failure> {
    let chosen = choose(&args.cases)?;
    let diverted = divert(args)?;
    let options = Options { precision: source::precision_of(args.precision) };
    let rows = with_threads(args.threads, |_| {
        interrupt::listen()?;
        if args.tell.talks() {
            println!("{}", heading());
        }
        Ok(run_cases(&chosen, &options, args.tell.talks()))
    })?;
    report::write(args.tell.json.as_deref(), &rows)?;
    let failed = rows.iter().filter(|row| !row.pass).count();
    if args.tell.talks() {
        println!("{} rows, {} pass, {failed} fail", rows.len(), rows.len() - failed);
        if let Some(counts) = diverted {
            let [device, cpu] = [&counts.on_device, &counts.on_cpu].map(|count| count.load(Ordering::Relaxed));
            println!(
                "{device} simulations ran on the device, {cpu} on the CPU because the device cannot do what they need"
            );
        }
    }
    if interrupt::asked_to_stop() {
        return Err(Failure::Interrupted("interrupted; the rows so far are complete".into()));
    }
    let first = rows.iter().find(|row| !row.pass);
    first.map_or(Ok(()), |row| {
        Err(Failure::work(format!(
            "{failed} of {} rows do not pass, the first is {} with {} ({}): {}",
            rows.len(),
            row.case,
            row.method,
            row.setting,
            row.quantity
        )))
    })
}

/// Sends simulations to a graphics device, where one is asked for.
fn divert(args: &ValidateArgs) -> Result<Option<Arc<phyxel_gpu::Diverted>>, Failure> {
    let Wanted::Gpu(choice) = Wanted::parse(&args.device) else { return Ok(None) };
    if args.precision != PrecisionArg::F32 {
        return Err(Failure::input("graphics devices calculate in f32: add --precision f32"));
    }
    let device = phyxel_gpu::Device::open(&choice).map_err(Failure::input)?;
    Ok(Some(phyxel_gpu::divert_all(&device)))
}

fn run_cases(chosen: &[Case], options: &Options, talks: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for case in chosen {
        for row in (case.run)(options) {
            if talks {
                println!("{}", line(&row));
            }
            rows.push(row);
        }
        if interrupt::asked_to_stop() {
            break;
        }
    }
    rows
}

fn choose(names: &[String]) -> Result<Vec<Case>, Failure> {
    let all = cases();
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        all.iter().find(|case| case.name == name).copied().ok_or_else(|| {
            Failure::input(format!("there is no validation case `{name}`; there are: {}", case_names().join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn heading() -> String {
    format!(
        "{:4}  {:20}  {:16}  {:28}  {:24}  {:>13}  {:>13}  {:>9}  {:>9}",
        "", "case", "method", "setting", "quantity", "value", "reference", "error", "allowed"
    )
}

fn line(row: &Row) -> String {
    let verdict = match (row.pass, row.tolerance) {
        (false, _) => "FAIL",
        (true, Some(_)) => "ok",
        (true, None) => "-",
    };
    let allowed = row.tolerance.map_or_else(String::new, |tolerance| format!("{tolerance:.1e}"));
    format!(
        "{verdict:4}  {:20}  {:16}  {:28}  {:24}  {:>13.6e}  {:>13.6e}  {:>9.2e}  {allowed:>9}",
        row.case, row.method, row.setting, row.quantity, row.value, row.reference, row.relative_error
    )
}
