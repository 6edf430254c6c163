//! Neighbours and stencils of phyxels found anew on the device, from where they are now.

use crate::device::{Access, Bound, Device, GpuError, Recipe, Store, sources};
use Access::{Read, Uniform, Write};
use bytemuck::{Pod, Zeroable};
use phyxel::math::Vec3;
use phyxel::scene::KernelKind;
use phyxel::stencil::{Present, StencilTable};
use std::sync::Arc;

/// As in `stencil/updated.rs` of the engine: who is stretched more looks no farther, and moments weaker than this share of the
/// strongest count as this.
const MAX_STRETCH: f32 = 4.0;
const WEAKEST: f32 = 0.1;
/// Entries per phyxel that there is room for at first.
const ROOM: usize = 40;

/// The twin of `Job` in `rebuild.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Job {
    phyxels: u32,
    buckets: u32,
    kernel: u32,
    mutual: u32,
    stabilisation: f32,
    largest: f32,
    least: f32,
    max_stretch: f32,
    capacity: u32,
    unused: [u32; 3],
}

/// What a rebuild found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RebuildReport {
    /// Entries of all stencils, centres included.
    pub entries: usize,
    /// Phyxels whose elastic gradient has no inverse; they count as undeformed.
    pub lost_gradients: usize,
    /// Phyxels that lack a direction in which to tell strain.
    pub singular_phyxels: usize,
    /// Directions lacked by all of them together.
    pub dropped_directions: usize,
}

/// How the phyxels of a body look around.
pub(crate) struct Sight<'a> {
    /// Support radii in the local rest shape [m].
    pub radii: &'a [f32],
    /// As in [`Present`].
    pub mutual: bool,
    pub kernel: KernelKind,
    pub stabilisation: f64,
}

/// Finds who is near whom and the weights of moving least squares, as
/// [`UpdatedStencils`](phyxel::stencil::UpdatedStencils) does on the processor.
pub struct Rebuild {
    device: Arc<Device>,
    phyxels: usize,
    stabilised: bool,
    job: Job,
    capacity: usize,
    pub(crate) at: Rooms,
    cells: Scan,
    rows: Scan,
    launches: Vec<(Bound, u32)>,
    volumes: Vec<f32>,
}

/// What a search for neighbours works on.
pub(crate) struct Rooms {
    job: Store,
    pub points: Store,
    pub elastic: Store,
    pub inverses: Store,
    pub scalars: Store,
    counts: Store,
    starts: Store,
    order: Store,
    lengths: Store,
    pub offsets: Store,
    pub nodes: Store,
    pub weights: Store,
}

/// The passes of a search, in their order; sums are formed after the third and the fifth.
const PASSES: [&str; 7] = ["clear", "invert", "count", "scatter", "look", "list", "weigh"];

impl Rebuild {
    /// Room for so many phyxels.
    pub fn new(device: &Arc<Device>, phyxels: usize) -> Result<Self, GpuError> {
        Rebuild::with_capacity(device, phyxels, ROOM * phyxels)
    }

    /// Room for so many phyxels and entries.
    pub(crate) fn with_capacity(device: &Arc<Device>, phyxels: usize, capacity: usize) -> Result<Self, GpuError> {
        let buckets = phyxels.next_power_of_two().max(64);
        let room = |label, count| device.room::<u32>(label, count);
        let vectors = |label, count| device.room::<[f32; 4]>(label, count);
        let at = Rooms {
            job: device.uniforms("rebuild", 256),
            points: vectors("places of phyxels", phyxels)?,
            elastic: vectors("elastic gradients", 3 * phyxels)?,
            inverses: vectors("inverse gradients", 3 * phyxels)?,
            scalars: room("rebuild", 8)?,
            counts: room("phyxels per bucket", buckets)?,
            starts: room("buckets", buckets + 1)?,
            order: room("phyxels by bucket", phyxels)?,
            lengths: room("neighbours", phyxels)?,
            offsets: room("rows of phyxels", phyxels + 1)?,
            nodes: room("neighbours by row", capacity)?,
            weights: vectors("weights by row", capacity)?,
        };
        let cells = Scan::new(device, &at.counts, &at.starts, buckets)?;
        let rows = Scan::new(device, &at.lengths, &at.offsets, phyxels)?;
        let job = Job { phyxels: phyxels as u32, buckets: buckets as u32, ..Job::default() };
        let (device, volumes, launches) = (device.clone(), Vec::new(), Vec::new());
        let mut rebuild =
            Rebuild { device, phyxels, stabilised: false, job, capacity, at, cells, rows, launches, volumes };
        rebuild.bind();
        Ok(rebuild)
    }

