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

/// What time counts beside motion when moments are chosen.
const TIME_COUNTS: f64 = 0.35;

/// At most `count` frames, the first and the last included, with about as much happening between each two: `motions` tells
/// how much moved from each frame to the next, in any unit. Where nothing moves they are spread over the time.
pub fn moments(motions: &[f64], count: usize) -> Vec<usize> {
    let of = motions.len() + 1;
    if of <= count || count < 2 {
        return evenly(of, count);
    }
    let total: f64 = motions.iter().sum();
    let time = if total > 0.0 { TIME_COUNTS } else { 1.0 };
    let mut passed = vec![0.0];
    for motion in motions {
        let moved = if total > 0.0 { motion / total } else { 0.0 };
        passed.push(passed[passed.len() - 1] + time / motions.len() as f64 + (1.0 - time) * moved);
    }
    let mut chosen = vec![0];
    for k in 1..count {
        let wanted = k as f64 / (count - 1) as f64;
        let nearest = |a: &usize, b: &usize| (passed[*a] - wanted).abs().total_cmp(&(passed[*b] - wanted).abs());
        // No frame twice, and enough left for those to come.
        let (first, last) = (chosen[k - 1] + 1, of - (count - k));
        chosen.push((first..=last).min_by(nearest).unwrap_or(last));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_where_something_happens() {
        // A fall within the first tenth of a long rest.
        let motions: Vec<f64> = (0..100).map(|k| if k < 10 { 1.0 } else { 0.0 }).collect();
        let chosen = moments(&motions, 6);
        assert_eq!((chosen[0], chosen[5], chosen.len()), (0, 100, 6));
        assert!(chosen[3] <= 10, "{chosen:?}");
        assert!(chosen.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(moments(&[0.0; 99], 12), evenly(100, 12));
        assert_eq!(moments(&[1.0; 99], 12), evenly(100, 12));
        // All at once at the end: every frame is chosen once.
        assert_eq!(moments(&[0.0, 0.0, 0.0, 0.0, 1.0], 4).len(), 4);
        assert_eq!(moments(&[], 6), [0]);
    }

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
