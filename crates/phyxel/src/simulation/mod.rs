//! What happens in a step, in what order.

mod devices;
mod frames;
mod going_on;
mod parts;

pub use parts::Apart;

use crate::events;
use crate::fracture::{CrackEvent, Fragment, Slice};
use crate::material::Material;
use crate::math::{Real, Vec3};
use crate::model::{BodyModel, BuildError, Model, RigidModel, Warnings};
use crate::par;
use crate::record;
use crate::report::StepReport;
use crate::rigid::RigidState;
use crate::scene::{Action, Blade, Cut, Event, Scene};
use crate::solver::{Built, ContactForce, Engine, Partner, Rest, StepError, momentum, rigid_kinetic_energy};
use crate::state::State;
use crate::triggers::{TriggerEvent, Watch};

/// A scene in motion, in one precision.
pub struct Simulation<R: Real> {
    model: Model<R>,
    state: State<R>,
    engine: Box<dyn Engine<R>>,
    events: Vec<Event>,
    next_event: usize,
    warnings: Warnings,
    initial_energy: f64,
    /// What each body was made of at the start.
    materials: Vec<Material>,
    watch: Watch,
    revision: u64,
}

/// Energies [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic_j: f64,
    /// Stored in deformation.
    pub elastic_j: f64,
    /// Of gravity and steady loads; zero at height zero.
    pub potential_j: f64,
    /// What has gone since the start: turned to heat, or negative where pins and events put energy in.
    pub dissipated_j: f64,
}

impl Energy {
    fn total(&self) -> f64 {
        self.kinetic_j + self.elastic_j + self.potential_j
    }
}

/// A body in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySummary {
    /// Its name.
    pub name: String,
    /// Nodes.
    pub nodes: usize,
    /// Elements.
    pub elements: usize,
    /// How it was cut into elements.
    pub method: &'static str,
    /// The law of its material.
    pub material: &'static str,
    /// Mass, without what has been removed [kg].
    pub mass_kg: f64,
    /// Mass of small pieces that have been removed [kg].
    pub removed_kg: f64,
    /// Rest volume [m³].
    pub volume_m3: f64,
    /// Pieces that it is in.
    pub fragments: usize,
}

impl<R: Real> Simulation<R> {
    /// Checks a scene and builds everything that it needs.
    pub fn build(scene: &Scene) -> Result<Self, BuildError> {
        let Built { model, warnings, mut engine } = R::engine(scene)?;
        let mut state = State::at_rest(model.node_count());
        model.make_room_in(&mut state);
        model.add_grains(&mut state);
        let temperatures: Vec<Option<f64>> =
            scene.bodies.iter().map(|b| b.heat.as_ref().map(|heat| heat.temperature)).collect();
        model.add_temperatures(&temperatures, &mut state);
        engine.warm(&model, &mut state);
        for (body, spec) in model.bodies.iter().zip(&scene.bodies) {
            let center = momentum::of_body(&model, body, &state.u, &state.v).center;
            for n in body.nodes.clone() {
                let arm = Vec3(model.rest[n].to_f64()) - center;
                state.v[n] = Vec3::of((Vec3(spec.velocity) + Vec3(spec.spin).cross(arm)).0);
            }
        }
        engine.rigid_states(&mut state.rigid);
        state.torn = vec![false; model.ties.len()];
        state.rest = vec![Rest::default(); model.bodies.len()];
        let mut events = scene.events.clone();
        events.sort_by(|a, b| a.at.total_cmp(&b.at));
        let mut simulation = Simulation {
            model,
            state,
            engine,
            events,
            next_event: 0,
            warnings,
            initial_energy: 0.0,
            materials: scene.bodies.iter().map(|b| b.material.clone()).collect(),
            watch: Watch::default(),
            revision: devices::next_revision(),
        };
        simulation.initial_energy = simulation.energy().total();
        Ok(simulation)
    }

