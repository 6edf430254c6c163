//! Bodies that have a temperature.

use super::Region;

/// The temperature of a body and what it exchanges heat with.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyHeat {
    /// At the start [K].
    pub temperature: f64,
    /// Heat that each area of its surface gives to the air, per degree [W/(m² K)].
    pub convection: f64,
    /// Temperature of the air [K].
    pub ambient: f64,
    /// Heat that passes to what it touches, per area and degree [W/(m² K)]; between two bodies that of the worse counts.
    pub conductance: f64,
    /// What heats or cools its parts.
    pub loads: Vec<HeatLoad>,
}

impl Default for BodyHeat {
    /// At 20 °C, in contact as metal on metal, and without air.
    fn default() -> Self {
        BodyHeat { temperature: 293.15, convection: 0.0, ambient: 293.15, conductance: 1000.0, loads: Vec::new() }
    }
}

/// Something that heats or cools a part of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatLoad {
    /// Which part; for what passes a surface, the boundary faces all of whose corners lie in it.
    pub region: Region,
    /// What happens there.
    pub kind: HeatKind,
}

/// What a heat load does.
#[derive(Clone, Debug, PartialEq)]
pub enum HeatKind {
    /// Nodes have this temperature [K].
    Temperature(f64),
    /// Nodes have the temperature of a program: `(time [s], temperature [K])`, ascending, straight in between.
    Program(Vec<(f64, f64)>),
    /// Heat in all, spread over the part by mass [W].
    Power(f64),
    /// Heat through the surface, inward [W/m²].
    Flux(f64),
    /// Air of another kind than the body's.
    Convection {
        /// [W/(m² K)]
        coefficient: f64,
        /// [K]
        ambient: f64,
    },
}
