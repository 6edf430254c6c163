// The twin of `software` and `light`: the same view, the same primitives, the same light.

struct View {
    eye: vec4f,   // w: pixels per unit of tangent, or per metre
    right: vec4f, // w: column of the middle
    up: vec4f,    // w: row of the middle
    back: vec4f,  // w: 1 perspective, 0 parallel
    size: vec4f,  // width, height, nearest depth, farthest depth
}

struct Fragment {
    @location(0) surface: vec4f, // normal, depth
    @location(1) colour: vec4f,
}

@group(0) @binding(0) var<uniform> view: View;

struct Paint { mode: vec4u } // 0 plain, 1 chequered, 2 texture
@group(1) @binding(0) var<uniform> paint: Paint;
@group(1) @binding(1) var picture: texture_2d<f32>;
@group(1) @binding(2) var smooth_sampler: sampler;

const RIM: f32 = 0.35;
const DARKER: f32 = 0.78;

fn is_perspective(v: View) -> bool { return v.back.w > 0.5; }

/// Column, row, depth and weight of a point.
fn project(v: View, p: vec3f) -> vec4f {
    let rel = p - v.eye.xyz;
    let depth = -dot(rel, v.back.xyz);
    let weight = select(1.0, 1.0 / depth, is_perspective(v));
    let scale = v.eye.w * weight;
    return vec4f(v.right.w + scale * dot(rel, v.right.xyz), v.up.w - scale * dot(rel, v.up.xyz), depth, weight);
}

/// What the depth buffer holds: larger is nearer.
fn nearness(v: View, depth: f32) -> f32 {
    return select(1.0 - depth / v.size.w, v.size.z / depth, is_perspective(v));
}

fn clip_of(v: View, pixel: vec2f, depth: f32) -> vec4f {
    let at = vec2f(2.0 * pixel.x / v.size.x - 1.0, 1.0 - 2.0 * pixel.y / v.size.y);
    if is_perspective(v) {
        return vec4f(at * depth, v.size.z, depth);
    }
    return vec4f(at, nearness(v, depth), 1.0);
}

/// The same for any point, also behind the eye, where triangles are cut.
fn clip_of_point(v: View, p: vec3f) -> vec4f {
    let rel = p - v.eye.xyz;
    let depth = -dot(rel, v.back.xyz);
    let side = 2.0 * v.eye.w * vec2f(dot(rel, v.right.xyz) / v.size.x, dot(rel, v.up.xyz) / v.size.y);
    let middle = vec2f(2.0 * v.right.w / v.size.x - 1.0, 1.0 - 2.0 * v.up.w / v.size.y);
    if is_perspective(v) {
        return vec4f(side + middle * depth, v.size.z, depth);
    }
    return vec4f(side + middle, nearness(v, depth), 1.0);
}

const NOWHERE: vec4f = vec4f(2.0, 2.0, 0.0, 1.0);

fn quad(index: u32) -> vec2f {
    return vec2f(select(-1.0, 1.0, (index & 1u) == 1u), select(-1.0, 1.0, (index & 2u) == 2u));
}

// --- triangles

struct MeshOut {
    @builtin(position) clip: vec4f,
    @location(0) normal: vec3f,
    @location(1) colour: vec3f,
    @location(2) coordinates: vec3f,
    @location(3) depth: f32,
}

@vertex
fn mesh_vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec3f,
    @location(3) coordinates: vec3f,
) -> MeshOut {
    let depth = -dot(position - view.eye.xyz, view.back.xyz);
    return MeshOut(clip_of_point(view, position), normal, colour, coordinates, depth);
}

@fragment
fn mesh_fragment(in: MeshOut) -> Fragment {
    var colour = in.colour;
    if paint.mode.x == 1u {
        let cell = vec3i(floor(in.coordinates));
        if ((cell.x ^ cell.y ^ cell.z) & 1) == 1 {
            colour *= DARKER;
        }
    } else if paint.mode.x == 2u {
        colour = textureSampleLevel(picture, smooth_sampler, vec2f(in.coordinates.x, 1.0 - in.coordinates.y), 0.0).rgb;
    }
    return Fragment(vec4f(normalize(in.normal), in.depth), vec4f(colour, 1.0));
}

// --- balls

struct BallOut {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) middle: vec4f, // column, row, depth, radius in pixels
    @location(1) @interpolate(flat) colour: vec4f, // radius [m]
}

@vertex
fn ball_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) centre: vec3f,
    @location(1) radius: f32,
    @location(2) colour: vec3f,
) -> BallOut {
    let at = project(view, centre);
    if at.z <= 0.0 {
        return BallOut(NOWHERE, vec4f(0.0), vec4f(0.0));
    }
    let pixels = radius * view.eye.w * at.w;
    let clip = clip_of(view, at.xy + quad(index) * (pixels + 1.0), at.z);
    return BallOut(clip, vec4f(at.xyz, pixels), vec4f(colour, radius));
}

/// Right, up and towards the eye; negative towards the eye where there is nothing.
fn on_ball(in: BallOut) -> vec3f {
    let off = vec2f(in.clip.x - in.middle.x, in.middle.y - in.clip.y) / in.middle.w;
    let rest = 1.0 - dot(off, off);
    return vec3f(off, select(sqrt(max(rest, 0.0)), -1.0, rest < 0.0));
}

struct WithDepth {
    @location(0) surface: vec4f,
    @location(1) colour: vec4f,
    @builtin(frag_depth) nearness: f32,
}

fn with_depth(normal: vec3f, depth: f32, colour: vec3f) -> WithDepth {
    return WithDepth(vec4f(normal, depth), vec4f(colour, 1.0), nearness(view, depth));
}