    /// Takes one step of `dt` [s].
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        par::among_threads(self.model.node_count(), || self.step_here(dt))
    }

    /// The same on the thread that asks.
    fn step_here(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        self.touch();
        self.carry_out_events(dt)?;
        self.sweep_blades(dt)?;
        self.reanchor_phyxels()?;
        self.engine.advance(&self.model, &mut self.state, dt, &mut report)?;
        self.engine.conduct(&self.model, &mut self.state, dt);
        self.engine.break_up(&mut self.model, &mut self.state, &mut report)?;
        self.watch.look(&self.model, &self.state);
        Ok(report)
    }

    /// Takes steps of the scene's size until `time`, the last one cut to arrive exactly.
    pub fn advance_to(&mut self, time: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let step = self.engine.settings().step;
        let rest = time - self.state.time;
        if rest <= 1e-9 * step {
            return Ok(report);
        }
        // Equal steps to the end of the interval: a last sliver of a step would break second-order schemes, and steps
        // that differ by rounding would make solvers build their constant matrices anew.
        // One per cent is allowed for, so that a rounded "0.00833" fits twice into a sixtieth.
        let parts = (rest / step - 0.01).ceil().max(1.0);
        let equal = rest / parts;
        let dt = if (equal - step).abs() <= 1e-9 * step { step } else { equal };
        par::among_threads(self.model.node_count(), || {
            for _ in 0..parts as u64 {
                report.merge(&self.step_here(dt)?);
            }
            Ok::<_, StepError>(())
        })?;
        self.state.time = time;
        Ok(report)
    }

    /// How bodies are moved.
    pub fn settings(&self) -> &crate::scene::SolverSettings {
        self.engine.settings()
    }

    /// Whether steps are cut to stay stable.
    pub fn is_explicit(&self) -> bool {
        use crate::scene::Integrator::*;
        matches!(self.settings().integrator, ExplicitEuler | SymplecticEuler | LeapFrog | Verlet | Rk2 | Rk4)
    }

    /// When the next event is due [s].
    pub fn next_event(&self) -> Option<f64> {
        self.events.get(self.next_event).map(|event| event.at)
    }

    fn carry_out_events(&mut self, dt: f64) -> Result<(), StepError> {
        while let Some(event) = self.events.get(self.next_event) {
            if event.at > self.state.time + 0.5 * dt {
                break;
            }
            let event = event.clone();
            self.carry_out(&event)?;
            self.next_event += 1;
        }
        Ok(())
    }

    fn carry_out(&mut self, event: &Event) -> Result<(), BuildError> {
        let before = self.energy().total();
        self.touch();
        self.model.renew_outsides();
        events::apply(event, &mut self.model, &mut self.state)?;
        if let Action::Cut(plane) = &event.action {
            for body in events::bodies(event, &self.model) {
                self.engine.cut(&mut self.model, &mut self.state, body, &Slice::of(plane))?;
            }
        }
        self.engine.warm(&self.model, &mut self.state);
        // What an event puts in or takes out is no dissipation.
        let after = self.energy().total();
        self.initial_energy += after - before;
        Ok(())
    }

    /// Cuts where blades pass within the next `dt`.
    fn sweep_blades(&mut self, dt: f64) -> Result<(), StepError> {
        let now = self.state.time;
        for k in 0..self.events.len() {
            let Event { at, action: Action::Sweep(blade), .. } = &self.events[k] else { continue };
            let (blade, at) = (*blade, *at);
            for body in events::bodies(&self.events[k], &self.model) {
                // Elements that it has cut in part are cut through when it has left them.
                let size = self.model.bodies[body].fragile.as_ref().filter(|f| f.cuts).map_or(0.0, |f| f.size);
                let Some(slice) = Slice::swept(&blade, at, (now - 3.0 * size / blade.speed(), now + dt)) else {
                    continue;
                };
                if now > at + blade.duration {
                    continue;
                }
                self.engine.cut(&mut self.model, &mut self.state, body, &slice)?;
            }
        }
        Ok(())
    }

    /// Phyxels without a rest shape get their stencils anew from where they are now (Zhou et al. 2013).
    fn reanchor_phyxels(&mut self) -> Result<(), StepError> {
        if self.engine.reanchor(&mut self.model, &mut self.state)? {
            self.state.forget();
        }
        Ok(())
    }

    /// The model.
    pub fn model(&self) -> &Model<R> {
        &self.model
    }

    /// The state.
    pub fn state(&self) -> &State<R> {
        &self.state
    }

    /// The state, to be changed from outside between steps.
    pub fn state_mut(&mut self) -> &mut State<R> {
        self.touch();
        self.state.forget();
        self.model.version += 1;
        &mut self.state
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// What was noticed while building.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Present position of a node [m].
    pub fn position(&self, node: usize) -> [f64; 3] {
        (Vec3(self.model.rest[node].to_f64()) + Vec3(self.state.u[node].to_f64())).0
    }

    /// Energies now [J].
    pub fn energy(&self) -> Energy {
        let mut energy = Energy {
            kinetic_j: self.model.kinetic_energy(&self.state.v) + rigid_kinetic_energy(&self.model, &self.state.rigid),
            elastic_j: self.engine.elastic_energy(&self.model, &self.state),
            potential_j: self.model.potential_energy(&self.state.u) + self.rigid_potential_energy(),
            dissipated_j: 0.0,
        };
        energy.dissipated_j = self.initial_energy - energy.total();
        energy
    }

    fn rigid_potential_energy(&self) -> f64 {
        let gravity = Vec3(self.model.loads.gravity.to_f64());
        self.rigid().map(|(body, state)| -body.mass.mass * gravity.dot(state.center)).sum()
    }

    fn rigid(&self) -> impl Iterator<Item = (&RigidModel, &RigidState)> {
        self.model.rigid.iter().zip(&self.state.rigid)
    }

    /// Rigid bodies as they are now, in the order of the scene.
    pub fn rigid_bodies(&self) -> &[RigidState] {
        &self.state.rigid
    }

    /// Who pressed on whom in the last step, and how hard.
    pub fn contacts(&self) -> &[ContactForce] {
        self.engine.contacts()
    }

    /// Whether a body is at rest and left alone until something disturbs it.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.state.rest[body].asleep
    }

    /// What entered and left triggers since this was last asked, in order.
    pub fn take_trigger_events(&mut self) -> Vec<TriggerEvent> {
        self.watch.take()
    }

    /// What has broken since this was last asked, in order.
    pub fn take_cracks(&mut self) -> Vec<CrackEvent> {
        self.engine.take_cracks()
    }

    /// The pieces that a body is in, by identity; those without elements have broken into others. Empty for bodies that
    /// cannot break.
    pub fn fragments(&self, body: usize) -> &[Fragment] {
        self.model.bodies[body].fragile.as_ref().map_or(&[], |f| &f.fragments)
    }

    /// The name of one side of a contact; colliders are numbered.
    pub fn partner_name(&self, partner: Partner) -> String {
        match partner {
            Partner::Body(b) => self.model.bodies[b].name.clone(),
            Partner::Rigid(r) => self.model.rigid[r].name.clone(),
            Partner::Collider(c) => format!("collider {c}"),
        }
    }

    /// Linear momentum [kg m/s].
    pub fn momentum(&self) -> [f64; 3] {
        let parts = self.model.bodies.iter().map(|b| momentum::of_body(&self.model, b, &self.state.u, &self.state.v));
        let soft = parts.fold(Vec3::zero(), |sum, m| sum + m.linear);
        self.rigid().fold(soft, |sum, (body, state)| sum + state.velocity * body.mass.mass).0
    }

    /// Angular momentum about the origin [kg m²/s].
    pub fn angular_momentum(&self) -> [f64; 3] {
        let parts = self.model.bodies.iter().map(|b| momentum::of_body(&self.model, b, &self.state.u, &self.state.v));
        let soft = parts.fold(Vec3::zero(), |sum, m| sum + m.angular + m.center.cross(m.linear));
        let rigid = self
            .rigid()
            .map(|(body, state)| state.inertia * state.spin + state.center.cross(state.velocity * body.mass.mass));
        rigid.fold(soft, |sum, l| sum + l).0
    }

    /// Temperatures of a body's nodes [K]; empty when it has none.
    pub fn temperatures(&self, body: usize) -> Vec<f64> {
        self.of_enthalpies(body, |t| t.0)
    }

    /// Molten shares of a body's nodes, 0 to 1; empty when it has no temperature.
    pub fn molten(&self, body: usize) -> Vec<f64> {
        self.of_enthalpies(body, |t| t.1)
    }

    fn of_enthalpies(&self, body: usize, pick: fn((f64, f64)) -> f64) -> Vec<f64> {
        let heated = self.model.is_heated(body);
        let body = &self.model.bodies[body];
        match &body.material.thermal {
            Some(thermal) if heated => {
                self.state.enthalpy[body.nodes.clone()].iter().map(|h| pick(thermal.of_enthalpy(*h))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Makes a body of another material from now on; only its density must stay. Replays and snapshots know of it, as if it
    /// had been an event.
    pub fn set_material(&mut self, body: &str, material: Material) -> Result<(), BuildError> {
        self.act_now(body, Action::SetMaterial(material))
    }

    /// Cuts a body along a plane, now; it must be one that can break. Replays and snapshots know of it.
    pub fn cut(&mut self, body: &str, cut: Cut) -> Result<(), BuildError> {
        self.act_now(body, Action::Cut(cut))
    }

    /// Lets a blade set out now, which cuts a body where it passes it; the body must be one that can break. Replays and
    /// snapshots know of it.
    pub fn sweep(&mut self, body: &str, blade: Blade) -> Result<(), BuildError> {
        self.act_now(body, Action::Sweep(blade))
    }

    fn act_now(&mut self, body: &str, action: Action) -> Result<(), BuildError> {
        let event = Event { at: self.state.time, body: Some(body.to_string()), action };
        events::check_one(&event, &self.model)?;
        self.carry_out(&event)?;
        self.events.insert(self.next_event, event);
        self.next_event += 1;
        Ok(())
    }

    /// One number over all displacements and velocities.
    pub fn state_hash(&self) -> u64 {
        record::state_hash(&self.state)
    }

    /// The largest stable explicit step now [s].
    pub fn stable_step(&mut self) -> f64 {
        self.engine.stable_step(&self.model, &self.state)
    }

    /// Forces on all nodes now, external, elastic and damping together [N]; on held nodes they are what the support
    /// must balance.
    pub fn forces(&mut self) -> Vec<Vec3<R>> {
        let mut out = vec![Vec3::zero(); self.model.node_count()];
        self.engine.forces(&self.model, &self.state, &mut out);
        out
    }

    /// The bodies in numbers.
    pub fn bodies(&self) -> Vec<BodySummary> {
        let removed = |body: &BodyModel| body.fragile.as_ref().map_or(0.0, |f| f.removed_mass());
        let summary = |(index, body): (usize, &BodyModel)| BodySummary {
            name: body.name.clone(),
            nodes: body.nodes.len(),
            elements: self.model.blocks.iter().find(|b| b.body == index).map_or(0, |b| b.len()),
            method: body.method.name(),
            material: body.material.law.name(),
            mass_kg: self.model.masses[body.nodes.clone()].iter().map(|m| m.to_f64()).sum::<f64>() - removed(body),
            removed_kg: removed(body),
            volume_m3: body.volume,
            fragments: body.fragile.as_ref().map_or(1, |f| f.fragment_count()),
        };
        let rigid = self.model.rigid.iter().map(|body| BodySummary {
            name: body.name.clone(),
            nodes: 0,
            elements: 0,
            method: "rigid",
            material: "rigid",
            mass_kg: body.mass.mass,
            removed_kg: 0.0,
            volume_m3: body.mass.volume,
            fragments: 1,
        });
        self.model.bodies.iter().enumerate().map(summary).chain(rigid).collect()
    }

    /// Bytes held by the model, the state and the solver.
    pub fn memory_bytes(&self) -> usize {
        self.model.memory_bytes() + self.engine.memory_bytes() + 2 * size_of::<Vec3<R>>() * self.model.node_count()
    }
}
