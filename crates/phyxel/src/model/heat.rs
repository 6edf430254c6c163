//! What heats bodies, as arrays.

use super::{BuildError, Model};
use crate::material::kelvin;
use crate::math::{Real, Vec3};
use crate::scene::{BodyHeat, HeatKind, HeatLoad};
use crate::state::State;

/// What a body exchanges heat with; nodes are those of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatModel {
    /// Heat through the surface into the air [W/(m² K)].
    pub convection: f64,
    /// Temperature of the air [K].
    pub ambient: f64,
    /// Heat through touching surfaces [W/(m² K)].
    pub conductance: f64,
    /// Nodes whose temperature is given, by which program.
    pub held: Vec<(u32, usize)>,
    /// Temperatures over time: `(time [s], temperature [K])`.
    pub programs: Vec<Vec<(f64, f64)>>,
    /// Heat into nodes [W].
    pub power: Vec<(u32, f64)>,
    /// Heat through faces, inward [W/m²].
    pub flux: Vec<([u32; 3], f64)>,
    /// Faces in air of their own: `(coefficient [W/(m² K)], temperature [K])`.
    pub air: Vec<([u32; 3], f64, f64)>,
}

impl HeatModel {
    /// The temperature of a program at a time [K].
    pub fn program(&self, index: usize, time: f64) -> f64 {
        let rows = &self.programs[index];
        let above = rows.partition_point(|row| row.0 <= time);
        match (above.checked_sub(1).map(|k| rows[k]), rows.get(above)) {
            (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * (time - t0) / (t1 - t0),
            (Some((_, a)), None) | (None, Some(&(_, a))) => a,
            (None, None) => 0.0,
        }
    }
}

impl<R: Real> Model<R> {
    /// Makes a body's heat exchange, over the present `points` of the body.
    pub(crate) fn set_heat(&mut self, body: usize, heat: &BodyHeat, points: &[[f64; 3]]) -> Result<(), BuildError> {
        let name = self.bodies[body].name.clone();
        check_heat(&name, heat)?;
        if self.bodies[body].material.thermal.is_none() {
            let what = "has a temperature, but its material no conductivity and specific_heat: give both";
            return Err(BuildError::Unsupported { body: name, what });
        }
        let BodyHeat { convection, ambient, conductance, .. } = *heat;
        let mut made = HeatModel { convection, ambient, conductance, ..HeatModel::default() };
        for load in &heat.loads {
            self.add_heat_load(body, load, points, &mut made)?;
        }
        made.held.sort_by_key(|h| h.0);
        made.held.dedup_by_key(|h| h.0);
        self.heat.resize(self.bodies.len(), None);
        self.heat[body] = Some(made);
        self.version += 1;
        Ok(())
    }

    fn add_heat_load(
        &self,
        body: usize,
        load: &HeatLoad,
        points: &[[f64; 3]],
        made: &mut HeatModel,
    ) -> Result<(), BuildError> {
        let local = self.region_nodes(body, &load.region, points, "a heat load")?;
        let first = self.bodies[body].nodes.start as u32;
        match &load.kind {
            HeatKind::Temperature(_) | HeatKind::Program(_) => {
                let program = match &load.kind {
                    HeatKind::Program(rows) => rows.clone(),
                    HeatKind::Temperature(t) => vec![(0.0, *t)],
                    _ => Vec::new(),
                };
                made.held.extend(local.iter().map(|n| (n + first, made.programs.len())));
                made.programs.push(program);
            }
            HeatKind::Power(watts) => {
                let mass = |n: &u32| self.masses[(n + first) as usize].to_f64();
                let total: f64 = local.iter().map(mass).sum();
                made.power.extend(local.iter().map(|n| (n + first, watts * mass(n) / total)));
            }
            HeatKind::Flux(flux) => {
                made.flux.extend(self.faces_inside(body, &local)?.into_iter().map(|f| (f, *flux)));
            }
            HeatKind::Convection { coefficient, ambient } => {
                let faces = self.faces_inside(body, &local)?;
                made.air.extend(faces.into_iter().map(|f| (f, *coefficient, *ambient)));
            }
        }
        Ok(())
    }

    /// Whether a body has a temperature.
    pub fn is_heated(&self, body: usize) -> bool {
        matches!(self.heat.get(body), Some(Some(_)))
    }

    /// Gives the nodes of heated bodies their first temperature.
    pub(crate) fn add_temperatures(&self, temperatures: &[Option<f64>], state: &mut State<R>) {
        if !self.heat.iter().any(Option::is_some) {
            return;
        }
        state.enthalpy = vec![0.0; self.node_count()];
        for (body, temperature) in self.bodies.iter().zip(temperatures) {
            if let (Some(thermal), Some(temperature)) = (&body.material.thermal, temperature) {
                state.enthalpy[body.nodes.clone()].fill(thermal.enthalpy(*temperature));
            }
        }
    }

    /// Area of a face now [m²].
    pub(crate) fn face_area(&self, face: [u32; 3], u: &[Vec3<R>]) -> f64 {
        let [a, b, c] = face.map(|n| self.place(n as usize, u[n as usize]));
        0.5 * (b - a).cross(c - a).norm()
    }
}

/// Refuses heat that cannot be.
pub(crate) fn check_heat(body: &str, heat: &BodyHeat) -> Result<(), BuildError> {
    let temperature =
        |field, value| kelvin(field, value).map_err(|source| BuildError::Material { body: body.into(), source });
    temperature("temperature", heat.temperature)?;
    temperature("ambient", heat.ambient)?;
    for (what, value) in [("convection", heat.convection), ("conductance", heat.conductance)] {
        if !(value >= 0.0 && value.is_finite()) {
            let what = format!("{what} of body {body:?}");
            return Err(BuildError::BadNumber { what, value, remedy: ", zero or more" });
        }
    }
    heat.loads.iter().try_for_each(|load| check_heat_load(body, load))
}

/// Refuses a heat load that cannot be.
pub(crate) fn check_heat_load(body: &str, load: &HeatLoad) -> Result<(), BuildError> {
    let temperature =
        |field, value| kelvin(field, value).map_err(|source| BuildError::Material { body: body.into(), source });
    let number = |value: f64, least: f64, remedy| {
        if value.is_finite() && value >= least {
            return Ok(());
        }
        Err(BuildError::BadNumber { what: format!("a heat load of body {body:?}"), value, remedy })
    };
    match &load.kind {
        HeatKind::Temperature(t) => temperature("the temperature of a heat load", *t),
        HeatKind::Program(rows) => {
            number(rows.len() as f64, 1.0, ", and a program needs at least one row")?;
            rows.iter().try_for_each(|row| temperature("the temperature of a heat load", row.1))?;
            let steps = rows.windows(2).map(|pair| pair[1].0 - pair[0].0);
            steps.into_iter().try_for_each(|dt| number(dt, f64::MIN_POSITIVE, "; times must ascend"))
        }
        HeatKind::Power(value) | HeatKind::Flux(value) => number(*value, f64::MIN, ""),
        HeatKind::Convection { coefficient, ambient } => {
            number(*coefficient, 0.0, ", zero or more")?;
            temperature("ambient", *ambient)
        }
    }
}
