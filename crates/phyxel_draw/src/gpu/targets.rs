//! What the device draws into, and the way back.

use super::RoomBlock;
use super::pipelines::{BLOCKS, COLOUR, DEPTH, PICTURE, Pipelines, SURFACE};
use crate::error::DrawError;
use crate::image::Image;
use crate::light::{BLOCK, Dimness, SHADOW_SIZE};
use phyxel_gpu::Device;
use std::sync::mpsc;
use wgpu::{TextureFormat, TextureUsages};

/// Textures for pictures of one size.
pub(super) struct Targets {
    pub width: usize,
    pub height: usize,
    pub samples: usize,
    pub surface: wgpu::TextureView,
    pub colour: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    pub shadow: wgpu::TextureView,
    blocks: wgpu::TextureView,
    picture: wgpu::Texture,
}

/// The textures and numbers of the light.
pub(super) struct Light {
    blocks: wgpu::BindGroup,
    all: wgpu::BindGroup,
}

fn texture(
    device: &wgpu::Device,
    (width, height): (usize, usize),
    format: TextureFormat,
    usage: TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: width as u32, height: height as u32, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

pub(super) fn view_of(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&Default::default())
}

/// A texture with these bytes.
pub(super) fn filled(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    size: (usize, usize),
    format: TextureFormat,
    bytes: &[u8],
) -> wgpu::TextureView {
    let made = texture(device, size, format, TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST);
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some((bytes.len() / size.1.max(1)) as u32),
        rows_per_image: None,
    };
    queue.write_texture(made.as_image_copy(), bytes, layout, made.size());
    view_of(&made)
}

impl Targets {
    pub(super) fn new(device: &wgpu::Device, width: usize, height: usize, samples: usize) -> Self {
        let drawn = TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING;
        let large = (width * samples, height * samples);
        let make = |size, format| view_of(&texture(device, size, format, drawn));
        let out = TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC;
        Targets {
            width,
            height,
            samples,
            surface: make(large, SURFACE),
            colour: make(large, COLOUR),
            depth: make(large, DEPTH),
            shadow: make((SHADOW_SIZE, SHADOW_SIZE), DEPTH),
            blocks: make((SHADOW_SIZE / BLOCK, SHADOW_SIZE / BLOCK), BLOCKS),
            picture: texture(device, (width, height), PICTURE, out),
        }
    }

    pub(super) fn light_group(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &Pipelines,
        room: &RoomBlock,
        dimness: Option<&Dimness>,
    ) -> Light {
        let numbers = super::scene::buffer(device, queue, wgpu::BufferUsages::UNIFORM, bytemuck::bytes_of(room));
        let (size, values) = dimness.map_or((1, &[0.0][..]), |d| (d.size, &d.value));
        let dim = filled(device, queue, (size, size), TextureFormat::R32Float, bytemuck::cast_slice(values));
        let number = wgpu::BindGroupEntry { binding: 0, resource: numbers.as_entire_binding() };
        let texture =
            |binding, view| wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) };
        let group = |layout, entries: &[wgpu::BindGroupEntry<'_>]| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
        };
        Light {
            blocks: group(&pipelines.block_light, &[number.clone(), texture(3, &self.shadow)]),
            all: group(
                &pipelines.light,
                &[
                    number,
                    texture(1, &self.surface),
                    texture(2, &self.colour),
                    texture(3, &self.shadow),
                    texture(4, &self.blocks),
                    texture(5, &dim),
                ],
            ),
        }
    }

    /// Works out what lies in each block of the shadow map.
    pub(super) fn draw_blocks(&self, encoder: &mut wgpu::CommandEncoder, p: &Pipelines, light: &Light) {
        over_all(encoder, &self.blocks, &p.blocks, &light.blocks);
    }

    /// Lights every sample, and averages those of each pixel.
    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder, p: &Pipelines, light: &Light) {
        over_all(encoder, &view_of(&self.picture), &p.resolve, &light.all);
    }
}

fn over_all(
    encoder: &mut wgpu::CommandEncoder,
    target: &wgpu::TextureView,
    pipeline: &wgpu::RenderPipeline,
    group: &wgpu::BindGroup,
) {
    let attachment = attachment(target);
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(attachment)],
        ..Default::default()
    });
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, group, &[]);
    pass.draw(0..3, 0..1);
}

pub(super) fn attachment(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store: wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops }
}

/// Submits the work, and waits for the picture.
pub(super) fn read_back(
    device: &Device,
    mut encoder: wgpu::CommandEncoder,
    targets: &Targets,
) -> Result<Image, DrawError> {
    let (wgpu_device, queue) = device.handles();
    let (width, height) = (targets.width, targets.height);
    let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize);
    let staging = wgpu_device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture"),
        size: (row * height) as u64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
    encoder.copy_texture_to_buffer(targets.picture.as_image_copy(), to, targets.picture.size());
    queue.submit([encoder.finish()]);
    let (tell, hear) = mpsc::channel();
    staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // The other end is gone only when nobody waits for the picture any more.
        let _ = tell.send(result.is_ok());
    });
    device.wait()?;
    let lost = || phyxel_gpu::GpuError::Lost { device: device.summary().name.clone(), why: "no picture came".into() };
    if hear.recv() != Ok(true) {
        return Err(lost().into());
    }
    let bytes = staging.slice(..).get_mapped_range().map_err(|_| lost())?;
    let rows = bytes.chunks_exact(row).flat_map(|r| r[..4 * width].chunks_exact(4));
    let rgb = rows.flat_map(|p| [p[0], p[1], p[2]]).collect();
    Ok(Image { width, height, rgb })
}
