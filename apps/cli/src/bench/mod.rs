//! The benchmark suites. Times are medians of repeated runs after a warm-up; nothing here judges them.

mod breaks;
mod gpu;
mod gpu_papers;
mod gpu_walls;
mod kernels;
mod mueller;
mod papers;
mod row;
mod scaling;
mod timing;
mod walls;
mod zhou;

pub use row::Row;
use std::sync::Arc;

/// Which rows are asked for: those whose name has a text in it, or all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Only<'a>(pub Option<&'a str>);

impl Only<'_> {
    /// Whether a row of this name is asked for.
    pub fn wants(self, case: &str) -> bool {
        self.0.is_none_or(|text| case.contains(text))
    }

    /// Whether rows whose names begin so may be asked for; a text that begins like them asks for no others.
    pub fn may_want(self, beginning: &str, others: &[&str]) -> bool {
        let begins = |name: &&str| self.0.is_some_and(|text| text.starts_with(*name));
        begins(&beginning) || !others.iter().any(begins)
    }
}

/// A suite: its name, what it shows, and how to run it (each row is handed out as it comes).
pub struct Suite {
    /// What people type.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Runs it.
    pub run: fn(Only<'_>, &mut dyn FnMut(Row)) -> anyhow::Result<()>,
    /// Runs it on a graphics device, where there is something to run there.
    pub run_on: Option<RunOn>,
}

/// Runs a suite on a graphics device.
pub type RunOn = fn(&Arc<phyxel_gpu::Device>, Only<'_>, &mut dyn FnMut(Row)) -> anyhow::Result<()>;

/// All suites.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "papers",
        summary: "the workloads of the source papers, beside their speed",
        run: papers::run,
        run_on: Some(gpu_papers::run),
    },
    Suite {
        name: "surfaces",
        summary: "what is drawn: Müller's table and his funnel, and closed meshes around 100 k phyxels (part of papers)",
        run: |_, out| mueller::run(out),
        run_on: None,
    },
    Suite {
        name: "scaling",
        summary: "1 k to 1 M nodes: time per step, memory per node, straight-line fit",
        run: |_, out| scaling::run(out),
        run_on: None,
    },
    Suite {
        name: "kernels",
        summary: "the inner loops: elements and neighbour pairs per second",
        run: |_, out| kernels::run(out),
        run_on: Some(gpu::run),
    },
    Suite {
        name: "fracture",
        summary: "fifty walls that break on the ground, and what a break of a hundred nodes costs",
        run: |_, out| walls::run(out),
        run_on: Some(gpu_walls::run),
    },
];
