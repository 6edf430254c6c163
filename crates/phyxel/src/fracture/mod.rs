//! When and how bodies break.
//!
//! A rule looks at the stresses after a step and proposes edits ([`Edit`]); it changes nothing. The edits are carried out in
//! one place (`apply`), which gives every array of the model and of the state its new nodes. No element is ever
//! deleted: a node is given to the elements on one side of the crack, and a copy of it to those on the other.

mod ahead;
mod alarm;
mod apart;
mod apply;
mod breaker;
mod checks;
mod cohesion;
pub mod criterion;
mod cut;
mod debris;
mod disc;
mod drawn;
mod edges;
mod flow;
mod fragile;
mod fragments;
mod front;
mod hoop;
mod point_rule;
mod point_tip;
pub mod points;
mod pool;
mod refine;
mod relabel;
mod release;
mod renumber;
mod reshape;
mod restore;
mod room;
mod rule;
mod shell;
mod slice;
mod split;
mod star;
mod stress;
mod stress_of_tets;
mod supports;
mod surface;
mod tets;
mod tip;
mod view;

pub use breaker::{Breaker, CrackEvent};
pub use cohesion::{Cohesion, Link};
pub use debris::Debris;
pub use drawn::Drawn;
pub(crate) use flow::Carried;
pub use fragile::{Fragile, Pieces};
pub use fragments::Fragment;
pub use refine::Birth;
pub use relabel::{Relabel, Sources};
pub(crate) use restore::Topology;
pub use slice::{Slice, Within};
pub use tets::TetPieces;

pub(crate) use checks::{check_body, may_break};
pub(crate) use surface::add_shells;

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
        /// How both go on holding each other where cracks give way over a length; nothing for a cut.
        hold: Option<Held>,
        /// Square to the crack, in the present shape.
        normal: [f64; 3],
        /// Where the crack goes on to from its tip, in the present shape; nothing where it goes both ways.
        ahead: Option<[f64; 3]>,
    },
    /// Cuts the elements of a body where a slice passes through them, and parts what is on both sides.
    CutThrough {
        /// Which body.
        body: usize,
        /// The slice, in the present shape.
        slice: Slice,
    },
    /// Takes sight from phyxels, and duplicates those that lie in the crack.
    SplitPhyxels {
        /// Which body.
        body: usize,
        /// A phyxel at the crack, within the body.
        at: u32,
        /// The crack, at rest.
        crack: points::Crack,
        /// How both copies of a phyxel go on holding each other where cracks give way over a length; nothing for a cut.
        hold: Option<Held>,
        /// Square to the crack, in the present shape.
        normal: [f64; 3],
        /// Where the crack goes on to from its tip, at rest; nothing where it goes both ways.
        ahead: Option<[f64; 3]>,
    },
}

/// What a new crack is held with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Strength of the material across it [Pa].
    pub strength: f64,
    /// Square to the crack at rest.
    pub at_rest: [f64; 3],
}

impl Edit {
    /// The body that it changes.
    pub fn body(&self) -> usize {
        match self {
            Edit::SplitNode { body, .. } | Edit::SplitPhyxels { body, .. } | Edit::CutThrough { body, .. } => *body,
        }
    }
}
