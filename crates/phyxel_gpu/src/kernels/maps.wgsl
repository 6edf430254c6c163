// What phyxels do to the space around them, u(X) = G X + b, one per invocation; for surfels that they carry.

struct Job {
    phyxels: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> elements: array<vec4u>;
@group(0) @binding(3) var<storage, read> entries: array<vec4u>;
// Where each is at rest, from the origin of the surfels, and its element.
@group(0) @binding(4) var<storage, read> phyxels: array<vec4u>;
// Three vectors each: the columns of G, and a part of b beside each.
@group(0) @binding(5) var<storage, read_write> maps: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.phyxels {
        return;
    }
    let phyxel = phyxels[i];
    let head = elements[phyxel.w];
    let g = stencil_gradient(head);
    let shift = u[entries[head.x].w].xyz - g * bitcast<vec3f>(phyxel.xyz);
    maps[3u * i] = vec4f(g[0], shift.x);
    maps[3u * i + 1u] = vec4f(g[1], shift.y);
    maps[3u * i + 2u] = vec4f(g[2], shift.z);
}
