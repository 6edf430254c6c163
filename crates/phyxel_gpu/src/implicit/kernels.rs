//! The launches of an implicit step.

use super::system::System;
use super::{AGAIN, FIRST};
use crate::device::{Access, Bound, GpuError, Recipe, Store, sources, strided};
use crate::explicit::{self, NODE_BINDINGS, StepBlock};
use crate::layout::Run;
use crate::layout::general::SLICE;
use crate::resident::{ElementPass, Resident};
use Access::{Read, Uniform, Write};
use phyxel::model::Model;
use wgpu::ComputePass;

pub(super) struct Kernels {
    passes: Vec<ElementPass>,
    settle: Vec<ElementPass>,
    forces: Bound,
    pins: Option<Bound>,
    blocks: Vec<(Bound, u32, usize)>,
    tangents: Vec<(Bound, u32, usize)>,
    assemble: Option<Bound>,
    diagonal: Bound,
    /// Products with `z` and with `x`.
    products: [Product; 2],
    prepare: Bound,
    hold: Bound,
    restart: Bound,
    begin: Bound,
    update: Bound,
    gather: Bound,
    check: Bound,
    conclude: Bound,
    react: Bound,
    finish: Bound,
}

/// `q = A · field`.
struct Product {
    general: Option<(Bound, Bound)>,
    multiply: Bound,
}

const Z: usize = 0;
const X: usize = 1;

fn flag(on: bool) -> f64 {
    if on { 1.0 } else { 0.0 }
}

impl Kernels {
    /// Binds them; `slides` where nodes may touch something.
    pub(super) fn new(
        resident: &Resident,
        system: &System,
        model: &Model<f32>,
        slides: bool,
    ) -> Result<Self, GpuError> {
        let device = resident.device();
        let tets = resident.clusters.count > 0;
        let has_general = resident.general.elements > 0;
        let around = resident.clusters.slot_offsets.len() as u32;
        let sizes = device.uniforms("sizes", 4 * 256);
        let nodes = resident.node_count() as u32;
        let elements = resident.general.elements as u32;
        let blocks = [
            [system.assembled, nodes, around, 0],
            [nodes, around, elements, 0],
            [elements, nodes, around, 0],
            [elements, nodes, around, 1],
        ];
        device.fill(&sizes, &strided(&blocks));
        let cg = |entry: &str| cg_kernel(resident, system, entry);
        Ok(Kernels {
            passes: resident.element_passes(false),
            settle: resident.settle_passes(),
            forces: forces_kernel(resident, system, model)?,
            pins: (system.pinned > 0).then(|| pins_kernel(resident, system)),
            blocks: runs_of(resident, &resident.clusters.runs, 0, |run, groups| {
                block_kernel(resident, system, run, groups, "main")
            }),
            tangents: runs_of(resident, &resident.general.runs, resident.grains.first_general, |run, groups| {
                tangent_kernel(resident, system, run, groups)
            }),
            assemble: tets.then(|| assemble_kernel(resident, system, &sizes)),
            diagonal: diagonal_kernel(resident, system, &sizes, slides),
            products: [&system.z, &system.x].map(|field| Product {
                general: has_general.then(|| product_kernels(resident, system, &sizes, field)),
                multiply: multiply_kernel(resident, system, field, slides),
            }),
            prepare: cg("prepare"),
            hold: cg("hold"),
            restart: cg("restart"),
            begin: cg("begin"),
            update: cg("update"),
            gather: cg("gather"),
            check: cg("check"),
            conclude: cg("conclude"),
            react: cg("react"),
            finish: cg("finish"),
        })
    }

    /// Forces, right-hand side, matrix; with the preconditioner unless contact will ask for it.
    pub(super) fn assemble(&self, resident: &Resident, system: &System, pass: &mut ComputePass<'_>, pins: bool) {
        resident.launch_pressure(pass);
        self.passes.iter().for_each(|p| p.launch(pass));
        self.forces.launch(pass, explicit::groups(resident), &[0]);
        self.prepare.launch(pass, system.groups, &[FIRST]);
        for (bound, groups, block) in self.blocks.iter().chain(&self.tangents) {
            bound.launch(pass, *groups, &[*block, 0]);
        }
        if let Some(assemble) = &self.assemble {
            assemble.launch(pass, assemblies(resident, system), &[0]);
        }
        if pins {
            if let Some(kernel) = &self.pins {
                kernel.launch(pass, system.pinned.div_ceil(64), &[0]);
            }
            self.precondition(resident, pass);
        }
    }

