// Where a node meets a collider: twins of contact/form.rs and contact/collider.rs. A collider is eleven vectors in `motion`:
// kind, 0, 0, moves | dimensions | pose at the start of the path | pose at its end | the second less the first.
// The CPU does this in f64. Here everything is counted from the collider's own origin and differences of poses are given, so
// that no small length is ever the difference of two large ones.

const HALF_SPACE = 0u;
const SPHERE = 1u;
const BOX = 2u;
const CAPSULE = 3u;
const CYLINDER = 4u;

const MAX_PUSH_SPEED = 1.0;
const REST_SPEED = 0.05;

struct Probe {
    distance: f32,
    normal: vec3f,
}

struct Plane {
    normal: vec3f,
    gap: f32,
    velocity: vec3f,
    found: bool,
}

struct NodePath {
    rest: vec3f,
    displacement: vec3f,
    velocity: vec3f,
    radius: f32,
    dt: f32,
}

fn origin(pose: u32) -> vec3f {
    return vec3f(motion[pose].w, motion[pose + 1u].w, motion[pose + 2u].w);
}

// Rᵀ y
fn turn_back(pose: u32, y: vec3f) -> vec3f {
    return motion[pose].xyz * y.x + motion[pose + 1u].xyz * y.y + motion[pose + 2u].xyz * y.z;
}

// R l
fn turn(pose: u32, l: vec3f) -> vec3f {
    return vec3f(dot(motion[pose].xyz, l), dot(motion[pose + 1u].xyz, l), dot(motion[pose + 2u].xyz, l));
}

// Where the path starts, from the collider's origin; the displacement comes last, because it is small.
fn seen(pose: u32, path: NodePath) -> vec3f {
    return (path.rest - origin(pose)) + path.displacement;
}

fn from_core(p: vec3f, radius: f32) -> Probe {
    let distance = length(p);
    let normal = select(vec3f(0.0, 1.0, 0.0), p / distance, distance > 0.0);
    return Probe(distance - radius, normal);
}

fn signs(p: vec3f) -> vec3f {
    return select(vec3f(1.0), vec3f(-1.0), p < vec3f(0.0));
}

fn probe_box(p: vec3f, half: vec3f) -> Probe {
    let beyond = abs(p) - half;
    let out = max(beyond, vec3f(0.0));
    let distance = length(out);
    if distance > 0.0 {
        return Probe(distance, out * signs(p) / distance);
    }
    let s = signs(p);
    if beyond.x >= beyond.y && beyond.x >= beyond.z {
        return Probe(beyond.x, vec3f(s.x, 0.0, 0.0));
    }
    if beyond.y >= beyond.z {
        return Probe(beyond.y, vec3f(0.0, s.y, 0.0));
    }
    return Probe(beyond.z, vec3f(0.0, 0.0, s.z));
}

fn probe_cylinder(p: vec3f, radius: f32, half_length: f32) -> Probe {
    let across = vec3f(p.x, 0.0, p.z);
    let wide = length(across);
    let outward = select(vec3f(1.0, 0.0, 0.0), across / wide, wide > 0.0);
    let along = vec3f(0.0, select(1.0, -1.0, p.y < 0.0), 0.0);
    let side = wide - radius;
    let cap = abs(p.y) - half_length;
    if side > 0.0 && cap > 0.0 {
        let distance = sqrt(side * side + cap * cap);
        return Probe(distance, (outward * side + along * cap) / distance);
    }
    if side > cap {
        return Probe(side, outward);
    }
    return Probe(cap, along);
}

fn probe(collider: u32, p: vec3f) -> Probe {
    let size = motion[collider + 1u];
    let kind = u32(motion[collider].x);
    if kind == HALF_SPACE {
        return Probe(dot(size.xyz, p) - size.w, size.xyz);
    }
    if kind == SPHERE {
        return from_core(p, size.x);
    }
    if kind == BOX {
        return probe_box(p, size.xyz);
    }
    if kind == CAPSULE {
        return from_core(p - vec3f(0.0, clamp(p.y, -size.y, size.y), 0.0), size.x);
    }
    return probe_cylinder(p, size.x, size.y);
}

// The part of the way after which a path from outside comes within `tolerance` of the solid; negative when it never does.
fn sweep(collider: u32, start: vec3f, to: vec3f, tolerance: f32) -> f32 {
    let way = to - start;
    let way_length = length(way);
    if u32(motion[collider].x) == HALF_SPACE {
        // The tolerance has the radius of the node in it.
        let begin = probe(collider, start).distance - tolerance;
        let end = probe(collider, to).distance - tolerance;
        return select(-1.0, clamp(begin / (begin - end), 0.0, 1.0), end < 0.0 && begin > end);
    }
    var gone = 0.0;
    for (var i = 0; i < 256; i += 1) {
        let here = probe(collider, start + way * (gone / way_length));
        if here.distance <= tolerance {
            return gone / way_length;
        }
        gone += here.distance;
        if gone >= way_length {
            return -1.0;
        }
    }
    return -1.0;
}

