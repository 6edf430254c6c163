//! What the bodies of a simulation are drawn with, frame by frame.

use crate::colours::{phyxel_colours, skin_colours};
use crate::error::SurfaceError;
use crate::merged::{Merged, Piece};
use crate::mesh::Closedness;
use crate::multi::{Moment, MultiSurface, Wall};
use crate::reconstruction::{Matter, Reconstruction, ReconstructionSettings};
use crate::saved::{Reader, Saved, Writer, unfit};
use crate::surfels::{SurfelCloud, sample_skin};
use phyxel::contact::Collider;
use phyxel::math::Real;
use phyxel::model::{BodyModel, Site};
use phyxel::record::Frame;
use phyxel::scene::{Lagrangian, SurfaceKind};
use phyxel::{AnySimulation, Simulation};

/// Fills frames with the surfaces that bodies ask for: [`BodyFrame::free`](phyxel::record::BodyFrame::free) and
/// [`BodyFrame::surfels`](phyxel::record::BodyFrame::surfels).
pub struct Dresser {
    dresses: Vec<Dress>,
    /// Of the bodies.
    names: Vec<String>,
    /// Colours of bodies that have none of their own, linear; empty where nobody said.
    plain: Vec<[f32; 3]>,
    merged: Merged,
    reach: f64,
}

/// What was noticed while dressing a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DressReport {
    /// Bodies that were given a surface.
    pub bodies: usize,
    /// How well the meshes close, all together.
    pub closedness: Closedness,
}

/// The surface of one body.
enum Dress {
    /// The skin, which frames have anyway.
    Skin,
    /// A mesh found anew.
    Free { mesh: Box<Reconstruction>, colours: Vec<[f32; 3]> },
    /// Discs on a body with a rest shape.
    Carried(Box<SurfelCloud>),
    /// Discs on a body without one.
    Flowing(Box<SurfelCloud>),
    /// Discs that follow parting and merging, and whether the matter was solid in the last frame.
    Multi(Box<MultiSurface>, bool),
}

impl Dresser {
    /// For the bodies of a simulation as it was built.
    pub fn new(simulation: &AnySimulation, settings: ReconstructionSettings) -> Result<Self, SurfaceError> {
        match simulation {
            AnySimulation::F32(s) => Dresser::of(s, settings),
            AnySimulation::F64(s) => Dresser::of(s, settings),
        }
    }

    /// The same in one precision.
    pub fn of<R: Real>(simulation: &Simulation<R>, settings: ReconstructionSettings) -> Result<Self, SurfaceError> {
        let dress = |body: &BodyModel| {
            Ok(match body.surface.kind {
                SurfaceKind::Auto | SurfaceKind::Skin => Dress::Skin,
                SurfaceKind::Reconstructed => {
                    let points = positions(simulation, body);
                    let mesh = Box::new(Reconstruction::new(settings)?);
                    Dress::Free { mesh, colours: phyxel_colours(&points, &body.surface) }
                }
                SurfaceKind::Surfels | SurfaceKind::Multi => discs(simulation, body),
            })
        };
        let dresses = simulation.model().bodies.iter().map(dress).collect::<Result<_, _>>()?;
        let names = simulation.model().bodies.iter().map(|b| b.name.clone()).collect();
        Ok(Dresser { dresses, names, plain: Vec::new(), merged: Merged::default(), reach: settings.reach })
    }

    /// Gives bodies without colours of their own those that they are drawn with, linear red, green and blue, by their index:
    /// where bodies have run into each other, one surface shows the colours of all.
    #[must_use]
    pub fn with_colours(mut self, colour: impl Fn(usize) -> [f32; 3]) -> Self {
        self.plain = (0..self.dresses.len()).map(colour).collect();
        self
    }

    /// Whether any body is drawn with more than its skin.
    pub fn is_needed(&self) -> bool {
        self.dresses.iter().any(|d| !matches!(d, Dress::Skin))
    }

