// The stiffness of each tetrahedron as ten 3x3 blocks, K_ab with a ≤ b, column by column; 256 of a kind side by side.

struct Group {
    first: u32,
    count: u32,
}

struct Mix {
    // γ² and γ: tangents count γ² + γ beta times, viscosity γ times.
    square: f32,
    gamma: f32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<uniform> mix_of: Mix;
@group(0) @binding(2) var<storage, read> u: array<vec4f>;
@group(0) @binding(3) var<storage, read> laws: array<Law>;
@group(0) @binding(4) var<storage, read> clusters: array<vec4u>;
@group(0) @binding(5) var<storage, read> members: array<u32>;
@group(0) @binding(6) var<storage, read> shapes: array<f32>;
@group(0) @binding(7) var<storage, read> tet_nodes: array<u32>;
@group(0) @binding(8) var<storage, read_write> blocks: array<f32>;

override VISCOUS: u32 = 0u;

fn displacement(head: vec4u, local: u32) -> vec3f {
    return u[members[3u * (head.x + local)]].xyz;
}

// One block of every tetrahedron of the cluster, on its way out.
var<workgroup> outgoing: array<f32, 2304>;

// Writes a block of 256 tetrahedra side by side: each alone would touch as many lines of memory as it has numbers.
fn store(lane: u32, block: u32, c0: vec3f, c1: vec3f, c2: vec3f) {
    workgroupBarrier();
    let own = 9u * lane;
    outgoing[own] = c0.x;
    outgoing[own + 1u] = c0.y;
    outgoing[own + 2u] = c0.z;
    outgoing[own + 3u] = c1.x;
    outgoing[own + 4u] = c1.y;
    outgoing[own + 5u] = c1.z;
    outgoing[own + 6u] = c2.x;
    outgoing[own + 7u] = c2.y;
    outgoing[own + 8u] = c2.z;
    workgroupBarrier();
    for (var k = 0u; k < 9u; k += 1u) {
        blocks[block * 2304u + 256u * k + lane] = outgoing[256u * k + lane];
    }
}

fn unit(k: u32) -> vec3f {
    return vec3f(select(0.0, 1.0, k == 0u), select(0.0, 1.0, k == 1u), select(0.0, 1.0, k == 2u));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) place: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = place.x + place.y * grid.x;
    if index >= group.count {
        return;
    }
    let cluster = group.first + index;
    let head = clusters[cluster];
    let shape = cluster * 2560u + lane;
    let volume = shapes[shape + 2304u];
    let d1 = vec3f(shapes[shape], shapes[shape + 256u], shapes[shape + 512u]);
    let d2 = vec3f(shapes[shape + 768u], shapes[shape + 1024u], shapes[shape + 1280u]);
    let d3 = vec3f(shapes[shape + 1536u], shapes[shape + 1792u], shapes[shape + 2048u]);
    let d0 = -(d1 + d2 + d3);
    let packed = tet_nodes[cluster * 256u + lane];
    let a = displacement(head, packed & 255u);
    let g = outer(displacement(head, (packed >> 8u) & 255u) - a, d1)
        + outer(displacement(head, (packed >> 16u) & 255u) - a, d2)
        + outer(displacement(head, packed >> 24u) - a, d3);
    let law = head.z;
    let frame = tangent_frame(law, g);
    let stiffness = volume * (mix_of.square + mix_of.gamma * laws[law].rayleigh_stiffness);
    let viscosity = volume * mix_of.gamma;
    let out = cluster * 10u;
    var sum0 = vec3f(0.0);
    var sum1 = vec3f(0.0);
    var sum2 = vec3f(0.0);
    for (var b = 1u; b < 4u; b += 1u) {
        let db = select(select(d3, d2, b == 2u), d1, b == 1u);
        var s0 = tangent_apply(law, frame, outer(unit(0u), db)) * stiffness;
        var s1 = tangent_apply(law, frame, outer(unit(1u), db)) * stiffness;
        var s2 = tangent_apply(law, frame, outer(unit(2u), db)) * stiffness;
        if VISCOUS == 1u {
            s0 += viscous_stress(law, g, outer(unit(0u), db)) * viscosity;
            s1 += viscous_stress(law, g, outer(unit(1u), db)) * viscosity;
            s2 += viscous_stress(law, g, outer(unit(2u), db)) * viscosity;
        }
        sum0 -= s0 * d0;
        sum1 -= s1 * d0;
        sum2 -= s2 * d0;
        // Blocks 00 | 01 02 03 | 11 12 13 | 22 23 | 33.
        store(lane, out + b, s0 * d0, s1 * d0, s2 * d0);
        store(lane, out + 3u + b, s0 * d1, s1 * d1, s2 * d1);
        if b >= 2u {
            store(lane, out + 5u + b, s0 * d2, s1 * d2, s2 * d2);
        }
        if b == 3u {
            store(lane, out + 9u, s0 * d3, s1 * d3, s2 * d3);
        }
    }
    store(lane, out, sum0, sum1, sum2);
}
