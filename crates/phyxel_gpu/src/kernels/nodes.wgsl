// Forces into motion, one node per invocation: twins of solver/explicit.rs.

const EXPLICIT_EULER = 1u;
const SYMPLECTIC_EULER = 2u;
const LEAP_FROG = 3u;
const VERLET = 4u;

override INTEGRATOR: u32 = 3u;
override COLLIDERS: u32 = 0u;
override PINS: u32 = 0u;

const LOADED = 1u << 27u;
const PINNED = 1u << 28u;
const TOUCHABLE = 1u << 29u;

struct Step {
    // Gravity, and the time job.
    gravity: vec4f,
    nodes: u32,
    // Where the entries of other stencils begin in `index`.
    around: u32,
    // Where the targets of pins at the end of this step, and of the next one, begin in `motion`.
    pins: u32,
    next_pins: u32,
    colliders: u32,
    collider_count: u32,
    // 1 when the next step follows at once.
    continues: u32,
    next_colliders: u32,
    // Elements that are no tetrahedra.
    elements: u32,
}

@group(0) @binding(0) var<uniform> job: Step;
// Displacement and mass.
@group(0) @binding(1) var<storage, read_write> u: array<vec4f>;
// Velocity; body and flags.
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
// Rest position and contact radius.
@group(0) @binding(3) var<storage, read> rest: array<vec4f>;
// Dead load, and the place of a pinned node among the pinned ones.
@group(0) @binding(4) var<storage, read> loads: array<vec4f>;
@group(0) @binding(5) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(6) var<storage, read> index: array<u32>;
@group(0) @binding(7) var<storage, read> slots: array<vec4f>;
@group(0) @binding(8) var<storage, read> around: array<vec4u>;
@group(0) @binding(9) var<storage, read> own: array<vec4f>;
@group(0) @binding(10) var<storage, read> records: array<vec4u>;
// Per pinned node and axis: arm and offset. Per node: which pin holds each axis.
@group(0) @binding(11) var<storage, read> pinned: array<vec4f>;
@group(0) @binding(12) var<storage, read> motion: array<vec4f>;
@group(0) @binding(13) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(14) var<storage, read_write> result: array<vec4f>;

// Numbers that travel as floats have this bit, which makes them normal ones.
const NO_PIN = 0x407fffffu;

fn pinned_place(n: u32) -> u32 {
    return bitcast<u32>(loads[n].w) & 0x7fffffu;
}

// Gives a pinned node the velocity that brings it where it must be at the end of the job.
fn hold(slot: u32, targets: u32, dt: f32, at: vec3f, velocity: vec3f) -> vec3f {
    var out = velocity;
    for (var a = 0u; a < 3u; a += 1u) {
        let pin = bitcast<u32>(pinned[4u * slot][a]);
        if pin != NO_PIN {
            let row = motion[targets + 3u * (pin & 0x7fffffu) + a];
            let arm = pinned[4u * slot + 1u + a];
            out[a] = (dot(row.xyz, arm.xyz) + row.w + arm.w - at[a]) / dt;
        }
    }
    return out;
}

fn held(node_flags: u32, n: u32, targets: u32, dt: f32, at: vec3f, velocity: vec3f) -> vec3f {
    if PINS == 1u && (node_flags & PINNED) != 0u {
        return hold(pinned_place(n), targets, dt, at, velocity);
    }
    return velocity;
}

// Friction and restitution between a node's body and a collider, and whether they touch at all; after all colliders.
fn between(node_flags: u32, colliders: u32, i: u32) -> vec4f {
    let body = node_flags & 0x7fffffu;
    return motion[colliders + 11u * job.collider_count + body * job.collider_count + i];
}

// Stops a node that would pass a surface within `dt`.
fn collide(node_flags: u32, n: u32, colliders: u32, at: vec3f, velocity: vec3f, dt: f32) -> vec3f {
    var out = velocity;
    if COLLIDERS == 1u && (node_flags & TOUCHABLE) != 0u {
        let place = rest[n];
        for (var i = 0u; i < job.collider_count; i += 1u) {
            let pair = between(node_flags, colliders, i);
            if pair.z == 0.0 {
                continue;
            }
            out = stopped(colliders + 11u * i, NodePath(place.xyz, at, out, place.w, dt), pair);
        }
    }
    return out;
}

// Stops a node that lies on a surface, or in it, from going further in.
fn rest_on_surfaces(node_flags: u32, n: u32, at: vec3f, velocity: vec3f, dt: f32) -> vec3f {
    var out = velocity;
    if COLLIDERS == 1u && (node_flags & TOUCHABLE) != 0u {
        let place = rest[n];
        for (var i = 0u; i < job.collider_count; i += 1u) {
            let pair = between(node_flags, job.colliders, i);
            if pair.z == 0.0 {
                continue;
            }
            out = resting(job.colliders + 11u * i, NodePath(place.xyz, at, out, place.w, dt), pair);
        }
    }
    return out;
}

