//! A simulation under test, in either precision, read out in `f64`.

use crate::{Measured, Options, Row};
use phyxel::material::LawKind;
use phyxel::math::{Mat3, Real, Vec3};
use phyxel::scene::{Body, Integrator, LinearSolver, Load, LoadKind, Method, Pin, Region, SolverSettings};
use phyxel::shape::Geometry;
use phyxel::{AnySimulation, Precision, Scene, Simulation, StepReport};

/// A point or vector.
pub type Vector = [f64; 3];
/// A matrix, row by row.
pub type Matrix = [[f64; 3]; 3];

/// Which axes of a node are held, and the velocity with which they move [m/s].
pub type Support = ([bool; 3], Vector);

/// One body under test.
pub struct Rig {
    simulation: AnySimulation,
    /// Rest positions as they were asked for [m].
    pub points: Vec<Vector>,
    /// A step failed: everything measured afterwards is not a number, so that its rows fail.
    failed: bool,
}

macro_rules! each {
    ($rig:expr, $s:ident => $body:expr) => {
        match &$rig.simulation {
            AnySimulation::F32($s) => $body,
            AnySimulation::F64($s) => $body,
        }
    };
    (mut $rig:expr, $s:ident => $body:expr) => {
        match &mut $rig.simulation {
            AnySimulation::F32($s) => $body,
            AnySimulation::F64($s) => $body,
        }
    };
}

impl Rig {
    /// Builds the only body of a scene.
    pub fn build(scene: &Scene, options: &Options) -> Self {
        let simulation = AnySimulation::build(scene, options.precision).expect("the cases are well-formed scenes");
        Rig { simulation, points: points_of(&scene.bodies[0].geometry).to_vec(), failed: false }
    }

    /// Takes `count` steps that lead to time 1.
    pub fn settle(&mut self, count: usize) -> StepReport {
        let mut total = StepReport::default();
        for _ in 0..count {
            total.merge(&self.step(1.0 / count as f64));
        }
        total
    }

    /// Takes one step.
    pub fn step(&mut self, dt: f64) -> StepReport {
        match self.simulation.step(dt) {
            Ok(report) => report,
            Err(_) => {
                self.failed = true;
                StepReport { residual: f64::NAN, newton_residual: f64::NAN, ..StepReport::default() }
            }
        }
    }

    /// Displacements [m].
    pub fn displacements(&self) -> Vec<Vector> {
        if self.failed {
            return vec![[f64::NAN; 3]; self.points.len()];
        }
        each!(self, s => s.state().u.iter().map(|u| u.to_f64()).collect())
    }

    /// Velocities [m/s].
    pub fn velocities(&self) -> Vec<Vector> {
        each!(self, s => s.state().v.iter().map(|v| v.to_f64()).collect())
    }

    /// Puts every node where `place` maps its rest position.
    pub fn displace(&mut self, place: impl Fn(Vector) -> Vector) {
        let u: Vec<Vector> = self.points.iter().map(|p| sub(place(*p), *p)).collect();
        each!(mut self, s => set_displacements(s, &u));
    }

    /// Deformation gradient and Cauchy stress [Pa] of every element.
    pub fn stresses(&self) -> Vec<(Matrix, Matrix)> {
        each!(self, s => s.stresses(0).iter().map(|(f, sigma)| (f.to_f64(), sigma.to_f64())).collect())
    }

    /// Forces on all nodes [N].
    pub fn forces(&mut self) -> Vec<Vector> {
        each!(mut self, s => s.forces().iter().map(|f| f.to_f64()).collect())
    }

    /// Stored energy [J].
    pub fn elastic_energy(&self) -> f64 {
        self.simulation.energy().elastic_j
    }

    /// Temperatures of the body's nodes [K].
    pub fn temperatures(&self) -> Vec<f64> {
        each!(self, s => s.temperatures(0))
    }

    /// Node masses [kg].
    pub fn masses(&self) -> Vec<f64> {
        each!(self, s => s.model().masses.iter().map(|m| m.to_f64()).collect())
    }

