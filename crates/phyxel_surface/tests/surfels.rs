//! Discs on a skin: they cover it, move with it, and are split and merged as it stretches and shrinks.

use phyxel::math::{Mat3, Vec3};
use phyxel::model::Site;
use phyxel::record::Surfels;
use phyxel::shape::structured::box_points;
use phyxel::shape::{PointSampling, TriMesh};
use phyxel_surface::{PointGrid, SurfelCloud, sample_skin};

fn cube() -> PointSampling {
    box_points([5, 5, 5], [0.0; 3], [0.5; 3]).expect("a cube")
}

fn cloud(count: usize) -> (SurfelCloud, PointSampling, f64) {
    let sampling = cube();
    let colours: Vec<[f32; 3]> =
        sampling.skin.points.iter().map(|p| if p[1] > 0.25 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] }).collect();
    let (discs, colours, size) = sample_skin(&sampling.skin, &colours, count);
    assert!((discs.len() as f64 / count as f64 - 1.0).abs() < 0.05, "{} of {count}", discs.len());
    (SurfelCloud::new(discs, colours, size, sampling.points.clone(), sampling.spacing), sampling, size)
}

/// The farthest that a place of a moved skin is from all discs, in half axes, and the same for holes between ellipses: the
/// least over discs of the place's distance in the disc's own axes.
fn worst_gap(skin: &TriMesh, map: impl Fn(Vec3<f64>) -> Vec3<f64>, surfels: &Surfels, size: f64) -> f64 {
    let grid = PointGrid::new(&surfels.points, 2.0 * size);
    let mut worst: f64 = 0.0;
    for t in &skin.triangles {
        let [a, b, c] = t.map(|v| map(Vec3(skin.points[v as usize])));
        for k in 0..25 {
            let (u, v) = ((k % 5) as f64 / 5.0 + 0.1, (k / 5) as f64 / 5.0 + 0.1);
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let x = a * (1.0 - u - v) + b * u + c * v;
            let mut best = f64::INFINITY;
            grid.each_within(x, 4.0 * size, |j, arm, _| {
                let [p, q] = surfels.tangents[j as usize].map(Vec3);
                // Coordinates in the disc's own, possibly oblique, axes.
                let (pp, pq, qq) = (p.dot(p), p.dot(q), q.dot(q));
                let det = pp * qq - pq * pq;
                let (ap, aq) = (arm.dot(p), arm.dot(q));
                let (s, t) = ((ap * qq - aq * pq) / det, (aq * pp - ap * pq) / det);
                best = best.min((s * s + t * t).sqrt());
            });
            worst = worst.max(best);
        }
    }
    worst
}

fn under(map: Mat3<f64>, sampling: &PointSampling) -> impl Fn(usize) -> Site + Sync {
    let points = sampling.points.clone();
    move |j| Site { position: (map * Vec3(points[j])).0, deformation: map }
}

#[test]
fn discs_cover_the_skin_and_move_rigidly_with_it() {
    let (mut cloud, sampling, size) = cloud(5000);
    let (s, c) = 0.7_f64.sin_cos();
    let turn = Mat3([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]);
    let rest = cloud.follow(under(Mat3::identity(), &sampling));
    let gap = worst_gap(&sampling.skin, |x| x, &rest, size);
    assert!(gap < 1.0, "a hole of {gap} half axes");
    let turned = cloud.follow(under(turn, &sampling));
    assert_eq!(turned.points.len(), rest.points.len());
    assert_eq!(turned.colours, rest.colours);
    for i in 0..rest.points.len() {
        assert!((turn * Vec3(rest.points[i]) - Vec3(turned.points[i])).norm() < 1e-12);
        // Directions have seven digits.
        assert!((turn * Vec3(rest.normals[i]) - Vec3(turned.normals[i])).norm() < 1e-6);
        // Normals of a cube point out of it.
        let out = Vec3(rest.points[i]) - Vec3([0.25; 3]);
        assert!(out.dot(Vec3(rest.normals[i])) > 0.2, "{:?}", rest.normals[i]);
        let red = rest.points[i][1] > 0.3;
        if red || rest.points[i][1] < 0.2 {
            assert!(rest.colours[i][usize::from(!red)] > 0.99);
        }
    }
}

#[test]
fn stretching_splits_and_shrinking_merges() {
    let (mut cloud, sampling, size) = cloud(1200);
    let before = cloud.len();
    let mut run = |factor: f64| {
        let stretch = Mat3::diagonal([factor, factor, factor]);
        for _ in 0..4 {
            cloud.follow(under(stretch, &sampling));
        }
        let surfels = cloud.follow(under(stretch, &sampling));
        assert_eq!((surfels.points.len(), surfels.colours.len()), (cloud.len(), cloud.len()));
        (cloud.len(), worst_gap(&sampling.skin, |x| stretch * x, &surfels, size * factor.max(1.0)))
    };
    let (wide, gap) = run(3.0);
    assert!(wide > 4 * before, "{wide} of {before}");
    assert!(gap < 1.2, "a hole of {gap} half axes");
    let (back, gap) = run(1.0);
    assert!(back < wide / 2, "{back} of {wide}");
    assert!(gap < 1.5, "a hole of {gap} half axes");
    let (narrow, _) = run(0.3);
    assert!(narrow < 2 * before / 5, "{narrow} of {before}");
}

#[test]
fn discs_flow_with_matter_that_has_no_rest_shape() {
    let (mut cloud, sampling, _) = cloud(2000);
    let stretch = Mat3::diagonal([1.5, 0.8, 0.9]);
    let mut last = None;
    for k in 1..=10 {
        let share = k as f64 / 10.0;
        let map = Mat3::identity() * (1.0 - share) + stretch * share;
        let now: Vec<[f64; 3]> = sampling.points.iter().map(|p| (map * Vec3(*p)).0).collect();
        last = Some(cloud.flow(&now));
    }
    let surfels = last.expect("frames");
    // The discs lie on the sides of the stretched cube.
    for p in &surfels.points {
        let back = [p[0] / 1.5, p[1] / 0.8, p[2] / 0.9];
        let away = back.iter().map(|c| c.min(0.5 - c)).fold(f64::INFINITY, f64::min);
        assert!(away.abs() < 1e-9, "{back:?}");
    }
}

#[test]
fn threads_leave_no_trace() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        pool.install(|| {
            let (mut cloud, sampling, _) = cloud(5000);
            let bend = |j: usize| {
                let x = Vec3(sampling.points[j]);
                let deformation = Mat3([[1.0, 0.0, 0.0], [0.6 * x[0], 1.4, 0.0], [0.0, 0.0, 1.0]]);
                Site { position: [x[0], 1.4 * x[1] + 0.3 * x[0] * x[0], x[2]], deformation }
            };
            cloud.follow(bend)
        })
    };
    assert_eq!(run(1), run(3));
}
