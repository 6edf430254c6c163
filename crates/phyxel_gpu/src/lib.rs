//! The stages of phyxel on any graphics card: Vulkan, Metal, DirectX 12, or a software driver, through wgpu.
//!
//! A [`Device`] is chosen once. A [`Resident`] is a model on it: the same stencils as on the CPU, in an order and layout that
//! read memory in long runs. State stays there between steps; only what is asked for comes back.

#![forbid(unsafe_code)]

mod ahead;
mod balance;
mod bench;
mod device;
mod divert;
mod driver;
mod explicit;
mod free_bodies;
mod implicit;
mod layout;
mod motor;
mod moving;
mod positions;
mod reanchor;
mod rebuild;
mod resident;
mod shared;
mod skin;
mod support;
mod surfels;
mod welds;

pub use ahead::Ahead;
pub use bench::{KernelTime, copy_bandwidth, median, settled};
pub use device::{AdapterSummary, Choice, Device, GpuError, Traffic, adapters};
pub use divert::{Diverted, divert_all};
pub use driver::{DriveError, Driver};
pub use explicit::Explicit;
pub use implicit::{Implicit, SolveReport};
pub use positions::Positions;
pub use rebuild::{Rebuild, RebuildReport};
pub use resident::{BlockStress, PendingState, PrincipalStress, Resident, Vectors};
pub use skin::SkinProduct;
pub use support::why_not;
pub use surfels::{Surfel, SurfelCarriers, SurfelProduct, SurfelRest};
pub use welds::{Followers, Outcome, Split, Welds};

/// The sources of all kernels, by name, each complete as it is compiled; for checks without a device.
pub fn kernel_sources() -> Vec<(&'static str, String)> {
    device::sources::all()
}
