// Nodes of position-based steps: where they go by themselves, colliders, and velocities from places. Twins of
// solver/xpbd/mod.rs and ground.rs.

const NO_PIN = 0x407fffffu;
const LOADED = 1u << 27u;
const PINNED = 1u << 28u;
const TOUCHABLE = 1u << 29u;

struct Step {
    // Gravity, and the length of the step.
    gravity: vec4f,
    nodes: u32,
    colliders: u32,
    collider_count: u32,
}

@group(0) @binding(0) var<uniform> job: Step;
@group(0) @binding(1) var<storage, read_write> u: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> rest: array<vec4f>;
@group(0) @binding(4) var<storage, read> loads: array<vec4f>;
@group(0) @binding(5) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(6) var<storage, read> pinned: array<vec4f>;
// Targets of pins, then colliders.
@group(0) @binding(7) var<storage, read> motion: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> start: array<vec4f>;
@group(0) @binding(9) var<storage, read_write> lightness: array<vec4f>;
// Three vectors per node and collider: normal and least motion along it, velocity and push, drag and whether it was met.
@group(0) @binding(10) var<storage, read_write> rests: array<vec4f>;
@group(0) @binding(11) var<storage, read_write> status: array<atomic<u32>>;

// Friction and restitution between a node's body and a collider, and whether they touch at all; after all colliders.
fn between(n: u32, i: u32) -> vec4f {
    let body = bitcast<u32>(v[n].w) & 0x7fffffu;
    return motion[job.colliders + 11u * job.collider_count + body * job.collider_count + i];
}

fn node_of(place: vec3u, grid: vec3u, lane: u32) -> u32 {
    return (place.x + place.y * grid.x) * 256u + lane;
}

@compute @workgroup_size(256)
fn predict(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = node_of(place, grid, lane);
    if n >= job.nodes {
        return;
    }
    let h = job.gravity.w;
    let here = u[n];
    let flags = bitcast<u32>(v[n].w);
    var force = job.gravity.xyz * here.w;
    if (flags & LOADED) != 0u {
        force += loads[n].xyz;
    }
    var at = here.xyz + (v[n].xyz + force * (h / here.w)) * h;
    var light = vec3f(1.0 / here.w);
    if (flags & PINNED) != 0u {
        let slot = bitcast<u32>(loads[n].w) & 0x7fffffu;
        for (var a = 0u; a < 3u; a += 1u) {
            let pin = bitcast<u32>(pinned[4u * slot][a]);
            if pin != NO_PIN {
                let row = motion[3u * (pin & 0x7fffffu) + a];
                let arm = pinned[4u * slot + 1u + a];
                at[a] = dot(row.xyz, arm.xyz) + row.w + arm.w;
                light[a] = 0.0;
            }
        }
    }
    start[n] = here;
    lightness[n] = vec4f(light, 0.0);
    u[n] = vec4f(at, here.w);
    for (var i = 0u; i < job.collider_count; i += 1u) {
        rests[3u * (n * job.collider_count + i) + 2u] = vec4f(0.0);
    }
}

// Brings every node that has met a surface, or meets one on its way, back in front of it.
@compute @workgroup_size(256)
fn ground(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = node_of(place, grid, lane);
    if n >= job.nodes {
        return;
    }
    if (bitcast<u32>(v[n].w) & TOUCHABLE) == 0u {
        return;
    }
    let h = job.gravity.w;
    let begin = start[n].xyz;
    let light = lightness[n].xyz;
    var at = u[n].xyz;
    for (var i = 0u; i < job.collider_count; i += 1u) {
        let slot = 3u * (n * job.collider_count + i);
        let collider = job.colliders + 11u * i;
        let pair = between(n, i);
        if pair.z == 0.0 {
            continue;
        }
        var front = rests[slot];
        var side = rests[slot + 1u];
        var drag = rests[slot + 2u];
        if drag.w == 0.0 {
            let moved = at - begin;
            let plane = meet(collider, NodePath(rest[n].xyz, begin, moved / h, rest[n].w, h));
            if !plane.found {
                continue;
            }
            let own = dot(plane.normal, plane.velocity);
            // Matter that was inside at the start rises at a bounded speed.
            let least = min(-plane.gap / h, MAX_PUSH_SPEED + max(own, 0.0)) * h;
            if !(least > dot(plane.normal, moved)) {
                continue;
            }
            front = vec4f(plane.normal, least);
            side = vec4f(plane.velocity, 0.0);
            drag = vec4f(0.0, 0.0, 0.0, 1.0);
        }
        let normal = front.xyz;
        let along = dot(normal, light * normal);
        if along > 0.0 {
            let push = max(side.w + (front.w - dot(normal, at - begin)) / along, 0.0);
            at += light * normal * (push - side.w);
            side.w = push;
            let relative = at - begin - side.xyz * h;
            let slip = relative - normal * dot(normal, relative);
            let trial = drag.xyz - slip / max(light.x, max(light.y, light.z));
            let most = pair.x * push;
            let size = length(trial);
            let kept = select(trial, trial * (most / size), size > most);
            at += light * (kept - drag.xyz);
            drag = vec4f(kept, 1.0);
        }
        rests[slot] = front;
        rests[slot + 1u] = side;
        rests[slot + 2u] = drag;
    }
    u[n] = vec4f(at, u[n].w);
}

@compute @workgroup_size(256)
fn finish(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = node_of(place, grid, lane);
    if n >= job.nodes {
        return;
    }
    let h = job.gravity.w;
    let came = v[n];
    let at = u[n].xyz;
    var velocity = (at - start[n].xyz) / h;
    for (var i = 0u; i < job.collider_count; i += 1u) {
        let slot = 3u * (n * job.collider_count + i);
        let restitution = between(n, i).y;
        if rests[slot + 2u].w == 0.0 || !(rests[slot + 1u].w > 0.0) || !(restitution > 0.0) {
            continue;
        }
        let normal = rests[slot].xyz;
        let own = dot(normal, rests[slot + 1u].xyz);
        let approach = own - dot(normal, came.xyz);
        if approach > REST_SPEED {
            velocity += normal * max(own + approach * restitution - dot(normal, velocity), 0.0);
        }
    }
    let alpha = bodies[2u * (bitcast<u32>(came.w) & 0x7fffffu)].w;
    velocity /= 1.0 + alpha * h;
    v[n] = vec4f(velocity, came.w);
    if !(finite3(at) && finite3(velocity)) {
        atomicOr(&status[0], 1u);
    }
}
