// Flow of elements of any number of nodes, one per invocation.

override BASED: u32 = 0u;
override UPDATED: u32 = 0u;

struct Group {
    first: u32,
    count: u32,
    // The grain of the first element of its kind.
    grain: u32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> laws: array<Law>;
@group(0) @binding(3) var<storage, read> elements: array<vec4u>;
@group(0) @binding(4) var<storage, read> entries: array<vec4u>;
@group(0) @binding(5) var<storage, read> bases: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> grains: array<vec4f>;

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
    if BASED == 1u {
        let base = mat3x3f(bases[3u * e].xyz, bases[3u * e + 1u].xyz, bases[3u * e + 2u].xyz);
        if UPDATED == 1u {
            g = g * pushed(base);
        }
        g += base;
    }
    let at = 3u * (group.grain + e);
    let grain = settled(head.z, g, unpacked_grain(grains[at], grains[at + 1u], grains[at + 2u]));
    grains[at] = vec4f(grain.offset[0], grain.strain);
    grains[at + 1u] = vec4f(grain.offset[1], 0.0);
    grains[at + 2u] = vec4f(grain.offset[2], 0.0);
}
