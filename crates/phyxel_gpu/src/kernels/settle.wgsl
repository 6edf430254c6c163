// What flows at the end of a step, at a deformation that stays: twins of material/plastic/inner.rs, strain.rs and fibre.rs.

// Norm of F_p⁻¹ beyond which nothing is absorbed.
const MOST_SHRUNK = 10.0;
const HUGE = 3e38;

struct Eigen {
    values: vec3f,
    vectors: mat3x3f,
}

fn eigen_symmetric(m: mat3x3f) -> Eigen {
    var a00 = m[0].x;
    var a11 = m[1].y;
    var a22 = m[2].z;
    var a01 = m[1].x;
    var a02 = m[2].x;
    var a12 = m[2].y;
    var v0 = vec3f(1.0, 0.0, 0.0);
    var v1 = vec3f(0.0, 1.0, 0.0);
    var v2 = vec3f(0.0, 0.0, 1.0);
    for (var sweep = 0; sweep < 8; sweep += 1) {
        jacobi_rotation(&a00, &a11, &a01, &a02, &a12, &v0, &v1);
        jacobi_rotation(&a00, &a22, &a02, &a01, &a12, &v0, &v2);
        jacobi_rotation(&a11, &a22, &a12, &a01, &a02, &v1, &v2);
    }
    return Eigen(vec3f(a00, a11, a22), mat3x3f(v0, v1, v2));
}

// Eigenvalues of Green's strain below which they come from the deformation itself: where matter is squeezed flat, 1 + 2 λ is the small
// square of a stretch, of which a rounded strain has few digits left, and the stretch all.
const SQUEEZED = -0.375;

// Green's strain of F = I + G in its principal directions.
fn principal_strain(g: mat3x3f, strain: mat3x3f) -> Eigen {
    let eigen = eigen_symmetric(strain);
    if is_small() || min(min(eigen.values.x, eigen.values.y), eigen.values.z) > SQUEEZED {
        return eigen;
    }
    let parts = svd(identity() + g);
    return Eigen((parts.sigma * parts.sigma - vec3f(1.0)) * 0.5, parts.v);
}

// What the grain becomes when this part of the elastic strain goes. What goes, and not what is kept: where matter is squeezed flat, what
// goes is a millionth, of which a number near one has no digits.
fn offset_losing(offset: mat3x3f, strain: mat3x3f, eigen: Eigen, gone: f32) -> mat3x3f {
    if is_small() {
        return offset - strain * gone;
    }
    // S⁻¹ S' − I with S² = I + 2 λ and S'² = I + 2 (1 − gone) λ, without the difference of ones.
    let twice = eigen.values * 2.0;
    let x = twice * -gone / max(vec3f(1.0) + twice, vec3f(1e-6));
    let factors = x / (vec3f(1.0) + sqrt(max(vec3f(1.0) + x, vec3f(0.0))));
    let flow = eigen.vectors * diagonal(factors) * transpose(eigen.vectors);
    return offset + flow + offset * flow;
}

fn plastic_strain(offset: mat3x3f) -> f32 {
    if is_small() {
        return sqrt(contract(offset, offset));
    }
    let a = identity() + offset;
    if det3(a) == 0.0 {
        return HUGE;
    }
    let f = inverse3(a);
    let e = (transpose(f) * f - identity()) * 0.5;
    return sqrt(contract(e, e));
}

fn shrunk(offset: mat3x3f) -> f32 {
    let a = identity() + offset;
    return sqrt(contract(a, a));
}

// Plastic strain, or how much matter is shrunk, beside its bound.
fn is_bounded(shrinking: bool, offset: mat3x3f, bound: f32) -> bool {
    if shrinking {
        return shrunk(offset) <= bound;
    }
    return plastic_strain(offset) <= bound;
}

