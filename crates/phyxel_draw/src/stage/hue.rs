//! What is shown of bodies, and what their colours mean.

use phyxel::record::BodyFrame;

/// What is drawn of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum What {
    /// Their surfaces.
    #[default]
    Skin,
    /// The mesh that is simulated, as wires.
    Wire,
    /// Their nodes, as balls.
    Phyxels,
    /// Their surfels, as discs.
    Surfels,
}

impl What {
    /// All of them.
    pub const ALL: [What; 4] = [What::Skin, What::Wire, What::Phyxels, What::Surfels];

    /// The word that users write.
    pub fn name(self) -> &'static str {
        match self {
            What::Skin => "skin",
            What::Wire => "wire",
            What::Phyxels => "phyxels",
            What::Surfels => "surfels",
        }
    }
}

/// What colours mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hue {
    /// Which body, or what its surface file says.
    #[default]
    Body,
    /// Von Mises stress.
    Stress,
    /// Equivalent strain.
    Strain,
    /// Temperature.
    Temperature,
    /// How far matter is damaged.
    Damage,
    /// Speed.
    Speed,
}

impl Hue {
    /// All of them.
    pub const ALL: [Hue; 6] = [Hue::Body, Hue::Stress, Hue::Strain, Hue::Temperature, Hue::Damage, Hue::Speed];

    /// The word that users write.
    pub fn name(self) -> &'static str {
        match self {
            Hue::Body => "body",
            Hue::Stress => "stress",
            Hue::Strain => "strain",
            Hue::Temperature => "temperature",
            Hue::Damage => "damage",
            Hue::Speed => "speed",
        }
    }

    /// The unit of its numbers.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Hue::Body | Hue::Strain | Hue::Damage => "",
            Hue::Stress => "Pa",
            Hue::Temperature => "K",
            Hue::Speed => "m/s",
        }
    }

    /// What to do where there is none.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Hue::Temperature => "no body has a temperature; give one `temperature` in the scene and run it again",
            Hue::Damage => "nothing in it can break; give a material a `fracture` in the scene and run it again",
            _ => "run the scene again with this version",
        }
    }

    /// Its numbers at the nodes of a body; nothing where the body has none.
    pub(super) fn numbers(self, body: &BodyFrame) -> Option<Vec<f32>> {
        let single = |of: &[f64]| of.iter().map(|v| *v as f32).collect::<Vec<f32>>();
        let found = match self {
            Hue::Body => Vec::new(),
            Hue::Stress => single(&body.von_mises),
            Hue::Strain => single(&body.strain),
            Hue::Temperature => single(&body.temperatures),
            Hue::Damage => single(&body.damage),
            Hue::Speed => body.velocities.iter().map(|v| v.iter().map(|c| c * c).sum::<f64>().sqrt() as f32).collect(),
        };
        (!found.is_empty() && found.len() == body.positions.len()).then_some(found)
    }
}

/// The least and the greatest numbers of each body and frame, of which colours are chosen.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    lows: Vec<f32>,
    highs: Vec<f32>,
}

impl Spread {
    /// Takes the numbers of a body in one frame in. The most extreme hundredth is left out: one pinned corner would leave
    /// no colours for all the rest.
    pub(super) fn add(&mut self, numbers: &[f32]) {
        let mut sorted: Vec<f32> = numbers.iter().copied().filter(|v| v.is_finite()).collect();
        if sorted.is_empty() {
            return;
        }
        let out = sorted.len() / 100;
        let last = sorted.len() - 1;
        self.highs.push(*sorted.select_nth_unstable_by(last - out, f32::total_cmp).1);
        self.lows.push(*sorted.select_nth_unstable_by(out, f32::total_cmp).1);
    }

    /// The number below which nine tenths of the greatest ones lie, and the one for the least ones: a blow that lasts a
    /// frame or two would leave no colours for all other frames.
    fn ends(&self) -> [f64; 2] {
        let at = |values: &[f32], share: f64| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f32::total_cmp);
            f64::from(sorted[(share * (sorted.len() - 1) as f64).round() as usize])
        };
        [at(&self.lows, 0.0), at(&self.highs, 0.9)]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.highs.is_empty()
    }

    /// The ends of the colour bar: from zero but for temperatures, and never empty.
    pub(super) fn range(&self, hue: Hue) -> [f64; 2] {
        if self.is_empty() || hue == Hue::Damage {
            return [0.0, 1.0];
        }
        let [low, high] = self.ends();
        match hue {
            Hue::Temperature if high - low > 1e-6 * high => [low, high],
            Hue::Temperature => [low - 1.0, low + 1.0],
            _ if high > 0.0 => [0.0, high],
            _ => [0.0, 1.0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_does_not_take_all_colours() {
        let mut spread = Spread::default();
        let mut numbers: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0).collect();
        numbers[7] = 1e9;
        numbers[8] = f32::NAN;
        spread.add(&numbers);
        let [low, high] = spread.range(Hue::Stress);
        assert!(low == 0.0 && (0.98..1.0).contains(&high), "{high}");
        (0..30).for_each(|_| spread.add(&[0.0, 1.0]));
        spread.add(&[0.0, 1e6]);
        assert!(spread.range(Hue::Stress)[1] <= 1.0, "a blow in one of many frames is beyond the bar");
        assert_eq!(Spread::default().range(Hue::Stress), [0.0, 1.0]);
    }
}