@fragment
fn ball_fragment(in: BallOut) -> WithDepth {
    let at = on_ball(in);
    if at.z < 0.0 {
        discard;
    }
    let normal = view.right.xyz * at.x + view.up.xyz * at.y + view.back.xyz * at.z;
    return with_depth(normal, in.middle.z - in.colour.w * at.z, in.colour.rgb);
}

@fragment
fn ball_depth(in: BallOut) -> @builtin(frag_depth) f32 {
    let at = on_ball(in);
    if at.z < 0.0 {
        discard;
    }
    return nearness(view, in.middle.z - in.colour.w * at.z);
}

// --- rods

struct RodOut {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) from_end: vec4f, // column, row, depth, radius in pixels
    @location(1) @interpolate(flat) to_end: vec4f,
    @location(2) @interpolate(flat) colour: vec4f, // radius [m]
}

@vertex
fn rod_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) start: vec3f,
    @location(1) radius: f32,
    @location(2) end: vec3f,
    @location(3) colour: vec3f,
) -> RodOut {
    let a = project(view, start);
    let b = project(view, end);
    if a.z <= 0.0 || b.z <= 0.0 {
        return RodOut(NOWHERE, vec4f(1.0), vec4f(1.0), vec4f(0.0));
    }
    let ra = radius * view.eye.w * a.w;
    let rb = radius * view.eye.w * b.w;
    let reach = max(ra, rb) + 1.0;
    let line = b.xy - a.xy;
    let length = length(line);
    let along = select(vec2f(1.0, 0.0), line / max(length, 1e-6), length > 1e-6);
    let side = vec2f(-along.y, along.x);
    let corner = quad(index);
    let end_point = select(a, b, corner.x > 0.0);
    let pixel = end_point.xy + (along * corner.x + side * corner.y) * reach;
    let clip = clip_of(view, pixel, end_point.z);
    return RodOut(clip, vec4f(a.xyz, ra), vec4f(b.xyz, rb), vec4f(colour, radius));
}

/// Right, up, towards the eye (negative where there is nothing), and the depth of the surface.
fn on_rod(in: RodOut) -> vec4f {
    let line = in.to_end.xy - in.from_end.xy;
    let t = clamp(dot(in.clip.xy - in.from_end.xy, line) / max(dot(line, line), 1e-12), 0.0, 1.0);
    let pixels = mix(in.from_end.w, in.to_end.w, t);
    let middle = in.from_end.xy + t * line;
    let off = vec2f(in.clip.x - middle.x, middle.y - in.clip.y) / pixels;
    let rest = 1.0 - dot(off, off);
    let axis = 1.0 / mix(1.0 / in.from_end.z, 1.0 / in.to_end.z, t);
    let towards = sqrt(max(rest, 0.0));
    return vec4f(off, select(towards, -1.0, rest < 0.0), axis - in.colour.w * towards);
}

@fragment
fn rod_fragment(in: RodOut) -> WithDepth {
    let at = on_rod(in);
    if at.z < 0.0 {
        discard;
    }
    let normal = view.right.xyz * at.x + view.up.xyz * at.y + view.back.xyz * at.z;
    return with_depth(normal, at.w, in.colour.rgb);
}

@fragment
fn rod_depth(in: RodOut) -> @builtin(frag_depth) f32 {
    let at = on_rod(in);
    if at.z < 0.0 {
        discard;
    }
    return nearness(view, at.w);
}

// --- discs

struct DiscOut {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) centre: vec3f,
    @location(1) @interpolate(flat) normal: vec3f,
    @location(2) @interpolate(flat) first: vec3f,
    @location(3) @interpolate(flat) second: vec3f,
    @location(4) @interpolate(flat) colour: vec3f,
}

@vertex
fn disc_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) centre: vec3f,
    @location(1) normal: vec3f,
    @location(2) first: vec3f,
    @location(3) second: vec3f,
    @location(4) colour: vec3f,
) -> DiscOut {
    let at = project(view, centre);
    if at.z <= 0.0 {
        return DiscOut(NOWHERE, centre, normal, first, second, colour);
    }
    let reach = max(length(first), length(second));
    let pixels = 1.1 * reach * view.eye.w * at.w + 1.0;
    return DiscOut(clip_of(view, at.xy + quad(index) * pixels, at.z), centre, normal, first, second, colour);
}

/// The depth at a pixel; zero where there is nothing.
fn on_disc(in: DiscOut) -> f32 {
    let flat_off = vec2f(in.clip.x - view.right.w, view.up.w - in.clip.y) / view.eye.w;
    let sideways = view.right.xyz * flat_off.x + view.up.xyz * flat_off.y;
    let from_eye = select(view.eye.xyz + sideways, view.eye.xyz, is_perspective(view));
    let along = select(-view.back.xyz, sideways - view.back.xyz, is_perspective(view));
    let depth = dot(in.centre - from_eye, in.normal) / dot(along, in.normal);
    let arm = from_eye + along * depth - in.centre;
    let squares = vec2f(dot(in.first, in.first), dot(in.second, in.second));
    let off = vec2f(dot(arm, in.first), dot(arm, in.second)) / squares;
    let square = dot(off, off);
    if !(depth > 0.0 && square <= 1.0) {
        return 0.0;
    }
    return depth + RIM * sqrt(max(squares.x, squares.y)) * square;
}

@fragment
fn disc_fragment(in: DiscOut) -> WithDepth {
    let depth = on_disc(in);
    if depth <= 0.0 {
        discard;
    }
    return with_depth(in.normal, depth, in.colour);
}

@fragment
fn disc_depth(in: DiscOut) -> @builtin(frag_depth) f32 {
    let depth = on_disc(in);
    if depth <= 0.0 {
        discard;
    }
    return nearness(view, depth);
}
