// What an element leaves for its nodes: stress times the unit of weights, and with stabilisation the field's gradient and its
// value at the origin of the body.

// 1 where nine numbers of a matrix share an exponent and have 21 bits each: 64 bytes instead of 96. Where lanes fetch from all over
// memory, what they fetch is what they wait for. Not within products of conjugate gradients, whose steps would feel the rounding.
override SHORT: u32 = 0u;
// 1 where two vectors of each element lie side by side, as much as memory hands out at once; 0 where neighbouring lanes fetch
// neighbouring records, and each vector has a plane of its own. Measured on an H200: in rows, long records in planes are faster
// than all others by 8 %; on a curve, short ones in pairs by 24 %.
override PAIRED: u32 = 0u;

// Where vector `k` of an element's record is.
fn record_at(e: u32, k: u32, elements: u32) -> u32 {
    if PAIRED == 1u {
        return (k / 2u) * 2u * elements + 2u * e + k % 2u;
    }
    return k * elements + e;
}

struct Record {
    s: mat3x3f,
    g: mat3x3f,
    base: vec3f,
    // Exponent of the unit of penalties, and what penalties are multiplied with, which is that unit where nothing weakens them.
    exponent: u32,
    spring: f32,
}

fn largest3(v: vec3f) -> f32 {
    let a = abs(v);
    return max(max(a.x, a.y), a.z);
}

// The exponent of a unit in which all numbers of a matrix have 21 bits, read eleven bits up; large enough to have an inverse.
fn shared_exponent(m: mat3x3f) -> u32 {
    let largest = max(max(largest3(m[0]), largest3(m[1])), largest3(m[2]));
    return max(bitcast<u32>(largest) >> 23u, 32u) - 30u;
}

// In units of `1 / per_unit`; 21 bits each, in two words.
fn packed3(v: vec3f, per_unit: f32) -> vec2u {
    let n = bitcast<vec3u>(vec3i(clamp(round(v * per_unit), vec3f(-1048576.0), vec3f(1048575.0))));
    return vec2u((n.x & 0x1fffffu) | (n.y << 21u), ((n.y >> 11u) & 0x3ffu) | (n.z << 10u));
}

// Eleven bits up.
fn unpacked3(w: vec2u) -> vec3f {
    let n = vec3u(w.x << 11u, (w.y << 22u) | ((w.x >> 10u) & 0x3ff800u), (w.y << 1u) & 0xfffff800u);
    return vec3f(bitcast<vec3i>(n));
}

// 2¹¹ over a power of two.
fn per_unit(exponent: u32) -> f32 {
    return bitcast<f32>((243u - exponent) << 23u);
}

// What is left of a matrix when it is packed.
fn rounded(m: mat3x3f) -> mat3x3f {
    let exponent = shared_exponent(m);
    let scale = per_unit(exponent);
    let unit = power_of_two(exponent);
    return mat3x3f(
        unpacked3(packed3(m[0], scale)) * unit,
        unpacked3(packed3(m[1], scale)) * unit,
        unpacked3(packed3(m[2], scale)) * unit,
    );
}
