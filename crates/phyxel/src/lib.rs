//! phyxel: solids that deform, yield, melt and break in real time.
//!
//! Everything elastic is a stencil: a list of nodes with one gradient weight each and a rest volume. Tetrahedra,
//! smoothed tetrahedra, meshless phyxels and springs differ only in how that list is made; laws, solvers and results
//! never know which one they work on.
//!
//! ```
//! use phyxel::scene::{Body, Method, Scene};
//! use phyxel::shape::{Placement, Resolution, Shape};
//! use phyxel::{Material, Simulation};
//!
//! let jelly = Material { young_modulus: 2.0e4, ..Material::default() };
//! let cube = Shape::Box { size: [0.1; 3] };
//! let geometry = cube.discretise(Method::Tet, &Resolution::Size(0.025), &Placement::default(), &jelly)?;
//! let body = Body::new("cube", geometry, Method::Tet, jelly);
//! let scene = Scene { bodies: vec![body], ..Scene::default() };
//!
//! let mut simulation = Simulation::<f64>::build(&scene)?;
//! simulation.advance_to(0.1)?;
//! // Free fall: the centre of mass has the velocity g t.
//! let mass = simulation.bodies()[0].mass_kg;
//! assert!((simulation.momentum()[1] / mass + 0.981).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod any;
pub mod contact;
mod events;
pub mod fracture;
pub mod heat;
pub mod material;
pub mod math;
pub mod model;
pub mod par;
pub mod record;
mod report;
pub mod rigid;
pub mod scene;
pub mod shape;
mod simulation;
pub mod solver;
mod state;
pub mod stencil;
mod triggers;
mod vectorised;

pub use any::{AnySimulation, Precision};
pub use fracture::{CrackEvent, Fragment};
pub use material::Material;
pub use model::BuildError;
pub use report::StepReport;
pub use scene::Scene;
pub use simulation::{Apart, BodySummary, Energy, Simulation};
pub use solver::{ContactForce, Partner, StepError};
pub use state::{Before, State};
pub use triggers::TriggerEvent;
pub use vectorised::vectorised;
