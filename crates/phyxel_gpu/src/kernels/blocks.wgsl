// The stiffness of each tetrahedron as six 3x3 blocks, K_ab with a < b, column by column; 256 of a kind side by side, eight numbers of
// each, which is what memory hands out at once, and the ninth of all elsewhere. Rows sum to zero, so diagonals are made of the rest.
// Two workgroups a cluster: with one, a tenth slower, with four, a tenth slower too (their nodes are read four times).

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
@group(0) @binding(7) var<storage, read_write> blocks: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> ninths: array<f32>;
@group(0) @binding(9) var<storage, read> grains: array<vec4f>;

override VISCOUS: u32 = 0u;

// Displacements of the cluster's nodes.
var<workgroup> share: array<f32, 768>;
// A block of every tetrahedron of the workgroup on its way out, and the next one.
var<workgroup> outgoing: array<vec4f, 512>;

fn displacement(local: u32) -> vec3f {
    return vec3f(share[local], share[local + 256u], share[local + 512u]);
}

// Where four numbers on their way out lie, so that neither those who bring them side by side nor those who fetch them wait for one bank.
fn berth(four: u32) -> u32 {
    return four ^ ((four >> 3u) & 1u);
}

// Writes block `kind` of 128 tetrahedra side by side: each alone would touch as many lines of memory as it has vectors. While one
// leaves, the next one comes to the other half: who writes there has met all who read it.
fn store(lane: u32, cluster: u32, kind: u32, k: mat3x3f) {
    let half = 256u * (kind % 2u);
    let own = lane % 128u;
    let part = lane - own;
    outgoing[half + berth(2u * own)] = vec4f(k[0], k[1].x);
    outgoing[half + berth(2u * own + 1u)] = vec4f(k[1].yz, k[2].xy);
    workgroupBarrier();
    let block = 6u * cluster + kind;
    blocks[512u * block + 2u * part + own] = outgoing[half + berth(own)];
    blocks[512u * block + 2u * part + 128u + own] = outgoing[half + berth(128u + own)];
    ninths[256u * block + lane] = k[2].z;
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
    var da = wa;
    var db = wb;
    if GRAINS == 1u {
        da = wa * a;
        db = wb * a;
    }
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

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) place: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let index = place.x + place.y * grid.x;
    if index >= group.count * 2u {
        return;
    }
    let lane = (index % 2u) * 128u + local;
    let cluster = group.first + index / 2u;
    let piece = piece_of(cluster, lane);
    let volume = piece.volume;
    let d1 = piece.d1;
    let d2 = piece.d2;
    let d3 = piece.d3;
    let packed = piece.nodes;
    let head = clusters[cluster];
    for (var node = local; node < (head.y & 0xffffu); node += 128u) {
        let at = u[members[head.x + node].x].xyz;
        share[node] = at.x;
        share[node + 256u] = at.y;
        share[node + 512u] = at.z;
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
    // Gradients sum to zero.
    let d0 = -(d1 + d2 + d3);
    store(lane, cluster, 0u, pair(law, frame, g, elastic.a, d0, d1, stiffness, viscosity));
    store(lane, cluster, 1u, pair(law, frame, g, elastic.a, d0, d2, stiffness, viscosity));
    store(lane, cluster, 2u, pair(law, frame, g, elastic.a, d0, d3, stiffness, viscosity));
    store(lane, cluster, 3u, pair(law, frame, g, elastic.a, d1, d2, stiffness, viscosity));
    store(lane, cluster, 4u, pair(law, frame, g, elastic.a, d1, d3, stiffness, viscosity));
    store(lane, cluster, 5u, pair(law, frame, g, elastic.a, d2, d3, stiffness, viscosity));
}

// Its loads and stores alone, for measurements: how long a launch would take if nothing but memory bounded it.
@compute @workgroup_size(128)
fn traffic(
    @builtin(workgroup_id) place: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let index = place.x + place.y * grid.x;
    if index >= group.count * 2u {
        return;
    }
    let lane = (index % 2u) * 128u + local;
    let cluster = group.first + index / 2u;
    let piece = piece_of(cluster, lane);
    let head = clusters[cluster];
    var all = piece.d1 + piece.d2 + piece.d3 + vec3f(piece.volume) * f32(piece.nodes + head.z);
    if lane < (head.y & 0xffffu) {
        all += u[members[head.x + lane].x].xyz;
    }
    for (var kind = 0u; kind < 6u; kind += 1u) {
        let block = 6u * cluster + kind;
        blocks[512u * block + lane] = all.xyzx;
        blocks[512u * block + 256u + lane] = all.yzxy;
        ninths[256u * block + lane] = all.z;
    }
}
