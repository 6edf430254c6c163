//! Mistakes in the constants of a material, found before they become strange motion.

use super::{LawKind, Material, Plasticity};

/// What is wrong with a [`Material`], and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// A number is NaN or infinite.
    #[error("{field} is {value}: give a finite number")]
    NotFinite {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number must be above zero.
    #[error("{field} is {value}: it must be above zero ({typical})")]
    NotPositive {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Values that make sense.
        typical: &'static str,
    },
    /// Poisson's ratio is outside the range of stable matter.
    #[error(
        "poisson_ratio is {value}: it must lie between -1 and 0.5, both excluded; for matter that keeps its volume take 0.49"
    )]
    PoissonRatio {
        /// Its value.
        value: f64,
    },
    /// A number must not be below zero.
    #[error("{field} is {value}: it must not be below zero; 0 turns it off")]
    Negative {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// Von Mises' yield surface knows no directions.
    #[error("yield_stress needs an isotropic law: give another law, or yield_strain instead")]
    AnisotropicYield,
    /// Melts know no directions either.
    #[error("matter that melts needs an isotropic law: give another law, or leave out solidus and liquidus")]
    AnisotropicMelting,
    /// A share is not one.
    #[error("{field} is {value}: it must lie between 0 and 1")]
    Share {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// Broken edges would reach into the next section.
    #[error("{field} is {value} m, more than the section of {section} m: make edges smaller or sections larger")]
    EdgeBeyondSection {
        /// The field.
        field: &'static str,
        /// Its value [m].
        value: f64,
        /// Size of a section in that direction [m].
        section: f64,
    },
    /// Every edge would be divided into a crowd of triangles.
    #[error("{field} is {value}: give at most {most} points")]
    TooManyEdgePoints {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u32,
        /// What is allowed.
        most: u32,
    },
    /// A grain needs a direction.
    #[error("the grain has no direction: give a vector that is not zero, such as [1, 0, 0]")]
    NoGrain,
    /// Temperatures are absolute.
    #[error("{field} is {value} K: nothing is colder than absolute zero; temperatures are in kelvin, 20 C is 293.15")]
    BelowAbsoluteZero {
        /// The field.
        field: &'static str,
        /// Its value [K].
        value: f64,
    },
    /// A table over temperature goes back.
    #[error(
        "{field}: row {row} is at {temperature} K, but the one before it at {before} K; write temperatures in ascending order"
    )]
    TableOrder {
        /// The field.
        field: &'static str,
        /// Which row, counted from 0.
        row: usize,
        /// Its temperature [K].
        temperature: f64,
        /// That of the row before [K].
        before: f64,
    },
    /// Melting ends before it begins.
    #[error("melting ends (liquidus {liquidus} K) before it begins (solidus {solidus} K): swap the two")]
    Melting {
        /// Where it begins [K].
        solidus: f64,
        /// Where it ends [K].
        liquidus: f64,
    },
    /// The stiffness of an anisotropic law is not symmetric.
    #[error(
        "anisotropic stiffness is not symmetric: row {row} column {column} is {value} but row {column} column {row} is {mirrored}; make them equal"
    )]
    NotSymmetric {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The entry.
        value: f64,
        /// The entry mirrored at the diagonal.
        mirrored: f64,
    },
    /// The stiffness of an anisotropic law lets some strain give energy back.
    #[error(
        "anisotropic stiffness is not positive definite: pivot {pivot} of its Cholesky factor is {value} Pa; raise the diagonal or lower the entries beside it (order xx, yy, zz, yz, zx, xy)"
    )]
    NotPositiveDefinite {
        /// Which, counted from 0.
        pivot: usize,
        /// Its value [Pa].
        value: f64,
    },
}

impl Material {
    /// Whether the constants describe matter that can exist; the first mistake otherwise.
    pub fn check(&self) -> Result<(), MaterialError> {
        positive("young_modulus", self.young_modulus, "jelly has 1e4, rubber 1e6, steel 2e11 Pa")?;
        finite("poisson_ratio", self.poisson_ratio)?;
        if self.poisson_ratio <= -1.0 || self.poisson_ratio >= 0.5 {
            return Err(MaterialError::PoissonRatio { value: self.poisson_ratio });
        }
        positive("density", self.density, "water has 1000, steel 7850 kg/m³")?;
        not_negative("volume_stiffness", self.volume_stiffness)?;
        not_negative("viscosity", self.viscosity)?;
        not_negative("bulk_viscosity", self.bulk_viscosity)?;
        not_negative("rayleigh_mass", self.rayleigh_mass)?;
        not_negative("rayleigh_stiffness", self.rayleigh_stiffness)?;
        self.plastic.map_or(Ok(()), |plastic| plastic.check())?;
        self.thermal.as_ref().map_or(Ok(()), |thermal| thermal.check(self))?;
        self.fracture.map_or(Ok(()), |fracture| fracture.check())?;
        match &self.law {
            LawKind::Anisotropic(_) if matches!(self.plastic, Some(Plasticity::Stress { .. })) => {
                Err(MaterialError::AnisotropicYield)
            }
            LawKind::Anisotropic(c) => positive_definite(c),
            _ => Ok(()),
        }
    }
}

