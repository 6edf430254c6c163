//! What a surface file says about looks, in the order of the solid's triangles.

use crate::surface::SurfaceFile;
use phyxel::math::Vec3;
use phyxel::record::{Look, PartLook};
use phyxel::shape::TriMesh;
use std::path::Path;

/// Colours and textures of a solid from a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dressing {
    /// Over the vertices and triangles of the solid.
    pub look: Look,
    /// The part of the look that each triangle has; empty where all have the first.
    pub parts: Vec<u32>,
    /// What is missing, in sentences.
    pub remarks: Vec<String>,
}

impl Dressing {
    /// Of a repaired file whose triangles are those of the solid `mesh`, some of them turned since. Textures are looked
    /// for in `folder`.
    pub(super) fn of(file: &SurfaceFile, mesh: &TriMesh, folder: &Path) -> Self {
        let mut dressing = Dressing::default();
        let turned = |t: usize| corners(file.mesh.triangles[t], mesh.triangles[t]);
        if let Some(uvs) = &file.uvs {
            dressing.look.uvs = uvs.iter().enumerate().map(|(t, uv)| turned(t).map(|k| uv[k])).collect();
        }
        if let Some(normals) = &file.normals {
            dressing.look.normals = normals.iter().enumerate().map(|(t, n)| turned(t).map(|k| n[k])).collect();
            dressing.check_normals(mesh);
        }
        if let Some(colours) = &file.colours {
            dressing.look.colours = vertex_colours(&file.mesh, colours, file.format);
        }
        dressing.add_parts(file, folder);
        dressing.note_gaps();
        dressing
    }

    fn add_parts(&mut self, file: &SurfaceFile, folder: &Path) {
        let part = |m: &crate::surface::SurfaceMaterial| PartLook {
            name: m.name.clone(),
            colour: m.colour,
            texture: m.texture.as_ref().map(|name| folder.join(name)),
        };
        self.look.parts = file.materials.iter().map(part).collect();
        let Some(of) = &file.material_of else { return };
        let plain = self.look.parts.len() as u32;
        let parts: Vec<u32> = of.iter().map(|m| m.filter(|m| *m < plain).unwrap_or(plain)).collect();
        if parts.contains(&plain) {
            self.look.parts.push(PartLook::default());
        }
        if parts.iter().any(|p| *p != 0) {
            self.parts = parts;
        }
    }

    /// Normals that are none, or that point into the body, are left to the triangles and counted.
    fn check_normals(&mut self, mesh: &TriMesh) {
        let (mut bad, mut inward) = (0, 0);
        for (corners, triangle) in self.look.normals.iter_mut().zip(&mesh.triangles) {
            let [a, b, c] = triangle.map(|v| Vec3(mesh.points[v as usize]));
            let out = (b - a).cross(c - a);
            for normal in corners {
                let own = Vec3(normal.map(f64::from));
                let usable = own.is_finite() && own.norm_squared() > 1e-12;
                let inside = usable && own.dot(out) < 0.0;
                bad += usize::from(!usable);
                inward += usize::from(inside);
                *normal = if usable && !inside { own.normalized().0.map(|c| c as f32) } else { [0.0; 3] };
            }
        }
        let all = 3 * mesh.triangles.len();
        for (count, what) in [(bad, "are missing or have no direction"), (inward, "point into the body")] {
            if count > 0 {
                self.remarks
                    .push(format!("{count} of the {all} normals of its file {what}: the triangles tell them instead"));
            }
        }
        if bad + inward == all {
            self.look.normals.clear();
        }
    }

    /// Textures that cannot be shown are left out and named.
    fn note_gaps(&mut self) {
        let bad_uv = self.look.uvs.iter().flatten().flatten().filter(|c| !c.is_finite()).count();
        if bad_uv > 0 {
            self.remarks.push(format!("{bad_uv} of its texture coordinates are no numbers and were set to 0"));
            self.look.uvs.iter_mut().flatten().flatten().filter(|c| !c.is_finite()).for_each(|c| *c = 0.0);
        }
        let has_uvs = !self.look.uvs.is_empty();
        for part in &mut self.look.parts {
            let Some(texture) = &part.texture else { continue };
            let (name, file) = (&part.name, texture.display().to_string());
            if !has_uvs {
                self.remarks.push(format!(
                    "its material {name:?} has the texture `{file}`, but the file has no texture coordinates: it is drawn without; \
                     unwrap the surface and export it with texture coordinates"
                ));
            } else if !texture.is_file() {
                self.remarks.push(format!(
                    "its material {name:?} has the texture `{file}`, which is not there: it is drawn without; put it beside the \
                     surface"
                ));
            } else {
                continue;
            }
            part.texture = None;
        }
    }
}

/// Which corner of `before` each corner of `after` was.
fn corners(before: [u32; 3], after: [u32; 3]) -> [usize; 3] {
    after.map(|v| before.iter().position(|b| *b == v).unwrap_or(0))
}

