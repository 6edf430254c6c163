// How an element pulls at a node with the field `w` at the place `x`, beside which is the modulus of the penalty.
fn pull_of(at: u32, w: vec3f, x: vec4f) -> vec3f {
    let entry = around[at];
    let d = weight_of(entry);
    if STABILISED == 0u {
        let e = 3u * entry.w;
        return bitcast<vec3f>(records[e].xyz) * d.x
            + bitcast<vec3f>(records[e + 1u].xyz) * d.y
            + bitcast<vec3f>(records[e + 2u].xyz) * d.z;
    }
    let e = entry.w;
    let c = penalty_of(entry) * x.w;
    if SHORT == 1u {
        let a = records[record_at(e, 0u, job.elements)];
        let b = records[record_at(e, 1u, job.elements)];
        let m = records[record_at(e, 2u, job.elements)];
        let n = records[record_at(e, 3u, job.elements)];
        let stress = unpacked3(a.xy) * d.x + unpacked3(a.zw) * d.y + unpacked3(b.xy) * d.z;
        let linear = unpacked3(b.zw) * x.x + unpacked3(m.xy) * x.y + unpacked3(m.zw) * x.z;
        let left = w - linear * power_of_two((n.w >> 8u) & 0xffu) - bitcast<vec3f>(n.xyz);
        return stress * power_of_two(n.w & 0xffu) + left * (c * power_of_two(n.w >> 16u));
    }
    let s0 = records[record_at(e, 0u, job.elements)];
    let s1 = records[record_at(e, 1u, job.elements)];
    let s2 = records[record_at(e, 2u, job.elements)];
    let g0 = records[record_at(e, 3u, job.elements)];
    let g1 = records[record_at(e, 4u, job.elements)];
    let g2 = records[record_at(e, 5u, job.elements)];
    let stress = bitcast<vec3f>(s0.xyz) * d.x + bitcast<vec3f>(s1.xyz) * d.y + bitcast<vec3f>(s2.xyz) * d.z;
    let linear = bitcast<vec3f>(g0.xyz) * x.x + bitcast<vec3f>(g1.xyz) * x.y + bitcast<vec3f>(g2.xyz) * x.z;
    let base = bitcast<vec3f>(vec3u(s0.w, s1.w, s2.w));
    return stress + (w - linear - base) * (c * bitcast<f32>(g0.w));
}
