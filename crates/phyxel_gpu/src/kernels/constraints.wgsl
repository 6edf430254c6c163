// Laws as measures of deformation with a stiffness each, for position-based steps: twins of `constraints` in material/*.rs.

struct Constraint {
    value: f32,
    gradient: mat3x3f,
    modulus: f32,
}

// C = ‖M‖, with `direction` the product C ∂C/∂F.
fn norm_constraint(m: mat3x3f, direction: mat3x3f, modulus: f32) -> Constraint {
    let value = sqrt(contract(m, m));
    if value > 0.0 {
        return Constraint(value, direction * (1.0 / value), modulus);
    }
    return Constraint(value, mat3x3f(), modulus);
}

fn form_constraint(law: u32, g: mat3x3f) -> Constraint {
    let mu = laws[law].mu;
    if LAW == LINEAR {
        let strain = symmetric_part(g);
        return norm_constraint(strain, strain, 2.0 * mu);
    }
    if LAW == STVK {
        let e = green_strain(g);
        return norm_constraint(e, e + g * e, 2.0 * mu);
    }
    if LAW == COROTATED {
        let parts = polar(g);
        return norm_constraint(parts.strain, parts.rotation * parts.strain, 2.0 * mu);
    }
    if LAW == NEO_HOOKEAN {
        let f = identity() + g;
        return norm_constraint(f, f, mu);
    }
    if LAW == ANISOTROPIC {
        let e = green_strain(g);
        let s = anisotropic(law, e);
        let value = sqrt(max(contract(e, s), 0.0));
        if value > 0.0 {
            return Constraint(value, (s + g * s) * (1.0 / value), 1.0);
        }
        return Constraint(0.0, mat3x3f(), 1.0);
    }
    if LAW == HENCKY {
        let state = principal(law, g, 0.0);
        let norm = length(state.deviator);
        let scale = select(0.0, 1.0 / norm, norm > 0.0);
        let along = diagonal(state.deviator * scale * state.slope);
        return Constraint(norm, state.frame.u * along * transpose(state.frame.v), 2.0 * mu);
    }
    if LAW == SMALL {
        let state = small_strain(law, g, 0.0);
        return norm_constraint(state.deviator, state.deviator, 2.0 * mu);
    }
    let stretch = sqrt(contract(g, g));
    if stretch > 0.0 {
        return Constraint(stretch - 1.0, g * (1.0 / stretch), laws[law].modulus);
    }
    return Constraint(-1.0, mat3x3f(), laws[law].modulus);
}

fn size_constraint(law: u32, g: mat3x3f) -> Constraint {
    let lam = laws[law].lam;
    if LAW == LINEAR || LAW == SMALL {
        return Constraint(trace(g), identity(), lam);
    }
    if LAW == STVK {
        return Constraint(trace(green_strain(g)), identity() + g, lam);
    }
    if LAW == COROTATED {
        let parts = polar(g);
        return Constraint(trace(parts.strain), parts.rotation, lam);
    }
    if LAW == NEO_HOOKEAN {
        let modulus = lam + laws[law].mu;
        let rest = select(0.0, laws[law].mu / modulus, modulus != 0.0);
        return Constraint(volume_change(g) - rest, cofactor_of_f(g), modulus);
    }
    if LAW == HENCKY {
        let state = principal(law, g, 0.0);
        let s = state.frame.sigma;
        let size = log_stretch(s.x) + log_stretch(s.y) + log_stretch(s.z);
        return Constraint(size, state.frame.u * diagonal(state.slope) * transpose(state.frame.v), lam);
    }
    return Constraint(0.0, mat3x3f(), 0.0);
}

// Form, size and the volume term.
fn constraint_of(law: u32, g: mat3x3f, which: u32) -> Constraint {
    if which == 0u {
        return form_constraint(law, g);
    }
    if which == 1u {
        return size_constraint(law, g);
    }
    return Constraint(volume_change(g), cofactor_of_f(g), laws[law].volume);
}