    /// What the surfaces remember from frame to frame, for [`Dresser::restore`].
    pub fn save(&self) -> Vec<u8> {
        let mut to = Writer::default();
        for dress in &self.dresses {
            to.byte(dress.kind());
            match dress {
                Dress::Skin | Dress::Free { .. } => {}
                Dress::Carried(cloud) | Dress::Flowing(cloud) => cloud.save(&mut to),
                Dress::Multi(surface, solid) => {
                    surface.save(&mut to);
                    to.byte(u8::from(*solid));
                }
            }
        }
        self.merged.save(&mut to);
        to.0
    }

    /// Goes on where another dresser of the same scene was when it was saved: frames from then on are the same.
    ///
    /// # Errors
    /// When the bytes are not those of this scene's surfaces. Nothing is to be drawn with the dresser then.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), SurfaceError> {
        let mut from = Reader(saved);
        for (dress, name) in self.dresses.iter_mut().zip(&self.names) {
            dress.restore(&mut from).ok_or_else(|| unfit(name))?;
        }
        let whole = self.merged.restore(&mut from).is_some() && from.0.is_empty();
        if whole { Ok(()) } else { Err(unfit(self.names.last().map_or("", |n| n))) }
    }

    /// Adds the surfaces to a frame that was just taken from the simulation.
    pub fn dress(&mut self, simulation: &AnySimulation, frame: &mut Frame) -> Result<DressReport, SurfaceError> {
        match simulation {
            AnySimulation::F32(s) => self.dress_one(s, frame),
            AnySimulation::F64(s) => self.dress_one(s, frame),
        }
    }

    /// The same in one precision.
    pub fn dress_one<R: Real>(
        &mut self,
        simulation: &Simulation<R>,
        frame: &mut Frame,
    ) -> Result<DressReport, SurfaceError> {
        let mut report = self.dress_free(simulation, frame)?;
        let bodies = simulation.model().bodies.iter().zip(&mut frame.bodies);
        for (index, (dress, (body, out))) in self.dresses.iter_mut().zip(bodies).enumerate() {
            match dress {
                Dress::Skin | Dress::Free { .. } => continue,
                Dress::Carried(cloud) => {
                    let (points, gradients) = (positions(simulation, body), simulation.deformations(index));
                    let site = |j: usize| Site { position: points[j], deformation: gradients[j] };
                    cloud.follow_into(site, out.surfels.get_or_insert_default());
                }
                Dress::Flowing(cloud) => out.surfels = Some(cloud.flow(&positions(simulation, body))),
                Dress::Multi(surface, solid) => {
                    let sets = !std::mem::replace(solid, is_solid(simulation, index)) && *solid;
                    let (model, time) = (simulation.model(), simulation.time());
                    let distance = |c| {
                        let (form, pose) = (Collider::form(c), Collider::pose(c, time));
                        move |x| form.probe(pose.to_local(x)).distance
                    };
                    let distances: Vec<_> = model.colliders.iter().map(distance).collect();
                    let mould: Vec<Wall<'_>> = distances.iter().map(|d| d as Wall<'_>).collect();
                    let moment = Moment { phyxels: &positions(simulation, body), mould: &mould, sets };
                    surface.advance_into(&moment, out.surfels.get_or_insert_default());
                }
            }
            report.bodies += 1;
        }
        Ok(report)
    }

    /// Meshes around bodies that flow. Those that have run into each other are one: the first has all of it, the others an
    /// empty one.
    fn dress_free<R: Real>(
        &mut self,
        simulation: &Simulation<R>,
        frame: &mut Frame,
    ) -> Result<DressReport, SurfaceError> {
        let mut report = DressReport::default();
        let bodies = &simulation.model().bodies;
        let free: Vec<bool> = self.dresses.iter().map(|d| matches!(d, Dress::Free { .. })).collect();
        let places: Vec<Vec<[f64; 3]>> = bodies
            .iter()
            .zip(&free)
            .map(|(b, free)| if *free { positions(simulation, b) } else { Vec::new() })
            .collect();
        let molten: Vec<Vec<f64>> =
            (0..bodies.len()).map(|i| if free[i] { simulation.molten(i) } else { Vec::new() }).collect();
        let piece = |i: usize| {
            let spacing = bodies[i].surface.spacing;
            free[i].then(|| Piece { points: &places[i], spacing, molten: &molten[i] })
        };
        let pieces: Vec<_> = (0..bodies.len()).map(piece).collect();
        let groups = self.merged.groups(&pieces, self.reach);
        for group in groups.iter().filter(|g| free[g[0]]) {
            let points: Vec<[f64; 3]> = group.iter().flat_map(|i| places[*i].iter().copied()).collect();
            let colours = self.colours_of(group, &places);
            let matter = Matter {
                points: &points,
                spacing: group.iter().map(|i| bodies[*i].surface.spacing).fold(0.0, f64::max),
                volume: group.iter().map(|i| bodies[*i].volume).sum(),
                colours: &colours,
            };
            let Dress::Free { mesh, .. } = &mut self.dresses[group[0]] else { continue };
            let (surface, closed) = mesh.surface(&matter).map_err(|e| named(e, &bodies[group[0]].name))?;
            report.closedness.boundary_edges += closed.boundary_edges;
            report.closedness.crowded_edges += closed.crowded_edges;
            report.bodies += group.len();
            group.iter().for_each(|i| frame.bodies[*i].free = Some(Default::default()));
            frame.bodies[group[0]].free = Some(surface);
        }
        Ok(report)
    }

    /// Colours of the phyxels of a group; none where a single body has none, or nobody knows any.
    fn colours_of(&self, group: &[usize], places: &[Vec<[f64; 3]>]) -> Vec<[f32; 3]> {
        let own = |i: usize| match &self.dresses[i] {
            Dress::Free { colours, .. } if colours.len() == places[i].len() => &colours[..],
            _ => &[],
        };
        let all_plain = group.iter().all(|i| own(*i).is_empty());
        if all_plain && (group.len() == 1 || self.plain.is_empty()) {
            return Vec::new();
        }
        let of_body = |&i: &usize| match own(i) {
            [] => vec![self.plain.get(i).copied().unwrap_or([1.0; 3]); places[i].len()],
            own => own.to_vec(),
        };
        group.iter().flat_map(of_body).collect()
    }
}

