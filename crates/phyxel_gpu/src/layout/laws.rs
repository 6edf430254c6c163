//! Laws as numbers.

use bytemuck::{Pod, Zeroable};
use phyxel::material::AnyLaw;
use phyxel::stencil::block::Block;

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
}

const _: () = assert!(size_of::<GpuLaw>() == 176);

/// Numbers of the laws in `laws.wgsl`.
pub(crate) const ANISOTROPIC: u32 = 2;
const FIBRE: u32 = 5;

/// The law of a block.
pub(crate) fn of_block(block: &Block<f32>) -> (LawKey, GpuLaw) {
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
    let law = plain(&block.law, &mut gpu);
    gpu.volume = volume;
    gpu.viscosity = block.viscosity.shear;
    gpu.bulk_viscosity = block.viscosity.bulk;
    gpu.rayleigh_stiffness = block.rayleigh_stiffness;
    gpu.penalty = block.penalty_modulus;
    (LawKey { law, volume: volume != 0.0, damped: block.is_damped(), based: law == FIBRE }, gpu)
}

fn set(gpu: &mut GpuLaw, number: u32, lam: f32, mu: f32) -> u32 {
    (gpu.lam, gpu.mu) = (lam, mu);
    number
}

fn set_stiffness(gpu: &mut GpuLaw, c: &[[f32; 6]; 6]) -> u32 {
    gpu.stiffness.copy_from_slice(c.as_flattened());
    ANISOTROPIC
}
