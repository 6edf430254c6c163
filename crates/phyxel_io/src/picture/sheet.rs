//! A sheet of pictures: several frames side by side, each with its time.

use super::font::{line_height, write_centred};
use super::image::Image;
use super::outline::Segment;
use super::studio::Studio;
use super::{PictureSettings, snapshots};
use crate::drawable::Drawable;
use crate::file::OutputError;
use phyxel::record::{BodyLayout, Frame};

/// How a sheet is laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetSettings {
    /// Pictures beside each other.
    pub columns: usize,
    /// Pictures below each other, at most.
    pub rows: usize,
    /// Width of the whole sheet [pixels].
    pub width: usize,
    /// Samples per pixel along each side.
    pub supersampling: usize,
    /// Height of the floor [m]; the lowest point of all frames when none is given.
    pub ground: Option<f64>,
    /// Outlines of what stands still.
    pub outlines: Vec<Segment>,
}

impl Default for SheetSettings {
    /// Twelve pictures on a sheet that fits a screen.
    fn default() -> Self {
        SheetSettings { columns: 4, rows: 3, width: 1600, supersampling: 3, ground: None, outlines: Vec::new() }
    }
}

/// What a picture needs of a frame; single precision is finer than any pixel.
pub(crate) struct Snapshot {
    pub index: usize,
    /// [s]
    pub time: f64,
    /// Drawn points of each body [m].
    pub points: Vec<Vec<[f32; 3]>>,
}

impl Snapshot {
    pub(crate) fn of(drawables: &[Drawable], frame: &Frame) -> Self {
        let single = |p: &[f64; 3]| p.map(|c| c as f32);
        let bodies = drawables.iter().zip(&frame.bodies);
        let points = bodies.map(|(d, now)| d.points(now).iter().map(single).collect()).collect();
        Snapshot { index: frame.index, time: frame.time, points }
    }
}

const GAP: usize = 10;
const PAPER: [u8; 3] = [250, 250, 251];
const INK: [u8; 3] = [70, 76, 86];

/// Draws the frames, at most `columns` × `rows` of them evenly spaced from the first to the last.
pub fn draw_sheet(layouts: &[BodyLayout], frames: &[Frame], settings: &SheetSettings) -> Result<Image, OutputError> {
    let (drawables, snapshots) = snapshots(layouts, frames)?;
    Ok(sheet_of(&drawables, &snapshots, settings))
}

pub(crate) fn sheet_of(drawables: &[Drawable], frames: &[Snapshot], settings: &SheetSettings) -> Image {
    let columns = settings.columns.max(1);
    let shown: Vec<&Snapshot> = evenly(frames, columns * settings.rows.max(1));
    let columns = columns.min(shown.len().max(1));
    let rows = shown.len().div_ceil(columns).max(1);
    let tile_width = (settings.width.saturating_sub(GAP) / settings.columns.max(1)).saturating_sub(GAP).max(16);
    let tile_height = tile_width * 3 / 4;
    let scale = (tile_width / 190).max(1);
    let pitch = (tile_width + GAP, tile_height + 2 * GAP + line_height(scale));
    let mut sheet = Image::filled(GAP + columns * pitch.0, GAP + rows * pitch.1, PAPER);
    let (supersampling, ground) = (settings.supersampling, settings.ground);
    let outlines = settings.outlines.clone();
    let picture = PictureSettings { width: tile_width, height: tile_height, supersampling, ground, outlines };
    let studio = Studio::new(drawables, frames, &picture);
    let digits = decimals(&shown);
    for (i, snapshot) in shown.iter().enumerate() {
        let (x, y) = (GAP + i % columns * pitch.0, GAP + i / columns * pitch.1);
        sheet.paste(&studio.draw(snapshot), x, y);
        let caption = format!("t = {:.digits$} s", snapshot.time);
        write_centred(&mut sheet, &caption, x + tile_width / 2, y + tile_height + GAP / 2 + 1, scale, INK);
    }
    sheet
}

/// As many decimals as tell the times apart, two at least.
fn decimals(frames: &[&Snapshot]) -> usize {
    let steps = frames.windows(2).map(|w| w[1].time - w[0].time).filter(|&d| d > 0.0);
    let least = steps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { (1.0 - least.log10().floor()).clamp(2.0, 9.0) as usize } else { 2 }
}

/// At most `count` of the frames, evenly spaced by index, the first and the last included.
fn evenly(frames: &[Snapshot], count: usize) -> Vec<&Snapshot> {
    let ([first, ..], [.., last]) = (frames, frames) else { return vec![] };
    if frames.len() <= count || count < 2 {
        return frames.iter().take(count).collect();
    }
    let length = last.index - first.index;
    let wanted = (0..count).map(|i| first.index + (i * length + (count - 1) / 2) / (count - 1));
    let mut shown: Vec<&Snapshot> = wanted.filter_map(|w| frames.iter().min_by_key(|f| f.index.abs_diff(w))).collect();
    shown.dedup_by_key(|f| f.index);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank(index: usize) -> Snapshot {
        Snapshot { index, time: index as f64 / 60.0, points: vec![] }
    }

    #[test]
    fn frames_are_spread_from_first_to_last() {
        let frames: Vec<Snapshot> = (0..100).map(blank).collect();
        let shown: Vec<usize> = evenly(&frames, 12).iter().map(|f| f.index).collect();
        assert_eq!(shown, [0, 9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 99]);
        assert_eq!(evenly(&frames[..5], 12).len(), 5);
        assert_eq!(evenly(&[], 12).len(), 0);
    }

    #[test]
    fn captions_tell_close_times_apart() {
        let frames = [blank(0), blank(1)];
        assert_eq!(decimals(&frames.iter().collect::<Vec<_>>()), 3);
        assert_eq!(decimals(&[&frames[0]]), 2);
    }
}
