//! How well discs cover the implicit surface around phyxels: what is open, and what lies where no surface is.

use phyxel::math::Vec3;
use phyxel::record::Surfels;
use phyxel_surface::{Field, PointGrid};

type V = Vec3<f64>;

/// What was found in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cover {
    /// Places of the surface that were looked at: those that can be seen from outside and lie in no wall.
    pub places: usize,
    /// Those that no disc covers.
    pub open: usize,
    /// The farthest that one of them is from all discs, in half axes.
    pub widest: f64,
    /// Discs farther from all phyxels than a surface can be.
    pub strays: usize,
    /// The farthest of all, in spacings.
    pub farthest: f64,
    /// Discs that nobody sees: inside, or on the walls of a void.
    pub hidden: usize,
}

/// Edge of the cubes in which places are looked for, in spacings.
const CUBE: f64 = 0.25;

/// Matter is deep inside when there is some so many spacings to every side.
const DEEP: f64 = 0.8;
/// No place of the surface is farther than this from all phyxels, in spacings.
const FAR: f64 = 1.1;

/// Looks at the discs around phyxels; `wall` is the distance to what they lie in or on, negative inside of that [m].
pub fn look(phyxels: &[[f64; 3]], spacing: f64, discs: &Surfels, wall: &dyn Fn(V) -> f64) -> Cover {
    let field = Field::new(phyxels, spacing);
    let half = discs.tangents.first().map_or(0.0, |t| Vec3(t[0]).norm());
    let grid = PointGrid::new(&discs.points, half);
    let air = Air::around(phyxels, spacing, &field);
    let mut found = Cover::default();
    air.each_place(&field, |x| {
        if wall(x) < 0.0 {
            return;
        }
        found.places += 1;
        let mut covered = false;
        grid.each_within(x, 1.5 * half, |j, arm, square| {
            let along = arm.dot(Vec3(discs.normals[j as usize]));
            covered |= along.abs() <= half && square - along * along <= half * half;
        });
        if !covered {
            found.open += 1;
            let away = grid.nearest(x).map_or(f64::INFINITY, |n| n.1);
            found.widest = found.widest.max(away / half);
        }
    });
    let matter = PointGrid::new(phyxels, spacing);
    for p in discs.points.iter().map(|p| Vec3(*p)) {
        let off = matter.nearest(p).map_or(f64::INFINITY, |n| n.1) / spacing;
        found.strays += usize::from(off > FAR);
        found.farthest = found.farthest.max(off);
        found.hidden += usize::from(!air.is_near(p));
    }
    found
}

/// Cubes of space outside of the matter, as far as they hang together with what is far away.
struct Air {
    low: V,
    cube: f64,
    counts: [usize; 3],
    open: Vec<bool>,
    full: Vec<bool>,
}

impl Air {
    fn around(phyxels: &[[f64; 3]], spacing: f64, field: &Field<'_>) -> Self {
        let bound = |a: usize, start: f64, pick: fn(f64, f64) -> f64| phyxels.iter().map(|p| p[a]).fold(start, pick);
        let low = Vec3([0, 1, 2].map(|a| bound(a, f64::INFINITY, f64::min) - 1.5 * spacing));
        let high = Vec3([0, 1, 2].map(|a| bound(a, f64::NEG_INFINITY, f64::max) + 1.5 * spacing));
        let cube = CUBE * spacing;
        let counts = [0, 1, 2].map(|a| ((high[a] - low[a]) / cube) as usize + 1);
        let total = counts.iter().product();
        let mut air = Air { low, cube, counts, open: vec![false; total], full: Vec::new() };
        air.full = (0..total).map(|c| field.at(air.center(c)).0 >= Field::LEVEL).collect();
        let mut front = vec![0];
        air.open[0] = true;
        while let Some(c) = front.pop() {
            for other in air.beside(c).into_iter().flatten() {
                if !air.open[other] && !air.full[other] {
                    air.open[other] = true;
                    front.push(other);
                }
            }
        }
        air
    }

    fn center(&self, c: usize) -> V {
        let [x, y, _] = self.counts;
        self.low + Vec3([c % x, c / x % y, c / (x * y)].map(|k| k as f64)) * self.cube
    }

    fn beside(&self, c: usize) -> [Option<usize>; 6] {
        let [x, y, z] = self.counts;
        let at = [c % x, c / x % y, c / (x * y)];
        let stride = [1, x, x * y];
        std::array::from_fn(|k| {
            let (a, up) = (k / 2, k % 2 == 1);
            if up { (at[a] + 1 < [x, y, z][a]).then(|| c + stride[a]) } else { (at[a] > 0).then(|| c - stride[a]) }
        })
    }

