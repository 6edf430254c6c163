//! H.264 by OpenH264, which is compiled into the program.

use super::Movie;
use super::mp4::Track;
use crate::error::DrawError;
use crate::image::Image;
use openh264::OpenH264API;
use openh264::encoder::{Complexity, Encoder, EncoderConfig, FrameRate, IntraFramePeriod, RateControlMode, VuiConfig};
use openh264::formats::YUVBuffer;
use std::io::Write;

/// An MP4 film.
pub(super) struct H264Movie<W: Write> {
    w: W,
    rate: f64,
    encoder: Option<Encoder>,
    track: Track,
}

fn fail(error: openh264::Error) -> DrawError {
    DrawError::Encoder { format: "mp4", why: error.to_string() }
}

impl<W: Write> H264Movie<W> {
    pub(super) fn new(w: W, rate: f64) -> Result<Self, DrawError> {
        Ok(H264Movie { w, rate, encoder: None, track: Track::new(rate) })
    }

    fn encoder(&mut self, width: usize, height: usize) -> Result<&mut Encoder, DrawError> {
        if self.encoder.is_none() {
            let config = EncoderConfig::new()
                .max_frame_rate(FrameRate::from_hz(self.rate as f32))
                // One quality throughout, whatever it costs: films of simulations are short.
                .rate_control_mode(RateControlMode::Off)
                .complexity(Complexity::Medium)
                .skip_frames(false)
                .intra_frame_period(IntraFramePeriod::from_num_frames((2.0 * self.rate).round().max(1.0) as u32))
                .vui(VuiConfig::bt709());
            self.encoder = Some(Encoder::with_api_config(OpenH264API::from_source(), config).map_err(fail)?);
        }
        self.encoder.as_mut().ok_or(DrawError::Size { width, height })
    }
}

impl<W: Write> Movie for H264Movie<W> {
    fn push(&mut self, image: &Image) -> Result<(), DrawError> {
        // Colours are kept for blocks of two by two pixels, so sides must be even.
        let (width, height) = (image.width & !1, image.height & !1);
        let small = DrawError::Size { width: image.width, height: image.height };
        if width < 16 || height < 16 {
            return Err(small);
        }
        let bytes = yuv(image, width, height);
        let stream =
            self.encoder(width, height)?.encode(&YUVBuffer::from_vec(bytes, width, height)).map_err(fail)?.to_vec();
        (self.track.width, self.track.height) = (width as u16, height as u16);
        self.track.push(&stream);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), DrawError> {
        Ok(self.track.write(&mut self.w)?)
    }
}

/// Luma, then both chromas at half the size (ITU-R BT.709, limited range).
fn yuv(image: &Image, width: usize, height: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(width * height * 3 / 2);
    let luma = |p: [f32; 3]| 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
    let pixel = |x: usize, y: usize| image.pixel(x, y).map(f32::from);
    for y in 0..height {
        out.extend((0..width).map(|x| (16.5 + luma(pixel(x, y)) * 219.0 / 255.0) as u8));
    }
    for (channel, scale) in [(2, 1.8556), (0, 1.5748)] {
        for y in (0..height).step_by(2) {
            for x in (0..width).step_by(2) {
                let four = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map(|(x, y)| pixel(x, y));
                let mean = [0, 1, 2].map(|k| four.iter().map(|p| p[k]).sum::<f32>() / 4.0);
                out.push((128.5 + (mean[channel] - luma(mean)) / scale * 224.0 / 255.0) as u8);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use openh264::decoder::Decoder;
    use openh264::formats::YUVSource;

    #[test]
    fn a_film_decodes_to_what_was_drawn() {
        let mut movie = H264Movie::new(Vec::new(), 30.0).unwrap();
        let picture = |i: usize| {
            let mut image = Image::filled(65, 48, [230, 232, 236]);
            (0..400).for_each(|k| image.set(4 + 2 * i + k % 20, 10 + k / 20, [200, 60, 40]));
            image
        };
        (0..10).for_each(|i| movie.push(&picture(i)).unwrap());
        let mut stream = Vec::new();
        for set in [&movie.track.sps, &movie.track.pps] {
            stream.extend([&[0, 0, 0, 1][..], set].concat());
        }
        let mut bytes = Vec::new();
        movie.track.write(&mut bytes).unwrap();
        let at = bytes.windows(4).position(|w| w == b"mdat").unwrap() + 4;
        let mut rest = &bytes[at..];
        while let Some(length) = rest.first_chunk::<4>().map(|l| u32::from_be_bytes(*l) as usize) {
            stream.extend([&[0, 0, 0, 1][..], &rest[4..4 + length]].concat());
            rest = &rest[4 + length..];
        }
        let mut decoder = Decoder::new().unwrap();
        let mut last = None;
        for unit in openh264::nal_units(&stream) {
            if let Some(yuv) = decoder.decode(unit).unwrap() {
                assert_eq!(yuv.dimensions(), (64, 48));
                last = Some(yuv.y()[20 * yuv.strides().0 + 30]);
            }
        }
        let wanted = yuv(&picture(9), 64, 48)[20 * 64 + 30];
        assert!(last.unwrap().abs_diff(wanted) < 12, "{last:?} where {wanted} was drawn");
    }
}
