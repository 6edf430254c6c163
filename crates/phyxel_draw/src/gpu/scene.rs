//! The things of a picture on the device.

use super::RoomBlock;
use super::pipelines::{Pair, Pipelines};
use super::targets::{Targets, attachment, filled};
use crate::picture::{Paint, Picture, Shape};
use wgpu::BufferUsages;

pub(super) struct Scene {
    view: wgpu::BindGroup,
    shadow: wgpu::BindGroup,
    things: Vec<Thing>,
}

struct Thing {
    kind: Kind,
    buffer: wgpu::Buffer,
    count: u32,
    paint: Option<wgpu::BindGroup>,
    casts_shadow: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Mesh,
    Balls,
    Rods,
    Discs,
}

impl Kind {
    fn pair(self, pipelines: &Pipelines) -> &Pair {
        match self {
            Kind::Mesh => &pipelines.mesh,
            Kind::Balls => &pipelines.balls,
            Kind::Rods => &pipelines.rods,
            Kind::Discs => &pipelines.discs,
        }
    }
}

/// A buffer with these bytes.
pub(super) fn buffer(device: &wgpu::Device, queue: &wgpu::Queue, usage: BufferUsages, bytes: &[u8]) -> wgpu::Buffer {
    let made = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len().next_multiple_of(16) as u64,
        usage: usage | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&made, 0, bytes);
    made
}

impl Scene {
    pub(super) fn upload(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &Pipelines,
        picture: &Picture,
        room: &RoomBlock,
    ) -> Self {
        let view_group = |block: &super::ViewBlock| {
            let numbers = buffer(device, queue, BufferUsages::UNIFORM, bytemuck::bytes_of(block));
            let entry = wgpu::BindGroupEntry { binding: 0, resource: numbers.as_entire_binding() };
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("view"),
                layout: &pipelines.view,
                entries: &[entry],
            })
        };
        let mut things = Vec::new();
        for item in &picture.items {
            let (kind, bytes, count): (_, &[u8], _) = match &item.shape {
                Shape::Mesh(mesh) => (Kind::Mesh, bytemuck::cast_slice(&mesh.corners), mesh.corners.len()),
                Shape::Balls(balls) => (Kind::Balls, bytemuck::cast_slice(balls), balls.len()),
                Shape::Rods(rods) => (Kind::Rods, bytemuck::cast_slice(rods), rods.len()),
                Shape::Discs(discs) => (Kind::Discs, bytemuck::cast_slice(discs), discs.len()),
            };
            if count == 0 {
                continue;
            }
            let paint = match &item.shape {
                Shape::Mesh(mesh) => Some(paint_group(device, queue, pipelines, &mesh.paint)),
                _ => None,
            };
            things.push(Thing {
                kind,
                buffer: buffer(device, queue, BufferUsages::VERTEX, bytes),
                count: count as u32,
                paint,
                casts_shadow: item.casts_shadow,
            });
        }
        Scene { view: view_group(&room.view), shadow: view_group(&room.shadow), things }
    }

    /// What the light sees.
    pub(super) fn draw_shadow(&self, encoder: &mut wgpu::CommandEncoder, pipelines: &Pipelines, targets: &Targets) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(depth(&targets.shadow)),
            ..Default::default()
        });
        for thing in self.things.iter().filter(|t| t.casts_shadow) {
            pass.set_pipeline(&thing.kind.pair(pipelines).shadow);
            pass.set_bind_group(0, &self.shadow, &[]);
            thing.draw(&mut pass);
        }
    }

    /// What the eye sees.
    pub(super) fn draw_surfaces(&self, encoder: &mut wgpu::CommandEncoder, pipelines: &Pipelines, targets: &Targets) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment(&targets.surface)), Some(attachment(&targets.colour))],
            depth_stencil_attachment: Some(depth(&targets.depth)),
            ..Default::default()
        });
        for thing in &self.things {
            pass.set_pipeline(&thing.kind.pair(pipelines).surface);
            pass.set_bind_group(0, &self.view, &[]);
            if let Some(paint) = &thing.paint {
                pass.set_bind_group(1, paint, &[]);
            }
            thing.draw(&mut pass);
        }
    }
}

impl Thing {
    fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_vertex_buffer(0, self.buffer.slice(..));
        match self.kind {
            Kind::Mesh => pass.draw(0..self.count, 0..1),
            _ => pass.draw(0..4, 0..self.count),
        }
    }
}

/// Nearer is larger, so nothing is zero.
fn depth(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store };
    wgpu::RenderPassDepthStencilAttachment { view, depth_ops: Some(ops), stencil_ops: None }
}

fn paint_group(device: &wgpu::Device, queue: &wgpu::Queue, pipelines: &Pipelines, paint: &Paint) -> wgpu::BindGroup {
    let (mode, size, bytes): (u32, _, Vec<u8>) = match paint {
        Paint::Plain => (0, (1, 1), vec![255; 4]),
        Paint::Checker => (1, (1, 1), vec![255; 4]),
        Paint::Texture(texture) => {
            let image = &texture.image;
            let opaque = image.rgb.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect();
            (2, (image.width, image.height), opaque)
        }
    };
    let numbers = buffer(device, queue, BufferUsages::UNIFORM, bytemuck::bytes_of(&[mode, 0, 0, 0]));
    let picture = filled(device, queue, size, wgpu::TextureFormat::Rgba8UnormSrgb, &bytes);
    let entries = [
        wgpu::BindGroupEntry { binding: 0, resource: numbers.as_entire_binding() },
        wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&picture) },
        wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&pipelines.sampler) },
    ];
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("paint"),
        layout: &pipelines.paint,
        entries: &entries,
    })
}
