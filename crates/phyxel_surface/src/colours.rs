//! Colours of matter: from the skin to phyxels, and from phyxels to whatever is drawn.

use crate::grid::PointGrid;
use phyxel::math::Vec3;
use phyxel::model::BodySurface;
use phyxel::par;

/// The colour of each phyxel at rest: that of the skin nearest to it. Empty when the skin has no colours.
pub fn phyxel_colours(phyxels: &[[f64; 3]], surface: &BodySurface) -> Vec<[f32; 3]> {
    let skin = skin_colours(surface);
    if skin.is_empty() {
        return Vec::new();
    }
    let grid = PointGrid::new(&surface.mesh.points, surface.spacing);
    let mut out = vec![[0.0; 3]; phyxels.len()];
    par::for_each(&mut out, |i, colour| {
        if let Some((v, _)) = grid.nearest(Vec3(phyxels[i])) {
            *colour = skin[v as usize];
        }
    });
    out
}

/// The colour of each vertex of a skin: its own, times that of the parts around it; white where nothing is said. Empty
/// when nothing is said anywhere.
pub(crate) fn skin_colours(surface: &BodySurface) -> Vec<[f32; 3]> {
    let (look, mesh) = (&surface.look, &surface.mesh);
    let painted = look.parts.iter().any(|p| p.colour.is_some());
    if mesh.points.is_empty() || (look.colours.is_empty() && !painted) {
        return Vec::new();
    }
    let mut colours = look.colours.clone();
    colours.resize(mesh.points.len(), [1.0; 3]);
    let mut tinted = vec![false; colours.len()];
    for (t, triangle) in mesh.triangles.iter().enumerate().filter(|_| painted) {
        let part = surface.parts.get(t).copied().unwrap_or(0) as usize;
        let Some([r, g, b, _]) = look.parts.get(part).and_then(|p| p.colour) else { continue };
        for &v in triangle {
            // A vertex on the line between two parts belongs to the first.
            if !std::mem::replace(&mut tinted[v as usize], true) {
                let own = &mut colours[v as usize];
                *own = [own[0] * r, own[1] * g, own[2] * b];
            }
        }
    }
    colours
}

/// Colours of points from those of the phyxels around them, nearer ones counting more; the nearest one's where none is
/// within two spacings.
pub fn vertex_colours(vertices: &[[f64; 3]], phyxels: &PointGrid, colours: &[[f32; 3]], spacing: f64) -> Vec<[f32; 3]> {
    let mut out = vec![[0.0; 3]; vertices.len()];
    // Sharper than the surface itself: colours follow matter and do not run into each other.
    let (reach, decay) = (1.6 * spacing, 4.0 / (spacing * spacing));
    par::for_each(&mut out, |i, out| {
        let x = Vec3(vertices[i]);
        let (mut sum, mut total) = ([0.0_f64; 3], 0.0_f64);
        phyxels.each_within(x, reach, |j, _, square| {
            let weight = (-decay * square).exp();
            total += weight;
            (0..3).for_each(|c| sum[c] += weight * f64::from(colours[j as usize][c]));
        });
        if total > 0.0 {
            *out = sum.map(|s| (s / total) as f32);
        } else if let Some((j, _)) = phyxels.nearest(x) {
            *out = colours[j as usize];
        }
    });
    out
}
