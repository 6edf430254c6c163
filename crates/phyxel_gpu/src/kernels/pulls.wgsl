// Forces of stabilised elements on nodes, before these move; they are left behind the records.

// 1 where velocities count.
override DAMPED: u32 = 0u;

struct Job {
    nodes: u32,
    // Where the entries of nodes begin in `index`.
    around: u32,
    elements: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> rest: array<vec4f>;
@group(0) @binding(4) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(5) var<storage, read> index: array<u32>;
@group(0) @binding(6) var<storage, read> around: array<vec4u>;
@group(0) @binding(7) var<storage, read> around_penalties: array<f32>;
@group(0) @binding(8) var<storage, read_write> records: array<vec4f>;

@compute @workgroup_size(192)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let asked = (place.x + place.y * grid.x) * NODES + lane / 6u;
    let n = min(asked, job.nodes - 1u);
    let full = v[n];
    let body = bitcast<u32>(full.w) & 0x7fffffu;
    let more = bodies[2u * body + 1u];
    var w = u[n].xyz;
    if DAMPED == 1u {
        w += full.xyz * more.y;
    }
    let x = vec4f(rest[n].xyz - bodies[2u * body].xyz, more.x);
    let sum = six_pulls(lane, index[job.around + 2u * n], index[job.around + 2u * n + 1u], w, x);
    if lane % 6u == 0u && asked < job.nodes {
        records[6u * job.elements + n] = vec4f(sum, 0.0);
    }
}
