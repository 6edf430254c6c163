//! Nodes by their tags, which need be neither dense nor sorted.

use super::super::Result;
use crate::input::{Cursor, Problem};

/// From tags to places.
pub(super) struct Tags {
    /// Tag and place, sorted by tag; empty when tag `first + i` is at place `i`.
    sorted: Vec<(u64, u32)>,
    first: u64,
    count: usize,
}

impl Tags {
    /// Tags in the order of the nodes.
    pub(super) fn new(cursor: &Cursor, tags: Vec<u64>) -> Result<Self> {
        let (first, count) = (tags.first().copied().unwrap_or(0), tags.len());
        if tags.iter().enumerate().all(|(i, t)| Some(*t) == first.checked_add(i as u64)) {
            return Ok(Tags { sorted: Vec::new(), first, count });
        }
        let mut sorted: Vec<(u64, u32)> = tags.into_iter().enumerate().map(|(i, t)| (t, i as u32)).collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|w| w[0].0 == w[1].0) {
            let what = format!("node {} is there twice", twice[0].0);
            return Err(cursor.error(Problem::Malformed { what, remedy: "export the mesh again" }));
        }
        Ok(Tags { sorted, first, count })
    }

    /// The place of a node.
    pub(super) fn place(&self, cursor: &Cursor, tag: u64) -> Result<i64> {
        let place = if self.sorted.is_empty() {
            tag.checked_sub(self.first).filter(|i| *i < self.count as u64).map(|i| i as i64)
        } else {
            self.sorted.binary_search_by_key(&tag, |e| e.0).ok().map(|i| i64::from(self.sorted[i].1))
        };
        let index = i64::try_from(tag).unwrap_or(i64::MAX);
        place.ok_or_else(|| cursor.error(Problem::OutOfRange { what: "node", index, count: self.count }))
    }
}
