//! From the word on the command line to a scene.

use std::path::Path;

use phyxel::{AnySimulation, Precision, Scene};
use phyxel_io::{parse_scene, read_scene};
use phyxel_scenes::{ALL, find};

use crate::args::{PrecisionArg, SceneArgs};
use crate::failure::Failure;

/// A scene, and what identifies it.
pub struct Source {
    /// The scene itself.
    pub scene: Scene,
    /// What its default output folder is called.
    pub stem: String,
    /// Changes with the text of the scene and with the overrides; a checkpoint must agree with it.
    pub hash: u64,
}

/// Finds and reads a scene: a file if there is one of that name, else a built-in scene.
pub fn load(args: &SceneArgs) -> Result<Source, Failure> {
    let path = Path::new(&args.scene);
    if let (false, Some(built_in)) = (path.is_file(), find(&args.scene)) {
        let file = format!("{} (built in)", built_in.name);
        let scene = parse_scene(built_in.text, &file, &args.overrides).map_err(Failure::input)?;
        return Ok(Source { scene, stem: built_in.name.into(), hash: hash(built_in.text, args) });
    }
    if !path.exists() && !looks_like_a_path(&args.scene) {
        let known: Vec<&str> = ALL.iter().map(|scene| scene.name).collect();
        let known = known.join(", ");
        return Err(Failure::input(format!(
            "there is no file and no built-in scene `{}`; built in: {known}",
            args.scene
        )));
    }
    let scene = read_scene(path, &args.overrides).map_err(Failure::input)?;
    let text = std::fs::read_to_string(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    let stem = path.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
    Ok(Source { scene, stem, hash: hash(&text, args) })
}

/// Builds the simulation of a scene.
pub fn build(source: &Source, args: &SceneArgs) -> Result<AnySimulation, Failure> {
    AnySimulation::build(&source.scene, precision(args))
        .map_err(|error| Failure::input(format!("{}: {error}", args.scene)))
}

/// The precision asked for.
pub fn precision(args: &SceneArgs) -> Precision {
    precision_of(args.precision)
}

/// The engine's word for a word of the command line.
pub fn precision_of(word: PrecisionArg) -> Precision {
    match word {
        PrecisionArg::F32 => Precision::F32,
        PrecisionArg::F64 => Precision::F64,
    }
}

fn looks_like_a_path(word: &str) -> bool {
    word.contains(['/', '\\']) || Path::new(word).extension().is_some()
}

/// FNV-1a over the text and the overrides.
fn hash(text: &str, args: &SceneArgs) -> u64 {
    let overrides = args.overrides.iter().flat_map(|(key, value)| ["\0", key, "=", value]);
    std::iter::once(text)
        .chain(overrides)
        .flat_map(str::bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
