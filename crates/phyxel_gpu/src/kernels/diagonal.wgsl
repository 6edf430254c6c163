// The block-Jacobi preconditioner: inverses of the blocks on the diagonal, within the directions that are free. Products need no diagonal.

override TETS: u32 = 1u;
override GENERAL: u32 = 0u;
// 1 where nodes may slide on something.
override DRAGS: u32 = 0u;

struct Job {
    nodes: u32,
    around: u32,
    elements: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Mass, scaled.
@group(0) @binding(1) var<storage, read> masses: array<f32>;
@group(0) @binding(2) var<storage, read> rows: array<vec2u>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read> index: array<u32>;
@group(0) @binding(5) var<storage, read> around: array<vec4u>;
@group(0) @binding(6) var<storage, read> elements: array<vec4u>;
@group(0) @binding(7) var<storage, read> tangents: array<f32>;
// Modulus of the penalty, scaled, and what all springs of the element resist that a node is the centre of.
@group(0) @binding(8) var<storage, read> moduli: array<vec2f>;
// Which of the held nodes each is, plus one.
@group(0) @binding(9) var<storage, read> held_of: array<u32>;
// Six vectors per held node: the columns of its free directions with the impulse of friction, its velocity, and the
// drag of friction (xx, xy, xz, yy; yz, zz).
@group(0) @binding(10) var<storage, read> held: array<vec4f>;
@group(0) @binding(11) var<storage, read_write> inverses: array<vec4f>;
// What weakens the penalties of each element; then the same by the node at its centre.
@group(0) @binding(12) var<storage, read> factors: array<f32>;

// d · C · d of element e.
fn contracted(e: u32, d: vec3f) -> mat3x3f {
    var result = mat3x3f();
    var at = (e / 32u) * 1440u + e % 32u;
    for (var a = 0u; a < 9u; a += 1u) {
        for (var b = a; b < 9u; b += 1u) {
            let x = tangents[at] * d[a % 3u] * d[b % 3u];
            at += 32u;
            result[b / 3u][a / 3u] += x;
            if b > a {
                result[a / 3u][b / 3u] += x;
            }
        }
    }
    return result;
}

// Where the first number of a place is.
fn place_of(place: u32) -> u32 {
    return (place / 32u) * 288u + place % 32u;
}

fn block_at(at: u32) -> mat3x3f {
    return mat3x3f(
        values[at], values[at + 32u], values[at + 64u],
        values[at + 96u], values[at + 128u], values[at + 160u],
        values[at + 192u], values[at + 224u], values[at + 256u],
    );
}

// A body that moves as a whole feels no force: the diagonal is what the rest of the row lacks to zero. Two at a time.
fn stiffness_at(row: vec2u) -> mat3x3f {
    var even = mat3x3f();
    var odd = mat3x3f();
    var at = place_of(row.x);
    for (var k = 1u; k + 1u < row.y; k += 2u) {
        even += block_at(at + 288u);
        odd += block_at(at + 576u);
        at += 576u;
    }
    if (row.y & 1u) == 0u {
        even += block_at(at + 288u);
    }
    return -1.0 * symmetric_part(even + odd);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = (place.x + place.y * grid.x) * 64u + lane;
    if n >= job.nodes {
        return;
    }
    var d = scaled_identity(masses[n]);
    if TETS == 1u && rows[n].y > 0u {
        d += stiffness_at(rows[n]);
    }
    if GENERAL == 1u {
        let first = index[job.around + 2u * n];
        let count = index[job.around + 2u * n + 1u];
        for (var k = 0u; k < count; k += 1u) {
            let entry = around[first + 32u * k];
            var unit = 1.0;
            if STABILISED == 1u {
                let head = elements[entry.w];
                unit = weight_unit(head);
                let spring = penalty_of(entry) * power_of_two(penalty_exponent(head));
                d += scaled_identity(spring * factors[entry.w] * moduli[n].x);
            }
            d += contracted(entry.w, weight_of(entry) * unit);
        }
        if STABILISED == 1u {
            d += scaled_identity(factors[job.elements + n] * moduli[n].y);
        }
    }
    let slot = held_of[n];
    let at = 6u * (max(slot, 1u) - 1u);
    // What resists motion without friction.
    let resistance = trace(d) * (1.0 / 3.0);
    if DRAGS == 1u && slot > 0u {
        let a = held[at + 4u];
        let b = held[at + 5u];
        d += mat3x3f(a.x, a.y, a.z, a.y, a.w, b.x, a.z, b.x, b.y);
    }
    // Scaling first keeps the determinant of small masses away from underflow.
    let scale = trace(d) * (1.0 / 3.0);
    let unit = d * (1.0 / scale);
    var inverse = inverse3(unit);
    if !(finite3(inverse[0]) && finite3(inverse[1]) && finite3(inverse[2])) {
        inverse = identity();
    }
    inverse = inverse * (1.0 / scale);
    if slot > 0u {
        let free = mat3x3f(held[at].xyz, held[at + 1u].xyz, held[at + 2u].xyz);
        inverse = free * inverse * transpose(free);
    }
    inverses[2u * n] = vec4f(inverse[0].x, inverse[1].x, inverse[2].x, inverse[1].y);
    inverses[2u * n + 1u] = vec4f(inverse[2].y, inverse[2].z, bitcast<f32>(0x40000000u | slot), resistance);
}
