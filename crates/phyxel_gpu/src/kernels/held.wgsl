// What is held of a vector at a node, and the preconditioner.

// The inverse of a diagonal block (xx, xy, xz, yy; yz, zz), and beside it which of the held nodes this is, plus one.
struct Inverse {
    a: vec4f,
    c: vec4f,
}

fn inverse_at(n: u32) -> Inverse {
    return Inverse(inverses[2u * n], inverses[2u * n + 1u]);
}

fn slot_of(inverse: Inverse) -> u32 {
    return bitcast<u32>(inverse.c.z) & 0x7fffffu;
}

fn held_slot(n: u32) -> u32 {
    return bitcast<u32>(inverses[2u * n + 1u].z) & 0x7fffffu;
}

fn free_part(n: u32, w: vec3f) -> vec3f {
    return free_of(held_slot(n), w);
}

fn free_of(slot: u32, w: vec3f) -> vec3f {
    if slot == 0u {
        return w;
    }
    let at = 6u * (slot - 1u);
    return held[at].xyz * w.x + held[at + 1u].xyz * w.y + held[at + 2u].xyz * w.z;
}

fn preconditioned(n: u32, w: vec3f) -> vec3f {
    return times_inverse(inverse_at(n), w);
}

fn times_inverse(inverse: Inverse, w: vec3f) -> vec3f {
    let a = inverse.a;
    let c = inverse.c;
    return vec3f(
        a.x * w.x + a.y * w.y + a.z * w.z,
        a.y * w.x + a.w * w.y + c.x * w.z,
        a.z * w.x + c.x * w.y + c.y * w.z,
    );
}

struct Scalars {
    // r · z of even and odd iterations, and the lengths of their steps along p.
    rz: array<f32, 2>,
    alpha: array<f32, 2>,
    goal_squared: f32,
    // Lengths of b and of the first residual, and what the residual is relative to.
    size: f32,
    begin: f32,
    scale: f32,
    // 1: converged, 2: no descent any more.
    done: u32,
    iterations: u32,
    trouble: u32,
    // Length of the true residual when it was last computed.
    reached: f32,
}
