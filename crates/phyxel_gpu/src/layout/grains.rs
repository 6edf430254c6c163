//! What elements remember, in the order of the device.

use super::clusters::{CLUSTER, Clusters};
use super::general::{General, NO_ELEMENT};
use phyxel::State;
use phyxel::material::plastic::Grain;
use phyxel::math::Mat3;
use phyxel::model::Model;

/// Vectors per grain: the columns of its offset; the accumulated strain beside the first.
pub(crate) const VECTORS: usize = 3;

/// Which element of which block each place holds, tetrahedra first; nothing where no element remembers anything.
#[derive(Default)]
pub(crate) struct Grains {
    places: Vec<(u32, u32)>,
    /// The place of the first element that is no tetrahedron.
    pub first_general: u32,
}

impl Grains {
    /// The places of a model whose elements have grains in `state`.
    pub(crate) fn new(clusters: &Clusters, general: &General, state: &State<f32>) -> Self {
        if state.grains.iter().all(Vec::is_empty) {
            return Grains::default();
        }
        let tets = clusters.sources.iter().enumerate().map(|(i, e)| (clusters.heads[i / CLUSTER][2], *e));
        let others = general.elements.iter().zip(&general.sources).map(|(head, e)| (head[2], *e));
        Grains { places: tets.chain(others).collect(), first_general: clusters.sources.len() as u32 }
    }

    /// Whether nobody remembers anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many vectors there are.
    pub(crate) fn len(&self) -> usize {
        VECTORS * self.places.len()
    }

    /// The place of each element's grain, block by block.
    pub(crate) fn places_of_blocks(&self) -> Vec<Vec<u32>> {
        let mut places: Vec<Vec<u32>> = Vec::new();
        for (place, &(block, e)) in self.places.iter().enumerate().filter(|(_, (_, e))| *e != NO_ELEMENT) {
            let (block, e) = (block as usize, e as usize);
            places.resize(places.len().max(block + 1), Vec::new());
            let own = &mut places[block];
            own.resize(own.len().max(e + 1), 0);
            own[e] = place as u32;
        }
        places
    }

    /// The grains of a state as the device reads them.
    pub(crate) fn pack(&self, grains: &[Vec<Grain<f32>>]) -> Vec<[f32; 4]> {
        let mut out = Vec::with_capacity(self.len());
        for &(block, e) in &self.places {
            let grain = grains.get(block as usize).and_then(|g| g.get(e as usize));
            for c in 0..VECTORS {
                let [x, y, z] = grain.map_or([0.0; 3], |g| g.offset.column(c).0);
                out.push([x, y, z, grain.filter(|_| c == 0).map_or(0.0, |g| g.plastic_strain)]);
            }
        }
        out
    }

    /// Writes what the device has into the grains of a state.
    pub(crate) fn unpack(&self, vectors: &[[f32; 4]], grains: &mut [Vec<Grain<f32>>]) {
        for (&(block, e), v) in self.places.iter().zip(vectors.chunks_exact(VECTORS)) {
            if e == NO_ELEMENT {
                continue;
            }
            if let Some(grain) = grains.get_mut(block as usize).and_then(|g| g.get_mut(e as usize)) {
                grain.offset = Mat3([0, 1, 2].map(|row| [0, 1, 2].map(|c: usize| v[c][row])));
                grain.plastic_strain = v[0][3];
            }
        }
    }
}

/// Whether the elements of each block remember something.
pub(crate) fn of_blocks(model: &Model<f32>, state: &State<f32>) -> Vec<bool> {
    (0..model.blocks.len()).map(|b| state.grains.get(b).is_some_and(|g| !g.is_empty())).collect()
}
