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
@group(0) @binding(3) var<storage, read> blocks: array<f32>;
@group(0) @binding(4) var<storage, read_write> values: array<f32>;

fn block_at(at: u32) -> mat3x3f {
    return mat3x3f(
        blocks[at], blocks[at + 1u], blocks[at + 2u],
        blocks[at + 3u], blocks[at + 4u], blocks[at + 5u],
        blocks[at + 6u], blocks[at + 7u], blocks[at + 8u],
    );
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 64u + lane;
    if i >= job.places {
        return;
    }
    var sum = mat3x3f();
    let end = starts[i + 1u];
    for (var k = starts[i]; k < end; k += 1u) {
        let code = contributions[k];
        let block = block_at(9u * (code >> 1u));
        if (code & 1u) == 1u {
            sum += transpose(block);
        } else {
            sum += block;
        }
    }
    let out = (i / 32u) * 288u + i % 32u;
    for (var c = 0u; c < 9u; c += 1u) {
        values[out + 32u * c] = sum[c / 3u][c % 3u];
    }
}
