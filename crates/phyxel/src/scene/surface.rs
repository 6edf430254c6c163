//! How the surface of a body is shown.

/// Which surface is drawn of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SurfaceKind {
    /// A reconstructed one for phyxels that flow (they melt or yield while finding new neighbours), the skin for all others.
    #[default]
    Auto,
    /// The skin: triangles that are carried along and never part or merge.
    Skin,
    /// Small discs that are carried along, split where the surface stretches and merged where it shrinks
    /// (Müller et al. 2004, section 5.1); phyxels only.
    Surfels,
    /// A closed triangle mesh found anew around the phyxels in every frame; phyxels only.
    Reconstructed,
    /// Discs that keep the detail of the skin where the topology stays, and follow a surface around the phyxels where it
    /// changes (Müller et al. 2004, section 5.2); phyxels only.
    Multi,
}

impl SurfaceKind {
    /// Every kind, in the order in which they are listed to people.
    pub const ALL: [SurfaceKind; 5] =
        [SurfaceKind::Auto, SurfaceKind::Skin, SurfaceKind::Surfels, SurfaceKind::Reconstructed, SurfaceKind::Multi];

    /// The name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            SurfaceKind::Auto => "auto",
            SurfaceKind::Skin => "skin",
            SurfaceKind::Surfels => "surfels",
            SurfaceKind::Reconstructed => "reconstructed",
            SurfaceKind::Multi => "multi",
        }
    }
}

/// Discs of a body that does not say how many.
pub const DEFAULT_SURFELS: usize = 10_000;
