//! Laws as numbers.

use bytemuck::{Pod, Zeroable};
use phyxel::material::AnyLaw;
use phyxel::material::plastic::Plasticity;
use phyxel::stencil::block::{Block, Stencils};

/// What decides which kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LawKey {
    /// The number of the law in `laws.wgsl`.
    pub law: u32,
    /// Whether it has a volume term.
    pub volume: bool,
    /// Whether velocities count.
    pub damped: bool,
    /// Whether elements have a gradient of their own.
    pub based: bool,
    /// Whether they are phyxels without a rest shape.
    pub updated: bool,
    /// Whether elements remember something.
    pub grains: bool,
    /// How they flow: 0 not at all, 1 by strain, 2 by stress.
    pub flow: u32,
}

/// The constants of a law: the twin of `Law` in `laws.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct GpuLaw {
    lam: f32,
    mu: f32,
    volume: f32,
    modulus: f32,
    viscosity: f32,
    bulk_viscosity: f32,
    rayleigh_stiffness: f32,
    penalty: f32,
    stiffness: [f32; 36],
    flow: [f32; 4],
}

const _: () = assert!(size_of::<GpuLaw>() == 192);

/// Numbers of the laws in `laws.wgsl`.
pub(crate) const ANISOTROPIC: u32 = 2;
/// Flow by stress.
pub(crate) const BY_STRESS: u32 = 2;
const FIBRE: u32 = 5;
const HENCKY: u32 = 6;
const SMALL: u32 = 7;

/// The law of a block, whose elements may have grains.
pub(crate) fn of_block(block: &Block<f32>, grains: bool) -> (LawKey, GpuLaw) {
    let mut gpu = GpuLaw::zeroed();
    let mut volume = 0.0;
    let mut plain = |law: &AnyLaw<f32>, gpu: &mut GpuLaw| match law {
        AnyLaw::Linear(l) => set(gpu, 0, l.lam, l.mu),
        AnyLaw::StVenantKirchhoff(l) => set(gpu, 1, l.lam, l.mu),
        AnyLaw::Anisotropic(l) => set_stiffness(gpu, &l.stiffness),
        AnyLaw::Corotated(l) => set(gpu, 3, l.lam, l.mu),
        AnyLaw::NeoHookean(l) => set(gpu, 4, l.lam, l.mu),
        AnyLaw::Fibre(l) => {
            gpu.modulus = l.modulus;
            FIBRE
        }
        AnyLaw::LinearVolume(l) => {
            volume = l.stiffness;
            set(gpu, 0, l.law.lam, l.law.mu)
        }
        AnyLaw::StVenantKirchhoffVolume(l) => {
            volume = l.stiffness;
            set(gpu, 1, l.law.lam, l.law.mu)
        }
        AnyLaw::AnisotropicVolume(l) => {
            volume = l.stiffness;
            set_stiffness(gpu, &l.law.stiffness)
        }
        AnyLaw::CorotatedVolume(l) => {
            volume = l.stiffness;
            set(gpu, 3, l.law.lam, l.law.mu)
        }
        AnyLaw::NeoHookeanVolume(l) => {
            volume = l.stiffness;
            set(gpu, 4, l.law.lam, l.law.mu)
        }
    };
    let mut law = plain(&block.law, &mut gpu);
    let mut flow = 0;
    if grains {
        if let Some(hencky) = block.inner.hencky() {
            // Its bulk modulus has the volume term in it, and travels as lambda.
            law = set(&mut gpu, if block.inner.is_small() { SMALL } else { HENCKY }, hencky.bulk, hencky.mu);
            volume = 0.0;
        }
        flow = set_flow(&mut gpu, block.inner.plasticity());
    }
    gpu.volume = volume;
    gpu.viscosity = block.viscosity.shear;
    gpu.bulk_viscosity = block.viscosity.bulk;
    gpu.rayleigh_stiffness = block.rayleigh_stiffness;
    gpu.penalty = block.penalty_modulus;
    let (volume, damped, based) = (volume != 0.0, block.is_damped(), law == FIBRE);
    let updated = matches!(&block.stencils, Stencils::General(general) if !general.base_inverse.is_empty());
    (LawKey { law, volume, damped, based, updated, grains, flow }, gpu)
}

/// Writes how matter yields, and gives its number; what flows within a time is written by [`flowing_for`].
fn set_flow(gpu: &mut GpuLaw, plasticity: Option<Plasticity>) -> u32 {
    match plasticity {
        None => 0,
        Some(Plasticity::Strain { yield_strain, max_strain, .. }) => {
            // Kernels may not rely on infinities.
            gpu.flow = [yield_strain as f32, max_strain.min(f64::from(f32::MAX)) as f32, 0.0, 0.0];
            1
        }
        Some(Plasticity::Stress { yield_stress, hardening, .. }) => {
            gpu.flow = [yield_stress as f32, hardening as f32, 0.0, 0.0];
            BY_STRESS
        }
    }
}

/// The same law where evaluations see flow for one time, and ends of steps for another [s].
pub(crate) fn flowing_for(mut gpu: GpuLaw, plasticity: Option<Plasticity>, times: [f64; 2]) -> GpuLaw {
    if let Some(Plasticity::Strain { relaxation_time, .. } | Plasticity::Stress { relaxation_time, .. }) = plasticity {
        let share = |dt: f64| if relaxation_time <= 0.0 { 1.0 } else { -(-dt / relaxation_time).exp_m1() };
        (gpu.flow[2], gpu.flow[3]) = (share(times[0]) as f32, share(times[1]) as f32);
    }
    gpu
}

fn set(gpu: &mut GpuLaw, number: u32, lam: f32, mu: f32) -> u32 {
    (gpu.lam, gpu.mu) = (lam, mu);
    number
}

fn set_stiffness(gpu: &mut GpuLaw, c: &[[f32; 6]; 6]) -> u32 {
    gpu.stiffness.copy_from_slice(c.as_flattened());
    ANISOTROPIC
}
