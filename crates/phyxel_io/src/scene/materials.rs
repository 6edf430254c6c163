//! `[materials.NAME]`, and the materials that events set.

use phyxel::material::{LawKind, Material, PRESETS};
use std::sync::LazyLock;

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields, Range};
use super::{fracture, plastic, thermal};

/// All keys of a table.
static KEYS: LazyLock<Vec<&str>> = LazyLock::new(|| [OWN, &thermal::KEYS, &fracture::KEYS].concat());

const OWN: &[&str] = &[
    "preset",
    "law",
    "young_modulus",
    "poisson_ratio",
    "density",
    "volume_stiffness",
    "viscosity",
    "bulk_viscosity",
    "rayleigh_mass",
    "rayleigh_stiffness",
    "stiffness_matrix",
    "friction",
    "restitution",
    "plastic",
    "yield_strain",
    "yield_stress",
    "hardening",
    "creep",
    "relaxation_time",
    "max_strain",
    "colour",
];

/// The names of the materials that come with phyxel.
pub(super) fn preset_names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|preset| preset.name)
}

/// The materials of a scene, by name.
#[derive(Debug, Default)]
pub(super) struct Materials<'a>(Vec<(&'a str, Material)>);

impl<'a> Materials<'a> {
    pub fn read(field: &Field<'a>) -> Result<Self, SceneError> {
        let entries = field.named_entries()?;
        entries.iter().map(|(name, field)| Ok((*name, read(field)?))).collect::<Result<_, _>>().map(Materials)
    }

    /// The material that a body names: a table of the scene, or a preset.
    pub fn find(&self, field: &Field<'_>) -> Result<Material, SceneError> {
        let name = field.text()?;
        let own = self.0.iter().find(|(own, _)| *own == name).map(|(_, material)| material.clone());
        own.or_else(|| Material::preset(name)).ok_or_else(|| {
            let mut known: Vec<&str> = preset_names().collect();
            known.retain(|preset| self.0.iter().all(|(own, _)| own != preset));
            known.splice(0..0, self.0.iter().map(|(own, _)| *own));
            field.unknown_word("material", name, known)
        })
    }
}

fn read(field: &Field<'_>) -> Result<Material, SceneError> {
    let fields = field.fields(&KEYS)?;
    let mut material = fields.or("preset", Material::default(), preset)?;
    material.law = law(&fields, material.law)?;
    material.density = fields.number("density", Range::Positive, material.density)?;
    read_constants(&fields, &mut material)?;
    material.check().map_err(|error| field.fail(Problem::Material(error)))?;
    Ok(material)
}

/// `base` with the fields of an event's `set` on top. The density stays, because masses are made of it once.
pub(super) fn change(field: &Field<'_>, base: &Material) -> Result<Material, SceneError> {
    let fields = field.fields(&KEYS)?;
    for fixed in ["preset", "density"] {
        if let Some(field) = fields.get(fixed) {
            return Err(field.fail(Problem::Conflict("cannot change during a run; set other constants instead")));
        }
    }
    let mut material = base.clone();
    if fields.get("law").is_some() || fields.get("stiffness_matrix").is_some() {
        material.law = law(&fields, material.law)?;
    }
    read_constants(&fields, &mut material)?;
    material.check().map_err(|error| field.fail(Problem::Material(error)))?;
    Ok(material)
}

fn preset(field: &Field<'_>) -> Result<Material, SceneError> {
    let name = field.text()?;
    Material::preset(name).ok_or_else(|| field.unknown_word("preset", name, preset_names().collect()))
}

