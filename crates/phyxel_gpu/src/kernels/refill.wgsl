// Stencils that have been found anew into the places of the old ones: twin of layout/general.rs, whose numbers these are. Rows have
// room of their own, so heads and rows stay where they are and only become longer or shorter.

struct Job {
    // The first node and the first element of the body.
    first: u32,
    element: u32,
    phyxels: u32,
    // 1 where these phyxels are stabilised.
    springs: u32,
    // Where rows of nodes begin in `index`.
    around: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Position and support.
@group(0) @binding(1) var<storage, read> points: array<vec4f>;
// Columns of the elastic gradient.
@group(0) @binding(2) var<storage, read> elastic: array<vec4f>;
@group(0) @binding(3) var<storage, read> inverses: array<vec4f>;
// What was found: where rows begin, who is in them, weight and penalty.
@group(0) @binding(4) var<storage, read> offsets: array<u32>;
@group(0) @binding(5) var<storage, read> nodes: array<u32>;
@group(0) @binding(6) var<storage, read> weights: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> elements: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> entries: array<vec4u>;
@group(0) @binding(9) var<storage, read_write> moments: array<vec4f>;
@group(0) @binding(10) var<storage, read_write> bases: array<vec4f>;
// Sum of the penalties of the element that a node is the centre of.
@group(0) @binding(11) var<storage, read_write> springs: array<f32>;

// Weights may be a little larger in sum than what the largest of them tells.
const ROOM = 1.0001;

fn exponent_of(x: f32) -> i32 {
    return i32((bitcast<u32>(x * ROOM) >> 23u) & 0xffu);
}

fn largest_of(v: vec3f) -> f32 {
    return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

// Both in three words: six bits of the penalty lie above each number of the weight.
fn packed(whole: vec3i, c: u32) -> vec3u {
    return (bitcast<vec3u>(whole) & vec3u(0x03ffffffu)) | (((vec3u(c) >> vec3u(0u, 6u, 12u)) & vec3u(0x3fu)) << vec3u(26u));
}

fn whole_of(d: vec3f, per_unit: f32) -> vec3i {
    return vec3i(clamp(round(d * per_unit), vec3f(-33554432.0), vec3f(33554431.0)));
}

fn note_base(e: u32, i: u32) {
    let f = mat3x3f(elastic[3u * i].xyz, elastic[3u * i + 1u].xyz, elastic[3u * i + 2u].xyz) - identity();
    bases[3u * e] = vec4f(f[0], 0.0);
    bases[3u * e + 1u] = vec4f(f[1], 0.0);
    bases[3u * e + 2u] = vec4f(f[2], 0.0);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.phyxels {
        return;
    }
    let e = job.element + i;
    let head = elements[e];
    let first = offsets[i];
    let count = offsets[i + 1u] - first;
    // About present offsets.
    let back = transpose(mat3x3f(inverses[3u * i].xyz, inverses[3u * i + 1u].xyz, inverses[3u * i + 2u].xyz));
    note_base(e, i);
    if STABILISED == 0u {
        var sum = vec3f(0.0);
        for (var k = 1u; k < count; k += 1u) {
            let d = back * weights[first + k].xyz;
            sum += d;
            entries[head.x + 32u * k] = vec4u(bitcast<vec3u>(d), job.first + nodes[first + k]);
        }
        entries[head.x] = vec4u(bitcast<vec3u>(-sum), job.first + i);
        elements[e] = vec4u(head.x, count, head.zw);
        return;
    }
    var largest = 0.0;
    var strongest = 0.0;
    for (var k = 0u; k < count; k += 1u) {
        let found = weights[first + k];
        largest = max(largest, largest_of(back * found.xyz));
        strongest = max(strongest, found.w);
    }
    // Units of weights (2⁻⁶ of it) and penalties, as exponents.
    let weight = u32(clamp(exponent_of(largest) - 30, 1, 240));
    var penalty = 0u;
    var per_penalty = 0.0;
    if job.springs == 1u {
        penalty = u32(clamp(exponent_of(strongest) - 17, 1, 253));
        per_penalty = power_of_two(254u - penalty);
    }
    let per_weight = power_of_two(248u - weight);
    // Whole numbers add up to nothing exactly: an element then moves no centre of mass.
    var sum = vec3i(0);
    var spring = 0.0;
    let here = points[i].xyz;
    var pull = vec4f(0.0);
    var second = vec4f(0.0);
    var third = vec2f(0.0);
    for (var k = 1u; k < count; k += 1u) {
        let found = weights[first + k];
        let node = nodes[first + k];
        let whole = whole_of(back * found.xyz, per_weight);
        sum += whole;
        let c = u32(clamp(round(found.w * per_penalty), 0.0, 262143.0));
        entries[head.x + 32u * k] = vec4u(packed(whole, c), job.first + node);
        // As kernels know it, so that a linear field has no residual.
        let strength = f32(c) * power_of_two(penalty);
        let x = points[node].xyz - here;
        spring += found.w;
        pull += vec4f(x, 1.0) * strength;
        second += vec4f(x.x * x, x.y * x.y) * strength;
        third += x.yz * (x.z * strength);
    }
    entries[head.x] = vec4u(packed(-sum, 0u), job.first + i);
    elements[e] = vec4u(head.x, count | (weight << 16u) | (penalty << 24u), head.zw);
    moments[3u * e] = pull;
    moments[3u * e + 1u] = second;
    moments[3u * e + 2u] = vec4f(third, 0.0, 0.0);
    springs[job.first + i] = spring;
}
