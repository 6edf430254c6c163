//! What a break of a hundred nodes adds to a step: walls that are pulled apart, all at the same time.
//!
//! The step in which exactly a hundred nodes break is compared with the median of the steps just before it, in the same
//! simulation: the walls are whole, but as strained as when they break, fracture is looked for in all elements, and the ground
//! for all nodes. The same is done with the step after the break. Each simulation gives one ratio, and the medians over
//! all of them are told: other work of the machine hits single steps.

use super::Row;
use super::papers::describe;
use super::walls::median;
use phyxel::scene::{Region, Weakness};
use phyxel::shape::Geometry;
use phyxel::{Scene, Simulation};
use std::time::Instant;

/// How often everything is done again.
const REPEATS: usize = 31;
/// Steps before the break whose median it is compared with: the walls are as strained and as whole as when they break.
const BEFORE: usize = 8;
/// Cubes of a wall are a tenth of a metre wide.
const CUBE: f64 = 0.1;

/// A wall like Morris's, over the ground; `LENGTH` is how long it is [m].
const WALL: &str = r#"
name = "pulled walls"
duration = 1.0
gravity = [0, 0, 0]

[solver]
method = "symplectic-euler"
step = 0.0008
sleep_speed = 0.0

[materials.wood]
preset = "morris-wood"
strength = 2.0e4

[[colliders]]
plane = { normal = [0, 1, 0], offset = -1.0 }

[[bodies]]
name = "wall"
shape = { wall = [LENGTH, 0.3, 0.1] }
method = "tet"
whole_cubes = true
contact = false
material = "wood"
"#;

/// Walls of the same size in all, with a hundred weak nodes.
struct Case {
    name: &'static str,
    walls: usize,
    length: f64,
    /// Cross-sections of each wall where the two nodes at the top are weak.
    sections: usize,
}

const CASES: [Case; 2] = [
    Case { name: "100 nodes of fifty walls break", walls: 50, length: 1.8, sections: 1 },
    Case { name: "100 nodes of one wall break", walls: 1, length: 90.0, sections: 50 },
];

/// Times both cases on so many threads.
pub fn run(threads: usize, out: &mut dyn FnMut(Row)) -> anyhow::Result<()> {
    for case in &CASES {
        let scene = case.scene()?;
        let mut times = Vec::new();
        for _ in 0..REPEATS {
            times.push(time_break(&scene)?);
        }
        let of = |pick: fn(&Times) -> f64| median(times.iter().map(pick).collect());
        let without = of(|t| t.before).unwrap_or(f64::NAN);
        let row = describe(&Simulation::<f32>::build(&scene)?, &scene, threads, "f32");
        let row = Row {
            case: case.name.into(),
            break_share: of(|t| t.with / t.before - 1.0),
            break_share_after: of(|t| t.after / t.before - 1.0),
            ..row
        };
        out(row.timed(without, scene.solver.step));
    }
    Ok(())
}

impl Case {
    fn scene(&self) -> anyhow::Result<Scene> {
        let text = WALL.replace("LENGTH", &format!("{:.1}", self.length));
        let mut scene = phyxel_io::scene::parse_scene(&text, "pulled walls", &[])?;
        let Some(wall) = scene.bodies.pop() else { anyhow::bail!("there is no wall") };
        for k in 0..self.walls {
            let mut wall = wall.clone();
            wall.name = format!("wall {k}");
            let Geometry::Tets(mesh) = &mut wall.geometry else { anyhow::bail!("a wall is made of tetrahedra") };
            mesh.points.iter_mut().for_each(|p| p[2] += k as f64);
            let top = mesh.points.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
            let start = mesh.points.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
            let cubes = self.length / CUBE / self.sections as f64;
            for section in 0..self.sections {
                let x = start + CUBE * ((section as f64 + 0.5) * cubes).round();
                let (reach, far) = (0.1 * CUBE, 1e3);
                let region = Region::Box { min: [x - reach, top - reach, -far], max: [x + reach, top + reach, far] };
                wall.weaknesses.push(Weakness { region, factor: 0.5 });
            }
            scene.bodies.push(wall);
        }
        Ok(scene)
    }
}

/// How long steps take [ms].
struct Times {
    /// The median of those before the break.
    before: f64,
    /// The one in which the weak nodes break.
    with: f64,
    /// The one after it.
    after: f64,
}

/// Pulls the walls until the weak nodes break.
fn time_break(scene: &Scene) -> anyhow::Result<Times> {
    let mut simulation = Simulation::<f32>::build(scene)?;
    let dt = scene.solver.step;
    (0..2).try_for_each(|_| simulation.step(dt).map(|_| ()))?;
    // All ends move apart, faster and faster strained, until half of the strength is reached after some twenty steps.
    let rest = simulation.model().rest.clone();
    simulation.state_mut().v.iter_mut().zip(rest).for_each(|(v, x)| v.0[0] += 1.0 * x.0[0]);
    let mut times = Vec::new();
    for _ in 0..100 {
        let (ms, new_nodes) = time_step(&mut simulation, dt)?;
        if new_nodes > 0 {
            anyhow::ensure!(new_nodes == 100, "{new_nodes} nodes broke at once instead of 100");
            let (after, _) = time_step(&mut simulation, dt)?;
            let before = median(times.split_off(times.len().saturating_sub(BEFORE))).unwrap_or(f64::NAN);
            return Ok(Times { before, with: ms, after });
        }
        times.push(ms);
    }
    anyhow::bail!("nothing broke")
}

/// Time [ms] and new nodes of one step.
fn time_step(simulation: &mut Simulation<f32>, dt: f64) -> anyhow::Result<(f64, usize)> {
    let started = Instant::now();
    let report = simulation.step(dt)?;
    Ok((started.elapsed().as_secs_f64() * 1e3, report.new_nodes))
}
