// Matrix entries from the blocks of tetrahedra, and the preconditioner from the diagonal.

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
// The same array twice: eight numbers of a block in two vectors, and the ninth.
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> ninths: array<f32>;
@group(0) @binding(5) var<storage, read_write> values: array<f32>;

// A block, transposed where its code says so. Measured on an H200 and left: nine numbers of 27 bits with one exponent in 32 bytes make
// this a fifth faster, and the kernel that packs them a sixth slower.
fn block_of(code: u32) -> mat3x3f {
    let kind = code >> 9u;
    let lane = (code >> 1u) % 256u;
    let a = blocks[576u * kind + 2u * lane];
    let b = blocks[576u * kind + 2u * lane + 1u];
    let c = ninths[2304u * kind + 2048u + lane];
    let block = mat3x3f(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c);
    if (code & 1u) == 1u {
        return transpose(block);
    }
    return block;
}

// Two contributions at a time: the loads of one hide the wait for the other.
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 256u + lane;
    if i >= job.places {
        return;
    }
    var even = mat3x3f();
    var odd = mat3x3f();
    let start = starts[i];
    let end = starts[i + 1u];
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
