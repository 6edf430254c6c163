// Elements of any number of nodes: gradient, stress, and what stabilisation asks for, one element per invocation. Entries
// lie in slices of 32 elements, column by column, so that neighbours read memory side by side.

// 1 where elements have a part of the gradient that does not come from displacements.
override BASED: u32 = 0u;
// 1 where they are phyxels without a rest shape.
override UPDATED: u32 = 0u;

struct Group {
    first: u32,
    count: u32,
    // The grain of the first element of its kind.
    grain: u32,
    // All elements that are no tetrahedra.
    elements: u32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> laws: array<Law>;
// First entry, entries, law, volume.
@group(0) @binding(4) var<storage, read> elements: array<vec4u>;
// Weight, penalty and node.
@group(0) @binding(5) var<storage, read> entries: array<vec4u>;
// What the springs of an element do to the node at its centre.
@group(0) @binding(6) var<storage, read_write> own: array<vec4f>;
@group(0) @binding(7) var<storage, read> bases: array<vec4f>;
// Rest positions and contact radii.
@group(0) @binding(8) var<storage, read> rest: array<vec4f>;
// Two vectors per body: origin and Rayleigh's alpha, modulus of the penalty and Rayleigh's beta.
@group(0) @binding(9) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(10) var<storage, read_write> records: array<vec4u>;
// Three vectors per element: Σ c x and Σ c, Σ c x ⊗ x of its penalties.
@group(0) @binding(11) var<storage, read> moments: array<vec4f>;
@group(0) @binding(12) var<storage, read> grains: array<vec4f>;

fn body_of(tag: f32) -> u32 {
    return bitcast<u32>(tag) & 0x7fffffu;
}

// The phyxel that an element is centred on.
struct Centre {
    at: vec3f,
    rate: vec3f,
    place: vec3f,
    beta: f32,
}

struct Sums {
    // Of every second entry each: shorter sums are rounded less.
    even: mat3x3f,
    odd: mat3x3f,
    rate: mat3x3f,
    // Σ c w and Σ c w ⊗ x, with w = u + beta v from the centre.
    pull: vec3f,
    moment: mat3x3f,
}

// Gives what the entry adds to the gradient.
fn visit(at: u32, about: Centre, sums: ptr<function, Sums>) -> mat3x3f {
    let entry = entries[at];
    let node = entry.w;
    let d = weight_of(entry);
    var w = u[node].xyz - about.at;
    let g = outer(w, d);
    if DAMPED == 1u {
        let faster = v[node].xyz - about.rate;
        (*sums).rate += outer(faster, d);
        w += faster * about.beta;
    }
    if STABILISED == 1u {
        let t = w * penalty_of(entry);
        (*sums).pull += t;
        (*sums).moment += outer(t, rest[node].xyz - about.place);
    }
    return g;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let index = (place.x + place.y * grid.x) * 256u + lane;
    if index >= group.count {
        return;
    }
    let e = group.first + index;
    let head = elements[e];
    if head.y == 0u {
        return;
    }
    let first = entries[head.x].w;
    let center = u[first].xyz;
    let center_rate = v[first].xyz;
    let law = head.z;
    var beta = 0.0;
    if DAMPED == 1u {
        beta = laws[law].rayleigh_stiffness;
    }
    let place_of_center = rest[first].xyz;
    let about = Centre(center, center_rate, place_of_center, beta);
    var sums: Sums;
    // Two at a time: the loads of one hide the wait for the other. The first is the centre itself.
    let count = count_of(head);
    for (var k = 1u; k + 1u < count; k += 2u) {
        sums.even += visit(head.x + 32u * k, about, &sums);
        sums.odd += visit(head.x + 32u * k + 32u, about, &sums);
    }
    if (count & 1u) == 0u {
        sums.even += visit(head.x + 32u * (count - 1u), about, &sums);
    }
    let unit = weight_unit(head);
    let g = (sums.even + sums.odd) * unit;
    let rate = sums.rate * unit;
    var argument = g;
    var argument_rate = rate;
    var push = identity();
    if BASED == 1u {
        let base = mat3x3f(bases[3u * e].xyz, bases[3u * e + 1u].xyz, bases[3u * e + 2u].xyz);
        if UPDATED == 1u {
            push = pushed(base);
            argument = g * push;
            argument_rate = rate * push;
        }
        argument += base;
    }
    var field = g;
    var grain: Grain;
    if GRAINS == 1u {
        let at = 3u * (group.grain + e);
        grain = unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]);
    }
    var s = element_stress(law, argument, argument_rate, grain);
    if UPDATED == 1u {
        s = s * transpose(push);
    }
    s = s * bitcast<f32>(head.w);
    if STABILISED == 0u {
        leave_stress(e, s);
        return;
    }
    // A neighbour k feels S d_k + c_k (w_k − W X_k − b) with w = u + beta v, because the penalty is linear.
    if DAMPED == 1u {
        field += rate * beta;
    }
    // The same rounding for all that feel it: what the springs of an element do adds up to nothing.
    if SHORT == 1u {
        field = rounded(field);
    }
    let first_moment = moments[3u * e];
    let second = moments[3u * e + 1u];
    let third = moments[3u * e + 2u];
    let spread = mat3x3f(second.x, second.y, second.z, second.y, second.w, third.x, second.z, third.x, third.y);
    // Σ c (w − W x) and Σ c (w − W x) ⊗ x.
    let exponent = penalty_exponent(head);
    let factor = penalty_factor(law, grain.strain);
    let modulus = laws[law].penalty * factor;
    let in_units = modulus * power_of_two(exponent);
    if exponent != 0u {
        own[first] = vec4f(sums.pull * in_units - field * first_moment.xyz * modulus, 0.0);
    }
    s -= sums.moment * in_units - field * spread * modulus;
    let here = place_of_center - bodies[2u * body_of(v[first].w)].xyz;
    let base = center + center_rate * beta - field * here;
    leave(e, group.elements, Record(s * unit, field, base, exponent, factor * power_of_two(exponent)));
}
