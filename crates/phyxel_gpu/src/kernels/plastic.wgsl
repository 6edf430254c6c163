// Matter that keeps part of its deformation: twins of material/plastic/*.rs, for elements that are as warm as they were built.

// 1 where velocities count: Rayleigh's beta or viscosity.
override DAMPED: u32 = 0u;
// 1 where elements have grains.
override GRAINS: u32 = 0u;
// How they flow: not at all, by strain, by stress.
override FLOW: u32 = 0u;
const BY_STRAIN = 1u;
const BY_STRESS = 2u;

// F_p⁻¹ − I (minus the plastic strain where it is small, a multiple of the identity for fibres) and the accumulated strain.
struct Grain {
    offset: mat3x3f,
    strain: f32,
}

// F_e − I, or F_e of a fibre, and A = F_p⁻¹.
struct Elastic {
    g: mat3x3f,
    a: mat3x3f,
}

// The accumulated plastic strain of the element at hand.
var<private> hardened: f32;

fn unpacked_grain(a: vec4f, b: vec4f, c: vec4f) -> Grain {
    return Grain(mat3x3f(a.xyz, b.xyz, c.xyz), a.w);
}

fn is_small() -> bool {
    return (LAW == LINEAR && VOLUME == 0u) || LAW == SMALL;
}

fn elastic_part(g: mat3x3f, offset: mat3x3f) -> Elastic {
    if is_small() {
        return Elastic(g + offset, identity());
    }
    if LAW == FIBRE {
        let a = 1.0 + offset[0].x;
        return Elastic(g * a, scaled_identity(a));
    }
    return Elastic(offset + g + g * offset, identity() + offset);
}

// Stress of an element with its damping; `rate` is the gradient of velocities.
fn element_stress(law: u32, g: mat3x3f, rate: mat3x3f, grain: Grain) -> mat3x3f {
    var elastic = Elastic(g, identity());
    if GRAINS == 1u {
        hardened = grain.strain;
        elastic = elastic_part(g, grain.offset);
    }
    var p = law_stress(law, elastic.g);
    if DAMPED == 1u {
        let beta = laws[law].rayleigh_stiffness;
        if beta > 0.0 {
            p += tangent_apply(law, tangent_frame(law, elastic.g), rate * elastic.a) * beta;
        }
    }
    if GRAINS == 1u {
        p = p * transpose(elastic.a);
    }
    if DAMPED == 1u {
        p += viscous_stress(law, g, rate);
    }
    return p;
}

// Secant stiffness of flowing matter over the elastic one: what stabilisation may resist with, as it cannot flow itself.
fn penalty_factor(law: u32, strain: f32) -> f32 {
    let three_mu = 3.0 * laws[law].mu;
    if GRAINS == 0u || FLOW != BY_STRESS || (LAW != HENCKY && LAW != SMALL) || !(three_mu > 0.0) {
        return 1.0;
    }
    let strength = laws[law].flow.x + laws[law].flow.y * strain;
    return strength / (strength + three_mu * strain);
}

struct Surface {
    found: bool,
    // Yield stress now, and the slope that the increment sees.
    strength: f32,
    slope: f32,
}

// Where flow begins, when `share` of what is beyond goes.
fn surface_of(law: u32, share: f32) -> Surface {
    let flow = laws[law].flow;
    let three_mu = 3.0 * laws[law].mu;
    if FLOW != BY_STRESS || !(three_mu > 0.0) || !(share > 0.0) {
        return Surface(false, 0.0, 0.0);
    }
    return Surface(true, flow.x + flow.y * hardened, (three_mu + flow.y) / share - three_mu);
}

struct Returned {
    // What is left of the deviator, the increment of the plastic strain, and the factor of s ⊗ s in the tangent.
    ratio: f32,
    increment: f32,
    softening: f32,
}

fn return_to(mu: f32, q: f32, surface: Surface) -> Returned {
    if !(surface.found && q > surface.strength) {
        return Returned(1.0, 0.0, 0.0);
    }
    let three_mu = 3.0 * mu;
    let increment = (q - surface.strength) / (three_mu + surface.slope);
    let softening = -three_mu * three_mu * surface.strength / ((three_mu + surface.slope) * q * q * q);
    return Returned(1.0 - three_mu * increment / q, increment, softening);
}

// ln s where s is about one: that of WGSL may be wrong by half a millionth there.
fn log_near_one(s: f32) -> f32 {
    let z = (s - 1.0) / (s + 1.0);
    let w = z * z;
    let tail = 1.0 / 9.0 + w * (1.0 / 11.0 + w * (1.0 / 13.0 + w * (1.0 / 15.0 + w / 17.0)));
    return 2.0 * z * (1.0 + w * (1.0 / 3.0 + w * (0.2 + w * (1.0 / 7.0 + w * tail))));
}

