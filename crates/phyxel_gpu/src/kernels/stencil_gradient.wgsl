// The gradient of displacements over an element of any number of nodes, from its head.
fn stencil_gradient(head: vec4u) -> mat3x3f {
    let center = u[entries[head.x].w].xyz;
    var g = mat3x3f();
    for (var k = 1u; k < head.y; k += 1u) {
        let entry = entries[head.x + 32u * k];
        g += outer(u[entry.w].xyz - center, bitcast<vec3f>(entry.xyz));
    }
    return g;
}
