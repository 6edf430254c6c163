//! Pictures without a window.
//!
//! A [`Picture`] is a description: a camera, a floor, and things to be seen. Two back ends draw the same description: the
//! [`Software`] rasteriser, which is always there and gives the same bytes everywhere, and, with the feature `gpu`, `Gpu`
//! on any graphics card or software driver. A [`Stage`] makes descriptions of the frames of a simulation. Pictures become
//! PNG files ([`write_png`]), sheets of several ([`sheet`]) and films ([`movie`]).

#![forbid(unsafe_code)]

mod colour_map;
mod contour;
mod creases;
mod error;
mod font;
#[cfg(feature = "gpu")]
pub mod gpu;
mod image;
mod light;
pub mod movie;
mod near;
mod outline;
mod overlay;
mod palette;
mod picture;
mod png_file;
pub mod sheet;
mod software;
pub mod stage;
mod texture;
mod view;

pub use colour_map::{colour_map, map_texture};
pub use creases::{Creases, vertex_normals};
pub use error::DrawError;
#[cfg(feature = "gpu")]
pub use gpu::Gpu;
pub use image::{Image, linear_from_srgb};
pub use near::{Near, Weights, number};
pub use outline::{Outline, Segment, is_floor, outlines, scene_outlines};
pub use overlay::{ColourBar, Overlay};
pub use palette::Palette;
pub use picture::{Ball, Corner, Disc, Floor, Item, Mesh, Paint, Picture, Rod, Shape};
pub use png_file::{write_indexed_png, write_png};
pub use software::Software;
pub use stage::{Hue, Stage, StageSettings, What, bodies_within, body_colour, boundary, inside_colour, spacing};
pub use texture::Texture;
pub use view::{FOV, Fit, check_camera};

/// Something that draws pictures.
pub trait Painter {
    /// What it draws on, for people.
    fn name(&self) -> String;
    /// Draws.
    fn draw(&mut self, picture: &Picture) -> Result<Image, DrawError>;
}
