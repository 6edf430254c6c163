// Makes where phyxels are now the place from which displacements are counted: twin of `move_reference` in model/reanchor.rs. What has
// flowed is in the elastic deformation by now.

override GRAINS: u32 = 0u;

const PINNED = 1u << 28u;
const NO_PIN = 0x407fffffu;

struct Job {
    // The first node, element and grain of the body.
    first: u32,
    element: u32,
    grain: u32,
    phyxels: u32,
    // The body, and which of its phyxels places are counted from.
    body: u32,
    origin: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> points: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> u: array<vec4f>;
@group(0) @binding(3) var<storage, read> v: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> rest: array<vec4f>;
@group(0) @binding(5) var<storage, read> loads: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> pinned: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> grains: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> bodies: array<vec4f>;

// Pins say how far a node was from its reference when they began.
fn move_pins(slot: u32, moved: vec3f) {
    for (var a = 0u; a < 3u; a += 1u) {
        if bitcast<u32>(pinned[4u * slot][a]) != NO_PIN {
            let arm = pinned[4u * slot + 1u + a];
            pinned[4u * slot + 1u + a] = vec4f(arm.xyz, arm.w - moved[a]);
        }
    }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.phyxels {
        return;
    }
    let n = job.first + i;
    let before = rest[n];
    let now = points[i].xyz;
    rest[n] = vec4f(now, before.w);
    u[n] = vec4f(0.0, 0.0, 0.0, u[n].w);
    if GRAINS == 1u {
        let at = 3u * (job.grain + job.element + i);
        grains[at] = vec4f(0.0, 0.0, 0.0, grains[at].w);
        grains[at + 1u] = vec4f(0.0);
        grains[at + 2u] = vec4f(0.0);
    }
    if (bitcast<u32>(v[n].w) & PINNED) != 0u {
        move_pins(bitcast<u32>(loads[n].w) & 0x7fffffu, now - before.xyz);
    }
    if i == job.origin {
        bodies[2u * job.body] = vec4f(now, bodies[2u * job.body].w);
    }
}
