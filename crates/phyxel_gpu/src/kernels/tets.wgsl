// Forces of linear tetrahedra. A workgroup takes a cluster of up to 256 neighbours: their nodes are read once into
// shared memory, their corner forces meet there, and each node of the cluster leaves one sum in a slot of its own.
// Measured on an H200 and left: a lane per component of a sum (a quarter slower), several clusters per workgroup with the next
// one fetched ahead (a third slower), 128 or 64 lanes (an eighth and a half slower), vectors in shared memory (a fifth slower).

struct Group {
    first: u32,
    count: u32,
    // The grain of the first element of its kind.
    grain: u32,
    // Room for the nodes of a cluster.
    stride: u32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> laws: array<Law>;
// First node, nodes with the words of the corner lists in the upper half, law, first word of the corner lists.
@group(0) @binding(4) var<storage, read> clusters: array<vec4u>;
// Of each node of a cluster: which it is, its slot, and where its corners are (start, count).
@group(0) @binding(5) var<storage, read> members: array<vec4u>;
// Two corners per word, corner · 256 + tetrahedron, in slices of 32 nodes.
@group(0) @binding(6) var<storage, read> corners: array<u32>;
// Three planes of 256 vectors per cluster: three gradients, the volume, and the nodes.
@group(0) @binding(7) var<storage, read> shapes: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> slots: array<vec4f>;
// Three vectors per element.
@group(0) @binding(9) var<storage, read> grains: array<vec4f>;

// Nodes first, corner forces afterwards.
var<workgroup> share: array<f32, 3072>;

// Corner lists as far as there is room.
const LISTED = 768u;
var<workgroup> listed: array<u32, 768>;

fn shared_vector(base: u32) -> vec3f {
    return vec3f(share[base], share[base + 256u], share[base + 512u]);
}

fn share_vector(base: u32, x: vec3f) {
    share[base] = x.x;
    share[base + 256u] = x.y;
    share[base + 512u] = x.z;
}

fn gradient_of(base: u32, nodes: vec4u, d1: vec3f, d2: vec3f, d3: vec3f) -> mat3x3f {
    let a = shared_vector(base + nodes.x);
    return outer(shared_vector(base + nodes.y) - a, d1)
        + outer(shared_vector(base + nodes.z) - a, d2)
        + outer(shared_vector(base + nodes.w) - a, d3);
}

// What a lane reads of a node and of the corner lists.
struct Member {
    node: u32,
    slot: u32,
    run: u32,
    words: vec3u,
}

const NOBODY = 0xffffffffu;

// Does not need the cluster's head, so nobody waits for that before nodes are read.
fn member_of(cluster: u32, lane: u32) -> Member {
    var member: Member;
    member.node = NOBODY;
    if lane < group.stride {
        let own = members[group.stride * cluster + lane];
        member.node = own.x;
        member.slot = own.y;
        member.run = own.z;
    }
    return member;
}

fn with_words(before: Member, head: vec4u, lane: u32) -> Member {
    var member = before;
    let words = head.y >> 16u;
    if lane < words {
        member.words.x = corners[head.w + lane];
    }
    if lane + 256u < words {
        member.words.y = corners[head.w + lane + 256u];
    }
    if lane + 512u < words {
        member.words.z = corners[head.w + lane + 512u];
    }
    return member;
}

fn corner_at(head: vec4u, at: u32, shift: u32) -> u32 {
    var word = 0u;
    if (head.y >> 16u) <= LISTED {
        word = listed[at];
    } else {
        word = corners[head.w + at];
    }
    return (word >> shift) & 0xffffu;
}

fn shared_force(corner: u32) -> vec3f {
    return vec3f(share[corner], share[corner + 1024u], share[corner + 2048u]);
}

// The sum at a node; `run` says where its corners are.
fn vector_at(head: vec4u, run: u32) -> vec3f {
    let start = run & 0xffffu;
    let count = run >> 16u;
    let shift = 16u * (start & 1u);
    var at = start >> 1u;
    var sum = vec3f(0.0);
    // Four at a time: the counter of the loop costs as much as one, and none waits for another.
    for (var k = 0u; k < count; k += 4u) {
        let a = shared_force(corner_at(head, at, shift));
        let b = shared_force(corner_at(head, at + 16u, shift));
        let c = shared_force(corner_at(head, at + 32u, shift));
        let d = shared_force(corner_at(head, at + 48u, shift));
        at += 64u;
        sum += a;
        sum += select(vec3f(0.0), b, k + 1u < count);
        sum += select(vec3f(0.0), c, k + 2u < count);
        sum += select(vec3f(0.0), d, k + 3u < count);
    }
    return sum;
}

fn forces_of(law: u32, piece: Piece, place: u32) -> mat3x3f {
    let packed = piece.nodes;
    let nodes = vec4u(packed & 255u, (packed >> 8u) & 255u, (packed >> 16u) & 255u, packed >> 24u);
    let g = gradient_of(0u, nodes, piece.d1, piece.d2, piece.d3);
    var rate: mat3x3f;
    if DAMPED == 1u {
        rate = gradient_of(768u, nodes, piece.d1, piece.d2, piece.d3);
    }
    var grain: Grain;
    if GRAINS == 1u {
        let at = 3u * (group.grain + place);
        grain = unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]);
    }
    let s = element_stress(law, g, rate, grain) * -piece.volume;
    return mat3x3f(s * piece.d1, s * piece.d2, s * piece.d3);
}

