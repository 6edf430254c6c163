// Stencils of phyxels from their present places: twin of stencil/updated.rs and stencil/mls/row.rs. A grid of cells that are as wide as
// anybody looks, in buckets by a hash, so that it needs no bounds; rows in ascending order, whatever order the grid is filled in.

struct Job {
    phyxels: u32,
    // A power of two.
    buckets: u32,
    // 0: poly6, 1: cosine.
    kernel: u32,
    // 1 where pairs see as far as both do on average.
    mutual: u32,
    stabilisation: f32,
    // The largest support.
    largest: f32,
    // The least share of the largest moment that counts.
    least: f32,
    max_stretch: f32,
    // Entries that there is room for.
    capacity: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Position and support.
@group(0) @binding(1) var<storage, read> points: array<vec4f>;
// Columns of the elastic gradient; beside the first the volume.
@group(0) @binding(2) var<storage, read> elastic: array<vec4f>;
// Columns of its inverse; beside the first how far the phyxel looks.
@group(0) @binding(3) var<storage, read_write> inverses: array<vec4f>;
// How far anybody looks (bits); gradients without inverse; phyxels that lack directions; directions lacked; the longest row.
@group(0) @binding(4) var<storage, read_write> scalars: array<atomic<u32>>;
// Phyxels in each bucket; then how many have found their place.
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
// Where each bucket begins.
@group(0) @binding(6) var<storage, read> starts: array<u32>;
@group(0) @binding(7) var<storage, read_write> order: array<u32>;
@group(0) @binding(8) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(9) var<storage, read> offsets: array<u32>;
@group(0) @binding(10) var<storage, read_write> nodes: array<u32>;
// Weight and penalty.
@group(0) @binding(11) var<storage, read_write> weights: array<vec4f>;

// Most are no more than what is known already, and a look costs less than a change.
fn note_most(k: u32, found: u32) {
    if found > atomicLoad(&scalars[k]) {
        atomicMax(&scalars[k], found);
    }
}

fn index_of(place: vec3u, grid: vec3u, lane: u32) -> u32 {
    return (place.x + place.y * grid.x) * 64u + lane;
}

fn inverse_of(i: u32) -> mat3x3f {
    return mat3x3f(inverses[3u * i].xyz, inverses[3u * i + 1u].xyz, inverses[3u * i + 2u].xyz);
}

fn cell_of(x: vec3f) -> vec3i {
    // A little wider, so that rounding puts nobody two cells away.
    let width = max(bitcast<f32>(atomicLoad(&scalars[0])), 1e-30) * 1.00001;
    return vec3i(clamp(floor(x / width), vec3f(-1e9), vec3f(1e9)));
}

// Teschner et al. 2003, section 4.1.
fn bucket_of(cell: vec3i) -> u32 {
    let c = bitcast<vec3u>(cell);
    return ((c.x * 73856093u) ^ (c.y * 19349663u) ^ (c.z * 83492791u)) & (job.buckets - 1u);
}

@compute @workgroup_size(64)
fn clear(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = index_of(place, grid, lane);
    if i < job.buckets {
        atomicStore(&counts[i], 0u);
    }
    if i < 8u {
        atomicStore(&scalars[i], 0u);
    }
}

// Inverts the gradients, and finds how far supports reach in the present shape.
@compute @workgroup_size(64)
fn invert(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = index_of(place, grid, lane);
    if i >= job.phyxels {
        return;
    }
    let f = mat3x3f(elastic[3u * i].xyz, elastic[3u * i + 1u].xyz, elastic[3u * i + 2u].xyz);
    var inverse = inverse3(f);
    var stretch = 1.0;
    if det3(f) != 0.0 && finite3(inverse[0]) && finite3(inverse[1]) && finite3(inverse[2]) {
        // An upper bound of the largest singular value, exact for multiples of rotations: σ² ≤ ‖FᵀF‖∞.
        let c = transpose(f) * f;
        let rows = abs(c[0]) + abs(c[1]) + abs(c[2]);
        stretch = sqrt(max(max(rows.x, rows.y), rows.z)) * (1.0 + 64.0 * EPSILON);
    } else {
        inverse = identity();
        atomicAdd(&scalars[1], 1u);
    }
    let radius = points[i].w;
    var sight = radius;
    if job.mutual == 1u {
        sight = (radius + min(job.largest, radius + radius)) * 0.5;
    }
    let reach = sight * min(stretch, job.max_stretch);
    inverses[3u * i] = vec4f(inverse[0], reach);
    inverses[3u * i + 1u] = vec4f(inverse[1], 0.0);
    inverses[3u * i + 2u] = vec4f(inverse[2], 0.0);
    // Floats that are not negative are in the order of their bits.
    if finite3(points[i].xyz) && finite(reach) {
        note_most(0u, bitcast<u32>(max(reach, 0.0)));
    }
}

@compute @workgroup_size(64)
fn count(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = index_of(place, grid, lane);
    if i < job.phyxels && finite3(points[i].xyz) {
        atomicAdd(&counts[bucket_of(cell_of(points[i].xyz))], 1u);
    }
}

@compute @workgroup_size(64)
fn scatter(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = index_of(place, grid, lane);
    if i < job.phyxels && finite3(points[i].xyz) {
        let bucket = bucket_of(cell_of(points[i].xyz));
        // Buckets are emptied as they are filled.
        order[starts[bucket] + atomicSub(&counts[bucket], 1u) - 1u] = i;
    }
}

// Who looks.
struct Looker {
    i: u32,
    at: vec3f,
    radius: f32,
    reach: f32,
    inverse: mat3x3f,
}

fn looker(i: u32) -> Looker {
    return Looker(i, points[i].xyz, points[i].w, inverses[3u * i].w, inverse_of(i));
}

// How two phyxels of different supports see each other: (own / mean)², and what the other stands for.
fn pair_of(own: f32, other: f32) -> vec2f {
    if job.mutual == 0u || own == other {
        return vec2f(1.0);
    }
    let ratio = own / ((own + other) * 0.5);
    let squared = ratio * ratio;
    let larger = other / own;
    return vec2f(squared, larger * larger * larger * (squared * squared * ratio));
}

fn sees(who: Looker, j: u32) -> bool {
    let apart = points[j].xyz - who.at;
    if j == who.i || !(dot(apart, apart) < who.reach * who.reach) {
        return false;
    }
    let offset = who.inverse * apart;
    return dot(offset, offset) * pair_of(who.radius, points[j].w).x < who.radius * who.radius;
}

@compute @workgroup_size(64)
fn look(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = index_of(place, grid, lane);
    if i >= job.phyxels {
        return;
    }
    let who = looker(i);
    var found = 1u;
    if finite3(who.at) {
        let home = cell_of(who.at);
        for (var n = 0; n < 27; n += 1) {
            let cell = home + vec3i(n % 3, n / 3 % 3, n / 9) - vec3i(1);
            let bucket = bucket_of(cell);
            for (var k = starts[bucket]; k < starts[bucket + 1u]; k += 1u) {
                let j = order[k];
                // Other cells may share the bucket.
                if all(cell_of(points[j].xyz) == cell) && sees(who, j) {
                    found += 1u;
                }
            }
        }
    }
    lengths[i] = found;
    note_most(4u, found);
}

@compute @workgroup_size(64)
fn list(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = index_of(place, grid, lane);
    if i >= job.phyxels {
        return;
    }
    let who = looker(i);
    let first = offsets[i];
    if offsets[i + 1u] > job.capacity {
        return;
    }
    nodes[first] = i;
    if !finite3(who.at) {
        return;
    }
    var end = first + 1u;
    let home = cell_of(who.at);
    for (var n = 0; n < 27; n += 1) {
        let cell = home + vec3i(n % 3, n / 3 % 3, n / 9) - vec3i(1);
        let bucket = bucket_of(cell);
        for (var k = starts[bucket]; k < starts[bucket + 1u]; k += 1u) {
            let j = order[k];
            if all(cell_of(points[j].xyz) == cell) && sees(who, j) {
                // Into its place among those found so far.
                var at = end;
                while at > first + 1u && nodes[at - 1u] > j {
                    nodes[at] = nodes[at - 1u];
                    at -= 1u;
                }
                nodes[at] = j;
                end += 1u;
            }
        }
    }
}

// (1 + cos(π q))/2 for q² ≤ 1, by its series.
fn cosine(q_squared: f32) -> f32 {
    var sum = 0.0;
    sum = sum * q_squared + (1.8023654e-09);
    sum = sum * q_squared + (-6.93947623e-08);
    sum = sum * q_squared + (2.15153479e-06);
    sum = sum * q_squared + (-5.23190525e-05);
    sum = sum * q_squared + (0.000964787155);
    sum = sum * q_squared + (-0.0129034457);
    sum = sum * q_squared + (0.117665315);
    sum = sum * q_squared + (-0.667631384);
    sum = sum * q_squared + (2.02935606);
    sum = sum * q_squared + (-2.4674011);
    sum = sum * q_squared + (1.0);
    return max(sum, 0.0);
}

// The kernel without its norm.
fn profile(q_squared: f32) -> f32 {
    let s = 1.0 - q_squared;
    if !(s > 0.0) {
        return 0.0;
    }
    if job.kernel == 0u {
        return s * s * s;
    }
    return cosine(q_squared);
}

const CUTOFF = 1.9073486e-6;

// Pseudo-inverse of a moment matrix; twin of stencil/mls/moment.rs.
fn inverse_of_moment(moment: mat3x3f) -> mat3x3f {
    if !(finite3(moment[0]) && finite3(moment[1]) && finite3(moment[2])) {
        atomicAdd(&scalars[2], 1u);
        atomicAdd(&scalars[3], 3u);
        return mat3x3f();
    }
    let parts = svd(moment);
    let sizes = abs(parts.sigma);
    let largest = max(max(sizes.x, sizes.y), sizes.z);
    let smallest = min(min(parts.sigma.x, parts.sigma.y), parts.sigma.z);
    let lacks = sizes <= vec3f(CUTOFF * largest);
    let per = vec3f(1.0) / max(parts.sigma, vec3f(job.least * largest));
    let kept = (!lacks | vec3<bool>(job.least > 0.0)) & vec3<bool>(finite(per.x), finite(per.y), finite(per.z));
    let inverse = parts.v * diagonal(select(vec3f(0.0), per, kept)) * transpose(parts.v);
    let dropped = select(0u, 1u, lacks.x) + select(0u, 1u, lacks.y) + select(0u, 1u, lacks.z);
    if dropped > 0u {
        atomicAdd(&scalars[2], 1u);
        atomicAdd(&scalars[3], dropped);
    }
    if dropped > 0u || smallest < job.least * largest {
        return inverse;
    }
    // One Newton step removes the rounding of the rotations.
    return symmetric_part(inverse * (scaled_identity(2.0) - moment * inverse));
}

@compute @workgroup_size(64)
fn weigh(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = index_of(place, grid, lane);
    if i >= job.phyxels {
        return;
    }
    let who = looker(i);
    let first = offsets[i];
    let end = offsets[i + 1u];
    if end > job.capacity {
        return;
    }
    let per_radius = 1.0 / who.radius;
    var moment = mat3x3f();
    for (var k = first + 1u; k < end; k += 1u) {
        let other = points[nodes[k]];
        let q = (who.inverse * (other.xyz - who.at)) * per_radius;
        let pair = pair_of(who.radius, other.w);
        let w = profile(dot(q, q) * pair.x) * pair.y;
        moment += outer(q, q * w);
        weights[k] = vec4f(q * w, w);
    }
    let map = inverse_of_moment(moment) * per_radius;
    // c_ij = κ_i w_ij with Σ c |X|² = a V_i.
    let extent = trace(moment) * who.radius * who.radius;
    var pull = 0.0;
    if extent > 0.0 {
        pull = job.stabilisation * elastic[3u * i].w / extent;
    }
    var sum = vec3f(0.0);
    for (var k = first + 1u; k < end; k += 1u) {
        let before = weights[k];
        let d = map * before.xyz;
        sum += d;
        weights[k] = vec4f(d, before.w * pull);
    }
    weights[first] = vec4f(-sum, 0.0);
}
