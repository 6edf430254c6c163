//! The benchmark suites. Times are medians of repeated runs after a warm-up; nothing here judges them.

mod kernels;
mod papers;
mod row;
mod scaling;
mod timing;
mod zhou;

pub use row::Row;

/// A suite: its name, what it shows, and how to run it (each row is handed out as it comes).
pub struct Suite {
    /// What people type.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Runs it.
    pub run: fn(&mut dyn FnMut(Row)) -> anyhow::Result<()>,
}

/// All suites.
pub const SUITES: &[Suite] = &[
    Suite { name: "papers", summary: "the workloads of the source papers, beside their speed", run: papers::run },
    Suite {
        name: "scaling",
        summary: "1 k to 1 M nodes: time per step, memory per node, straight-line fit",
        run: scaling::run,
    },
    Suite { name: "kernels", summary: "the inner loops: elements and neighbour pairs per second", run: kernels::run },
];
