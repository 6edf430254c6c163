// The second half of a matrix-free product of stabilised elements.

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

@compute @workgroup_size(192)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    if job.always == 0u && scalars[2].x != 0u {
        return;
    }
    let asked = (place.x + place.y * grid.x) * NODES + lane / 6u;
    let n = min(asked, job.nodes - 1u);
    let sum = six_pulls(lane, index[job.around + 2u * n], index[job.around + 2u * n + 1u], field[n].xyz, offsets[n]);
    if lane % 6u == 0u && asked < job.nodes {
        q[n] = vec4f(sum, 0.0);
    }
}
