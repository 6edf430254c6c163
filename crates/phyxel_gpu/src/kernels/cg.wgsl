// Conjugate gradients: everything but the product. Each workgroup adds up the parts of a scalar product by itself, in the
// same order, so that no launch is needed for it and all agree; whether the solve is over is decided here.

const EPSILON = 1.1920929e-7;

struct Job {
    nodes: u32,
    groups: u32,
    // Which of two places holds r · z of this iteration.
    parity: u32,
    always: u32,
    gamma: f32,
    tolerance: f32,
    // 1 at the first residual of a solve.
    first: u32,
    // The residual is relative to its start, or to this where that is more.
    least: f32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read_write> u: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> b: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> x: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> r: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> z: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> p: array<vec4f>;
@group(0) @binding(8) var<storage, read> q: array<vec4f>;
@group(0) @binding(9) var<storage, read> inverses: array<vec4f>;
@group(0) @binding(10) var<storage, read> held: array<vec4f>;
// p · q by workgroup.
@group(0) @binding(11) var<storage, read> curvatures: array<vec4f>;
// r · z, r · r and b · b by workgroup.
@group(0) @binding(12) var<storage, read_write> partials: array<vec4f>;
@group(0) @binding(13) var<storage, read_write> scalars: Scalars;

var<workgroup> sums: array<vec4f, 256>;
var<workgroup> over: u32;

// A flag for a whole workgroup.
fn for_all(lane: u32, flag: u32) -> bool {
    if lane == 0u {
        over = flag;
    }
    return workgroupUniformLoad(&over) != 0u;
}

fn reduced(lane: u32, own: vec4f) -> vec4f {
    sums[lane] = own;
    workgroupBarrier();
    for (var width = 128u; width > 0u; width /= 2u) {
        if lane < width {
            sums[lane] += sums[lane + width];
        }
        workgroupBarrier();
    }
    let result = sums[0];
    workgroupBarrier();
    return result;
}

fn all_curvatures(lane: u32) -> f32 {
    var sum = 0.0;
    for (var i = lane; i < job.groups; i += 256u) {
        sum += curvatures[i].x;
    }
    return reduced(lane, vec4f(sum, 0.0, 0.0, 0.0)).x;
}

fn all_partials(lane: u32) -> vec4f {
    var sum = vec4f(0.0);
    for (var i = lane; i < job.groups; i += 256u) {
        sum += partials[i];
    }
    return reduced(lane, sum);
}

// The right-hand side with what friction does to a sliding node whatever its velocity is.
fn wanted(n: u32) -> vec3f {
    let slot = held_slot(n);
    if slot == 0u {
        return b[n].xyz;
    }
    let at = 6u * (slot - 1u);
    return b[n].xyz + vec3f(held[at].w, held[at + 1u].w, held[at + 2u].w);
}

// Velocities of held nodes into the first guess.
@compute @workgroup_size(256)
fn hold(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.groups * 256u) {
        let slot = held_slot(n);
        if slot > 0u {
            let given = held[6u * (slot - 1u) + 3u].xyz;
            x[n] = vec4f(free_part(n, x[n].xyz) + given - free_part(n, given), 0.0);
        }
    }
}

// r = b − q with q = A x, and the first direction.
@compute @workgroup_size(256)
fn restart(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    var sum = vec4f(0.0);
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.groups * 256u) {
        let own = wanted(n);
        let residual = free_part(n, own - q[n].xyz);
        let direction = preconditioned(n, residual);
        r[n] = vec4f(residual, 0.0);
        z[n] = vec4f(direction, 0.0);
        p[n] = vec4f(direction, 0.0);
        sum += vec4f(dot(residual, direction), dot(residual, residual), dot(own, own), 0.0);
    }
    let total = reduced(lane, sum);
    if lane == 0u {
        partials[place.x] = total;
    }
}

// The true residual, without touching the recurrence.
@compute @workgroup_size(256)
fn check(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    var sum = vec4f(0.0);
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.groups * 256u) {
        let residual = free_part(n, wanted(n) - q[n].xyz);
        sum.y += dot(residual, residual);
    }
    let total = reduced(lane, sum);
    if lane == 0u {
        partials[place.x] = total;
    }
}

// One workgroup: what to aim for, from the first residual; as math/cg.rs does.
@compute @workgroup_size(256)
fn begin(@builtin(local_invocation_index) lane: u32) {
    let total = all_partials(lane);
    if lane != 0u {
        return;
    }
    if job.first == 1u {
        let size = sqrt(total.z);
        let begins = sqrt(total.y);
        let noise = size * EPSILON * 4.0;
        let scale = max(min(begins, max(size, noise)), job.least);
        let goal = max(job.tolerance * scale, (size + begins) * EPSILON * 4.0);
        scalars.size = size;
        scalars.begin = begins;
        scalars.scale = scale;
        // A tolerance below zero is never met: for measurements.
        scalars.goal_squared = select(goal * goal, -1.0, job.tolerance < 0.0);
        scalars.iterations = 0u;
        scalars.done = select(0u, 1u, begins <= noise);
    } else {
        scalars.done = 0u;
    }
    scalars.halted = scalars.done;
    scalars.rz[0] = total.x;
    scalars.reached = sqrt(total.y);
}