/// The mean colour of the corners at each vertex, linear.
fn vertex_colours(mesh: &TriMesh, corners: &[[[u8; 4]; 3]], format: &str) -> Vec<[f32; 3]> {
    // glTF's are linear; everybody else's are made for screens.
    let linear = format.contains("glTF");
    let decode = |c: u8| {
        let c = f32::from(c) / 255.0;
        match linear {
            true => c,
            false if c <= 0.04045 => c / 12.92,
            false => ((c + 0.055) / 1.055).powf(2.4),
        }
    };
    let mut sums = vec![([0.0_f32; 3], 0.0_f32); mesh.points.len()];
    for (triangle, colours) in mesh.triangles.iter().zip(corners) {
        for (v, c) in triangle.iter().zip(colours) {
            let (sum, count) = &mut sums[*v as usize];
            (0..3).for_each(|k| sum[k] += decode(c[k]));
            *count += 1.0;
        }
    }
    sums.into_iter().map(|(sum, count)| if count > 0.0 { sum.map(|s| s / count) } else { [1.0; 3] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::{Content, FileOptions, read_solid};

    /// A tetrahedron with texture coordinates, whose second face is wound inwards.
    const OBJ: &str = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nvt 0.5 0.5\n\
                       usemtl wood\nf 2/2 3/3 4/4\nf 1/1 3/3 4/4\nusemtl stone\nf 1/1 2/2 4/4\nf 1/1 3/3 2/2\n";

    fn read(obj: &str, mtl: &str, picture: bool) -> (Dressing, TriMesh) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.obj");
        std::fs::write(&path, obj).expect("written");
        std::fs::write(folder.path().join("a.mtl"), mtl).expect("written");
        if picture {
            std::fs::write(folder.path().join("wood.png"), b"").expect("written");
        }
        let file = read_solid(&path, &FileOptions::default()).expect("a solid");
        let Content::Surface(solid) = file.content else { panic!("a surface") };
        (file.dressing, solid.mesh().clone())
    }

    const MTL: &str = "newmtl wood\nKd 0.5 0.25 0.125\nmap_Kd wood.png\nnewmtl stone\nKd 0.5 0.5 0.5\n";

    #[test]
    fn texture_coordinates_stay_with_their_vertices_when_faces_are_turned() {
        let (dressing, mesh) = read(OBJ, MTL, true);
        // In this file the coordinate of a vertex has its number.
        let of_vertex = |v: u32| {
            let wanted: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let number = wanted.iter().position(|p| *p == mesh.points[v as usize]).expect("a corner");
            [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]][number]
        };
        let expected: Vec<[[f32; 2]; 3]> = mesh.triangles.iter().map(|t| t.map(of_vertex)).collect();
        assert_eq!(dressing.look.uvs, expected);
        assert_eq!(dressing.parts, [0, 0, 1, 1]);
        assert_eq!(dressing.look.parts[1].name, "stone");
        assert!(dressing.look.parts[0].texture.as_ref().is_some_and(|t| t.ends_with("wood.png")));
        assert!(dressing.remarks.is_empty(), "{:?}", dressing.remarks);
    }

    /// A tetrahedron whose first face has the normals of a ball, whose second has none, whose third has wrong ones.
    const NORMALS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 1 0 0\nvn 0 2 0\nvn 0 0 1\nvn 0 0 0\nvn 0 1 0\n\
                           f 2//1 3//2 4//3\nf 1//4 4//4 3//4\nf 1//5 2//5 4//5\nf 1 3 2\n";

    #[test]
    fn normals_of_the_file_are_kept_and_bad_ones_are_left_to_the_triangles_and_told() {
        let (dressing, mesh) = read(NORMALS, "", false);
        let given: Vec<_> = mesh.triangles.iter().zip(&dressing.look.normals).collect();
        let smooth = given.iter().find(|(_, n)| n.iter().all(|n| *n != [0.0; 3])).expect("one face has normals");
        for (v, n) in smooth.0.iter().zip(smooth.1) {
            assert_eq!(mesh.points[*v as usize].map(|c| c as f32), *n, "of unit length, at its vertex");
        }
        assert_eq!(given.iter().filter(|(_, n)| n.iter().all(|n| *n == [0.0; 3])).count(), 3);
        let all = dressing.remarks.join("; ");
        assert!(all.contains("6 of the 12 normals") && all.contains("3 of the 12 normals"), "{all}");
        assert!(all.contains("point into the body"), "{all}");
        let (plain, _) = read(OBJ, MTL, true);
        assert!(plain.look.normals.is_empty() && plain.remarks.is_empty(), "no normals are nothing to speak of");
    }

    #[test]
    fn textures_that_cannot_be_shown_are_named() {
        let (missing, _) = read(OBJ, MTL, false);
        assert!(missing.remarks[0].contains("wood.png") && missing.remarks[0].contains("not there"), "{missing:?}");
        assert_eq!(missing.look.parts[0].texture, None);
        let bare: String = OBJ
            .lines()
            .filter(|l| !l.starts_with("vt"))
            .map(|l| {
                let words = l.split(' ').map(|w| w.split('/').next().unwrap_or(w)).collect::<Vec<_>>();
                words.join(" ") + "\n"
            })
            .collect();
        let (unmapped, _) = read(&bare, MTL, true);
        assert!(unmapped.look.uvs.is_empty());
        assert!(unmapped.remarks[0].contains("no texture coordinates"), "{unmapped:?}");
    }
}
