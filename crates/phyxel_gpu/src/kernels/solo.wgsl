// Conjugate gradients of a small system in one workgroup: as many iterations as it takes in one launch, because what a launch costs
// is more than what a small product does.

override LANES: u32 = 256u;
// 1 where nodes may slide on something.
override DRAGS: u32 = 0u;

struct Job {
    nodes: u32,
    // The most iterations.
    most: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// The direction p.
@group(0) @binding(1) var<storage, read_write> field: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> x: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> r: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> z: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> q: array<vec4f>;
@group(0) @binding(6) var<storage, read> masses: array<f32>;
@group(0) @binding(7) var<storage, read> rows: array<vec2u>;
@group(0) @binding(8) var<storage, read> columns: array<u32>;
@group(0) @binding(9) var<storage, read> values: array<f32>;
@group(0) @binding(10) var<storage, read> held_of: array<u32>;
@group(0) @binding(11) var<storage, read> held: array<vec4f>;
@group(0) @binding(12) var<storage, read> inverses: array<vec4f>;
@group(0) @binding(13) var<storage, read_write> scalars: Scalars;

var<workgroup> sums: array<vec2f, 1024>;

// The sum over all lanes, a power of two.
fn reduced(lane: u32, own: vec2f) -> vec2f {
    workgroupBarrier();
    sums[lane] = own;
    workgroupBarrier();
    for (var width = LANES / 2u; width > 0u; width /= 2u) {
        if lane < width {
            sums[lane] += sums[lane + width];
        }
        workgroupBarrier();
    }
    return sums[0];
}

fn times_matrix(lane: u32) -> f32 {
    var sum = 0.0;
    for (var n = lane; n < job.nodes; n += LANES) {
        let own = field[n].xyz;
        var result = own * masses[n] + row_product(n, own);
        if DRAGS == 1u {
            result += drag(n, own);
        }
        q[n] = vec4f(result, 0.0);
        sum += dot(own, result);
    }
    return reduced(lane, vec2f(sum, 0.0)).x;
}

fn update(lane: u32, alpha: f32) -> vec2f {
    var sum = vec2f(0.0);
    for (var n = lane; n < job.nodes; n += LANES) {
        let inverse = inverse_at(n);
        let residual = free_of(slot_of(inverse), r[n].xyz - q[n].xyz * alpha);
        let next = times_inverse(inverse, residual);
        r[n] = vec4f(residual, r[n].w);
        z[n] = vec4f(next, z[n].w);
        sum += vec2f(dot(residual, next), dot(residual, residual));
    }
    return reduced(lane, sum);
}

// What is added to x is kept in fourth places, as in `cg.wgsl`, until it goes there.
fn direct(lane: u32, alpha: f32, beta: f32) {
    for (var n = lane; n < job.nodes; n += LANES) {
        let before = field[n];
        let next = z[n];
        let residual = r[n];
        let added = vec3f(before.w, next.w, residual.w) + before.xyz * alpha;
        field[n] = vec4f(next.xyz + before.xyz * beta, added.x);
        z[n] = vec4f(next.xyz, added.y);
        r[n] = vec4f(residual.xyz, added.z);
    }
}

fn gather(lane: u32) {
    for (var n = lane; n < job.nodes; n += LANES) {
        let direction = field[n];
        let next = z[n];
        let residual = r[n];
        x[n] = vec4f(x[n].xyz + vec3f(direction.w, next.w, residual.w), 0.0);
        field[n] = vec4f(direction.xyz, 0.0);
        z[n] = vec4f(next.xyz, 0.0);
        r[n] = vec4f(residual.xyz, 0.0);
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    var rz = scalars.rz[0];
    var done = scalars.done;
    let goal = 0.81 * scalars.goal_squared;
    var count = 0u;
    // Everybody has read them before the first lane writes them.
    workgroupBarrier();
    while count < job.most && done == 0u {
        let curvature = times_matrix(lane);
        if !(curvature > 0.0) || !finite(curvature) {
            done = 2u;
            break;
        }
        let alpha = rz / curvature;
        let next = update(lane, alpha);
        direct(lane, alpha, next.x / rz);
        rz = next.x;
        count += 1u;
        // The true residual is checked afterwards: stop a little below the goal.
        if next.y <= goal {
            done = 1u;
        }
        storageBarrier();
        workgroupBarrier();
    }
    gather(lane);
    if lane == 0u {
        scalars.rz[0] = rz;
        scalars.done = done;
        scalars.iterations += count;
    }
}
