//! From a scene to arrays, with a clear sentence for everything that cannot be built.

use super::checks::{check_fill, check_load, check_masses, check_pin, check_scene, check_skin, check_springs};
use super::region::nodes_inside;
use super::surface::{check_surface, skin_of, warn_about_skin};
use super::{BodyModel, BodySurface, Fused, Loads, Model, PinSet, RigidModel, Skin, TriggerModel};
use crate::contact::{Collider, Surface};
use crate::fracture::{Fragile, check_body as check_fragile, may_break};
use crate::material::plastic::InnerLaw;
use crate::material::{AnyLaw, MaterialError, Part, Viscosity};
use crate::math::{Mat3, Real, Vec3};
use crate::record::{BodyLayout, Cells, Look};
use crate::scene::{Body, Load, LoadKind, MassKind, Method, Pin, Region, Scene};
use crate::shape::{EmbeddedMesh, Geometry, PointSampling, SpringNet, TetMesh, TriMesh, quality::boundary_triangles};
use crate::stencil::block::{Block, Stencils};
use crate::stencil::general::General;
use crate::stencil::tets::Tets;
use crate::stencil::{MlsReport, MlsStencils, StencilError, StencilTable, TetTable};
use std::ops::Range;

/// Why a scene cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // each sentence says it
pub enum BuildError {
    #[error("the scene has no bodies: add one")]
    NoBodies,
    #[error("two bodies are called {name:?}: give each a name of its own")]
    DuplicateName { name: String },
    #[error("body {body:?} has no nodes: check its shape and size")]
    EmptyBody { body: String },
    #[error("body {body:?} cannot be simulated with method {method:?} because it is made of {geometry}")]
    MethodMismatch { body: String, method: &'static str, geometry: &'static str },
    #[error("body {body:?}: {source}")]
    Material { body: String, source: MaterialError },
    #[error("body {body:?}: {source}")]
    Stencil { body: String, source: StencilError },
    #[error("{what} is {value}: it must be a finite number{remedy}")]
    BadNumber { what: String, value: f64, remedy: &'static str },
    #[error("body {body:?}: {what} holds no nodes: move or enlarge its region (the body spans {min:?} to {max:?})")]
    EmptyRegion { body: String, what: &'static str, min: [f64; 3], max: [f64; 3] },
    #[error("body {body:?}: node {node} is named in a region, but the body has {count} nodes")]
    NodeOutOfRange { body: String, node: u32, count: usize },
    #[error(
        "a collider's surface of {triangles} triangles is open: close its holes, or use a body that is pinned instead"
    )]
    OpenCollider { triangles: usize },
    #[error("an event names body {body:?}, which does not exist (bodies: {known})")]
    UnknownBody { body: String, known: String },
    #[error("event at {at} s: {why}")]
    BadEvent { at: f64, why: &'static str },
    #[error("body {body:?}: {part} {index} {why}")]
    BadPart { body: String, part: &'static str, index: usize, why: String },
    #[error("attachment {index} names {name:?}, which is no body of the scene (bodies: {known})")]
    UnknownAttachment { index: usize, name: String, known: String },
    #[error("rigid body {body:?}: {what}")]
    BadRigidBody { body: String, what: &'static str },
    #[error("body {body:?}: {what}")]
    Unsupported { body: String, what: &'static str },
}

/// What was noticed while building, in sentences.
pub type Warnings = Vec<String>;

impl<R: Real> Model<R> {
    /// Checks a scene and turns it into arrays.
    pub fn build(scene: &Scene) -> Result<(Self, Warnings), BuildError> {
        check_scene(scene)?;
        let mut warnings = Warnings::new();
        let mut model = Model {
            bodies: Vec::new(),
            rest: Vec::new(),
            masses: Vec::new(),
            rayleigh_mass: Vec::new(),
            blocks: Vec::new(),
            colliders: scene.colliders.iter().map(Collider::new).collect(),
            rigid: scene.rigid_bodies.iter().map(RigidModel::new).collect(),
            ties: Vec::new(),
            triggers: scene.triggers.iter().map(TriggerModel::new).collect(),
            at_surface: Vec::new(),
            radii: Vec::new(),
            surface: Surface::default(),
            pins: Vec::new(),
            loads: Loads { gravity: Vec3::of(scene.gravity), ..Default::default() },
            heat: Vec::new(),
            consistent_mass: Vec::new(),
            version: 0,
        };
        for body in &scene.bodies {
            warnings.extend(body.notes.iter().map(|note| format!("body {:?}: {note}", body.name)));
            check_fragile(scene, body)?;
            check_surface(body, may_break(scene, body))?;
            model.add_body(body, &mut warnings)?;
            if may_break(scene, body) {
                model.make_fragile(body)?;
            }
        }
        model.find_touchable(scene);
        model.loads.dead = vec![Vec3::zero(); model.rest.len()];
        model.loads.loaded_bodies = vec![false; model.bodies.len()];
        for (index, body) in scene.bodies.iter().enumerate() {
            for pin in &body.pins {
                model.add_pin(index, pin, body.geometry.points(), 0.0)?;
            }
            model.set_loads(index, &body.loads, body.geometry.points())?;
            if let Some(heat) = &body.heat {
                model.set_heat(index, heat, body.geometry.points())?;
            }
        }
        for index in 0..scene.attachments.len() {
            model.attach(index, scene)?;
        }
        model.make_room_for_cracks();
        Ok((model, warnings))
    }

    fn add_body(&mut self, body: &Body, warnings: &mut Warnings) -> Result<(), BuildError> {
        let points = body.geometry.points();
        if points.is_empty() {
            return Err(BuildError::EmptyBody { body: body.name.clone() });
        }
        body.material.check().map_err(|source| BuildError::Material { body: body.name.clone(), source })?;
        let first = self.rest.len();
        let nodes = first..first + points.len();
        self.rest.extend(points.iter().map(|p| Vec3::of(*p)));
        self.masses.resize(nodes.end, R::zero());
        self.rayleigh_mass.push(R::of(body.material.rayleigh_mass));
        let parts = match (&body.geometry, body.method) {
            (Geometry::Tets(mesh), Method::Tet | Method::Edge | Method::Node | Method::Selective) => {
                let table = tet_table(body, mesh)?;
                let parts = self.add_tets(body, table, nodes.clone());
                match &body.skin {
                    Some(skin) => with_skin(parts, body, mesh, skin, warnings)?,
                    None => parts,
                }
            }
            (Geometry::Embedded(embedded), Method::Tet | Method::Edge | Method::Node | Method::Selective) => {
                self.add_embedded(body, embedded, nodes.clone(), warnings)?
            }
            (Geometry::Points(sampling), Method::Mls) => self.add_points(body, sampling, nodes.clone(), warnings)?,
            (Geometry::Springs(net), Method::Spring) => {
                check_springs(&body.name, net)?;
                self.add_springs(body, net, nodes.clone())
            }
            _ => return Err(mismatch(body)),
        };
        check_masses(&body.name, &self.masses[nodes.clone()])?;
        let Parts { volume, supports, cells, faces, skin, skin_triangles } = parts;
        let surface = BodySurface::of(body);
        let mut layout =
            BodyLayout { name: body.name.clone(), node_count: nodes.len(), cells, ..BodyLayout::default() };
        if surface.shows_skin() {
            let own = skin_of(body).is_some_and(|skin| !skin.points.is_empty());
            layout.look = if own { body.look.clone() } else { Look::default() };
            layout.skin_parts = if own { body.skin_parts.clone() } else { Vec::new() };
            layout.skin_triangles = skin_triangles;
        }
        layout.look.colour = body.colour();
        self.bodies.push(BodyModel {
            name: body.name.clone(),
            nodes,
            method: body.method,
            material: body.material.clone(),
            mass: body.mass,
            volume,
            mls: body.mls,
            supports,
            layout,
            faces,
            skin,
            surface,
            friction: body.friction(),
            groups: body.contact.groups,
            outside_is_old: false,
            fragile: None,
            merges: false,
            fused: Fused::default(),
        });
        Ok(())
    }

    /// Lets the body that was added last break.
    fn make_fragile(&mut self, body: &Body) -> Result<(), BuildError> {
        let smoothed_over_edges = matches!(body.method, Method::Edge | Method::Selective);
        let fragile = match &body.geometry {
            Geometry::Tets(mesh) => Fragile::of_tets(body, tet_table(body, mesh)?, smoothed_over_edges),
            Geometry::Points(sampling) => {
                let built = MlsStencils::build(sampling, &body.mls).map_err(|source| stencil_error(body, source))?;
                Fragile::of_points(body, sampling, built)
            }
            _ => return Ok(()),
        };
        self.bodies.last_mut().into_iter().for_each(|b| b.fragile = Some(fragile.clone()));
        Ok(())
    }

    fn block(&self, body: &Body, stencils: Stencils<R>, part: Part) -> Block<R> {
        let m = &body.material;
        let law = AnyLaw::new(m, part);
        Block {
            body: self.bodies.len(),
            stencils,
            law,
            inner: InnerLaw::new(m, part, law),
            viscosity: viscosity(m, part),
            rayleigh_stiffness: R::of(m.rayleigh_stiffness),
            penalty_modulus: R::of(m.young_modulus),
        }
    }

    /// A surface in tetrahedra that reach beyond it: each weighs and resists as the part of it that is filled.
    fn add_embedded(
        &mut self,
        body: &Body,
        embedded: &EmbeddedMesh,
        nodes: Range<usize>,
        warnings: &mut Warnings,
    ) -> Result<Parts, BuildError> {
        check_fill(&body.name, embedded)?;
        let mut table = tet_table(body, &embedded.mesh)?;
        let filled: f64 = table.volumes.iter().zip(&embedded.fill).map(|(v, f)| v * f).sum();
        table.volumes.iter_mut().zip(&embedded.fill).for_each(|(v, f)| *v *= f.max(LEAST_FILL));
        // What the emptiest were given is taken from all, so that the mass stays right.
        let scale = filled / table.volumes.iter().sum::<f64>();
        table.volumes.iter_mut().for_each(|v| *v *= scale);
        let parts = self.add_tets(body, table, nodes);
        with_skin(parts, body, &embedded.mesh, &embedded.skin, warnings)
    }

    fn add_tets(&mut self, body: &Body, table: TetTable<f64>, nodes: Range<usize>) -> Parts {
        let tets = table.nodes.clone();
        let shift = |local: u32| local + nodes.start as u32;
        let density = body.material.density;
        for (tet, volume) in tets.iter().zip(&table.volumes) {
            self.spread_tet_mass(tet.map(shift), density * volume, body.mass);
        }
        let volume = table.volumes.iter().sum();
        let general = |mut table: StencilTable<f64>| {
            table.nodes.iter_mut().for_each(|n| *n = shift(*n));
            Stencils::General(General::new(table.cast(), nodes.clone(), true))
        };
        match body.method {
            Method::Edge => {
                self.blocks.push(self.block(body, general(StencilTable::edge_smoothed(&table)), Part::Whole))
            }
            Method::Node => {
                self.blocks.push(self.block(body, general(StencilTable::node_smoothed(&table)), Part::Whole))
            }
            Method::Selective => {
                let shear = self.block(body, general(StencilTable::edge_smoothed(&table)), Part::Shear);
                let volumetric = self.block(body, general(StencilTable::node_smoothed(&table)), Part::Volume);
                self.blocks.extend([shear, volumetric]);
            }
            _ => {
                let tets = Tets::new(table.cast(), nodes.clone());
                self.blocks.push(self.block(body, Stencils::Tets(tets), Part::Whole));
            }
        }
        let faces: Vec<[u32; 3]> = boundary_triangles(&tets).into_iter().map(|f| f.map(shift)).collect();
        let (skin, skin_triangles) = Skin::of_boundary(&faces);
        Parts { volume, supports: Vec::new(), cells: Cells::Tets(tets), faces, skin, skin_triangles }
    }

    fn spread_tet_mass(&mut self, tet: [u32; 4], mass: f64, kind: MassKind) {
        for a in tet {
            self.masses[a as usize] += R::of(0.25 * mass);
        }
        if kind == MassKind::Consistent {
            // ρV/20 (1 + δ_ab): beyond the lumped ρV/4 δ_ab.
            for (i, a) in tet.into_iter().enumerate() {
                for (j, b) in tet.into_iter().enumerate() {
                    let share = mass / 20.0 * if i == j { 2.0 - 5.0 } else { 1.0 };
                    self.consistent_mass.push((a, b, R::of(share)));
                }
            }
        }
    }

    fn add_points(
        &mut self,
        body: &Body,
        sampling: &PointSampling,
        nodes: Range<usize>,
        warnings: &mut Warnings,
    ) -> Result<Parts, BuildError> {
        check_skin(&body.name, &sampling.skin)?;
        let built = MlsStencils::build(sampling, &body.mls).map_err(|source| stencil_error(body, source))?;
        warn_about_phyxels(body, &built.report, warnings);
        for (mass, volume) in self.masses[nodes.clone()].iter_mut().zip(&sampling.volumes) {
            *mass = R::of(body.material.density * volume);
        }
        let mut table = built.table;
        table.nodes.iter_mut().for_each(|n| *n += nodes.start as u32);
        let general = General::new(table.cast(), nodes.clone(), false);
        self.blocks.push(self.block(body, Stencils::General(general), Part::Whole));
        let (skin, outside) = Skin::of_sampling(sampling);
        warn_about_skin(body, &sampling.skin, outside, warnings);
        let close = if let Skin::Carried(carried) = &skin { carried.nearest() } else { Vec::new() };
        let faces = sampling.skin.triangles.iter().map(|f| f.map(|v| close[v as usize] + nodes.start as u32)).collect();
        Ok(Parts {
            volume: sampling.volumes.iter().sum(),
            supports: built.radii,
            cells: Cells::Points,
            faces,
            skin,
            skin_triangles: sampling.skin.triangles.clone(),
        })
    }

    fn add_springs(&mut self, body: &Body, net: &SpringNet, nodes: Range<usize>) -> Parts {
        for (mass, m) in self.masses[nodes.clone()].iter_mut().zip(&net.masses) {
            *mass = R::of(*m);
        }
        let first = nodes.start as u32;
        let mut table = StencilTable::<R> { offsets: vec![0], ..Default::default() };
        let mut base = Vec::with_capacity(net.springs.len());
        for spring in &net.springs {
            let [a, b] = spring.nodes.map(|n| Vec3(net.points[n as usize]));
            let direction = (b - a).normalized();
            let d = direction * (1.0 / spring.rest_length);
            table.nodes.extend(spring.nodes.map(|n| n + first));
            table.weights.extend([Vec3::of((-d).0), Vec3::of(d.0)]);
            // The volume that, with the material's modulus, gives the spring its stiffness: E V = k L².
            let volume = spring.stiffness * spring.rest_length * spring.rest_length / body.material.young_modulus;
            table.volumes.push(R::of(volume));
            table.offsets.push(table.nodes.len() as u32);
            base.push(Mat3::of(Mat3::outer(b - a, d).0));
        }
        let mut general = General::new(table, nodes, true);
        general.base = base;
        let mut block = self.block(body, Stencils::General(general), Part::Whole);
        block.law = AnyLaw::fibre(&body.material);
        block.inner = InnerLaw::new(&body.material, Part::Whole, block.law);
        block.viscosity = Viscosity { shear: R::zero(), bulk: R::zero() };
        self.blocks.push(block);
        let faces: Vec<[u32; 3]> = net.triangles.iter().map(|f| f.map(|n| n + first)).collect();
        let (skin, skin_triangles) = Skin::of_boundary(&faces);
        let lines = net.springs.iter().map(|s| s.nodes).collect();
        let volume = net.masses.iter().sum::<f64>() / body.material.density;
        Parts { volume, supports: Vec::new(), cells: Cells::Lines(lines), faces, skin, skin_triangles }
    }

    /// Adds a pin that begins at `start`, over the present `points` of the body.
    pub(crate) fn add_pin(
        &mut self,
        body: usize,
        pin: &Pin,
        points: &[[f64; 3]],
        start: f64,
    ) -> Result<(), BuildError> {
        check_pin(&self.bodies[body].name, pin)?;
        let local = self.region_nodes(body, &pin.region, points, "a pin")?;
        let from = local.iter().map(|&n| points[n as usize]).collect();
        let first = self.bodies[body].nodes.start as u32;
        let nodes = local.iter().map(|n| n + first).collect();
        self.pins.push(PinSet { body, nodes, from, start, motion: pin.clone() });
        self.version += 1;
        Ok(())
    }

    /// Replaces the loads of a body; regions are looked up in `points`.
    pub(crate) fn set_loads(&mut self, body: usize, loads: &[Load], points: &[[f64; 3]]) -> Result<(), BuildError> {
        let range = self.bodies[body].nodes.clone();
        self.loads.dead[range.clone()].fill(Vec3::zero());
        self.loads.pressures.retain(|(face, _)| !range.contains(&(face[0] as usize)));
        self.loads.loaded_bodies[body] = !loads.is_empty();
        for load in loads {
            self.add_load(body, load, points)?;
        }
        self.version += 1;
        Ok(())
    }

    fn add_load(&mut self, body: usize, load: &Load, points: &[[f64; 3]]) -> Result<(), BuildError> {
        check_load(&self.bodies[body].name, load)?;
        let local = self.region_nodes(body, &load.region, points, "a load")?;
        let first = self.bodies[body].nodes.start;
        match load.kind {
            LoadKind::ForcePerNode(force) => {
                for n in local {
                    self.loads.dead[first + n as usize] += Vec3::of(force);
                }
            }
            LoadKind::TotalForce(force) => {
                let total: f64 = local.iter().map(|&n| self.masses[first + n as usize].to_f64()).sum();
                for n in local {
                    let share = self.masses[first + n as usize].to_f64() / total;
                    self.loads.dead[first + n as usize] += Vec3::of(force.map(|f| f * share));
                }
            }
            LoadKind::Traction(traction) => {
                for face in self.faces_inside(body, &local)? {
                    let [a, b, c] = face.map(|n| Vec3(self.rest[n as usize].to_f64()));
                    let third = (b - a).cross(c - a).norm() / 6.0;
                    for n in face {
                        self.loads.dead[n as usize] += Vec3::of(traction.map(|t| t * third));
                    }
                }
            }
            LoadKind::Pressure(pressure) => {
                let faces = self.faces_inside(body, &local)?;
                self.loads.pressures.extend(faces.into_iter().map(|f| (f, R::of(pressure))));
            }
        }
        Ok(())
    }

    pub(super) fn faces_inside(&self, body: usize, local: &[u32]) -> Result<Vec<[u32; 3]>, BuildError> {
        let b = &self.bodies[body];
        let inside = |n: u32| local.binary_search(&(n - b.nodes.start as u32)).is_ok();
        let faces: Vec<[u32; 3]> = b.faces.iter().filter(|f| f.iter().all(|&n| inside(n))).copied().collect();
        if faces.is_empty() {
            let what = "a traction or pressure finds no boundary face whose corners all lie in its region: enlarge it";
            return Err(BuildError::Unsupported { body: b.name.clone(), what });
        }
        Ok(faces)
    }

    pub(super) fn region_nodes(
        &self,
        body: usize,
        region: &Region,
        points: &[[f64; 3]],
        what: &'static str,
    ) -> Result<Vec<u32>, BuildError> {
        let name = || self.bodies[body].name.clone();
        let nodes = nodes_inside(region, points);
        if let Some(&node) = nodes.iter().find(|&&n| n as usize >= points.len()) {
            return Err(BuildError::NodeOutOfRange { body: name(), node, count: points.len() });
        }
        if nodes.is_empty() {
            let bound = |pick: fn(f64, f64) -> f64| {
                std::array::from_fn(|a| points.iter().map(|p| p[a]).reduce(pick).unwrap_or(0.0))
            };
            return Err(BuildError::EmptyRegion { body: name(), what, min: bound(f64::min), max: bound(f64::max) });
        }
        Ok(nodes)
    }
}

/// Tetrahedra of a cover count as filled at least this much. Mass and stiffness shrink together, so time steps would not
/// suffer from less, but equations would: a node that only nearly empty tetrahedra hold is as good as loose.
const LEAST_FILL: f64 = 1e-2;

fn tet_table(body: &Body, mesh: &TetMesh) -> Result<TetTable<f64>, BuildError> {
    TetTable::build(&mesh.points, &mesh.tets).map_err(|source| stencil_error(body, source))
}

/// A surface that tetrahedra carry instead of their boundary.
fn with_skin(
    parts: Parts,
    body: &Body,
    mesh: &TetMesh,
    skin: &TriMesh,
    warnings: &mut Warnings,
) -> Result<Parts, BuildError> {
    check_skin(&body.name, skin)?;
    let (carried, outside) = Skin::embedded(mesh, &skin.points);
    warn_about_skin(body, skin, outside, warnings);
    Ok(match carried {
        Skin::None => parts,
        carried => Parts { skin: carried, skin_triangles: skin.triangles.clone(), ..parts },
    })
}

struct Parts {
    volume: f64,
    supports: Vec<f64>,
    cells: Cells,
    faces: Vec<[u32; 3]>,
    skin: Skin,
    skin_triangles: Vec<[u32; 3]>,
}

/// The viscosity of a material's part: with selective smoothing, shear and volume change live on different stencils.
pub(crate) fn viscosity<R: Real>(material: &crate::material::Material, part: Part) -> Viscosity<R> {
    let (shear, bulk) = (R::of(material.viscosity), R::of(material.bulk_viscosity));
    match part {
        Part::Whole => Viscosity { shear, bulk },
        Part::Shear => Viscosity { shear, bulk: R::zero() },
        Part::Volume => Viscosity { shear: R::zero(), bulk },
    }
}

fn mismatch(body: &Body) -> BuildError {
    let geometry = match body.geometry {
        Geometry::Tets(_) | Geometry::Embedded(_) => "tetrahedra (use tet, edge, node or selective)",
        Geometry::Points(_) => "phyxels (use mls)",
        Geometry::Springs(_) => "springs (use spring)",
    };
    BuildError::MethodMismatch { body: body.name.clone(), method: body.method.name(), geometry }
}

fn stencil_error(body: &Body, source: StencilError) -> BuildError {
    BuildError::Stencil { body: body.name.clone(), source }
}

fn warn_about_phyxels(body: &Body, report: &MlsReport, warnings: &mut Warnings) {
    if report.singular_phyxels > 0 {
        warnings.push(format!(
            "body {:?}: {} of its phyxels have neighbours in a line or plane only; {} directions there resist nothing \
             but the stabilisation: make the size smaller or the support larger",
            body.name, report.singular_phyxels, report.dropped_directions
        ));
    }
}
