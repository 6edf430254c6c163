// What a lane reads of a tetrahedron: three vectors, each asked for at once.
struct Piece {
    d1: vec3f,
    d2: vec3f,
    d3: vec3f,
    volume: f32,
    // Four nodes of the cluster, a byte each.
    nodes: u32,
}

fn piece_of(cluster: u32, lane: u32) -> Piece {
    let at = cluster * 768u + lane;
    let a = bitcast<vec4f>(shapes[at]);
    let b = bitcast<vec4f>(shapes[at + 256u]);
    let c = shapes[at + 512u];
    return Piece(a.xyz, vec3f(a.w, b.xy), vec3f(b.zw, bitcast<f32>(c.x)), bitcast<f32>(c.y), c.z);
}
