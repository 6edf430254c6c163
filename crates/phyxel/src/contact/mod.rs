//! What touches what: colliders, and the planes in which nodes meet them.

mod collider;
mod field;
mod finder;
mod form;
mod grips;
mod height;
mod motion;
pub(crate) mod near;
mod pairs;
mod surface;
pub(crate) mod tree;

pub use collider::{Collider, Path, Plane, Pose, REST_SPEED};
pub use field::DistanceField;
pub use finder::Finder;
pub use form::{Form, Probe};
pub use grips::{Grip, Gripper, Twist};
pub use height::HeightField;
pub use pairs::{KEPT_APART, Pair, Sweep};
pub use surface::{Part, Surface, Vertex};

/// Fastest that overlapping matter is pushed out [m/s]: a body that starts inside the floor rises, it is not shot out.
pub const MAX_PUSH_SPEED: f64 = 1.0;
