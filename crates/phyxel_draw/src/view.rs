//! Where the eye is: perspective for the picture, parallel for the maps of light.

use crate::error::DrawError;
use phyxel::math::Vec3;
use phyxel::scene::Camera;

pub(crate) type V = Vec3<f64>;

/// The angle of view from bottom to top where none is given: a long lens, which keeps shapes honest [degrees].
pub const FOV: f64 = 30.22;
/// How much of the picture the bodies may fill.
const FILLED: f64 = 0.86;

fn tan_half(fov: f64) -> f64 {
    (0.5 * fov.to_radians()).tan()
}

/// Refuses cameras that look nowhere.
pub fn check_camera(camera: &Camera) -> Result<(), DrawError> {
    let fail = |why: &str| Err(DrawError::Camera { why: why.into() });
    let along = V::of(camera.target) - V::of(camera.position);
    if !V::of(camera.position).is_finite() || !along.is_finite() {
        return fail("its position and target must be finite numbers");
    }
    if along.norm() < 1e-9 * (1.0 + V::of(camera.target).norm()) {
        return fail("it stands at its target; move one of them");
    }
    if !(camera.fov >= 1.0 && camera.fov <= 150.0) {
        return fail("its angle of view must be 1 to 150 degrees");
    }
    Ok(())
}

/// A camera. Pixels count from the upper left corner; `depth` is the distance along the line of sight [m].
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub eye: V,
    pub right: V,
    pub up: V,
    /// From the scene towards the eye.
    pub back: V,
    /// Pixels per unit of tangent (perspective) or per metre (parallel).
    pub scale: f64,
    pub centre: [f64; 2],
    pub perspective: bool,
}

/// A point on the picture. `weight` is what attributes are weighted by to be interpolated straight in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projected {
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

/// Finds the camera that shows all of many balls as large as they fit, looking in a given direction.
///
/// A ball is inside the left plane when `x + t z ≤ x₀ + t d` holds for its centre and its radius fits too, with `t` the
/// tangent; so each pair of opposite planes gives the eye's offset `x₀` and least distance `d` in closed form.
#[derive(Clone, Debug)]
pub struct Fit {
    right: V,
    up: V,
    back: V,
    fov: f64,
    tan: [f64; 2],
    reach: [[f64; 2]; 2],
    nearest: f64,
}

impl Fit {
    /// Looks from `back`, which points from the scene to the eye, at a picture of `aspect` = width / height.
    pub fn new(back: [f64; 3], fov: f64, aspect: f64) -> Self {
        let back = V::of(back).normalized();
        let (right, up) = frame_of(back);
        let tan = [FILLED * tan_half(fov) * aspect, FILLED * tan_half(fov)];
        Fit { right, up, back, fov, tan, reach: [[f64::NEG_INFINITY; 2]; 2], nearest: f64::NEG_INFINITY }
    }

    /// Takes a ball in; what is not finite is left out [m].
    pub fn add(&mut self, centre: [f64; 3], radius: f64) {
        let p = V::of(centre);
        if !p.is_finite() || !radius.is_finite() {
            return;
        }
        let z = p.dot(self.back);
        self.nearest = self.nearest.max(z + radius);
        for (axis, side) in [self.right, self.up].into_iter().enumerate() {
            let (x, t) = (p.dot(side), self.tan[axis]);
            let slack = radius * (1.0 + t * t).sqrt();
            self.reach[axis][0] = self.reach[axis][0].max(x + t * z + slack);
            self.reach[axis][1] = self.reach[axis][1].max(-x + t * z + slack);
        }
    }

    /// The camera.
    pub fn camera(&self) -> Camera {
        let (reach, nearest) = if self.nearest.is_finite() { (self.reach, self.nearest) } else { ([[1.0; 2]; 2], 1.0) };
        let offset = [0, 1].map(|a: usize| (reach[a][0] - reach[a][1]) / 2.0);
        let distance = [0, 1].map(|a: usize| (reach[a][0] + reach[a][1]) / (2.0 * self.tan[a]));
        let distance = distance[0].max(distance[1]).max(nearest + 1e-3 * (1.0 + nearest.abs()));
        let eye = self.right * offset[0] + self.up * offset[1] + self.back * distance;
        let depth = (distance - nearest).abs().max(1e-3);
        Camera { position: eye.0, target: (eye - self.back * depth).0, fov: self.fov }
    }
}

