//! What a kernel knows about each node.

use super::order::Order;
use super::pins::Pinned;
use phyxel::State;
use phyxel::model::Model;

const LOADED: u32 = 1 << 27;
const PINNED: u32 = 1 << 28;
const TOUCHABLE: u32 = 1 << 29;
/// Numbers that travel as floats have this bit, which makes them normal ones that no device flushes to zero.
pub(crate) const AS_FLOAT: u32 = 1 << 30;

/// The arrays of `nodes.wgsl` that are filled once.
pub(crate) struct Nodes {
    /// Rest position, contact radius.
    pub rest: Vec<[f32; 4]>,
    /// Dead load, place among the pinned nodes.
    pub loads: Vec<[f32; 4]>,
    /// Per body: origin and Rayleigh's alpha; penalty modulus and Rayleigh's beta.
    pub bodies: Vec<[f32; 4]>,
    /// Body and flags of each node, as a float.
    pub tags: Vec<f32>,
}

impl Nodes {
    /// Of a model.
    pub(crate) fn new(model: &Model<f32>, order: &Order, pinned: &Pinned) -> Self {
        let mut nodes = Nodes { rest: Vec::new(), loads: Vec::new(), bodies: Vec::new(), tags: Vec::new() };
        let pressed: std::collections::HashSet<u32> =
            model.loads.pressures.iter().flat_map(|(face, _)| *face).collect();
        for &n in &order.to_model {
            let i = n as usize;
            let [x, y, z] = model.rest[i].0;
            nodes.rest.push([x, y, z, model.radii[i] as f32]);
            let [fx, fy, fz] = model.loads.dead[i].0;
            let place = pinned.place_of(n);
            nodes.loads.push([fx, fy, fz, f32::from_bits(AS_FLOAT | place.unwrap_or(0))]);
            let body = model.bodies.partition_point(|b| b.nodes.end <= i) as u32;
            let mut tag = AS_FLOAT | body;
            if [fx, fy, fz] != [0.0; 3] || pressed.contains(&n) {
                tag |= LOADED;
            }
            if place.is_some() {
                tag |= PINNED;
            }
            if model.is_touchable(i) {
                tag |= TOUCHABLE;
            }
            nodes.tags.push(f32::from_bits(tag));
        }
        for (b, body) in model.bodies.iter().enumerate() {
            let [x, y, z] = model.rest[body.nodes.start].0;
            nodes.bodies.push([x, y, z, model.rayleigh_mass[b]]);
            let block = model.blocks.iter().find(|block| block.body == b);
            let (penalty, beta) = block.map_or((0.0, 0.0), |block| (block.penalty_modulus, block.rayleigh_stiffness));
            nodes.bodies.push([penalty, beta, 0.0, 0.0]);
        }
        nodes
    }
}

/// Displacements with masses, velocities with tags, in the order of the device.
pub(crate) fn state(model: &Model<f32>, order: &Order, tags: &[f32], state: &State<f32>) -> [Vec<[f32; 4]>; 2] {
    let pack = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
    let u = order.to_model.iter().map(|&n| pack(state.u[n as usize].0, model.masses[n as usize])).collect();
    let v = order.to_model.iter().zip(tags).map(|(&n, &tag)| pack(state.v[n as usize].0, tag)).collect();
    [u, v]
}
