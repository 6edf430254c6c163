//! Films: GIF for pages, MP4 for everything else.

mod gif;
#[cfg(feature = "h264")]
mod h264;
mod mp4;

pub use gif::GifMovie;
pub use mp4::Track;

use crate::error::DrawError;
use crate::image::Image;
use crate::palette::Palette;
use std::io::Write;

/// A film under way.
pub trait Movie {
    /// Adds a picture; all have the same size.
    fn push(&mut self, image: &Image) -> Result<(), DrawError>;
    /// Completes the film.
    fn finish(self: Box<Self>) -> Result<(), DrawError>;
}

/// The form of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// At most 256 colours, played by every browser and every mail program.
    Gif,
    /// H.264, small and smooth.
    Mp4,
}

impl Form {
    /// Pictures per second where none are given.
    pub fn default_rate(self) -> f64 {
        match self {
            Form::Gif => 25.0,
            Form::Mp4 => 30.0,
        }
    }

    /// The most pictures per second that players keep up with.
    pub fn highest_rate(self) -> f64 {
        match self {
            Form::Gif => 50.0,
            Form::Mp4 => 240.0,
        }
    }

    /// Refuses films that this build cannot make, before anything is drawn.
    pub fn check(self) -> Result<(), DrawError> {
        if self == Form::Mp4 && cfg!(not(feature = "h264")) {
            let why = "this build has no H.264 encoder; build it with `--features h264`, or write a .gif".into();
            return Err(DrawError::Encoder { format: "mp4", why });
        }
        Ok(())
    }
}

/// Begins a film of `rate` pictures per second. The samples, some pictures of it, decide on its colours where there are
/// few.
pub fn begin(form: Form, rate: f64, samples: &[&Image], w: Box<dyn Write>) -> Result<Box<dyn Movie>, DrawError> {
    form.check()?;
    match form {
        Form::Gif => Ok(Box::new(GifMovie::new(w, rate, Palette::of(samples, 255)))),
        #[cfg(feature = "h264")]
        Form::Mp4 => Ok(Box::new(h264::H264Movie::new(w, rate)?)),
        #[cfg(not(feature = "h264"))]
        Form::Mp4 => Err(DrawError::Encoder { format: "mp4", why: "this build has no H.264 encoder".into() }),
    }
}

/// Which frames a film shows, and at how many per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Indices of frames, in order.
    pub frames: Vec<usize>,
    /// Pictures per second.
    pub rate: f64,
}

impl Plan {
    /// For so many frames, recorded at `recorded` per simulated second.
    ///
    /// Films play in real time where frames allow it. What lasts less than two seconds, such as things that break, is
    /// shown frame by frame in slow motion.
    pub fn new(count: usize, recorded: f64, form: Form, rate: Option<f64>) -> Plan {
        let wanted = rate.unwrap_or(form.default_rate()).min(form.highest_rate());
        let seconds = count as f64 / recorded;
        if recorded < wanted {
            return Plan { frames: (0..count).collect(), rate: if rate.is_some() { wanted } else { recorded } };
        }
        if seconds < 2.0 {
            return Plan { frames: (0..count).collect(), rate: wanted };
        }
        let shown = (seconds * wanted).round().max(1.0) as usize;
        let at = |i: usize| ((i as f64 * recorded / wanted).round() as usize).min(count.saturating_sub(1));
        Plan { frames: (0..shown).map(at).collect(), rate: wanted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn films_play_in_real_time_or_in_slow_motion() {
        let plan = Plan::new(181, 60.0, Form::Mp4, None);
        assert_eq!((plan.rate, plan.frames.len()), (30.0, 91));
        assert_eq!(plan.frames[..3], [0, 2, 4]);
        assert_eq!(*plan.frames.last().unwrap(), 180);
        let slow = Plan::new(100, 10_000.0, Form::Gif, None);
        assert_eq!((slow.rate, slow.frames.len()), (25.0, 100));
        assert_eq!(Plan::new(40, 10.0, Form::Mp4, None), Plan { frames: (0..40).collect(), rate: 10.0 });
        assert_eq!(Plan::new(400, 100.0, Form::Gif, Some(90.0)).rate, 50.0);
    }
}
