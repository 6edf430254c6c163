// Where phyxels are now, and the elastic part of their deformation there: twin of `note_deformation` in stencil/general.rs. Nothing is
// changed yet but what the search for neighbours sees.

override GRAINS: u32 = 0u;

struct Job {
    // The first node, element and grain of the body.
    first: u32,
    element: u32,
    grain: u32,
    phyxels: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> rest: array<vec4f>;
@group(0) @binding(3) var<storage, read> elements: array<vec4u>;
@group(0) @binding(4) var<storage, read> entries: array<vec4u>;
@group(0) @binding(5) var<storage, read> bases: array<vec4f>;
@group(0) @binding(6) var<storage, read> grains: array<vec4f>;
// Position and support.
@group(0) @binding(7) var<storage, read_write> points: array<vec4f>;
// Columns of the elastic gradient; beside the first the volume.
@group(0) @binding(8) var<storage, read_write> elastic: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.phyxels {
        return;
    }
    let e = job.element + i;
    let n = job.first + i;
    let head = elements[e];
    let base = mat3x3f(bases[3u * e].xyz, bases[3u * e + 1u].xyz, bases[3u * e + 2u].xyz);
    var f = identity() + (stencil_gradient(head) * pushed(base) + base);
    if GRAINS == 1u {
        let at = 3u * (job.grain + e);
        f += f * mat3x3f(grains[at].xyz, grains[at + 1u].xyz, grains[at + 2u].xyz);
    }
    points[i] = vec4f(rest[n].xyz + u[n].xyz, points[i].w);
    elastic[3u * i] = vec4f(f[0], elastic[3u * i].w);
    elastic[3u * i + 1u] = vec4f(f[1], 0.0);
    elastic[3u * i + 2u] = vec4f(f[2], 0.0);
}
