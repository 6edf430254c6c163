// Rows of the matrix, in slices of 32, times `field`.

fn block_product(at: u32, x: vec3f) -> vec3f {
    return vec3f(values[at], values[at + 32u], values[at + 64u]) * x.x
        + vec3f(values[at + 96u], values[at + 128u], values[at + 160u]) * x.y
        + vec3f(values[at + 192u], values[at + 224u], values[at + 256u]) * x.z;
}

// Friction on a node that slides.
fn drag(n: u32, x: vec3f) -> vec3f {
    let slot = held_of[n];
    if slot == 0u {
        return vec3f(0.0);
    }
    let a = held[6u * slot - 2u];
    let b = held[6u * slot - 1u];
    return a.xyz * x.x + vec3f(a.y, a.w, b.x) * x.y + vec3f(a.z, b.x, b.y) * x.z;
}

// Rows of stiffness add up to zero, so a product needs differences alone, `Σ K_ij (x_j − x_i)`: no diagonal, and what nodes have in common,
// which is most of a smooth field, leaves no rounding behind. The diagonal, the first place of a row, is passed over.
//
// Four blocks at a time, and what they are multiplied with asked for first: no block waits for the columns of another. On an H200 that
// is 40 µs for a million tetrahedra (with diagonals), where two at a time take 47, and four that ask one after the other 51.
fn row_product(n: u32, own: vec3f) -> vec3f {
    let row = rows[n];
    var at = (row.x / 32u) * 288u + row.x % 32u + 288u;
    var column = row.x + 32u;
    var even = vec3f(0.0);
    var odd = vec3f(0.0);
    var k = 1u;
    for (; k + 3u < row.y; k += 4u) {
        let a = columns[column];
        let b = columns[column + 32u];
        let c = columns[column + 64u];
        let d = columns[column + 96u];
        let x = field[a].xyz - own;
        let y = field[b].xyz - own;
        let z = field[c].xyz - own;
        let w = field[d].xyz - own;
        even += block_product(at, x);
        odd += block_product(at + 288u, y);
        even += block_product(at + 576u, z);
        odd += block_product(at + 864u, w);
        at += 1152u;
        column += 128u;
    }
    for (; k + 1u < row.y; k += 2u) {
        let first = columns[column];
        let second = columns[column + 32u];
        even += block_product(at, field[first].xyz - own);
        odd += block_product(at + 288u, field[second].xyz - own);
        at += 576u;
        column += 64u;
    }
    if k < row.y {
        even += block_product(at, field[columns[column]].xyz - own);
    }
    return even + odd;
}
