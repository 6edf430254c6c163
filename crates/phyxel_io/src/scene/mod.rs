//! The scene file: TOML in, a checked [`Scene`] out.
//!
//! Lengths are in metres, times in seconds, and so on in SI units; angles of `rotation` are in degrees. Unknown keys
//! are errors. Every key, with its default:
//!
//! | table | keys |
//! | --- | --- |
//! | top | `name` ("untitled"), `duration` (3), `frame_rate` (60), `gravity` ([0, -9.81, 0]) |
//! | `[solver]` | `method` ("implicit-euler"), `step` (1/120), `linear` ("auto"), `tolerance` (1e-4) of linear solves, `relative_to` ("change" of the step, or "momentum" of bodies), `max_iterations` (10000), `newton_iterations` (1), `newton_tolerance` (1e-5), `iterations` (10) and `substeps` (10) of PBD and XPBD, `pbd_stiffness` (0.9), `conserve_momentum` (true), `sleep_speed` (2e-4: bodies slower than this for half a second sleep; 0 for never) |
//! | `[materials.NAME]` | `preset` (a named material to start from), `law` ("corotated"), `young_modulus` (5e4), `poisson_ratio` (0.45), `density` (1000), `volume_stiffness`, `viscosity`, `bulk_viscosity`, `rayleigh_mass`, `rayleigh_stiffness` (0), `friction` (that of what it touches; 0.5 between two bodies), `restitution` (0), `stiffness_matrix` (6 rows, law "anisotropic" only) |
//! | `[[bodies]]` | `name` and `shape` (required), `method` ("mls"; "spring" for cloth and rope), one of `size`, `count` (1000), `cells`; `split` ("five" or "six" tetrahedra per cell of a box), `material` (a table above or a preset; a soft jelly), `position`, `rotation` (axis times degrees), `velocity`, `spin` (0), `mass` ("lumped"), `pins`, `loads` (none); `contact` (true: touches other bodies, in implicit solvers), `self_contact` (false), `friction` (its material's; where both things have one, the geometric mean counts), `groups` and `touches` (lists of names, all: two things touch when each is in a group that the other touches); for phyxels `kernel` ("poly6"), `support` (1.8 spacings, or `{ k, factor }`), `stabilisation` (0.1), `consistency` (true), `lagrangian` ("total"); `device` ("auto", "cpu" or "gpu": where it is calculated when the scene runs on a graphics device) |
//! | `shape` | `{ box = [x, y, z] }`, `{ wall = [x, y, z] }` (a box of cubes as thick as itself), `{ sphere = r }`, `{ cylinder = { radius, height } }`, `{ torus = { major_radius, minor_radius } }`, `{ cloth = { size = [x, z], thickness } }`, `{ rope = { length, radius } }`, or from a file beside the scene `{ file = "bunny.obj" }` (OBJ, STL, PLY, glTF; or tetrahedra: .msh, .node, .mesh, .vtk, .vtu, .usda) with `unit` (1, metres per unit) or `height` (scaled to this), `up` ("y"), `origin` ("file", "centre" or "base"), `fill` ("stuffing" or "cover" for tetrahedra; "voxels", "bcc" or "octree" for phyxels), `features` (keep edges sharper than this, in degrees), `uniform` (false), `levels` (2, of an octree) |
//! | `pins` | one of `box = { min, max }`, `sphere = { center, radius }`, `all = true` in world coordinates; `velocity`, `spin`, `center` (0), `axes` (all), `until` (for ever) |
//! | `loads` | a region as above; one of `force` (on each node), `total_force`, `traction`, `pressure` |
//! | `[[colliders]]` | one of `plane = { normal ([0, 1, 0]), offset (0) }`, `sphere = r`, `box = [x, y, z]`, `capsule = { radius, height }`, `cylinder = { radius, height }` (along y), `heights = { spacing, rows = [[…], …] }` (terrain over xz), `mesh = { file, unit, up, height, origin, cell }` (a closed surface); `position`, `rotation` (axis times degrees), `velocity`, `spin` (about `center`, its position), `until` (for ever), `keys = [[t, x, y, z], …]` (shifts at given times), `friction` (0.5), `restitution` (0), `groups`, `touches` |
//! | `[[rigid]]` | `name` (required), one of `sphere`, `box`, `capsule`, `cylinder`, `mesh` as of colliders; `position`, `rotation`, `density` (1000), `velocity`, `spin` (0), `friction` (0.5), `restitution` (0), `groups`, `touches` |
//! | `[[attachments]]` | `body`, a region as of pins, `to` (another body or a rigid one), `strength` (the pull at which a node tears off; never) |
//! | `[[triggers]]` | `name` (required), a shape as of colliders, `position`, `rotation`, `groups`, `touches`: events when a body enters or leaves |
//! | `[camera]` | `position` and `target` (required), `fov` (30, degrees from bottom to top): from where pictures are drawn; without it, from where all is seen |
//! | `[[events]]` | `at` (required), `body` (all), exactly one of `set`, `release = true`, `pin`, `push`, `loads`, `gravity` |