fn detail(collider: u32) -> f32 {
    let size = motion[collider + 1u];
    let kind = u32(motion[collider].x);
    if kind == HALF_SPACE { return 1e30; }
    if kind == BOX { return min(size.x, min(size.y, size.z)); }
    if kind == CYLINDER { return min(size.x, size.y); }
    return size.x;
}

fn goes_in(collider: u32, start: vec3f, way: vec3f, radius: f32) -> bool {
    let way_length = length(way);
    if way_length == 0.0 {
        return false;
    }
    let near = start + way * (min(way_length, 0.01 * detail(collider)) / way_length);
    let begin = probe(collider, start).distance;
    let next = probe(collider, near).distance;
    let end = probe(collider, start + way).distance;
    return (next < radius && next < begin) || (end < radius && end < begin) || (begin < radius && end < radius);
}

fn plane_at(collider: u32, at: vec3f, here: Probe, path: NodePath) -> Plane {
    let on_surface = at - here.normal * here.distance;
    let normal = turn(collider + 5u, here.normal);
    let begins = turn_back(collider + 5u, seen(collider + 5u, path));
    var velocity = vec3f(0.0);
    if motion[collider].w != 0.0 && path.dt > 0.0 {
        velocity = (turn(collider + 8u, on_surface) + origin(collider + 8u)) / path.dt;
    }
    return Plane(normal, dot(here.normal, begins - on_surface) - path.radius, velocity, true);
}

fn nearest(collider: u32, path: NodePath) -> Plane {
    let start = turn_back(collider + 2u, seen(collider + 2u, path));
    return plane_at(collider, start, probe(collider, start), path);
}

fn meet(collider: u32, path: NodePath) -> Plane {
    var none: Plane;
    none.found = false;
    let y = seen(collider + 2u, path);
    let start = turn_back(collider + 2u, y);
    // Rₑᵀ (x + v h − pₑ) − Rₛᵀ (x − pₛ)
    let way = turn_back(collider + 5u, path.velocity * path.dt - origin(collider + 8u)) + turn_back(collider + 8u, y);
    let tolerance = 4e-7 * (1.0 + length(start));
    let here = probe(collider, start);
    let distance = here.distance - path.radius;
    if distance > length(way) + tolerance {
        return none;
    }
    if distance > tolerance {
        let part = sweep(collider, start, start + way, path.radius + 0.5 * tolerance);
        if part < 0.0 {
            return none;
        }
        let hit = start + way * part;
        return plane_at(collider, hit, probe(collider, hit), path);
    }
    if goes_in(collider, start, way, path.radius) {
        return plane_at(collider, start, here, path);
    }
    return none;
}

// The velocity after a contact impulse with friction, if the node would otherwise pass the surface within `dt`.
fn resolve(plane: Plane, v: vec3f, dt: f32, friction: f32, restitution: f32) -> vec3f {
    let normal_velocity = dot(plane.normal, v);
    let own = dot(plane.normal, plane.velocity);
    let least = min(-plane.gap / dt, MAX_PUSH_SPEED + max(own, 0.0));
    var push = least - normal_velocity;
    if push <= 0.0 {
        return v;
    }
    let approach = own - normal_velocity;
    if restitution > 0.0 && approach > REST_SPEED {
        push = max(push, approach * (1.0 + restitution));
    }
    let relative = v - plane.velocity;
    let slip = relative - plane.normal * dot(plane.normal, relative);
    let speed = length(slip);
    // Coulomb: the tangential impulse is at most friction times the normal one.
    let lost = select(0.0, min(friction * push / speed, 1.0), speed > 0.0);
    return v + plane.normal * push - slip * lost;
}

// The velocity of a node that a surface stops where it would pass it on its path; `pair` holds friction and restitution.
fn stopped(collider: u32, path: NodePath, pair: vec4f) -> vec3f {
    let plane = meet(collider, path);
    if plane.found {
        return resolve(plane, path.velocity, path.dt, pair.x, pair.y);
    }
    return path.velocity;
}

// The velocity of a node that lies on a surface, or in it, and goes no further in.
fn resting(collider: u32, path: NodePath, pair: vec4f) -> vec3f {
    var plane = nearest(collider, path);
    let next = dot(plane.normal, path.velocity) * path.dt;
    // What rounding makes of a gap.
    let scale = length(path.rest) + length(path.displacement) + abs(next);
    if plane.gap > 1.9e-6 * scale {
        return path.velocity;
    }
    plane.gap = 0.0;
    return resolve(plane, path.velocity, 1.0, pair.x, 0.0);
}
