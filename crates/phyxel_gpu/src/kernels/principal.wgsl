// The largest principal value of Cauchy's stress, and whether it is more than an element bears: what fracture looks at first.

// What each element bears [Pa].
@group(0) @binding(3) var<storage, read> strengths: array<f32>;
// Principal stress [Pa], and one where it is beyond the strength.
@group(0) @binding(4) var<storage, read_write> found: array<vec2f>;
@group(0) @binding(5) var<storage, read> grains: array<vec4f>;

fn grain_at(place: u32) -> Grain {
    var grain: Grain;
    if GRAINS == 1u {
        grain = unpacked_grain(grains[3u * place], grains[3u * place + 1u], grains[3u * place + 2u]);
    }
    return grain;
}

fn note_stress(place: u32, law: u32, g: mat3x3f) {
    var still: mat3x3f;
    let f = identity() + g;
    let s = symmetric_part(element_stress(law, g, still, grain_at(place)) * transpose(f)) * (1.0 / det3(f));
    // Shifted, so that singular values are eigenvalues, and the largest first.
    let normal = svd(s + scaled_identity(sqrt(contract(s, s)))).v[0];
    let largest = dot(normal, s * normal);
    found[place] = vec2f(largest, select(0.0, 1.0, largest >= strengths[place]));
}
