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
// Three planes: centres at rest, from the origin beside them, and both half axes.
@group(0) @binding(5) var<storage, read> discs: array<vec4f>;
// Four planes: centres, normals, both half axes.
@group(0) @binding(6) var<storage, read_write> surfels: array<vec4f>;

// What one of those that carry a disc gives to it.
struct Share {
    g: mat3x3f,
    moved: vec3f,
}

fn carried(at: u32, counts: f32) -> Share {
    let entry = entries[at];
    let weight = bitcast<f32>(entry.y) * counts;
    if PHYXELS == 1u {
        let a = movers[3u * entry.x];
        let b = movers[3u * entry.x + 1u];
        let c = movers[3u * entry.x + 2u];
        return Share(mat3x3f(a.xyz, b.xyz, c.xyz) * weight, vec3f(a.w, b.w, c.w) * weight);
    }
    let slope = slopes[at].xyz * counts;
    let own = movers[entry.x].xyz;
    return Share(outer(own, slope), own * weight);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.surfels {
        return;
    }
    let row = rows[i];
    let centre = discs[i];
    let first = discs[job.surfels + i];
    let second = discs[2u * job.surfels + i];
    let origin = vec3f(centre.w, first.w, second.w);
    var g = mat3x3f();
    var moved = vec3f(0.0);
    // Four at a time: none waits for another.
    for (var k = 0u; k < row.y; k += 4u) {
        let last = row.y - 1u;
        let a = carried(row.x + 32u * k, 1.0);
        let b = carried(row.x + 32u * min(k + 1u, last), select(0.0, 1.0, k + 1u < row.y));
        let c = carried(row.x + 32u * min(k + 2u, last), select(0.0, 1.0, k + 2u < row.y));
        let d = carried(row.x + 32u * min(k + 3u, last), select(0.0, 1.0, k + 3u < row.y));
        g += (a.g + b.g) + (c.g + d.g);
        moved += (a.moved + b.moved) + (c.moved + d.moved);
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
