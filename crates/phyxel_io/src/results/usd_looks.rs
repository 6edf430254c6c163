//! The looks of USD prims: texture coordinates, parts of surfaces, and materials (UsdPreviewSurface).

use super::looks::{LookOf, distinct_parts, look_of};
use super::textures::Textures;
use super::usd::write_ints;
use crate::drawable::{Drawable, body_colour};
use phyxel::record::Look;
use std::collections::HashMap;
use std::io::{self, Write};

/// The scope that holds the materials.
pub(super) const SCOPE: &str = "Looks";

/// What stands behind the head of a prim that has a material.
pub(super) const BINDS: &str = " (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )";

/// The path of the material of a part of a body, whose prim is called `name`.
fn material_path(name: &str, part: u32) -> String {
    format!("/World/{SCOPE}/{name}_{part}")
}

/// The path of the material of a body's surface found anew.
fn free_material_path(free_name: &str) -> String {
    format!("/World/{SCOPE}/{free_name}_colours")
}

/// Texture coordinates of the corners, each pair written once.
pub(super) fn write_uvs(drawable: &Drawable, w: &mut impl Write) -> io::Result<()> {
    if drawable.look.uvs.is_empty() {
        return Ok(());
    }
    let (mut known, mut values, mut indices) = (HashMap::new(), Vec::new(), Vec::new());
    for uv in drawable.look.uvs.iter().flatten() {
        let index = *known.entry(uv.map(f32::to_bits)).or_insert_with(|| {
            values.push(uv.map(|c| if c.is_finite() { c } else { 0.0 }));
            values.len() as u32 - 1
        });
        indices.push(index);
    }
    write!(w, "        texCoord2f[] primvars:st = [")?;
    for (i, [u, v]) in values.iter().enumerate() {
        write!(w, "{}({u}, {v})", if i > 0 { ", " } else { "" })?;
    }
    writeln!(w, "] (\n            interpolation = \"faceVarying\"\n        )")?;
    write_ints(w, "primvars:st:indices", indices.into_iter())
}

/// Which material the surface has, or which of its triangles have which.
pub(super) fn write_binding(name: &str, drawable: &Drawable, w: &mut impl Write) -> io::Result<()> {
    let parts = distinct_parts(drawable);
    if let [part] = parts[..] {
        return writeln!(w, "        rel material:binding = <{}>", material_path(name, part));
    }
    writeln!(w, "        uniform token subsetFamily:materialBind:familyType = \"partition\"")?;
    for part in parts {
        writeln!(w, "\n        def GeomSubset \"part_{part}\" (")?;
        writeln!(w, "            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {{")?;
        let faces = (0..).zip(&drawable.parts).filter(|(_, p)| **p == part).map(|(face, _)| face);
        writeln!(w, "        uniform token elementType = \"face\"")?;
        writeln!(w, "        uniform token familyName = \"materialBind\"")?;
        write_ints(w, "indices", faces)?;
        writeln!(w, "        rel material:binding = <{}>\n        }}", material_path(name, part))?;
    }
    Ok(())
}

/// The binding of a surface found anew.
pub(super) fn write_free_binding(free_name: &str, w: &mut impl Write) -> io::Result<()> {
    writeln!(w, "        rel material:binding = <{}>", free_material_path(free_name))
}

/// The path of the material of what is inside a body, on its surface found anew.
fn inside_path(free_name: &str) -> String {
    format!("/World/{SCOPE}/{free_name}_inside")
}

/// Opens the part of a surface found anew that shows the inside: the faces of cracks.
pub(super) fn open_inside(w: &mut impl Write) -> io::Result<()> {
    writeln!(w, "        uniform token subsetFamily:materialBind:familyType = \"nonOverlapping\"")?;
    writeln!(w, "\n        def GeomSubset \"inside\" (")?;
    writeln!(w, "            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {{")?;
    writeln!(w, "        uniform token elementType = \"face\"")?;
    writeln!(w, "        uniform token familyName = \"materialBind\"")
}

/// Closes it, with its material.
pub(super) fn close_inside(free_name: &str, w: &mut impl Write) -> io::Result<()> {
    writeln!(w, "        rel material:binding = <{}>\n        }}", inside_path(free_name))
}

