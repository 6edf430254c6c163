// Flow of tetrahedra, one cluster per workgroup.

struct Group {
    first: u32,
    count: u32,
    // The grain of the first element of its kind.
    grain: u32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> laws: array<Law>;
@group(0) @binding(3) var<storage, read> clusters: array<vec4u>;
@group(0) @binding(4) var<storage, read> members: array<vec4u>;
@group(0) @binding(5) var<storage, read> shapes: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> grains: array<vec4f>;

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
    let piece = piece_of(cluster, lane);
    if piece.volume == 0.0 {
        return;
    }
    let g = tet_gradient(head, piece);
    let at = 3u * (group.grain + cluster * 256u + lane);
    let grain = settled(head.z, g, unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]));
    grains[at] = vec4f(grain.offset[0], grain.strain);
    grains[at + 1u] = vec4f(grain.offset[1], 0.0);
    grains[at + 2u] = vec4f(grain.offset[2], 0.0);
}
