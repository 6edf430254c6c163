//! Meshes of one volume, in both versions.

use phyxel::shape::TetMesh;
use std::io::{self, Write};

fn write_format(w: &mut impl Write, version: &str, binary: bool) -> io::Result<()> {
    writeln!(w, "$MeshFormat\n{version} {} 8", u8::from(binary))?;
    if binary {
        w.write_all(&1i32.to_le_bytes())?;
        writeln!(w)?;
    }
    writeln!(w, "$EndMeshFormat")
}

/// Version 2.2; every element has the physical and the geometrical tag 1.
pub(in crate::tet_mesh) fn write_2(w: &mut impl Write, mesh: &TetMesh, binary: bool) -> io::Result<()> {
    write_format(w, "2.2", binary)?;
    writeln!(w, "$Nodes\n{}", mesh.points.len())?;
    for (i, p) in (1i32..).zip(&mesh.points) {
        if binary {
            w.write_all(&i.to_le_bytes())?;
            p.iter().try_for_each(|c| w.write_all(&c.to_le_bytes()))?;
        } else {
            writeln!(w, "{i} {:?} {:?} {:?}", p[0], p[1], p[2])?;
        }
    }
    writeln!(w, "{}$EndNodes\n$Elements\n{}", if binary { "\n" } else { "" }, mesh.tets.len())?;
    if binary {
        [4, mesh.tets.len() as i32, 2].iter().try_for_each(|n: &i32| w.write_all(&n.to_le_bytes()))?;
    }
    for (i, tet) in (1i32..).zip(&mesh.tets) {
        let [a, b, c, d] = tet.map(|n| n as i32 + 1);
        if binary {
            [i, 1, 1, a, b, c, d].iter().try_for_each(|n| w.write_all(&n.to_le_bytes()))?;
        } else {
            writeln!(w, "{i} 4 2 1 1 {a} {b} {c} {d}")?;
        }
    }
    writeln!(w, "{}$EndElements", if binary { "\n" } else { "" })
}

/// Version 4.1; all nodes and elements belong to volume 1.
pub(in crate::tet_mesh) fn write_4(w: &mut impl Write, mesh: &TetMesh, binary: bool) -> io::Result<()> {
    write_format(w, "4.1", binary)?;
    let (nodes, tets) = (mesh.points.len() as u64, mesh.tets.len() as u64);
    writeln!(w, "$Nodes")?;
    block(w, binary, nodes, 0)?;
    for tag in 1..=nodes {
        sizes(w, binary, &[tag])?;
    }
    for p in &mesh.points {
        if binary {
            p.iter().try_for_each(|c| w.write_all(&c.to_le_bytes()))?;
        } else {
            writeln!(w, "{:?} {:?} {:?}", p[0], p[1], p[2])?;
        }
    }
    writeln!(w, "{}$EndNodes\n$Elements", if binary { "\n" } else { "" })?;
    block(w, binary, tets, 4)?;
    for (i, tet) in (1u64..).zip(&mesh.tets) {
        let [a, b, c, d] = tet.map(|n| u64::from(n) + 1);
        sizes(w, binary, &[i, a, b, c, d])?;
    }
    writeln!(w, "{}$EndElements", if binary { "\n" } else { "" })
}

/// The header of a section with one block, and that of the block; `third` is 0 (not parametric) or the element type.
fn block(w: &mut impl Write, binary: bool, count: u64, third: i32) -> io::Result<()> {
    sizes(w, binary, &[1, count, 1, count])?;
    if !binary {
        return writeln!(w, "3 1 {third} {count}");
    }
    [3, 1, third].iter().try_for_each(|n: &i32| w.write_all(&n.to_le_bytes()))?;
    sizes(w, binary, &[count])
}

fn sizes(w: &mut impl Write, binary: bool, numbers: &[u64]) -> io::Result<()> {
    if binary {
        return numbers.iter().try_for_each(|n| w.write_all(&n.to_le_bytes()));
    }
    let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
    writeln!(w, "{}", words.join(" "))
}
