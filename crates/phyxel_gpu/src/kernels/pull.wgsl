// How an element pulls at a node with the field `w` at the place `x`, beside which is the modulus of the penalty.
fn pull_of(at: u32, w: vec3f, x: vec4f) -> vec3f {
    let entry = around[at];
    let d = bitcast<vec3f>(entry.xyz);
    if STRIDE == 3u {
        let e = 3u * entry.w;
        return records[e].xyz * d.x + records[e + 1u].xyz * d.y + records[e + 2u].xyz * d.z;
    }
    let e = 2u * entry.w;
    let plane = 2u * job.elements;
    let s0 = records[e];
    let s1 = records[e + 1u];
    let s2 = records[plane + e];
    let g0 = records[plane + e + 1u];
    let g1 = records[2u * plane + e];
    let g2 = records[2u * plane + e + 1u];
    let pull = s0.xyz * d.x + s1.xyz * d.y + s2.xyz * d.z;
    let c = around_penalties[at];
    // The element that a node is the centre of comes first and holds the sum of its pulls.
    let spring = (w - (g0.xyz * x.x + g1.xyz * x.y + g2.xyz * x.z) - vec3f(g0.w, g1.w, g2.w)) * (c * x.w);
    return pull + select(spring, -vec3f(s0.w, s1.w, s2.w), c < 0.0);
}
