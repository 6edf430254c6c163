//! The shapes of colliders in their own frames: how far a point is, and where a path enters.

use super::field::DistanceField;
use super::height::HeightField;
use crate::math::Vec3;
use std::sync::Arc;

/// A solid in its own frame, centred at the origin; long ones lie along y.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Everything with `normal · x < offset`.
    HalfSpace {
        /// Unit normal, out of the solid.
        normal: Vec3<f64>,
        /// Distance of the surface from the origin along the normal [m].
        offset: f64,
    },
    /// A ball.
    Sphere {
        /// [m]
        radius: f64,
    },
    /// A block.
    Box {
        /// Half its edge lengths [m].
        half: Vec3<f64>,
    },
    /// All points within `radius` of a line along y.
    Capsule {
        /// [m]
        radius: f64,
        /// Half the length of the line [m].
        half_length: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// [m]
        radius: f64,
        /// Half its length [m].
        half_length: f64,
    },
    /// Everything below a surface over xz.
    HeightField(Arc<HeightField>),
    /// A closed surface, through its distance field.
    Mesh(Arc<DistanceField>),
}

/// The nearest surface as seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Distance, negative inside [m].
    pub distance: f64,
    /// Direction in which the distance grows; a unit vector.
    pub normal: Vec3<f64>,
}

const UP: Vec3<f64> = Vec3([0.0, 1.0, 0.0]);

impl Form {
    /// Distance and direction of the surface.
    pub fn probe(&self, p: Vec3<f64>) -> Probe {
        match self {
            Form::HalfSpace { normal, offset } => Probe { distance: normal.dot(p) - offset, normal: *normal },
            Form::Sphere { radius } => from_core(p, *radius),
            Form::Box { half } => block(p, *half),
            Form::Capsule { radius, half_length } => {
                let core = Vec3([0.0, p[1].clamp(-half_length, *half_length), 0.0]);
                from_core(p - core, *radius)
            }
            Form::Cylinder { radius, half_length } => cylinder(p, *radius, *half_length),
            Form::HeightField(field) => field.probe(p),
            Form::Mesh(field) => field.probe(p),
        }
    }

    /// A length below which nothing of the shape is lost [m].
    pub fn detail(&self) -> f64 {
        match self {
            Form::HalfSpace { .. } => f64::INFINITY,
            Form::Sphere { radius } => *radius,
            Form::Box { half } => half[0].min(half[1]).min(half[2]),
            Form::Capsule { radius, .. } => *radius,
            Form::Cylinder { radius, half_length } => radius.min(*half_length),
            Form::HeightField(field) => field.detail(),
            Form::Mesh(field) => field.detail(),
        }
    }

    /// No point of the solid is farther from the origin than this [m].
    pub fn reach(&self) -> f64 {
        match self {
            Form::HalfSpace { .. } | Form::HeightField(_) => f64::INFINITY,
            Form::Sphere { radius } => *radius,
            Form::Box { half } => half.norm(),
            Form::Capsule { radius, half_length } => radius + half_length,
            Form::Cylinder { radius, half_length } => radius.hypot(*half_length),
            Form::Mesh(field) => field.reach(),
        }
    }

    /// The part of the way from `from`, which is outside, to `to` after which the path comes within `tolerance` of the
    /// solid; `None` when it never does.
    ///
    /// Each move is as long as the distance to the nearest surface, so nothing is jumped over however fast it goes.
    pub fn cast(&self, from: Vec3<f64>, to: Vec3<f64>, tolerance: f64) -> Option<f64> {
        let way = to - from;
        let length = way.norm();
        if let Form::HalfSpace { normal, offset } = self {
            let (start, end) = (normal.dot(from) - offset - tolerance, normal.dot(to) - offset - tolerance);
            return (end < 0.0 && start > end).then(|| (start / (start - end)).clamp(0.0, 1.0));
        }
        let longest = if let Form::HeightField(field) = self { 0.5 * field.detail() } else { f64::INFINITY };
        let mut gone = 0.0;
        for _ in 0..MOST_MOVES {
            let probe = self.probe(from + way * (gone / length));
            if probe.distance <= tolerance {
                return Some(gone / length);
            }
            gone += probe.distance.min(longest);
            if gone >= length {
                return None;
            }
        }
        // A path that creeps along a surface never enters it.
        None
    }
}