    /// Places of the surface between matter and the outside.
    fn each_place(&self, field: &Field<'_>, mut visit: impl FnMut(V)) {
        for c in (0..self.open.len()).filter(|c| self.open[*c]) {
            for other in self.beside(c).into_iter().flatten().filter(|c| self.full[*c]) {
                let (mut out, mut within) = (self.center(c), self.center(other));
                for _ in 0..20 {
                    let middle = (out + within) * 0.5;
                    let inside = field.at(middle).0 >= Field::LEVEL;
                    *(if inside { &mut within } else { &mut out }) = middle;
                }
                visit(out);
            }
        }
    }

    /// Whether the outside is within two cubes of a place.
    fn is_near(&self, x: V) -> bool {
        let at = [0, 1, 2].map(|a| ((x[a] - self.low[a]) / self.cube).round());
        let around = |a: usize| {
            let low = (at[a] - 2.0).max(0.0) as usize;
            low..((at[a] + 3.0).max(0.0) as usize).min(self.counts[a])
        };
        if (0..3).any(|a| at[a] < 0.0 || at[a] >= self.counts[a] as f64) {
            return true;
        }
        around(2)
            .any(|z| around(1).any(|y| around(0).any(|x| self.open[(z * self.counts[1] + y) * self.counts[0] + x])))
    }
}

/// How many looks at matter around phyxels, deep inside, there were from six sides, and how many of them met no disc, or the
/// back of one: whoever looks so sees inside.
#[allow(dead_code)]
pub fn looks_inside(phyxels: &[[f64; 3]], spacing: f64, discs: &Surfels) -> (usize, usize) {
    let (field, mut looks, mut leaks) = (Field::new(phyxels, spacing), 0, 0);
    let is_deep = |x: V| {
        (0..6).all(|k| {
            let mut side = x;
            side[k / 2] += spacing * if k % 2 == 0 { DEEP } else { -DEEP };
            field.at(side).0 > Field::LEVEL
        })
    };
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let view = View::along(axis, sign, discs);
        for p in phyxels {
            for k in 0..9 {
                let mut x = Vec3(*p);
                x[(axis + 1) % 3] += 0.15 * spacing * (f64::from(k % 3) - 1.0);
                x[(axis + 2) % 3] += 0.15 * spacing * (f64::from(k / 3) - 1.0);
                if is_deep(x) {
                    looks += 1;
                    leaks += usize::from(!view.meets_a_front(x));
                }
            }
        }
    }
    (looks, leaks)
}

/// The first disc behind each pixel of a picture from far away.
struct View {
    axis: usize,
    sign: f64,
    low: V,
    pixel: f64,
    width: usize,
    /// How far along the view, and whether the disc looks this way.
    first: Vec<Option<(f64, bool)>>,
}

impl View {
    fn along(axis: usize, sign: f64, discs: &Surfels) -> Self {
        let half = discs.tangents.first().map_or(1.0, |t| Vec3(t[0]).norm());
        let bound =
            |a: usize, start: f64, pick: fn(f64, f64) -> f64| discs.points.iter().map(|p| p[a]).fold(start, pick);
        let low = Vec3([0, 1, 2].map(|a| bound(a, f64::INFINITY, f64::min) - 2.0 * half));
        let high = Vec3([0, 1, 2].map(|a| bound(a, f64::NEG_INFINITY, f64::max) + 2.0 * half));
        let (u, v, pixel) = ((axis + 1) % 3, (axis + 2) % 3, 0.3 * half);
        let (width, height) = (((high[u] - low[u]) / pixel) as usize + 1, ((high[v] - low[v]) / pixel) as usize + 1);
        let mut view = View { axis, sign, low, pixel, width, first: vec![None; width * height] };
        for (p, n) in discs.points.iter().zip(&discs.normals) {
            view.draw(Vec3(*p), Vec3(*n), half);
        }
        view
    }

    fn draw(&mut self, p: V, n: V, half: f64) {
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        if n[self.axis].abs() < 0.05 {
            return;
        }
        let cells = |x: f64, a: usize| {
            let at = |x: f64| ((x - self.low[a]) / self.pixel).round() as usize;
            at(x - half)..=at(x + half)
        };
        for j in cells(p[v], v) {
            for i in cells(p[u], u) {
                let mut arm = V::zero();
                arm[u] = self.low[u] + i as f64 * self.pixel - p[u];
                arm[v] = self.low[v] + j as f64 * self.pixel - p[v];
                arm[self.axis] = -(n[u] * arm[u] + n[v] * arm[v]) / n[self.axis];
                let far = self.sign * (p[self.axis] + arm[self.axis]);
                let first = &mut self.first[j * self.width + i];
                if arm.norm() <= half && first.is_none_or(|f| far < f.0) {
                    *first = Some((far, self.sign * n[self.axis] < 0.0));
                }
            }
        }
    }

    fn meets_a_front(&self, x: V) -> bool {
        let at = |a: usize| ((x[a] - self.low[a]) / self.pixel).round() as usize;
        let first = self.first[at((self.axis + 2) % 3) * self.width + at((self.axis + 1) % 3)];
        first.is_some_and(|(far, front)| front && far <= self.sign * x[self.axis])
    }
}
