//! Every file that phyxel reads or writes.

pub mod checkpoint;
mod drawable;
mod file;
pub mod frames;
mod input;
pub mod json;
pub mod picture;
pub mod render;
pub mod results;
pub mod scene;
pub mod solid;
pub mod surface;
pub mod tet_mesh;

pub use checkpoint::{Checkpoint, CheckpointError, read_checkpoint, write_checkpoint};
pub use file::OutputError;
pub use frames::{FramesError, FramesFile};
pub use input::{MAX_COORDINATE, MeshFileError, Place, Problem, UpAxis};
pub use json::write_json;
pub use render::{RenderError, Which, render};
pub use results::{Format, FormatError, FrameStats, Recorder};
pub use scene::{SceneError, parse_scene, read_scene};
pub use solid::write_points;
pub use surface::{SurfaceError, SurfaceFile, SurfaceFormat, SurfaceOptions, read_surface, write_surface};
pub use tet_mesh::{TetFormat, TetMeshError, TetMeshOptions, TetMeshReport, read_tet_mesh, write_tet_mesh};
