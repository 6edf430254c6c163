// The stiffness of each tetrahedron as six 3x3 blocks, K_ab where a is the node that comes first, column by column; 256 of a kind side by
// side, eight numbers of each, which is what memory hands out at once, and the ninth of all elsewhere. Rows sum to zero, so diagonals are
// made of the rest.
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

// The nodes themselves.
var<workgroup> names: array<u32, 256>;

fn displacement(local: u32) -> vec3f {
    return vec3f(share[local], share[local + 256u], share[local + 512u]);
}

// Writes block `kind` of a tetrahedron, K_ab or, where b comes first, K_ba.
fn store(lane: u32, cluster: u32, kind: u32, a: u32, b: u32, ab: mat3x3f) {
    let ba = transpose(ab);
    let turns = a > b;
    let k = mat3x3f(select(ab[0], ba[0], turns), select(ab[1], ba[1], turns), select(ab[2], ba[2], turns));
    let odd = (lane & 1u) == 1u;
    let own = trade(vec4f(k[0], k[1].x), vec4f(k[1].yz, k[2].xy), odd);
    let block = 6u * cluster + kind;
    let at = 512u * block + 2u * lane - select(0u, 1u, PAIRED && odd);
    blocks[at] = own[0];
    blocks[at + select(1u, 2u, PAIRED)] = own[1];
    ninths[256u * block + lane] = k[2].z;
}

fn scaled(spectrum: Spectrum, by: f32) -> Spectrum {
    return Spectrum(spectrum.block * by, spectrum.twist * by, spectrum.flip * by);
}

fn unit(k: u32) -> vec3f {
    return vec3f(select(0.0, 1.0, k == 0u), select(0.0, 1.0, k == 1u), select(0.0, 1.0, k == 2u));
}

// A corner of a tetrahedron.
struct Corner {
    gradient: vec3f,
    // What the law makes blocks of: the gradient of matter that has not flowed; turned by R where strains are Hooke's, by Vᵀ where
    // singular values decide.
    seen: vec3f,
}

fn corner(turn: mat3x3f, gradient: vec3f) -> Corner {
    var own = Corner(gradient, gradient);
    if is_spectral() || GRAINS == 1u {
        own.seen = turn * gradient;
    }
    return own;
}

// Corotated matter alone.
fn is_hookean() -> bool {
    return LAW == COROTATED && VOLUME == 0u;
}

fn is_spectral() -> bool {
    return LAW == STVK || LAW == COROTATED || LAW == NEO_HOOKEAN || LAW == HENCKY;
}

// [r]ₓ T
fn crossed(r: vec3f, t: mat3x3f) -> mat3x3f {
    return mat3x3f(cross(r, t[0]), cross(r, t[1]), cross(r, t[2]));
}

