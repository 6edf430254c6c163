//! The multi-representation surface: detail stays where nothing parts or merges, no holes open where something does, colours
//! stay with the matter, and moulds are filled to their walls.

use phyxel::math::Vec3;
use phyxel::record::Surfels;
use phyxel::shape::structured::box_points;
use phyxel_surface::{Disc, Field, Moment, MultiSurface, PointGrid, Wall, sample_skin};

type V = Vec3<f64>;
const SPACING: f64 = 0.1;

const NOTHING: &[Wall<'_>] = &[];

struct Bar {
    phyxels: Vec<[f64; 3]>,
    discs: Vec<Disc>,
    colours: Vec<[f32; 3]>,
    size: f64,
}

/// Phyxels in the centres of cubes, and a skin around them with bumps that no phyxel knows of.
fn bar(bump: f64) -> Bar {
    let (low, high) = ([0.0; 3], [1.6, 0.5, 0.5]);
    let mut skin = box_points([64, 20, 20], low, high).expect("a bar").skin;
    for p in &mut skin.points {
        if p[1] == 0.5 {
            p[1] += bump * (std::f64::consts::TAU * p[0] / 0.2).sin() * (std::f64::consts::TAU * p[2] / 0.25).sin();
        }
    }
    let colours: Vec<[f32; 3]> =
        skin.points.iter().map(|p| if p[0] < 0.8 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] }).collect();
    let (discs, colours, size) = sample_skin(&skin, &colours, 6000);
    let phyxels = (0..16 * 5 * 5).map(|i| [i % 16, i / 16 % 5, i / 80].map(|c| SPACING * (c as f64 + 0.5))).collect();
    Bar { phyxels, discs, colours, size }
}

impl Bar {
    fn surface(&self) -> MultiSurface {
        MultiSurface::new(&self.discs, &self.colours, self.size, self.phyxels.clone(), SPACING)
    }

    /// Both halves moved apart.
    fn parted(&self, gap: f64) -> Vec<[f64; 3]> {
        let side = |x: f64| if x < 0.8 { -0.5 } else { 0.5 };
        self.phyxels.iter().map(|p| [p[0] + side(p[0]) * gap, p[1], p[2]]).collect()
    }
}

fn at<'a>(phyxels: &'a [[f64; 3]], mould: &'a [Wall<'a>], sets: bool) -> Moment<'a> {
    Moment { phyxels, mould, sets }
}

/// The farthest that a place of the implicit surface is from all discs, in half axes.
fn widest_hole(phyxels: &[[f64; 3]], surfels: &Surfels, size: f64) -> f64 {
    let field = Field::new(phyxels, SPACING);
    let grid = PointGrid::new(&surfels.points, size);
    let mut worst: f64 = 0.0;
    for p in phyxels {
        for k in 0..26 {
            let turn = [k % 3, k / 3 % 3, k / 9].map(|c| c as f64 - 1.0);
            let start = Vec3(*p) + Vec3(turn) * (0.6 * SPACING);
            // Places outside are on their way to the surface; inside there is none.
            if field.at(start).0 < Field::LEVEL {
                let (x, _) = field.project(start);
                worst = worst.max(grid.nearest(x).map_or(f64::INFINITY, |n| n.1));
            }
        }
    }
    worst / size
}

#[test]
fn detail_stays_where_nothing_parts() {
    let bar = bar(0.01);
    let mut surface = bar.surface();
    let start = surface.advance(&at(&bar.phyxels, NOTHING, false));
    // It is turned, bent a little, and turned back, in many frames.
    let mut last = start.clone();
    for k in 1..=40 {
        let angle = 0.8 * (std::f64::consts::PI * k as f64 / 40.0).sin();
        let (s, c) = angle.sin_cos();
        let moved: Vec<[f64; 3]> = bar
            .phyxels
            .iter()
            .map(|p| {
                let bent = p[1] + 0.15 * angle * (p[0] - 0.8).powi(2);
                [c * p[0] - s * bent, s * p[0] + c * bent, p[2]]
            })
            .collect();
        last = surface.advance(&at(&moved, NOTHING, false));
    }
    assert_eq!(surface.detail_gone(), 0.0);
    assert_eq!(last.points.len(), start.points.len());
    let off = start.points.iter().zip(&last.points).map(|(a, b)| (Vec3(*a) - Vec3(*b)).norm()).fold(0.0, f64::max);
    println!("detail drifts by {} of the bumps", off / 0.01);
    assert!(off < 0.005, "{off} for bumps of 0.01");
}