impl View {
    /// What a camera sees, on a picture of so many pixels.
    pub(crate) fn of_camera(camera: &Camera, width: usize, height: usize) -> View {
        let eye = V::of(camera.position);
        let back = (eye - V::of(camera.target)).normalized();
        let (right, up) = frame_of(back);
        View {
            eye,
            right,
            up,
            back,
            scale: height as f64 / (2.0 * tan_half(camera.fov)),
            centre: [width as f64 / 2.0, height as f64 / 2.0],
            perspective: true,
        }
    }

    /// A parallel view from `back` of the ball around `centre`, on a square of `size` pixels.
    pub(crate) fn parallel(centre: V, radius: f64, back: V, size: usize) -> View {
        let back = back.normalized();
        let (right, up) = frame_of(back);
        let half = size as f64 / 2.0;
        let eye = centre + back * (2.0 * radius);
        View { eye, right, up, back, scale: half / radius, centre: [half; 2], perspective: false }
    }

    /// Where a point is seen; nothing behind the eye or when it is no number.
    pub(crate) fn project(&self, p: V) -> Option<Projected> {
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
    pub(crate) fn pixels_per_metre(&self, at: &Projected) -> f64 {
        self.scale * at.weight
    }

    /// From where, and in what direction per metre of depth, pixel coordinates look.
    pub(crate) fn ray(&self, x: f64, y: f64) -> (V, V) {
        let (u, v) = ((x - self.centre[0]) / self.scale, (self.centre[1] - y) / self.scale);
        let sideways = self.right * u + self.up * v;
        if self.perspective { (self.eye, sideways - self.back) } else { (self.eye + sideways, -self.back) }
    }

    /// The direction in space of a normal given as right, up and towards the eye.
    pub(crate) fn direction(&self, right: f64, up: f64, back: f64) -> V {
        self.right * right + self.up * up + self.back * back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(points: &[V], radius: f64, back: [f64; 3], width: usize, height: usize) -> View {
        let mut fit = Fit::new(back, FOV, width as f64 / height as f64);
        points.iter().for_each(|p| fit.add(p.0, radius));
        View::of_camera(&fit.camera(), width, height)
    }

    #[test]
    fn a_fitted_view_shows_all_and_wastes_nothing() {
        let points: Vec<V> =
            (0..64).map(|i| V::new((i % 4) as f64, (i / 4 % 4) as f64 * 0.5, (i / 16) as f64 * 2.0)).collect();
        let (width, height) = (400, 300);
        let view = fitted(&points, 0.0, [0.6, 0.4, 0.8], width, height);
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
        let (target, back) = (V::new(0.3, 0.1, -0.2), [0.5, 0.5, 1.0]);
        for view in [fitted(&[V::zero()], 1.0, back, 64, 48), View::parallel(V::zero(), 2.0, V::of(back), 64)] {
            let at = view.project(target).unwrap();
            let (from, along) = view.ray(at.x, at.y);
            assert!((from + along * at.depth - target).norm() < 1e-12);
        }
    }

    #[test]
    fn nothing_to_see_is_no_failure() {
        let view = fitted(&[], 0.0, [0.0, 0.0, 1.0], 64, 48);
        assert!(view.project(V::zero()).is_some());
        assert!(view.project(V::new(f64::NAN, 0.0, 0.0)).is_none());
    }

    #[test]
    fn cameras_that_look_nowhere_are_refused() {
        let camera = |position, target, fov| check_camera(&Camera { position, target, fov });
        assert!(camera([0.0; 3], [0.0, 0.0, -1.0], 30.0).is_ok());
        for (position, target, fov, word) in [
            ([1.0; 3], [1.0; 3], 30.0, "target"),
            ([f64::NAN, 0.0, 0.0], [0.0; 3], 30.0, "finite"),
            ([1.0; 3], [0.0; 3], 180.0, "150"),
        ] {
            let sentence = camera(position, target, fov).unwrap_err().to_string();
            assert!(sentence.contains(word), "{sentence}");
        }
    }
}
