//! Pictures without a window and without a GPU: a small rasteriser, good enough to believe what it shows.
//!
//! A frame is drawn in three passes: shadow maps seen from the light and from the floor, the bodies into a buffer of
//! depth, normal and colour, then the light on every pixel.

mod buffer;
mod checker;
mod font;
mod image;
mod light;
mod mesh;
mod outline;
mod raster;
mod sheet;
mod studio;
mod view;

pub use image::{Image, write_png};
pub use outline::{Segment, outlines};
pub use sheet::{SheetSettings, draw_sheet};
pub(crate) use sheet::{Snapshot, sheet_of};

use crate::drawable::{Drawable, check_frame};
use crate::file::OutputError;
use phyxel::record::{BodyLayout, Frame};

/// How single pictures are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureSettings {
    /// Width [pixels].
    pub width: usize,
    /// Height [pixels].
    pub height: usize,
    /// Samples per pixel along each side, for smooth edges.
    pub supersampling: usize,
    /// Height of the floor [m]; the lowest point of all frames when none is given.
    pub ground: Option<f64>,
    /// Outlines of what stands still.
    pub outlines: Vec<Segment>,
}

impl Default for PictureSettings {
    /// Large enough for a page, small enough to be quick.
    fn default() -> Self {
        PictureSettings { width: 1280, height: 720, supersampling: 3, ground: None, outlines: Vec::new() }
    }
}

/// Draws every frame, all with the same camera, which sees the bodies of all frames whole.
pub fn draw_frames(
    layouts: &[BodyLayout],
    frames: &[Frame],
    settings: &PictureSettings,
) -> Result<Vec<Image>, OutputError> {
    let (drawables, snapshots) = snapshots(layouts, frames)?;
    let studio = studio::Studio::new(&drawables, &snapshots, settings);
    Ok(snapshots.iter().map(|snapshot| studio.draw(snapshot)).collect())
}

fn snapshots(layouts: &[BodyLayout], frames: &[Frame]) -> Result<(Vec<Drawable>, Vec<Snapshot>), OutputError> {
    let drawables = layouts.iter().map(Drawable::of).collect::<Result<Vec<_>, _>>()?;
    for frame in frames {
        check_frame(&drawables, frame)?;
    }
    let snapshots = frames.iter().map(|frame| Snapshot::of(&drawables, frame)).collect();
    Ok((drawables, snapshots))
}
