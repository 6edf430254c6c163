//! PNG files.

use crate::image::Image;
use crate::palette::Palette;
use std::io::{self, Write};

/// Writes an image as PNG.
pub fn write_png(image: &Image, w: impl Write) -> io::Result<()> {
    let mut encoder = begin(image, w)?;
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(plain)?;
    writer.write_image_data(&image.rgb).map_err(plain)?;
    writer.finish().map_err(plain)
}

/// Writes an image as a small PNG with at most 256 colours.
pub fn write_indexed_png(image: &Image, w: impl Write) -> io::Result<()> {
    let palette = Palette::of(&[image], 256);
    let mut encoder = begin(image, w)?;
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette.bytes());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().map_err(plain)?;
    writer.write_image_data(&palette.nearest(image)).map_err(plain)?;
    writer.finish().map_err(plain)
}

fn begin<W: Write>(image: &Image, w: W) -> io::Result<png::Encoder<'static, W>> {
    let size = |n: usize| u32::try_from(n).map_err(io::Error::other);
    let mut encoder = png::Encoder::new(w, size(image.width)?, size(image.height)?);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    Ok(encoder)
}

fn plain(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(e) => e,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Image {
        let mut decoder = png::Decoder::new(io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Image { width: info.width as usize, height: info.height as usize, rgb }
    }

    #[test]
    fn both_kinds_read_back() {
        let mut image = Image::filled(7, 5, [10, 20, 30]);
        image.set(6, 4, [255, 0, 1]);
        image.set(7, 4, [9, 9, 9]);
        let (mut full, mut small) = (Vec::new(), Vec::new());
        write_png(&image, &mut full).unwrap();
        write_indexed_png(&image, &mut small).unwrap();
        assert_eq!(read(&full), image);
        assert_eq!(read(&small), image, "few colours are kept exactly");
    }
}
