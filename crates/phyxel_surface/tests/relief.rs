//! A coarse body that flows looks like its own skin until it does: no lattice shows through.

use phyxel::Simulation;
use phyxel::math::Vec3;
use phyxel_surface::{Dresser, ReconstructionSettings};

/// The worst and the mean angle [°] between the normals of a ball's surface and the rays from its centre, and how far its
/// radii differ, in spacings.
fn roughness(simulation: &mut Simulation<f32>, dresser: &mut Dresser, frame: usize) -> [f64; 3] {
    let mut taken = simulation.take_frame(frame);
    let report = dresser.dress_one(simulation, &mut taken).expect("a surface");
    assert_eq!(report.closedness.boundary_edges, 0);
    let free = taken.bodies[0].free.as_ref().expect("a surface");
    let places = &taken.bodies[0].positions;
    let center = places.iter().fold(Vec3::zero(), |s, p| s + Vec3(*p)) * (1.0 / places.len() as f64);
    let arms = || free.points.iter().map(|p| Vec3(*p) - center);
    let angle = |(arm, n): (Vec3<f64>, &[f64; 3])| arm.normalized().dot(Vec3(*n)).min(1.0).acos().to_degrees();
    let angles: Vec<f64> = arms().zip(&free.normals).map(angle).collect();
    let worst = angles.iter().copied().fold(0.0, f64::max);
    let radii = || arms().map(|a| a.norm());
    let wide = radii().fold(0.0, f64::max) - radii().fold(f64::INFINITY, f64::min);
    [worst, angles.iter().sum::<f64>() / angles.len() as f64, wide / simulation.model().bodies[0].surface.spacing]
}

#[test]
fn a_coarse_ball_that_is_about_to_melt_away_is_round_and_stays_so_in_its_fall() {
    let text = phyxel_scenes::find("funnel").expect("a scene").text;
    let scene = phyxel_io::scene::parse_scene(text, "funnel", &[]).expect("readable");
    let mut simulation = Simulation::<f32>::build(&scene).expect("built");
    let mut dresser = Dresser::of(&simulation, ReconstructionSettings::default()).expect("a dresser");
    for frame in 0..5 {
        simulation.advance_to(frame as f64 / scene.frame_rate).expect("a step");
        let [worst, mean, wide] = roughness(&mut simulation, &mut dresser, frame);
        println!(
            "frame {frame}: normals {worst:.1}° at worst, {mean:.1}° on average; radii differ by {wide:.3} spacings"
        );
        assert!(worst < 20.0 && mean < 2.5 && wide < 0.3, "frame {frame}: {worst} {mean} {wide}");
    }
}
