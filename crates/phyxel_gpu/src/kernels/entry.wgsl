// Entries of stencils: weight, penalty, and what lies at the other side. Where elements are stabilised, the parts of a weight are
// whole numbers of 26 bits and the penalty one of 18, in units of their element that are powers of two: weights are as exact as
// floats are beside the largest one, and with the index an entry has 16 bytes instead of 20.

// 1 where some elements are stabilised.
override STABILISED: u32 = 0u;

// How many entries an element has, from its head.
fn count_of(head: vec4u) -> u32 {
    if STABILISED == 1u {
        return head.y & 0xffffu;
    }
    return head.y;
}

// What its weights are multiplied with; 2⁻⁶ of the unit, because weights are read six bits up.
fn weight_unit(head: vec4u) -> f32 {
    if STABILISED == 1u {
        return bitcast<f32>((head.y << 7u) & 0x7f800000u);
    }
    return 1.0;
}

// The exponent of the unit of its penalties; zero where it has none.
fn penalty_exponent(head: vec4u) -> u32 {
    return head.y >> 24u;
}

fn power_of_two(exponent: u32) -> f32 {
    return bitcast<f32>(exponent << 23u);
}

fn weight_of(entry: vec4u) -> vec3f {
    if STABILISED == 1u {
        return vec3f(bitcast<vec3i>(entry.xyz << vec3u(6u)));
    }
    return bitcast<vec3f>(entry.xyz);
}

fn penalty_of(entry: vec4u) -> f32 {
    return f32((entry.x >> 26u) | ((entry.y >> 20u) & 0xfc0u) | ((entry.z >> 14u) & 0x3f000u));
}