#[test]
fn parting_opens_no_holes_keeps_colours_and_leaves_far_detail_alone() {
    let bar = bar(0.01);
    let mut surface = bar.surface();
    let start = surface.advance(&at(&bar.phyxels, NOTHING, false));
    let (mut phyxels, mut surfels) = (Vec::new(), Surfels::default());
    for k in 1..=30 {
        phyxels = bar.parted(0.02 * k as f64);
        surfels = surface.advance(&at(&phyxels, NOTHING, false));
    }
    // A few more frames in which nothing moves.
    for _ in 0..5 {
        surfels = surface.advance(&at(&phyxels, NOTHING, false));
    }
    let hole = widest_hole(&phyxels, &surfels, bar.size);
    println!("{} discs became {}; the widest hole is {hole} half axes", start.points.len(), surfels.points.len());
    assert!(hole < 1.3, "{hole}");
    // Both new ends are covered with discs that look at each other.
    for (side, x) in [(-1.0, 0.5), (1.0, 1.1)] {
        let faces = |i: &usize| {
            let (p, n) = (surfels.points[*i], surfels.normals[*i]);
            (p[0] - x).abs() < 0.1 && n[0] * side < -0.7
        };
        assert!((0..surfels.points.len()).filter(faces).count() > 100, "an open end");
    }
    // Only matter within a spacing of the cut may have gone either way.
    let wrong = |(p, c): &(&[f64; 3], &[f32; 3])| c[if p[0] < 0.8 { 0 } else { 2 }] < 0.9;
    let all = || surfels.points.iter().zip(&surfels.colours);
    let share = all().filter(wrong).count() as f64 / surfels.points.len() as f64;
    println!("{share} of the discs have the colour of the other half");
    assert!(share < 0.05, "{share}");
    assert!(all().filter(|(p, _)| (p[0] - 0.8).abs() > 0.3 + 2.0 * SPACING).filter(wrong).count() == 0);
    // Far from the gap the bumps are still there: places at rest are found again, shifted by half the gap.
    let grid = PointGrid::new(&surfels.points, bar.size);
    let mut off: f64 = 0.0;
    for p in start.points.iter().filter(|p| p[0] < 0.35 && p[0] > 0.05 && p[1] > 0.48 && p[2] > 0.05 && p[2] < 0.45) {
        let x = Vec3([p[0] - 0.3, p[1], p[2]]);
        let (j, _) = grid.nearest(x).expect("discs");
        let arm = Vec3(surfels.points[j as usize]) - x;
        off = off.max(arm.dot(Vec3(surfels.normals[j as usize])).abs());
    }
    println!("far detail is off by {} of the bumps", off / 0.01);
    assert!(off < 0.006, "{off}");
    let gone = surface.detail_gone();
    assert!(gone > 0.05 && gone < 0.8, "{gone}");
}

#[test]
fn merging_closes_the_seam_and_keeps_colours() {
    let bar = bar(0.0);
    // It begins in two parts.
    let apart = bar.parted(0.4);
    let side = |x: f64| if x < 0.8 { -0.2 } else { 0.2 };
    let move_disc = |d: &Disc| Disc { point: [d.point[0] + side(d.point[0]), d.point[1], d.point[2]], ..*d };
    let discs: Vec<Disc> = bar.discs.iter().map(move_disc).collect();
    let mut surface = MultiSurface::new(&discs, &bar.colours, bar.size, apart.clone(), SPACING);
    let (mut phyxels, mut surfels) = (apart, Surfels::default());
    for k in 1..=25 {
        if k <= 20 {
            phyxels = bar.parted(0.4 - 0.02 * k as f64);
        }
        surfels = surface.advance(&at(&phyxels, NOTHING, false));
    }
    let hole = widest_hole(&phyxels, &surfels, bar.size);
    println!("the widest hole after merging is {hole} half axes");
    assert!(hole < 1.3, "{hole}");
    // Nothing is left inside.
    let field = Field::new(&phyxels, SPACING);
    let inside = surfels.points.iter().filter(|p| field.at(Vec3(**p)).0 > 2.2).count();
    assert!(inside * 100 < surfels.points.len(), "{inside} of {} inside", surfels.points.len());
    for (p, c) in surfels.points.iter().zip(&surfels.colours).filter(|(p, _)| (p[0] - 0.8).abs() > 0.15) {
        assert!(c[if p[0] < 0.8 { 0 } else { 2 }] > 0.9, "{p:?}: {c:?}");
    }
}

#[test]
fn a_mould_is_filled_to_its_walls_and_its_shape_stays_when_the_matter_sets() {
    let bar = bar(0.0);
    let mut surface = bar.surface();
    // The floor is wavy, and comes up to 0.03 into the bar.
    let floor = |x: V| x[1] - 0.03 * (std::f64::consts::TAU * x[0] / 0.4).sin();
    let pressed = surface.advance(&at(&bar.phyxels, &[&floor], true));
    let below = pressed.points.iter().map(|p| floor(Vec3(*p))).fold(f64::INFINITY, f64::min);
    assert!(below > -1e-4, "{below}");
    // Lifted off, it keeps the waves.
    let lifted: Vec<[f64; 3]> = bar.phyxels.iter().map(|p| [p[0], p[1] + 0.5, p[2]]).collect();
    let free = surface.advance(&at(&lifted, &[&floor], false));
    let under: Vec<f64> = free
        .points
        .iter()
        .filter(|p| p[1] < 0.6 && p[0] > 0.1 && p[0] < 1.5 && p[2] > 0.1 && p[2] < 0.4 && floor(Vec3(**p)) < 0.515)
        .map(|p| floor(Vec3([p[0], p[1] - 0.5, p[2]])))
        .collect();
    assert!(under.len() > 200, "{}", under.len());
    let waves = under.iter().filter(|d| d.abs() < 2e-3).count();
    assert!(2 * waves > under.len(), "{waves} of {} discs keep the mould", under.len());
}

#[test]
fn threads_leave_no_trace() {
    let bar = bar(0.01);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        pool.install(|| {
            let mut surface = bar.surface();
            let frames = (1..=8).map(|k| surface.advance(&at(&bar.parted(0.03 * k as f64), NOTHING, false)));
            frames.collect::<Vec<Surfels>>()
        })
    };
    assert_eq!(run(1), run(3));
}