// With F = R S, r = R d and the axes u_m of R S Rᵀ, the block of corotated matter is λ r_a r_bᵀ + 2μ (r_a · r_b) I + [r_a]ₓ T [r_b]ₓ,
// where T = Σ ½ (flip_m − twist_m) u_m u_mᵀ; `arm` is [r_a]ₓ T. A third of the work of `pair_in_frame`.
fn hookean_pair(spectrum: Spectrum, arm: mat3x3f, a: vec3f, b: vec3f) -> mat3x3f {
    let along = b * spectrum.block[0].y;
    let alike = dot(a, b) * spectrum.flip.x;
    return mat3x3f(
        a * along.x + (arm[1] * b.z - arm[2] * b.y) + vec3f(alike, 0.0, 0.0),
        a * along.y + (arm[2] * b.x - arm[0] * b.z) + vec3f(0.0, alike, 0.0),
        a * along.z + (arm[0] * b.y - arm[1] * b.x) + vec3f(0.0, 0.0, alike),
    );
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

// K_ab of a tetrahedron: column i is what happens to corner a when corner b moves along axis i. A spectrum has the stiffness in it.
fn pair(law: u32, frame: Frame, g: mat3x3f, arm: mat3x3f, a: Corner, b: Corner, stiffness: f32, viscosity: f32) -> mat3x3f {
    var k: mat3x3f;
    if is_hookean() {
        k = hookean_pair(frame.spectrum, arm, a.seen, b.seen);
    } else if is_spectral() {
        k = frame.u * pair_in_frame(frame.spectrum, a.seen, b.seen) * transpose(frame.u);
    } else {
        k = mat3x3f(
            tangent_apply(law, frame, outer(unit(0u), b.seen)) * a.seen,
            tangent_apply(law, frame, outer(unit(1u), b.seen)) * a.seen,
            tangent_apply(law, frame, outer(unit(2u), b.seen)) * a.seen,
        ) * stiffness;
    }
    if VISCOUS == 1u {
        k += mat3x3f(
            viscous_stress(law, g, outer(unit(0u), b.gradient)) * a.gradient,
            viscous_stress(law, g, outer(unit(1u), b.gradient)) * a.gradient,
            viscous_stress(law, g, outer(unit(2u), b.gradient)) * a.gradient,
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
        let name = members[head.x + node].x;
        let at = u[name].xyz;
        names[node] = name;
        share[node] = at.x;
        share[node + 256u] = at.y;
        share[node + 512u] = at.z;
    }
    workgroupBarrier();
    let origin = displacement(packed & 255u);
    let g = outer(displacement((packed >> 8u) & 255u) - origin, d1)
        + outer(displacement((packed >> 16u) & 255u) - origin, d2)
        + outer(displacement(packed >> 24u) - origin, d3);
    let law = head.z;
    var elastic = Elastic(g, identity());
    if GRAINS == 1u {
        let at = 3u * (group.grain + cluster * 256u + lane);
        let grain = unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]);
        hardened = grain.strain;
        elastic = elastic_part(g, grain.offset);
    }
    var frame = tangent_frame(law, elastic.g);
    let stiffness = volume * (mix_of.square + mix_of.gamma * laws[law].rayleigh_stiffness);
    let viscosity = volume * mix_of.gamma;
    // What gradients are turned by, and T of corotated matter.
    var turn = identity();
    var axes = mat3x3f();
    if is_spectral() {
        frame.spectrum = scaled(frame.spectrum, stiffness);
        turn = transpose(frame.v);
    }
    if is_hookean() {
        turn = frame.u * turn;
        let t = 0.5 * (frame.spectrum.flip - frame.spectrum.twist);
        let u = frame.u;
        axes = outer(u[0] * t.x, u[0]) + outer(u[1] * t.y, u[1]) + outer(u[2] * t.z, u[2]);
    }
    // Matter that has flowed is the same with the weights Aᵀ d.
    if GRAINS == 1u {
        turn = turn * transpose(elastic.a);
    }
    let b = corner(turn, d1);
    let c = corner(turn, d2);
    let d = corner(turn, d3);
    // Gradients sum to zero.
    let a = Corner(-(d1 + d2 + d3), -(b.seen + c.seen + d.seen));
    let of_a = crossed(a.seen, axes);
    let of_b = crossed(b.seen, axes);
    let of_c = crossed(c.seen, axes);
    let na = names[packed & 255u];
    let nb = names[(packed >> 8u) & 255u];
    let nc = names[(packed >> 16u) & 255u];
    let nd = names[packed >> 24u];
    store(lane, cluster, 0u, na, nb, pair(law, frame, g, of_a, a, b, stiffness, viscosity));
    store(lane, cluster, 1u, na, nc, pair(law, frame, g, of_a, a, c, stiffness, viscosity));
    store(lane, cluster, 2u, na, nd, pair(law, frame, g, of_a, a, d, stiffness, viscosity));
    store(lane, cluster, 3u, nb, nc, pair(law, frame, g, of_b, b, c, stiffness, viscosity));
    store(lane, cluster, 4u, nb, nd, pair(law, frame, g, of_b, b, d, stiffness, viscosity));
    store(lane, cluster, 5u, nc, nd, pair(law, frame, g, of_c, c, d, stiffness, viscosity));
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
