// Phyxels without a rest shape: weights of their entries are about present offsets, so that they give the gradient W of displacements
// in the reference, and the deformation is F = (I + W) F₀ with the elastic one that was there. `base` is F₀ − I.

// F₀ where it counts: one without inverse has stencils as if it were the identity.
fn pushed(base: mat3x3f) -> mat3x3f {
    let f = identity() + base;
    let inverse = inverse3(f);
    if det3(f) != 0.0 && finite3(inverse[0]) && finite3(inverse[1]) && finite3(inverse[2]) {
        return f;
    }
    return identity();
}