    /// The preconditioner, with what is held now.
    pub(super) fn precondition(&self, resident: &Resident, pass: &mut ComputePass<'_>) {
        self.diagonal.launch(pass, (resident.node_count() as u32).div_ceil(64), &[1]);
    }

    fn multiply(&self, resident: &Resident, system: &System, pass: &mut ComputePass<'_>, which: usize, job: usize) {
        let product = &self.products[which];
        if let Some((elements, nodes)) = &product.general {
            let size = if job >= FIRST { 3 } else { 2 };
            elements.launch(pass, (resident.general.elements as u32).div_ceil(256), &[size]);
            nodes.launch(pass, explicit::groups(resident), &[size]);
        }
        product.multiply.launch(pass, system.products, &[job]);
    }

    /// `q = A x`.
    pub(super) fn multiply_guess(&self, resident: &Resident, system: &System, pass: &mut ComputePass<'_>) {
        self.multiply(resident, system, pass, X, AGAIN);
    }

    /// The residual of `x`, from which iterations start.
    pub(super) fn restart(&self, resident: &Resident, system: &System, pass: &mut ComputePass<'_>, job: usize) {
        self.hold.launch(pass, system.groups, &[job]);
        self.multiply(resident, system, pass, X, AGAIN);
        self.restart.launch(pass, system.groups, &[job]);
        self.begin.launch(pass, 1, &[job]);
    }

    /// One iteration; nothing happens when the solve is over.
    pub(super) fn iterate(&self, resident: &Resident, system: &System, pass: &mut ComputePass<'_>, parity: usize) {
        self.multiply(resident, system, pass, Z, parity);
        self.update.launch(pass, system.groups, &[parity]);
    }

    /// The length of the true residual, of an `x` with all that iterations have added.
    pub(super) fn check(&self, resident: &Resident, system: &System, pass: &mut ComputePass<'_>) {
        self.gather.launch(pass, system.groups, &[AGAIN]);
        self.multiply(resident, system, pass, X, AGAIN);
        self.check.launch(pass, system.groups, &[AGAIN]);
        self.conclude.launch(pass, 1, &[AGAIN]);
    }

    /// Launches one of [`PASSES`](super::Implicit::PASSES).
    pub(super) fn launch_timed(
        &self,
        resident: &Resident,
        system: &System,
        pass: &mut ComputePass<'_>,
        (kind, parity): (usize, usize),
    ) {
        match kind {
            0 => self.blocks.iter().chain(&self.tangents).for_each(|(b, groups, i)| b.launch(pass, *groups, &[*i, 0])),
            1 => {
                if let Some(assemble) = &self.assemble {
                    assemble.launch(pass, assemblies(resident, system), &[0]);
                }
            }
            2 => self.precondition(resident, pass),
            3 => self.multiply(resident, system, pass, Z, parity),
            _ => self.update.launch(pass, system.groups, &[parity]),
        }
    }

    /// `p = A x − b`, after a solve.
    pub(super) fn react(&self, system: &System, pass: &mut ComputePass<'_>) {
        self.react.launch(pass, system.groups, &[AGAIN]);
    }

    /// Lets matter flow at the end of a step.
    pub(super) fn settle(&self, pass: &mut ComputePass<'_>) {
        self.settle.iter().for_each(|p| p.launch(pass));
    }

    pub(super) fn finish(&self, system: &System, pass: &mut ComputePass<'_>) {
        self.finish.launch(pass, system.groups, &[AGAIN]);
    }
}

/// Launches loads and stores of the blocks of tetrahedra alone; none where there are no tetrahedra.
pub(super) fn block_traffic(resident: &Resident, system: &System) -> Option<impl Fn(&mut ComputePass<'_>)> {
    let kernel = |run: &Run, groups: &Store| block_kernel(resident, system, run, groups, "traffic");
    let all = runs_of(resident, &resident.clusters.runs, 0, kernel);
    let launch =
        move |pass: &mut ComputePass<'_>| all.iter().for_each(|(b, groups, i)| b.launch(pass, *groups, &[*i, 0]));
    (resident.clusters.count > 0).then_some(launch)
}

/// A kernel per run of one law; the block of uniforms is its place.
fn runs_of(
    resident: &Resident,
    runs: &[Run],
    grain: u32,
    kernel: impl Fn(&Run, &Store) -> (Bound, u32),
) -> Vec<(Bound, u32, usize)> {
    let groups = resident.device().uniforms("groups", 256 * runs.len());
    let elements = resident.general.elements as u32;
    let blocks: Vec<[u32; 4]> = runs.iter().map(|run| [run.first, run.count, grain, elements]).collect();
    resident.device().fill(&groups, &strided(&blocks));
    let bound = |(i, run): (usize, &Run)| {
        let (bound, count) = kernel(run, &groups);
        (bound, count, i)
    };
    runs.iter().enumerate().map(bound).collect()
}

