// The gradient of displacements over a tetrahedron, read without the shared memory of its cluster.
fn displacement(head: vec4u, local: u32) -> vec3f {
    return u[members[head.x + local]].xyz;
}

fn weight(shape: u32) -> vec3f {
    return vec3f(shapes[shape], shapes[shape + 256u], shapes[shape + 512u]);
}

fn tet_gradient(head: vec4u, packed: u32, shape: u32) -> mat3x3f {
    let a = displacement(head, packed & 255u);
    return outer(displacement(head, (packed >> 8u) & 255u) - a, weight(shape))
        + outer(displacement(head, (packed >> 16u) & 255u) - a, weight(shape + 768u))
        + outer(displacement(head, packed >> 24u) - a, weight(shape + 1536u));
}