// Lets less go where a measure would grow beyond its bound.
fn bounded(shrinking: bool, most: f32, offset: mat3x3f, strain: mat3x3f, eigen: Eigen, gone: f32) -> f32 {
    var before = 0.0;
    if shrinking {
        before = shrunk(offset);
    } else {
        before = plastic_strain(offset);
    }
    let bound = max(most, before);
    if is_bounded(shrinking, offset_losing(offset, strain, eigen, gone), bound) {
        return gone;
    }
    var less = 0.0;
    var more = gone;
    for (var i = 0; i < 30; i += 1) {
        let middle = 0.5 * (less + more);
        if is_bounded(shrinking, offset_losing(offset, strain, eigen, middle), bound) {
            less = middle;
        } else {
            more = middle;
        }
    }
    return less;
}

// Strain-state plasticity.
fn absorb(law: u32, g: mat3x3f, grain: Grain) -> Grain {
    let flow = laws[law].flow;
    var strain = symmetric_part(g);
    if !is_small() {
        strain = green_strain(g);
    }
    let norm = sqrt(contract(strain, strain));
    if !finite(norm) || norm <= flow.x {
        return grain;
    }
    var gone = min(flow.w, (norm - flow.x) / norm);
    if !(gone > 0.0) {
        return grain;
    }
    let eigen = principal_strain(g, strain);
    gone = bounded(false, flow.y, grain.offset, strain, eigen, gone);
    if !is_small() {
        gone = bounded(true, MOST_SHRUNK, grain.offset, strain, eigen, gone);
    }
    let absorbed = norm * gone;
    let offset = offset_losing(grain.offset, strain, eigen, gone);
    return Grain(offset, grain.strain + select(0.0, absorbed * 0.8164966, absorbed > 0.0));
}

fn settle_fibre(law: u32, f: mat3x3f, grain: Grain) -> Grain {
    let flow = laws[law].flow;
    let inverse = 1.0 + grain.offset[0].x;
    let length_of = sqrt(contract(f, f));
    let strain = length_of * inverse - 1.0;
    let size = abs(strain);
    var flowed = 0.0;
    if FLOW == BY_STRAIN {
        flowed = min(size * flow.w, size - flow.x);
        let plastic = 1.0 / inverse - 1.0;
        if plastic * strain >= 0.0 {
            flowed = min(flowed, flow.y - abs(plastic));
        }
    } else {
        let modulus = laws[law].modulus;
        let above = modulus * size - (flow.x + flow.y * grain.strain);
        flowed = above / (modulus + flow.y) * flow.w;
    }
    if !finite(flowed) || !(flowed > 0.0) || !(length_of > 0.0) {
        return grain;
    }
    let left = select(strain + flowed, strain - flowed, strain > 0.0);
    return Grain(scaled_identity((1.0 + left) / length_of - 1.0), grain.strain + flowed);
}

fn settled(law: u32, g: mat3x3f, grain: Grain) -> Grain {
    hardened = grain.strain;
    if LAW == FIBRE {
        return settle_fibre(law, g, grain);
    }
    let elastic = elastic_part(g, grain.offset).g;
    if FLOW == BY_STRAIN {
        return absorb(law, elastic, grain);
    }
    if LAW == HENCKY {
        let state = principal(law, elastic, laws[law].flow.w);
        let increment = state.returned.increment;
        if !(increment > 0.0) {
            return grain;
        }
        let lost = state.deviator * (state.returned.ratio - 1.0);
        let factors = vec3f(exp_less_one(lost.x), exp_less_one(lost.y), exp_less_one(lost.z));
        let flow = state.frame.v * diagonal(factors) * transpose(state.frame.v);
        return Grain(grain.offset + flow + grain.offset * flow, grain.strain + increment);
    }
    if LAW == SMALL {
        let state = small_strain(law, elastic, laws[law].flow.w);
        let increment = state.returned.increment;
        if !(increment > 0.0) {
            return grain;
        }
        return Grain(grain.offset - state.deviator * (1.0 - state.returned.ratio), grain.strain + increment);
    }
    return grain;
}
