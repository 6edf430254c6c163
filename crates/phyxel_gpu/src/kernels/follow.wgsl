// What linear systems know of where phyxels without a rest shape are, after these have moved their reference.

struct Job {
    nodes: u32,
    bodies: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> v: array<vec4f>;
@group(0) @binding(2) var<storage, read> rest: array<vec4f>;
@group(0) @binding(3) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(4) var<storage, read> springs: array<f32>;
// Places from the body's first node, and the scaled modulus of the penalty.
@group(0) @binding(5) var<storage, read_write> offsets: array<vec4f>;
// That modulus, and what all springs of the element resist that a node is the centre of.
@group(0) @binding(6) var<storage, read_write> moduli: array<vec2f>;
@group(0) @binding(7) var<storage, read_write> origins: array<vec4f>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = (place.x + place.y * grid.x) * 256u + lane;
    if n < job.bodies {
        origins[2u * n] = vec4f(bodies[2u * n].xyz, origins[2u * n].w);
    }
    if n >= job.nodes {
        return;
    }
    let body = bitcast<u32>(v[n].w) & 0x7fffffu;
    offsets[n] = vec4f(rest[n].xyz - bodies[2u * body].xyz, offsets[n].w);
    moduli[n] = vec2f(moduli[n].x, moduli[n].x * springs[n]);
}
