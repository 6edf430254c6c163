//! Bodies that break, on the device: each is the work of one workgroup for many steps, with its cracks and its contact. What
//! broke comes back as a list of edits when the state does.

use crate::bench::{KernelTime, time_pass};
use crate::device::{Access, Bound, Device, GpuError, Recipe, Store, sources, strided};
use crate::explicit;
use crate::layout::welds::Welds as Layout;
use crate::layout::{colliders, laws};
use bytemuck::{Pod, Zeroable};
use phyxel::State;
use phyxel::fracture::Edit;
use phyxel::math::Vec3;
use phyxel::model::Model;
use phyxel::scene::{Collider, Integrator};
use std::sync::Arc;

/// Parts of steps per launch: enough to hide what a launch costs, few enough that nobody takes the device for hung.
const CHUNK: usize = 64;
/// Entries of the journal that are read together with how many there are.
const FIRST_READ: usize = 512;
/// Words per entry: an edit, or how many nodes followed.
const EDIT: usize = 8;

/// The twin of `Job` in `welds.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Job {
    gravity: [f32; 4],
    first: u32,
    bodies: u32,
    part: u32,
    todo: u32,
    parts: u32,
    fresh: u32,
    colliders: u32,
    stride: u32,
    words: [u32; 6],
    head: u32,
    room: u32,
    index: [u32; 7],
    unused: u32,
}

/// Moves and breaks a model whose bodies are all made of cells that can part.
pub struct Welds {
    device: Arc<Device>,
    layout: Layout,
    /// The place of each body of the scene among those that are kept.
    places: Vec<usize>,
    /// One kernel per law.
    kernels: Vec<Bound>,
    u: Store,
    v: Store,
    journal: Store,
    jobs: Store,
    motion: Store,
    gravity: [f32; 3],
    leap_frog: bool,
    colliders: Vec<Collider>,
    pairs: Vec<[f32; 4]>,
    moves: bool,
    /// Where entries begin in the journal, and how many it has room for.
    head: usize,
    room: usize,
}

/// A node that was split on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// In which step of the run, counted from nought.
    pub step: u32,
    /// Which body.
    pub body: usize,
    /// The node, within the body.
    pub node: u32,
    /// Which of its corners got the copy, a bit each.
    pub(crate) mask: u32,
    /// Square to the crack, in the shape of that time.
    pub normal: [f32; 3],
}

/// Nodes that came of cells which others had left hanging together at nodes alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Followers {
    /// In which step of the run, counted from nought.
    pub step: u32,
    /// Of which body.
    pub body: usize,
    /// How many.
    pub nodes: usize,
}

/// What a run has left on the device.
pub struct Outcome {
    /// Numbers stopped being finite.
    pub trouble: bool,
    /// What was split, in the order of steps and, within a step, of bodies.
    pub splits: Vec<Split>,
    /// What followed from them, in the same order.
    pub followers: Vec<Followers>,
    /// How many nodes each body has, in the order of the scene; what hung together at a node alone has parted too.
    pub nodes: Vec<usize>,
    u: Vec<[f32; 4]>,
    v: Vec<[f32; 4]>,
}

/// The number of an integrator in `welds.wgsl`.
pub(crate) fn has(integrator: Integrator) -> bool {
    explicit::has(integrator) && integrator != Integrator::ExplicitEuler
}

use Access::{Read, Uniform, Write};
const BINDINGS: [Access; 13] = [Uniform, Write, Write, Read, Read, Read, Read, Write, Read, Write, Write, Read, Write];

