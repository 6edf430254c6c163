fn gradient_share(at: u32, center: vec3f) -> mat3x3f {
    let entry = entries[at];
    return outer(u[entry.w].xyz - center, weight_of(entry));
}

// The gradient of displacements over an element of any number of nodes, from its head. Of phyxels, which have many, in two sums:
// shorter ones are rounded less.
fn stencil_gradient(head: vec4u) -> mat3x3f {
    let center = u[entries[head.x].w].xyz;
    let count = count_of(head);
    var sums = array<mat3x3f, 2>();
    for (var k = 1u; k < count; k += 1u) {
        let share = gradient_share(head.x + 32u * k, center);
        if STABILISED == 1u && (k & 1u) == 0u {
            sums[1] += share;
        } else {
            sums[0] += share;
        }
    }
    return (sums[0] + sums[1]) * weight_unit(head);
}
