//! What a material does with heat.

use super::checks::{finite, not_negative, positive};
use super::{Material, MaterialError};

/// The thermal constants of a material. They cost nothing until a body is given a temperature.
#[derive(Clone, Debug, PartialEq)]
pub struct Thermal {
    /// [W/(m K)]
    pub conductivity: f64,
    /// [J/(kg K)]
    pub specific_heat: f64,
    /// Strain of each length per degree [1/K].
    pub expansion: f64,
    /// Temperature at which it has its rest shape [K].
    pub reference_temperature: f64,
    /// Share of plastic work that becomes heat (Taylor and Quinney 1934).
    pub work_to_heat: f64,
    /// How it melts; `None` for matter that stays solid.
    pub melting: Option<Melting>,
    /// Young's modulus over its cold value, by temperature.
    pub stiffness: Table,
    /// Yield stress or strain over its cold value, by temperature.
    pub strength: Table,
    /// How many times faster than cold matter it relaxes, by temperature.
    pub fluidity: Table,
}

impl Default for Thermal {
    /// About wet clay, at rest at 20 °C.
    fn default() -> Self {
        Thermal {
            conductivity: 1.0,
            specific_heat: 1000.0,
            expansion: 0.0,
            reference_temperature: 293.15,
            work_to_heat: 0.9,
            melting: None,
            stiffness: Table::default(),
            strength: Table::default(),
            fluidity: Table::default(),
        }
    }
}

/// How matter melts and sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Melting {
    /// Where melting begins [K].
    pub solidus: f64,
    /// Where all is molten [K]; may be equal to `solidus`.
    pub liquidus: f64,
    /// Heat that melting takes [J/kg].
    pub latent_heat: f64,
    /// Viscosity of the melt [Pa s].
    pub viscosity: f64,
}

/// A factor over temperature: `(temperature [K], factor)`, ascending, straight in between, constant beyond; one when empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table(pub Vec<(f64, f64)>);

impl Table {
    /// The factor at a temperature.
    pub fn at(&self, temperature: f64) -> f64 {
        let rows = &self.0;
        let above = rows.partition_point(|row| row.0 <= temperature);
        match (above.checked_sub(1).map(|k| rows[k]), rows.get(above)) {
            (None, None) => 1.0,
            (None, Some(first)) => first.1,
            (Some(last), None) => last.1,
            (Some((t0, f0)), Some(&(t1, f1))) => f0 + (f1 - f0) * (temperature - t0) / (t1 - t0),
        }
    }

    fn check(&self, field: &'static str) -> Result<(), MaterialError> {
        for (row, &(temperature, factor)) in self.0.iter().enumerate() {
            kelvin(field, temperature)?;
            positive(field, factor, "factors of the cold value, such as 1 or 0.05")?;
            if row > 0 && temperature <= self.0[row - 1].0 {
                return Err(MaterialError::TableOrder { field, row, temperature, before: self.0[row - 1].0 });
            }
        }
        Ok(())
    }
}

impl Thermal {
    /// Enthalpy per mass at a temperature, zero at 0 K [J/kg].
    pub fn enthalpy(&self, temperature: f64) -> f64 {
        self.specific_heat * temperature + self.molten_at(temperature) * self.melting.map_or(0.0, |m| m.latent_heat)
    }

    /// Temperature [K] and molten share at an enthalpy [J/kg].
    pub fn of_enthalpy(&self, enthalpy: f64) -> (f64, f64) {
        let c = self.specific_heat;
        let Some(m) = self.melting else { return (enthalpy / c, 0.0) };
        let (start, end) = (c * m.solidus, c * m.liquidus + m.latent_heat);
        if enthalpy <= start {
            (enthalpy / c, 0.0)
        } else if enthalpy >= end {
            ((enthalpy - m.latent_heat) / c, 1.0)
        } else {
            let share = (enthalpy - start) / (end - start);
            (m.solidus + share * (m.liquidus - m.solidus), share)
        }
    }

    /// `∂H/∂T` at an enthalpy [J/(kg K)]; where melting has no interval, that of a narrow one.
    pub fn capacity(&self, enthalpy: f64) -> f64 {
        let c = self.specific_heat;
        let Some(m) = self.melting else { return c };
        let melts = enthalpy > c * m.solidus && enthalpy < c * m.liquidus + m.latent_heat;
        if melts { c + m.latent_heat / (m.liquidus - m.solidus).max(NARROW) } else { c }
    }

