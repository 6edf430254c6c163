// The second half: what a node gets of it.

override STRIDE: u32 = 3u;

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
@group(0) @binding(4) var<storage, read> around_penalties: array<f32>;
@group(0) @binding(5) var<storage, read> records: array<vec4f>;
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
    var sum = vec3f(0.0);
    var springs = vec3f(0.0);
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
            let c = around_penalties[first + 32u * k];
            if c < 0.0 {
                sum -= vec3f(s0.w, s1.w, s2.w);
            } else {
                springs += (w - (g0.xyz * x.x + g1.xyz * x.y + g2.xyz * x.z) - vec3f(g0.w, g1.w, g2.w)) * c;
            }
        }
    }
    q[n] = vec4f(sum + springs * x.w, 0.0);
}
