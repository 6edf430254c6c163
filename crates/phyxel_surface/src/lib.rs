//! What is drawn of phyxels that flow, part and merge.
//!
//! A skin that is carried along cannot tear or close. This crate finds surfaces in every frame instead:
//! * a closed triangle mesh around the phyxels ([`Reconstruction`]), smooth, of the volume that the matter has, with the
//!   colours of the matter;
//! * discs that are carried along ([`SurfelCloud`]), split where the surface stretches and merged where it shrinks
//!   (Müller et al. 2004, section 5.1);
//! * discs that keep detail where the topology stays and follow an implicit surface where it changes ([`MultiSurface`];
//!   Müller et al. 2004, section 5.2).
//!
//! Melts that run into each other are one surface ([`Merged`]). [`Dresser`] does what the bodies of a simulation ask for.

#![forbid(unsafe_code)]

mod colours;
mod dresser;
mod error;
mod felt;
mod flow;
mod grid;
mod merged;
mod mesh;
mod multi;
mod reconstruction;
mod relief;
mod saved;
mod surfels;

pub use colours::{phyxel_colours, vertex_colours};
pub use dresser::{DressReport, Dresser};
pub use error::SurfaceError;
pub use flow::{Flow, Moved};
pub use grid::PointGrid;
pub use merged::{Merged, Piece};
pub use mesh::{Closedness, area, closedness, components, volume};
pub use multi::{Field, Moment, MultiSurface, Wall, boundary_probabilities};
pub use reconstruction::{Matter, Reconstruction, ReconstructionSettings};
pub use surfels::{Disc, SurfelCloud, sample_skin};
