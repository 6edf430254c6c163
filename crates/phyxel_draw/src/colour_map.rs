//! Colours for numbers: from dark violet over blue and green to light yellow, evenly for the eye.
//!
//! The path is drawn in Oklab (B. Ottosson, "A perceptual color space for image processing", 2020), where equal steps look
//! equal: lightness rises straight, hue turns steadily, and chroma is a polynomial that stays within what screens can show.

use crate::image::{Image, srgb_from_linear};
use crate::texture::Texture;

/// The colour of `t` in 0..1, linear red, green and blue; numbers beyond are those of the ends, and what is no number is
/// grey.
pub fn colour_map(t: f32) -> [f32; 3] {
    if t.is_nan() {
        return [0.5; 3];
    }
    let t = t.clamp(0.0, 1.0);
    let lightness = 0.30 + 0.61 * t;
    let turn = (305.0 - 200.0 * t).to_radians();
    let chroma = 0.125 + t * (-0.095 + t * (0.02 + t * 0.10));
    linear_from_oklab([lightness, chroma * turn.cos(), chroma * turn.sin()]).map(|c| c.clamp(0.0, 1.0))
}

fn linear_from_oklab([l, a, b]: [f32; 3]) -> [f32; 3] {
    let cube = |c: f32| c * c * c;
    let long = cube(l + 0.396_337_78 * a + 0.215_803_76 * b);
    let medium = cube(l - 0.105_561_346 * a - 0.063_854_17 * b);
    let short = cube(l - 0.089_484_18 * a - 1.291_485_5 * b);
    [
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_93 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_4 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    ]
}

/// The colours of 0..1 as a texture, along u; use `texture_coordinate`.
pub fn map_texture() -> Texture {
    let colour =
        |i: usize| colour_map(i as f32 / (STEPS - 1) as f32).map(|c| (srgb_from_linear(c) * 255.0 + 0.5) as u8);
    Texture::new(Image { width: STEPS, height: 1, rgb: (0..STEPS).flat_map(colour).collect() })
}

const STEPS: usize = 256;

/// Where in the texture the colour of `t` is: between the middles of its first and last pixel, so that nothing repeats.
pub(crate) fn texture_coordinate(t: f32) -> f32 {
    (if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) } * (STEPS - 1) as f32 + 0.5) / STEPS as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lightness of CIE L*a*b*, another measure than the one that the map is made with.
    fn lightness([r, g, b]: [f32; 3]) -> f32 {
        116.0 * (0.2126 * r + 0.7152 * g + 0.0722 * b).cbrt() - 16.0
    }

    #[test]
    fn lightness_rises_evenly() {
        let steps: Vec<f32> = (0..=20).map(|i| lightness(colour_map(i as f32 / 20.0))).collect();
        let mean = (steps[20] - steps[0]) / 20.0;
        assert!(steps[0] < 30.0 && steps[20] > 85.0, "from {} to {}", steps[0], steps[20]);
        for pair in steps.windows(2) {
            let rise = pair[1] - pair[0];
            assert!((0.55 * mean..1.45 * mean).contains(&rise), "a step of {rise} where {mean} is the mean");
        }
    }

    #[test]
    fn no_colour_is_cut_off_by_the_screen() {
        for i in 0..=100 {
            let t = i as f32 / 100.0;
            let (lightness, turn) = (0.30 + 0.61 * t, (305.0 - 200.0 * t).to_radians());
            let chroma = 0.125 + t * (-0.095 + t * (0.02 + t * 0.10));
            let colour = linear_from_oklab([lightness, chroma * turn.cos(), chroma * turn.sin()]);
            assert!(colour.iter().all(|c| (-0.02..=1.02).contains(c)), "{t}: {colour:?}");
        }
        assert_eq!(colour_map(f32::NAN), [0.5; 3]);
        assert_eq!((colour_map(-3.0), colour_map(9.0)), (colour_map(0.0), colour_map(1.0)));
    }

    #[test]
    fn the_texture_says_the_same() {
        let texture = map_texture();
        for t in [0.0, 0.31, 0.5, 1.0] {
            let (a, b) = (texture.at(texture_coordinate(t), 0.5), colour_map(t));
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 0.01), "{t}: {a:?} {b:?}");
        }
    }
}
