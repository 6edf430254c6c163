// Surface points as fixed combinations of nodes: one sparse product. Entries lie in slices of 32 points.

struct Job {
    points: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
// First entry and entries of each point.
@group(0) @binding(2) var<storage, read> rows: array<vec2u>;
// Node, and weight.
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
// Points at rest.
@group(0) @binding(4) var<storage, read> rest: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> points: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.points {
        return;
    }
    let row = rows[i];
    var sum = vec3f(0.0);
    for (var k = 0u; k < row.y; k += 1u) {
        let entry = entries[row.x + 32u * k];
        sum += u[entry.x].xyz * bitcast<f32>(entry.y);
    }
    points[i] = vec4f(rest[i].xyz + sum, 1.0);
}
