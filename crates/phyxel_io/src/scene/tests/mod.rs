//! The scene file: what is read from it, and what is refused with which words.

mod bad_input;
mod matter;
mod reading;
mod surfaces;

use super::*;

/// The smallest scene.
const SMALL: &str = "[[bodies]]\nname = \"cube\"\nshape = { box = [1, 1, 1] }\nsize = 0.5\n";

fn parse(text: &str) -> Result<Scene, SceneError> {
    parse_scene(text, "test.toml", &[])
}

fn parse_with(text: &str, overrides: &[(&str, &str)]) -> Result<Scene, SceneError> {
    let overrides: Vec<_> = overrides.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    parse_scene(text, "test.toml", &overrides)
}

fn sentence(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}
