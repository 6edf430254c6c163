// Strain to stress: twins of material/*.rs. The law is chosen when the kernel is compiled.

const LINEAR = 0u;
const STVK = 1u;
const ANISOTROPIC = 2u;
const COROTATED = 3u;
const NEO_HOOKEAN = 4u;
const FIBRE = 5u;
// Hooke's law on the logarithmic strain and on the small one, with a return to a yield surface.
const HENCKY = 6u;
const SMALL = 7u;

override LAW: u32 = 1u;
// 1 where the volume term is added.
override VOLUME: u32 = 0u;

struct Law {
    lam: f32,
    mu: f32,
    volume: f32,
    modulus: f32,
    viscosity: f32,
    bulk_viscosity: f32,
    rayleigh_stiffness: f32,
    penalty: f32,
    stiffness: array<vec4f, 9>,
    // Yield strain or stress, bound of the plastic strain or hardening, and which share of an excess flows within an
    // evaluation and at the end of a step.
    flow: vec4f,
}

fn second_invariant(g: mat3x3f) -> f32 {
    return (g[0].x * g[1].y - g[1].x * g[0].y) + (g[1].y * g[2].z - g[2].y * g[1].z) + (g[2].z * g[0].x - g[2].x * g[0].z);
}

// det F − 1
fn volume_change(g: mat3x3f) -> f32 {
    return trace(g) + second_invariant(g) + det3(g);
}

// cof F
fn cofactor_of_f(g: mat3x3f) -> mat3x3f {
    return scaled_identity(1.0 + trace(g)) - transpose(g) + cofactor(g);
}

fn hooke(lam: f32, mu: f32, e: mat3x3f) -> mat3x3f {
    return e * (mu + mu) + scaled_identity(lam * trace(e));
}

fn anisotropic(law: u32, e: mat3x3f) -> mat3x3f {
    var voigt = array<f32, 6>(e[0].x, e[1].y, e[2].z, e[2].y + e[1].z, e[0].z + e[2].x, e[1].x + e[0].y);
    var s = array<f32, 6>();
    for (var i = 0u; i < 6u; i += 1u) {
        var sum = 0.0;
        for (var j = 0u; j < 6u; j += 1u) {
            sum += laws[law].stiffness[(6u * i + j) / 4u][(6u * i + j) % 4u] * voigt[j];
        }
        s[i] = sum;
    }
    return mat3x3f(s[0], s[5], s[4], s[5], s[1], s[3], s[4], s[3], s[2]);
}

fn law_stress(law: u32, g: mat3x3f) -> mat3x3f {
    let lam = laws[law].lam;
    let mu = laws[law].mu;
    var p: mat3x3f;
    if LAW == LINEAR {
        p = (g + transpose(g)) * mu + scaled_identity(lam * trace(g));
    } else if LAW == STVK {
        let s = hooke(lam, mu, green_strain(g));
        p = s + g * s;
    } else if LAW == ANISOTROPIC {
        let s = anisotropic(law, green_strain(g));
        p = s + g * s;
    } else if LAW == COROTATED {
        let parts = polar(g);
        p = parts.rotation * hooke(lam, mu, parts.strain);
    } else if LAW == NEO_HOOKEAN {
        let shear = g + transpose(g) - scaled_identity(trace(g)) - cofactor(g);
        p = shear * mu + cofactor_of_f(g) * ((lam + mu) * volume_change(g));
    } else if LAW == HENCKY {
        p = hencky_stress(law, g);
    } else if LAW == SMALL {
        p = small_stress(law, g);
    } else {
        let stretch = sqrt(contract(g, g));
        let along = select(0.0, laws[law].modulus * (stretch - 1.0) / stretch, stretch > 0.0);
        p = g * along;
    }
    if VOLUME == 1u {
        p += cofactor_of_f(g) * (laws[law].volume * volume_change(g));
    }
    return p;
}

// Kelvin–Voigt stress.
fn viscous_stress(law: u32, g: mat3x3f, rate: mat3x3f) -> mat3x3f {
    let f = identity() + g;
    let strain_rate = symmetric_part(transpose(f) * rate);
    return f * hooke(laws[law].bulk_viscosity, laws[law].viscosity, strain_rate);
}