/// The law in the table, or else the one of the preset.
fn law(fields: &Fields<'_>, default: LawKind) -> Result<LawKind, SceneError> {
    let isotropic = [LawKind::Linear, LawKind::StVenantKirchhoff, LawKind::Corotated, LawKind::NeoHookean];
    let mut known: Vec<(&str, Option<LawKind>)> = isotropic.map(|law| (law.name(), Some(law))).into();
    known.push(("anisotropic", None));
    if let Some(field) = fields.get("law")
        && let Some(law) = field.word("law", &known)?
    {
        return match fields.get("stiffness_matrix") {
            None => Ok(law),
            Some(matrix) => Err(matrix.fail(Problem::Conflict(
                "is used by the anisotropic law only; leave it out or write law = \"anisotropic\"",
            ))),
        };
    }
    anisotropic(fields, default)
}

/// The law where the table does not name an isotropic one.
fn anisotropic(fields: &Fields<'_>, default: LawKind) -> Result<LawKind, SceneError> {
    let is_named = fields.get("law").is_some();
    let is_default = matches!(default, LawKind::Anisotropic(_));
    match fields.get("stiffness_matrix") {
        Some(matrix) if is_named || is_default => Ok(LawKind::Anisotropic(Box::new(six_by_six(&matrix)?))),
        Some(matrix) => {
            Err(matrix.fail(Problem::Conflict("is used by the anisotropic law only; add law = \"anisotropic\"")))
        }
        None if is_named && !is_default => Err(fields.fail(Problem::Conflict(
            "is anisotropic and needs its 6x6 constants; add stiffness_matrix, six rows of six numbers [Pa]",
        ))),
        None if is_default => match fields.get("young_modulus").or(fields.get("poisson_ratio")) {
            Some(unused) => Err(unused.fail(Problem::Conflict(
                "has no effect on this anisotropic preset; give another law, or a stiffness_matrix",
            ))),
            None => Ok(default),
        },
        None => Ok(default),
    }
}

fn six_by_six(field: &Field<'_>) -> Result<[[f64; 6]; 6], SceneError> {
    let rows = field.items()?;
    if rows.len() != 6 {
        let (wanted, found) = ("six rows of six numbers".into(), field.node.value.in_words());
        return Err(field.fail(Problem::WrongType { wanted, found }));
    }
    let mut matrix = [[0.0; 6]; 6];
    for (out, row) in matrix.iter_mut().zip(&rows) {
        *out = row.numbers(Range::Any)?;
    }
    Ok(matrix)
}

/// A colour as pages write it, `"#c89c68"`: red, green and blue.
pub(super) fn colour(field: &Field<'_>) -> Result<[u8; 3], SceneError> {
    let text = field.text()?;
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
    let value = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
    let [_, r, g, b] = value
        .ok_or_else(|| field.fail(Problem::Conflict("is not a colour; write # and six digits, as in \"#c89c68\"")))?
        .to_be_bytes();
    Ok([r, g, b])
}

fn read_constants(fields: &Fields<'_>, material: &mut Material) -> Result<(), SceneError> {
    material.young_modulus = fields.number("young_modulus", Range::Positive, material.young_modulus)?;
    material.poisson_ratio = fields.number("poisson_ratio", Range::PoissonRatio, material.poisson_ratio)?;
    let optional = [
        ("volume_stiffness", &mut material.volume_stiffness),
        ("viscosity", &mut material.viscosity),
        ("bulk_viscosity", &mut material.bulk_viscosity),
        ("rayleigh_mass", &mut material.rayleigh_mass),
        ("rayleigh_stiffness", &mut material.rayleigh_stiffness),
    ];
    for (key, constant) in optional {
        *constant = fields.number(key, Range::NotNegative, *constant)?;
    }
    material.restitution = fields.number("restitution", Range::ZeroToOne, material.restitution)?;
    if let Some(friction) = fields.get("friction") {
        material.friction = Some(friction.number(Range::NotNegative)?);
    }
    material.colour = fields.get("colour").map(|field| colour(&field)).transpose()?.or(material.colour);
    material.plastic = plastic::read(fields, material.plastic)?;
    material.thermal = thermal::read(fields, material.thermal.take())?;
    material.fracture = fracture::read(fields, material.fracture, material.young_modulus)?;
    Ok(())
}
