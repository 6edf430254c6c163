// The same stencils node by node: who has each node among its neighbours, counted, filled in as it comes, and sorted.

struct Job {
    first: u32,
    element: u32,
    phyxels: u32,
    springs: u32,
    around: u32,
    // The most entries that rows were given room for.
    capacity: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> nodes: array<u32>;
@group(0) @binding(3) var<storage, read_write> tallies: array<atomic<u32>>;
// The largest of them is the sixth.
@group(0) @binding(4) var<storage, read_write> scalars: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> elements: array<vec4u>;
@group(0) @binding(6) var<storage, read> entries: array<vec4u>;
@group(0) @binding(7) var<storage, read_write> index: array<u32>;
@group(0) @binding(8) var<storage, read_write> around: array<vec4u>;

fn phyxel(place: vec3u, grid: vec3u, lane: u32) -> u32 {
    return (place.x + place.y * grid.x) * 64u + lane;
}

@compute @workgroup_size(64)
fn clear(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = phyxel(place, grid, lane);
    if i < job.phyxels {
        atomicStore(&tallies[i], 0u);
    }
}

@compute @workgroup_size(64)
fn tally(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = phyxel(place, grid, lane);
    if i >= job.phyxels || offsets[i + 1u] > job.capacity {
        return;
    }
    for (var k = offsets[i]; k < offsets[i + 1u]; k += 1u) {
        atomicAdd(&tallies[nodes[k]], 1u);
    }
}

@compute @workgroup_size(64)
fn widest(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = phyxel(place, grid, lane);
    if i < job.phyxels {
        let found = atomicLoad(&tallies[i]);
        if found > atomicLoad(&scalars[5]) {
            atomicMax(&scalars[5], found);
        }
    }
}

// From here on, everything is known to fit.
@compute @workgroup_size(64)
fn lengths(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = phyxel(place, grid, lane);
    if i < job.phyxels {
        index[job.around + 2u * (job.first + i) + 1u] = atomicLoad(&tallies[i]);
    }
}

@compute @workgroup_size(64)
fn fill(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = phyxel(place, grid, lane);
    if i >= job.phyxels {
        return;
    }
    let e = job.element + i;
    let head = elements[e].x;
    let first = offsets[i];
    for (var k = first; k < offsets[i + 1u]; k += 1u) {
        let slot = atomicSub(&tallies[nodes[k]], 1u) - 1u;
        let row = index[job.around + 2u * (job.first + nodes[k])];
        around[row + 32u * slot] = vec4u(entries[head + 32u * (k - first)].xyz, e);
    }
}

// Each row by its elements, whoever came first.
@compute @workgroup_size(64)
fn sort(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = phyxel(place, grid, lane);
    if i >= job.phyxels {
        return;
    }
    let row = index[job.around + 2u * (job.first + i)];
    let count = index[job.around + 2u * (job.first + i) + 1u];
    for (var k = 1u; k < count; k += 1u) {
        let entry = around[row + 32u * k];
        var at = k;
        while at > 0u && around[row + 32u * (at - 1u)].w > entry.w {
            around[row + 32u * at] = around[row + 32u * (at - 1u)];
            at -= 1u;
        }
        around[row + 32u * at] = entry;
    }
}
