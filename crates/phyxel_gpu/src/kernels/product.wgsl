// The first half of a matrix-free product: what each element that is no tetrahedron makes of a field.

struct Job {
    elements: u32,
    nodes: u32,
    around: u32,
    always: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> field: array<vec4f>;
@group(0) @binding(2) var<storage, read> elements: array<vec4u>;
@group(0) @binding(3) var<storage, read> entries: array<vec4u>;
// What the springs of an element do to the node at its centre.
@group(0) @binding(4) var<storage, read_write> own: array<vec4f>;
@group(0) @binding(5) var<storage, read> tangents: array<f32>;
// Rest positions from the body's first node, and the scaled modulus of the penalty.
@group(0) @binding(6) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> records: array<vec4u>;
@group(0) @binding(8) var<storage, read> scalars: array<vec4u>;
// Three vectors per element: Σ c x and Σ c, Σ c x ⊗ x of its penalties.
@group(0) @binding(9) var<storage, read> moments: array<vec4f>;
// What weakens the penalties of each element; then the same by the node at its centre.
@group(0) @binding(10) var<storage, read> factors: array<f32>;

struct Sums {
    g: mat3x3f,
    // Σ c w and Σ c w ⊗ x, from the centre.
    pull: vec3f,
    moment: mat3x3f,
}

fn visit(at: u32, center: vec3f, here: vec3f, sums: ptr<function, Sums>) {
    let entry = entries[at];
    let w = field[entry.w].xyz - center;
    (*sums).g += outer(w, weight_of(entry));
    if STABILISED == 1u {
        let t = w * penalty_of(entry);
        (*sums).pull += t;
        (*sums).moment += outer(t, offsets[entry.w].xyz - here);
    }
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let e = (place.x + place.y * grid.x) * 256u + lane;
    if e >= job.elements || (job.always == 0u && scalars[2].x != 0u) {
        return;
    }
    let head = elements[e];
    if head.y == 0u {
        return;
    }
    let first = entries[head.x].w;
    let center = field[first].xyz;
    let here = offsets[first];
    var sums: Sums;
    // Two at a time: the loads of one hide the wait for the other. The first is the centre itself.
    let count = count_of(head);
    for (var k = 1u; k + 1u < count; k += 2u) {
        visit(head.x + 32u * k, center, here.xyz, &sums);
        visit(head.x + 32u * k + 32u, center, here.xyz, &sums);
    }
    if (count & 1u) == 0u {
        visit(head.x + 32u * (count - 1u), center, here.xyz, &sums);
    }
    let unit = weight_unit(head);
    let g = sums.g * unit;
    // The 9x9 product with the upper triangle alone.
    var change = array<f32, 9>(g[0].x, g[1].x, g[2].x, g[0].y, g[1].y, g[2].y, g[0].z, g[1].z, g[2].z);
    var stress = array<f32, 9>();
    var at = (e / 32u) * 1440u + e % 32u;
    for (var a = 0u; a < 9u; a += 1u) {
        stress[a] += tangents[at] * change[a];
        at += 32u;
        for (var b = a + 1u; b < 9u; b += 1u) {
            let c = tangents[at];
            at += 32u;
            stress[a] += c * change[b];
            stress[b] += c * change[a];
        }
    }
    var s = mat3x3f(stress[0], stress[3], stress[6], stress[1], stress[4], stress[7], stress[2], stress[5], stress[8]);
    if STABILISED == 0u {
        leave_stress(e, s);
        return;
    }
    let first_moment = moments[3u * e];
    let second = moments[3u * e + 1u];
    let third = moments[3u * e + 2u];
    let spread = mat3x3f(second.x, second.y, second.z, second.y, second.w, third.x, second.z, third.x, third.y);
    let exponent = penalty_exponent(head);
    let factor = factors[e];
    let modulus = here.w * factor;
    let in_units = modulus * power_of_two(exponent);
    if exponent != 0u {
        own[first] = vec4f(sums.pull * in_units - g * first_moment.xyz * modulus, 0.0);
    }
    s -= sums.moment * in_units - g * spread * modulus;
    let base = center - g * here.xyz;
    leave(e, job.elements, Record(s * unit, g, base, exponent, factor * power_of_two(exponent)));
}
