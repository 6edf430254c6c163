// Discs on a surface, with the matter that carries them: centre, normal and half axes, one disc per invocation. Entries lie in
// slices of 32 discs. Phyxels carry to first order, x = Σ w_j (x_j + F_j (X − X_j)) (Müller et al. 2004, eq. 27); the nodes of
// an element by their weights, with the element's own gradient.

// 1 where phyxels carry; 0 where nodes do.
override PHYXELS: u32 = 0u;

struct Job {
    surfels: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Displacements of nodes, or three vectors of each phyxel as in maps.wgsl.
@group(0) @binding(1) var<storage, read> movers: array<vec4f>;
// First entry and entries of each disc.
@group(0) @binding(2) var<storage, read> rows: array<vec2u>;
// Who carries, and weight.
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
// Of nodes: how the gradient depends on them.
@group(0) @binding(4) var<storage, read> slopes: array<vec4f>;
// Three vectors each: centre at rest, from the origin beside it; half axes.
@group(0) @binding(5) var<storage, read> discs: array<vec4f>;
// Four planes: centres, normals, both half axes.
@group(0) @binding(6) var<storage, read_write> surfels: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.surfels {
        return;
    }
    let row = rows[i];
    let centre = discs[3u * i];
    let first = discs[3u * i + 1u];
    let second = discs[3u * i + 2u];
    let origin = vec3f(centre.w, first.w, second.w);
    var g = mat3x3f();
    var moved = vec3f(0.0);
    for (var k = 0u; k < row.y; k += 1u) {
        let entry = entries[row.x + 32u * k];
        let weight = bitcast<f32>(entry.y);
        if PHYXELS == 1u {
            let a = movers[3u * entry.x];
            let b = movers[3u * entry.x + 1u];
            let c = movers[3u * entry.x + 2u];
            g += mat3x3f(a.xyz, b.xyz, c.xyz) * weight;
            moved += vec3f(a.w, b.w, c.w) * weight;
        } else {
            let own = movers[entry.x].xyz;
            g += outer(own, slopes[row.x + 32u * k].xyz);
            moved += own * weight;
        }
    }
    if PHYXELS == 1u {
        moved += g * centre.xyz;
    }
    let a = first.xyz + g * first.xyz;
    let b = second.xyz + g * second.xyz;
    let across = cross(a, b);
    // Scaling first keeps the square of a small disc's area away from underflow.
    let size = max(max(abs(across.x), abs(across.y)), abs(across.z));
    var normal = vec3f(0.0);
    if size > 0.0 {
        normal = normalize(across * (1.0 / size));
    }
    surfels[i] = vec4f(centre.xyz + origin + moved, 1.0);
    surfels[job.surfels + i] = vec4f(normal, 0.0);
    surfels[2u * job.surfels + i] = vec4f(a, 0.0);
    surfels[3u * job.surfels + i] = vec4f(b, 0.0);
}
