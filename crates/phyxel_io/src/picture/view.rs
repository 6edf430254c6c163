//! Where the eye is: perspective for the picture, parallel for the maps of light.

use phyxel::math::Vec3;

pub(super) type V = Vec3<f64>;

/// Half the vertical angle of view, as a tangent: a long lens, which keeps shapes honest.
const TAN_HALF_ANGLE: f64 = 0.27;
/// How much of the picture the bodies may fill.
const FILLED: f64 = 0.86;

/// A camera. Pixels count from the upper left corner; `depth` is the distance along the line of sight [m].
pub(super) struct View {
    eye: V,
    right: V,
    up: V,
    /// From the scene towards the eye.
    back: V,
    /// Pixels per unit of tangent (perspective) or per metre (parallel).
    scale: f64,
    centre: [f64; 2],
    perspective: bool,
}

/// A point on the picture. `weight` is what attributes are weighted by to be interpolated straight in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projected {
    pub x: f64,
    pub y: f64,
    pub depth: f64,
    pub weight: f64,
}

/// Right and up of a picture seen from `back`.
fn frame_of(back: V) -> (V, V) {
    let world_up = if back[1].abs() > 0.99 { V::new(0.0, 0.0, -1.0) } else { V::new(0.0, 1.0, 0.0) };
    let right = world_up.cross(back).normalized();
    (right, back.cross(right))
}

impl View {
    /// A perspective view from `back` that shows all balls (centre and radius [m]) as large as they fit.
    ///
    /// A ball is inside the left plane when `x + t z ≤ x₀ + t d` holds for its centre and its radius fits too, with `t`
    /// the tangent; so each pair of opposite planes gives the eye's offset `x₀` and least distance `d` in closed form.
    pub(super) fn fit(balls: impl Iterator<Item = (V, f64)>, back: V, width: usize, height: usize) -> View {
        let back = back.normalized();
        let (right, up) = frame_of(back);
        let tan = [FILLED * TAN_HALF_ANGLE * width as f64 / height as f64, FILLED * TAN_HALF_ANGLE];
        let mut reach = [[f64::NEG_INFINITY; 2]; 2];
        let mut nearest = f64::NEG_INFINITY;
        for (p, radius) in balls {
            let z = p.dot(back);
            nearest = nearest.max(z + radius);
            for (axis, side) in [right, up].into_iter().enumerate() {
                let (x, slack) = (p.dot(side), radius * (1.0 + tan[axis] * tan[axis]).sqrt());
                reach[axis][0] = reach[axis][0].max(x + tan[axis] * z + slack);
                reach[axis][1] = reach[axis][1].max(-x + tan[axis] * z + slack);
            }
        }
        if !nearest.is_finite() {
            (reach, nearest) = ([[1.0; 2]; 2], 1.0);
        }
        let offset = [0, 1].map(|a: usize| (reach[a][0] - reach[a][1]) / 2.0);
        let distance = [0, 1].map(|a: usize| (reach[a][0] + reach[a][1]) / (2.0 * tan[a]));
        let distance = distance[0].max(distance[1]).max(nearest + 1e-3 * (1.0 + nearest.abs()));
        View {
            eye: right * offset[0] + up * offset[1] + back * distance,
            right,
            up,
            back,
            scale: height as f64 / (2.0 * TAN_HALF_ANGLE),
            centre: [width as f64 / 2.0, height as f64 / 2.0],
            perspective: true,
        }
    }

    /// A parallel view from `back` of the ball around `centre`, on a square of `size` pixels.
    pub(super) fn parallel(centre: V, radius: f64, back: V, size: usize) -> View {
        let back = back.normalized();
        let (right, up) = frame_of(back);
        let half = size as f64 / 2.0;
        let eye = centre + back * (2.0 * radius);
        View { eye, right, up, back, scale: half / radius, centre: [half; 2], perspective: false }
    }

    /// Where a point is seen; nothing behind the eye or when it is no number.
    pub(super) fn project(&self, p: V) -> Option<Projected> {
        let rel = p - self.eye;
        let depth = -rel.dot(self.back);
        let weight = if self.perspective { 1.0 / depth } else { 1.0 };
        let seen = depth > 0.0 && rel.is_finite() && weight.is_finite();
        seen.then(|| Projected {
            x: self.centre[0] + self.scale * weight * rel.dot(self.right),
            y: self.centre[1] - self.scale * weight * rel.dot(self.up),
            depth,
            weight,
        })
    }

    /// Pixels per metre at a point of the picture.
    pub(super) fn pixels_per_metre(&self, at: &Projected) -> f64 {
        self.scale * at.weight
    }

    /// From where, and in what direction per metre of depth, pixel coordinates look.
    pub(super) fn ray(&self, x: f64, y: f64) -> (V, V) {
        let (u, v) = ((x - self.centre[0]) / self.scale, (self.centre[1] - y) / self.scale);
        let sideways = self.right * u + self.up * v;
        if self.perspective { (self.eye, sideways - self.back) } else { (self.eye + sideways, -self.back) }
    }

    /// The direction in space of a normal given as right, up and towards the eye.
    pub(super) fn direction(&self, right: f64, up: f64, back: f64) -> V {
        self.right * right + self.up * up + self.back * back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_view_shows_all_and_wastes_nothing() {
        let points: Vec<V> =
            (0..64).map(|i| V::new((i % 4) as f64, (i / 4 % 4) as f64 * 0.5, (i / 16) as f64 * 2.0)).collect();
        let (width, height) = (400, 300);
        let view = View::fit(points.iter().map(|&p| (p, 0.0)), V::new(0.6, 0.4, 0.8), width, height);
        let seen: Vec<Projected> = points.iter().map(|&p| view.project(p).unwrap()).collect();
        let low = |f: fn(&Projected) -> f64| seen.iter().map(f).fold(f64::INFINITY, f64::min);
        let high = |f: fn(&Projected) -> f64| seen.iter().map(f).fold(f64::NEG_INFINITY, f64::max);
        let margins = |low: f64, high: f64, size: usize| [low / size as f64, 1.0 - high / size as f64];
        let across = margins(low(|p| p.x), high(|p| p.x), width);
        let upright = margins(low(|p| p.y), high(|p| p.y), height);
        let tight = (1.0 - FILLED) / 2.0;
        assert!(across.iter().chain(&upright).all(|m| *m > tight - 1e-9), "{across:?} {upright:?}");
        let filled = |m: [f64; 2]| m.iter().all(|m| (m - tight).abs() < 1e-9);
        assert!(filled(across) || filled(upright), "one direction is filled from side to side: {across:?} {upright:?}");
    }

    #[test]
    fn rays_go_through_what_they_project_to() {
        let target = V::new(0.3, 0.1, -0.2);
        let back = V::new(0.5, 0.5, 1.0);
        for view in [View::fit([(V::zero(), 1.0)].into_iter(), back, 64, 48), View::parallel(V::zero(), 2.0, back, 64)]
        {
            let at = view.project(target).unwrap();
            let (from, along) = view.ray(at.x, at.y);
            assert!((from + along * at.depth - target).norm() < 1e-12);
        }
    }

    #[test]
    fn nothing_to_see_is_no_failure() {
        let view = View::fit(std::iter::empty(), V::new(0.0, 0.0, 1.0), 64, 48);
        assert!(view.project(V::zero()).is_some());
        assert!(view.project(V::new(f64::NAN, 0.0, 0.0)).is_none());
    }
}
