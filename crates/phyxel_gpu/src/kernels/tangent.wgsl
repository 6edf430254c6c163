// ∂P/∂F : δF, projected to positive semi-definite: twins of material/isotropic.rs and the laws.

struct Spectrum {
    block: mat3x3f,
    twist: vec3f,
    flip: vec3f,
}

struct Frame {
    u: mat3x3f,
    v: mat3x3f,
    spectrum: Spectrum,
}

fn jacobi_rotation(
    app: ptr<function, f32>,
    aqq: ptr<function, f32>,
    apq: ptr<function, f32>,
    arp: ptr<function, f32>,
    arq: ptr<function, f32>,
    vp: ptr<function, vec3f>,
    vq: ptr<function, vec3f>,
) {
    if abs(*apq) <= 1e-12 * (abs(*app) + abs(*aqq)) {
        return;
    }
    let theta = (*aqq - *app) / (2.0 * *apq);
    let size = 1.0 / (abs(theta) + sqrt(theta * theta + 1.0));
    let t = select(size, -size, theta < 0.0);
    let c = 1.0 / sqrt(t * t + 1.0);
    let s = t * c;
    *app -= t * *apq;
    *aqq += t * *apq;
    *apq = 0.0;
    let x = *arp;
    let y = *arq;
    *arp = c * x - s * y;
    *arq = s * x + c * y;
    let a = *vp;
    let b = *vq;
    *vp = a * c - b * s;
    *vq = a * s + b * c;
}

// Whether Cholesky's method succeeds with a shift of some roundings.
fn is_psd(m: mat3x3f, size: f32) -> bool {
    let shift = 16.0 * EPSILON * size;
    let d0 = m[0].x + shift;
    if !(d0 > 0.0) { return false; }
    let l10 = m[0].y * inverseSqrt(d0);
    let l20 = m[0].z * inverseSqrt(d0);
    let d1 = m[1].y - l10 * l10 + shift;
    if !(d1 > 0.0) { return false; }
    let l21 = (m[1].z - l20 * l10) * inverseSqrt(d1);
    return m[2].z - l20 * l20 - l21 * l21 + shift > 0.0;
}

fn project_psd(m: mat3x3f) -> mat3x3f {
    let largest3 = max(max(abs(m[0]), abs(m[1])), abs(m[2]));
    let size = max(max(largest3.x, largest3.y), largest3.z);
    if !finite(size) || size == 0.0 || is_psd(m, size) {
        return m;
    }
    var a00 = m[0].x / size;
    var a11 = m[1].y / size;
    var a22 = m[2].z / size;
    var a01 = m[1].x / size;
    var a02 = m[2].x / size;
    var a12 = m[2].y / size;
    var v0 = vec3f(1.0, 0.0, 0.0);
    var v1 = vec3f(0.0, 1.0, 0.0);
    var v2 = vec3f(0.0, 0.0, 1.0);
    for (var sweep = 0; sweep < 6; sweep += 1) {
        jacobi_rotation(&a00, &a11, &a01, &a02, &a12, &v0, &v1);
        jacobi_rotation(&a00, &a22, &a02, &a01, &a12, &v0, &v2);
        jacobi_rotation(&a11, &a22, &a12, &a01, &a02, &v1, &v2);
    }
    return (outer(v0, v0) * max(a00, 0.0) + outer(v1, v1) * max(a11, 0.0) + outer(v2, v2) * max(a22, 0.0)) * size;
}

fn add_volume_spectrum(spectrum: ptr<function, Spectrum>, sigma: vec3f, slope: f32, curvature: f32) {
    let area = vec3f(sigma.y * sigma.z, sigma.z * sigma.x, sigma.x * sigma.y);
    let bend = sigma * slope;
    (*spectrum).block += outer(area, area) * curvature
        + mat3x3f(0.0, bend.z, bend.y, bend.z, 0.0, bend.x, bend.y, bend.x, 0.0);
    (*spectrum).twist += bend;
    (*spectrum).flip -= bend;
}

