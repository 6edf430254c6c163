//! Pictures that are laid over surfaces.

use crate::error::DrawError;
use crate::image::{Image, linear_from_srgb};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A picture over texture coordinates: u to the right, v upward, 0 to 1, repeated beyond.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The picture, in sRGB.
    pub image: Image,
    linear: Vec<[f32; 3]>,
}

impl Texture {
    /// Of a picture.
    pub fn new(image: Image) -> Self {
        let byte: Vec<f32> = (0..=255).map(|b: u8| linear_from_srgb(f32::from(b) / 255.0)).collect();
        let linear = image.rgb.chunks_exact(3).map(|p| [0, 1, 2].map(|k| byte[p[k] as usize])).collect();
        Texture { image, linear }
    }

    /// Reads a PNG file.
    pub fn read(path: &Path) -> Result<Self, DrawError> {
        let fail = |why: String| DrawError::Texture { path: path.to_path_buf(), why };
        let file = File::open(path).map_err(|e| fail(e.to_string()))?;
        let not_png = |e: png::DecodingError| fail(format!("{e}; save it as PNG"));
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(not_png)?;
        let (width, height) = (reader.info().width as usize, reader.info().height as usize);
        DrawError::check_size(width, height).map_err(|e| fail(e.to_string()))?;
        let mut bytes = vec![0; reader.output_buffer_size().ok_or_else(|| fail("it is too large".into()))?];
        let info = reader.next_frame(&mut bytes).map_err(not_png)?;
        let channels = info.color_type.samples();
        let pixel = |p: &[u8]| if channels < 3 { [p[0]; 3] } else { [p[0], p[1], p[2]] };
        let rgb = bytes[..info.buffer_size()].chunks_exact(channels).flat_map(pixel).collect();
        Ok(Texture::new(Image { width, height, rgb }))
    }

    /// The linear colour at texture coordinates, between the four nearest pixels.
    pub fn at(&self, u: f32, v: f32) -> [f32; 3] {
        let (width, height) = (self.image.width, self.image.height);
        if width == 0 || height == 0 || !u.is_finite() || !v.is_finite() {
            return [0.5; 3];
        }
        let place = |c: f32, size: usize| {
            let x = (c - c.floor()) * size as f32 - 0.5;
            let low = x.floor();
            let wrap = |i: f32| (i as i64).rem_euclid(size as i64) as usize;
            (wrap(low), wrap(low + 1.0), x - low)
        };
        let ((x0, x1, fx), (y0, y1, fy)) = (place(u, width), place(1.0 - v, height));
        let pixel = |x: usize, y: usize| self.linear[y * width + x];
        let mix = |a: [f32; 3], b: [f32; 3], t: f32| [0, 1, 2].map(|k| a[k] * (1.0 - t) + b[k] * t);
        mix(mix(pixel(x0, y0), pixel(x1, y0), fx), mix(pixel(x0, y1), pixel(x1, y1), fx), fy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_go_right_and_up_and_repeat() {
        let mut image = Image::filled(2, 2, [0; 3]);
        image.set(1, 0, [255; 3]);
        let texture = Texture::new(image);
        for (u, v) in [(0.75, 0.75), (1.75, -0.25), (-0.25, 2.75)] {
            assert_eq!(texture.at(u, v), [1.0; 3], "the middle of the upper right pixel");
        }
        assert_eq!(texture.at(0.25, 0.25), [0.0; 3]);
        assert!((texture.at(0.5, 0.5)[0] - 0.25).abs() < 1e-6, "half way between all four");
    }

    #[test]
    fn a_file_that_is_no_png_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wood.jpg");
        std::fs::write(&path, "not a picture").unwrap();
        let sentence = Texture::read(&path).unwrap_err().to_string();
        assert!(sentence.contains("wood.jpg") && sentence.contains("PNG"), "{sentence}");
    }
}
