// Bodies that break, one per workgroup, many steps per launch. Cells (cubes, or single tetrahedra) own their corners; corners
// that are joined share a node, and a break gives some of them another one (Morris 2010): it changes indices and nothing else.
// Bodies meet colliders and not each other, so no workgroup waits for another.

const SYMPLECTIC_EULER = 2u;
const LEAP_FROG = 3u;
const VERLET = 4u;

override INTEGRATOR: u32 = 2u;
override COLLIDERS: u32 = 0u;

const LANES = 256u;
// In the fourth place of velocities, with a bit that makes it a normal float.
const AS_FLOAT = 1u << 30u;
const TOUCHABLE = 1u << 29u;

struct Job {
    // Gravity, and the time step.
    gravity: vec4f,
    // Bodies of this law.
    first: u32,
    bodies: u32,
    // Which part of a step comes first, how many there are to do, and how many make a step; what breaks does so after each.
    part: u32,
    todo: u32,
    parts: u32,
    // Whether forces are not known yet.
    fresh: u32,
    colliders: u32,
    // Vectors of `motion` per part; none where nothing moves.
    stride: u32,
    // Where tables begin in `words`: origins, flags, masks, queues, edits of nodes; whether bonds hold.
    origins: u32,
    flags: u32,
    masks: u32,
    queues: u32,
    edits: u32,
    holds: u32,
    // Where entries begin in the journal, and how many there is room for.
    head: u32,
    room: u32,
    // Where tables begin in `index`, behind the first corner of each origin: first tetrahedron of each corner, tetrahedra, first bond
    // of each corner, bonds, corners of bonds, masses of corners, strengths of origins.
    starts: u32,
    around: u32,
    bond_starts: u32,
    bonds_around: u32,
    bonds: u32,
    masses: u32,
    strengths: u32,
    unused: u32,
}

