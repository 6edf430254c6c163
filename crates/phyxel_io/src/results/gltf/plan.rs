//! What all frames together say of each body: decided before the first byte is written.

use super::rigid::{Pose, pose};
use super::shape::{Shape, wide};
use super::store::{Drawn, Record};
use crate::drawable::Drawable;

/// The lower and the upper corner of a box [m].
pub(super) type Bounds = ([f32; 3], [f32; 3]);

/// A body over the whole run.
#[derive(Default)]
pub(super) struct BodyPlan {
    /// Its shape, from the first frame in which it is drawn in the shape of its layout.
    pub own: Option<Own>,
    /// The frames in which it is a surface found anew.
    pub free: Vec<FreePlan>,
}

/// A body in the shape of its layout.
pub(super) struct Own {
    pub shape: Shape,
    /// Vertices of the first frame [m], and their normals.
    pub base: Vec<[f32; 3]>,
    pub base_normals: Option<Vec<[f32; 3]>>,
    first: Vec<[f64; 3]>,
    /// Times of its frames [s].
    pub times: Vec<f32>,
    /// Differences of each later frame from the first: the boxes around them.
    pub bounds: Vec<Bounds>,
    /// As long as it has been rigid.
    pub poses: Option<Vec<Pose>>,
}

/// A surface found anew.
pub(super) struct FreePlan {
    /// Which of the frames.
    pub record: usize,
    pub vertices: usize,
    /// The parts that it shows, and how many triangles of each.
    pub parts: Vec<[u32; 2]>,
    pub bounds: Bounds,
}

/// The whole run.
pub(super) struct Plan {
    /// [s]
    pub times: Vec<f32>,
    pub bodies: Vec<BodyPlan>,
}

impl Plan {
    pub(super) fn new(bodies: usize) -> Self {
        Plan { times: Vec::new(), bodies: (0..bodies).map(|_| BodyPlan::default()).collect() }
    }

    /// Takes a further frame into account.
    pub(super) fn add(&mut self, drawables: &[Drawable], record: &Record) {
        let number = self.times.len();
        self.times.push(record.time);
        for ((plan, drawable), drawn) in self.bodies.iter_mut().zip(drawables).zip(&record.bodies) {
            match drawn {
                Drawn::Own(points) => match &mut plan.own {
                    Some(own) => own.add(points, record.time),
                    None => plan.own = Some(Own::new(drawable, points, record.time)),
                },
                Drawn::Free(surface) => plan.free.push(FreePlan {
                    record: number,
                    vertices: surface.points.len(),
                    parts: surface.parts.clone(),
                    bounds: bounds(&surface.points),
                }),
            }
        }
    }
}

impl Own {
    fn new(drawable: &Drawable, points: &[[f32; 3]], time: f32) -> Self {
        let shape = Shape::of(drawable, points);
        let (base, base_normals) = (shape.positions(points), shape.normals(points));
        let still = Pose { quaternion: [0.0, 0.0, 0.0, 1.0], translation: [0.0; 3] };
        // Balls and lines have no faces whose turning could be seen; they are moved point by point.
        let poses = shape.has_moving_normals().then(|| vec![still]);
        Own { shape, base, base_normals, first: wide(points), times: vec![time], bounds: Vec::new(), poses }
    }

    fn add(&mut self, points: &[[f32; 3]], time: f32) {
        self.times.push(time);
        self.bounds.push(bounds(&self.differences(points)));
        let next = self.poses.as_ref().and_then(|_| pose(&self.first, &wide(points)));
        self.poses = self.poses.take().zip(next).map(|(mut poses, mut next)| {
            // The shorter way round.
            let last = poses.last().map_or([0.0; 4], |p| p.quaternion);
            if (0..4).map(|k| last[k] * next.quaternion[k]).sum::<f32>() < 0.0 {
                next.quaternion = next.quaternion.map(|c| -c);
            }
            poses.push(next);
            poses
        });
    }

    /// From the first frame to this one, vertex by vertex [m].
    pub(super) fn differences(&self, points: &[[f32; 3]]) -> Vec<[f32; 3]> {
        minus(&self.shape.positions(points), &self.base)
    }

    /// The same of the normals; nothing where they do not turn.
    pub(super) fn normal_differences(&self, points: &[[f32; 3]]) -> Option<Vec<[f32; 3]>> {
        let base = self.base_normals.as_ref().filter(|_| self.shape.has_moving_normals())?;
        Some(minus(&self.shape.normals(points)?, base))
    }

    /// Whether later frames are morph targets.
    pub(super) fn morphs(&self) -> bool {
        self.poses.is_none() && self.times.len() > 1
    }
}

fn minus(a: &[[f32; 3]], b: &[[f32; 3]]) -> Vec<[f32; 3]> {
    a.iter().zip(b).map(|(a, b)| [0, 1, 2].map(|k| a[k] - b[k])).collect()
}

/// The box around points; a point for none.
pub(super) fn bounds(points: &[[f32; 3]]) -> Bounds {
    let Some(first) = points.first() else { return ([0.0; 3], [0.0; 3]) };
    points.iter().fold((*first, *first), |(low, high), p| {
        ([0, 1, 2].map(|k| low[k].min(p[k])), [0, 1, 2].map(|k| high[k].max(p[k])))
    })
}