    /// Replaces the state of the phyxels; there must be as many as there is room for, others are left out.
    pub fn set(&mut self, now: &Present<'_, f32>) {
        let Present { radii, mutual, kernel, stabilisation, .. } = *now;
        let phyxels = self.phyxels.min(now.positions.len());
        self.look(&Sight { radii, mutual, kernel, stabilisation }, phyxels);
        let pack = |v: Vec3<f32>, w: f32| [v.0[0], v.0[1], v.0[2], w];
        let points: Vec<[f32; 4]> =
            now.positions.iter().zip(now.radii).take(self.phyxels).map(|(x, r)| pack(*x, *r)).collect();
        let columns = |(f, volume): (&phyxel::math::Mat3<f32>, &f32)| {
            [pack(f.column(0), *volume), pack(f.column(1), 0.0), pack(f.column(2), 0.0)]
        };
        let elastic: Vec<[f32; 4]> = now.elastic.iter().zip(now.volumes).take(self.phyxels).flat_map(columns).collect();
        self.volumes = now.volumes.to_vec();
        self.device.write(&self.at.points, 0, &points);
        self.device.write(&self.at.elastic, 0, &elastic);
    }

    /// Replaces how the first `phyxels` look around; where they are is written elsewhere.
    pub(crate) fn look(&mut self, sight: &Sight<'_>, phyxels: usize) {
        let largest = sight.radii.iter().copied().fold(0.0, f32::max);
        let alike = sight.radii.iter().all(|r| *r == largest);
        self.stabilised = sight.stabilisation > 0.0;
        self.job = Job {
            phyxels: phyxels as u32,
            buckets: self.job.buckets,
            kernel: match sight.kernel {
                KernelKind::Poly6 => 0,
                KernelKind::Cosine => 1,
            },
            mutual: u32::from(sight.mutual && !alike),
            stabilisation: sight.stabilisation as f32,
            largest,
            least: WEAKEST,
            max_stretch: MAX_STRETCH,
            ..Job::default()
        };
        self.write_job();
    }

    fn write_job(&self) {
        let job = Job { capacity: self.capacity as u32, ..self.job };
        self.device.fill(&self.at.job, bytemuck::bytes_of(&job));
    }

    /// Finds neighbours and weights of the present state; they stay on the device. One number comes back on the way: how many
    /// entries there are.
    pub fn run(&mut self) -> Result<RebuildReport, GpuError> {
        self.submit(|pass| self.launch(pass));
        let entries = self.last_offset()?;
        if entries > self.capacity {
            self.capacity = entries + entries / 8;
            self.at.nodes = self.device.room::<u32>("neighbours by row", self.capacity)?;
            self.at.weights = self.device.room::<[f32; 4]>("weights by row", self.capacity)?;
            self.bind();
            self.write_job();
            self.submit(|pass| self.launch(pass));
        }
        let scalars: Vec<u32> = self.device.read(&self.at.scalars, 4)?;
        self.device.check()?;
        let [lost_gradients, singular_phyxels, dropped_directions] = [1, 2, 3].map(|i| scalars[i] as usize);
        Ok(RebuildReport { entries, lost_gradients, singular_phyxels, dropped_directions })
    }

