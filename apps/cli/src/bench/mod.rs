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

/// A suite: its name, what it shows, and how to run it (each row is handed out as it comes).
pub struct Suite {
    /// What people type.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Runs it.
    pub run: fn(&mut dyn FnMut(Row)) -> anyhow::Result<()>,
    /// Runs it on a graphics device, where there is something to run there.
    pub run_on: Option<RunOn>,
}

/// Runs a suite on a graphics device.
pub type RunOn = fn(&Arc<phyxel_gpu::Device>, &mut dyn FnMut(Row)) -> anyhow::Result<()>;

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
        run: mueller::run,
        run_on: None,
    },
    Suite {
        name: "scaling",
        summary: "1 k to 1 M nodes: time per step, memory per node, straight-line fit",
        run: scaling::run,
        run_on: None,
    },
    Suite {
        name: "kernels",
        summary: "the inner loops: elements and neighbour pairs per second",
        run: kernels::run,
        run_on: Some(gpu::run),
    },
    Suite {
        name: "fracture",
        summary: "fifty walls that break on the ground, and what a break of a hundred nodes costs",
        run: walls::run,
        run_on: Some(gpu_walls::run),
    },
];
