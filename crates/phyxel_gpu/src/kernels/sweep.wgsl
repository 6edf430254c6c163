// One sweep of a position-based step over elements of one colour, which share no node: twin of solver/xpbd/elements.rs.

override BASED: u32 = 0u;
override STABILISED: u32 = 0u;

struct Job {
    first: u32,
    count: u32,
    // 1 in the first sweep of a step, which begins without multipliers.
    fresh: u32,
    h: f32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Displacement and mass.
@group(0) @binding(1) var<storage, read_write> u: array<vec4f>;
// Displacement at the start of the step, and inverse mass along each axis.
@group(0) @binding(2) var<storage, read> start: array<vec4f>;
@group(0) @binding(3) var<storage, read> lightness: array<vec4f>;
@group(0) @binding(4) var<storage, read> laws: array<Law>;
// First entry, entries, law, volume.
@group(0) @binding(5) var<storage, read> elements: array<vec4u>;
// Weight and node.
@group(0) @binding(6) var<storage, read> entries: array<vec4u>;
@group(0) @binding(7) var<storage, read> penalties: array<f32>;
@group(0) @binding(8) var<storage, read> bases: array<vec4f>;
@group(0) @binding(9) var<storage, read> rest: array<vec4f>;
@group(0) @binding(10) var<storage, read_write> multipliers: array<vec4f>;
@group(0) @binding(11) var<storage, read> grains: array<vec4f>;
// Where the grain of each element is.
@group(0) @binding(12) var<storage, read> grain_of: array<u32>;

fn gradient_of(head: vec4u) -> mat3x3f {
    let center = u[entries[head.x].w].xyz;
    var g = mat3x3f();
    for (var k = 1u; k < head.y; k += 1u) {
        let entry = entries[head.x + 32u * k];
        g += outer(u[entry.w].xyz - center, bitcast<vec3f>(entry.xyz));
    }
    return g;
}

// How much nodes must move along the slopes of a constraint (Macklin et al. 2016, eq. 26, with damping of its own rate).
fn change_of(head: vec4u, value: f32, stiffness: f32, multiplier: f32, weight: f32, rate: f32) -> f32 {
    let damping = laws[head.z].rayleigh_stiffness / job.h;
    let compliance = 1.0 / (stiffness * job.h * job.h);
    return -(value + compliance * multiplier + damping * rate) / ((1.0 + damping) * weight + compliance);
}

// Moves the nodes against a measure of deformation; gives its multiplier.
fn apply(head: vec4u, constraint: Constraint, before: f32) -> f32 {
    var weight = 0.0;
    var rate = 0.0;
    for (var k = 0u; k < head.y; k += 1u) {
        let entry = entries[head.x + 32u * k];
        let s = constraint.gradient * bitcast<vec3f>(entry.xyz);
        weight += dot(s, s * lightness[entry.w].xyz);
        rate += dot(s, u[entry.w].xyz - start[entry.w].xyz);
    }
    if !(weight > 0.0) {
        return before;
    }
    let stiffness = constraint.modulus * bitcast<f32>(head.w);
    let change = change_of(head, constraint.value, stiffness, before, weight, rate);
    for (var k = 0u; k < head.y; k += 1u) {
        let entry = entries[head.x + 32u * k];
        let s = constraint.gradient * bitcast<vec3f>(entry.xyz);
        let full = u[entry.w];
        u[entry.w] = full + vec4f(s * lightness[entry.w].xyz * change, 0.0);
    }
    return before + change;
}

// The stabilisation of phyxels as one constraint more.
struct Slopes {
    g: mat3x3f,
    moment: mat3x3f,
    pull: vec3f,
    center: vec3f,
    place: vec3f,
}

fn slope_of(head: vec4u, slopes: Slopes, k: u32) -> vec3f {
    let entry = entries[head.x + 32u * k];
    let through_gradient = slopes.moment * bitcast<vec3f>(entry.xyz);
    if k == 0u {
        return -slopes.pull - through_gradient;
    }
    let x = rest[entry.w].xyz - slopes.place;
    return (u[entry.w].xyz - slopes.center - slopes.g * x) * penalties[head.x + 32u * k] - through_gradient;
}

fn stabilise(e: u32, head: vec4u, before: f32) -> f32 {
    let center = entries[head.x].w;
    var slopes = Slopes(gradient_of(head), mat3x3f(), vec3f(0.0), u[center].xyz, rest[center].xyz);
    var energy = 0.0;
    for (var k = 1u; k < head.y; k += 1u) {
        let node = entries[head.x + 32u * k].w;
        let x = rest[node].xyz - slopes.place;
        let residual = u[node].xyz - slopes.center - slopes.g * x;
        let t = residual * penalties[head.x + 32u * k];
        energy += 0.5 * dot(residual, t);
        slopes.pull += t;
        slopes.moment += outer(t, x);
    }
    let value = sqrt(2.0 * energy);
    if !(value > 0.0) {
        return before;
    }
    let scale = 1.0 / value;
    var weight = 0.0;
    var rate = 0.0;
    for (var k = 0u; k < head.y; k += 1u) {
        let node = entries[head.x + 32u * k].w;
        let s = slope_of(head, slopes, k) * scale;
        weight += dot(s, s * lightness[node].xyz);
        rate += dot(s, u[node].xyz - start[node].xyz);
    }
    if !(weight > 0.0) {
        return before;
    }
    var modulus = laws[head.z].penalty;
    if GRAINS == 1u {
        modulus *= penalty_factor(head.z, grains[3u * grain_of[e]].w);
    }
    let change = change_of(head, value, modulus, before, weight, rate);
    for (var k = 0u; k < head.y; k += 1u) {
        let node = entries[head.x + 32u * k].w;
        let s = slope_of(head, slopes, k) * scale;
        let full = u[node];
        u[node] = full + vec4f(s * lightness[node].xyz * change, 0.0);
    }
    return before + change;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let index = (place.x + place.y * grid.x) * 64u + lane;
    if index >= job.count {
        return;
    }
    let e = job.first + index;
    let head = elements[e];
    if head.y == 0u {
        return;
    }
    var multiplier = multipliers[e];
    if job.fresh == 1u {
        multiplier = vec4f(0.0);
    }
    for (var which = 0u; which < 2u + VOLUME; which += 1u) {
        var g = gradient_of(head);
        if BASED == 1u {
            g += mat3x3f(bases[3u * e].xyz, bases[3u * e + 1u].xyz, bases[3u * e + 2u].xyz);
        }
        var elastic = Elastic(g, identity());
        if GRAINS == 1u {
            let at = 3u * grain_of[e];
            elastic = elastic_part(g, unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]).offset);
        }
        var constraint = constraint_of(head.z, elastic.g, which);
        if constraint.modulus > 0.0 {
            if GRAINS == 1u {
                constraint.gradient = constraint.gradient * transpose(elastic.a);
            }
            multiplier[which] = apply(head, constraint, multiplier[which]);
        }
    }
    if STABILISED == 1u {
        multiplier.w = stabilise(e, head, multiplier.w);
    }
    multipliers[e] = multiplier;
}
