// Conjugate gradients: everything but the product, as Chronopoulos and Gear (1989) arrange it: s = A p follows p by the same
// recurrence, so that both scalar products of an iteration are known after the product with z, and one launch does the rest.
// Each workgroup adds up the parts of a scalar product by itself, in the same order, so that no launch is needed for it and all agree;
// whether the solve is over is decided here. What iterations have added to x since the last look at the true residual is kept beside p, s
// and r, in their fourth places: it is rounded by its own size, and x once in hundreds of iterations instead of in each.

const EPSILON = 1.1920929e-7;

struct Job {
    nodes: u32,
    // Workgroups of these kernels, and of products.
    groups: u32,
    products: u32,
    // Which of two places holds r · z of this iteration.
    parity: u32,
    always: u32,
    gamma: f32,
    tolerance: f32,
    // 1 at the first residual of a solve.
    first: u32,
    // The residual is relative to its start, or to this where that is more.
    least: f32,
    // 1 where it is relative to the momentum with which bodies go into the step, where that is more.
    momentum: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read_write> u: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> b: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> x: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> r: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> z: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> p: array<vec4f>;
// A p.
@group(0) @binding(8) var<storage, read_write> s: array<vec4f>;
// A z, or A x.
@group(0) @binding(9) var<storage, read> q: array<vec4f>;
@group(0) @binding(10) var<storage, read> inverses: array<vec4f>;
@group(0) @binding(11) var<storage, read> held: array<vec4f>;
// z · q by workgroup.
@group(0) @binding(12) var<storage, read> curvatures: array<f32>;
// r · z, r · r, b · b and the same of b in free directions by workgroup: of even and of odd iterations, and of the true residual.
@group(0) @binding(13) var<storage, read_write> partials: array<vec4f>;
@group(0) @binding(14) var<storage, read_write> scalars: Scalars;

var<workgroup> sums: array<vec4f, 256>;
var<workgroup> few: array<vec4f, 16>;

const TRUE_RESIDUAL = 2u;

// The sum over all lanes, in two strides: waiting for each other costs more than adding.
fn reduced(lane: u32, own: vec4f) -> vec4f {
    sums[lane] = own;
    workgroupBarrier();
    if lane < 16u {
        var part = sums[lane];
        for (var k = 1u; k < 16u; k += 1u) {
            part += sums[lane + 16u * k];
        }
        few[lane] = part;
    }
    workgroupBarrier();
    var total = few[0];
    for (var k = 1u; k < 16u; k += 1u) {
        total += few[k];
    }
    return total;
}

fn all_partials(lane: u32, kind: u32) -> vec4f {
    var sum = vec4f(0.0);
    for (var i = lane; i < job.groups; i += 256u) {
        sum += partials[kind * job.groups + i];
    }
    return reduced(lane, sum);
}

// r · z and r · r of workgroup i, or nothing.
fn lengths(i: u32) -> vec2f {
    let found = partials[job.parity * job.groups + min(i, job.groups - 1u)].xy;
    return select(vec2f(0.0), found, i < job.groups);
}

// z · A z of workgroup i, or nothing.
fn curvature_of(i: u32) -> f32 {
    return select(0.0, curvatures[min(i, job.products - 1u)], i < job.products);
}

// What a lane adds up of r · z, r · r and z · A z. There are no more parts than these, and none waits for another.
fn own_products(lane: u32) -> vec3f {
    let own = lengths(lane) + lengths(lane + 256u);
    let bent = (curvature_of(lane) + curvature_of(lane + 256u)) + (curvature_of(lane + 512u) + curvature_of(lane + 768u));
    return vec3f(own, bent);
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
        s[n] = vec4f(0.0);
        let carried = free_part(n, b[n].xyz);
        sum += vec4f(dot(residual, direction), dot(residual, residual), dot(own, own), dot(carried, carried));
    }
    let total = reduced(lane, sum);
    if lane == 0u {
        partials[place.x] = total;
    }
}

// What iterations have added goes into x.
@compute @workgroup_size(256)
fn gather(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.groups * 256u) {
        let direction = p[n];
        let image = s[n];
        let residual = r[n];
        x[n] = vec4f(x[n].xyz + vec3f(direction.w, image.w, residual.w), 0.0);
        p[n] = vec4f(direction.xyz, 0.0);
        s[n] = vec4f(image.xyz, 0.0);
        r[n] = vec4f(residual.xyz, 0.0);
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
        partials[TRUE_RESIDUAL * job.groups + place.x] = total;
    }
}

