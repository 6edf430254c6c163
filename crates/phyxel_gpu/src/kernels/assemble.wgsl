// Matrix entries off the diagonal, from the blocks of tetrahedra. Measured on an H200 and left: nine lanes a place, which read the
// numbers of a block side by side (184 µs for a million tetrahedra instead of 148); nine numbers of 27 bits with one exponent in 32
// bytes (a fifth faster, and the kernel that packs them a sixth slower); the ninth in the last four bits of the others (8 % faster, at a
// sixteenth of the digits); two lanes a place, half a block each (7 % slower); four contributions at a time (2 % slower); a lane for
// each pair of nodes that reads each block once and writes both places (as long: half of the writes are scattered then); lanes that
// fetch the halves of blocks for each other, as in `paired.wgsl` (as long).

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
// Eight numbers of each block in two vectors, column by column, and the ninth.
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> ninths: array<f32>;
@group(0) @binding(5) var<storage, read_write> values: array<f32>;

// A block, transposed where its code says so.
fn block_of(code: u32) -> mat3x3f {
    let own = code >> 1u;
    let a = blocks[2u * own];
    let b = blocks[2u * own + 1u];
    let c = ninths[own];
    let block = mat3x3f(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c);
    let turned = transpose(block);
    let turns = (code & 1u) == 1u;
    return mat3x3f(
        select(block[0], turned[0], turns),
        select(block[1], turned[1], turns),
        select(block[2], turned[2], turns),
    );
}

// Two contributions at a time: the loads of one hide the wait for the other.
@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * LANES + lane;
    if i >= job.places {
        return;
    }
    var even = mat3x3f();
    var odd = mat3x3f();
    let start = starts[i];
    let end = starts[i + 1u];
    // The diagonal follows from the rest of its row.
    if start == end {
        return;
    }
    for (var k = start; k + 1u < end; k += 2u) {
        let first = contributions[k];
        let second = contributions[k + 1u];
        even += block_of(first);
        odd += block_of(second);
    }
    if ((end - start) & 1u) == 1u {
        even += block_of(contributions[end - 1u]);
    }
    let sum = even + odd;
    let out = (i / 32u) * 288u + i % 32u;
    for (var c = 0u; c < 9u; c += 1u) {
        values[out + 32u * c] = sum[c / 3u][c % 3u];
    }
}
