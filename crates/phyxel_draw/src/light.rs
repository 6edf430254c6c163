//! Light: a key light with soft shadows, a fill light, the sky, and the dimness under a body that is near the floor.
//!
//! Every number here is also in `gpu/studio.wgsl`; a test draws the same scene with both.

use crate::picture::{Floor, Picture};
use crate::software::{DepthMap, draw_depth};
use crate::view::{V, View};

/// Towards the key light: over the left shoulder of the camera, so that shadows fall behind and to the right.
const KEY: [f64; 3] = [-0.38, 0.9, 0.52];
/// Towards the fill light, low on the other side.
const FILL: [f64; 3] = [0.9, 0.25, 0.25];
/// Half the width of the softened edge of a shadow [texels].
pub(crate) const SOFT: isize = 3;
/// Side of the map of what the key light sees [texels].
pub(crate) const SHADOW_SIZE: usize = 768;
/// Texels along the side of a block of which the nearest and farthest depths are kept.
pub(crate) const BLOCK: usize = 8;
/// Side of the map of what is over the floor [texels].
const DIMNESS_SIZE: usize = 160;

/// Towards the key light, as a unit vector.
pub(crate) fn key_direction() -> V {
    V::of(KEY).normalized()
}

/// Towards the fill light, as a unit vector.
pub(crate) fn fill_direction() -> V {
    V::of(FILL).normalized()
}

/// Where the key light sees a picture's things from, and the size of a texel [m].
pub(crate) fn key_view(picture: &Picture) -> (View, f64) {
    let (centre, radius) = picture.shadow_ball();
    let view = View::parallel(V::of(centre), radius * 1.05, key_direction(), SHADOW_SIZE);
    (view, 2.1 * radius / SHADOW_SIZE as f64)
}

/// What the key light sees.
pub(crate) struct Shadow {
    view: View,
    map: DepthMap,
    /// Size of a texel [m].
    texel: f64,
    /// Nearest and farthest depth in each block and as far around it as the softened edge reaches: where a place is nearer
    /// than both or farther than both, the edge is elsewhere and nothing needs to be averaged.
    blocks: Vec<[f32; 2]>,
}

impl Shadow {
    /// Looks at a picture from the light.
    pub(crate) fn of(picture: &Picture) -> Self {
        let (view, texel) = key_view(picture);
        let map = draw_depth(picture, &view, SHADOW_SIZE);
        let blocks = block_depths(&map);
        Shadow { view, map, texel, blocks }
    }

    /// How much of the key light arrives at `p` with unit normal `n`: 0 to 1.
    pub(crate) fn light_at(&self, p: V, n: V) -> f32 {
        // Lifted off the surface, or it would shadow itself by the coarseness of the map.
        let Some(at) = self.view.project(p + n * (2.5 * self.texel)) else { return 1.0 };
        let size = self.map.size as f64;
        let outside = |c: f64| c < -(SOFT as f64) || c > size + SOFT as f64;
        if outside(at.x) || outside(at.y) {
            return 1.0;
        }
        let limit = (at.depth - 1.5 * self.texel) as f32;
        let block = |c: f64| (c.clamp(0.0, size - 1.0) as usize) / BLOCK;
        let [near, far] = self.blocks[block(at.y) * (self.map.size / BLOCK) + block(at.x)];
        match () {
            _ if limit <= near => 1.0,
            _ if limit > far => 0.0,
            _ => self.average(at.x, at.y, limit),
        }
    }

    fn average(&self, at_x: f64, at_y: f64, limit: f32) -> f32 {
        let (x, y) = (at_x.floor() as isize, at_y.floor() as isize);
        let (mut lit, mut total) = (0.0, 0.0);
        for dy in -SOFT..=SOFT {
            for dx in -SOFT..=SOFT {
                let (u, v) = (x + dx, y + dy);
                // A cone of weights about the exact place, not about the texel: no steps along the edge.
                let (ex, ey) = (u as f64 + 0.5 - at_x, v as f64 + 0.5 - at_y);
                let weight = (SOFT as f64 + 0.5 - (ex * ex + ey * ey).sqrt()).max(0.0) as f32;
                total += weight;
                if self.depth(u, v) >= limit {
                    lit += weight;
                }
            }
        }
        lit / total
    }

    fn depth(&self, u: isize, v: isize) -> f32 {
        let inside = |c: isize| (0..self.map.size as isize).contains(&c);
        if inside(u) && inside(v) { self.map.depth[v as usize * self.map.size + u as usize] } else { f32::INFINITY }
    }
}

fn block_depths(map: &DepthMap) -> Vec<[f32; 2]> {
    let (size, count, reach) = (map.size as isize, map.size / BLOCK, SOFT + 1);
    let of_block = |at: usize| {
        let [x0, y0] = [at % count, at / count].map(|b| (b * BLOCK) as isize - reach);
        let far_side = BLOCK as isize + 2 * reach;
        let (mut near, mut far) = (f32::INFINITY, f32::NEG_INFINITY);
        for y in y0..y0 + far_side {
            for x in x0..x0 + far_side {
                let inside = (0..size).contains(&x) && (0..size).contains(&y);
                let depth = if inside { map.depth[(y * size + x) as usize] } else { f32::INFINITY };
                (near, far) = (near.min(depth), far.max(depth));
            }
        }
        [near, far]
    };
    (0..count * count).map(of_block).collect()
}

/// How dim the floor is under what hangs low over it.
pub(crate) struct Dimness {
    pub view: View,
    pub size: usize,
    pub value: Vec<f32>,
}