// Component by component, corner by corner: c · 1024 + corner · 256 + lane.
fn share_forces(lane: u32, f: mat3x3f) {
    let f0 = -(f[0] + f[1] + f[2]);
    share[lane] = f0.x;
    share[lane + 256u] = f[0].x;
    share[lane + 512u] = f[1].x;
    share[lane + 768u] = f[2].x;
    share[lane + 1024u] = f0.y;
    share[lane + 1280u] = f[0].y;
    share[lane + 1536u] = f[1].y;
    share[lane + 1792u] = f[2].y;
    share[lane + 2048u] = f0.z;
    share[lane + 2304u] = f[0].z;
    share[lane + 2560u] = f[1].z;
    share[lane + 2816u] = f[2].z;
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
    // What does not depend on the cluster's head is asked for first: nobody waits for it then.
    let cluster = group.first + index;
    let early = member_of(cluster, lane);
    let piece = piece_of(cluster, lane);
    let head = clusters[cluster];
    let member = with_words(early, head, lane);
    if member.node != NOBODY {
        share_vector(lane, u[member.node].xyz);
        if DAMPED == 1u {
            share_vector(768u + lane, v[member.node].xyz);
        }
    }
    workgroupBarrier();
    let f = forces_of(head.z, piece, cluster * 256u + lane);
    workgroupBarrier();
    share_forces(lane, f);
    listed[lane] = member.words.x;
    listed[lane + 256u] = member.words.y;
    listed[lane + 512u] = member.words.z;
    workgroupBarrier();
    if member.node != NOBODY {
        slots[member.slot] = vec4f(vector_at(head, member.run), 0.0);
    }
}

// Its loads and stores alone, for measurements: how long a launch would take if nothing but memory bounded it.
@compute @workgroup_size(256)
fn traffic(
    @builtin(workgroup_id) place: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = place.x + place.y * grid.x;
    if index >= group.count {
        return;
    }
    let cluster = group.first + index;
    let early = member_of(cluster, lane);
    let piece = piece_of(cluster, lane);
    let head = clusters[cluster];
    let member = with_words(early, head, lane);
    let words = piece.nodes + member.words.x + member.words.y + member.words.z + member.run + head.z;
    let all = piece.d1 + piece.d2 + piece.d3 + vec3f(piece.volume) * f32(words);
    if member.node != NOBODY {
        slots[member.slot] = vec4f(all + u[member.node].xyz, 0.0);
    } else if all.x == 1e30 {
        // Never, but nobody knows: what is not used would not be read.
        slots[0] = vec4f(all, 0.0);
    }
}
