//! What can be written on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use phyxel_io::UpAxis;
use phyxel_io::solid::Origin;

const EXAMPLES: &str = "\
Examples:
  phyxel run jelly                              a built-in scene; results in out/jelly
  phyxel run my.toml --out results --formats usd,csv --set solver.step=0.002
  phyxel render out/jelly -o jelly.mp4 --colour stress
  phyxel mesh bunny.obj -o bunny.msh --count 50000
  phyxel check my.toml                          sizes, step limits and warnings, without simulating

Exit status: 0 done, 1 the work failed, 2 the input was wrong, 130 interrupted with a checkpoint left behind.";

/// Solids that deform, yield, melt and break in real time.
#[derive(Debug, Parser)]
#[command(name = "phyxel", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do; nothing shows the help.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Built-in scenes, materials, solvers, validation cases, devices
    List(ListArgs),
    /// Simulates a scene and writes its results
    Run(RunArgs),
    /// Reads and builds a scene, reports sizes, step limits and warnings, and simulates nothing
    Check(CheckArgs),
    /// Runs the mechanics cases with known answers
    Validate(ValidateArgs),
    /// Runs the benchmark suites: papers, scaling, kernels
    Bench(BenchArgs),
    /// Surface to tetrahedra or phyxels, with a quality report
    Mesh(MeshArgs),
    /// Draws a result without a window: pictures, sheets, films
    Render(RenderArgs),
    /// Simulates built-in scenes and draws a small sheet of each, for the docs
    Pictures(PicturesArgs),
    /// The window (not in this version)
    Studio(LaterArgs),
}

/// Where a scene comes from.
#[derive(Debug, Args)]
pub struct SceneArgs {
    /// A TOML file, or the name of a built-in scene (see `phyxel list`)
    pub scene: String,
    /// Changes a key of the scene, such as solver.step=0.001 or bodies.cube.size=0.02; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub overrides: Vec<(String, String)>,
    /// Numbers in which to calculate
    #[arg(long, value_enum, default_value_t = PrecisionArg::F32)]
    pub precision: PrecisionArg,
    /// Threads to use; all cores by default. Results do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
}

/// Where results are told.
#[derive(Debug, Args)]
pub struct TellArgs {
    /// Writes the machine-readable result to FILE, or to stdout for `-`
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Shows nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

impl TellArgs {
    /// Whether text for people may go to stdout.
    pub fn talks(&self) -> bool {
        !self.quiet && self.json.as_deref() != Some(std::path::Path::new("-"))
    }
}

/// `phyxel list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only this part of the list
    #[arg(value_enum)]
    pub part: Option<ListPart>,
    #[command(flatten)]
    pub tell: TellArgs,
}

/// A part of what `phyxel list` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ListPart {
    /// Built-in scenes
    Scenes,
    /// Named materials with their constants and sources
    Materials,
    /// Methods and solvers
    Solvers,
    /// Validation cases
    Cases,
    /// Benchmark suites
    Benchmarks,
    /// What simulations can run on
    Devices,
}

/// `phyxel run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub tell: TellArgs,
    /// Folder for the results [default: out/SCENE]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to write, with commas: usd, vtk, ply, obj, csv, gltf, html (a page for browsers), frames (for `phyxel render`),
    /// png, gif, mp4; `none` writes nothing
    #[arg(long, value_name = "LIST", default_value = "usd,vtk,csv,frames,png")]
    pub formats: String,
    /// Simulates this many frames after the initial one, instead of the scene's duration
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub frames: Option<usize>,
    /// Where to calculate: auto, balanced (each body where it is seen to be faster), cpu, gpu, or a graphics device by its
    /// number or part of its name (see `phyxel list`)
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: String,
    /// Goes on from the checkpoint that an interrupted run left in the folder
    #[arg(long)]
    pub resume: bool,
}

/// `phyxel check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub tell: TellArgs,
}

/// `phyxel validate`.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Cases to run; all by default
    pub cases: Vec<String>,
    /// Numbers in which to calculate; the references hold for f64
    #[arg(long, value_enum, default_value_t = PrecisionArg::F64)]
    pub precision: PrecisionArg,
    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub tell: TellArgs,
    /// Where to calculate: cpu, gpu, or a graphics device by its number or part of its name; devices need --precision f32
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
}

/// `phyxel bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Suites to run: papers, surfaces, scaling, kernels, fracture; all by default
    pub suites: Vec<String>,
    /// Shows only rows with this text in their names, such as "zhou-1 birds"; other rows of the papers, and of suites on
    /// devices, are not run
    #[arg(long, value_name = "TEXT")]
    pub case: Option<String>,
    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub tell: TellArgs,
    /// Where to calculate: auto, cpu, gpu, or a graphics device by its number or part of its name (see `phyxel list`)
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: String,
}

