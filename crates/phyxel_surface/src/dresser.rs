//! What the bodies of a simulation are drawn with, frame by frame.

use crate::colours::{phyxel_colours, skin_colours};
use crate::error::SurfaceError;
use crate::merged::{Merged, Piece};
use crate::mesh::Closedness;
use crate::multi::{Moment, MultiSurface, Wall};
use crate::reconstruction::{Matter, Reconstruction, ReconstructionSettings};
use crate::relief::Relief;
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
    /// The same of bodies with discs that part and merge, and who has whose discs in the last frame.
    melded: Merged,
    flocks: Vec<Vec<usize>>,
    /// Phyxels of the bodies.
    counts: Vec<usize>,
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
    Free { mesh: Box<Reconstruction>, colours: Vec<[f32; 3]>, relief: Box<Relief> },
    /// Discs on a body with a rest shape.
    Carried(Box<SurfelCloud>),
    /// Discs on a body without one.
    Flowing(Box<SurfelCloud>),
    /// Discs that follow parting and merging, and whether the matter was solid in the last frame. None where the first body
    /// of those that have run into each other has them all.
    Multi(Option<Box<MultiSurface>>, bool),
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
                    let mut mesh = Box::new(Reconstruction::new(settings)?);
                    let (spacing, volume) = (body.surface.spacing, body.volume);
                    let matter = Matter { points: &points, spacing, volume, colours: &[], offsets: &[] };
                    let relief = Box::new(mesh.relief(&matter, &body.surface.mesh));
                    Dress::Free { mesh, colours: phyxel_colours(&points, &body.surface), relief }
                }
                SurfaceKind::Surfels | SurfaceKind::Multi => discs(simulation, body),
            })
        };
        let dresses: Vec<Dress> = simulation.model().bodies.iter().map(dress).collect::<Result<_, _>>()?;
        let names = simulation.model().bodies.iter().map(|b| b.name.clone()).collect();
        let flocks = (0..dresses.len()).map(|i| vec![i]).collect();
        let counts = simulation.model().bodies.iter().map(|b| b.nodes.len()).collect();
        let (merged, melded, plain) = (Merged::default(), Merged::default(), Vec::new());
        Ok(Dresser { dresses, names, plain, merged, melded, flocks, counts, reach: settings.reach })
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
        self.melded.save(&mut to);
        for dress in &self.dresses {
            to.byte(dress.kind());
            match dress {
                Dress::Skin | Dress::Free { .. } => {}
                Dress::Carried(cloud) | Dress::Flowing(cloud) => cloud.save(&mut to),
                Dress::Multi(surface, solid) => {
                    if let Some(surface) = surface {
                        surface.save(&mut to);
                    }
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
        let last = self.names.last().map_or("", |n| n).to_string();
        self.melded.restore(&mut from).ok_or_else(|| unfit(&last))?;
        // Links to bodies that are drawn otherwise are of another scene.
        let groups = self.melded.parts(self.dresses.len());
        if groups.iter().any(|g| g.len() > 1 && g.iter().any(|i| !matches!(self.dresses[*i], Dress::Multi(..)))) {
            return Err(unfit(&last));
        }
        self.regroup(groups);
        for (dress, name) in self.dresses.iter_mut().zip(&self.names) {
            dress.restore(&mut from).ok_or_else(|| unfit(name))?;
        }
        let whole = self.merged.restore(&mut from).is_some() && from.0.is_empty();
        if whole { Ok(()) } else { Err(unfit(&last)) }
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
        report.bodies += self.dress_multi(simulation, frame);
        let bodies = simulation.model().bodies.iter().zip(&mut frame.bodies);
        for (index, (dress, (body, out))) in self.dresses.iter_mut().zip(bodies).enumerate() {
            match dress {
                Dress::Skin | Dress::Free { .. } | Dress::Multi(..) => continue,
                Dress::Carried(cloud) => {
                    let (points, gradients) = (positions(simulation, body), simulation.deformations(index));
                    let site = |j: usize| Site { position: points[j], deformation: gradients[j] };
                    cloud.follow_into(site, out.surfels.get_or_insert_default());
                }
                Dress::Flowing(cloud) => out.surfels = Some(cloud.flow(&positions(simulation, body))),
            }
            report.bodies += 1;
        }
        Ok(report)
    }

    /// Discs around bodies that part and merge. Those that have run into each other are one surface: the first has all of
    /// it, the others none. How many bodies.
    fn dress_multi<R: Real>(&mut self, simulation: &Simulation<R>, frame: &mut Frame) -> usize {
        let (model, time) = (simulation.model(), simulation.time());
        let is_multi: Vec<bool> = self.dresses.iter().map(|d| matches!(d, Dress::Multi(..))).collect();
        if !is_multi.contains(&true) {
            return 0;
        }
        let matter = Pieces::of(simulation, &is_multi);
        let groups = self.melded.groups(&matter.pieces(), self.reach);
        self.regroup(groups);
        let distance = |c| {
            let (form, pose) = (Collider::form(c), Collider::pose(c, time));
            move |x| form.probe(pose.to_local(x)).distance
        };
        let distances: Vec<_> = model.colliders.iter().map(distance).collect();
        let mould: Vec<Wall<'_>> = distances.iter().map(|d| d as Wall<'_>).collect();
        for flock in self.flocks.iter().filter(|g| is_multi[g[0]]) {
            let phyxels: Vec<[f64; 3]> = flock.iter().flat_map(|i| matter.places[*i].iter().copied()).collect();
            let now = is_solid(flock.iter().flat_map(|i| &matter.molten[*i]));
            let Dress::Multi(Some(surface), solid) = &mut self.dresses[flock[0]] else { continue };
            let sets = !std::mem::replace(solid, now) && now;
            flock[1..].iter().for_each(|i| frame.bodies[*i].surfels = Some(Default::default()));
            let out = frame.bodies[flock[0]].surfels.get_or_insert_default();
            surface.advance_into(&Moment { phyxels: &phyxels, mould: &mould, sets }, out);
        }
        is_multi.iter().filter(|m| **m).count()
    }

    /// Joins and parts surfaces of discs, so that the first body of each group has those of all.
    fn regroup(&mut self, groups: Vec<Vec<usize>>) {
        let flocks = std::mem::replace(&mut self.flocks, groups);
        for flock in flocks.iter().filter(|f| f.len() > 1 && !self.flocks.contains(f)) {
            let counts: Vec<usize> = flock.iter().map(|i| self.counts[*i]).collect();
            let Dress::Multi(surface, solid) = &mut self.dresses[flock[0]] else { continue };
            let (Some(surface), solid) = (surface.take(), *solid) else { continue };
            for (i, part) in flock.iter().zip(surface.part(&counts)) {
                self.dresses[*i] = Dress::Multi(Some(Box::new(part)), solid);
            }
        }
        for group in self.flocks.iter().filter(|g| g.len() > 1 && !flocks.contains(g)) {
            let mut parts = Vec::new();
            let mut solid = true;
            for i in group {
                let Dress::Multi(part, was) = &mut self.dresses[*i] else { continue };
                solid &= *was;
                parts.extend(part.take().map(|part| (*i, part)));
            }
            let coloured = !self.plain.is_empty() || parts.iter().any(|(_, p)| p.is_coloured());
            for (i, part) in parts.iter_mut().filter(|_| coloured) {
                part.paint(self.plain.get(*i).copied().unwrap_or([1.0; 3]));
            }
            let whole = parts.into_iter().map(|(_, part)| part).reduce(|mut all, part| {
                all.join(*part);
                all
            });
            self.dresses[group[0]] = Dress::Multi(whole, solid);
        }
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
        let matter = Pieces::of(simulation, &free);
        let groups = self.merged.groups(&matter.pieces(), self.reach);
        let places = &matter.places;
        for group in groups.iter().filter(|g| free[g[0]]) {
            let points: Vec<[f64; 3]> = group.iter().flat_map(|i| places[*i].iter().copied()).collect();
            let (colours, offsets) = (self.colours_of(group, places), self.offsets_of(group, places));
            let matter = Matter {
                points: &points,
                spacing: group.iter().map(|i| bodies[*i].surface.spacing).fold(0.0, f64::max),
                volume: group.iter().map(|i| bodies[*i].volume).sum(),
                colours: &colours,
                offsets: &offsets,
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

    /// How much farther out than phyxels tell the surface of a group lies.
    fn offsets_of(&self, group: &[usize], places: &[Vec<[f64; 3]>]) -> Vec<f64> {
        let of_body = |&i: &usize| {
            let Dress::Free { relief, .. } = &self.dresses[i] else { return vec![0.0; places[i].len()] };
            let mut offsets = relief.offsets(&places[i]);
            offsets.resize(places[i].len(), 0.0);
            offsets
        };
        group.iter().flat_map(of_body).collect()
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
                if let Some(surface) = surface {
                    surface.restore(from)?;
                }
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
        return Dress::Multi(Some(Box::new(multi)), true);
    }
    let cloud = Box::new(SurfelCloud::new(discs, colours, size, phyxels, surface.spacing));
    match body.mls.lagrangian {
        Lagrangian::Total => Dress::Carried(cloud),
        Lagrangian::Updated => Dress::Flowing(cloud),
    }
}

/// The bodies of some kind: where their phyxels are and which are molten. The others have none.
struct Pieces {
    places: Vec<Vec<[f64; 3]>>,
    molten: Vec<Vec<f64>>,
    spacings: Vec<Option<f64>>,
}

impl Pieces {
    fn of<R: Real>(simulation: &Simulation<R>, chosen: &[bool]) -> Self {
        let bodies = &simulation.model().bodies;
        let each = || bodies.iter().enumerate().zip(chosen);
        Pieces {
            places: each().map(|((_, b), c)| if *c { positions(simulation, b) } else { Vec::new() }).collect(),
            molten: each().map(|((i, _), c)| if *c { simulation.molten(i) } else { Vec::new() }).collect(),
            spacings: each().map(|((_, b), c)| c.then_some(b.surface.spacing)).collect(),
        }
    }

    fn pieces(&self) -> Vec<Option<Piece<'_>>> {
        let piece =
            |i: usize| Some(Piece { points: &self.places[i], spacing: self.spacings[i]?, molten: &self.molten[i] });
        (0..self.places.len()).map(piece).collect()
    }
}

/// Whether less than half of the matter is molten.
fn is_solid<'a>(molten: impl Iterator<Item = &'a f64>) -> bool {
    let (count, sum) = molten.fold((0, 0.0), |(count, sum), share| (count + 1, sum + share));
    count == 0 || 2.0 * sum < f64::from(count)
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
