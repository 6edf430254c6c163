//! When and how bodies break.
//!
//! A rule looks at the stresses after a step and proposes edits ([`Edit`]); it changes nothing. The edits are carried out in
//! one place (`apply`), which gives every array of the model and of the state its new nodes. No element is ever
//! deleted: a node is given to the elements on one side of the crack, and a copy of it to those on the other.

mod alarm;
mod apply;
mod breaker;
pub mod criterion;
mod cut;
mod drawn;
mod fragile;
mod fragments;
mod point_rule;
pub mod points;
mod relabel;
mod restore;
mod rule;
mod split;
mod star;
mod stress;
mod surface;

pub use breaker::{Breaker, CrackEvent};
pub use drawn::Drawn;
pub use fragile::{Fragile, Pieces, TetPieces};
pub use fragments::Fragment;
pub use relabel::Relabel;
pub(crate) use restore::Topology;

pub(crate) use fragile::{check_body, may_break};

/// A change of topology.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Gives some of the elements around a node a copy of it.
    SplitNode {
        /// Which body.
        body: usize,
        /// The node, within the body.
        node: u32,
        /// The elements that get the copy.
        elements: Vec<u32>,
        /// Square to the crack, in the present shape.
        normal: [f64; 3],
    },
    /// Takes sight from phyxels, and duplicates those that lie in the crack.
    SplitPhyxels {
        /// Which body.
        body: usize,
        /// A phyxel at the crack, within the body.
        at: u32,
        /// The crack, at rest.
        crack: points::Crack,
        /// Square to the crack, in the present shape.
        normal: [f64; 3],
    },
}

impl Edit {
    /// The body that it changes.
    pub fn body(&self) -> usize {
        match self {
            Edit::SplitNode { body, .. } | Edit::SplitPhyxels { body, .. } => *body,
        }
    }
}
