// What stabilised elements leave for a node, by six lanes: a record is six vectors side by side, and a lane that read all of them would
// touch as many lines of memory as lanes that read one each do together. Three lanes have a row of the stress each, three a row of
// the gradient.

const NODES = 32u;
var<workgroup> parts: array<f32, 192>;

// The part of one lane from one element. `a` is the place where the gradient is asked for, with the component of the field beside it.
fn part_of(at: u32, row: u32, a: vec4f) -> f32 {
    let entry = around[at];
    let c = around_penalties[at];
    let record = records[6u * entry.w + row];
    // The element that the node is the centre of holds the sum of its pulls.
    let centre = c < 0.0;
    if row < 3u {
        return dot(record.xyz, bitcast<vec3f>(entry.xyz)) - select(0.0, record.w, centre);
    }
    return (a.w - dot(record.xyz, a.xyz) - record.w) * select(c, 0.0, centre);
}

// The sum at a node with the field `w` at the place `x`, beside which is the modulus of the penalty; for the first lane of the node.
fn six_pulls(lane: u32, first: u32, count: u32, w: vec3f, x: vec4f) -> vec3f {
    let row = lane % 6u;
    let a = vec4f(x.xyz, select(select(w.x, w.y, row == 4u), w.z, row == 5u));
    var even = 0.0;
    var odd = 0.0;
    for (var k = 0u; k + 1u < count; k += 2u) {
        even += part_of(first + 32u * k, row, a);
        odd += part_of(first + 32u * k + 32u, row, a);
    }
    if (count & 1u) == 1u {
        even += part_of(first + 32u * (count - 1u), row, a);
    }
    parts[lane] = even + odd;
    workgroupBarrier();
    let own = lane - row;
    return vec3f(parts[own], parts[own + 1u], parts[own + 2u])
        + vec3f(parts[own + 3u], parts[own + 4u], parts[own + 5u]) * x.w;
}
