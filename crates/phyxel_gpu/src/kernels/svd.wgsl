// Rotation-signed singular values by one-sided Jacobi rotations, and the polar decomposition: twins of math/svd.rs and
// math/polar.rs.

const EPSILON = 1.1920929e-7;

struct Svd {
    u: mat3x3f,
    sigma: vec3f,
    v: mat3x3f,
}

struct Polar {
    rotation: mat3x3f,
    strain: mat3x3f,
}

// Makes columns p and q perpendicular; false when they already are to rounding.
fn rotate_pair(
    bp: ptr<function, vec3f>,
    bq: ptr<function, vec3f>,
    vp: ptr<function, vec3f>,
    vq: ptr<function, vec3f>,
) -> bool {
    let alpha = dot(*bp, *bp);
    let beta = dot(*bq, *bq);
    let gamma = dot(*bp, *bq);
    // Not so small either that its square is lost.
    if gamma * gamma <= 4.0 * EPSILON * EPSILON * alpha * beta + 1e-37 {
        return false;
    }
    let difference = beta - alpha;
    let double = gamma + gamma;
    // From the cosine of twice the angle: two inverse roots, no division.
    let inverse = inverseSqrt(difference * difference + double * double);
    let square = 0.5 + 0.5 * abs(difference) * inverse;
    let root = inverseSqrt(square);
    let cosine = square * root;
    let sine = select(gamma, -gamma, difference < 0.0) * inverse * root;
    let x = *bp;
    let y = *bq;
    *bp = x * cosine - y * sine;
    *bq = x * sine + y * cosine;
    let a = *vp;
    let b = *vq;
    *vp = a * cosine - b * sine;
    *vq = a * sine + b * cosine;
    return true;
}

// Longest first; a swap negates one column, so that V stays a rotation.
fn order_pair(
    bp: ptr<function, vec3f>,
    bq: ptr<function, vec3f>,
    vp: ptr<function, vec3f>,
    vq: ptr<function, vec3f>,
) {
    if dot(*bq, *bq) > dot(*bp, *bp) {
        let b = *bp;
        *bp = *bq;
        *bq = -b;
        let v = *vp;
        *vp = *vq;
        *vq = -v;
    }
}

fn any_perpendicular(a: vec3f) -> vec3f {
    let size = abs(a);
    var axis = vec3f(0.0, 0.0, 1.0);
    if size.x <= size.y && size.x <= size.z {
        axis = vec3f(1.0, 0.0, 0.0);
    } else if size.y <= size.z {
        axis = vec3f(0.0, 1.0, 0.0);
    }
    return normalize(cross(a, axis));
}

fn svd(m: mat3x3f) -> Svd {
    let largest3 = max(max(abs(m[0]), abs(m[1])), abs(m[2]));
    let largest = max(max(largest3.x, largest3.y), largest3.z);
    var result: Svd;
    result.u = identity();
    result.v = identity();
    result.sigma = vec3f(0.0);
    if !finite(largest) || !finite3(m[0]) || !finite3(m[1]) || !finite3(m[2]) {
        // What is not finite stays so.
        result.sigma = vec3f(largest) + m[0] + m[1] + m[2];
        return result;
    }
    if largest < 1e-37 {
        return result;
    }
    var scale = 1.0;
    var b0 = m[0];
    var b1 = m[1];
    var b2 = m[2];
    // Most need no division.
    if !(largest > 1e-4 && largest < 1e4) {
        scale = largest;
        b0 /= scale;
        b1 /= scale;
        b2 /= scale;
    }
    var v0 = vec3f(1.0, 0.0, 0.0);
    var v1 = vec3f(0.0, 1.0, 0.0);
    var v2 = vec3f(0.0, 0.0, 1.0);
    for (var sweep = 0; sweep < 16; sweep += 1) {
        let a = rotate_pair(&b0, &b1, &v0, &v1);
        let b = rotate_pair(&b0, &b2, &v0, &v2);
        let c = rotate_pair(&b1, &b2, &v1, &v2);
        if !(a || b || c) {
            break;
        }
    }
    order_pair(&b0, &b1, &v0, &v1);
    order_pair(&b1, &b2, &v1, &v2);
    order_pair(&b0, &b1, &v0, &v1);
    let first_square = dot(b0, b0);
    let one_first = inverseSqrt(first_square);
    let first = first_square * one_first;
    let u0 = b0 * one_first;
    // Perpendicular to rounding of |b0|, which is not enough where b1 is far shorter.
    let rest = b1 - u0 * dot(u0, b1);
    let rest_square = dot(rest, rest);
    var u1: vec3f;
    var second = 0.0;
    if rest_square > EPSILON * EPSILON * EPSILON * EPSILON * first_square {
        let one_rest = inverseSqrt(rest_square);
        u1 = rest * one_rest;
        second = min(rest_square * one_rest, first);
    } else {
        u1 = any_perpendicular(u0);
    }
    let u2 = cross(u0, u1);
    let third = clamp(dot(u2, b2), -second, second);
    result.u = mat3x3f(u0, u1, u2);
    result.v = mat3x3f(v0, v1, v2);
    result.sigma = vec3f(first, second, third) * scale;
    return result;
}

// I + G = R (I + H). Heron's iteration where strains are small, singular values elsewhere.
fn polar(g: mat3x3f) -> Polar {
    let e = green_strain(g);
    let f = identity() + g;
    var result: Polar;
    if contract(e, e) < 0.04 && det3(f) > 0.0 {
        var h = e - e * e * 0.5;
        for (var i = 0; i < 6; i += 1) {
            let next = symmetric_part(inverse3(identity() + h) * (e + h * h * 0.5));
            let change = next - h;
            h = next;
            if contract(change, change) <= EPSILON * 0.25 * sqrt(contract(h, h)) {
                break;
            }
        }
        result.rotation = f * inverse3(identity() + h);
        result.strain = h;
        return result;
    }
    let s = svd(f);
    let vt = transpose(s.v);
    result.rotation = s.u * vt;
    result.strain = s.v * diagonal(s.sigma - vec3f(1.0)) * vt;
    return result;
}