impl Dimness {
    /// Looks at a picture from below its floor.
    pub(crate) fn of(picture: &Picture, floor: &Floor) -> Self {
        let (centre, radius) = picture.shadow_ball();
        let under = V::new(centre[0], floor.height, centre[2]);
        let view = View::parallel(under, radius * 1.4, V::new(0.0, -1.0, 0.0), DIMNESS_SIZE);
        let level = view.project(under).map_or(0.0, |at| at.depth);
        let map = draw_depth(picture, &view, DIMNESS_SIZE);
        Dimness::new(view, map, level, 0.4 * radius)
    }

    /// From a map that looks up through the floor: `level` is the floor's depth in it, `reach` the height above which a
    /// body no longer dims [m].
    fn new(view: View, map: DepthMap, level: f64, reach: f64) -> Self {
        let near = |&depth: &f32| {
            if depth.is_finite() {
                (1.0 - (f64::from(depth) - level).max(0.0) / reach).clamp(0.0, 1.0) as f32
            } else {
                0.0
            }
        };
        let mut value: Vec<f32> = map.depth.iter().map(near).collect();
        let radius = (map.size / 40).max(1);
        for _ in 0..3 {
            value = blur_rows_and_turn(&value, map.size, radius);
            value = blur_rows_and_turn(&value, map.size, radius);
        }
        Dimness { view, size: map.size, value }
    }

    /// 0 in the open to 1 where a body covers the floor.
    pub(crate) fn at(&self, p: V) -> f32 {
        let Some(at) = self.view.project(p) else { return 0.0 };
        let (x, y) = (at.x - 0.5, at.y - 0.5);
        let limit = (self.size - 1) as f64;
        if !(x >= 0.0 && y >= 0.0 && x < limit && y < limit) {
            return 0.0;
        }
        let (u, v) = (x as usize, y as usize);
        let (fx, fy) = (x.fract() as f32, y.fract() as f32);
        let value = |u: usize, v: usize| self.value[v * self.size + u];
        let upper = value(u, v) * (1.0 - fx) + value(u + 1, v) * fx;
        let lower = value(u, v + 1) * (1.0 - fx) + value(u + 1, v + 1) * fx;
        upper * (1.0 - fy) + lower * fy
    }
}

/// Averages along rows over ±`radius` pixels, and exchanges rows and columns.
fn blur_rows_and_turn(source: &[f32], size: usize, radius: usize) -> Vec<f32> {
    let mut turned = vec![0.0; source.len()];
    for (y, row) in source.chunks_exact(size).enumerate() {
        let mut sum: f32 = row[..radius.min(size)].iter().sum();
        for x in 0..size {
            sum += row.get(x + radius).copied().unwrap_or(0.0);
            turned[x * size + y] = sum.max(0.0) / (2 * radius + 1) as f32;
            if x >= radius {
                sum -= row[x - radius];
            }
        }
    }
    turned
}

/// Light reflected towards the eye by a surface of linear colour `albedo`, lit by the fraction `key` of the key light.
pub(crate) fn reflect(albedo: [f32; 3], normal: V, to_eye: V, key: f32) -> [f32; 3] {
    let (to_key, to_fill) = (key_direction(), fill_direction());
    let sky = (0.5 + 0.5 * normal[1]) as f32;
    let direct = key * normal.dot(to_key).max(0.0) as f32;
    let fill = normal.dot(to_fill).max(0.0) as f32;
    let halfway = (to_key + to_eye).normalized();
    let gloss = 0.16 * key * normal.dot(halfway).max(0.0).powi(48) as f32;
    const KEY_COLOUR: [f32; 3] = [0.86, 0.82, 0.76];
    const FILL_COLOUR: [f32; 3] = [0.13, 0.15, 0.19];
    const SKY_COLOUR: [f32; 3] = [0.36, 0.39, 0.44];
    const FLOOR_COLOUR: [f32; 3] = [0.16, 0.155, 0.15];
    [0, 1, 2].map(|k| {
        let ambient = SKY_COLOUR[k] * sky + FLOOR_COLOUR[k] * (1.0 - sky);
        albedo[k] * (ambient + KEY_COLOUR[k] * direct + FILL_COLOUR[k] * fill) + gloss
    })
}

/// A paper backdrop that darkens a little upwards; `above` counts from 0 at the top to 1 at the bottom of the picture.
pub(crate) fn backdrop(above: f64) -> [f32; 3] {
    let t = above.clamp(0.0, 1.0) as f32;
    [0.78 + 0.06 * t, 0.81 + 0.04 * t, 0.86 + 0.01 * t]
}

/// The floor at `p`: a grid that fades into the backdrop, with shadows. `pixel` is the size of a pixel there [m].
pub(crate) fn floor_light(floor: &Floor, p: V, above: f64, pixel: f64, key: f32, dimness: f32) -> [f32; 3] {
    let cell = floor.grid;
    let line = |c: f64| ((c / cell - (c / cell).round()).abs() * cell) < 0.008 * cell + 0.2 * pixel;
    let distance = V::new(p[0] - floor.centre[0], 0.0, p[2] - floor.centre[2]).norm() / floor.radius;
    let fade = (1.0 - (distance - 1.2) / 3.8).clamp(0.0, 1.0) as f32;
    let fade = fade * fade * (3.0 - 2.0 * fade);
    let base = if line(p[0]) || line(p[2]) { 0.56 } else { 0.70 };
    let light = (0.48 + 0.52 * key) * (1.0 - 0.62 * dimness);
    let far = backdrop(above);
    [0, 1, 2].map(|k| {
        let tint = [0.985, 1.0, 1.02][k];
        (far[k] * (1.0 - fade) + base * tint * fade) * light
    })
}