fn all_forces(n: u32, node_flags: u32, at: vec4f, velocity: vec3f) -> vec3f {
    let body = node_flags & 0x7fffffu;
    var w = at.xyz;
    if GENERAL == 1u && STABILISED == 1u {
        w += velocity * bodies[2u * body + 1u].y;
    }
    var f = elastic_force(n, w, body) + job.gravity.xyz * at.w;
    if (node_flags & LOADED) != 0u {
        f += loads[n].xyz;
    }
    return f - velocity * (at.w * bodies[2u * body].w);
}

fn node_of(place: vec3u, grid: vec3u, lane: u32) -> u32 {
    return (place.x + place.y * grid.x) * 256u + lane;
}

fn note_trouble(at: vec3f, velocity: vec3f) {
    if !(finite3(at) && finite3(velocity)) {
        atomicOr(&status[0], 1u);
    }
}

// What comes before the forces of the first step of a run; later steps do it at the end of the step before.
@compute @workgroup_size(256)
fn begin(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = node_of(place, grid, lane);
    if n >= job.nodes {
        return;
    }
    let dt = job.gravity.w;
    let node_flags = bitcast<u32>(v[n].w);
    var at = u[n];
    var velocity = v[n].xyz;
    if INTEGRATOR == LEAP_FROG {
        velocity = held(node_flags, n, job.pins, dt, at.xyz, velocity);
        at += vec4f(velocity * (0.5 * dt), 0.0);
    } else if INTEGRATOR == VERLET {
        velocity += all_forces(n, node_flags, at, velocity) * (0.5 * dt / at.w);
        velocity = collide(node_flags, n, job.colliders, at.xyz, velocity, dt);
        velocity = held(node_flags, n, job.pins, dt, at.xyz, velocity);
        at += vec4f(velocity * dt, 0.0);
    }
    u[n] = at;
    v[n] = vec4f(velocity, v[n].w);
}

@compute @workgroup_size(256)
fn advance(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = node_of(place, grid, lane);
    if n >= job.nodes {
        return;
    }
    let dt = job.gravity.w;
    var at = u[n];
    let full = v[n];
    let node_flags = bitcast<u32>(full.w);
    var velocity = full.xyz;
    let force = all_forces(n, node_flags, at, velocity);
    if INTEGRATOR == EXPLICIT_EULER {
        // Held nodes get their new velocity before they move, so that they arrive where they must.
        velocity = collide(node_flags, n, job.colliders, at.xyz, velocity, dt);
        let start = at.xyz;
        velocity = held(node_flags, n, job.pins, dt, start, velocity);
        at += vec4f(velocity * dt, 0.0);
        velocity += force * (dt / at.w);
        velocity = rest_on_surfaces(node_flags, n, at.xyz, velocity, dt);
        velocity = held(node_flags, n, job.pins, dt, start, velocity);
    } else if INTEGRATOR == SYMPLECTIC_EULER {
        velocity += force * (dt / at.w);
        velocity = collide(node_flags, n, job.colliders, at.xyz, velocity, dt);
        velocity = held(node_flags, n, job.pins, dt, at.xyz, velocity);
        at += vec4f(velocity * dt, 0.0);
    } else if INTEGRATOR == LEAP_FROG {
        let half = 0.5 * dt;
        let given = velocity;
        velocity += force * (dt / at.w);
        velocity = collide(node_flags, n, job.colliders, at.xyz, velocity, half);
        // Held nodes keep the velocity of the step's first half.
        if PINS == 1u && (node_flags & PINNED) != 0u {
            let slot = pinned_place(n);
            let free = bitcast<vec3u>(pinned[4u * slot].xyz) == vec3u(NO_PIN);
            velocity = select(given, velocity, free);
        }
        at += vec4f(velocity * half, 0.0);
        if job.continues == 1u {
            velocity = held(node_flags, n, job.next_pins, dt, at.xyz, velocity);
            at += vec4f(velocity * half, 0.0);
        }
    } else {
        velocity += force * (0.5 * dt / at.w);
        velocity = rest_on_surfaces(node_flags, n, at.xyz, velocity, dt);
        if PINS == 1u && (node_flags & PINNED) != 0u {
            let slot = pinned_place(n);
            let free = bitcast<vec3u>(pinned[4u * slot].xyz) == vec3u(NO_PIN);
            velocity = select(full.xyz, velocity, free);
        }
        if job.continues == 1u {
            velocity += force * (0.5 * dt / at.w);
            velocity = collide(node_flags, n, job.next_colliders, at.xyz, velocity, dt);
            velocity = held(node_flags, n, job.next_pins, dt, at.xyz, velocity);
            at += vec4f(velocity * dt, 0.0);
        }
    }
    u[n] = at;
    v[n] = vec4f(velocity, full.w);
    note_trouble(at.xyz, velocity);
}

// All forces on all nodes, with the mass beside them.
@compute @workgroup_size(256)
fn forces(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = node_of(place, grid, lane);
    if n >= job.nodes {
        return;
    }
    let full = v[n];
    result[n] = vec4f(all_forces(n, bitcast<u32>(full.w), u[n], full.xyz), u[n].w);
}