/// Paths are followed in at most so many moves; only grazing ones need more than a dozen.
const MOST_MOVES: usize = 256;

/// A ball of `radius` around a core, seen from `p` relative to it.
fn from_core(p: Vec3<f64>, radius: f64) -> Probe {
    let distance = p.norm();
    let normal = if distance > 0.0 { p * (1.0 / distance) } else { UP };
    Probe { distance: distance - radius, normal }
}

fn block(p: Vec3<f64>, half: Vec3<f64>) -> Probe {
    let beyond = Vec3([0, 1, 2].map(|a| p[a].abs() - half[a]));
    let sign = |a: usize| if p[a] < 0.0 { -1.0 } else { 1.0 };
    let out = Vec3([0, 1, 2].map(|a| beyond[a].max(0.0)));
    let distance = out.norm();
    if distance > 0.0 {
        return Probe { distance, normal: Vec3([0, 1, 2].map(|a| out[a] * sign(a) / distance)) };
    }
    let nearest = (0..3).fold(0, |best, a| if beyond[a] > beyond[best] { a } else { best });
    let mut normal = Vec3([0.0; 3]);
    normal[nearest] = sign(nearest);
    Probe { distance: beyond[nearest], normal }
}

fn cylinder(p: Vec3<f64>, radius: f64, half_length: f64) -> Probe {
    let across = Vec3([p[0], 0.0, p[2]]);
    let wide = across.norm();
    let outward = if wide > 0.0 { across * (1.0 / wide) } else { Vec3([1.0, 0.0, 0.0]) };
    let along = UP * if p[1] < 0.0 { -1.0 } else { 1.0 };
    let (side, cap) = (wide - radius, p[1].abs() - half_length);
    if side > 0.0 && cap > 0.0 {
        let distance = side.hypot(cap);
        return Probe { distance, normal: (outward * side + along * cap) * (1.0 / distance) };
    }
    if side > cap { Probe { distance: side, normal: outward } } else { Probe { distance: cap, normal: along } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms() -> Vec<Form> {
        vec![
            Form::HalfSpace { normal: Vec3([0.6, 0.8, 0.0]), offset: 0.1 },
            Form::Sphere { radius: 0.7 },
            Form::Box { half: Vec3([0.5, 0.2, 0.8]) },
            Form::Capsule { radius: 0.3, half_length: 0.5 },
            Form::Cylinder { radius: 0.4, half_length: 0.6 },
        ]
    }

    fn points() -> impl Iterator<Item = Vec3<f64>> {
        let at = |i: usize, k: usize| ((i * k) % 97) as f64 / 97.0 * 3.0 - 1.5;
        (1..200).map(move |i| Vec3([at(i, 31), at(i, 57), at(i, 83)]))
    }

    #[test]
    fn the_normal_is_the_gradient_of_the_distance() {
        for form in forms() {
            for p in points() {
                let probe = form.probe(p);
                assert!((probe.normal.norm() - 1.0).abs() < 1e-12);
                let ahead = form.probe(p + probe.normal * 1e-6).distance;
                assert!((ahead - probe.distance - 1e-6).abs() < 1e-9, "{form:?} at {p:?}");
            }
        }
    }

    #[test]
    fn going_back_by_the_distance_leads_onto_the_surface() {
        for form in forms() {
            for p in points() {
                let probe = form.probe(p);
                let on = form.probe(p - probe.normal * probe.distance);
                assert!(on.distance.abs() < 1e-12, "{form:?} at {p:?}: {on:?}");
            }
        }
    }

    #[test]
    fn a_fast_path_does_not_jump_over_a_thin_block() {
        let wall = Form::Box { half: Vec3([0.005, 1.0, 1.0]) };
        let hit = wall.cast(Vec3([-1.0, 0.1, 0.0]), Vec3([0.667, 0.1, 0.0]), 1e-9).expect("it is in the way");
        assert!((hit * 1.667 - 0.995).abs() < 1e-6);
        assert_eq!(wall.cast(Vec3([-1.0, 1.5, 0.0]), Vec3([0.667, 1.5, 0.0]), 1e-9), None);
    }
}