/// `phyxel mesh`.
#[derive(Debug, Args)]
pub struct MeshArgs {
    /// A surface (OBJ, STL, PLY, glTF), or a mesh of tetrahedra (Gmsh, TetGen, MEDIT, VTK, USD) to convert or fill anew
    pub surface: PathBuf,
    /// Where to write: .msh, .node, .mesh, .vtk, .vtu, .usda for tetrahedra (.obj, .stl, .ply for their boundary);
    /// .ply, .csv, .vtk for phyxels
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// stuffing (tetrahedra on the surface; the default), cover (coarse tetrahedra around it), voxels, bcc or octree
    /// (phyxels)
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Size of the cells, or distance between phyxels, at the surface [m]
    #[arg(long, value_name = "S", conflicts_with = "count", allow_negative_numbers = true)]
    pub size: Option<f64>,
    /// About how many tetrahedra or phyxels [default: 10000]; cells of the lattice for a cover
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub count: Option<usize>,
    /// Keeps edges of the surface that turn by more than this angle, where that leaves good tetrahedra [degrees]
    #[arg(long, value_name = "ANGLE", allow_negative_numbers = true)]
    pub features: Option<f64>,
    /// Cells of one size throughout, instead of larger ones inside
    #[arg(long)]
    pub uniform: bool,
    /// How many times the cells of an octree double away from the surface
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub levels: Option<usize>,
    /// Metres per unit of the file
    #[arg(long, value_name = "M", default_value_t = 1.0, allow_negative_numbers = true)]
    pub unit: f64,
    /// Scales the shape to this height instead [m]
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub height: Option<f64>,
    /// The axis of the file that points up
    #[arg(long, value_enum, default_value_t = UpArg::Y)]
    pub up: UpArg,
    /// Where the origin goes
    #[arg(long, value_enum, default_value_t = OriginArg::File)]
    pub origin: OriginArg,
    /// Takes the surface as it is: no welding, no turning of faces
    #[arg(long)]
    pub no_repair: bool,
    /// Threads to use; all cores by default. Results do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub tell: TellArgs,
}

/// `--up`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UpArg {
    /// As in this program
    Y,
    /// As in most CAD programs
    Z,
    /// As nowhere in particular
    X,
}

impl From<UpArg> for UpAxis {
    fn from(up: UpArg) -> Self {
        match up {
            UpArg::Y => UpAxis::Y,
            UpArg::Z => UpAxis::Z,
            UpArg::X => UpAxis::X,
        }
    }
}

/// `--origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OriginArg {
    /// Where the file has it
    File,
    /// The middle of the box around the shape
    Centre,
    /// The middle of the bottom of that box
    Base,
}

impl From<OriginArg> for Origin {
    fn from(origin: OriginArg) -> Self {
        match origin {
            OriginArg::File => Origin::File,
            OriginArg::Centre => Origin::Centre,
            OriginArg::Base => Origin::Base,
        }
    }
}

/// `phyxel render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// The folder of a run, or its .frames file
    pub result: PathBuf,
    /// Where to draw: .png for a picture, .gif or .mp4 for a film
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// The frame to draw; the last by default
    #[arg(long, value_name = "N", conflicts_with_all = ["time", "sheet"], allow_negative_numbers = true)]
    pub frame: Option<usize>,
    /// The time to draw [s]
    #[arg(long, value_name = "T", conflicts_with = "sheet", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// What to draw: skin, wire, phyxels, surfels
    #[arg(long, value_name = "WHAT", default_value = "skin")]
    pub view: String,
    /// What colours mean: body, stress, strain, temperature, damage, speed
    #[arg(long, visible_alias = "color", value_name = "QUANTITY", default_value = "body")]
    pub colour: String,
    /// The numbers at the ends of the colour bar; found by default
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// Size of the picture in pixels [default: 960x540, 640x360 for .gif]; of a sheet only the width counts [1600]
    #[arg(long, value_name = "WxH")]
    pub size: Option<String>,
    /// Where the camera is [m]; by default that of the scene, or one that sees all
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub camera: Option<String>,
    /// What the camera looks at [m]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// Angle of view from bottom to top [degrees]
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    pub fov: Option<f64>,
    /// Several pictures on one, such as 4x3
    #[arg(long, value_name = "CxR")]
    pub sheet: Option<String>,
    /// Pictures per second of a film [default: 25 for .gif, 30 for .mp4]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub fps: Option<f64>,
    /// What to write above the picture; the scene's name by default
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Where to draw: auto, cpu, gpu, or a graphics device by its number or part of its name (see `phyxel list`)
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: String,
    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Shows nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `phyxel pictures`.
#[derive(Debug, Args)]
pub struct PicturesArgs {
    /// Folder for the pictures, one NAME.png for each scene
    pub folder: PathBuf,
    /// Scenes to draw; all built-in ones by default
    pub scenes: Vec<String>,
    /// Where to draw: auto, cpu, gpu, or a graphics device by its number or part of its name (see `phyxel list`)
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Shows nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// A command that will come: whatever follows it is accepted, so that the answer is always the same.
#[derive(Debug, Args)]
pub struct LaterArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<OsString>,
}

/// `--precision`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionArg {
    /// Single precision: twice as fast, seven digits
    F32,
    /// Double precision: sixteen digits
    F64,
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().into(), value.trim().into())),
        _ => Err("write it as key=value, such as solver.step=0.001".into()),
    }
}
