//! A closed triangle mesh around phyxels.

use crate::colours::vertex_colours;
use crate::error::SurfaceError;
use crate::grid::PointGrid;
use crate::mesh::{Closedness, Fans, closedness};
use crate::relief::{Relief, lift};
use phyxel::math::Vec3;
use phyxel::record::FreeSurface;
use phyxel::shape::TriMesh;
use rayon::slice::ParallelSliceMut;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::{Aabb3d, GridDecompositionParameters, Parameters, SpatialDecomposition, SurfaceReconstruction};

/// How a mesh is found around phyxels. Lengths are in distances between phyxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReconstructionSettings {
    /// Edge of the cubes in which the surface is found: triangles are about as large.
    pub cell: f64,
    /// How far a phyxel is felt. Below 1.5 the lattice shows, above 2.5 gaps close early.
    pub reach: f64,
    /// Share of the density inside at which the surface lies.
    pub threshold: f64,
    /// Rounds of smoothing.
    pub smoothing: usize,
    /// Moves the surface, by half the distance between phyxels at most, until it holds the volume of the matter.
    pub keep_volume: bool,
}

impl Default for ReconstructionSettings {
    /// Found on balls and blocks of phyxels: a drop of one phyxel keeps its volume, a ball of voxels is round to a few degrees,
    /// and gaps of one and a half spacings stay open. More smoothing shows no lattice, and costs little.
    fn default() -> Self {
        ReconstructionSettings { cell: 0.7, reach: 2.5, threshold: 0.65, smoothing: 40, keep_volume: true }
    }
}

impl ReconstructionSettings {
    /// Refuses what gives no surface.
    pub fn check(&self) -> Result<(), SurfaceError> {
        let bad = |what, value, wanted| Err(SurfaceError::BadSetting { what, value, wanted });
        if !(0.05..=2.0).contains(&self.cell) {
            return bad("the cell of a reconstruction", self.cell, "from 0.05 to 2 distances between phyxels");
        }
        if !(1.0..=8.0).contains(&self.reach) {
            return bad("the reach of a reconstruction", self.reach, "from 1 to 8 distances between phyxels");
        }
        if !(0.05..=0.95).contains(&self.threshold) {
            return bad("the threshold of a reconstruction", self.threshold, "from 0.05 to 0.95");
        }
        Ok(())
    }
}

/// The phyxels of one surface.
#[derive(Clone, Copy, Debug)]
pub struct Matter<'a> {
    /// Where they are [m].
    pub points: &'a [[f64; 3]],
    /// How far apart they are, typically [m].
    pub spacing: f64,
    /// The volume of all together [m³].
    pub volume: f64,
    /// The colour of each, linear red, green and blue; empty where there are none.
    pub colours: &'a [[f32; 3]],
    /// How much farther out the surface lies around each than a lattice tells [m]; empty where nothing is known.
    pub offsets: &'a [f64],
}

/// Finds a mesh in every frame; keeps its memory between them.
#[derive(Default)]
pub struct Reconstruction {
    settings: ReconstructionSettings,
    found: SurfaceReconstruction<i64, f32>,
    particles: Vec<Vector3<f32>>,
}

/// Cubes along an edge of the blocks that are worked on at once: few enough that two threads share small bodies.
const BLOCK: u32 = 32;
/// Cells are this much smaller in each further try, should a surface not close.
const SHRINK: f64 = 0.97;
const TRIES: usize = 4;
/// Rounds of smoothing for each that brings down what is left standing.
const FLATTEN: usize = 5;
/// How often the surface of a body at rest is compared with its skin: what was missed goes on the next time.
const RELIEF_ROUNDS: usize = 4;

impl Reconstruction {
    /// With these settings.
    pub fn new(settings: ReconstructionSettings) -> Result<Self, SurfaceError> {
        settings.check()?;
        Ok(Reconstruction { settings, ..Reconstruction::default() })
    }

    /// The surface around phyxels, and how well it closes; empty when there are no phyxels.
    ///
    /// # Errors
    /// When the spacing is not positive, or the phyxels are so far apart that no grid holds them.
    pub fn surface(&mut self, matter: &Matter<'_>) -> Result<(FreeSurface, Closedness), SurfaceError> {
        if !(matter.spacing > 0.0 && matter.spacing.is_finite()) {
            return Err(SurfaceError::BadSpacing { spacing: matter.spacing });
        }
        let mut last = (FreeSurface::default(), Closedness::default());
        for attempt in 0..TRIES {
            last = self.find(matter, self.settings.cell * SHRINK.powi(attempt as i32))?;
            if last.1.is_closed() {
                break;
            }
        }
        let (mut surface, closed) = last;
        self.finish(matter, &mut surface);
        Ok((surface, closed))
    }

    /// What the skin of phyxels at rest knows that they do not; nothing where no surface is found.
    pub(crate) fn relief(&mut self, matter: &Matter<'_>, skin: &TriMesh) -> Relief {
        let mut relief = Relief::new(matter.points, matter.spacing, skin);
        for _ in 0..RELIEF_ROUNDS {
            let offsets = relief.offsets(matter.points);
            let Ok((found, _)) = self.surface(&Matter { offsets: &offsets, ..*matter }) else {
                return Relief::default();
            };
            if !relief.fit(matter.points, matter.spacing, &found) {
                return Relief::default();
            }
        }
        relief
    }

