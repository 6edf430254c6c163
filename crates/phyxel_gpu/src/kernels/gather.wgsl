// The second pass: what all elements around a node leave for it.

// 1 where there are tetrahedra; 1 where there are other stencils.
override TETS: u32 = 1u;
override GENERAL: u32 = 0u;

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
        let x = vec4f(rest[n].xyz - bodies[2u * body].xyz, bodies[2u * body + 1u].x);
        // Two at a time: the loads of one hide the wait for the other.
        var even = vec3f(0.0);
        var odd = vec3f(0.0);
        for (var k = 0u; k + 1u < count; k += 2u) {
            even += pull_of(first + 32u * k, w, x);
            odd += pull_of(first + 32u * k + 32u, w, x);
        }
        if (count & 1u) == 1u {
            even += pull_of(first + 32u * (count - 1u), w, x);
        }
        f -= even + odd;
        if STABILISED == 1u {
            f += own[n].xyz;
        }
    }
    return f;
}