fn forces_kernel(resident: &Resident, system: &System, model: &Model<f32>) -> Result<Bound, GpuError> {
    let device = resident.device();
    let steps = device.uniforms("forces", 256);
    let [x, y, z] = model.loads.gravity.0;
    let block = StepBlock {
        gravity: [x, y, z, 0.0],
        nodes: resident.node_count() as u32,
        around: resident.clusters.slot_offsets.len() as u32,
        pins: 0,
        next_pins: 0,
        colliders: 0,
        collider_count: 0,
        continues: 0,
        next_colliders: 0,
        elements: resident.general.elements as u32,
        unused: [0; 3],
    };
    device.fill(&steps, &strided(&[block]));
    let constants = resident.gather_constants();
    let source = sources::nodes();
    let recipe =
        Recipe { name: "nodes", source: &source, entry: "forces", constants: &constants, bindings: &NODE_BINDINGS };
    let at = &resident.at;
    Ok(device.bind(
        &recipe,
        &[
            &steps,
            &at.u,
            &at.v,
            &at.rest,
            &at.loads,
            &system.bodies,
            &at.index,
            &at.slots,
            &at.around,
            &at.own,
            &at.records,
            &at.pinned,
            &system.motion,
            &at.status,
            &system.b,
        ],
    ))
}

fn pins_kernel(resident: &Resident, system: &System) -> Bound {
    let source = sources::pins();
    let bindings = &[Uniform, Read, Read, Read, Read, Write];
    let recipe = Recipe { name: "pins", source: &source, entry: "main", constants: &[], bindings };
    let at = &resident.at;
    let buffers = [&system.pin_job, &system.pin_nodes, &at.pinned, &system.motion, &at.u, &system.held];
    resident.device().bind(&recipe, &buffers)
}

fn block_kernel(resident: &Resident, system: &System, run: &Run, groups: &Store, entry: &str) -> (Bound, u32) {
    let source = sources::blocks(resident.device().is_paired());
    let constants = [
        ("LAW", f64::from(run.law.law)),
        ("VOLUME", flag(run.law.volume)),
        ("VISCOUS", flag(run.law.damped)),
        ("GRAINS", flag(run.law.grains)),
        ("FLOW", f64::from(run.law.flow)),
    ];
    let bindings = &[Uniform, Uniform, Read, Read, Read, Read, Read, Write, Write, Read];
    let recipe = Recipe { name: "blocks", source: &source, entry, constants: &constants, bindings };
    let at = &resident.at;
    let (eight, ninths) = (&system.block_values, &system.block_ninths);
    let buffers = [groups, &system.mix, &at.u, &at.laws, &at.heads, &at.members, &at.shapes, eight, ninths, &at.grains];
    (resident.device().bind(&recipe, &buffers), 2 * run.count)
}

fn tangent_kernel(resident: &Resident, system: &System, run: &Run, groups: &Store) -> (Bound, u32) {
    let source = sources::tangents();
    let constants = [
        ("LAW", f64::from(run.law.law)),
        ("VOLUME", flag(run.law.volume)),
        ("VISCOUS", flag(run.law.damped && !run.law.based)),
        ("BASED", flag(run.law.based || run.law.updated)),
        ("UPDATED", flag(run.law.updated)),
        ("STABILISED", flag(resident.general.stabilised)),
        ("GRAINS", flag(run.law.grains)),
        ("FLOW", f64::from(run.law.flow)),
    ];
    let bindings = &[Uniform, Uniform, Read, Read, Read, Read, Read, Write, Read, Write];
    let recipe = Recipe { name: "tangents", source: &source, entry: "main", constants: &constants, bindings };
    let at = &resident.at;
    let buffers = [
        groups,
        &system.mix,
        &at.u,
        &at.laws,
        &at.elements,
        &at.entries,
        &at.bases,
        &system.tangents,
        &at.grains,
        &system.factors,
    ];
    (resident.device().bind(&recipe, &buffers), run.count.div_ceil(64))
}

/// Lanes of a workgroup that assembles: as many as the device allows, up to 768 (measured beside 256, 512 and 1024).
fn assembly_lanes(resident: &Resident) -> u32 {
    let limits = resident.device().handles().0.limits();
    limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x).min(768)
}

