//! The arrays that elements become: plain, flat, fit for a GPU.

use crate::math::{Mat3, Real, Vec3};
use std::ops::Range;

/// Elements of four nodes: linear tetrahedra.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TetTable<R> {
    /// The four nodes of each element.
    pub nodes: Vec<[u32; 4]>,
    /// Gradient weights `d1, d2, d3` of the last three nodes [1/m]; `d0 = −(d1 + d2 + d3)`.
    pub gradients: Vec<[Vec3<R>; 3]>,
    /// Rest volumes [m³].
    pub volumes: Vec<R>,
}

/// Elements of any number of nodes; element `e` owns the entries `offsets[e]..offsets[e + 1]`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct StencilTable<R> {
    /// Where each element's entries begin, and one more for the end; never shorter than one.
    pub offsets: Vec<u32>,
    /// The node of each entry.
    pub nodes: Vec<u32>,
    /// The gradient weight `d` of each entry [1/m].
    pub weights: Vec<Vec3<R>>,
    /// Rest volume of each element [m³].
    pub volumes: Vec<R>,
    /// Stabilisation of each entry, to be multiplied with Young's modulus [m]: half of it times the squared residual
    /// `|x_ij − F_i X_ij|²` is an energy. Empty when there is no stabilisation.
    pub penalties: Vec<R>,
}

impl<R: Real> TetTable<R> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// All four gradient weights of an element [1/m].
    #[inline(always)]
    pub fn all_gradients(&self, element: usize) -> [Vec3<R>; 4] {
        let [d1, d2, d3] = self.gradients[element];
        [-(d1 + d2 + d3), d1, d2, d3]
    }
    /// The same in another precision.
    pub fn cast<Q: Real>(&self) -> TetTable<Q> {
        TetTable {
            nodes: self.nodes.clone(),
            gradients: self.gradients.iter().map(|g| g.map(cast_vec)).collect(),
            volumes: self.volumes.iter().map(|v| Q::of(v.to_f64())).collect(),
        }
    }
}

impl<R: Real> StencilTable<R> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.volumes.len()
    }
    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty()
    }
    /// The entries of an element, as indices into `nodes` and `weights`.
    #[inline(always)]
    pub fn entries(&self, element: usize) -> Range<usize> {
        self.offsets[element] as usize..self.offsets[element + 1] as usize
    }
    /// `F = Σ x_k ⊗ d_k` of an element.
    pub fn deformation(&self, element: usize, x: &[Vec3<R>]) -> Mat3<R> {
        self.entries(element).fold(Mat3::zero(), |f, k| f + Mat3::outer(x[self.nodes[k] as usize], self.weights[k]))
    }
    /// The same in another precision.
    pub fn cast<Q: Real>(&self) -> StencilTable<Q> {
        StencilTable {
            offsets: self.offsets.clone(),
            nodes: self.nodes.clone(),
            weights: self.weights.iter().map(|d| cast_vec(*d)).collect(),
            volumes: self.volumes.iter().map(|v| Q::of(v.to_f64())).collect(),
            penalties: self.penalties.iter().map(|p| Q::of(p.to_f64())).collect(),
        }
    }
}

fn cast_vec<R: Real, Q: Real>(v: Vec3<R>) -> Vec3<Q> {
    Vec3::of(v.to_f64())
}
