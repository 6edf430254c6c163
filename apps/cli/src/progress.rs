//! How far a run has come: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(2);

/// Shows the progress of a run.
pub enum Progress {
    /// Shows nothing.
    Quiet,
    /// A bar that moves.
    Bar(ProgressBar),
    /// A line now and then.
    Lines(Lines),
}

/// The state behind plain lines.
pub struct Lines {
    first: usize,
    total: usize,
    started: Instant,
    last_line: Instant,
}

impl Progress {
    /// Begins at frame `first` of `total`.
    pub fn begin(quiet: bool, first: usize, total: usize) -> Self {
        if quiet {
            return Progress::Quiet;
        }
        if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(total as u64).with_position(first as u64);
            bar.reset_eta();
            let template = "{wide_bar} frame {pos}/{len}  {per_sec}  ETA {eta}  {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            return Progress::Bar(bar);
        }
        let now = Instant::now();
        Progress::Lines(Lines { first, total, started: now, last_line: now })
    }

    /// Frame `frame` at simulated time `time` [s] is done.
    pub fn frame(&mut self, frame: usize, time: f64) {
        match self {
            Progress::Quiet => {}
            Progress::Bar(bar) => {
                bar.set_message(format!("{time:.2} s simulated"));
                bar.set_position(frame as u64);
            }
            Progress::Lines(lines) => lines.frame(frame, time),
        }
    }

    /// So many pictures are drawn.
    pub fn pictures(&mut self, done: usize) {
        if let Progress::Bar(bar) = self {
            bar.set_position(done as u64);
        }
    }

    /// Removes the bar.
    pub fn end(&mut self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Lines {
    fn frame(&mut self, frame: usize, time: f64) {
        let now = Instant::now();
        if frame < self.total && now - self.last_line < LINE_EVERY {
            return;
        }
        self.last_line = now;
        let rate = (frame - self.first) as f64 / (now - self.started).as_secs_f64().max(1e-9);
        let left = (self.total - frame) as f64 / rate.max(1e-9);
        let total = self.total;
        eprintln!("frame {frame}/{total}, {time:.2} s simulated, {rate:.1} frames/s, ETA {left:.0} s");
    }
}
