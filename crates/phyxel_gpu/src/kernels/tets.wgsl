// Forces of linear tetrahedra. A workgroup takes a cluster of up to 256 neighbours: their nodes are read once into
// shared memory, their corner forces meet there, and each node of the cluster leaves one sum in a slot of its own.

// 1 where velocities count: Rayleigh's beta or viscosity.
override DAMPED: u32 = 0u;

struct Group {
    first: u32,
    count: u32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> laws: array<Law>;
// First node, nodes with the words of the corner lists in the upper half, law, first word of the corner lists.
@group(0) @binding(4) var<storage, read> clusters: array<vec4u>;
// Three words per node of a cluster: the node, its slot, and where its corners are (start, count).
@group(0) @binding(5) var<storage, read> members: array<u32>;
// Two corners per word, corner · 256 + tetrahedron, in slices of 32 nodes.
@group(0) @binding(6) var<storage, read> corners: array<u32>;
// Ten planes of 256 per cluster: three gradients and the volume.
@group(0) @binding(7) var<storage, read> shapes: array<f32>;
// Four nodes of the cluster, a byte each.
@group(0) @binding(8) var<storage, read> tet_nodes: array<u32>;
@group(0) @binding(9) var<storage, read_write> slots: array<vec4f>;

// Nodes first, corner forces afterwards.
var<workgroup> share: array<f32, 3072>;

// Corner lists as far as there is room, fetched while the elements are: the sums at the end do not wait for them.
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
    let node_count = head.y & 0xffffu;
    let words = head.y >> 16u;
    let member = 3u * (head.x + lane);
    for (var k = lane; k < min(words, LISTED); k += 256u) {
        listed[k] = corners[head.w + k];
    }
    var run = 0u;
    var slot = 0u;
    if lane < node_count {
        slot = members[member + 1u];
        run = members[member + 2u];
        let node = members[member];
        share_vector(lane, u[node].xyz);
        if DAMPED == 1u {
            share_vector(768u + lane, v[node].xyz);
        }
    }
    let shape = cluster * 2560u + lane;
    let d1 = vec3f(shapes[shape], shapes[shape + 256u], shapes[shape + 512u]);
    let d2 = vec3f(shapes[shape + 768u], shapes[shape + 1024u], shapes[shape + 1280u]);
    let d3 = vec3f(shapes[shape + 1536u], shapes[shape + 1792u], shapes[shape + 2048u]);
    let volume = shapes[shape + 2304u];
    let packed = tet_nodes[cluster * 256u + lane];
    let nodes = vec4u(packed & 255u, (packed >> 8u) & 255u, (packed >> 16u) & 255u, packed >> 24u);
    workgroupBarrier();
    let g = gradient_of(0u, nodes, d1, d2, d3);
    var p = law_stress(head.z, g);
    if DAMPED == 1u {
        let rate = gradient_of(768u, nodes, d1, d2, d3);
        let beta = laws[head.z].rayleigh_stiffness;
        if beta > 0.0 {
            p += tangent_apply(head.z, tangent_frame(head.z, g), rate) * beta;
        }
        p += viscous_stress(head.z, g, rate);
    }
    let s = p * -volume;
    let f1 = s * d1;
    let f2 = s * d2;
    let f3 = s * d3;
    workgroupBarrier();
    let f0 = -(f1 + f2 + f3);
    // Component by component, corner by corner: c · 1024 + corner · 256 + lane.
    share[lane] = f0.x;
    share[lane + 256u] = f1.x;
    share[lane + 512u] = f2.x;
    share[lane + 768u] = f3.x;
    share[lane + 1024u] = f0.y;
    share[lane + 1280u] = f1.y;
    share[lane + 1536u] = f2.y;
    share[lane + 1792u] = f3.y;
    share[lane + 2048u] = f0.z;
    share[lane + 2304u] = f1.z;
    share[lane + 2560u] = f2.z;
    share[lane + 2816u] = f3.z;
    workgroupBarrier();
    if lane < node_count {
        let start = run & 0xffffu;
        let count = run >> 16u;
        let shift = 16u * (start & 1u);
        var at = start >> 1u;
        var sum = vec3f(0.0);
        for (var k = 0u; k < count; k += 1u) {
            var word = 0u;
            if words <= LISTED {
                word = listed[at];
            } else {
                word = corners[head.w + at];
            }
            let corner = (word >> shift) & 0xffffu;
            at += 16u;
            sum += vec3f(share[corner], share[corner + 1024u], share[corner + 2048u]);
        }
        slots[slot] = vec4f(sum, 0.0);
    }
}
