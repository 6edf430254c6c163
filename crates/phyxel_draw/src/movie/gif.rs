//! GIF: one palette for the whole film, and in each picture only what has changed.

use super::Movie;
use crate::error::DrawError;
use crate::image::Image;
use crate::palette::Palette;
use std::borrow::Cow;
use std::io::{self, Write};

/// A GIF that plays for ever.
pub struct GifMovie<W: Write> {
    state: State<W>,
    palette: Palette,
    rate: f64,
    count: u64,
    /// Entries of the last picture.
    shown: Vec<u8>,
}

enum State<W: Write> {
    Waiting(Option<W>),
    Writing(gif::Encoder<W>),
}

fn plain(error: gif::EncodingError) -> DrawError {
    match error {
        gif::EncodingError::Io(e) => DrawError::Io(e),
        other => DrawError::Io(io::Error::other(other.to_string())),
    }
}

impl<W: Write> GifMovie<W> {
    /// A film of `rate` pictures per second; the palette has at most 255 colours, as one entry stands for what stays.
    pub fn new(w: W, rate: f64, palette: Palette) -> Self {
        GifMovie { state: State::Waiting(Some(w)), palette, rate, count: 0, shown: Vec::new() }
    }

    fn encoder(&mut self, width: u16, height: u16) -> Result<&mut gif::Encoder<W>, DrawError> {
        if let State::Waiting(w) = &mut self.state {
            let w = w.take().ok_or_else(|| io::Error::other("the film could not be begun"))?;
            let mut encoder = gif::Encoder::new(w, width, height, &self.palette.bytes()).map_err(plain)?;
            encoder.set_repeat(gif::Repeat::Infinite).map_err(plain)?;
            self.state = State::Writing(encoder);
        }
        match &mut self.state {
            State::Writing(encoder) => Ok(encoder),
            State::Waiting(_) => Err(io::Error::other("the film could not be begun").into()),
        }
    }

    /// Hundredths of a second for the next picture, such that the whole film keeps its rate.
    fn delay(&self) -> u16 {
        let until = |i: u64| (100.0 * i as f64 / self.rate).round();
        (until(self.count + 1) - until(self.count)).clamp(2.0, 60_000.0) as u16
    }
}

/// The rectangle in which two pictures of this width differ: left, top, width, height.
fn changed(before: &[u8], now: &[u8], width: usize) -> [usize; 4] {
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
    for (at, _) in before.iter().zip(now).enumerate().filter(|(_, (a, b))| a != b) {
        (left, right) = (left.min(at % width), right.max(at % width));
        (top, bottom) = (top.min(at / width), bottom.max(at / width));
    }
    if left > right { [0, 0, 1, 1] } else { [left, top, right - left + 1, bottom - top + 1] }
}

impl<W: Write> Movie for GifMovie<W> {
    fn push(&mut self, image: &Image) -> Result<(), DrawError> {
        let size =
            |n: usize| u16::try_from(n).map_err(|_| DrawError::Size { width: image.width, height: image.height });
        let (width, height) = (size(image.width)?, size(image.height)?);
        let now = self.palette.dithered(image);
        let first = self.shown.len() != now.len();
        let [left, top, wide, high] =
            if first { [0, 0, image.width, image.height] } else { changed(&self.shown, &now, image.width) };
        let same = self.palette.len() as u8;
        let entry = |at: usize| if !first && self.shown[at] == now[at] { same } else { now[at] };
        let buffer: Vec<u8> =
            (top..top + high).flat_map(|y| (left..left + wide).map(move |x| y * image.width + x)).map(entry).collect();
        let frame = gif::Frame {
            delay: self.delay(),
            dispose: gif::DisposalMethod::Keep,
            transparent: (!first).then_some(same),
            left: left as u16,
            top: top as u16,
            width: wide as u16,
            height: high as u16,
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        };
        self.encoder(width, height)?.write_frame(&frame).map_err(plain)?;
        self.shown = now;
        self.count += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), DrawError> {
        match self.state {
            State::Writing(encoder) => {
                Ok(encoder.into_inner().map_err(|e| io::Error::other(e.to_string()))?.flush()?)
            }
            State::Waiting(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_reads_back_with_its_length_and_its_pictures() {
        let picture = |i: usize| {
            let mut image = Image::filled(40, 30, [240, 240, 245]);
            (0..8).for_each(|k| image.set(5 + i + k % 4, 10 + k / 4, [200, 60, 40]));
            image
        };
        let pictures: Vec<Image> = (0..6).map(picture).collect();
        let palette = Palette::of(&pictures.iter().collect::<Vec<_>>(), 255);
        let mut bytes = Vec::new();
        let mut movie = Box::new(GifMovie::new(&mut bytes, 30.0, palette));
        pictures.iter().for_each(|p| movie.push(p).unwrap());
        movie.finish().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (40, 30));
        let mut canvas = vec![[0_u8; 3]; 40 * 30];
        let mut total = 0;
        for wanted in &pictures {
            let frame = decoder.read_next_frame().unwrap().unwrap();
            total += frame.delay;
            for (i, p) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, p)| p[3] > 0) {
                let (x, y) =
                    (frame.left as usize + i % frame.width as usize, frame.top as usize + i / frame.width as usize);
                canvas[y * 40 + x] = [p[0], p[1], p[2]];
            }
            let off =
                canvas.iter().zip(wanted.rgb.chunks_exact(3)).filter(|(a, b)| (0..3).any(|k| a[k].abs_diff(b[k]) > 8));
            assert_eq!(off.count(), 0, "two colours need no dithering");
        }
        assert!(decoder.read_next_frame().unwrap().is_none());
        assert_eq!(total, 20, "six pictures at thirty per second");
    }
}
