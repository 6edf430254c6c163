//! Light: a key light with soft shadows, a fill light, the sky, and the dimness under a body that is near the floor.

use super::buffer::DepthMap;
use super::view::{V, View};

/// Towards the key light: over the left shoulder of the camera, so that shadows fall behind and to the right.
const KEY: [f64; 3] = [-0.38, 0.9, 0.52];
/// Towards the fill light, low on the other side.
const FILL: [f64; 3] = [0.9, 0.25, 0.25];
/// Half the width of the softened edge of a shadow [texels].
const SOFT: isize = 3;

/// Towards the key light, as a unit vector.
pub(super) fn key_direction() -> V {
    V::of(KEY).normalized()
}

/// What the key light sees.
pub(super) struct Shadow {
    pub view: View,
    pub map: DepthMap,
    /// Size of a texel [m].
    pub texel: f64,
}

impl Shadow {
    /// How much of the key light arrives at `p` with unit normal `n`: 0 to 1.
    pub(super) fn light_at(&self, p: V, n: V) -> f32 {
        // Lifted off the surface, or it would shadow itself by the coarseness of the map.
        let Some(at) = self.view.project(p + n * (2.5 * self.texel)) else { return 1.0 };
        let size = self.map.size as f64;
        let outside = |c: f64| c < -(SOFT as f64) || c > size + SOFT as f64;
        if outside(at.x) || outside(at.y) {
            return 1.0;
        }
        let limit = (at.depth - 1.5 * self.texel) as f32;
        let (x, y) = (at.x.floor() as isize, at.y.floor() as isize);
        let (mut lit, mut total) = (0.0, 0.0);
        for dy in -SOFT..=SOFT {
            for dx in -SOFT..=SOFT {
                let (u, v) = (x + dx, y + dy);
                // A cone of weights about the exact place, not about the texel: no steps along the edge.
                let (ex, ey) = (u as f64 + 0.5 - at.x, v as f64 + 0.5 - at.y);
                let weight = (SOFT as f64 + 0.5 - (ex * ex + ey * ey).sqrt()).max(0.0) as f32;
                total += weight;
                if !self.blocked(u, v, limit) {
                    lit += weight;
                }
            }
        }
        lit / total
    }

    fn blocked(&self, u: isize, v: isize, limit: f32) -> bool {
        let inside = |c: isize| (0..self.map.size as isize).contains(&c);
        inside(u) && inside(v) && self.map.depth[v as usize * self.map.size + u as usize] < limit
    }
}

/// How dim the floor is under what hangs low over it.
pub(super) struct Dimness {
    pub view: View,
    size: usize,
    value: Vec<f32>,
}

impl Dimness {
    /// From a map that looks up through the floor: `floor` is the floor's depth in it, `reach` the height above which
    /// a body no longer dims [m].
    pub(super) fn new(view: View, map: DepthMap, floor: f64, reach: f64) -> Self {
        let near = |&depth: &f32| {
            if depth.is_finite() {
                (1.0 - (f64::from(depth) - floor).max(0.0) / reach).clamp(0.0, 1.0) as f32
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
    pub(super) fn at(&self, p: V) -> f32 {
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
pub(super) fn reflect(albedo: [f32; 3], normal: V, to_eye: V, key: f32) -> [f32; 3] {
    let (to_key, to_fill) = (key_direction(), V::of(FILL).normalized());
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