mod body;
mod camera;
mod colliders;
mod error;
mod events;
mod fields;
mod files;
mod fracture;
mod groups;
mod heat;
mod materials;
mod overrides;
mod plastic;
mod regions;
mod rigid;
mod shapes;
mod solver;
#[cfg(test)]
mod tests;
mod thermal;
mod tree;
mod words;

use std::path::Path;

use phyxel::Scene;

pub use error::{Fault, Place, Problem, SceneError};
use fields::{Field, Range};
use groups::GroupNames;
use materials::Materials;
use tree::Node;

/// No scene that people write comes near; a mesh or a video given by mistake does.
const LONGEST_FILE: u64 = 16 << 20;

/// More frames than this fill any disk.
const MOST_FRAMES: f64 = 1e7;

/// More steps than this take years.
const MOST_STEPS: f64 = 1e12;

/// Reads a scene file and builds its bodies.
///
/// Overrides are pairs of a dotted key and a TOML value, such as `("solver.step", "0.001")` or
/// `("bodies.cube.size", "0.02")`; items of lists are called by their `name` or by their index, counted from 0.
///
/// # Errors
/// A [`SceneError`] that names the file, the line and the key for whatever is wrong first.
pub fn read_scene(path: &Path, overrides: &[(String, String)]) -> Result<Scene, SceneError> {
    let file = path.display().to_string();
    let fail = |problem| SceneError::new(&file, Place::File, "", problem);
    let bytes = std::fs::metadata(path).map_err(|error| fail(Problem::Unreadable(error)))?.len();
    if bytes > LONGEST_FILE {
        return Err(fail(Problem::TooLong { bytes, limit: LONGEST_FILE }));
    }
    let content = std::fs::read(path).map_err(|error| fail(Problem::Unreadable(error)))?;
    let text = String::from_utf8(content).map_err(|_| fail(Problem::NotText))?;
    parse_scene(&text, &file, overrides)
}

/// Reads a scene from text. `file_name` appears in errors, and files that the scene names are sought next to it.
///
/// # Errors
/// As [`read_scene`].
pub fn parse_scene(text: &str, file_name: &str, overrides: &[(String, String)]) -> Result<Scene, SceneError> {
    let fail = |problem| SceneError::new(file_name, Place::File, "", problem);
    if text.contains('\0') {
        return Err(fail(Problem::NotText));
    }
    if text.trim().is_empty() {
        return Err(fail(Problem::Empty));
    }
    let mut root = tree::parse(text, file_name)?;
    overrides::apply(&mut root, overrides, file_name)?;
    read_root(&root, file_name)
}

fn read_root(root: &Node, file: &str) -> Result<Scene, SceneError> {
    const KEYS: &[&str] = &[
        "name",
        "duration",
        "frame_rate",
        "gravity",
        "solver",
        "materials",
        "bodies",
        "rigid",
        "colliders",
        "attachments",
        "triggers",
        "events",
        "camera",
    ];
    let fields = Field { file, path: String::new(), node: root }.fields(KEYS)?;
    let default = Scene::default();
    let name = fields.or("name", default.name, |field| field.text().map(Into::into))?;
    let gravity = fields.vector("gravity", default.gravity)?;
    let duration = fields.number("duration", Range::Positive, default.duration)?;
    let frame_rate = fields.number("frame_rate", Range::Positive, default.frame_rate)?;
    let solver = fields.or("solver", default.solver, solver::read)?;
    for (what, count, limit) in
        [("frames", duration * frame_rate, MOST_FRAMES), ("steps", duration / solver.step, MOST_STEPS)]
    {
        if count > limit {
            return Err(fields.fail(Problem::TooManySteps { what, count, limit }));
        }
    }
    let camera = fields.get("camera").map(|field| camera::read(&field)).transpose()?;
    let materials = fields.or("materials", Materials::default(), Materials::read)?;
    let body_items = fields.items("bodies")?;
    let rigid_items = fields.items("rigid")?;
    if body_items.is_empty() && rigid_items.is_empty() {
        return Err(fields.fail(Problem::NoBodies));
    }
    let groups = GroupNames::default();
    let colliders =
        fields.items("colliders")?.iter().map(|item| colliders::read(item, &groups)).collect::<Result<_, _>>()?;
    let rigid_bodies: Vec<_> = rigid_items.iter().map(|item| rigid::body(item, &groups)).collect::<Result<_, _>>()?;
    let trigger_items = fields.items("triggers")?;
    let triggers = trigger_items.iter().map(|item| rigid::trigger(item, &groups)).collect::<Result<_, _>>()?;
    // Bodies last but for events: building them is the only slow part, and a slip elsewhere should be told at once.
    let bodies = body::read_all(&body_items, &materials, &groups)?;
    let attached = fields.items("attachments")?;
    let attachments =
        attached.iter().map(|item| rigid::attachment(item, &bodies, &rigid_bodies)).collect::<Result<_, _>>()?;
    let events = events::read_all(&fields.items("events")?, &bodies, duration)?;
    Ok(Scene {
        name,
        duration,
        frame_rate,
        gravity,
        solver,
        bodies,
        rigid_bodies,
        colliders,
        attachments,
        triggers,
        events,
        camera,
    })
}
