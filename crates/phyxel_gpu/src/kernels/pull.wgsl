// How an element pulls at a node with the field `w` at the place `x`, beside which is the modulus of the penalty.
fn pull_of(at: u32, w: vec3f, x: vec4f) -> vec3f {
    let entry = around[at];
    let d = bitcast<vec3f>(entry.xyz);
    let e = entry.w * STRIDE;
    let s0 = records[e];
    let s1 = records[e + 1u];
    let s2 = records[e + 2u];
    let pull = s0.xyz * d.x + s1.xyz * d.y + s2.xyz * d.z;
    if STRIDE == 3u {
        return pull;
    }
    let g0 = records[e + 3u];
    let g1 = records[e + 4u];
    let g2 = records[e + 5u];
    let c = around_penalties[at];
    // The element that a node is the centre of comes first and holds the sum of its pulls.
    let spring = (w - (g0.xyz * x.x + g1.xyz * x.y + g2.xyz * x.z) - vec3f(g0.w, g1.w, g2.w)) * (c * x.w);
    return pull + select(spring, -vec3f(s0.w, s1.w, s2.w), c < 0.0);
}