struct Welded {
    first_node: u32,
    first_tet: u32,
    tets: u32,
    first_bond: u32,
    bonds: u32,
    law: u32,
    // Its number in the scene.
    number: u32,
    // Rayleigh's alpha.
    damping: f32,
    // [Pa]
    strength: f32,
    unused0: u32,
    unused1: u32,
    unused2: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Displacement and mass.
@group(0) @binding(1) var<storage, read_write> u: array<vec4f>;
// Velocity and flags.
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
// Rest position and contact radius of each origin.
@group(0) @binding(3) var<storage, read> rest: array<vec4f>;
@group(0) @binding(4) var<storage, read> laws: array<Law>;
@group(0) @binding(5) var<storage, read> bodies: array<Welded>;
// Four vectors per tetrahedron: three gradients, with volume and strength beside the first two; corners.
@group(0) @binding(6) var<storage, read> shapes: array<vec4u>;
// The node of each corner first.
@group(0) @binding(7) var<storage, read_write> words: array<u32>;
@group(0) @binding(8) var<storage, read> index: array<u32>;
// Six vectors per tetrahedron: forces on its corners, with the alarm beside the first; volume and, times that, Cauchy's stress.
@group(0) @binding(9) var<storage, read_write> elements: array<vec4f>;
// Square to the crack that a node wants, and how far it is beyond its strength.
@group(0) @binding(10) var<storage, read_write> planes: array<vec4f>;
@group(0) @binding(11) var<storage, read> motion: array<vec4f>;
// How many entries, whether there was trouble, nodes of each body; then eight words per entry: an edit, or how many nodes followed.
@group(0) @binding(12) var<storage, read_write> journal: array<atomic<u32>>;

var<workgroup> raised: atomic<u32>;
var<workgroup> verdict: u32;
var<workgroup> best_ratio: array<f32, 256>;
var<workgroup> best_node: array<u32, 256>;

var<private> body: Welded;
// Nodes of the body.
var<private> count: u32;
// Edits of this step so far, and its number.
var<private> edits: u32;
var<private> stamp: u32;

fn all_written() {
    storageBarrier();
    workgroupBarrier();
}

fn origin_of(n: u32) -> u32 {
    return words[job.origins + n];
}

struct Piece {
    d1: vec3f,
    d2: vec3f,
    d3: vec3f,
    volume: f32,
    strength: f32,
    nodes: vec4u,
}

fn nodes_of(e: u32) -> vec4u {
    let c = shapes[4u * e + 3u];
    return vec4u(words[c.x], words[c.y], words[c.z], words[c.w]);
}

fn piece_of(e: u32) -> Piece {
    let a = bitcast<vec4f>(shapes[4u * e]);
    let b = bitcast<vec4f>(shapes[4u * e + 1u]);
    let c = bitcast<vec4f>(shapes[4u * e + 2u]);
    return Piece(a.xyz, b.xyz, c.xyz, a.w, b.w, nodes_of(e));
}

fn gradient_of(p: Piece) -> mat3x3f {
    let a = u[p.nodes.x].xyz;
    return outer(u[p.nodes.y].xyz - a, p.d1) + outer(u[p.nodes.z].xyz - a, p.d2) + outer(u[p.nodes.w].xyz - a, p.d3);
}

fn rate_of(p: Piece) -> mat3x3f {
    let a = v[p.nodes.x].xyz;
    return outer(v[p.nodes.y].xyz - a, p.d1) + outer(v[p.nodes.z].xyz - a, p.d2) + outer(v[p.nodes.w].xyz - a, p.d3);
}

// Whether the largest principal stress reaches `bar`: where bar · I − s is not positive definite (Sylvester's criterion).
fn reaches(s: mat3x3f, bar: f32) -> bool {
    let a = bar - s[0].x;
    let b = bar - s[1].y;
    let c = bar - s[2].z;
    let d = 0.5 * (s[1].x + s[0].y);
    let e = 0.5 * (s[2].x + s[0].z);
    let f = 0.5 * (s[2].y + s[1].z);
    let second = a * b - d * d;
    let third = second * c - (a * f + d * e) * f - (b * e + d * f) * e;
    return !(a > 0.0 && second > 0.0 && third > 0.0);
}

// Rounding must not hide an element that is just strong enough.
const MARGIN = 0.999;

// Forces of all tetrahedra, and alarms where one may be near to breaking: a twin of fracture/alarm.rs.
fn look_at_elements(lane: u32, looks: bool) {
    var none: Grain;
    for (var k = lane; k < body.tets; k += LANES) {
        let e = body.first_tet + k;
        let piece = piece_of(e);
        let g = gradient_of(piece);
        var rate: mat3x3f;
        if DAMPED == 1u {
            rate = rate_of(piece);
        }
        let p = element_stress(body.law, g, rate, none);
        let s = p * -piece.volume;
        let f1 = s * piece.d1;
        let f2 = s * piece.d2;
        let f3 = s * piece.d3;
        var alarm = 0.0;
        if looks {
            var elastic = p;
            if DAMPED == 1u {
                elastic = law_stress(body.law, g);
            }
            let f = identity() + g;
            // Kirchhoff's stress, which spares a division.
            if reaches(elastic * transpose(f) * (1.0 / body.strength), MARGIN * piece.strength * det3(f)) {
                alarm = 1.0;
                atomicOr(&raised, 1u);
            }
        }
        elements[6u * e] = vec4f(-(f1 + f2 + f3), alarm);
        elements[6u * e + 1u] = vec4f(f1, 0.0);
        elements[6u * e + 2u] = vec4f(f2, 0.0);
        elements[6u * e + 3u] = vec4f(f3, 0.0);
    }
}

fn force_on(n: u32, at: vec4f, velocity: vec3f) -> vec3f {
    let o = origin_of(n);
    var f = vec3f(0.0);
    for (var c = index[o]; c < index[o + 1u]; c += 1u) {
        if words[c] == n {
            for (var k = index[job.starts + c]; k < index[job.starts + c + 1u]; k += 1u) {
                let corner = index[job.around + k];
                f += elements[6u * (corner >> 2u) + (corner & 3u)].xyz;
            }
        }
    }
    return f + (job.gravity.xyz - velocity * body.damping) * at.w;
}

// Friction and restitution between the body and a collider, and whether they touch at all; after all colliders.
fn between(poses: u32, i: u32) -> vec4f {
    return motion[poses + 11u * job.colliders + body.number * job.colliders + i];
}

// Stops a node that would pass a surface within `dt`.
fn collide(n: u32, poses: u32, at: vec3f, full: vec4f, dt: f32) -> vec3f {
    var out = full.xyz;
    if COLLIDERS == 1u && (bitcast<u32>(full.w) & TOUCHABLE) != 0u {
        let place = rest[origin_of(n)];
        for (var i = 0u; i < job.colliders; i += 1u) {
            let pair = between(poses, i);
            if pair.z == 0.0 {
                continue;
            }
            out = stopped(poses + 11u * i, NodePath(place.xyz, at, out, place.w, dt), pair);
        }
    }
    return out;
}

// Stops a node that lies on a surface, or in it, from going further in.
fn rest_on_surfaces(n: u32, poses: u32, at: vec3f, full: vec4f, dt: f32) -> vec3f {
    var out = full.xyz;
    if COLLIDERS == 1u && (bitcast<u32>(full.w) & TOUCHABLE) != 0u {
        let place = rest[origin_of(n)];
        for (var i = 0u; i < job.colliders; i += 1u) {
            let pair = between(poses, i);
            if pair.z == 0.0 {
                continue;
            }
            out = resting(poses + 11u * i, NodePath(place.xyz, at, out, place.w, dt), pair);
        }
    }
    return out;
}

fn drift(lane: u32, dt: f32) {
    for (var k = lane; k < count; k += LANES) {
        let n = body.first_node + k;
        u[n] = u[n] + vec4f(v[n].xyz * dt, 0.0);
    }
}

// Kicks nodes for `kick`, stops them at surfaces and lets them drift, both for `dt`.
fn move_nodes(lane: u32, poses: u32, kick: f32, dt: f32) {
    for (var k = lane; k < count; k += LANES) {
        let n = body.first_node + k;
        var at = u[n];
        var full = v[n];
        full += vec4f(force_on(n, at, full.xyz) * (kick / at.w), 0.0);
        full = vec4f(collide(n, poses, at.xyz, full, dt), full.w);
        at += vec4f(full.xyz * dt, 0.0);
        u[n] = at;
        v[n] = full;
        if !(finite3(at.xyz) && finite3(full.xyz)) {
            atomicOr(&journal[1], 1u);
        }
    }
}

// The second half of Verlet's kick.
fn end_kick(lane: u32, poses: u32, half: f32, dt: f32) {
    for (var k = lane; k < count; k += LANES) {
        let n = body.first_node + k;
        let at = u[n];
        var full = v[n];
        full += vec4f(force_on(n, at, full.xyz) * (half / at.w), 0.0);
        v[n] = vec4f(rest_on_surfaces(n, poses, at.xyz, full, dt), full.w);
    }
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    let own = job.first + place.x;
    body = bodies[own];
    count = atomicLoad(&journal[2u + own]);
    if lane == 0u {
        atomicStore(&raised, 0u);
    }
    let dt = job.gravity.w;
    if job.fresh == 1u {
        look_at_elements(lane, false);
    }
    all_written();
    for (var i = 0u; i < job.todo; i += 1u) {
        let poses = i * job.stride;
        let ends = (job.part + i + 1u) % job.parts == 0u;
        if INTEGRATOR == LEAP_FROG {
            drift(lane, 0.5 * dt);
            all_written();
            look_at_elements(lane, false);
            all_written();
            move_nodes_of_leap_frog(lane, poses, dt);
        } else if INTEGRATOR == VERLET {
            move_nodes(lane, poses, 0.5 * dt, dt);
        } else {
            move_nodes(lane, poses, dt, dt);
        }
        all_written();
        if INTEGRATOR != LEAP_FROG || ends {
            look_at_elements(lane, ends);
            all_written();
        }
        if INTEGRATOR == VERLET {
            end_kick(lane, poses, 0.5 * dt, dt);
            all_written();
        }
        if ends {
            if lane == 0u {
                verdict = atomicExchange(&raised, 0u);
            }
            if workgroupUniformLoad(&verdict) != 0u {
                stamp = (job.part + i) / job.parts;
                break_up(own, lane);
            }
        }
    }
}

// Surfaces are met over the second half of a step.
fn move_nodes_of_leap_frog(lane: u32, poses: u32, dt: f32) {
    move_nodes(lane, poses, dt, 0.5 * dt);
}
