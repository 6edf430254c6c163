//! The arrays of a model in the order and shape that a graphics card reads fastest. Nothing here touches a device.

pub(crate) mod clusters;
pub(crate) mod colliders;
pub(crate) mod colours;
pub(crate) mod general;
pub(crate) mod grains;
pub(crate) mod laws;
pub(crate) mod matrix;

pub(crate) mod nodes;
pub(crate) mod order;
pub(crate) mod pins;
pub(crate) mod welds;

/// A run of clusters or elements with the same law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Which law.
    pub law: laws::LawKey,
    /// The first one.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Appends to the last run where the law is the same.
pub(crate) fn extend_runs(runs: &mut Vec<Run>, law: laws::LawKey, first: u32, count: u32) {
    match runs.last_mut() {
        Some(last) if last.law == law && last.first + last.count == first => last.count += count,
        _ if count > 0 => runs.push(Run { law, first, count }),
        _ => {}
    }
}
