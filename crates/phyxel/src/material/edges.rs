//! How broken edges look.

use super::MaterialError;
use super::checks::{finite, not_negative, positive};

/// The look of broken edges (Morris 2010, chapter 8, in metres). It is made when a body is built and costs nothing when it
/// breaks; mechanics does not know of it. The first of two numbers is horizontal, the second vertical, along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edges {
    /// Width and height of the sections that stick together: the teeth of broken edges are not larger than these [m].
    pub section: [f64; 2],
    /// By what share of a section its borders are off, at random.
    pub randomness: [f64; 2],
    /// How many points are put on every edge along which matter can break, horizontal and vertical ones.
    pub frequency: [u32; 2],
    /// How far these points are off, at random [m].
    pub amplitude: [f64; 2],
    /// What broken edges are made of.
    pub style: EdgeStyle,
    /// Chooses among such edges.
    pub seed: u64,
}

/// What broken edges are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeStyle {
    /// Points that are off in any direction: plaster, glass where it is thick.
    #[default]
    Jagged,
    /// Points that are off along the grain alone; along the longer side of a section where there is none: wood.
    Splinters,
    /// Sections that are off as a whole, so that edges run in steps: brick.
    Steps,
    /// Straight edges between corners that are off: glass.
    Shards,
}

/// More points than this on an edge are a mistake.
const MOST_POINTS: u32 = 16;

impl Edges {
    /// Whether the numbers make sense.
    pub fn check(&self) -> Result<(), MaterialError> {
        for k in 0..2 {
            positive(["section_width", "section_height"][k], self.section[k], "0.1 m for planks, 0.25 m for bricks")?;
            let randomness = ["section_width_randomness", "section_height_randomness"][k];
            finite(randomness, self.randomness[k])?;
            if !(0.0..=1.0).contains(&self.randomness[k]) {
                return Err(MaterialError::Share { field: randomness, value: self.randomness[k] });
            }
            let amplitude = ["edge_amplitude, horizontal,", "edge_amplitude, vertical,"][k];
            not_negative(amplitude, self.amplitude[k])?;
            if self.amplitude[k] > self.section[k] {
                let (value, section) = (self.amplitude[k], self.section[k]);
                return Err(MaterialError::EdgeBeyondSection { field: amplitude, value, section });
            }
            if self.frequency[k] > MOST_POINTS {
                let (field, value) = ("edge_frequency", self.frequency[k]);
                return Err(MaterialError::TooManyEdgePoints { field, value, most: MOST_POINTS });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANKS: Edges = Edges {
        section: [0.3, 0.1],
        randomness: [0.2, 0.2],
        frequency: [3, 1],
        amplitude: [0.05, 0.01],
        style: EdgeStyle::Splinters,
        seed: 1,
    };

    #[test]
    fn edges_larger_than_sections_are_refused() {
        assert_eq!(PLANKS.check(), Ok(()));
        let said = |edges: Edges| edges.check().expect_err("a mistake").to_string();
        let large = said(Edges { amplitude: [0.4, 0.0], ..PLANKS });
        assert!(large.contains("0.4 m") && large.contains("0.3 m"), "{large}");
        assert!(said(Edges { amplitude: [-0.1, 0.0], ..PLANKS }).contains("below zero"));
        assert!(said(Edges { randomness: [0.0, 1.5], ..PLANKS }).contains("between 0 and 1"));
        assert!(said(Edges { section: [0.0, 0.1], ..PLANKS }).contains("section_width"));
        assert!(said(Edges { frequency: [99, 1], ..PLANKS }).contains("16"));
    }
}
