use super::*;

/// Points in the unit cube, from a seed.
pub(crate) fn cloud(n: usize, seed: u64) -> Vec<Vec3<f64>> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(|_| Vec3([next(), next(), next()])).collect()
}

fn brute<R: Real>(points: &[Vec3<R>], radii: Radii<'_, R>) -> Neighbours {
    let mut out = Neighbours { offsets: vec![0], indices: Vec::new() };
    for i in 0..points.len() {
        let r = radii.of(i);
        let near = |j: &usize| *j != i && (points[*j] - points[i]).norm_squared() < r * r;
        out.indices.extend((0..points.len()).filter(near).map(|j| j as u32));
        out.offsets.push(out.indices.len() as u32);
    }
    out
}

fn check<R: Real>(search: &mut NeighbourSearch<R>, points: &[Vec3<R>], radii: Radii<'_, R>) {
    let mut out = Neighbours::default();
    search.rebuild(points, radii, &mut out).unwrap();
    assert_eq!(out, brute(points, radii));
}

#[test]
fn the_grid_finds_what_brute_force_finds() {
    let mut search = NeighbourSearch::default();
    let points = cloud(900, 1);
    for r in [0.03, 0.1, 0.4, 3.0] {
        check(&mut search, &points, Radii::Fixed(r));
    }
    let varied: Vec<f64> = (0..900).map(|i| 0.02 + 0.3 * ((i * 37 % 101) as f64 / 101.0).powi(3)).collect();
    check(&mut search, &points, Radii::Each(&varied));
}

#[test]
fn lattice_points_at_exactly_the_radius_are_treated_alike() {
    let lattice: Vec<Vec3<f32>> = (0..1000)
        .map(|i| Vec3::of([(i % 10) as f64 * 0.1, (i / 10 % 10) as f64 * 0.1, (i / 100) as f64 * 0.1]))
        .collect();
    for r in [0.1, 0.2, 0.18, 0.3] {
        check(&mut NeighbourSearch::default(), &lattice, Radii::Fixed(r));
    }
}

#[test]
fn degenerate_inputs_are_no_special_case() {
    let mut search = NeighbourSearch::default();
    check(&mut search, &[], Radii::Fixed(1.0));
    check(&mut search, &[Vec3([5.0, -3.0, 1e9])], Radii::Fixed(1.0));
    check(&mut search, &[Vec3([2.0, 2.0, 2.0]); 40], Radii::Fixed(0.5));
    let line: Vec<Vec3<f64>> = (0..300).map(|i| Vec3([0.0, i as f64 * 0.01, 0.0])).collect();
    check(&mut search, &line, Radii::Fixed(0.055));
    check(&mut search, &line, Radii::Fixed(0.0));
    check(&mut search, &line, Radii::Fixed(f64::INFINITY));
    check(&mut search, &line, Radii::Fixed(f64::NAN));
}

#[test]
fn far_and_broken_points_cost_no_memory_and_lose_no_neighbours() {
    let mut points = cloud(400, 5);
    let moved: Vec<Vec3<f64>> = points.iter().map(|p| *p + Vec3([1e7, -1e9, 3e8])).collect();
    points.extend(moved);
    points.push(Vec3([1e300, -1e300, 0.0]));
    points.push(Vec3([f64::NAN, 0.5, 0.5]));
    points.push(Vec3([f64::INFINITY, 0.5, 0.5]));
    let mut search = NeighbourSearch::default();
    check(&mut search, &points, Radii::Fixed(0.15));
    assert!(search.grid.bucket_starts.len() <= 2 * points.len() + 1);
}

fn pointers(search: &NeighbourSearch<f64>, out: &Neighbours) -> [usize; 5] {
    let first = &search.chunks[0];
    [search.grid.sorted[0].as_ptr() as usize, search.grid.order.as_ptr() as usize, first.buffer() as usize]
        .into_iter()
        .chain([out.indices.as_ptr() as usize, out.offsets.as_ptr() as usize])
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

#[test]
fn a_rebuild_reuses_its_buffers() {
    let (first, second) = (cloud(2000, 7), cloud(2000, 8));
    let mut search = NeighbourSearch::default();
    let mut out = Neighbours::default();
    search.rebuild(&first, Radii::Fixed(0.2), &mut out).unwrap();
    let before = pointers(&search, &out);
    search.rebuild(&second, Radii::Fixed(0.15), &mut out).unwrap();
    let after = pointers(&search, &out);
    assert_eq!(before, after);
    assert_eq!(out, brute(&second, Radii::Fixed(0.15)));
}

#[test]
fn radii_must_match_the_points() {
    let found = NeighbourSearch::default().rebuild(&cloud(3, 1), Radii::Each(&[1.0]), &mut Neighbours::default());
    assert!(matches!(found, Err(StencilError::Length { found: 1, expected: 3, .. })));
}

#[test]
fn one_far_sighted_point_and_many_threads_change_nothing() {
    let points = cloud(3000, 11);
    let mut radii = vec![0.08; 3000];
    radii[1234] = 10.0;
    radii[77] = f64::INFINITY;
    check(&mut NeighbourSearch::default(), &points, Radii::Each(&radii));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = Neighbours::default();
        pool.install(|| NeighbourSearch::default().rebuild(&points, Radii::Each(&radii), &mut out)).unwrap();
        out
    };
    assert_eq!(run(1), run(5));
}

#[test]
fn too_many_pairs_are_refused_before_they_are_stored() {
    let points = vec![Vec3([0.0_f32; 3]); 70_000];
    let found = NeighbourSearch::default().rebuild(&points, Radii::Fixed(1.0), &mut Neighbours::default());
    assert_eq!(found, Err(StencilError::TooLarge { entries: 70_000 * 69_999 }));
}
