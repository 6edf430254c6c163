// Small matrices. Columns, as WGSL has them: m[c] is column c.

fn identity() -> mat3x3f {
    return mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
}

fn scaled_identity(s: f32) -> mat3x3f {
    return mat3x3f(s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s);
}

fn diagonal(d: vec3f) -> mat3x3f {
    return mat3x3f(d.x, 0.0, 0.0, 0.0, d.y, 0.0, 0.0, 0.0, d.z);
}

// a bᵀ
fn outer(a: vec3f, b: vec3f) -> mat3x3f {
    return mat3x3f(a * b.x, a * b.y, a * b.z);
}

fn trace(m: mat3x3f) -> f32 {
    return m[0].x + m[1].y + m[2].z;
}

fn contract(a: mat3x3f, b: mat3x3f) -> f32 {
    return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]);
}

fn cofactor(m: mat3x3f) -> mat3x3f {
    return mat3x3f(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

fn det3(m: mat3x3f) -> f32 {
    return dot(m[0], cross(m[1], m[2]));
}

fn inverse3(m: mat3x3f) -> mat3x3f {
    return transpose(cofactor(m)) * (1.0 / det3(m));
}

fn symmetric_part(m: mat3x3f) -> mat3x3f {
    return (m + transpose(m)) * 0.5;
}

// E = ½ (G + Gᵀ + GᵀG) of F = I + G
fn green_strain(g: mat3x3f) -> mat3x3f {
    let gt = transpose(g);
    return (g + gt + gt * g) * 0.5;
}

// Neither infinite nor NaN; by bits, because compilers may believe that there are none.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn finite3(v: vec3f) -> bool {
    return finite(v.x) && finite(v.y) && finite(v.z);
}
