// Matrix entries off the diagonal, from the blocks of tetrahedra: one lane for each two nodes that share some, which writes the sum
// at both of its places, once as it is and once transposed. Measured on an H200 and left, when each place had a lane of its own: nine
// lanes a place, which read the numbers of a block side by side (a quarter slower); two, half a block each (7 % slower); nine numbers
// of 27 bits with one exponent in 32 bytes (a fifth faster, and the kernel that packs them a sixth slower); the ninth in the last four
// bits of the others (8 % faster, at a sixteenth of the digits); four contributions at a time (2 % slower).

// Many together: the ninth numbers of neighbouring tetrahedra are fetched together.
override LANES: u32 = 256u;

struct Job {
    pairs: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Where the contributions to each slice of 32 pairs begin, and one more.
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// Of 32 pairs side by side, two at a time: twice the block, and one where it is to be transposed; NOBODY where there is none.
@group(0) @binding(2) var<storage, read> contributions: array<vec2u>;
// The places of the matrix, that of the sum and that of its transpose.
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
// Eight numbers of each block in two vectors, column by column, and the ninth.
@group(0) @binding(4) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(5) var<storage, read> ninths: array<f32>;
// In slices of 32 places: the first four numbers of each block, column by column, the next four, and the ninths elsewhere.
@group(0) @binding(6) var<storage, read_write> values: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> value_ninths: array<f32>;

const NOBODY = 0xffffffffu;

// A block, transposed where its code says so, and nothing where there is none.
fn block_of(code: u32) -> mat3x3f {
    let there = code != NOBODY;
    let own = select(0u, code >> 1u, there);
    let a = blocks[2u * own];
    let b = blocks[2u * own + 1u];
    let c = ninths[own];
    let turns = (code & 1u) == 1u;
    let diagonal = select(vec3f(0.0), vec3f(a.x, b.x, c), there);
    // Below it and above it.
    let under = select(vec3f(0.0), select(vec3f(a.y, a.z, b.y), vec3f(a.w, b.z, b.w), turns), there);
    let over = select(vec3f(0.0), select(vec3f(a.w, b.z, b.w), vec3f(a.y, a.z, b.y), turns), there);
    return mat3x3f(diagonal.x, under.x, under.y, over.x, diagonal.y, under.z, over.y, over.z, diagonal.z);
}

fn store(place: u32, block: mat3x3f) {
    let at = place + (place & ~31u);
    values[at] = vec4f(block[0], block[1].x);
    values[at + 32u] = vec4f(block[1].yz, block[2].xy);
    value_ninths[place] = block[2].z;
}

// Two contributions at a time: the loads of one hide the wait for the other.
@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * LANES + lane;
    if i >= job.pairs {
        return;
    }
    let own = pairs[i];
    let end = starts[i / 32u + 1u];
    var at = starts[i / 32u] + i % 32u;
    var codes = contributions[at];
    var even = mat3x3f();
    var odd = mat3x3f();
    while at < end {
        at += 32u;
        // Which blocks come next is asked for before these are waited for.
        let next = contributions[min(at, end - 1u)];
        even += block_of(codes.x);
        odd += block_of(codes.y);
        codes = next;
    }
    let sum = even + odd;
    store(own.x, sum);
    store(own.y, transpose(sum));
}
