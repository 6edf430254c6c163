//! What draws pictures: a graphics device where there is one, otherwise the processor.

use phyxel_draw::{Gpu, Painter, Software};
use phyxel_gpu::Choice;

use crate::device::Wanted;
use crate::failure::Failure;

/// Finds what draws. Nobody needs to have a graphics device: only one that is asked for by name must be there.
pub fn choose(wanted: &Wanted) -> Result<Box<dyn Painter>, Failure> {
    let choice = match wanted {
        Wanted::Cpu => return Ok(Box::new(Software)),
        Wanted::Auto | Wanted::Balanced => Choice::Fastest,
        Wanted::Gpu(choice) => choice.clone(),
    };
    match Gpu::open(&choice) {
        Ok(gpu) => Ok(Box::new(gpu)),
        Err(_) if matches!(wanted, Wanted::Auto | Wanted::Balanced) => Ok(Box::new(Software)),
        Err(error) => Err(Failure::input(format!("--device: {error}; use --device cpu or auto"))),
    }
}
