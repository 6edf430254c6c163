// The effective tangent of each element that is no tetrahedron: the upper triangle of a 9x9 matrix, in planes of 32 elements.

override BASED: u32 = 0u;
override UPDATED: u32 = 0u;
override VISCOUS: u32 = 0u;

struct Group {
    first: u32,
    count: u32,
    // The grain of the first element of its kind.
    grain: u32,
    // All elements that are no tetrahedra.
    elements: u32,
}

struct Mix {
    square: f32,
    gamma: f32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<uniform> mix_of: Mix;
@group(0) @binding(2) var<storage, read> u: array<vec4f>;
@group(0) @binding(3) var<storage, read> laws: array<Law>;
@group(0) @binding(4) var<storage, read> elements: array<vec4u>;
@group(0) @binding(5) var<storage, read> entries: array<vec4u>;
@group(0) @binding(6) var<storage, read> bases: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> tangents: array<f32>;
@group(0) @binding(8) var<storage, read> grains: array<vec4f>;
// What weakens the penalties of each element; then the same by the node at its centre.
@group(0) @binding(9) var<storage, read_write> factors: array<f32>;

fn unit(k: u32) -> vec3f {
    return vec3f(select(0.0, 1.0, k == 0u), select(0.0, 1.0, k == 1u), select(0.0, 1.0, k == 2u));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let index = (place.x + place.y * grid.x) * 64u + lane;
    if index >= group.count {
        return;
    }
    let e = group.first + index;
    let head = elements[e];
    if head.y == 0u {
        return;
    }
    var g = stencil_gradient(head);
    var push = identity();
    if BASED == 1u {
        let base = mat3x3f(bases[3u * e].xyz, bases[3u * e + 1u].xyz, bases[3u * e + 2u].xyz);
        if UPDATED == 1u {
            push = pushed(base);
            g = g * push;
        }
        g += base;
    }
    let law = head.z;
    let volume = bitcast<f32>(head.w);
    var elastic = Elastic(g, identity());
    if GRAINS == 1u {
        let at = 3u * (group.grain + e);
        let grain = unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]);
        hardened = grain.strain;
        elastic = elastic_part(g, grain.offset);
        if STABILISED == 1u && FLOW == BY_STRESS {
            let factor = penalty_factor(law, grain.strain);
            factors[e] = factor;
            factors[group.elements + entries[head.x].w] = factor;
        }
    }
    let frame = tangent_frame(law, elastic.g);
    let stiffness = volume * (mix_of.square + mix_of.gamma * laws[law].rayleigh_stiffness);
    let viscosity = volume * mix_of.gamma;
    var out = (e / 32u) * 1440u + e % 32u;
    for (var a = 0u; a < 9u; a += 1u) {
        var dg = outer(unit(a / 3u), unit(a % 3u));
        if UPDATED == 1u {
            dg = dg * push;
        }
        var s = tangent_apply(law, frame, dg * elastic.a) * stiffness;
        if GRAINS == 1u {
            s = s * transpose(elastic.a);
        }
        if VISCOUS == 1u {
            s += viscous_stress(law, g, dg) * viscosity;
        }
        if UPDATED == 1u {
            s = s * transpose(push);
        }
        for (var b = a; b < 9u; b += 1u) {
            tangents[out] = s[b % 3u][b / 3u];
            out += 32u;
        }
    }
}