// e^x − 1.
fn exp_less_one(x: f32) -> f32 {
    if abs(x) > 0.3 {
        return exp(x) - 1.0;
    }
    return x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0 * (1.0 + x / 7.0))))));
}

// Below this stretch the logarithm goes on as a straight line.
const LEAST_STRETCH = 0.1;

fn log_stretch(s: f32) -> f32 {
    if !(s >= LEAST_STRETCH) {
        return -2.3025851 + (s - LEAST_STRETCH) / LEAST_STRETCH;
    }
    if s > 0.5 && s < 2.0 {
        return log_near_one(s);
    }
    return log(s);
}

// A trial deformation in its principal directions.
struct Principal {
    frame: Svd,
    deviator: vec3f,
    slope: vec3f,
    bend: vec3f,
    tau: vec3f,
    returned: Returned,
}

fn principal(law: u32, g: mat3x3f, share: f32) -> Principal {
    var state: Principal;
    state.frame = svd(identity() + g);
    let s = state.frame.sigma;
    let ordinary = s >= vec3f(LEAST_STRETCH);
    let inverse = 1.0 / max(s, vec3f(LEAST_STRETCH));
    state.slope = inverse;
    state.bend = select(vec3f(0.0), -inverse * inverse, ordinary);
    let e = vec3f(log_stretch(s.x), log_stretch(s.y), log_stretch(s.z));
    let trace_of_e = e.x + e.y + e.z;
    state.deviator = e - vec3f(trace_of_e / 3.0);
    let mu = laws[law].mu;
    let q = mu * sqrt(6.0 * dot(state.deviator, state.deviator));
    state.returned = return_to(mu, q, surface_of(law, share));
    // The bulk modulus travels as lambda.
    state.tau = vec3f(laws[law].lam * trace_of_e) + state.deviator * (2.0 * mu * state.returned.ratio);
    return state;
}

fn hencky_stress(law: u32, g: mat3x3f) -> mat3x3f {
    let state = principal(law, g, laws[law].flow.z);
    return state.frame.u * diagonal(state.tau * state.slope) * transpose(state.frame.v);
}

fn hencky_spectrum(law: u32, state: Principal) -> Spectrum {
    var s: Spectrum;
    let two_mu = 2.0 * laws[law].mu;
    let shear = two_mu * state.returned.ratio;
    let along = state.deviator * two_mu;
    let same = mat3x3f(vec3f(1.0), vec3f(1.0), vec3f(1.0)) * (laws[law].lam - shear / 3.0);
    let block = same + scaled_identity(shear) + outer(along, along) * state.returned.softening;
    let stress = state.tau * state.slope;
    s.block = mat3x3f(
        block[0] * state.slope * state.slope.x,
        block[1] * state.slope * state.slope.y,
        block[2] * state.slope * state.slope.z,
    ) + diagonal(state.tau * state.bend);
    let a = state.frame.sigma.yzx;
    let b = state.frame.sigma.zxy;
    s.twist = (stress.yzx + stress.zxy) / max(a + b, vec3f(1e-5));
    let diagonal_of = vec3f(s.block[0].x, s.block[1].y, s.block[2].z);
    let beside = vec3f(s.block[1].z, s.block[2].x, s.block[0].y);
    let limit = 0.5 * (diagonal_of.yzx + diagonal_of.zxy) - beside;
    let apart = a - b;
    let far = abs(apart) > 0.0049215666 * (abs(a) + abs(b));
    s.flip = select(limit, (stress.yzx - stress.zxy) / select(vec3f(1.0), apart, far), far);
    return s;
}

// A small strain's parts and the answer to them.
struct SmallStrain {
    size: f32,
    deviator: mat3x3f,
    returned: Returned,
}

fn small_strain(law: u32, g: mat3x3f, share: f32) -> SmallStrain {
    var state: SmallStrain;
    state.size = trace(g);
    state.deviator = symmetric_part(g) - scaled_identity(state.size / 3.0);
    let mu = laws[law].mu;
    let q = mu * sqrt(6.0 * contract(state.deviator, state.deviator));
    state.returned = return_to(mu, q, surface_of(law, share));
    return state;
}

fn small_stress(law: u32, g: mat3x3f) -> mat3x3f {
    let state = small_strain(law, g, laws[law].flow.z);
    return state.deviator * (2.0 * laws[law].mu * state.returned.ratio) + scaled_identity(laws[law].lam * state.size);
}

// `deviator`, ratio and softening are those of the strain at which the tangent is asked for.
fn small_change(law: u32, deviator: mat3x3f, ratio: f32, softening: f32, dg: mat3x3f) -> mat3x3f {
    let two_mu = 2.0 * laws[law].mu;
    let size = trace(dg);
    let shear = symmetric_part(dg) - scaled_identity(size / 3.0);
    let along = deviator * (softening * two_mu * two_mu * contract(deviator, shear));
    return shear * (two_mu * ratio) + along + scaled_identity(laws[law].lam * size);
}
