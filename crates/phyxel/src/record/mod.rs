//! What is kept of a simulation: frames for results, hashes for sameness, snapshots for going on later.

mod bytes;
mod hash;
mod heat;
mod look;
mod snapshot;
mod topology;

pub use hash::{Fnv, state_hash};
pub use look::{FreeSurface, Look, PartLook, Surfels};
pub use snapshot::SnapshotError;
pub(crate) use snapshot::{Progress, decode, decode_topologies, encode};

/// What does not change from frame to frame: how a body's nodes hang together.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BodyLayout {
    /// The body's name.
    pub name: String,
    /// How many nodes it has.
    pub node_count: usize,
    /// Its cells.
    pub cells: Cells,
    /// Triangles of the drawn surface, over [`BodyFrame::skin`]; wound so that normals point out.
    pub skin_triangles: Vec<[u32; 3]>,
    /// What each of those triangles shows: 0 the outside, other numbers the inside of matter that breaks
    /// ([`Fracture::interior`](crate::material::Fracture)). Empty where all is outside.
    pub skin_parts: Vec<u32>,
    /// Colours and textures of that surface.
    pub look: Look,
}

/// The cells of a body, over its own nodes.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Cells {
    /// Tetrahedra.
    Tets(Vec<[u32; 4]>),
    /// Points alone: phyxels.
    #[default]
    Points,
    /// Lines: springs.
    Lines(Vec<[u32; 2]>),
}

/// One body at one time.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BodyFrame {
    /// Node positions [m].
    pub positions: Vec<[f64; 3]>,
    /// Node velocities [m/s].
    pub velocities: Vec<[f64; 3]>,
    /// Von Mises stress per node, averaged from the elements around it [Pa].
    pub von_mises: Vec<f64>,
    /// Equivalent strain per node, averaged from the elements around it: `√(2/3 e:e)` with `e` the deviator of the
    /// Green–Lagrange strain; empty when it is not known.
    pub strain: Vec<f64>,
    /// How far matter has parted at each node, 0 to 1: 1 on the faces of cracks; empty when the body cannot break.
    pub damage: Vec<f64>,
    /// Temperature per node [K]; empty when the body has none.
    pub temperatures: Vec<f64>,
    /// Positions of the drawn surface's vertices [m]; empty when there is none.
    pub skin: Vec<[f64; 3]>,
    /// A surface of its own in this frame, drawn instead of the skin.
    pub free: Option<FreeSurface>,
    /// Surfels, drawn beside or instead of the skin.
    pub surfels: Option<Surfels>,
}

/// Everything visible at one time.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Frame {
    /// Counted from 0, the initial state.
    pub index: usize,
    /// Simulated time [s].
    pub time: f64,
    /// The bodies, in the order of the scene, and then the rigid ones.
    pub bodies: Vec<BodyFrame>,
    /// Who pressed on whom in the last step.
    pub contacts: Vec<ContactRecord>,
    /// What triggers have noticed since the last frame.
    pub triggers: Vec<TriggerRecord>,
    /// What has broken since the last frame.
    pub cracks: Vec<CrackRecord>,
}

/// Something broke, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct CrackRecord {
    /// When [s].
    pub time: f64,
    /// Which body.
    pub body: String,
    /// Where [m].
    pub point: [f64; 3],
    /// Square to the crack.
    pub normal: [f64; 3],
    /// Area of the new crack, one of its faces [m²].
    pub area: f64,
    /// Energy that the crack took [J].
    pub energy: f64,
}

/// Something entered or left a trigger, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerRecord {
    /// When [s].
    pub time: f64,
    /// The trigger.
    pub trigger: String,
    /// Who.
    pub who: String,
    /// It came; if not, it went.
    pub entered: bool,
}

/// Who pressed on whom, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRecord {
    /// Who is pushed.
    pub first: String,
    /// By whom.
    pub second: String,
    /// Mean force on the first over the step [N].
    pub force: [f64; 3],
    /// Where [m].
    pub point: [f64; 3],
    /// From the second to the first.
    pub normal: [f64; 3],
    /// Places of contact.
    pub places: usize,
}
