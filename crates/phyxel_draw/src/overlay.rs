//! What is written over a picture: a title, a caption, and a bar that says what colours mean.

use crate::colour_map::colour_map;
use crate::font::{fitting, line_height, line_width, write_text};
use crate::image::{Image, linear_from_srgb, srgb_from_linear};

/// Text and a colour bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Above, on the left; may be empty.
    pub title: String,
    /// Below, on the left; may be empty.
    pub caption: String,
    /// On the right.
    pub bar: Option<ColourBar>,
}

/// What the colours of numbers mean.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourBar {
    /// Of what.
    pub quantity: String,
    /// In which unit; may be empty.
    pub unit: String,
    /// The number at the lower end.
    pub low: f64,
    /// The number at the upper end.
    pub high: f64,
}

const INK: [u8; 3] = [52, 58, 68];
const PAPER: [u8; 3] = [250, 250, 251];

/// Writes over an image.
pub(crate) fn write(overlay: &Overlay, image: &mut Image) {
    let scale = ((image.width.min(image.height * 2) + 200) / 400).max(1);
    let margin = 6 * scale;
    if image.width < 12 * margin || image.height < 8 * margin {
        return;
    }
    let room = image.width - 2 * margin;
    let line = |text: &str| fitting(text, room, scale);
    write_text(image, &line(&overlay.title), margin, margin, scale, INK);
    let bottom = image.height - margin - line_height(scale);
    write_text(image, &line(&overlay.caption), margin, bottom, scale, INK);
    if let Some(bar) = &overlay.bar {
        draw_bar(bar, image, scale, margin);
    }
}

/// The bar at the right edge, with its numbers to the left of it and its quantity above, on a pale ground.
fn draw_bar(bar: &ColourBar, image: &mut Image, scale: usize, margin: usize) {
    let (factor, unit) = in_prefix(&bar.unit, bar.low.abs().max(bar.high.abs()));
    // What has no unit says so, or one would look for it.
    let heading = format!("{} [{}]", bar.quantity, if unit.is_empty() { "-" } else { &unit });
    let ticks = ticks(bar.low * factor, bar.high * factor);
    let thick = 8 * scale;
    let labels = ticks.iter().map(|(_, text)| line_width(text, scale)).max().unwrap_or(0);
    let inner = (thick + 4 * scale + labels).max(line_width(&heading, scale)).min(image.width - 4 * scale);
    let right = image.width - margin;
    let left = right.saturating_sub(inner);
    let top = margin;
    let bar_top = top + 2 * line_height(scale);
    let length = (image.height - 2 * margin - 4 * line_height(scale)).min(32 * thick) / 2;
    veil(
        image,
        left.saturating_sub(3 * scale)..right + 3 * scale,
        top - 3 * scale..bar_top + length + line_height(scale),
    );
    write_text(image, &fitting(&heading, inner, scale), left, top, scale, INK);
    for y in 0..length {
        let colour = colour_map(1.0 - (y as f32 + 0.5) / length as f32);
        let colour = colour.map(|c| (srgb_from_linear(c) * 255.0 + 0.5) as u8);
        (right - thick..right).for_each(|x| image.set(x, bar_top + y, colour));
    }
    for (at, text) in ticks {
        let y = bar_top + ((1.0 - at) * length.saturating_sub(1) as f64).round() as usize;
        (0..2 * scale).for_each(|x| image.set(right - thick - 1 - x, y, INK));
        let x = (right - thick - 4 * scale).saturating_sub(line_width(&text, scale));
        write_text(image, &text, x, y.saturating_sub(line_height(scale) / 2), scale, INK);
    }
}

/// Mixes a rectangle with paper, so that text can be read on anything.
fn veil(image: &mut Image, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) {
    let linear = |b: u8| linear_from_srgb(f32::from(b) / 255.0);
    for y in rows.start..rows.end.min(image.height) {
        for x in columns.start..columns.end.min(image.width) {
            let old = image.pixel(x, y);
            let mixed = [0, 1, 2].map(|k| 0.25 * linear(old[k]) + 0.75 * linear(PAPER[k]));
            image.set(x, y, mixed.map(|c| (srgb_from_linear(c) * 255.0 + 0.5) as u8));
        }
    }
}

/// The factor and the unit with the prefix that make numbers up to `largest` readable.
fn in_prefix(unit: &str, largest: f64) -> (f64, String) {
    const PREFIXES: [(f64, &str); 6] = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u")];
    if unit != "Pa" {
        return (1.0, unit.into());
    }
    let (size, prefix) = PREFIXES.into_iter().find(|(size, _)| largest >= *size).unwrap_or((1.0, ""));
    (1.0 / size, format!("{prefix}{unit}"))
}

/// Round numbers within a range: where (0 to 1), and as text.
fn ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let length = high - low;
    if length.is_nan() || length <= 0.0 || !length.is_finite() {
        return vec![(0.0, number(low, 2))];
    }
    let rough = length / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= 0.999 * rough).unwrap_or(rough);
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).map(|v| ((v - low) / length, number(v, decimals))).collect()
}

fn number(value: f64, decimals: usize) -> String {
    if decimals > 4 || value.abs() >= 1e6 { format!("{value:.1e}") } else { format!("{:.decimals$}", value + 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let texts = |low, high| ticks(low, high).into_iter().map(|t| t.1).collect::<Vec<_>>();
        assert_eq!(texts(0.0, 1.0), ["0.0", "0.5", "1.0"]);
        assert_eq!(texts(0.0, 8.0), ["0", "2", "4", "6", "8"]);
        assert_eq!(texts(290.0, 410.0), ["300", "350", "400"]);
        assert_eq!(texts(-0.03, 0.05), ["-0.02", "0.00", "0.02", "0.04"]);
        assert_eq!(texts(5.0, 5.0), ["5.00"]);
        assert!(ticks(0.0, 0.037).iter().all(|(at, _)| (-1e-9..=1.0 + 1e-9).contains(at)));
    }

    #[test]
    fn stresses_get_a_prefix() {
        assert_eq!(in_prefix("Pa", 2.5e6), (1e-6, "MPa".into()));
        assert_eq!(in_prefix("Pa", 25.0), (1.0, "Pa".into()));
        assert_eq!(in_prefix("K", 1200.0), (1.0, "K".into()));
    }

    #[test]
    fn the_bar_stays_inside_the_picture() {
        let bar = ColourBar { quantity: "von Mises stress".into(), unit: "Pa".into(), low: 0.0, high: 1e5 };
        for (width, height) in [(960, 540), (150, 110), (90, 60), (30, 20)] {
            let mut image = Image::filled(width, height, [200; 3]);
            write(&Overlay { title: "jelly".into(), caption: "t = 1 s".into(), bar: Some(bar.clone()) }, &mut image);
        }
    }
}
