// Principal stresses of elements of any number of nodes, one per invocation.

// The place of the first of them.
override FIRST: u32 = 0u;
override UPDATED: u32 = 0u;

struct Group {
    first: u32,
    count: u32,
    grain: u32,
}

@group(0) @binding(0) var<uniform> group: Group;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> laws: array<Law>;
@group(0) @binding(6) var<storage, read> elements: array<vec4u>;
@group(0) @binding(7) var<storage, read> entries: array<vec4u>;
@group(0) @binding(8) var<storage, read> bases: array<vec4f>;

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
    if UPDATED == 1u {
        let base = mat3x3f(bases[3u * e].xyz, bases[3u * e + 1u].xyz, bases[3u * e + 2u].xyz);
        g = g * pushed(base) + base;
    }
    note_stress(FIRST + e, head.z, g);
}