impl Welds {
    /// Brings a model of bodies that devices can break to one; see [`why_not`](crate::why_not).
    pub fn new(
        device: &Arc<Device>,
        (model, state): (&Model<f32>, &State<f32>),
        colliders: &[Collider],
        integrator: Integrator,
    ) -> Result<Self, GpuError> {
        let laws: Vec<_> = model.blocks.iter().map(|block| laws::of_block(block, false)).collect();
        let layout = Layout::new(model, &laws);
        let moves = colliders.iter().any(|c| c.motion.moves());
        let vectors = colliders::room(model, colliders.len());
        let mut pairs = Vec::new();
        if !colliders.is_empty() {
            colliders::pairs(model, &mut pairs);
        }
        let nodes: usize = model.bodies.iter().map(|b| b.nodes.len()).sum();
        // Every entry stands for a new node, or for some that followed.
        let room = layout.slots.saturating_sub(nodes);
        let [u, v] = layout.state(model, state);
        let (u, v) = (device.upload_state("displacements", &u)?, device.upload_state("velocities", &v)?);
        let words = device.upload("welds", &layout.words)?;
        let head = (2 + layout.kept.len()).next_multiple_of(EDIT);
        let journal = device.room::<u32>("journal", head + EDIT * room)?;
        let counts: Vec<u32> = [0, 0].into_iter().chain(layout.kept.iter().map(|kept| kept.nodes)).collect();
        device.write(&journal, 0, &counts);
        let jobs = device.uniforms("jobs", 256 * layout.runs.len().max(1));
        let motion = device.room::<[f32; 4]>("motion", vectors * if moves { CHUNK } else { 1 })?;
        let fixed = [device.upload("rest", &layout.rest)?, device.upload("shapes", &layout.shapes)?];
        let index = device.upload("index", &layout.index)?;
        let bodies = device.upload("bodies", &layout.bodies)?;
        let constants: Vec<laws::GpuLaw> = laws.iter().map(|l| l.1).collect();
        let law = device.upload("laws", &constants)?;
        let elements = device.room::<[f32; 4]>("elements", 6 * layout.shapes.len() / 4)?;
        let planes = device.room::<[f32; 4]>("planes", layout.slots)?;
        let source = sources::welds();
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        let kernel = |run: &crate::layout::Run| {
            let constants = [
                ("LAW", f64::from(run.law.law)),
                ("VOLUME", flag(run.law.volume)),
                ("DAMPED", flag(run.law.damped)),
                ("INTEGRATOR", explicit::number(integrator).unwrap_or(2.0)),
                ("COLLIDERS", flag(!colliders.is_empty())),
            ];
            let bindings = &BINDINGS;
            let recipe = Recipe { name: "welds", source: &source, entry: "main", constants: &constants, bindings };
            let [rest, shapes] = &fixed;
            let buffers =
                [&jobs, &u, &v, rest, &law, &bodies, shapes, &words, &index, &elements, &planes, &motion, &journal];
            device.bind(&recipe, &buffers)
        };
        let kernels = layout.runs.iter().map(kernel).collect();
        device.check()?;
        let mut places = vec![0; layout.kept.len()];
        layout.kept.iter().enumerate().for_each(|(place, kept)| places[kept.number] = place);
        Ok(Welds {
            device: device.clone(),
            layout,
            places,
            kernels,
            u,
            v,
            journal,
            jobs,
            motion,
            gravity: model.loads.gravity.0,
            leap_frog: integrator == Integrator::LeapFrog,
            colliders: colliders.to_vec(),
            pairs,
            moves,
            head,
            room,
        })
    }

    /// Launches per step, on average; one launch takes many steps.
    pub fn launches_per_step(&self, parts: usize) -> f64 {
        self.kernels.len() as f64 * parts as f64 / CHUNK as f64
    }

