//! The programs of the device.

use crate::picture::{Ball, Corner, Disc, Rod};
use wgpu::{TextureFormat, VertexFormat, VertexStepMode};

/// Normal and depth of what is seen.
pub(super) const SURFACE: TextureFormat = TextureFormat::Rgba32Float;
/// Its colour.
pub(super) const COLOUR: TextureFormat = TextureFormat::Rgba16Float;
pub(super) const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Nearest and farthest depths of blocks of the shadow map.
pub(super) const BLOCKS: TextureFormat = TextureFormat::Rg32Float;
pub(super) const PICTURE: TextureFormat = TextureFormat::Rgba8Unorm;

/// A primitive's programs: for the picture, and for the shadow map.
pub(super) struct Pair {
    pub surface: wgpu::RenderPipeline,
    pub shadow: wgpu::RenderPipeline,
}

pub(super) struct Pipelines {
    pub view: wgpu::BindGroupLayout,
    pub paint: wgpu::BindGroupLayout,
    pub light: wgpu::BindGroupLayout,
    pub block_light: wgpu::BindGroupLayout,
    pub mesh: Pair,
    pub balls: Pair,
    pub rods: Pair,
    pub discs: Pair,
    pub blocks: wgpu::RenderPipeline,
    pub resolve: wgpu::RenderPipeline,
    pub sampler: wgpu::Sampler,
}

fn uniform(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let kind = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
    wgpu::BindGroupLayoutEntry { binding, visibility, ty: kind, count: None }
}

fn texture(binding: u32, sample_type: wgpu::TextureSampleType) -> wgpu::BindGroupLayoutEntry {
    let kind =
        wgpu::BindingType::Texture { sample_type, view_dimension: wgpu::TextureViewDimension::D2, multisampled: false };
    wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::FRAGMENT, ty: kind, count: None }
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let group = |label: &str, entries: &[wgpu::BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let view = group("view", &[uniform(0)]);
        let filterable = wgpu::TextureSampleType::Float { filterable: true };
        let sampler_entry = wgpu::BindGroupLayoutEntry {
            binding: 2,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
            count: None,
        };
        let paint = group("paint", &[uniform(0), texture(1, filterable), sampler_entry]);
        let exact = wgpu::TextureSampleType::Float { filterable: false };
        let depth = wgpu::TextureSampleType::Depth;
        let light = group(
            "light",
            &[
                uniform(0),
                texture(1, exact),
                texture(2, exact),
                texture(3, depth),
                texture(4, exact),
                texture(5, exact),
            ],
        );
        let block_light = group("light on blocks", &[uniform(0), texture(3, depth)]);
        let module = |label: &str, text: &str| {
            let source = wgpu::ShaderSource::Wgsl(text.into());
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
        };
        let studio = module("studio", include_str!("studio.wgsl"));
        let lighting = module("light", include_str!("light.wgsl"));
        let make = Maker { device, studio: &studio, view: &view, paint: &paint };
        let three = VertexFormat::Float32x3;
        let one = VertexFormat::Float32;
        let linear = wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        };
        Pipelines {
            mesh: make.pair("mesh", size_of::<Corner>(), &[three; 4]),
            balls: make.pair("ball", size_of::<Ball>(), &[three, one, three]),
            rods: make.pair("rod", size_of::<Rod>(), &[three, one, three, three]),
            discs: make.pair("disc", size_of::<Disc>(), &[three; 5]),
            blocks: screen(device, &lighting, &block_light, "block_depths", BLOCKS),
            resolve: screen(device, &lighting, &light, "resolve", PICTURE),
            sampler: device.create_sampler(&linear),
            view,
            paint,
            light,
            block_light,
        }
    }
}

/// A program that runs for every pixel.
fn screen(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    group: &wgpu::BindGroupLayout,
    entry: &str,
    format: TextureFormat,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(entry),
        bind_group_layouts: &[Some(group)],
        ..Default::default()
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(entry),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("everywhere"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

struct Maker<'a> {
    device: &'a wgpu::Device,
    studio: &'a wgpu::ShaderModule,
    view: &'a wgpu::BindGroupLayout,
    paint: &'a wgpu::BindGroupLayout,
}

impl Maker<'_> {
    fn pair(&self, name: &str, stride: usize, formats: &[VertexFormat]) -> Pair {
        Pair {
            surface: self.pipeline(name, stride, formats, false),
            shadow: self.pipeline(name, stride, formats, true),
        }
    }

    fn pipeline(&self, name: &str, stride: usize, formats: &[VertexFormat], shadow: bool) -> wgpu::RenderPipeline {
        let is_mesh = name == "mesh";
        let mut offset = 0;
        let mut attributes = Vec::new();
        for (shader_location, &format) in (0..).zip(formats) {
            attributes.push(wgpu::VertexAttribute { format, offset, shader_location });
            offset += format.size();
        }
        let buffer = wgpu::VertexBufferLayout {
            array_stride: stride as u64,
            step_mode: if is_mesh { VertexStepMode::Vertex } else { VertexStepMode::Instance },
            attributes: &attributes,
        };
        let groups = [Some(self.view), Some(self.paint)];
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(name),
            bind_group_layouts: if is_mesh && !shadow { &groups } else { &groups[..1] },
            ..Default::default()
        });
        let fragment_entry = format!("{name}_{}", if shadow { "depth" } else { "fragment" });
        let (seen, nothing) = ([Some(SURFACE.into()), Some(COLOUR.into())], []);
        let fragment = wgpu::FragmentState {
            module: self.studio,
            entry_point: Some(&fragment_entry),
            compilation_options: Default::default(),
            targets: if shadow { &nothing } else { &seen },
        };
        let topology =
            if is_mesh { wgpu::PrimitiveTopology::TriangleList } else { wgpu::PrimitiveTopology::TriangleStrip };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(name),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: self.studio,
                entry_point: Some(&format!("{name}_vertex")),
                compilation_options: Default::default(),
                buffers: &[Some(buffer)],
            },
            primitive: wgpu::PrimitiveState { topology, ..Default::default() },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Greater),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: Default::default(),
            fragment: (!is_mesh || !shadow).then_some(fragment),
            multiview_mask: None,
            cache: None,
        })
    }
}