    /// The mean displacement of the nodes that `inside` picks [m].
    pub fn mean_displacement(&self, inside: impl Fn(Vector) -> bool) -> Vector {
        let u = self.displacements();
        let picked: Vec<usize> = (0..u.len()).filter(|&i| inside(self.points[i])).collect();
        let mut mean = [0.0; 3];
        for &i in &picked {
            (0..3).for_each(|a| mean[a] += u[i][a] / picked.len() as f64);
        }
        if picked.is_empty() { [f64::NAN; 3] } else { mean }
    }
}

fn set_displacements<R: Real>(simulation: &mut Simulation<R>, u: &[Vector]) {
    for (node, u) in simulation.state_mut().u.iter_mut().zip(u) {
        *node = Vec3::of(*u);
    }
}

/// The nodes of a shape.
pub fn points_of(geometry: &Geometry) -> &[Vector] {
    match geometry {
        Geometry::Tets(mesh) => &mesh.points,
        Geometry::Points(sampling) => &sampling.points,
        Geometry::Springs(net) => &net.points,
        Geometry::Embedded(embedded) => &embedded.mesh.points,
    }
}

/// A scene with one body and no gravity that looks for equilibrium as exactly as its numbers allow.
pub fn statics(body: Body, options: &Options) -> Scene {
    let exact = options.precision == Precision::F64;
    // In `f32` rounding alone leaves a hundredth of the load on a stiff beam of phyxels, though its shape is right to six
    // digits after one solve. Assembled matrices need the further iterations: theirs is rounded, the forces are not.
    let once = body.material.law == LawKind::Linear && body.method == Method::Mls;
    let rounded = if once { 0.1 } else { 1e-3 };
    let linear = if body.method == Method::Mls { LinearSolver::Cg } else { LinearSolver::Cholesky };
    let solver = SolverSettings {
        integrator: Integrator::QuasiStatic,
        step: 1.0,
        linear,
        tolerance: if exact { 1e-11 } else { 1e-5 },
        newton_tolerance: if exact { 1e-10 } else { rounded },
        max_iterations: if exact { 100_000 } else { 3_000 },
        ..SolverSettings::default()
    };
    Scene { gravity: [0.0; 3], bodies: vec![body], solver, ..Scene::default() }
}

/// Pins from a rule that says, for a rest position, which axes are held and with which velocity they move.
pub fn pins(points: &[Vector], rule: impl Fn(Vector) -> Option<Support>) -> Vec<Pin> {
    let mut groups: Vec<(Support, Vec<u32>)> = Vec::new();
    for (i, p) in points.iter().enumerate() {
        let Some(held) = rule(*p) else { continue };
        match groups.iter_mut().find(|g| g.0 == held) {
            Some(group) => group.1.push(i as u32),
            None => groups.push((held, vec![i as u32])),
        }
    }
    let pin = |((axes, velocity), nodes)| Pin { axes, velocity, ..Pin::hold(Region::Nodes(nodes)) };
    groups.into_iter().map(pin).collect()
}

/// Forces on single nodes; those without one are left out.
pub fn nodal_loads(forces: &[Vector]) -> Vec<Load> {
    let loaded = forces.iter().enumerate().filter(|(_, f)| **f != [0.0; 3]);
    let load =
        |(i, f): (usize, &Vector)| Load { region: Region::Nodes(vec![i as u32]), kind: LoadKind::ForcePerNode(*f) };
    loaded.map(load).collect()
}

/// Judges a row; in `f32` an agreement of 1 % is all that is asked.
pub fn judged(row: Measured, tolerance: f64, options: &Options) -> Row {
    row.within(if options.precision == Precision::F32 { tolerance.max(0.01) } else { tolerance })
}

/// `a − b`.
pub fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `M v`.
pub fn apply(m: Matrix, v: Vector) -> Vector {
    (Mat3(m) * Vec3(v)).0
}

/// Whether two lengths of about one are the same but for rounding.
pub fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}
