// The gradient of displacements over a tetrahedron, read without the shared memory of its cluster.
fn displacement(head: vec4u, local: u32) -> vec3f {
    return u[members[head.x + local].x].xyz;
}

fn tet_gradient(head: vec4u, piece: Piece) -> mat3x3f {
    let packed = piece.nodes;
    let a = displacement(head, packed & 255u);
    return outer(displacement(head, (packed >> 8u) & 255u) - a, piece.d1)
        + outer(displacement(head, (packed >> 16u) & 255u) - a, piece.d2)
        + outer(displacement(head, packed >> 24u) - a, piece.d3);
}
