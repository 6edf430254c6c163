//! From where a scene is seen.

/// A camera. It changes nothing in mechanics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is [m].
    pub position: [f64; 3],
    /// What it looks at [m]; y is up.
    pub target: [f64; 3],
    /// Angle of view from the bottom to the top of the picture [degrees], 1 to 150.
    pub fov: f64,
}
