//! Every kernel is valid WGSL, with or without a device.

#[test]
fn every_kernel_is_valid() {
    for (name, source) in phyxel_gpu::kernel_sources() {
        let module = match naga::front::wgsl::parse_str(&source) {
            Ok(module) => module,
            Err(error) => panic!("{name}: {}", error.emit_to_string(&source)),
        };
        let flags = naga::valid::ValidationFlags::all();
        let checked = naga::valid::Validator::new(flags, naga::valid::Capabilities::SUBGROUP).validate(&module);
        if let Err(error) = checked {
            panic!("{name}: {}", error.emit_to_string(&source));
        }
    }
}