/// Workgroups that assemble.
fn assemblies(resident: &Resident, system: &System) -> u32 {
    (system.assembled * SLICE as u32).div_ceil(assembly_lanes(resident))
}

fn assemble_kernel(resident: &Resident, system: &System, sizes: &Store) -> Bound {
    let source = sources::assemble();
    let constants = [("LANES", f64::from(assembly_lanes(resident)))];
    let bindings = &[Uniform, Read, Read, Read, Read, Write];
    let recipe = Recipe { name: "assemble", source: &source, entry: "main", constants: &constants, bindings };
    let (eight, ninths) = (&system.block_values, &system.block_ninths);
    let buffers = [sizes, &system.assembly, &system.contributions, eight, ninths, &system.values];
    resident.device().bind(&recipe, &buffers)
}

fn diagonal_kernel(resident: &Resident, system: &System, sizes: &Store, slides: bool) -> Bound {
    let source = sources::diagonal();
    let constants = [
        ("TETS", flag(resident.clusters.count > 0)),
        ("GENERAL", flag(resident.general.elements > 0)),
        ("STABILISED", flag(resident.general.stabilised)),
        ("DRAGS", flag(slides)),
    ];
    let bindings = &[Uniform, Read, Read, Read, Read, Read, Read, Read, Read, Read, Read, Write, Read];
    let recipe = Recipe { name: "diagonal", source: &source, entry: "main", constants: &constants, bindings };
    let at = &resident.at;
    let buffers = [
        sizes,
        &system.masses,
        &system.rows,
        &system.values,
        &at.index,
        &at.around,
        &at.elements,
        &system.tangents,
        &system.moduli,
        &system.held_of,
        &system.held,
        &system.inverses,
        &system.factors,
    ];
    resident.device().bind(&recipe, &buffers)
}

fn product_kernels(resident: &Resident, system: &System, sizes: &Store, field: &Store) -> (Bound, Bound) {
    let constants = [("STABILISED", flag(resident.general.stabilised)), ("PAIRED", flag(!resident.order.in_rows))];
    let at = &resident.at;
    let source = sources::product();
    let bindings = &[Uniform, Read, Read, Read, Write, Read, Read, Write, Read, Read, Read];
    let recipe = Recipe { name: "product", source: &source, entry: "main", constants: &constants, bindings };
    let elements = resident.device().bind(
        &recipe,
        &[
            sizes,
            field,
            &at.elements,
            &at.entries,
            &at.own,
            &system.tangents,
            &system.offsets,
            &at.records,
            &system.scalars,
            &at.moments,
            &system.factors,
        ],
    );
    let source = sources::product_nodes();
    let bindings = &[Uniform, Read, Read, Read, Read, Read, Read, Write, Read];
    let recipe = Recipe { name: "product at nodes", source: &source, entry: "main", constants: &constants, bindings };
    let nodes = resident.device().bind(
        &recipe,
        &[sizes, field, &at.index, &at.around, &at.own, &at.records, &system.offsets, &system.q, &system.scalars],
    );
    (elements, nodes)
}

fn multiply_kernel(resident: &Resident, system: &System, field: &Store, slides: bool) -> Bound {
    let constants = [
        ("TETS", flag(resident.clusters.count > 0)),
        ("GENERAL", flag(resident.general.elements > 0)),
        ("DRAGS", flag(slides)),
    ];
    let source = sources::multiply();
    let bindings = &[Uniform, Read, Read, Read, Read, Read, Write, Write, Read, Read, Read];
    let recipe = Recipe { name: "multiply", source: &source, entry: "main", constants: &constants, bindings };
    resident.device().bind(
        &recipe,
        &[
            &system.jobs,
            field,
            &system.masses,
            &system.rows,
            &system.columns,
            &system.values,
            &system.q,
            &system.curvatures,
            &system.scalars,
            &system.held_of,
            &system.held,
        ],
    )
}

fn cg_kernel(resident: &Resident, system: &System, entry: &str) -> Bound {
    let source = sources::cg();
    let bindings =
        &[Uniform, Write, Write, Write, Write, Write, Write, Write, Write, Read, Read, Read, Read, Write, Write];
    let recipe = Recipe { name: "cg", source: &source, entry, constants: &[], bindings };
    let at = &resident.at;
    resident.device().bind(
        &recipe,
        &[
            &system.jobs,
            &at.u,
            &at.v,
            &system.b,
            &system.x,
            &system.r,
            &system.z,
            &system.p,
            &system.s,
            &system.q,
            &system.inverses,
            &system.held,
            &system.curvatures,
            &system.partials,
            &system.scalars,
        ],
    )
}
