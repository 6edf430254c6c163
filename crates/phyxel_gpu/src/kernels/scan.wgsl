// Sums of all that comes before, of as many numbers as there are: 1024 per workgroup, then of these sums, then together.

struct Job {
    count: u32,
    // Workgroups of 1024.
    blocks: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> numbers: array<u32>;
// One more than there are numbers: the last is the sum of all.
@group(0) @binding(2) var<storage, read_write> before: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;
@group(0) @binding(4) var<storage, read_write> total: array<u32>;

var<workgroup> share: array<u32, 256>;

// What comes before a lane's own number within its workgroup, and the sum of all (Hillis and Steele 1986).
fn before_lane(lane: u32, own: u32) -> vec2u {
    share[lane] = own;
    workgroupBarrier();
    var width = 1u;
    for (var round = 0u; round < 8u; round += 1u) {
        var sum = share[lane];
        if lane >= width {
            sum += share[lane - width];
        }
        workgroupBarrier();
        share[lane] = sum;
        workgroupBarrier();
        width *= 2u;
    }
    let result = vec2u(share[lane] - own, share[255]);
    workgroupBarrier();
    return result;
}

fn number(i: u32) -> u32 {
    if i < job.count {
        return numbers[i];
    }
    return 0u;
}

@compute @workgroup_size(256)
fn blocks(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let block = place.x + place.y * grid.x;
    let first = block * 1024u + 4u * lane;
    let a = number(first);
    let b = number(first + 1u);
    let c = number(first + 2u);
    let d = number(first + 3u);
    let found = before_lane(lane, a + b + c + d);
    if first < job.count {
        before[first] = found.x;
    }
    if first + 1u < job.count {
        before[first + 1u] = found.x + a;
    }
    if first + 2u < job.count {
        before[first + 2u] = found.x + a + b;
    }
    if first + 3u < job.count {
        before[first + 3u] = found.x + a + b + c;
    }
    if lane == 0u && block < job.blocks {
        sums[block] = found.y;
    }
}

// One workgroup.
@compute @workgroup_size(256)
fn all_blocks(@builtin(local_invocation_index) lane: u32) {
    var carried = 0u;
    for (var first = 0u; first < job.blocks; first += 256u) {
        let i = first + lane;
        var own = 0u;
        if i < job.blocks {
            own = sums[i];
        }
        let found = before_lane(lane, own);
        if i < job.blocks {
            sums[i] = carried + found.x;
        }
        carried += found.y;
    }
    if lane == 0u {
        before[job.count] = carried;
        total[0] = carried;
    }
}

@compute @workgroup_size(256)
fn together(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 256u + lane;
    if i < job.count {
        before[i] = before[i] + sums[i / 1024u];
    }
}