/// The material of what is inside a body, on its surface found anew.
pub(super) fn write_inside_material(
    (body, free_name): (usize, &str),
    drawable: &Drawable,
    w: &mut impl Write,
) -> io::Result<()> {
    let [r, g, b, opacity] = look_of(body, drawable, 1).colour;
    open_material(&inside_path(free_name), w)?;
    writeln!(w, "                color3f inputs:diffuseColor = ({r}, {g}, {b})")?;
    close_surface(opacity, w)?;
    writeln!(w, "        }}")
}

/// The materials of a body.
pub(super) fn write_materials(
    (body, name): (usize, &str),
    drawable: &Drawable,
    textures: &Textures,
    w: &mut impl Write,
) -> io::Result<()> {
    for part in distinct_parts(drawable) {
        let LookOf { colour: [r, g, b, opacity], texture } = look_of(body, drawable, part);
        let path = material_path(name, part);
        let file = texture.map(|t| textures.place(t, ""));
        open_material(&path, w)?;
        match file {
            Some(_) => {
                writeln!(w, "                color3f inputs:diffuseColor.connect = <{path}/Texture.outputs:rgb>")?
            }
            None => writeln!(w, "                color3f inputs:diffuseColor = ({r}, {g}, {b})")?,
        }
        close_surface(opacity, w)?;
        if let Some(file) = file {
            write_texture(&path, &file, w)?;
        }
        writeln!(w, "        }}")?;
    }
    Ok(())
}

/// The material of a surface found anew: its display colours, whatever they are.
pub(super) fn write_free_material((body, look): (usize, &Look), free_name: &str, w: &mut impl Write) -> io::Result<()> {
    let path = free_material_path(free_name);
    open_material(&path, w)?;
    writeln!(w, "                color3f inputs:diffuseColor.connect = <{path}/Colour.outputs:result>")?;
    close_surface(1.0, w)?;
    let [r, g, b] = display_colour(body, look);
    writeln!(w, "            def Shader \"Colour\"\n            {{")?;
    writeln!(w, "                uniform token info:id = \"UsdPrimvarReader_float3\"")?;
    writeln!(w, "                float3 inputs:fallback = ({r}, {g}, {b})")?;
    writeln!(w, "                string inputs:varname = \"displayColor\"")?;
    writeln!(w, "                float3 outputs:result\n            }}\n        }}")
}

/// A body's colour; those of USD are linear.
pub(super) fn display_colour(body: usize, look: &Look) -> [f32; 3] {
    body_colour(body, look).map(|c| c.powf(2.2))
}

fn open_material(path: &str, w: &mut impl Write) -> io::Result<()> {
    let name = path.rsplit('/').next().unwrap_or_default();
    writeln!(w, "        def Material \"{name}\"\n        {{")?;
    writeln!(w, "            token outputs:surface.connect = <{path}/Surface.outputs:surface>")?;
    writeln!(w, "            def Shader \"Surface\"\n            {{")?;
    writeln!(w, "                uniform token info:id = \"UsdPreviewSurface\"")
}

fn close_surface(opacity: f32, w: &mut impl Write) -> io::Result<()> {
    writeln!(w, "                float inputs:opacity = {opacity}\n                float inputs:roughness = 0.5")?;
    writeln!(w, "                token outputs:surface\n            }}")
}

fn write_texture(path: &str, file: &str, w: &mut impl Write) -> io::Result<()> {
    // Three signs open an address in which one may occur.
    let address = if file.contains('@') { format!("@@@{file}@@@") } else { format!("@{file}@") };
    writeln!(w, "            def Shader \"Texture\"\n            {{")?;
    writeln!(w, "                uniform token info:id = \"UsdUVTexture\"")?;
    writeln!(w, "                asset inputs:file = {address}")?;
    writeln!(w, "                token inputs:sourceColorSpace = \"sRGB\"")?;
    writeln!(w, "                float2 inputs:st.connect = <{path}/Coordinates.outputs:result>")?;
    writeln!(w, "                token inputs:wrapS = \"repeat\"\n                token inputs:wrapT = \"repeat\"")?;
    writeln!(w, "                float3 outputs:rgb\n            }}")?;
    writeln!(w, "            def Shader \"Coordinates\"\n            {{")?;
    writeln!(w, "                uniform token info:id = \"UsdPrimvarReader_float2\"")?;
    writeln!(w, "                string inputs:varname = \"st\"\n                float2 outputs:result\n            }}")
}
