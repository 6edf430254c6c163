//! An image.

/// An image in sRGB, eight bits per channel, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width [pixels].
    pub width: usize,
    /// Height [pixels].
    pub height: usize,
    /// Red, green, blue of each pixel.
    pub rgb: Vec<u8>,
}

impl Image {
    /// An image of one colour.
    pub fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Image { width, height, rgb: colour.repeat(width * height) }
    }

    /// The colour of a pixel inside the image.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * self.width + x);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// Colours a pixel; outside the image nothing happens.
    pub fn set(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        if x < self.width && y < self.height {
            let at = 3 * (y * self.width + x);
            self.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }

    /// Copies `other` with its upper left corner at `x`, `y`; what sticks out is cut.
    pub fn paste(&mut self, other: &Image, x: usize, y: usize) {
        for row in 0..other.height {
            for column in 0..other.width {
                self.set(x + column, y + row, other.pixel(column, row));
            }
        }
    }

    /// Averages linear light over blocks of `factor` × `factor` samples, and encodes it as sRGB.
    pub(crate) fn resolve(linear: &[[f32; 3]], width: usize, height: usize, factor: usize) -> Image {
        let mut image = Image::filled(width, height, [0; 3]);
        let weight = 1.0 / (factor * factor) as f32;
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0; 3];
                for sample in 0..factor * factor {
                    let row = y * factor + sample / factor;
                    let colour = linear[row * width * factor + x * factor + sample % factor];
                    for k in 0..3 {
                        // Clamped before averaging, so that a highlight does not eat the smoothness of its edge.
                        sum[k] += colour[k].clamp(0.0, 1.0) * weight;
                    }
                }
                image.set(x, y, sum.map(|c| (srgb_from_linear(c) * 255.0 + 0.5) as u8));
            }
        }
        image
    }
}

/// The sRGB transfer function (IEC 61966-2-1).
pub(crate) fn srgb_from_linear(c: f32) -> f32 {
    if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

/// From a colour as screens understand it to linear light, both in 0..1.
pub fn linear_from_srgb(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transfer_function_and_its_inverse_agree() {
        for i in 0..=255 {
            let c = i as f32 / 255.0;
            assert!((srgb_from_linear(linear_from_srgb(c)) - c).abs() < 1e-4);
        }
        let half = Image::resolve(&[[1.0; 3], [0.0; 3], [0.0; 3], [1.0; 3]], 1, 1, 2);
        assert_eq!(half.rgb, [188; 3], "half the light is 188 in sRGB");
    }
}
