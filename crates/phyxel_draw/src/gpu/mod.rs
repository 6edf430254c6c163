//! Drawing on graphics cards: the same passes as [`Software`](crate::Software), on any device that wgpu knows, software
//! drivers included.

mod pipelines;
mod scene;
mod targets;

use crate::error::DrawError;
use crate::image::Image;
use crate::light::{Dimness, SHADOW_SIZE, fill_direction, key_direction, key_view};
use crate::picture::Picture;
use crate::view::{V, View};
use crate::{Painter, overlay};
use bytemuck::{Pod, Zeroable};
use phyxel_gpu::{Choice, Device};
use pipelines::Pipelines;
use scene::Scene;
use std::sync::Arc;
use targets::{Targets, read_back};

/// Draws on a graphics device.
pub struct Gpu {
    device: Arc<Device>,
    pipelines: Pipelines,
    targets: Option<Targets>,
}

/// A view as the shaders see it.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct ViewBlock {
    eye: [f32; 4],
    right: [f32; 4],
    up: [f32; 4],
    back: [f32; 4],
    size: [f32; 4],
}

/// What the light needs to know, as the shaders see it.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct RoomBlock {
    view: ViewBlock,
    shadow: ViewBlock,
    below: ViewBlock,
    key: [f32; 4],
    fill: [f32; 4],
    floor: [f32; 4],
    centre: [f32; 4],
    counts: [f32; 4],
}

fn four(v: V, w: f64) -> [f32; 4] {
    [v[0] as f32, v[1] as f32, v[2] as f32, w as f32]
}

impl ViewBlock {
    /// `depths` are the nearest depth of a perspective view and the farthest of a parallel one [m].
    fn of(view: &View, width: usize, height: usize, depths: [f64; 2]) -> Self {
        ViewBlock {
            eye: four(view.eye, view.scale),
            right: four(view.right, view.centre[0]),
            up: four(view.up, view.centre[1]),
            back: four(view.back, f64::from(u8::from(view.perspective))),
            size: [width as f32, height as f32, depths[0] as f32, depths[1] as f32],
        }
    }
}

impl Gpu {
    /// Opens a device for drawing.
    pub fn open(choice: &Choice) -> Result<Self, DrawError> {
        let device = Device::open(choice)?;
        let pipelines = Pipelines::new(device.handles().0);
        device.check()?;
        Ok(Gpu { device, pipelines, targets: None })
    }

    fn blocks(picture: &Picture, dimness: Option<&Dimness>) -> RoomBlock {
        let samples = picture.samples.max(1);
        let (width, height) = (picture.width * samples, picture.height * samples);
        let view = View::of_camera(&picture.camera, width, height);
        let (shadow, texel) = key_view(picture);
        let (centre, radius) = picture.shadow_ball();
        // Nothing of interest is nearer than a thousandth of the distance to the things.
        let near = 1e-3 * ((view.eye - V::of(centre)).norm() + radius);
        let far = 4.0 * 1.05 * radius;
        let below = dimness.map_or(ViewBlock::default(), |d| ViewBlock::of(&d.view, d.size, d.size, [0.0, 1.0]));
        let floor = picture.floor.map_or([0.0, 1.0, 1.0, 0.0], |f| [f.height, f.grid, f.radius, 1.0].map(|c| c as f32));
        RoomBlock {
            view: ViewBlock::of(&view, width, height, [near, 1.0]),
            shadow: ViewBlock::of(&shadow, SHADOW_SIZE, SHADOW_SIZE, [0.0, far]),
            below,
            key: four(key_direction(), texel),
            fill: four(fill_direction(), 0.0),
            floor,
            centre: four(V::of(picture.floor.map_or([0.0; 3], |f| f.centre)), 0.0),
            counts: [samples as f32, picture.width as f32, dimness.map_or(1, |d| d.size) as f32, 0.0],
        }
    }
}

impl Painter for Gpu {
    fn name(&self) -> String {
        self.device.summary().name.clone()
    }

    fn draw(&mut self, picture: &Picture) -> Result<Image, DrawError> {
        picture.check()?;
        let (device, queue) = self.device.handles();
        let samples = picture.samples.max(1);
        let most = device.limits().max_texture_dimension_2d as usize;
        if picture.width.max(picture.height) * samples > most {
            return Err(DrawError::Size { width: picture.width, height: picture.height });
        }
        let fits = |t: &Targets| (t.width, t.height, t.samples) == (picture.width, picture.height, samples);
        let targets = match self.targets.take().filter(fits) {
            Some(targets) => targets,
            None => Targets::new(device, picture.width, picture.height, samples),
        };
        let dimness = picture.floor.as_ref().map(|floor| Dimness::of(picture, floor));
        let room = Self::blocks(picture, dimness.as_ref());
        let scene = Scene::upload(device, queue, &self.pipelines, picture, &room);
        let light = targets.light_group(device, queue, &self.pipelines, &room, dimness.as_ref());
        let mut encoder = device.create_command_encoder(&Default::default());
        scene.draw_shadow(&mut encoder, &self.pipelines, &targets);
        targets.draw_blocks(&mut encoder, &self.pipelines, &light);
        scene.draw_surfaces(&mut encoder, &self.pipelines, &targets);
        targets.resolve(&mut encoder, &self.pipelines, &light);
        let mut image = read_back(&self.device, encoder, &targets)?;
        self.targets = Some(targets);
        overlay::write(&picture.overlay, &mut image);
        Ok(image)
    }
}