fn spectrum_of(law: u32, sigma: vec3f) -> Spectrum {
    let lam = laws[law].lam;
    let mu = laws[law].mu;
    var s: Spectrum;
    // The pairs of axes opposite to each axis.
    let a = sigma.yzx;
    let b = sigma.zxy;
    if LAW == STVK {
        let square = sigma * sigma;
        let base = lam * 0.5 * (square.x + square.y + square.z - 3.0) - mu;
        s.block = outer(sigma, sigma) * lam + diagonal(vec3f(base) + 3.0 * mu * square);
        s.twist = vec3f(base) + mu * (a * a + b * b - a * b);
        s.flip = vec3f(base) + mu * (a * a + b * b + a * b);
    } else if LAW == COROTATED {
        let change = sigma.x + sigma.y + sigma.z - 3.0;
        s.block = mat3x3f(lam, lam, lam, lam, lam, lam, lam, lam, lam) + scaled_identity(mu + mu);
        s.flip = vec3f(mu + mu);
        s.twist = vec3f(mu + mu) + 2.0 * (lam * change - (mu + mu)) * (1.0 / max(a + b, vec3f(1e-5)));
        if VOLUME == 0u {
            // Hooke's law of matter that is stable has no stretch without resistance.
            return Spectrum(s.block, max(s.twist, vec3f(0.0)), max(s.flip, vec3f(0.0)));
        }
    } else {
        s.block = scaled_identity(mu);
        s.twist = vec3f(mu);
        s.flip = vec3f(mu);
        let modulus = lam + mu;
        let change = sigma.x * sigma.y * sigma.z - 1.0;
        add_volume_spectrum(&s, sigma, modulus * change - mu, modulus);
    }
    if VOLUME == 1u {
        let stiffness = laws[law].volume;
        let change = sigma.x * sigma.y * sigma.z - 1.0;
        add_volume_spectrum(&s, sigma, stiffness * change, stiffness);
    }
    return projected(s);
}

fn projected(s: Spectrum) -> Spectrum {
    return Spectrum(project_psd(s.block), max(s.twist, vec3f(0.0)), max(s.flip, vec3f(0.0)));
}

// What the tangent at G needs, once per element.
fn tangent_frame(law: u32, g: mat3x3f) -> Frame {
    var frame: Frame;
    if LAW == STVK || LAW == COROTATED || LAW == NEO_HOOKEAN {
        let parts = svd(identity() + g);
        frame.u = parts.u;
        frame.v = parts.v;
        frame.spectrum = spectrum_of(law, parts.sigma);
    } else if LAW == HENCKY {
        let state = principal(law, g, laws[law].flow.z);
        frame.u = state.frame.u;
        frame.v = state.frame.v;
        frame.spectrum = projected(hencky_spectrum(law, state));
    } else if LAW == SMALL {
        let state = small_strain(law, g, laws[law].flow.z);
        frame.u = state.deviator;
        frame.spectrum.twist = vec3f(state.returned.ratio, state.returned.softening, 0.0);
    } else {
        frame.u = g;
    }
    return frame;
}

fn tangent_apply(law: u32, frame: Frame, dg: mat3x3f) -> mat3x3f {
    if LAW == LINEAR {
        let mu = max(laws[law].mu, 0.0);
        let size = max(3.0 * laws[law].lam + 2.0 * laws[law].mu, 0.0);
        let lam = (size - 2.0 * mu) / 3.0;
        return (dg + transpose(dg)) * mu + scaled_identity(lam * trace(dg));
    }
    if LAW == SMALL {
        return small_change(law, frame.u, frame.spectrum.twist.x, frame.spectrum.twist.y, dg);
    }
    if LAW == FIBRE {
        let stretch = sqrt(contract(frame.u, frame.u));
        if stretch == 0.0 {
            return mat3x3f();
        }
        let direction = frame.u * (1.0 / stretch);
        let modulus = laws[law].modulus;
        let across = max(modulus * (stretch - 1.0) / max(stretch, EPSILON), 0.0);
        let along = direction * contract(direction, dg);
        return along * modulus + (dg - along) * across;
    }
    let d = transpose(frame.u) * dg * frame.v;
    let stretch = frame.spectrum.block * vec3f(d[0].x, d[1].y, d[2].z);
    // Entries (i, j) and (j, i) of the pair of axes opposite to each axis.
    let upper = vec3f(d[2].y, d[0].z, d[1].x);
    let lower = vec3f(d[1].z, d[2].x, d[0].y);
    let alike = frame.spectrum.flip * 0.5 * (upper + lower);
    let turning = frame.spectrum.twist * 0.5 * (upper - lower);
    let p = alike + turning;
    let q = alike - turning;
    let stress = mat3x3f(stretch.x, q.z, p.y, p.z, stretch.y, q.x, q.y, p.x, stretch.z);
    return frame.u * stress * transpose(frame.v);
}
