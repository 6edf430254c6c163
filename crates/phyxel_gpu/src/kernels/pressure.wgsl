// Pressure follows the surface: the load of each node under pressure, from its faces as they are now.

struct Count {
    nodes: u32,
}

@group(0) @binding(0) var<uniform> count: Count;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> rest: array<vec4f>;
// Node, first face, faces.
@group(0) @binding(3) var<storage, read> pressed: array<vec4u>;
// Three nodes and the pressure.
@group(0) @binding(4) var<storage, read> faces: array<vec4u>;
@group(0) @binding(5) var<storage, read> dead: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> loads: array<vec4f>;

fn at(n: u32) -> vec3f {
    return rest[n].xyz + u[n].xyz;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= count.nodes {
        return;
    }
    let node = pressed[i];
    var sum = dead[i].xyz;
    for (var k = node.y; k < node.y + node.z; k += 1u) {
        let face = faces[k];
        let a = at(face.x);
        sum += cross(at(face.y) - a, at(face.z) - a) * (bitcast<f32>(face.w) * (-1.0 / 6.0));
    }
    loads[node.x] = vec4f(sum, loads[node.x].w);
}
