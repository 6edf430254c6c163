//! Closed meshes around phyxels: of the right shape and volume, with the colours of the matter, the same on any number of
//! threads.

use phyxel::math::Vec3;
use phyxel_surface::{Matter, Reconstruction, ReconstructionSettings, SurfaceError, area, closedness, volume};

const SPACING: f64 = 0.1;

/// Phyxels in the centres of cubes whose centres are inside.
fn fill(inside: impl Fn(Vec3<f64>) -> bool, half: i32) -> Vec<[f64; 3]> {
    let range = || -half..half;
    let at = |i: i32| SPACING * (f64::from(i) + 0.5);
    let all = range().flat_map(|i| range().flat_map(move |j| range().map(move |k| [at(i), at(j), at(k)])));
    all.filter(|p| inside(Vec3(*p))).collect()
}

fn ball(radius: f64) -> Vec<[f64; 3]> {
    fill(|p| p.norm() < radius, (radius / SPACING) as i32 + 2)
}

fn matter<'a>(points: &'a [[f64; 3]], colours: &'a [[f32; 3]]) -> Matter<'a> {
    Matter { points, spacing: SPACING, volume: points.len() as f64 * SPACING.powi(3), colours, offsets: &[] }
}

fn reconstruction() -> Reconstruction {
    Reconstruction::new(ReconstructionSettings::default()).expect("usual settings")
}

#[test]
fn a_ball_is_closed_round_smooth_and_keeps_its_volume() {
    let points = ball(1.0);
    let (surface, closed) = reconstruction().surface(&matter(&points, &[])).expect("a surface");
    assert_eq!(closed.boundary_edges, 0);
    assert_eq!(closedness(&surface.triangles).boundary_edges, 0);
    let wanted = points.len() as f64 * SPACING.powi(3);
    let has = volume(&surface.points, &surface.triangles);
    assert!((has / wanted - 1.0).abs() < 5e-3, "{has} for {wanted}");
    // Rounder than its voxels: places within 0.3 spacings of the sphere, normals within 20 degrees and 5 on average.
    let radius = (3.0 * wanted / (4.0 * std::f64::consts::PI)).cbrt();
    for (p, n) in surface.points.iter().zip(&surface.normals) {
        let (r, along) = (Vec3(*p).norm(), Vec3(*p).normalized().dot(Vec3(*n)));
        assert!((r - radius).abs() < 0.3 * SPACING, "{r} for {radius}");
        assert!(along > 0.94, "{along}");
    }
    let angle = |(p, n): (&[f64; 3], &[f64; 3])| Vec3(*p).normalized().dot(Vec3(*n)).min(1.0).acos().to_degrees();
    let mean = surface.points.iter().zip(&surface.normals).map(angle).sum::<f64>() / surface.points.len() as f64;
    println!("normals are off by {mean} degrees on average");
    assert!(mean < 5.0, "{mean}");
    let sphere = 4.0 * std::f64::consts::PI * radius * radius;
    assert!((area(&surface.points, &surface.triangles) / sphere - 1.0).abs() < 0.03);
}

#[test]
fn parts_stay_apart_and_meet_when_they_come_close() {
    let one = ball(0.4);
    let parts = |gap: f64| {
        let other = one.iter().map(|p| [p[0] + 0.8 + gap, p[1], p[2]]);
        let points: Vec<[f64; 3]> = one.iter().copied().chain(other).collect();
        let (surface, closed) = reconstruction().surface(&matter(&points, &[])).expect("a surface");
        assert!(closed.is_closed());
        // Euler characteristic: two for every closed part without handles.
        surface.points.len() as i64 - surface.triangles.len() as i64 / 2
    };
    assert_eq!(parts(0.3), 4);
    assert_eq!(parts(0.0), 2);
}

#[test]
fn colours_follow_matter() {
    let points = ball(0.6);
    let colours: Vec<[f32; 3]> =
        points.iter().map(|p| if p[0] > 0.0 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] }).collect();
    let (surface, _) = reconstruction().surface(&matter(&points, &colours)).expect("a surface");
    assert_eq!(surface.colours.len(), surface.points.len());
    for (p, c) in surface.points.iter().zip(&surface.colours) {
        if p[0].abs() > SPACING {
            assert!(c[if p[0] > 0.0 { 0 } else { 2 }] > 0.9, "{p:?}: {c:?}");
        }
    }
}

#[test]
fn the_same_bits_come_from_any_number_of_threads_and_any_place() {
    let points = ball(1.0);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| reconstruction().surface(&matter(&points, &[])).expect("a surface").0)
    };
    let one = on(1);
    for threads in [2, 3, 7] {
        assert_eq!(one, on(threads));
    }
    // A kilometre away, cubes lie otherwise in the matter, and its surface is the same.
    let far: Vec<[f64; 3]> = points.iter().map(|p| [p[0] + 1000.0, p[1], p[2] - 1000.0]).collect();
    let (there, _) = reconstruction().surface(&matter(&far, &[])).expect("a surface");
    let size = |s: &phyxel::record::FreeSurface| area(&s.points, &s.triangles);
    assert!((size(&there) / size(&one) - 1.0).abs() < 0.01, "{} and {}", size(&there), size(&one));
}

#[test]
fn single_phyxels_nothing_and_nonsense() {
    let mut finder = reconstruction();
    let (drop, closed) = finder.surface(&matter(&[[3.0, 4.0, 5.0]], &[])).expect("a drop");
    assert!(closed.is_closed() && !drop.triangles.is_empty());
    assert!(drop.points.iter().all(|p| (Vec3(*p) - Vec3([3.0, 4.0, 5.0])).norm() < SPACING));
    let (none, _) = finder.surface(&matter(&[], &[])).expect("nothing");
    assert!(none.points.is_empty() && none.triangles.is_empty());
    let (some, _) = finder.surface(&matter(&[[f64::NAN; 3], [0.0; 3]], &[])).expect("the finite one");
    assert!(some.points.iter().flatten().all(|c| c.is_finite()) && !some.points.is_empty());
    let bad = Matter { spacing: 0.0, ..matter(&[[0.0; 3]], &[]) };
    assert_eq!(finder.surface(&bad).err(), Some(SurfaceError::BadSpacing { spacing: 0.0 }));
    let settings = ReconstructionSettings { threshold: 1.5, ..Default::default() };
    assert!(Reconstruction::new(settings).is_err());
}
