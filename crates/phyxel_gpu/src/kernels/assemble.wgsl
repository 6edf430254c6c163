// Matrix entries off the diagonal, from the blocks of tetrahedra.
//
// A lane writes a place, 32 places that lie side by side are a group, and groups of rows that are near each other in space come together:
// K_ab and K_ba are made of the same blocks, and a workgroup that needs both fetches them once. In µs for a million tetrahedra on an H200:
// 148 with groups as they lie in memory; 142 near each other; 139 with the longest columns of each row first, so that lanes wait less for
// each other; 133 with one sum a lane and nothing to transpose before the end, which makes room for more lanes; 127 with tetrahedra of
// the same shape side by side (`clusters.rs`). Measured there and left: nine lanes a place, which read the numbers of a block side by side
// (a quarter slower); nine numbers of 27 bits with one exponent in 32 bytes (a fifth faster, and the kernel that packs them a sixth
// slower); the ninth in the last four bits of the others (8 % faster, at a sixteenth of the digits); the ninths tetrahedron by tetrahedron
// (3 % slower); two lanes a place, half a block each (7 % slower); codes asked for a round ahead (as long); a lane for each pair of nodes
// that reads each block once and writes both places (as long: half of the writes are scattered then); lanes that fetch the halves of
// blocks for each other, as in `paired.wgsl` (as long).

override LANES: u32 = 256u;

struct Job {
    // Groups of places that have contributions.
    groups: u32,
    nodes: u32,
    // Where the rows of other stencils begin in `index`.
    around: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// The first place of each group and where its contributions begin, and one more.
@group(0) @binding(1) var<storage, read> groups: array<vec2u>;
// One of each place of a group, then the next of each: twice the block, and one where the place is K_ba, or NOTHING.
@group(0) @binding(2) var<storage, read> contributions: array<u32>;
// Eight numbers of each block in two vectors, column by column, and the ninth.
@group(0) @binding(3) var<storage, read> blocks: array<vec4f>;
@group(0) @binding(4) var<storage, read> ninths: array<f32>;
@group(0) @binding(5) var<storage, read_write> values: array<f32>;

const NOTHING: u32 = 0xffffffffu;

fn block_of(code: u32) -> mat3x3f {
    if code == NOTHING {
        return mat3x3f();
    }
    let own = code >> 1u;
    let a = blocks[2u * own];
    let b = blocks[2u * own + 1u];
    let c = ninths[own];
    return mat3x3f(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c);
}

// Two contributions at a time: the loads of one hide the wait for the other.
@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * LANES + lane;
    if i >= job.groups * 32u {
        return;
    }
    let group = groups[i / 32u];
    let end = groups[i / 32u + 1u].y;
    var k = group.y + i % 32u;
    let turns = (contributions[k] & 1u) == 1u;
    var sum = mat3x3f();
    for (; k + 32u < end; k += 64u) {
        let first = contributions[k];
        let second = contributions[k + 32u];
        sum += block_of(first);
        sum += block_of(second);
    }
    if k < end {
        sum += block_of(contributions[k]);
    }
    let turned = transpose(sum);
    let out = group.x * 9u + i % 32u;
    for (var c = 0u; c < 9u; c += 1u) {
        values[out + 32u * c] = select(sum[c / 3u][c % 3u], turned[c / 3u][c % 3u], turns);
    }
}