    /// The whole search; rows for which there is no room are left as they were.
    pub(crate) fn launch(&self, pass: &mut wgpu::ComputePass<'_>) {
        for (i, (bound, groups)) in self.launches.iter().enumerate() {
            bound.launch(pass, *groups, &[0]);
            match PASSES[i] {
                "count" => self.cells.launch(pass),
                "look" => self.rows.launch(pass),
                _ => {}
            }
        }
    }

    /// The stencils that were found, waiting for them.
    pub fn read(&self) -> Result<StencilTable<f32>, GpuError> {
        let offsets: Vec<u32> = self.device.read(&self.at.offsets, self.phyxels + 1)?;
        let entries = offsets.last().map_or(0, |end| *end as usize);
        let found: Vec<[f32; 4]> = self.device.read(&self.at.weights, entries)?;
        Ok(StencilTable {
            offsets,
            nodes: self.device.read(&self.at.nodes, entries)?,
            weights: found.iter().map(|[x, y, z, _]| Vec3([*x, *y, *z])).collect(),
            volumes: self.volumes.clone(),
            penalties: if self.stabilised { found.iter().map(|w| w[3]).collect() } else { Vec::new() },
        })
    }

    fn last_offset(&self) -> Result<usize, GpuError> {
        let sums: Vec<u32> = self.device.read(&self.rows.total, 1)?;
        Ok(sums.first().map_or(0, |total| *total as usize))
    }

    fn submit(&self, launch: impl Fn(&mut wgpu::ComputePass<'_>)) {
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        launch(&mut encoder.begin_compute_pass(&Default::default()));
        self.device.queue.submit([encoder.finish()]);
    }

    fn bind(&mut self) {
        let source = sources::rebuild();
        let bindings = &[Uniform, Read, Read, Write, Write, Write, Read, Write, Write, Read, Write, Write];
        let at = &self.at;
        let buffers = [
            &at.job,
            &at.points,
            &at.elastic,
            &at.inverses,
            &at.scalars,
            &at.counts,
            &at.starts,
            &at.order,
            &at.lengths,
            &at.offsets,
            &at.nodes,
            &at.weights,
        ];
        let (all, buckets) = ((self.phyxels as u32).div_ceil(64), self.job.buckets.div_ceil(64));
        let bound = |entry| {
            let recipe = Recipe { name: "rebuild", source: &source, entry, constants: &[], bindings };
            (self.device.bind(&recipe, &buffers), if entry == "clear" { buckets } else { all })
        };
        self.launches = PASSES.map(bound).into();
    }
}

/// Sums of all that comes before each of some numbers.
struct Scan {
    launches: [(Bound, u32); 3],
    /// The sum of all.
    total: Store,
}

impl Scan {
    /// Of `count` numbers; `before` has one place more.
    fn new(device: &Arc<Device>, numbers: &Store, before: &Store, count: usize) -> Result<Self, GpuError> {
        let blocks = count.div_ceil(1024).max(1) as u32;
        let job = device.uniforms("scan", 256);
        device.fill(&job, bytemuck::bytes_of(&[count as u32, blocks, 0, 0]));
        let sums = device.room::<u32>("sums", blocks as usize)?;
        let total = device.room::<u32>("sum", 1)?;
        let source = sources::scan();
        let bindings = &[Uniform, Read, Write, Write, Write];
        let bind = |entry| {
            let recipe = Recipe { name: "scan", source: &source, entry, constants: &[], bindings };
            device.bind(&recipe, &[&job, numbers, before, &sums, &total])
        };
        let together = (count as u32).div_ceil(256);
        Ok(Scan { launches: [(bind("blocks"), blocks), (bind("all_blocks"), 1), (bind("together"), together)], total })
    }

    fn launch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.launches.iter().for_each(|(bound, groups)| bound.launch(pass, *groups, &[0]));
    }
}