    /// The surface as the cubes give it.
    fn find(&mut self, matter: &Matter<'_>, cell: f64) -> Result<(FreeSurface, Closedness), SurfaceError> {
        // Cubes stand still in the world while matter moves through them: what rests does not flicker.
        let cube = cell * matter.spacing;
        let finite = || matter.points.iter().filter(|p| p.iter().all(|c| c.is_finite()));
        let bound = |a: usize, start: f64, pick: fn(f64, f64) -> f64| finite().map(|p| p[a]).fold(start, pick);
        let low = [0, 1, 2].map(|a| (bound(a, f64::INFINITY, f64::min) / cube).floor() * cube);
        let high = [0, 1, 2].map(|a| (bound(a, f64::NEG_INFINITY, f64::max) / cube).ceil() * cube);
        self.particles.clear();
        // Lengths in spacings, from a corner of a cube, so that four bytes are enough anywhere.
        let local = |p: &[f64; 3]| Vector3::from([0, 1, 2].map(|a| ((p[a] - low[a]) / matter.spacing) as f32));
        self.particles.extend(finite().map(local));
        if self.particles.is_empty() {
            return Ok(Default::default());
        }
        let far = [0, 1, 2].map(|a| ((high[a] - low[a]) / matter.spacing + cell) as f32);
        let parameters = self.parameters(cell as f32, far);
        splashsurf_lib::reconstruct_surface_inplace(&self.particles, &parameters, &mut self.found).map_err(|e| {
            SurfaceError::NotFound { body: String::new(), phyxels: matter.points.len(), why: e.to_string() }
        })?;
        let mesh = &self.found.mesh;
        let world = |p: &Vector3<f32>| [0, 1, 2].map(|a| low[a] + matter.spacing * f64::from(p[a]));
        let surface = FreeSurface {
            points: mesh.vertices.iter().map(world).collect(),
            triangles: mesh.triangles.iter().map(|t| t.map(|v| v as u32)).collect(),
            ..FreeSurface::default()
        };
        let surface = in_order(surface);
        let closed = closedness(&surface.triangles);
        Ok((surface, closed))
    }

    fn parameters(&self, cell: f32, far: [f32; 3]) -> Parameters<f32> {
        let grid = GridDecompositionParameters { subdomain_num_cubes_per_dim: BLOCK, auto_disable: false };
        Parameters {
            iso_surface_threshold: self.settings.threshold as f32,
            particle_aabb: Some(Aabb3d::new(Vector3::from([-1e-3; 3]), Vector3::from(far))),
            spatial_decomposition: SpatialDecomposition::UniformGrid(grid),
            ..Parameters::new(0.5, self.settings.reach as f32, cell)
        }
    }

    /// Smooth, of the right volume, with normals and colours.
    fn finish(&self, matter: &Matter<'_>, surface: &mut FreeSurface) {
        let fans = Fans::new(surface.points.len(), &surface.triangles);
        let mut points: Vec<Vec3<f64>> = surface.points.iter().map(|p| Vec3(*p)).collect();
        fans.smooth(&mut points, self.settings.smoothing);
        fans.flatten(&mut points, self.settings.smoothing / FLATTEN);
        let grid = PointGrid::new(matter.points, matter.spacing);
        if matter.offsets.len() == matter.points.len() {
            let normals = fans.normals(&points);
            lift(&mut points, &normals, &grid, matter.offsets, matter.spacing);
            fans.smooth(&mut points, self.settings.smoothing / 4);
            fans.flatten(&mut points, self.settings.smoothing / FLATTEN);
        }
        surface.points = points.iter().map(|p| p.0).collect();
        if self.settings.keep_volume {
            fans.inflate(&mut surface.points, &surface.triangles, matter.volume, 0.5 * matter.spacing);
        }
        let points: Vec<Vec3<f64>> = surface.points.iter().map(|p| Vec3(*p)).collect();
        surface.normals = fans.normals(&points);
        if !matter.colours.is_empty() {
            surface.colours = vertex_colours(&surface.points, &grid, matter.colours, matter.spacing);
        }
    }
}

/// The same surface with vertices in the order of the triangles and triangles in the order of their place, so that
/// threads that were faster than others leave no trace.
fn in_order(surface: FreeSurface) -> FreeSurface {
    let FreeSurface { points, mut triangles, .. } = surface;
    let key = |v: u32| points[v as usize].map(f64::to_bits);
    for t in &mut triangles {
        let first = (0..3).min_by_key(|k| key(t[*k])).unwrap_or(0);
        t.rotate_left(first);
    }
    // No two are equal, so the order is the only one.
    triangles.par_sort_unstable_by(|a, b| {
        let mut corners = a.iter().zip(b).map(|(a, b)| key(*a).cmp(&key(*b)));
        corners.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut number = vec![u32::MAX; points.len()];
    let mut ordered = Vec::with_capacity(points.len());
    for v in triangles.iter_mut().flatten() {
        let old = *v as usize;
        if number[old] == u32::MAX {
            number[old] = ordered.len() as u32;
            ordered.push(points[old]);
        }
        *v = number[old];
    }
    FreeSurface { points: ordered, triangles, ..FreeSurface::default() }
}
