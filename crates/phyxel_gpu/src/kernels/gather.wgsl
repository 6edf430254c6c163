// The second pass: what all elements around a node leave for it.

// 1 where there are tetrahedra; 1 where there are other stencils.
override TETS: u32 = 1u;
override GENERAL: u32 = 0u;
override STRIDE: u32 = 3u;

// Tetrahedra: where each node's slots begin. Others: first entry and entries of each node, after those.
fn elastic_force(n: u32, w: vec3f, body: u32) -> vec3f {
    var f = vec3f(0.0);
    if TETS == 1u {
        // Four at a time, which few nodes exceed: none waits for another.
        let end = index[n + 1u];
        for (var k = index[n]; k < end; k += 4u) {
            let last = end - 1u;
            let a = slots[k].xyz;
            let b = slots[min(k + 1u, last)].xyz;
            let c = slots[min(k + 2u, last)].xyz;
            let d = slots[min(k + 3u, last)].xyz;
            f += a;
            f += select(vec3f(0.0), b, k + 1u < end);
            f += select(vec3f(0.0), c, k + 2u < end);
            f += select(vec3f(0.0), d, k + 3u < end);
        }
    }
    if GENERAL == 1u {
        let first = index[job.around + 2u * n];
        let count = index[job.around + 2u * n + 1u];
        var sum = vec3f(0.0);
        var springs = vec3f(0.0);
        let x = rest[n].xyz - bodies[2u * body].xyz;
        for (var k = 0u; k < count; k += 1u) {
            let entry = around[first + 32u * k];
            let d = bitcast<vec3f>(entry.xyz);
            let e = entry.w * STRIDE;
            let s0 = records[e];
            let s1 = records[e + 1u];
            let s2 = records[e + 2u];
            sum += s0.xyz * d.x + s1.xyz * d.y + s2.xyz * d.z;
            if STRIDE == 6u {
                let g0 = records[e + 3u];
                let g1 = records[e + 4u];
                let g2 = records[e + 5u];
                // The element that a node is the centre of comes first and holds the sum of its pulls.
                let c = around_penalties[first + 32u * k];
                if c < 0.0 {
                    sum -= vec3f(s0.w, s1.w, s2.w);
                } else {
                    springs += (w - (g0.xyz * x.x + g1.xyz * x.y + g2.xyz * x.z) - vec3f(g0.w, g1.w, g2.w)) * c;
                }
            }
        }
        f -= sum + springs * bodies[2u * body + 1u].x;
    }
    return f;
}
