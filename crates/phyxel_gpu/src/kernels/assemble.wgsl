// Matrix entries off the diagonal, from the blocks of tetrahedra. Measured on an H200 and left: nine lanes a place, which read the
// numbers of a block side by side (184 µs for a million tetrahedra instead of 148 with one); nine numbers of 27 bits with one exponent in
// 32 bytes (a fifth faster, and the kernel that packs them a sixth slower); four contributions at a time (2 % slower).

// Many together: blocks that two of their places need are fetched once.
override LANES: u32 = 256u;

struct Job {
    places: u32,
    nodes: u32,
    // Where the rows of other stencils begin in `index`.
    around: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Where the contributions to each place begin, and one more.
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// Twice the block, and one where it is to be transposed.
@group(0) @binding(2) var<storage, read> contributions: array<u32>;
// Eight numbers of each block in two vectors, xy, yx, xz, zx and yz, zy, xx, yy, and the ninth.
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> ninths: array<f32>;
@group(0) @binding(5) var<storage, read_write> values: array<f32>;

// What half of a block adds to a place: four of its numbers, in an order in which turning it only swaps neighbours, and for the
// second half the ninth.
struct Part {
    four: vec4f,
    ninth: f32,
}

fn part_of(code: u32, half: u32) -> Part {
    let own = code >> 1u;
    let four = blocks[2u * own + half];
    var ninth = 0.0;
    if half == 1u {
        ninth = ninths[own];
    }
    let turned = select(four.yxwz, four.yxzw, half == 1u);
    return Part(select(four, turned, (code & 1u) == 1u), ninth);
}

// Two lanes a place: the eight numbers of a block that lie side by side are one request of both, not two of one. Two contributions at
// a time: the loads of one hide the wait for the other.
@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * (LANES / 2u) + lane / 2u;
    let half = lane & 1u;
    if i >= job.places {
        return;
    }
    let start = starts[i];
    let end = starts[i + 1u];
    // The diagonal follows from the rest of its row.
    if start == end {
        return;
    }
    var even = Part(vec4f(0.0), 0.0);
    var odd = Part(vec4f(0.0), 0.0);
    for (var k = start; k + 1u < end; k += 2u) {
        let first = contributions[k];
        let second = contributions[k + 1u];
        let a = part_of(first, half);
        let b = part_of(second, half);
        even = Part(even.four + a.four, even.ninth + a.ninth);
        odd = Part(odd.four + b.four, odd.ninth + b.ninth);
    }
    if ((end - start) & 1u) == 1u {
        let last = part_of(contributions[end - 1u], half);
        even = Part(even.four + last.four, even.ninth + last.ninth);
    }
    let sum = even.four + odd.four;
    let out = (i / 32u) * 288u + i % 32u;
    // Planes of the numbers of each half, as `store` of blocks.wgsl orders them.
    let planes = select(vec4u(3u, 1u, 6u, 2u), vec4u(7u, 5u, 0u, 4u), half == 1u);
    values[out + 32u * planes.x] = sum.x;
    values[out + 32u * planes.y] = sum.y;
    values[out + 32u * planes.z] = sum.z;
    values[out + 32u * planes.w] = sum.w;
    if half == 1u {
        values[out + 256u] = even.ninth + odd.ninth;
    }
}
