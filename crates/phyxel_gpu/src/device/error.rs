//! What can go wrong with a device.

/// Why a device cannot be used, or no longer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no adapter at all.
    #[error("no graphics device was found: install a Vulkan, Metal or DirectX 12 driver, or use --device cpu")]
    NoAdapter,
    /// Nothing is called that.
    #[error("no graphics device is called {wanted:?} (found: {known}): see `phyxel list`")]
    UnknownDevice {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// The driver did not open it.
    #[error("{device} could not be opened: {why}")]
    Refused {
        /// Its name.
        device: String,
        /// What the driver says.
        why: String,
    },
    /// The device cannot do what is needed.
    #[error("{device} has {has} {what}, and {needed} are needed: use another device or --device cpu")]
    TooSmall {
        /// Its name.
        device: String,
        /// Of what.
        what: &'static str,
        /// How many there are.
        has: u64,
        /// How many are needed.
        needed: u64,
    },
    /// It has no memory left.
    #[error("the graphics device is out of memory ({why}): use fewer elements, or --device cpu")]
    OutOfMemory {
        /// What the driver says.
        why: String,
    },
    /// It is gone: unplugged, reset, or hung.
    #[error("{device} was lost ({why}): the last good state is kept")]
    Lost {
        /// Its name.
        device: String,
        /// What the driver says.
        why: String,
    },
    /// A mistake of this program.
    #[error("the graphics device refused a command; this is a mistake of this program: {why}")]
    Invalid {
        /// What the driver says.
        why: String,
    },
}

impl GpuError {
    /// What a driver says about the device of this name.
    pub(super) fn of(error: wgpu::Error, device: &str) -> Self {
        match error {
            wgpu::Error::OutOfMemory { source } => GpuError::OutOfMemory { why: source.to_string() },
            // Whatever is asked of a device after it is gone is answered like this.
            wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. }
                if description.contains("device is lost") =>
            {
                GpuError::Lost { device: device.into(), why: "it does not answer any more".into() }
            }
            wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
                GpuError::Invalid { why: description }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_drivers_say_becomes_a_kind_of_error() {
        let no_memory = wgpu::Error::OutOfMemory { source: "not enough memory left".into() };
        let error = GpuError::of(no_memory, "card");
        assert!(matches!(&error, GpuError::OutOfMemory { why } if why.contains("memory left")), "{error:?}");
        assert!(error.to_string().contains("--device cpu"));
        let of = |description: &str| {
            GpuError::of(wgpu::Error::Validation { source: "".into(), description: description.into() }, "card")
        };
        assert!(
            matches!(of("In Queue::submit\n  Parent device is lost"), GpuError::Lost { device, .. } if device == "card")
        );
        assert!(matches!(of("binding 3 is missing"), GpuError::Invalid { .. }));
    }
}
