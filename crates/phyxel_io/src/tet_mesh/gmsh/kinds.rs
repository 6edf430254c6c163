//! The element types of Gmsh.

/// Four-node tetrahedra.
pub(super) const TETRAHEDRON: i64 = 4;

/// The number of nodes of a type, and what its elements are called; nothing for types that are not known here.
pub(super) fn kind(number: i64) -> Option<(usize, &'static str)> {
    Some(match number {
        1 => (2, "lines"),
        2 => (3, "triangles"),
        3 => (4, "quadrilaterals"),
        TETRAHEDRON => (4, "tetrahedra"),
        5 => (8, "hexahedra"),
        6 => (6, "prisms"),
        7 => (5, "pyramids"),
        8 => (3, "lines of higher order"),
        9 => (6, "triangles of higher order"),
        10 => (9, "quadrilaterals of higher order"),
        11 => (10, "tetrahedra of higher order"),
        12 => (27, "hexahedra of higher order"),
        13 => (18, "prisms of higher order"),
        14 => (14, "pyramids of higher order"),
        15 => (1, "points"),
        16 => (8, "quadrilaterals of higher order"),
        17 => (20, "hexahedra of higher order"),
        18 => (15, "prisms of higher order"),
        19 => (13, "pyramids of higher order"),
        20 => (9, "triangles of higher order"),
        21 => (10, "triangles of higher order"),
        22 => (12, "triangles of higher order"),
        23 => (15, "triangles of higher order"),
        24 => (15, "triangles of higher order"),
        25 => (21, "triangles of higher order"),
        26 => (4, "lines of higher order"),
        27 => (5, "lines of higher order"),
        28 => (6, "lines of higher order"),
        29 => (20, "tetrahedra of higher order"),
        30 => (35, "tetrahedra of higher order"),
        31 => (56, "tetrahedra of higher order"),
        92 => (64, "hexahedra of higher order"),
        93 => (125, "hexahedra of higher order"),
        _ => return None,
    })
}
