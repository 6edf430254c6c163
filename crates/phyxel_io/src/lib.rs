//! The files of phyxel: scenes in, results out.

pub mod scene;