impl Dress {
    fn kind(&self) -> u8 {
        match self {
            Dress::Skin => 0,
            Dress::Free { .. } => 1,
            Dress::Carried(_) => 2,
            Dress::Flowing(_) => 3,
            Dress::Multi(..) => 4,
        }
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Option<()> {
        from.byte().filter(|kind| *kind == self.kind())?;
        match self {
            Dress::Skin | Dress::Free { .. } => Some(()),
            Dress::Carried(cloud) | Dress::Flowing(cloud) => cloud.restore(from),
            Dress::Multi(surface, solid) => {
                surface.restore(from)?;
                *solid = from.byte()? != 0;
                Some(())
            }
        }
    }
}

/// Discs on the skin of a body at rest.
fn discs<R: Real>(simulation: &Simulation<R>, body: &BodyModel) -> Dress {
    let (surface, phyxels) = (&body.surface, positions(simulation, body));
    let (discs, colours, size) = sample_skin(&surface.mesh, &skin_colours(surface), surface.surfels);
    if surface.kind == SurfaceKind::Multi {
        let multi = MultiSurface::new(&discs, &colours, size, phyxels, surface.spacing);
        return Dress::Multi(Box::new(multi), true);
    }
    let cloud = Box::new(SurfelCloud::new(discs, colours, size, phyxels, surface.spacing));
    match body.mls.lagrangian {
        Lagrangian::Total => Dress::Carried(cloud),
        Lagrangian::Updated => Dress::Flowing(cloud),
    }
}

/// Whether less than half of a body is molten.
fn is_solid<R: Real>(simulation: &Simulation<R>, body: usize) -> bool {
    let molten = simulation.molten(body);
    2.0 * molten.iter().sum::<f64>() < molten.len() as f64 || molten.is_empty()
}

/// Where a body's phyxels are [m].
fn positions<R: Real>(simulation: &Simulation<R>, body: &BodyModel) -> Vec<[f64; 3]> {
    let (model, state) = (simulation.model(), simulation.state());
    body.nodes.clone().map(|n| model.place(n, state.u[n]).0).collect()
}

fn named(error: SurfaceError, name: &str) -> SurfaceError {
    match error {
        SurfaceError::NotFound { phyxels, why, .. } => SurfaceError::NotFound { body: name.into(), phyxels, why },
        other => other,
    }
}