// One workgroup: what to aim for, from the first residual; as math/cg.rs does.
@compute @workgroup_size(256)
fn begin(@builtin(local_invocation_index) lane: u32) {
    let total = all_partials(lane, 0u);
    if lane != 0u {
        return;
    }
    if job.first == 1u {
        let size = sqrt(total.z);
        let begins = sqrt(total.y);
        let noise = size * EPSILON * 4.0;
        let momentum = select(0.0, sqrt(total.w), job.momentum == 1u);
        let scale = max(max(min(begins, max(size, noise)), job.least), momentum);
        let goal = max(job.tolerance * scale, (size + begins) * EPSILON * 4.0);
        scalars.size = size;
        scalars.begin = begins;
        scalars.scale = scale;
        // A tolerance below zero is never met: for measurements.
        scalars.goal_squared = select(goal * goal, -1.0, job.tolerance < 0.0);
        scalars.iterations = 0u;
        scalars.done = select(0u, 1u, begins <= noise || (begins <= goal && job.tolerance >= 0.0));
    } else {
        scalars.done = 0u;
    }
    scalars.rz[0] = total.x;
    // There was none before.
    scalars.rz[1] = 0.0;
    scalars.reached = sqrt(total.y);
}

// One workgroup: the length of the true residual.
@compute @workgroup_size(256)
fn conclude(@builtin(local_invocation_index) lane: u32) {
    let total = all_partials(lane, TRUE_RESIDUAL);
    if lane == 0u {
        scalars.reached = sqrt(total.y);
        if total.y <= scalars.goal_squared && scalars.done == 0u {
            scalars.done = 1u;
        }
    }
}

// What an iteration reads of a node.
struct Own {
    z: vec3f,
    q: vec3f,
    p: vec3f,
    s: vec3f,
    r: vec3f,
    added: vec3f,
    inverse: Inverse,
}

fn own_of(n: u32) -> Own {
    let direction = p[n];
    let image = s[n];
    let residual = r[n];
    let added = vec3f(direction.w, image.w, residual.w);
    return Own(z[n].xyz, q[n].xyz, direction.xyz, image.xyz, residual.xyz, added, inverse_at(n));
}

// A step along the new direction: velocity, residual and what the preconditioner makes of it; what both give to the scalar products.
fn advanced(n: u32, own: Own, alpha: f32, beta: f32, begins: bool) -> vec4f {
    // What was there before the first iteration may be anything.
    let direction = own.z + select(own.p * beta, vec3f(0.0), begins);
    let image = own.q + select(own.s * beta, vec3f(0.0), begins);
    let residual = free_of(slot_of(own.inverse), own.r - image * alpha);
    let next = times_inverse(own.inverse, residual);
    let added = own.added + direction * alpha;
    p[n] = vec4f(direction, added.x);
    s[n] = vec4f(image, added.y);
    r[n] = vec4f(residual, added.z);
    z[n] = vec4f(next, 0.0);
    return vec4f(dot(residual, next), dot(residual, residual), 0.0, 0.0);
}

@compute @workgroup_size(256)
fn update(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    // All that is known from the start is asked for before anything is waited for, and what each round needs in the round before it.
    let first = place.x * 256u + lane;
    let last = job.nodes - 1u;
    var own = own_of(min(first, last));
    let parts = own_products(lane);
    let before = scalars.rz[1u - job.parity];
    let alpha_before = scalars.alpha[1u - job.parity];
    let goal = scalars.goal_squared;
    // One lane asks for all whether the solve is over.
    let over = select(0.0, 1.0, lane == 0u && scalars.done != 0u);
    let total = reduced(lane, vec4f(parts, over));
    if total.w != 0.0 {
        return;
    }
    let begins = before == 0.0;
    let beta = select(total.x / before, 0.0, begins);
    // p · A p
    let curvature = total.z - select(beta * total.x / alpha_before, 0.0, begins);
    let descends = curvature > 0.0 && finite(curvature);
    // The true residual is checked afterwards: stop a little below the goal.
    let converged = !begins && total.y <= 0.81 * goal;
    if converged || !descends {
        // All workgroups find the same, so none is stopped by this that would have gone on.
        if place.x == 0u && lane == 0u {
            scalars.done = select(2u, 1u, converged);
        }
        return;
    }
    let alpha = total.x / curvature;
    if place.x == 0u && lane == 0u {
        scalars.rz[job.parity] = total.x;
        scalars.alpha[job.parity] = alpha;
        scalars.iterations += 1u;
    }
    var sum = vec4f(0.0);
    let stride = job.groups * 256u;
    for (var n = first; n < job.nodes; n += stride) {
        let next = own_of(min(n + stride, last));
        sum += advanced(n, own, alpha, beta, begins);
        own = next;
    }
    let sent = reduced(lane, sum);
    if lane == 0u {
        partials[(1u - job.parity) * job.groups + place.x] = sent;
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
