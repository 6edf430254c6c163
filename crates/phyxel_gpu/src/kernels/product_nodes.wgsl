// The second half: what a node gets of it.

struct Job {
    elements: u32,
    nodes: u32,
    around: u32,
    always: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> field: array<vec4f>;
@group(0) @binding(2) var<storage, read> index: array<u32>;
@group(0) @binding(3) var<storage, read> around: array<vec4u>;
@group(0) @binding(4) var<storage, read> own: array<vec4f>;
@group(0) @binding(5) var<storage, read> records: array<vec4u>;
@group(0) @binding(6) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> q: array<vec4f>;
@group(0) @binding(8) var<storage, read> scalars: array<vec4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = (place.x + place.y * grid.x) * 256u + lane;
    if n >= job.nodes || (job.always == 0u && scalars[2].x != 0u) {
        return;
    }
    let first = index[job.around + 2u * n];
    let count = index[job.around + 2u * n + 1u];
    let w = field[n].xyz;
    let x = offsets[n];
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
    var product = even + odd;
    if STABILISED == 1u {
        product -= own[n].xyz;
    }
    q[n] = vec4f(product, 0.0);
}
