// Rows of the matrix, in slices of 32, times `field`.

// The first four numbers of each block, column by column, the next four, and the ninths elsewhere.
fn block_product(place: u32, x: vec3f) -> vec3f {
    let at = place + (place & ~31u);
    let a = values[at];
    let b = values[at + 32u];
    return a.xyz * x.x + vec3f(a.w, b.xy) * x.y + vec3f(b.zw, value_ninths[place]) * x.z;
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

// Four blocks at a time, and what they are multiplied with asked for first: no block waits for the columns of another. On an H200 that
// is 40 µs for a million tetrahedra, where two at a time take 47, and four that ask one after the other 51.
fn row_product(n: u32) -> vec3f {
    let row = rows[n];
    var place = row.x;
    var even = vec3f(0.0);
    var odd = vec3f(0.0);
    var k = 0u;
    for (; k + 3u < row.y; k += 4u) {
        let a = columns[place];
        let b = columns[place + 32u];
        let c = columns[place + 64u];
        let d = columns[place + 96u];
        let x = field[a].xyz;
        let y = field[b].xyz;
        let z = field[c].xyz;
        let w = field[d].xyz;
        even += block_product(place, x);
        odd += block_product(place + 32u, y);
        even += block_product(place + 64u, z);
        odd += block_product(place + 96u, w);
        place += 128u;
    }
    for (; k + 1u < row.y; k += 2u) {
        let first = columns[place];
        let second = columns[place + 32u];
        even += block_product(place, field[first].xyz);
        odd += block_product(place + 32u, field[second].xyz);
        place += 64u;
    }
    if (row.y & 1u) == 1u {
        even += block_product(place, field[columns[place]].xyz);
    }
    return even + odd;
}
