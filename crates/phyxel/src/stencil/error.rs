//! What can be wrong with the input of a stencil.

/// Why stencils could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StencilError {
    /// A tetrahedron without volume, or with its nodes in the wrong order.
    #[error(
        "tetrahedron {tet} is flat or inside out (6V = {six_volume:e} m³): \
         repair the mesh, or swap two of its nodes if it is only wound the wrong way"
    )]
    FlatTet {
        /// Which one.
        tet: u32,
        /// Six times its signed volume [m³].
        six_volume: f64,
    },
    /// A cell names a node that is not there.
    #[error(
        "tetrahedron {tet} names node {node}, but there are only {nodes}: number nodes from 0 and check the file is complete"
    )]
    NodeOutOfRange {
        /// Which tetrahedron.
        tet: u32,
        /// The node it names.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("node {node} has a coordinate that is not a finite number: remove it or give it a position")]
    NotFinite {
        /// Which node.
        node: usize,
    },
    /// A volume is zero, negative or not a number.
    #[error("phyxel {phyxel} has volume {volume:e} m³: every phyxel needs a positive, finite volume")]
    BadVolume {
        /// Which phyxel.
        phyxel: usize,
        /// Its volume [m³].
        volume: f64,
    },
    /// Arrays that belong together have different lengths.
    #[error("{what}: {found} entries where {expected} are needed, one per phyxel")]
    Length {
        /// Which array.
        what: &'static str,
        /// How long it is.
        found: usize,
        /// How long it must be.
        expected: usize,
    },
    /// A setting that must be positive and finite is not.
    #[error("{what} is {value}: give a {needed} number")]
    BadSetting {
        /// Which setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is wanted.
        needed: &'static str,
    },
    /// The tables would outgrow 32-bit indices.
    #[error("{entries} entries do not fit 32-bit indices: use a smaller support or fewer nodes")]
    TooLarge {
        /// How many there would be.
        entries: u64,
    },
}

impl StencilError {
    /// Refuses what is not one to one with the phyxels.
    pub(crate) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(StencilError::Length { what, found, expected }) }
    }

    /// Refuses points that are not finite.
    pub(crate) fn check_finite(points: &[[f64; 3]]) -> Result<(), Self> {
        match points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            Some(node) => Err(StencilError::NotFinite { node }),
            None => Ok(()),
        }
    }
}
