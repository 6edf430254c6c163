// The stiffness of each tetrahedron as ten 3x3 blocks, K_ab with a ≤ b, column by column; 256 of a kind side by side, first eight
// numbers of each, which is what memory hands out at once, and then the ninth of all.

struct Group {
    first: u32,
    count: u32,
    // The grain of the first element of its kind.
    grain: u32,
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
@group(0) @binding(5) var<storage, read> members: array<vec4u>;
@group(0) @binding(6) var<storage, read> shapes: array<vec4u>;
@group(0) @binding(7) var<storage, read_write> blocks: array<f32>;
@group(0) @binding(8) var<storage, read> grains: array<vec4f>;

override VISCOUS: u32 = 0u;

// Displacements of the cluster's nodes; then one block of every tetrahedron of the cluster, on its way out.
var<workgroup> outgoing: array<f32, 2304>;

fn displacement(local: u32) -> vec3f {
    return vec3f(outgoing[local], outgoing[local + 256u], outgoing[local + 512u]);
}

// Writes a block of 256 tetrahedra side by side: each alone would touch as many lines of memory as it has numbers.
fn store(lane: u32, block: u32, k: mat3x3f) {
    workgroupBarrier();
    let own = 9u * lane;
    outgoing[own] = k[0].x;
    outgoing[own + 1u] = k[0].y;
    outgoing[own + 2u] = k[0].z;
    outgoing[own + 3u] = k[1].x;
    outgoing[own + 4u] = k[1].y;
    outgoing[own + 5u] = k[1].z;
    outgoing[own + 6u] = k[2].x;
    outgoing[own + 7u] = k[2].y;
    outgoing[own + 8u] = k[2].z;
    workgroupBarrier();
    for (var i = 0u; i < 8u; i += 1u) {
        blocks[block * 2304u + 256u * i + lane] = outgoing[9u * (32u * i + lane / 8u) + lane % 8u];
    }
    blocks[block * 2304u + 2048u + lane] = outgoing[own + 8u];
}

fn unit(k: u32) -> vec3f {
    return vec3f(select(0.0, 1.0, k == 0u), select(0.0, 1.0, k == 1u), select(0.0, 1.0, k == 2u));
}

// In the frame of the singular vectors, how a displacement x of corner b pulls at corner a: T(x ⊗ w_b) w_a, with w = Vᵀ d.
fn pair_in_frame(spectrum: Spectrum, wa: vec3f, wb: vec3f) -> mat3x3f {
    let keep = 0.5 * (spectrum.flip + spectrum.twist);
    let swap = 0.5 * (spectrum.flip - spectrum.twist);
    let same = wa * wb;
    let across = keep.yzx * same.zxy + keep.zxy * same.yzx;
    // Column l: B_kl w_ak w_bl, and off the diagonal swap_kl w_al w_bk.
    let x = spectrum.block[0] * wa * wb.x + vec3f(across.x, swap.z * wa.x * wb.y, swap.y * wa.x * wb.z);
    let y = spectrum.block[1] * wa * wb.y + vec3f(swap.z * wa.y * wb.x, across.y, swap.x * wa.y * wb.z);
    let z = spectrum.block[2] * wa * wb.z + vec3f(swap.y * wa.z * wb.x, swap.x * wa.z * wb.y, across.z);
    return mat3x3f(x, y, z);
}

// K_ab of a tetrahedron: column i is what happens to corner a when corner b moves along axis i.
// Matter that has flowed is the same with the weights Aᵀ d.
fn pair(law: u32, frame: Frame, g: mat3x3f, a: mat3x3f, wa: vec3f, wb: vec3f, stiffness: f32, viscosity: f32) -> mat3x3f {
    var k: mat3x3f;
    let da = wa * a;
    let db = wb * a;
    if LAW == STVK || LAW == COROTATED || LAW == NEO_HOOKEAN || LAW == HENCKY {
        let m = pair_in_frame(frame.spectrum, da * frame.v, db * frame.v);
        k = (frame.u * m * transpose(frame.u)) * stiffness;
    } else {
        k = mat3x3f(
            tangent_apply(law, frame, outer(unit(0u), db)) * da,
            tangent_apply(law, frame, outer(unit(1u), db)) * da,
            tangent_apply(law, frame, outer(unit(2u), db)) * da,
        ) * stiffness;
    }
    if VISCOUS == 1u {
        k += mat3x3f(
            viscous_stress(law, g, outer(unit(0u), wb)) * wa,
            viscous_stress(law, g, outer(unit(1u), wb)) * wa,
            viscous_stress(law, g, outer(unit(2u), wb)) * wa,
        ) * viscosity;
    }
    return k;
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
    let piece = piece_of(cluster, lane);
    let volume = piece.volume;
    let d1 = piece.d1;
    let d2 = piece.d2;
    let d3 = piece.d3;
    let packed = piece.nodes;
    let head = clusters[cluster];
    if lane < (head.y & 0xffffu) {
        let at = u[members[head.x + lane].x].xyz;
        outgoing[lane] = at.x;
        outgoing[lane + 256u] = at.y;
        outgoing[lane + 512u] = at.z;
    }
    workgroupBarrier();
    let a = displacement(packed & 255u);
    let g = outer(displacement((packed >> 8u) & 255u) - a, d1)
        + outer(displacement((packed >> 16u) & 255u) - a, d2)
        + outer(displacement(packed >> 24u) - a, d3);
    let law = head.z;
    var elastic = Elastic(g, identity());
    if GRAINS == 1u {
        let at = 3u * (group.grain + cluster * 256u + lane);
        let grain = unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]);
        hardened = grain.strain;
        elastic = elastic_part(g, grain.offset);
    }
    let frame = tangent_frame(law, elastic.g);
    let stiffness = volume * (mix_of.square + mix_of.gamma * laws[law].rayleigh_stiffness);
    let viscosity = volume * mix_of.gamma;
    let out = cluster * 10u;
    // Blocks 00 | 01 02 03 | 11 12 13 | 22 23 | 33. Gradients sum to zero, so do the blocks of a row.
    var k = pair(law, frame, g, elastic.a, d1, d1, stiffness, viscosity);
    store(lane, out + 4u, k);
    var first = k;
    k = pair(law, frame, g, elastic.a, d1, d2, stiffness, viscosity);
    store(lane, out + 5u, k);
    first += transpose(k);
    var second = k;
    k = pair(law, frame, g, elastic.a, d1, d3, stiffness, viscosity);
    store(lane, out + 6u, k);
    first += transpose(k);
    var third = k;
    store(lane, out + 1u, -1.0 * first);
    k = pair(law, frame, g, elastic.a, d2, d2, stiffness, viscosity);
    store(lane, out + 7u, k);
    second += k;
    k = pair(law, frame, g, elastic.a, d2, d3, stiffness, viscosity);
    store(lane, out + 8u, k);
    second += transpose(k);
    third += k;
    store(lane, out + 2u, -1.0 * second);
    k = pair(law, frame, g, elastic.a, d3, d3, stiffness, viscosity);
    store(lane, out + 9u, k);
    third += k;
    store(lane, out + 3u, -1.0 * third);
    store(lane, out, first + second + third);
}
