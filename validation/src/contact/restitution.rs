//! A rigid ball that keeps 0.8 of its speed at every bounce: each is 0.64 times as high as the last.

use crate::Row;
use crate::motion::bench::{About, Bench, Expected, Failure};
use phyxel::Simulation;
use phyxel::math::Real;
use phyxel::scene::{Collider, ColliderShape, RigidBody, Scene};
use phyxel::shape::Placement;
use std::time::Instant;

const RADIUS: f64 = 0.05;
const BOUNCES: usize = 3;
const KEPT: f64 = 0.8;

pub fn rows<R: Real>(bench: &Bench) -> Vec<Row> {
    let mut rows = Vec::new();
    for (ground, setting) in [(0.0, "on the floor"), (0.2, "on a rigid box")] {
        let started = Instant::now();
        let values = heights::<R>(ground);
        let about = About { method: "rigid", setting, quantity: "", started };
        let expected = [1, 2, 3].map(|k| Expected::relative((KEPT * KEPT).powi(k), 0.05));
        let expected =
            [("first bounce [m]", expected[0]), ("second bounce [m]", expected[1]), ("third bounce [m]", expected[2])];
        rows.extend(bench.rows(&about, values, expected));
    }
    rows
}

/// The highest points after each bounce, above where the ball lies, from a drop of one metre onto `ground`.
fn heights<R: Real>(ground: f64) -> Result<[f64; BOUNCES], Failure> {
    let mut ball = RigidBody::new("ball", ColliderShape::Sphere { radius: RADIUS });
    ball.placement = Placement::at([0.0, 1.0 + RADIUS + ground, 0.0]);
    ball.restitution = KEPT;
    let mut rigid_bodies = vec![ball];
    if ground > 0.0 {
        let mut stone = RigidBody::new("box", ColliderShape::Box { size: [1.0, ground, 1.0] });
        // So heavy that it does not give way.
        (stone.placement, stone.density) = (Placement::at([0.0, 0.5 * ground, 0.0]), 1e6);
        rigid_bodies.push(stone);
    }
    let floor = Collider::new(ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 });
    let mut scene = Scene { rigid_bodies, colliders: vec![floor], ..Scene::default() };
    scene.solver.step = 1.0 / 1000.0;
    let mut simulation = Simulation::<R>::build(&scene)?;
    let (mut heights, mut bounce, mut rising) = ([0.0f64; BOUNCES], 0, false);
    for _ in 0..3000 {
        simulation.step(scene.solver.step)?;
        let ball = &simulation.rigid_bodies()[0];
        let (height, up) = (ball.center[1] - RADIUS - ground, ball.velocity[1] > 0.0);
        if rising && !up {
            bounce += 1;
        }
        if bounce == BOUNCES {
            return Ok(heights);
        }
        rising = up;
        if up {
            heights[bounce] = heights[bounce].max(height);
        }
    }
    Err("it does not bounce three times".into())
}