// One workgroup: the length of the true residual.
@compute @workgroup_size(256)
fn conclude(@builtin(local_invocation_index) lane: u32) {
    let total = all_partials(lane);
    if lane == 0u {
        scalars.reached = sqrt(total.y);
    }
}

// A new residual and what the preconditioner makes of it; what both give to the scalar products.
fn updated(n: u32, before: vec3f, inverse: Inverse) -> vec4f {
    let residual = free_of(slot_of(inverse), before);
    let next = times_inverse(inverse, residual);
    r[n] = vec4f(residual, 0.0);
    z[n] = vec4f(next, 0.0);
    return vec4f(dot(residual, next), dot(residual, residual), 0.0, 0.0);
}

@compute @workgroup_size(256)
fn update(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    if for_all(lane, scalars.done) {
        if place.x == 0u && lane == 0u {
            scalars.halted = 1u;
        }
        return;
    }
    // What the first round needs is asked for before the sum, which takes as long to come.
    let first = place.x * 256u + lane;
    let near = min(first, job.nodes - 1u);
    let inverse = inverse_at(near);
    let old_r = r[near].xyz;
    let own_q = q[near].xyz;
    let curvature = all_curvatures(lane);
    if !(curvature > 0.0) || !finite(curvature) {
        if place.x == 0u && lane == 0u {
            scalars.done = 2u;
            scalars.halted = 1u;
        }
        return;
    }
    let alpha = scalars.rz[job.parity] / curvature;
    if place.x == 0u && lane == 0u {
        scalars.alpha = alpha;
    }
    var sum = vec4f(0.0);
    if first < job.nodes {
        sum = updated(first, old_r - own_q * alpha, inverse);
    }
    for (var n = first + job.groups * 256u; n < job.nodes; n += job.groups * 256u) {
        sum += updated(n, r[n].xyz - q[n].xyz * alpha, inverse_at(n));
    }
    let total = reduced(lane, sum);
    if lane == 0u {
        partials[place.x] = total;
    }
}

@compute @workgroup_size(256)
fn direct(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    if for_all(lane, scalars.halted) {
        return;
    }
    let alpha = scalars.alpha;
    let first = place.x * 256u + lane;
    let near = min(first, job.nodes - 1u);
    let old_p = p[near].xyz;
    let old_x = x[near].xyz;
    let own_z = z[near].xyz;
    let total = all_partials(lane);
    let beta = total.x / scalars.rz[job.parity];
    if place.x == 0u && lane == 0u {
        scalars.rz[1u - job.parity] = total.x;
        scalars.iterations += 1u;
        // The true residual is checked afterwards: stop a little below the goal.
        if total.y <= 0.81 * scalars.goal_squared {
            scalars.done = 1u;
        }
    }
    // x follows here, where p is read anyway.
    if first < job.nodes {
        x[first] = vec4f(old_x + old_p * alpha, 0.0);
        p[first] = vec4f(own_z + old_p * beta, 0.0);
    }
    for (var n = first + job.groups * 256u; n < job.nodes; n += job.groups * 256u) {
        let before = p[n].xyz;
        x[n] = vec4f(x[n].xyz + before * alpha, 0.0);
        p[n] = vec4f(z[n].xyz + before * beta, 0.0);
    }
}

// b = M v + γ f, with the forces left in b beside the masses, and the first guess.
@compute @workgroup_size(256)
fn prepare(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.groups * 256u) {
        let force = b[n];
        b[n] = vec4f(v[n].xyz * force.w + force.xyz * job.gamma, force.w);
        x[n] = vec4f(v[n].xyz, 0.0);
    }
}

// What holds the held nodes: A x − b, left in p, which the solve no longer needs; beside it what resists their motion.
@compute @workgroup_size(256)
fn react(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.groups * 256u) {
        p[n] = vec4f(q[n].xyz - wanted(n), inverses[2u * n + 1u].w);
    }
}

// The end of a step.
@compute @workgroup_size(256)
fn finish(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.groups * 256u) {
        let velocity = x[n].xyz;
        let at = u[n].xyz + velocity * job.gamma;
        u[n] = vec4f(at, u[n].w);
        v[n] = vec4f(velocity, v[n].w);
        if !(finite3(at) && finite3(velocity)) {
            scalars.trouble = 1u;
        }
    }
}
