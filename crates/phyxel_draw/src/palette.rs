//! Few colours for many: median cut (P. Heckbert, "Color image quantization for frame buffer display", 1982).

use crate::image::Image;

/// At most 256 colours, and the way to them.
#[derive(Clone, Debug)]
pub struct Palette {
    colours: Vec<[u8; 3]>,
    /// The nearest entry to each colour of five bits per channel.
    nearest: Vec<u8>,
}

/// Bits per channel in which colours are counted.
const BITS: usize = 5;
const CELLS: usize = 1 << (3 * BITS);

/// How often each colour occurs, and their sum, by cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: u64,
    sum: [u64; 3],
}

fn cell_of(p: &[u8]) -> usize {
    p.iter().take(3).fold(0, |cell, c| cell << BITS | (*c >> (8 - BITS)) as usize)
}

impl Palette {
    /// The `most` colours (2 to 256) that serve these images best.
    pub fn of(images: &[&Image], most: usize) -> Self {
        let most = most.clamp(2, 256);
        if let Some(colours) = few(images, most) {
            return Palette::with(colours);
        }
        let mut cells = vec![Cell::default(); CELLS];
        for pixel in images.iter().flat_map(|i| i.rgb.chunks_exact(3)) {
            let cell = &mut cells[cell_of(pixel)];
            cell.count += 1;
            (0..3).for_each(|k| cell.sum[k] += u64::from(pixel[k]));
        }
        let used: Vec<Cell> = cells.into_iter().filter(|c| c.count > 0).collect();
        let mut boxes = vec![used];
        while boxes.len() < most {
            let widest = (0..boxes.len()).filter(|&b| boxes[b].len() > 1).max_by(|&a, &b| {
                let (a, b) = (spread(&boxes[a]), spread(&boxes[b]));
                a.1.total_cmp(&b.1)
            });
            let Some(widest) = widest else { break };
            let (axis, _) = spread(&boxes[widest]);
            let (low, high) = halves(std::mem::take(&mut boxes[widest]), axis);
            boxes[widest] = low;
            boxes.push(high);
        }
        Palette::with(boxes.iter().filter(|b| !b.is_empty()).map(|b| mean(b)).collect())
    }

    fn with(mut colours: Vec<[u8; 3]>) -> Self {
        colours.sort_unstable();
        colours.dedup();
        if colours.is_empty() {
            colours.push([0; 3]);
        }
        let centre = |cell: usize, k: usize| ((cell >> ((2 - k) * BITS) & 31) << 3 | 4) as i32;
        let nearest = (0..CELLS).map(|cell| closest(&colours, [0, 1, 2].map(|k| centre(cell, k)))).collect();
        Palette { colours, nearest }
    }

