// An element leaves its record for its nodes.

fn leave_stress(e: u32, s: mat3x3f) {
    records[3u * e] = bitcast<vec4u>(vec4f(s[0], 0.0));
    records[3u * e + 1u] = bitcast<vec4u>(vec4f(s[1], 0.0));
    records[3u * e + 2u] = bitcast<vec4u>(vec4f(s[2], 0.0));
}

fn leave(e: u32, elements: u32, record: Record) {
    let s = record.s;
    let g = record.g;
    if SHORT == 1u {
        let exponents = vec3u(shared_exponent(s), shared_exponent(g), record.exponent);
        let scales = vec2f(per_unit(exponents.x), per_unit(exponents.y));
        records[record_at(e, 0u, elements)] = vec4u(packed3(s[0], scales.x), packed3(s[1], scales.x));
        records[record_at(e, 1u, elements)] = vec4u(packed3(s[2], scales.x), packed3(g[0], scales.y));
        records[record_at(e, 2u, elements)] = vec4u(packed3(g[1], scales.y), packed3(g[2], scales.y));
        var base = bitcast<vec3u>(record.base);
        // Whole numbers cannot be infinite: who feels this shall know.
        if !(finite3(s[0]) && finite3(s[1]) && finite3(s[2])) {
            base = vec3u(0x7fc00000u);
        }
        records[record_at(e, 3u, elements)] = vec4u(base, exponents.x | (exponents.y << 8u) | (exponents.z << 16u));
        return;
    }
    let base = record.base;
    records[record_at(e, 0u, elements)] = bitcast<vec4u>(vec4f(s[0], base.x));
    records[record_at(e, 1u, elements)] = bitcast<vec4u>(vec4f(s[1], base.y));
    records[record_at(e, 2u, elements)] = bitcast<vec4u>(vec4f(s[2], base.z));
    records[record_at(e, 3u, elements)] = vec4u(bitcast<vec3u>(g[0]), bitcast<u32>(record.spring));
    records[record_at(e, 4u, elements)] = bitcast<vec4u>(vec4f(g[1], 0.0));
    records[record_at(e, 5u, elements)] = bitcast<vec4u>(vec4f(g[2], 0.0));
}
