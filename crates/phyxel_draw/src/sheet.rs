//! A sheet of pictures: several frames side by side, each with its time.

use crate::font::{fitting, line_height, write_centred};
use crate::image::Image;

const GAP: usize = 10;
const PAPER: [u8; 3] = [250, 250, 251];
const INK: [u8; 3] = [70, 76, 86];

/// How a sheet is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetLayout {
    /// Pictures beside each other.
    pub columns: usize,
    /// Pictures below each other, at most.
    pub rows: usize,
    /// Width of the whole sheet, about [pixels].
    pub width: usize,
}

impl Default for SheetLayout {
    /// Twelve pictures on a sheet that fits a screen.
    fn default() -> Self {
        SheetLayout { columns: 4, rows: 3, width: 1600 }
    }
}

impl SheetLayout {
    /// How many pictures fit.
    pub fn count(&self) -> usize {
        self.columns.max(1) * self.rows.max(1)
    }

    fn gap(&self) -> usize {
        if self.width < 800 { GAP / 2 } else { GAP }
    }

    /// Width and height of a single picture [pixels].
    pub fn tile(&self) -> (usize, usize) {
        let gap = self.gap();
        let width = (self.width.saturating_sub(gap) / self.columns.max(1)).saturating_sub(gap).max(16);
        (width, width * 3 / 4)
    }

    /// Puts pictures of the size of a [tile](SheetLayout::tile) on a sheet, row by row, each over its caption.
    pub fn paste(&self, tiles: &[(Image, String)]) -> Image {
        let (gap, (width, height)) = (self.gap(), self.tile());
        let columns = self.columns.max(1).min(tiles.len().max(1));
        let rows = tiles.len().div_ceil(columns).max(1);
        let scale = (width / 190).max(1);
        let pitch = (width + gap, height + 2 * gap + line_height(scale));
        let mut sheet = Image::filled(gap + columns * pitch.0, gap + rows * pitch.1, PAPER);
        for (i, (image, caption)) in tiles.iter().enumerate() {
            let (x, y) = (gap + i % columns * pitch.0, gap + i / columns * pitch.1);
            sheet.paste(image, x, y);
            let caption = fitting(caption, width, scale);
            write_centred(&mut sheet, &caption, x + width / 2, y + height + gap / 2 + 1, scale, INK);
        }
        sheet
    }
}

/// Captions of these times [s], with as many decimals as tell them apart, two at least.
pub fn captions(times: &[f64]) -> Vec<String> {
    let steps = times.windows(2).map(|w| w[1] - w[0]).filter(|&d| d > 0.0);
    let least = steps.fold(f64::INFINITY, f64::min);
    let digits = if least.is_finite() { (1.0 - least.log10().floor()).clamp(2.0, 9.0) as usize } else { 2 };
    times.iter().map(|time| format!("t = {time:.digits$} s")).collect()
}

/// At most `count` of `of` things, evenly spaced, the first and the last included.
pub fn evenly(of: usize, count: usize) -> Vec<usize> {
    if of <= count || count < 2 {
        return (0..of.min(count)).collect();
    }
    (0..count).map(|i| (i * (of - 1) + (count - 1) / 2) / (count - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_from_first_to_last() {
        assert_eq!(evenly(100, 12), [0, 9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 99]);
        assert_eq!(evenly(5, 12).len(), 5);
        assert!(evenly(0, 12).is_empty());
        assert_eq!(evenly(7, 1), [0]);
    }

    #[test]
    fn captions_tell_close_times_apart() {
        assert_eq!(captions(&[0.0, 1.0 / 60.0]), ["t = 0.000 s", "t = 0.017 s"]);
        assert_eq!(captions(&[1.5]), ["t = 1.50 s"]);
    }

    #[test]
    fn a_sheet_holds_its_tiles() {
        let layout = SheetLayout { columns: 3, rows: 2, width: 480 };
        let (width, height) = layout.tile();
        let tiles = vec![(Image::filled(width, height, [1, 2, 3]), "t = 0.00 s".to_string()); 6];
        let sheet = layout.paste(&tiles);
        assert!((470..=480).contains(&sheet.width), "{}", sheet.width);
        let painted = sheet.rgb.chunks_exact(3).filter(|p| *p == [1, 2, 3]).count();
        assert_eq!(painted, 6 * width * height);
    }
}
