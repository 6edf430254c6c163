//! Surfaces that remember go on where they were: a run that was interrupted shows what one that was not shows.

use phyxel::record::Frame;
use phyxel::{AnySimulation, Precision};
use phyxel_surface::{Dresser, ReconstructionSettings, SurfaceError};

/// A block that begins to melt as it falls onto a plate.
const SCENE: &str = r#"
name = "melt"
duration = 1.0
frame_rate = 60
[solver]
method = "implicit-euler"
step = 0.0083333
[materials.melt]
law = "corotated"
young_modulus = 1.0e5
poisson_ratio = 0.35
density = 1000.0
conductivity = 100.0
specific_heat = 500.0
melting_point = 330.0
latent_heat = 1000.0
melt_viscosity = 2.0
[[bodies]]
name = "melt"
shape = { box = [0.2, 0.2, 0.2] }
size = 0.05
method = "mls"
lagrangian = "updated"
material = "melt"
surface = "KIND"SURFELS
position = [0, 0.11, 0]
temperature = 329.0
heat = [{ all = true, temperature = 345.0 }]
[[colliders]]
plane = { normal = [0, 1, 0], offset = 0.0 }
"#;

fn scene(kind: &str) -> phyxel::scene::Scene {
    let surfels = if kind == "reconstructed" { "" } else { "\nsurfels = 800" };
    let text = SCENE.replace("KIND", kind).replace("SURFELS", surfels);
    phyxel_io::scene::parse_scene(&text, "melt", &[]).expect("readable")
}

fn frames(simulation: &mut AnySimulation, dresser: &mut Dresser, range: std::ops::Range<usize>) -> Vec<Frame> {
    let mut next = |index: usize| {
        simulation.advance_to(index as f64 / 60.0).expect("a step");
        let mut frame = simulation.take_frame(index);
        dresser.dress(simulation, &mut frame).expect("a surface");
        frame
    };
    range.map(&mut next).collect()
}

fn begin(kind: &str) -> (AnySimulation, Dresser) {
    let simulation = AnySimulation::build(&scene(kind), Precision::F32).expect("built");
    let dresser = Dresser::new(&simulation, ReconstructionSettings::default()).expect("a dresser");
    (simulation, dresser)
}

#[test]
fn a_resumed_run_draws_what_an_uninterrupted_one_draws() {
    for kind in ["reconstructed", "surfels", "multi"] {
        let (mut simulation, mut dresser) = begin(kind);
        frames(&mut simulation, &mut dresser, 0..12);
        let (state, surfaces) = (simulation.snapshot(), dresser.save());
        let through = frames(&mut simulation, &mut dresser, 12..20);

        let (mut simulation, mut dresser) = begin(kind);
        simulation.restore(&state).expect("its own state");
        dresser.restore(&surfaces).expect("its own surfaces");
        let resumed = frames(&mut simulation, &mut dresser, 12..20);
        for (a, b) in through.iter().zip(&resumed) {
            assert_eq!(a.bodies[0].free, b.bodies[0].free, "{kind}, frame {}", a.index);
            assert_eq!(a.bodies[0].surfels, b.bodies[0].surfels, "{kind}, frame {}", a.index);
        }
        assert!(kind != "multi" || through[0].bodies[0].surfels.is_some());
    }
}

#[test]
fn surfaces_of_another_scene_are_refused_and_no_length_is_believed() {
    let (_, multi) = begin("multi");
    let (_, mut surfels) = begin("surfels");
    let bytes = multi.save();
    assert_eq!(surfels.restore(&bytes), Err(SurfaceError::Unfit { body: "melt".into() }));
    for cut in (0..bytes.len()).step_by(977) {
        let (_, mut other) = begin("multi");
        assert!(other.restore(&bytes[..cut]).is_err(), "cut at {cut}");
        let mut bad = bytes.clone();
        bad.truncate(cut);
        bad.resize(bytes.len(), 0xff);
        assert!(other.restore(&bad).is_err(), "nonsense from {cut}");
    }
    let (_, mut other) = begin("multi");
    assert!(other.restore(&[bytes, vec![0]].concat()).is_err(), "one byte too many");
}
