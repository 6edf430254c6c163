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
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Job {
    phyxels: u32,
    buckets: u32,
    kernel: u32,
    mutual: u32,
    stabilisation: f32,
    largest: f32,
    least: f32,
    max_stretch: f32,
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

/// Finds who is near whom and the weights of moving least squares, as
/// [`UpdatedStencils`](phyxel::stencil::UpdatedStencils) does on the processor.
pub struct Rebuild {
    device: Arc<Device>,
    phyxels: usize,
    buckets: usize,
    stabilised: bool,
    job: Store,
    points: Store,
    elastic: Store,
    inverses: Store,
    scalars: Store,
    counts: Store,
    starts: Store,
    order: Store,
    lengths: Store,
    offsets: Store,
    nodes: Store,
    weights: Store,
    capacity: usize,
    cells: Scan,
    rows: Scan,
    volumes: Vec<f32>,
}

impl Rebuild {
    /// Room for so many phyxels.
    pub fn new(device: &Arc<Device>, phyxels: usize) -> Result<Self, GpuError> {
        let buckets = phyxels.next_power_of_two().max(64);
        let capacity = ROOM * phyxels;
        let room = |label, count| device.room::<u32>(label, count);
        let vectors = |label, count| device.room::<[f32; 4]>(label, count);
        let (counts, starts) = (room("phyxels per bucket", buckets)?, room("buckets", buckets + 1)?);
        let (lengths, offsets) = (room("neighbours", phyxels)?, room("rows of phyxels", phyxels + 1)?);
        let cells = Scan::new(device, &counts, &starts, buckets)?;
        let rows = Scan::new(device, &lengths, &offsets, phyxels)?;
        Ok(Rebuild {
            device: device.clone(),
            phyxels,
            buckets,
            stabilised: false,
            job: device.uniforms("rebuild", 256),
            points: vectors("places of phyxels", phyxels)?,
            elastic: vectors("elastic gradients", 3 * phyxels)?,
            inverses: vectors("inverse gradients", 3 * phyxels)?,
            scalars: room("rebuild", 8)?,
            counts,
            starts,
            order: room("phyxels by bucket", phyxels)?,
            lengths,
            offsets,
            nodes: room("neighbours by row", capacity)?,
            weights: vectors("weights by row", capacity)?,
            capacity,
            cells,
            rows,
            volumes: Vec::new(),
        })
    }

    /// Replaces the state of the phyxels; there must be as many as there is room for, others are left out.
    pub fn set(&mut self, now: &Present<'_, f32>) {
        let pack = |v: Vec3<f32>, w: f32| [v.0[0], v.0[1], v.0[2], w];
        let points: Vec<[f32; 4]> =
            now.positions.iter().zip(now.radii).take(self.phyxels).map(|(x, r)| pack(*x, *r)).collect();
        let columns = |(f, volume): (&phyxel::math::Mat3<f32>, &f32)| {
            [pack(f.column(0), *volume), pack(f.column(1), 0.0), pack(f.column(2), 0.0)]
        };
        let elastic: Vec<[f32; 4]> = now.elastic.iter().zip(now.volumes).take(self.phyxels).flat_map(columns).collect();
        let largest = now.radii.iter().copied().fold(0.0, f32::max);
        let alike = now.radii.iter().all(|r| *r == largest);
        let job = Job {
            phyxels: self.phyxels.min(points.len()) as u32,
            buckets: self.buckets as u32,
            kernel: match now.kernel {
                KernelKind::Poly6 => 0,
                KernelKind::Cosine => 1,
            },
            mutual: u32::from(now.mutual && !alike),
            stabilisation: now.stabilisation as f32,
            largest,
            least: WEAKEST,
            max_stretch: MAX_STRETCH,
        };
        self.stabilised = now.stabilisation > 0.0;
        self.volumes = now.volumes.to_vec();
        self.device.fill(&self.job, bytemuck::bytes_of(&job));
        self.device.write(&self.points, 0, &points);
        self.device.write(&self.elastic, 0, &elastic);
    }

    /// Finds neighbours and weights of the present state; they stay on the device. One number comes back on the way: how many
    /// entries there are.
    pub fn run(&mut self) -> Result<RebuildReport, GpuError> {
        let phyxels = (self.phyxels as u32).div_ceil(64);
        let [clear, invert, count, scatter, look] =
            ["clear", "invert", "count", "scatter", "look"].map(|entry| self.bind(entry));
        self.submit(|pass| {
            clear.launch(pass, (self.buckets as u32).div_ceil(64), &[0]);
            invert.launch(pass, phyxels, &[0]);
            count.launch(pass, phyxels, &[0]);
            self.cells.launch(pass);
            scatter.launch(pass, phyxels, &[0]);
            look.launch(pass, phyxels, &[0]);
            self.rows.launch(pass);
        });
        let entries = self.last_offset()?;
        if entries > self.capacity {
            self.capacity = entries + entries / 8;
            self.nodes = self.device.room::<u32>("neighbours by row", self.capacity)?;
            self.weights = self.device.room::<[f32; 4]>("weights by row", self.capacity)?;
        }
        let [list, weigh] = ["list", "weigh"].map(|entry| self.bind(entry));
        self.submit(|pass| {
            list.launch(pass, phyxels, &[0]);
            weigh.launch(pass, phyxels, &[0]);
        });
        let scalars: Vec<u32> = self.device.read(&self.scalars, 4)?;
        self.device.check()?;
        let [lost_gradients, singular_phyxels, dropped_directions] = [1, 2, 3].map(|i| scalars[i] as usize);
        Ok(RebuildReport { entries, lost_gradients, singular_phyxels, dropped_directions })
    }

    /// The stencils that were found, waiting for them.
    pub fn read(&self) -> Result<StencilTable<f32>, GpuError> {
        let offsets: Vec<u32> = self.device.read(&self.offsets, self.phyxels + 1)?;
        let entries = offsets.last().map_or(0, |end| *end as usize);
        let found: Vec<[f32; 4]> = self.device.read(&self.weights, entries)?;
        Ok(StencilTable {
            offsets,
            nodes: self.device.read(&self.nodes, entries)?,
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

    fn bind(&self, entry: &str) -> Bound {
        let source = sources::rebuild();
        let bindings = &[Uniform, Read, Read, Write, Write, Write, Read, Write, Write, Read, Write, Write];
        let recipe = Recipe { name: "rebuild", source: &source, entry, constants: &[], bindings };
        let buffers = [
            &self.job,
            &self.points,
            &self.elastic,
            &self.inverses,
            &self.scalars,
            &self.counts,
            &self.starts,
            &self.order,
            &self.lengths,
            &self.offsets,
            &self.nodes,
            &self.weights,
        ];
        self.device.bind(&recipe, &buffers)
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
