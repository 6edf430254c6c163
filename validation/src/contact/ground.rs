//! What the cases on a floor or a slope share: the block, the plane, and how both are moved and read.

use crate::elasticity::points_of;
use crate::motion::bench::Failure;
use phyxel::math::{Real, Vec3};
use phyxel::scene::{
    Action, Body, Collider, ColliderShape, Event, Integrator, Method, Pin, Region, Scene, SolverSettings,
};
use phyxel::shape::{Placement, Resolution, Shape};
use phyxel::{Material, Simulation};

/// Gravity [m/s²].
pub const G: f64 = 9.81;
/// The methods and solvers that every case of contact is run with; edge-smoothed tetrahedra touch like plain ones.
pub const WAYS: [(Method, Integrator); 5] = [
    (Method::Tet, Integrator::ImplicitEuler),
    (Method::Tet, Integrator::Xpbd),
    (Method::Edge, Integrator::ImplicitEuler),
    (Method::Mls, Integrator::ImplicitEuler),
    (Method::Mls, Integrator::Xpbd),
];
/// Nodes are this far apart [m].
pub const SPACING: f64 = 0.05;
/// Matter may rest this part of the spacing below a surface.
pub const PENETRATION: f64 = 0.01;

/// A block on a plane that descends towards +x.
pub struct Ground<R: Real> {
    /// The simulation.
    pub simulation: Simulation<R>,
    /// Downhill.
    along: Vec3<f64>,
    /// Out of the plane.
    normal: Vec3<f64>,
    /// Nodes of the face that lies on the plane.
    base: Vec<usize>,
}

/// What distinguishes one run on the plane from another.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// How the block is cut into elements.
    pub method: Method,
    /// How it is moved.
    pub integrator: Integrator,
    /// Its edges; the second one stands on the plane [m].
    pub size: [f64; 3],
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Slope of the plane [rad].
    pub angle: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// How far above the plane the block starts [m].
    pub height: f64,
    /// Its velocity downhill at the start [m/s].
    pub speed: f64,
    /// The lowest face is held for so long, until the block has come to rest on it [s].
    pub held_until: f64,
    /// Time step [s].
    pub step: f64,
    /// Parts of a step of XPBD, and sweeps in each.
    pub substeps: usize,
    /// See above.
    pub iterations: usize,
}

impl Setup {
    /// A flat block at rest on a plane.
    pub fn new(method: Method, integrator: Integrator) -> Self {
        Setup {
            method,
            integrator,
            size: [0.2, 0.1, 0.2],
            young_modulus: 1e6,
            angle: 0.0,
            friction: 0.0,
            height: 0.0,
            speed: 0.0,
            held_until: 0.0,
            step: 1.0 / 120.0,
            substeps: 5,
            iterations: 10,
        }
    }

    /// Builds the block, nodes every [`SPACING`], with its lowest face parallel to the plane.
    pub fn build<R: Real>(&self) -> Result<Ground<R>, Failure> {
        let (sine, cosine) = self.angle.sin_cos();
        let (along, normal) = (Vec3([cosine, -sine, 0.0]), Vec3([sine, cosine, 0.0]));
        let center = normal * (self.height + 0.5 * self.size[1]);
        let placement = Placement { position: center.0, rotation: [0.0, 0.0, -self.angle] };
        let material = Material {
            young_modulus: self.young_modulus,
            poisson_ratio: 0.3,
            density: 1000.0,
            rayleigh_stiffness: 1e-3,
            ..Material::default()
        };
        let shape = Shape::Box { size: self.size };
        let geometry = shape.discretise(self.method, &Resolution::Size(SPACING), &placement, &material)?;
        let mut body = Body::new("block", geometry, self.method, material);
        body.velocity = (along * self.speed).0;
        let lies = |p: &[f64; 3]| normal.dot(Vec3(*p)) - self.height < 0.2 * SPACING;
        let points = points_of(&body.geometry);
        let base: Vec<usize> = (0..points.len()).filter(|&n| lies(&points[n])).collect();
        let mut events = Vec::new();
        if self.held_until > 0.0 {
            body.pins = vec![Pin::hold(Region::Nodes(base.iter().map(|&n| n as u32).collect()))];
            events.push(Event { at: self.held_until, body: None, action: Action::Release });
        }
        let plane = ColliderShape::HalfSpace { normal: normal.0, offset: 0.0 };
        let colliders = vec![Collider { friction: self.friction, ..Collider::new(plane) }];
        let Setup { integrator, step, substeps, iterations, .. } = *self;
        let solver =
            SolverSettings { integrator, step, substeps, iterations, tolerance: 1e-8, ..SolverSettings::default() };
        let gravity = [0.0, -G, 0.0];
        let scene = Scene { gravity, bodies: vec![body], colliders, events, solver, ..Scene::default() };
        Ok(Ground { simulation: Simulation::build(&scene)?, along, normal, base })
    }
}

impl<R: Real> Ground<R> {
    /// Mean velocity downhill [m/s].
    pub fn speed(&self) -> f64 {
        let mass: f64 = self.simulation.bodies().iter().map(|b| b.mass_kg).sum();
        self.along.dot(Vec3(self.simulation.momentum())) / mass
    }

    /// How far downhill the lowest face is, on average [m].
    pub fn place(&self) -> f64 {
        let sum: f64 = self.base.iter().map(|&n| self.along.dot(Vec3(self.simulation.position(n)))).sum();
        sum / self.base.len() as f64
    }

    /// Distance of the lowest node from the plane, negative below it [m].
    pub fn lowest(&self) -> f64 {
        let count = self.simulation.model().node_count();
        (0..count).map(|n| self.normal.dot(Vec3(self.simulation.position(n)))).fold(f64::INFINITY, f64::min)
    }

    /// How far the highest node leans downhill of the lowest face [m].
    pub fn lean(&self) -> f64 {
        let count = self.simulation.model().node_count();
        let height = |n: &usize| self.normal.dot(Vec3(self.simulation.position(*n)));
        let top = (0..count).max_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(0);
        self.along.dot(Vec3(self.simulation.position(top))) - self.place()
    }
}