pub(crate) fn finite(field: &'static str, value: f64) -> Result<(), MaterialError> {
    if value.is_finite() { Ok(()) } else { Err(MaterialError::NotFinite { field, value }) }
}

pub(crate) fn positive(field: &'static str, value: f64, typical: &'static str) -> Result<(), MaterialError> {
    finite(field, value)?;
    if value > 0.0 { Ok(()) } else { Err(MaterialError::NotPositive { field, value, typical }) }
}

pub(crate) fn not_negative(field: &'static str, value: f64) -> Result<(), MaterialError> {
    finite(field, value)?;
    if value >= 0.0 { Ok(()) } else { Err(MaterialError::Negative { field, value }) }
}

/// Symmetric to twelve digits, and Cholesky's method succeeds.
fn positive_definite(c: &[[f64; 6]; 6]) -> Result<(), MaterialError> {
    for value in c.iter().flatten() {
        finite("an entry of the anisotropic stiffness", *value)?;
    }
    let size = c.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut l = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..=i {
            if (c[i][j] - c[j][i]).abs() > 1e-12 * size {
                let (value, mirrored) = (c[i][j], c[j][i]);
                return Err(MaterialError::NotSymmetric { row: i, column: j, value, mirrored });
            }
            let rest = c[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i > j {
                l[i][j] = rest / l[j][j];
            } else if rest > 1e-14 * size {
                l[i][i] = rest.sqrt();
            } else {
                return Err(MaterialError::NotPositiveDefinite { pivot: i, value: rest });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of a default material after a change.
    fn complaint(change: impl Fn(&mut Material)) -> String {
        let mut material = Material::default();
        change(&mut material);
        material.check().expect_err("a mistake went unnoticed").to_string()
    }

    #[test]
    fn a_sensible_material_passes() {
        assert_eq!(Material::default().check(), Ok(()));
        assert_eq!(Material { poisson_ratio: -0.5, ..Material::default() }.check(), Ok(()));
    }

    #[test]
    fn each_message_names_the_field_the_value_and_the_remedy() {
        let m = complaint(|m| m.young_modulus = 0.0);
        assert!(m.contains("young_modulus is 0") && m.contains("above zero"), "{m}");
        let m = complaint(|m| m.density = -2.0);
        assert!(m.contains("density is -2") && m.contains("water has 1000"), "{m}");
        for ratio in [0.5, -1.0] {
            let m = complaint(|m| m.poisson_ratio = ratio);
            assert!(m.contains(&format!("poisson_ratio is {ratio}")) && m.contains("0.49"), "{m}");
        }
    }

    #[test]
    fn nan_and_negative_numbers_are_found_in_every_field() {
        type Field = (&'static str, fn(&mut Material) -> &mut f64);
        let fields: [Field; 8] = [
            ("young_modulus", |m| &mut m.young_modulus),
            ("poisson_ratio", |m| &mut m.poisson_ratio),
            ("density", |m| &mut m.density),
            ("volume_stiffness", |m| &mut m.volume_stiffness),
            ("bulk_viscosity", |m| &mut m.bulk_viscosity),
            ("viscosity", |m| &mut m.viscosity),
            ("rayleigh_mass", |m| &mut m.rayleigh_mass),
            ("rayleigh_stiffness", |m| &mut m.rayleigh_stiffness),
        ];
        for (name, field) in fields {
            for value in [f64::NAN, f64::INFINITY, -3.0] {
                let m = complaint(|m| *field(m) = value);
                assert!(m.starts_with(&format!("{name} is {value}")), "{m}");
            }
        }
    }

    #[test]
    fn a_stiffness_must_be_symmetric_and_positive() {
        let with = |entries: &[(usize, usize, f64)]| {
            let mut c = [[0.0; 6]; 6];
            for i in 0..6 {
                c[i][i] = 2.0;
            }
            for &(i, j, value) in entries {
                c[i][j] = value;
            }
            Material { law: LawKind::Anisotropic(Box::new(c)), ..Material::default() }.check()
        };
        assert_eq!(with(&[]), Ok(()));
        let lopsided = with(&[(2, 1, 0.5)]);
        assert_eq!(lopsided, Err(MaterialError::NotSymmetric { row: 2, column: 1, value: 0.5, mirrored: 0.0 }));
        let indefinite = with(&[(0, 1, 3.0), (1, 0, 3.0)]);
        assert!(matches!(indefinite, Err(MaterialError::NotPositiveDefinite { pivot: 1, .. })), "{indefinite:?}");
        assert!(matches!(with(&[(4, 4, f64::NAN)]), Err(MaterialError::NotFinite { .. })));
    }
}
