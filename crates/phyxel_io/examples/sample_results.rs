//! Writes a small scene that moves by formulas in every format: `cargo run --example sample_results -- FOLDER`.

#[path = "../tests/sample/mod.rs"]
mod sample;

use phyxel_io::{Format, FrameStats, Recorder};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("phyxel_sample"), PathBuf::from);
    let mut recorder =
        Recorder::create(&folder, "sample", &Format::ALL, &sample::layouts(), 30.0, 45, 0)?.with_ground(0.0);
    for index in 0..45 {
        recorder.push(&sample::frame(index), &FrameStats::default())?;
    }
    let written = recorder.finish()?;
    assert_eq!(written.len(), Format::ALL.len(), "one result per format");
    for path in written {
        println!("{}", path.display());
    }
    Ok(())
}
