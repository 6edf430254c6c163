// The light on every sample, and the mean over the samples of each pixel.

struct View {
    eye: vec4f,
    right: vec4f,
    up: vec4f,
    back: vec4f,
    size: vec4f,
}

struct Room {
    view: View,
    shadow: View,
    below: View,
    key: vec4f,    // towards the light; w: size of a texel of its map [m]
    fill_light: vec4f,
    floor_plane: vec4f, // height, side of a square, radius, 1 where there is one
    centre: vec4f,
    counts: vec4f, // samples along a side, width of the picture, side of the map from below, unused
}

@group(0) @binding(0) var<uniform> room: Room;
@group(0) @binding(1) var surfaces: texture_2d<f32>;
@group(0) @binding(2) var colours: texture_2d<f32>;
@group(0) @binding(3) var shadow_map: texture_depth_2d;
@group(0) @binding(4) var blocks: texture_2d<f32>;
@group(0) @binding(5) var dimness_map: texture_2d<f32>;

const SOFT: i32 = 3;
const BLOCK: i32 = 8;
const FAR: f32 = 1e30;

@vertex
fn everywhere(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

/// What the light sees at a texel [m].
fn shadow_depth(at: vec2i) -> f32 {
    let size = vec2i(textureDimensions(shadow_map));
    if any(at < vec2i(0)) || any(at >= size) {
        return FAR;
    }
    let nearness = textureLoad(shadow_map, at, 0);
    return select((1.0 - nearness) * room.shadow.size.w, FAR, nearness <= 0.0);
}

/// Nearest and farthest depth in each block and around it.
@fragment
fn block_depths(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let first = vec2i(position.xy) * BLOCK - (SOFT + 1);
    var near = FAR;
    var far = 0.0;
    for (var y = 0; y < BLOCK + 2 * (SOFT + 1); y++) {
        for (var x = 0; x < BLOCK + 2 * (SOFT + 1); x++) {
            let depth = shadow_depth(first + vec2i(x, y));
            near = min(near, depth);
            far = max(far, depth);
        }
    }
    return vec4f(near, far, 0.0, 0.0);
}

/// Column, row and depth in a parallel view.
fn in_parallel(v: View, p: vec3f) -> vec3f {
    let rel = p - v.eye.xyz;
    return vec3f(
        v.right.w + v.eye.w * dot(rel, v.right.xyz),
        v.up.w - v.eye.w * dot(rel, v.up.xyz),
        -dot(rel, v.back.xyz),
    );
}

fn key_light(p: vec3f, normal: vec3f) -> f32 {
    let texel = room.key.w;
    let at = in_parallel(room.shadow, p + normal * (2.5 * texel));
    let size = room.shadow.size.x;
    let soft = f32(SOFT);
    if at.z <= 0.0 || any(at.xy < vec2f(-soft)) || any(at.xy > vec2f(size + soft)) {
        return 1.0;
    }
    let limit = at.z - 1.5 * texel;
    let block = vec2i(clamp(at.xy, vec2f(0.0), vec2f(size - 1.0))) / BLOCK;
    let bounds = textureLoad(blocks, block, 0).xy;
    if limit <= bounds.x {
        return 1.0;
    }
    if limit > bounds.y {
        return 0.0;
    }
    let middle = vec2i(floor(at.xy));
    var lit = 0.0;
    var total = 0.0;
    for (var dy = -SOFT; dy <= SOFT; dy++) {
        for (var dx = -SOFT; dx <= SOFT; dx++) {
            let texel_at = middle + vec2i(dx, dy);
            let weight = max(soft + 0.5 - length(vec2f(texel_at) + 0.5 - at.xy), 0.0);
            total += weight;
            if shadow_depth(texel_at) >= limit {
                lit += weight;
            }
        }
    }
    return lit / total;
}

fn dimness(p: vec3f) -> f32 {
    let at = in_parallel(room.below, p).xy - 0.5;
    let limit = room.counts.z - 1.0;
    if any(at < vec2f(0.0)) || any(at >= vec2f(limit)) {
        return 0.0;
    }
    let low = vec2i(at);
    let f = fract(at);
    let upper = mix(textureLoad(dimness_map, low, 0).x, textureLoad(dimness_map, low + vec2i(1, 0), 0).x, f.x);
    let lower = mix(textureLoad(dimness_map, low + vec2i(0, 1), 0).x, textureLoad(dimness_map, low + vec2i(1, 1), 0).x, f.x);
    return mix(upper, lower, f.y);
}

fn reflected(albedo: vec3f, normal: vec3f, to_eye: vec3f, key: f32) -> vec3f {
    let sky = 0.5 + 0.5 * normal.y;
    let direct = key * max(dot(normal, room.key.xyz), 0.0);
    let fill_part = max(dot(normal, room.fill_light.xyz), 0.0);
    let halfway = normalize(room.key.xyz + to_eye);
    let gloss = 0.16 * key * pow(max(dot(normal, halfway), 0.0), 48.0);
    let ambient = vec3f(0.36, 0.39, 0.44) * sky + vec3f(0.16, 0.155, 0.15) * (1.0 - sky);
    return albedo * (ambient + vec3f(0.86, 0.82, 0.76) * direct + vec3f(0.13, 0.15, 0.19) * fill_part) + gloss;
}

fn backdrop(above: f32) -> vec3f {
    let t = clamp(above, 0.0, 1.0);
    return vec3f(0.78 + 0.06 * t, 0.81 + 0.04 * t, 0.86 + 0.01 * t);
}

fn is_line(c: f32, pixel: f32) -> bool {
    let cell = room.floor_plane.y;
    return abs(c / cell - round(c / cell)) * cell < 0.008 * cell + 0.2 * pixel;
}

fn floor_colour(p: vec3f, above: f32, pixel: f32) -> vec3f {
    let distance = length(p.xz - room.centre.xz) / room.floor_plane.z;
    var fade = clamp(1.0 - (distance - 1.2) / 3.8, 0.0, 1.0);
    fade = fade * fade * (3.0 - 2.0 * fade);
    let base = select(0.70, 0.56, is_line(p.x, pixel) || is_line(p.z, pixel));
    let key = key_light(p, vec3f(0.0, 1.0, 0.0));
    let light = (0.48 + 0.52 * key) * (1.0 - 0.62 * dimness(p));
    return mix(backdrop(above), base * vec3f(0.985, 1.0, 1.02), fade) * light;
}

fn light_of(pixel: vec2i) -> vec3f {
    let at = vec2f(pixel) + 0.5;
    let v = room.view;
    let off = vec2f(at.x - v.right.w, v.up.w - at.y) / v.eye.w;
    let along = v.right.xyz * off.x + v.up.xyz * off.y - v.back.xyz;
    let surface = textureLoad(surfaces, pixel, 0);
    let depth = select(FAR, surface.w, surface.w > 0.0);
    let above = at.y / v.size.y;
    if room.floor_plane.w > 0.5 && v.eye.y > room.floor_plane.x && along.y < 0.0 {
        let far = (room.floor_plane.x - v.eye.y) / along.y;
        if far < depth {
            return floor_colour(v.eye.xyz + along * far, above, far / room.counts.y);
        }
    }
    if surface.w <= 0.0 {
        return backdrop(above);
    }
    let to_eye = -normalize(along);
    var normal = normalize(surface.xyz);
    if dot(normal, to_eye) < 0.0 {
        normal = -normal;
    }
    var key = 0.0;
    if dot(normal, room.key.xyz) > 0.0 {
        key = key_light(v.eye.xyz + along * depth, normal);
    }
    return reflected(textureLoad(colours, pixel, 0).rgb, normal, to_eye, key);
}

fn srgb(c: f32) -> f32 {
    return select(1.055 * pow(c, 1.0 / 2.4) - 0.055, 12.92 * c, c <= 0.0031308);
}

@fragment
fn resolve(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let samples = i32(room.counts.x);
    let first = vec2i(position.xy) * samples;
    var sum = vec3f(0.0);
    for (var i = 0; i < samples * samples; i++) {
        sum += clamp(light_of(first + vec2i(i % samples, i / samples)), vec3f(0.0), vec3f(1.0));
    }
    let mean = sum / f32(samples * samples);
    return vec4f(srgb(mean.r), srgb(mean.g), srgb(mean.b), 1.0);
}
