//! How bodies look: what surface files say of colours and textures, and surfaces that are found anew in each frame.

use std::path::PathBuf;

/// What is known of a drawn surface besides its triangles. It goes with the layout, and changes nothing in mechanics.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Look {
    /// Red, green and blue of the body as screens have them (sRGB); nothing: whoever draws picks one that tells it from others.
    pub colour: Option<[u8; 3]>,
    /// Texture coordinates of the corners of each skin triangle, v upward; empty where there are none.
    pub uvs: Vec<[[f32; 2]; 3]>,
    /// Normals of the corners of each skin triangle at rest, pointing out: smooth where corners of a vertex have the same
    /// one, an edge where they do not. Zero where the triangles themselves tell; empty where they do everywhere.
    pub normals: Vec<[[f32; 3]; 3]>,
    /// Colour of each skin vertex, linear red, green and blue in 0..1; empty where there are none.
    pub colours: Vec<[f32; 3]>,
    /// What the parts of the surface are made of, by the numbers in
    /// [`BodyLayout::skin_parts`](super::BodyLayout::skin_parts); parts beyond the list look like the body.
    pub parts: Vec<PartLook>,
}

/// The look of a part of a surface.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartLook {
    /// Its name in the file, or what it is: `outside`, `inside`.
    pub name: String,
    /// Linear red, green, blue and opacity in 0..1; nothing: as the body.
    pub colour: Option<[f32; 4]>,
    /// A picture over the texture coordinates.
    pub texture: Option<PathBuf>,
}

/// A closed surface found anew in one frame, of matter that has flowed, merged or parted. It is drawn instead of the
/// body's skin.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FreeSurface {
    /// Vertices [m].
    pub points: Vec<[f64; 3]>,
    /// Outward unit normals of the vertices.
    pub normals: Vec<[f64; 3]>,
    /// Linear red, green and blue of the vertices; empty: as the body.
    pub colours: Vec<[f32; 3]>,
    /// Three vertices each, wound so that normals point out.
    pub triangles: Vec<[u32; 3]>,
    /// The part that each triangle is of: 0 is the outside, faces of cracks have the number of what is inside. Empty where all
    /// are outside.
    pub parts: Vec<u32>,
}

/// Points that stand for small discs of a surface (surfels).
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Surfels {
    /// Centres [m].
    pub points: Vec<[f64; 3]>,
    /// Outward unit normals.
    pub normals: Vec<[f64; 3]>,
    /// Half axes of the elliptic disc [m].
    pub tangents: Vec<[[f64; 3]; 2]>,
    /// Linear red, green and blue.
    pub colours: Vec<[f32; 3]>,
}
