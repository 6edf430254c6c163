// q = A z: mass, the assembled blocks in slices of 32 rows, and what other stencils have left in q; and z · q.

override TETS: u32 = 1u;
override GENERAL: u32 = 0u;
// 1 where nodes may slide on something.
override DRAGS: u32 = 0u;

struct Job {
    nodes: u32,
    // Workgroups of the other kernels of an iteration, and of this one.
    groups: u32,
    products: u32,
    parity: u32,
    always: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> field: array<vec4f>;
@group(0) @binding(2) var<storage, read> masses: array<f32>;
@group(0) @binding(3) var<storage, read> rows: array<vec2u>;
@group(0) @binding(4) var<storage, read> columns: array<u32>;
@group(0) @binding(5) var<storage, read> values: array<f32>;
@group(0) @binding(6) var<storage, read_write> q: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> partials: array<f32>;
@group(0) @binding(8) var<storage, read> scalars: array<vec4u>;

// Which of the held nodes each is, plus one; and six vectors of each, as in diagonal.wgsl.
@group(0) @binding(9) var<storage, read> held_of: array<u32>;
@group(0) @binding(10) var<storage, read> held: array<vec4f>;

var<workgroup> sums: array<f32, 256>;
var<workgroup> few: array<f32, 16>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
    if job.always == 0u && scalars[2].x != 0u {
        return;
    }
    var sum = 0.0;
    for (var n = place.x * 256u + lane; n < job.nodes; n += job.products * 256u) {
        let own = field[n].xyz;
        var result = own * masses[n];
        if GENERAL == 1u {
            result += q[n].xyz;
        }
        if TETS == 1u {
            result += row_product(n, own);
        }
        if DRAGS == 1u {
            result += drag(n, own);
        }
        q[n] = vec4f(result, 0.0);
        sum += dot(own, result);
    }
    sums[lane] = sum;
    workgroupBarrier();
    if lane < 16u {
        for (var k = 1u; k < 16u; k += 1u) {
            sum += sums[lane + 16u * k];
        }
        few[lane] = sum;
    }
    workgroupBarrier();
    if lane == 0u {
        for (var k = 1u; k < 16u; k += 1u) {
            sum += few[k];
        }
        partials[place.x] = sum;
    }
}
