//! Whether cracks among phyxels run on from their fronts, and where to.

use super::breaker::CrackEvent;
use super::fragile::Fragile;
use super::front::FrontPoint;
use super::hoop::{Front, Run, Shown};
use super::points::{Crack, PointPieces};
use super::tip::Around;
use super::view::View;
use crate::math::{Mat3, Real, Vec3};
use crate::par;

/// Phyxels within so many spacings show what is at a point of a front.
const SHOWN: f64 = 2.4;
/// Points of a front within so many spacings say how it goes on.
const BESIDE: f64 = 1.8;
/// Cosine of the angle between cracks up to which their fronts are one.
const ALIKE: f64 = 0.7;
/// Points that one thread takes at least.
const TASK: usize = 2;

/// A crack that runs on from a point of its front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advance {
    /// From where.
    pub from: FrontPoint,
    /// What is at the front over toughness.
    pub ratio: f64,
    /// Square to the new crack, in the present shape and at rest.
    pub normal: Vec3<f64>,
    pub at_rest: Vec3<f64>,
    /// Where to, at rest.
    pub ahead: Vec3<f64>,
}

/// The cracks that run on, the worst first.
pub(super) fn advances<R: Real>(view: &View<'_, R>, (fragile, points): (&Fragile, &PointPieces)) -> Vec<Advance> {
    let (Some(fracture), Some(fronts)) = (&view.spec.material.fracture, &points.fronts) else { return Vec::new() };
    if fronts.points.is_empty() || !fragile.has_fronts(fracture) {
        return Vec::new();
    }
    let copies = copies(fragile);
    let looking =
        Looking { around: Around { view, fragile, fracture }, points, front: &fronts.points, copies: &copies };
    let mut found = vec![None; fronts.points.len()];
    par::chunks(&mut found, TASK, |first, found| {
        let (mut shown, mut near) = (Vec::new(), Vec::new());
        for (found, from) in found.iter_mut().zip(&fronts.points[first..]) {
            *found = looking.advance(from, (&mut shown, &mut near));
        }
    });
    let mut found: Vec<Advance> = found.into_iter().flatten().collect();
    // Of equals, that which is earlier in the list: the sort keeps their order.
    found.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    found
}

/// What is told of a crack that runs on. Its area is how far it runs times its share of the front, which is that of the phyxel
/// next to it.
pub(super) fn event<R: Real>(
    view: &View<'_, R>,
    (points, crack): (&PointPieces, &Crack),
    normal: [f64; 3],
) -> Option<CrackEvent> {
    let spacing = points.spacing(crack.at);
    let area = FrontPoint::advance(spacing) * points.first_volume(crack.at) / (spacing * spacing);
    let gradient = Mat3(view.blocks.first()?.motion(crack.at as usize, &view.state.u).to_f64());
    let point = view.place(crack.at) + gradient * (crack.disc.center - points.rest(crack.at));
    let energy = view.spec.material.fracture.map_or(0.0, |f| f.fracture_energy * area);
    Some(CrackEvent { time: view.state.time, body: view.body, point: point.0, normal, area, energy })
}

/// Whether a point is on the front of another, or is that itself.
fn is_beside(from: &FrontPoint, p: &FrontPoint) -> bool {
    let arm = p.at - from.at;
    let distance = arm.norm();
    distance == 0.0
        || distance < BESIDE * from.spacing
            && p.normal.dot(from.normal).abs() > ALIKE
            && arm.dot(from.back).abs() < ALIKE * distance
}

/// Each copy with the phyxel of the unbroken body that it is one of, ascending.
fn copies(fragile: &Fragile) -> Vec<[u32; 2]> {
    let whole = fragile.strength.len();
    let mut copies: Vec<[u32; 2]> = (0..).zip(&fragile.origin).skip(whole).map(|(n, own)| [*own, n]).collect();
    copies.sort_unstable();
    copies
}

/// What is needed to look at fronts.
struct Looking<'a, R> {
    around: Around<'a, R>,
    points: &'a PointPieces,
    front: &'a [FrontPoint],
    copies: &'a [[u32; 2]],
}

impl<R: Real> Looking<'_, R> {
    fn advance(&self, from: &FrontPoint, (shown, near): (&mut Vec<Shown>, &mut Vec<u32>)) -> Option<Advance> {
        let (gradient, _) = self.around.feel((0, from.near as usize))?;
        let inverse = gradient.inverse()?;
        shown.clear();
        // The mean along a front, always in the same order, so that neighbours agree where to go.
        self.front.iter().filter(|p| is_beside(from, p)).for_each(|p| self.show(p, gradient, (shown, near)));
        let strength = self.around.fragile.strength_of(from.near);
        let front = self.front(from, gradient, inverse)?;
        let Run { ratio, normal, ahead, .. } = self.around.run(&front, shown, (gradient, strength))?;
        let at_rest = (gradient.transpose() * normal).normalized();
        Some(Advance { from: *from, ratio, normal, at_rest, ahead: (inverse * ahead).normalized() })
    }

    /// Adds what phyxels around a point of the front show.
    fn show(&self, from: &FrontPoint, gradient: Mat3<f64>, (shown, near): (&mut Vec<Shown>, &mut Vec<u32>)) {
        near.clear();
        near.push(from.near);
        near.extend(self.points.neighbours_at_first(from.near));
        for k in 0..near.len() {
            near.extend(self.points.neighbours_at_first(near[k]));
        }
        near.retain(|n| (self.points.rest(*n) - from.at).norm() < SHOWN * from.spacing);
        near.sort_unstable();
        near.dedup();
        for own in &*near {
            let arm = gradient * (self.points.rest(*own) - from.at);
            self.around.show((0, *own as usize), arm, shown);
            let first = self.copies.partition_point(|c| c[0] < *own);
            for [_, copy] in self.copies[first..].iter().take_while(|c| c[0] == *own) {
                self.around.show((0, *copy as usize), arm, shown);
            }
        }
    }

    /// How the crack ends there in the present shape: points beside it say how its edge goes on, or else the disc.
    fn front(&self, from: &FrontPoint, gradient: Mat3<f64>, inverse: Mat3<f64>) -> Option<Front> {
        let mut along = Vec3::zero();
        for arm in self.front.iter().filter(|p| is_beside(from, p)).map(|p| p.at - from.at) {
            if arm.norm() > 0.0 {
                along += if arm.dot(along) < 0.0 { -arm.normalized() } else { arm.normalized() };
            }
        }
        along = along - from.normal * along.dot(from.normal);
        if along.norm() < 0.1 {
            along = from.normal.cross(from.back);
        }
        let normal = (inverse.transpose() * from.normal).normalized();
        let along = (gradient * along).normalized();
        let straight = along.cross(normal);
        let back = if straight.dot(gradient * from.back) < 0.0 { -straight } else { straight };
        (back.norm() > 0.5).then(|| Front { along, back: back.normalized() })
    }
}
