//! Which surface is drawn of a body, and what it is made from.

use super::{BuildError, Warnings};
use crate::material::Material;
use crate::record::Look;
use crate::scene::{Body, Lagrangian, Method, SurfaceKind};
use crate::shape::{Geometry, TriMesh};

/// The drawn surface of a body besides its skin: what those who find surfaces anew in each frame need to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodySurface {
    /// What is drawn; never [`SurfaceKind::Auto`].
    pub kind: SurfaceKind,
    /// Discs, about, where it is made of them.
    pub surfels: usize,
    /// Distance between phyxels, at the surface where it varies [m]; zero for everything else.
    pub spacing: f64,
    /// The skin at rest [m]; empty where the skin alone is drawn.
    pub mesh: TriMesh,
    /// Colours and textures of the skin.
    pub look: Look,
    /// The part of the look that each triangle of the skin has; empty where all have the first.
    pub parts: Vec<u32>,
}

impl BodySurface {
    /// For a body whose surface has been checked.
    pub(super) fn of(body: &Body) -> Self {
        let kind = kind(body);
        let (spacing, mesh) = match &body.geometry {
            Geometry::Points(sampling) if kind != SurfaceKind::Skin => (sampling.spacing, sampling.skin.clone()),
            Geometry::Points(sampling) => (sampling.spacing, TriMesh::default()),
            _ => (0.0, TriMesh::default()),
        };
        let (look, parts) = (body.look.clone(), body.skin_parts.clone());
        BodySurface { kind, surfels: body.surfels, spacing, mesh, look, parts }
    }

    /// Whether the skin is drawn, which stays whole where matter parts and apart where it merges.
    pub fn shows_skin(&self) -> bool {
        matches!(self.kind, SurfaceKind::Skin | SurfaceKind::Surfels)
    }
}

/// What is drawn of a body. Phyxels that find new neighbours and flow part and merge, and their deformation gradients are
/// those of the last bit of elasticity alone: no skin could follow them.
fn kind(body: &Body) -> SurfaceKind {
    let flows = |m: &Material| m.plastic.is_some() || m.thermal.as_ref().is_some_and(|t| t.melting.is_some());
    let updated = body.method == Method::Mls && body.mls.lagrangian == Lagrangian::Updated;
    // What breaks without melting has faces: its pieces are drawn with their shells.
    let melts = body.material.thermal.as_ref().is_some_and(|t| t.melting.is_some());
    let breaks = body.material.fracture.is_some() && !melts;
    match body.surface {
        SurfaceKind::Auto if updated && flows(&body.material) && !breaks => SurfaceKind::Reconstructed,
        SurfaceKind::Auto => SurfaceKind::Skin,
        kind => kind,
    }
}

/// Refuses surfaces that a body cannot have, and looks that do not fit its skin.
pub(super) fn check_surface(body: &Body, breaks: bool) -> Result<(), BuildError> {
    let unsupported = |what| Err(BuildError::Unsupported { body: body.name.clone(), what });
    let phyxels = body.method == Method::Mls;
    if !phyxels && !matches!(body.surface, SurfaceKind::Auto | SurfaceKind::Skin) {
        return unsupported("this surface is made around phyxels: use method = \"mls\", or surface = \"skin\"");
    }
    let discs = matches!(body.surface, SurfaceKind::Surfels | SurfaceKind::Multi);
    if discs && body.surfels == 0 {
        return unsupported("a surface of 0 surfels shows nothing: give surfels = 1 or more");
    }
    if breaks && (discs || body.skin.is_some()) {
        return unsupported("this surface cannot follow cracks: leave out skin and surface, or the fracture");
    }
    let Some(skin) = skin_of(body) else { return check_look(body, 0, 0) };
    if discs && skin.triangles.is_empty() {
        return unsupported("surfels are laid on the skin, and the body has none: use surface = \"reconstructed\"");
    }
    check_look(body, skin.points.len(), skin.triangles.len())
}

/// The skin of a body's own, if it has one.
pub(super) fn skin_of(body: &Body) -> Option<&TriMesh> {
    match &body.geometry {
        Geometry::Points(sampling) => Some(&sampling.skin),
        Geometry::Embedded(embedded) => Some(&embedded.skin),
        Geometry::Tets(_) => body.skin.as_ref(),
        Geometry::Springs(_) => None,
    }
}

fn check_look(body: &Body, points: usize, triangles: usize) -> Result<(), BuildError> {
    let bad = |part, index, why| Err(BuildError::BadPart { body: body.name.clone(), part, index, why });
    let remedy = "give one for each, or none at all";
    for (part, found, wanted) in [
        ("texture coordinate", body.look.uvs.len(), triangles),
        ("normal of skin triangle", body.look.normals.len(), triangles),
        ("colour of skin vertex", body.look.colours.len(), points),
        ("part of skin triangle", body.skin_parts.len(), triangles),
    ] {
        if found != 0 && found != wanted {
            return bad(part, found.min(wanted), format!("is wrong: {found} of them for a skin of {wanted}: {remedy}"));
        }
    }
    if let Some(index) = body.look.uvs.iter().position(|t| t.iter().flatten().any(|c| !c.is_finite())) {
        return bad("texture coordinate", index, "is not a finite number: give it a value".into());
    }
    if let Some(index) = body.look.normals.iter().position(|t| t.iter().flatten().any(|c| !c.is_finite())) {
        return bad("normal of skin triangle", index, "is not a finite number: give it a value, or zeros".into());
    }
    Ok(())
}

/// Notes skins that are not what they seem: triangles without area, and vertices that hang in the air.
pub(super) fn warn_about_skin(body: &Body, skin: &TriMesh, outside: (usize, f64), warnings: &mut Warnings) {
    let corner = |n: u32| crate::math::Vec3(skin.points[n as usize]);
    let flat = |t: &&[u32; 3]| {
        let [a, b, c] = t.map(corner);
        let (u, v) = (b - a, c - a);
        u.cross(v).norm() <= 1e-12 * u.norm_squared().max(v.norm_squared())
    };
    let flat = skin.triangles.iter().filter(flat).count();
    if flat > 0 {
        let count = skin.triangles.len();
        warnings.push(format!(
            "body {:?}: {flat} of the {count} triangles of its skin have no area and cannot be seen: remove them",
            body.name
        ));
    }
    let (count, farthest) = outside;
    if count > 0 {
        warnings.push(format!(
            "body {:?}: {count} of the {} vertices of its skin lie outside of it, up to {farthest:.3e} m; they follow the nearest \
             part of it: fit the skin to the body, or make the body finer",
            body.name,
            skin.points.len()
        ));
    }
}
