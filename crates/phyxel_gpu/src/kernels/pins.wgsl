// Pinned nodes of an implicit step: the directions that stay free, and the velocity in the others.

const NO_PIN = 0x407fffffu;

struct Job {
    count: u32,
    dt: f32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> nodes: array<u32>;
@group(0) @binding(2) var<storage, read> pinned: array<vec4f>;
@group(0) @binding(3) var<storage, read> motion: array<vec4f>;
@group(0) @binding(4) var<storage, read> u: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> held: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.count {
        return;
    }
    let at = u[nodes[i]].xyz;
    var free = vec3f(1.0);
    var velocity = vec3f(0.0);
    for (var a = 0u; a < 3u; a += 1u) {
        let pin = bitcast<u32>(pinned[4u * i][a]);
        if pin != NO_PIN {
            let row = motion[3u * (pin & 0x7fffffu) + a];
            let arm = pinned[4u * i + 1u + a];
            free[a] = 0.0;
            velocity[a] = (dot(row.xyz, arm.xyz) + row.w + arm.w - at[a]) / job.dt;
        }
    }
    held[6u * i] = vec4f(free.x, 0.0, 0.0, 0.0);
    held[6u * i + 1u] = vec4f(0.0, free.y, 0.0, 0.0);
    held[6u * i + 2u] = vec4f(0.0, 0.0, free.z, 0.0);
    held[6u * i + 3u] = vec4f(velocity, 0.0);
    held[6u * i + 4u] = vec4f(0.0);
    held[6u * i + 5u] = vec4f(0.0);
}