    /// Submits `count` steps from `time` on, each of `parts` parts of `dt`, without waiting for them. What breaks does so after
    /// each step.
    pub fn run(&self, time: f64, dt: f64, (count, parts): (usize, usize)) -> Result<(), GpuError> {
        self.device.write(&self.journal, 0, &[0_u32; 2]);
        let all = count * parts;
        let mut done = 0;
        while done < all {
            let todo = CHUNK.min(all - done);
            self.write_jobs((time, dt), (done, todo, parts));
            let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                self.launch(&mut pass);
            }
            self.device.queue.submit([encoder.finish()]);
            done += todo;
        }
        self.device.check()
    }

    fn launch(&self, pass: &mut wgpu::ComputePass<'_>) {
        for (k, (kernel, run)) in self.kernels.iter().zip(&self.layout.runs).enumerate() {
            kernel.launch(pass, run.count, &[k]);
        }
    }

    fn write_jobs(&self, (time, dt): (f64, f64), (done, todo, parts): (usize, usize, usize)) {
        let [x, y, z] = self.gravity;
        let mut motion = Vec::new();
        for part in done..done + if self.moves { todo } else { 1 } {
            let start = time + dt * part as f64;
            // Leap-frog meets surfaces over its second half.
            let met = start + if self.leap_frog { 0.5 * dt } else { dt };
            colliders::poses(&self.colliders, start, met, &mut motion);
            motion.extend_from_slice(&self.pairs);
        }
        let stride = colliders::VECTORS * self.colliders.len() + self.pairs.len();
        let job = |run: &crate::layout::Run| Job {
            gravity: [x, y, z, dt as f32],
            first: run.first,
            bodies: run.count,
            part: done as u32,
            todo: todo as u32,
            parts: parts as u32,
            fresh: u32::from(done == 0),
            colliders: self.colliders.len() as u32,
            stride: if self.moves { stride as u32 } else { 0 },
            words: self.layout.places.words,
            head: self.head as u32,
            room: self.room as u32,
            index: self.layout.places.index,
            unused: 0,
        };
        let jobs: Vec<Job> = self.layout.runs.iter().map(job).collect();
        self.device.fill(&self.jobs, &strided(&jobs));
        if !motion.is_empty() {
            self.device.write(&self.motion, 0, &motion);
        }
    }

    /// What the last run has left; waits for it.
    pub fn read(&self) -> Result<Outcome, GpuError> {
        let (device, vectors) = (&self.device, 16 * self.layout.slots as u64);
        let first = 4 * (self.head + EDIT * self.room.min(FIRST_READ)) as u64;
        let encoder = device.wgpu.create_command_encoder(&Default::default());
        let wanted = [(&self.journal, first), (&self.u, vectors), (&self.v, vectors)];
        let arrived = device.ask(encoder, &wanted).take(device)?;
        let mut words: Vec<u32> = arrived.items(0)?;
        let count = (words[0] as usize).min(self.room);
        if count > FIRST_READ {
            words = device.read(&self.journal, self.head + EDIT * count)?;
        }
        let all = words[self.head..].chunks_exact(EDIT).take(count).map(Split::of);
        let (mut splits, followers): (Vec<Split>, Vec<Split>) = all.partition(|split| split.mask != 0);
        let mut followers: Vec<Followers> = followers.iter().map(Split::followers).collect();
        // In the journal those of each body are in their order.
        splits.sort_by_key(|s| (s.step, s.body));
        followers.sort_by_key(|f| (f.step, f.body));
        let mut nodes = vec![0; self.layout.kept.len()];
        for (kept, count) in self.layout.kept.iter().zip(&words[2..]) {
            nodes[kept.number] = *count as usize;
        }
        Ok(Outcome { trouble: words[1] != 0, splits, followers, nodes, u: arrived.items(1)?, v: arrived.items(2)? })
    }

    /// The edits of one step, for a model that has carried out those of the steps before.
    pub fn edits(&self, model: &Model<f32>, splits: &[Split]) -> Vec<Edit> {
        let edit = |split: &Split| {
            let kept = &self.layout.kept[self.places[split.body]];
            let origin = *model.bodies[split.body].fragile.as_ref()?.origin.get(split.node as usize)?;
            let elements = self.layout.elements(kept, origin, split.mask);
            let normal = split.normal.map(f64::from);
            Some(Edit::SplitNode { body: split.body, node: split.node, elements, hold: None, normal, ahead: None })
        };
        splits.iter().filter_map(edit).collect()
    }

    /// Displacements and velocities in the order of a model that has carried out all edits; nothing where it has other nodes.
    pub fn vectors(&self, model: &Model<f32>, outcome: &Outcome) -> Option<[Vec<Vec3<f32>>; 2]> {
        if model.bodies.iter().zip(&outcome.nodes).any(|(body, count)| body.nodes.len() != *count) {
            return None;
        }
        let (mut u, mut v) = (vec![Vec3::zero(); model.node_count()], vec![Vec3::zero(); model.node_count()]);
        for kept in &self.layout.kept {
            for (n, slot) in model.bodies[kept.number].nodes.clone().zip(kept.first_node..) {
                let ([x, y, z, _], [a, b, c, _]) = (outcome.u[slot], outcome.v[slot]);
                (u[n], v[n]) = (Vec3([x, y, z]), Vec3([a, b, c]));
            }
        }
        Some([u, v])
    }

    /// Moves the nodes of a body a `part` of the way from where they are to where the run has left them.
    pub fn move_on(&self, model: &Model<f32>, (body, part): (usize, f32), outcome: &Outcome, u: &mut [Vec3<f32>]) {
        let first = self.layout.kept[self.places[body]].first_node;
        for (u, [x, y, z, _]) in u[model.bodies[body].nodes.clone()].iter_mut().zip(&outcome.u[first..]) {
            *u += (Vec3([*x, *y, *z]) - *u) * part;
        }
    }

    /// Times launches of so many steps, on a device that is warm; empty when it has no clock.
    pub fn time_kernels(&self, dt: f64, repeats: u32) -> Result<Vec<KernelTime>, GpuError> {
        self.write_jobs((0.0, dt), (0, CHUNK, 1));
        let seconds = time_pass(&self.device, repeats, |pass| self.launch(pass))?;
        // What it reads stays in caches: no bytes need move.
        let time = |seconds| KernelTime {
            name: format!("{CHUNK} steps of bodies that break"),
            seconds,
            bytes: 0,
            traffic: None,
        };
        Ok(seconds.map(time).into_iter().collect())
    }
}

impl Split {
    fn of(words: &[u32]) -> Self {
        let normal = [4, 5, 6].map(|k| f32::from_bits(words[k]));
        Split { step: words[0], body: words[1] as usize, node: words[2], mask: words[3], normal }
    }

    /// What an entry without a mask tells.
    fn followers(&self) -> Followers {
        Followers { step: self.step, body: self.body, nodes: self.node as usize }
    }
}