    /// Red, green and blue of every entry.
    pub fn bytes(&self) -> Vec<u8> {
        self.colours.as_flattened().to_vec()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// The nearest entry for each pixel.
    pub fn nearest(&self, image: &Image) -> Vec<u8> {
        let exact = |p: &[u8]| self.colours.binary_search(&[p[0], p[1], p[2]]).ok().map(|i| i as u8);
        image.rgb.chunks_exact(3).map(|p| exact(p).unwrap_or(self.nearest[cell_of(p)])).collect()
    }

    /// An entry for each pixel, such that areas of pixels have the right colour on average. The pattern is fixed to the
    /// picture (B. Bayer 1973), so that what stands still does not flicker in a film.
    pub fn dithered(&self, image: &Image) -> Vec<u8> {
        // Half the typical distance between two entries.
        let strength = 128.0 / (self.colours.len() as f32).cbrt() / 4.0;
        let entry = |(at, p): (usize, &[u8])| {
            let shift = (bayer(at % image.width, at / image.width) - 0.5) * 2.0 * strength;
            let moved = [0, 1, 2].map(|k| (f32::from(p[k]) + shift).clamp(0.0, 255.0) as u8);
            self.nearest[cell_of(&moved)]
        };
        image.rgb.chunks_exact(3).enumerate().map(entry).collect()
    }
}

/// The colours themselves, where there are no more than `most`.
fn few(images: &[&Image], most: usize) -> Option<Vec<[u8; 3]>> {
    let mut colours = std::collections::BTreeSet::new();
    for p in images.iter().flat_map(|i| i.rgb.chunks_exact(3)) {
        colours.insert([p[0], p[1], p[2]]);
        if colours.len() > most {
            return None;
        }
    }
    Some(colours.into_iter().collect())
}

/// Thresholds of an 8 × 8 pattern in 0..1.
fn bayer(x: usize, y: usize) -> f32 {
    let mut value = 0;
    for bit in 0..3 {
        let (bx, by) = (x >> bit & 1, y >> bit & 1);
        value |= (bx ^ by) << (5 - 2 * bit) | by << (4 - 2 * bit);
    }
    (value as f32 + 0.5) / 64.0
}

fn closest(colours: &[[u8; 3]], to: [i32; 3]) -> u8 {
    // The eye sees green best.
    let distance = |c: &[u8; 3]| (0..3).map(|k| [2, 4, 1][k] * (i32::from(c[k]) - to[k]).pow(2)).sum::<i32>();
    (0..colours.len()).min_by_key(|&i| distance(&colours[i])).unwrap_or(0) as u8
}

/// The axis along which a box varies most, and its share of the whole error.
fn spread(cells: &[Cell]) -> (usize, f64) {
    let count: u64 = cells.iter().map(|c| c.count).sum();
    let variance = |k: usize| {
        let mean = cells.iter().map(|c| c.sum[k]).sum::<u64>() as f64 / count.max(1) as f64;
        let off = |c: &Cell| (c.sum[k] as f64 / c.count as f64 - mean).powi(2) * (c.count as f64).sqrt();
        cells.iter().map(off).sum::<f64>() * [2.0, 4.0, 1.0][k]
    };
    (0..3).map(|k| (k, variance(k))).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

fn halves(mut cells: Vec<Cell>, axis: usize) -> (Vec<Cell>, Vec<Cell>) {
    let value = |c: &Cell| c.sum[axis] as f64 / c.count as f64;
    cells.sort_by(|a, b| value(a).total_cmp(&value(b)));
    // Rare colours count more than their share, or a small body on a large floor would get none.
    let weight = |c: &Cell| (c.count as f64).sqrt();
    let half = cells.iter().map(weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let cut = cells.iter().position(|c| {
        sum += weight(c);
        sum >= half
    });
    let cut = cut.map_or(1, |c| c + 1).clamp(1, cells.len() - 1);
    let high = cells.split_off(cut);
    (cells, high)
}

fn mean(cells: &[Cell]) -> [u8; 3] {
    let count: u64 = cells.iter().map(|c| c.count).sum::<u64>().max(1);
    [0, 1, 2].map(|k| ((cells.iter().map(|c| c.sum[k]).sum::<u64>() + count / 2) / count) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> Image {
        let rgb =
            (0..256 * 64).flat_map(|i: usize| [(i % 256) as u8, (i % 256 / 2 + 60) as u8, (i / 256) as u8]).collect();
        Image { width: 256, height: 64, rgb }
    }

    #[test]
    fn a_smooth_ramp_stays_near_its_colours() {
        let image = ramp();
        let palette = Palette::of(&[&image], 256);
        assert!(palette.len() > 200 && palette.len() <= 256);
        let bytes = palette.bytes();
        let off = |entries: Vec<u8>| {
            let each = entries.iter().zip(image.rgb.chunks_exact(3));
            let sum: f64 = each
                .map(|(e, p)| (0..3).map(|k| f64::from(bytes[3 * *e as usize + k].abs_diff(p[k]))).sum::<f64>())
                .sum();
            sum / image.rgb.len() as f64
        };
        assert!(off(palette.nearest(&image)) < 6.0);
        assert!(off(palette.dithered(&image)) < 14.0);
    }

    #[test]
    fn dithering_keeps_the_mean() {
        let image = ramp();
        let palette = Palette::of(&[&image], 16);
        let bytes = palette.bytes();
        let mean = |values: &mut dyn Iterator<Item = u8>| {
            let (sum, count) = values.fold((0.0, 0.0), |(s, n), v| (s + f64::from(v), n + 1.0));
            sum / count
        };
        let dithered = palette.dithered(&image);
        let shown = mean(&mut dithered.iter().map(|e| bytes[3 * *e as usize]));
        let wanted = mean(&mut image.rgb.chunks_exact(3).map(|p| p[0]));
        assert!((shown - wanted).abs() < 6.0, "{shown} where {wanted} was wanted");
    }

    #[test]
    fn the_pattern_has_every_threshold_once() {
        let mut seen: Vec<u32> = (0..64).map(|i| (bayer(i % 8, i / 8) * 64.0) as u32).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..64));
    }
}
