//! `phyxel check`: what a scene would be, without simulating it.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::report::{self, BodyReport, CheckReport};
use crate::source::{self, Source};
use crate::threads::with_threads;

/// Runs the command.
pub fn check(args: &CheckArgs) -> Result<(), Failure> {
    with_threads(args.scene.threads, |_| {
        let source = source::load(&args.scene)?;
        let mut simulation = source::build(&source, &args.scene)?;
        let result = CheckReport {
            scene: source.scene.name.clone(),
            bodies: report::bodies(&simulation),
            warnings: simulation.warnings().to_vec(),
            stable_step_s: simulation.stable_step(),
            memory_bytes: simulation.memory_bytes(),
        };
        if args.tell.talks() {
            tell(&source, &result);
        }
        report::write(args.tell.json.as_deref(), &result)
    })
}

fn tell(source: &Source, result: &CheckReport) {
    let scene = &source.scene;
    println!(
        "{}: {} s at {} frames/s, {}",
        scene.name,
        scene.duration,
        scene.frame_rate,
        scene.solver.integrator.name()
    );
    println!("{}", body_table(&result.bodies));
    let (step, stable) = (scene.solver.step, result.stable_step_s);
    println!("step {} ms; explicit methods are stable up to {} ms", short(step * 1e3), short(stable * 1e3));
    println!("memory about {:.1} MB", result.memory_bytes as f64 / 1e6);
    for warning in &result.warnings {
        println!("warning: {warning}");
    }
}

/// About three digits, whatever the size.
fn short(value: f64) -> String {
    if (0.01..1e4).contains(&value) { format!("{value:.3}") } else { format!("{value:.2e}") }
}

/// The bodies as a table for people.
pub fn body_table(bodies: &[BodyReport]) -> String {
    let width = bodies.iter().map(|body| body.name.chars().count()).max().unwrap_or(0).max(4);
    let head = format!(
        "  {:width$}  {:>9}  {:>9}  {:9}  {:11}  {:>10}",
        "body", "nodes", "elements", "method", "material", "mass [kg]"
    );
    let rows = bodies.iter().map(|b| {
        format!(
            "  {:width$}  {:>9}  {:>9}  {:9}  {:11}  {:>10.4}",
            b.name, b.nodes, b.elements, b.method, b.material, b.mass_kg
        )
    });
    std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
}
