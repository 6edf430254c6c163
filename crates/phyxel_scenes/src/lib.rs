//! The built-in scenes: written once, so that tests, benchmarks and applications all mean the same thing.
//!
//! Each is a file in the folder `scenes` of the project, to read and to copy from.

mod pile;

pub use pile::pile;

/// A scene that comes with phyxel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// What people call it on the command line.
    pub name: &'static str,
    /// One line about it; also the first line of its file.
    pub summary: &'static str,
    /// The scene file.
    pub text: &'static str,
}

macro_rules! built_in {
    ($name:literal, $summary:literal) => {
        BuiltIn { name: $name, summary: $summary, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }
    };
}

/// Every built-in scene, in the order in which they are listed to people.
pub const ALL: &[BuiltIn] = &[
    built_in!("jelly", "A jelly cube of phyxels drops on the floor, bounces and wobbles."),
    built_in!("jelly-tets", "The jelly cube cut into tetrahedra with smoothed strains instead of phyxels."),
    built_in!("xpbd-jelly", "The jelly cube again, moved by extended position-based dynamics."),
    built_in!(
        "tumble",
        "Soft things fall on each other: boxes, a ball and a ring, each of its own material, in one implicit step."
    ),
    built_in!(
        "knockabout",
        "A rigid ball drops on a soft block, a crate on a cushion of phyxels, and a weight swings on a rubber strap."
    ),
    built_in!("beam", "A beam, clamped at one end, sags under its own weight and swings until it rests."),
    built_in!("twist", "A rubber bar is twisted by two whole turns."),
    built_in!("torus", "A soft ring is squeezed from two sides: linear finite elements with Rayleigh damping."),
    built_in!("cloth", "A cloth, held at two corners, falls and swings."),
    built_in!("rope", "A rope hangs between two points, is let go at one end, and swings."),
    built_in!(
        "dent",
        "A ball bounces, turns to clay before it falls again, takes a dent, and is stiff rubber from then on."
    ),
    built_in!(
        "donut",
        "A soft block melts over a spike into a ring-shaped well, sets there, and is lifted out as a ring."
    ),
    built_in!("funnel", "A ball melts through a funnel into a mould, sets, and is taken out as a block."),
    built_in!(
        "candle",
        "A candle of wax is hot at its top: it softens, melts, runs down, and sets again where it is cool."
    ),
    built_in!(
        "zhou-figure-soft",
        "A figure of 19 866 phyxels without a rest shape falls on the floor; it is very soft, like a liquid, and yields."
    ),
    built_in!(
        "zhou-figure-middle",
        "A figure of 19 866 phyxels without a rest shape falls on the floor; it is of middling stiffness, and yields."
    ),
    built_in!(
        "zhou-figure-stiff",
        "A figure of 19 866 phyxels without a rest shape falls on the floor; it is nearly rigid."
    ),
    built_in!("zhou-cube", "A cube of 14 x 14 x 14 phyxels without a rest shape falls on an edge and bounces."),
    built_in!("zhou-birds", "Twelve boxes of a thousand phyxels each are knocked over by a ball of the same stuff."),
    built_in!(
        "tensile-bar",
        "A bar with a weak plane in its middle is pulled until it breaks there, and its halves spring back."
    ),
    built_in!("notched-bar", "A beam that is cut half through is bent: the crack runs on from the notch."),
    built_in!("glass-pane", "A steel ball flies through a pane of brittle glass, which is held at its rim."),
    built_in!("glass-ball", "A brittle ball drops on stone and bursts."),
    built_in!(
        "ductile-tear",
        "A strip of soft metal is pulled: it yields, thins at its waist, and tears when it has flowed as far as it can."
    ),
    built_in!(
        "wood-splinter",
        "A plank is bent over its middle until it breaks; it splits along the grain more easily than across."
    ),
    built_in!(
        "phyxel-crack",
        "The pulled bar made of phyxels: a crack in rest space takes their sight, and those that lie in it are duplicated."
    ),
    built_in!("wood-wall", "A ball flies into a wall of wood, and cubes of it break away (Morris 2010)."),
    built_in!("rubber-wall", "A ball flies into a wall of rubber, which bends and throws it back (Morris 2010)."),
    built_in!(
        "fifty-walls",
        "Fifty walls of wood drop on the ground and break: 13 500 tetrahedra, 7 600 nodes while they are whole (Morris 2010)."
    ),
    built_in!("poisson", "Three bars with different Poisson's ratios are pulled to 1.2 times their length."),
];

/// The built-in scene of this name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|scene| scene.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_can_be_read_and_carries_its_own_name() {
        for built_in in ALL {
            let file = format!("{}.toml", built_in.name);
            let scene = phyxel_io::scene::parse_scene(built_in.text, &file, &[]).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(scene.name, built_in.name);
            assert!(!scene.bodies.is_empty());
        }
    }

    #[test]
    fn every_file_begins_with_its_summary() {
        for built_in in ALL {
            assert_eq!(built_in.text.lines().next(), Some(format!("# {}", built_in.summary).as_str()));
        }
    }

    #[test]
    fn no_file_in_the_folder_is_forgotten() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        let mut names: Vec<String> = ALL.iter().map(|scene| scene.name.to_string()).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }

    #[test]
    fn scenes_are_found_by_name() {
        assert_eq!(find("torus").map(|scene| scene.name), Some("torus"));
        assert_eq!(find("no such scene"), None);
    }
}