    /// The molten share at a temperature.
    fn molten_at(&self, temperature: f64) -> f64 {
        let Some(m) = self.melting else { return 0.0 };
        if temperature < m.solidus {
            0.0
        } else if temperature >= m.liquidus {
            // Matter that is put at its melting point is solid: its latent heat is still to come.
            if m.liquidus > m.solidus || temperature > m.liquidus { 1.0 } else { 0.0 }
        } else {
            (temperature - m.solidus) / (m.liquidus - m.solidus)
        }
    }

    /// Whether the constants make sense; the first mistake otherwise.
    pub(super) fn check(&self, material: &Material) -> Result<(), MaterialError> {
        not_negative("conductivity", self.conductivity)?;
        positive("specific_heat", self.specific_heat, "water has 4186, steel 460 J/(kg K)")?;
        finite("expansion", self.expansion)?;
        kelvin("reference_temperature", self.reference_temperature)?;
        not_negative("work_to_heat", self.work_to_heat)?;
        if self.work_to_heat > 1.0 {
            return Err(MaterialError::Share { field: "work_to_heat", value: self.work_to_heat });
        }
        self.stiffness.check("stiffness_over_temperature")?;
        self.strength.check("strength_over_temperature")?;
        self.fluidity.check("fluidity_over_temperature")?;
        if let Some(m) = self.melting {
            kelvin("solidus", m.solidus)?;
            kelvin("liquidus", m.liquidus)?;
            if m.liquidus < m.solidus {
                return Err(MaterialError::Melting { solidus: m.solidus, liquidus: m.liquidus });
            }
            not_negative("latent_heat", m.latent_heat)?;
            positive("melt_viscosity", m.viscosity, "water has 1e-3, honey 10 Pa s")?;
            if matches!(material.law, super::LawKind::Anisotropic(_)) {
                return Err(MaterialError::AnisotropicMelting);
            }
        }
        Ok(())
    }
}

/// The narrowest interval in which matter melts, as the solver sees it [K].
const NARROW: f64 = 1e-3;

/// Refuses temperatures below absolute zero.
pub(crate) fn kelvin(field: &'static str, value: f64) -> Result<(), MaterialError> {
    finite(field, value)?;
    if value >= 0.0 { Ok(()) } else { Err(MaterialError::BelowAbsoluteZero { field, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_straight_between_its_rows_and_constant_beyond() {
        let table = Table(vec![(300.0, 1.0), (400.0, 0.5)]);
        assert_eq!([200.0, 300.0, 350.0, 400.0, 900.0].map(|t| table.at(t)), [1.0, 1.0, 0.75, 0.5, 0.5]);
        assert_eq!(Table::default().at(1e4), 1.0);
    }

    #[test]
    fn enthalpy_and_temperature_are_inverse_through_melting() {
        for (solidus, liquidus) in [(280.0, 280.0), (280.0, 290.0)] {
            let melting = Some(Melting { solidus, liquidus, latent_heat: 3e5, viscosity: 1.0 });
            let matter = Thermal { specific_heat: 4000.0, melting, ..Thermal::default() };
            for temperature in [0.0, 250.0, 279.9, 285.0, 300.0] {
                let (back, molten) = matter.of_enthalpy(matter.enthalpy(temperature));
                assert!((back - temperature).abs() < 1e-9, "{temperature} {back}");
                assert!((0.0..=1.0).contains(&molten));
            }
            let half = 4000.0 * 0.5 * (solidus + liquidus) + 1.5e5;
            let (temperature, molten) = matter.of_enthalpy(half);
            assert!((molten - 0.5).abs() < 1e-12 && (temperature - 0.5 * (solidus + liquidus)).abs() < 1e-9);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let complaint = |change: fn(&mut Thermal)| {
            let mut thermal = Thermal::default();
            change(&mut thermal);
            let material = Material { thermal: Some(thermal), ..Material::default() };
            material.check().expect_err("a mistake went unnoticed").to_string()
        };
        assert!(complaint(|t| t.conductivity = -1.0).starts_with("conductivity is -1"));
        assert!(complaint(|t| t.reference_temperature = -5.0).contains("absolute zero"));
        let m = complaint(|t| t.stiffness = Table(vec![(400.0, 1.0), (300.0, 0.5)]));
        assert!(m.contains("stiffness_over_temperature") && m.contains("ascending"), "{m}");
        let m = complaint(|t| {
            t.melting = Some(Melting { solidus: 300.0, liquidus: 290.0, latent_heat: 1.0, viscosity: 1.0 })
        });
        assert!(m.contains("liquidus") && m.contains("290"), "{m}");
    }
}
