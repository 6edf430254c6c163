//! What can go wrong.

/// Why a surface could not be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // each sentence says it
pub enum SurfaceError {
    #[error("body {body:?}: no surface was found around its {phyxels} phyxels: {why}")]
    NotFound { body: String, phyxels: usize, why: String },
    #[error("a spacing of {spacing} m between phyxels gives no surface: give one above zero")]
    BadSpacing { spacing: f64 },
    #[error("body {body:?}: the surface that was saved is not one of this scene: run without resuming")]
    Unfit { body: String },
    #[error("{what} is {value}: it must be {wanted}")]
    BadSetting { what: &'static str, value: f64, wanted: &'static str },
}
