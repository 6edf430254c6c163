// How an element without stabilisation pulls at a node.
fn pull_of(at: u32) -> vec3f {
    let entry = around[at];
    let d = bitcast<vec3f>(entry.xyz);
    let e = 3u * entry.w;
    return records[e].xyz * d.x + records[e + 1u].xyz * d.y + records[e + 2u].xyz * d.z;
}

// Two at a time: the loads of one hide the wait for the other.
fn pull_of_all(first: u32, count: u32) -> vec3f {
    var even = vec3f(0.0);
    var odd = vec3f(0.0);
    for (var k = 0u; k + 1u < count; k += 2u) {
        even += pull_of(first + 32u * k);
        odd += pull_of(first + 32u * k + 32u);
    }
    if (count & 1u) == 1u {
        even += pull_of(first + 32u * (count - 1u));
    }
    return even + odd;
}
