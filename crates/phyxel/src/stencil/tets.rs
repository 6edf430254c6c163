//! Four-node stencils, the fast path: several tetrahedra at once, corner forces gathered per node.

use super::TetTable;
use super::incidence::Incidence;
use crate::math::{Lanes, Mat3, Real, Scalar, Vec3};
use crate::{par, vectorised};
use std::ops::Range;

/// Tetrahedra per vector instruction: eight `f32` fill a 256-bit register.
pub const WIDTH: usize = 8;
/// Tetrahedra per task; a multiple of [`WIDTH`], so that which ones share an instruction is fixed.
const TASK: usize = 512;

/// Three vectors of several tetrahedra.
type Side<R> = [Vec3<Lanes<R, WIDTH>>; 3];

/// Linear tetrahedra with the list of tetrahedra around each node.
#[derive(Clone, Debug)]
pub struct Tets<R> {
    /// Nodes, gradients and volumes. Nodes are counted from the first of the body, so that nothing changes here when bodies
    /// before it get more nodes.
    pub table: TetTable<R>,
    /// The first node of the body in the model.
    first: usize,
    /// For each node of the body, `4 · tet + corner` of every tetrahedron that has it.
    corners: Incidence,
}

impl<R: Real> Tets<R> {
    /// Tetrahedra of a body that has the `nodes` of the model; its table counts from the first of these.
    pub fn new(table: TetTable<R>, nodes: Range<usize>) -> Self {
        Tets { corners: Incidence::new(table.nodes.as_flattened(), 0..nodes.len()), first: nodes.start, table }
    }

    /// Gives the same tetrahedra other nodes of their body, which has `range` of the model.
    pub fn set_nodes(&mut self, nodes: &[[u32; 4]], range: Range<usize>) {
        self.table.nodes.copy_from_slice(nodes);
        self.first = range.start;
        self.corners = Incidence::new(self.table.nodes.as_flattened(), 0..range.len());
    }

    /// Takes over the nodes of some tetrahedra and the surroundings of some nodes, after nodes were split: `nodes` are all
    /// tetrahedra over the nodes of the body, and `around` what is around these.
    pub fn follow(&mut self, nodes: &[[u32; 4]], around: &Incidence, (split, moved): (&[u32], &[u32])) {
        for &t in moved {
            self.table.nodes[t as usize] = nodes[t as usize];
        }
        self.corners.follow(around, split);
    }

    /// Makes room for as many nodes again.
    pub fn make_room(&mut self) {
        self.corners.make_room(self.corners.nodes().len());
    }

    /// Lets the body begin at another node of the model.
    pub fn begin_at(&mut self, first: usize) {
        self.first = first;
    }

    /// The nodes of a tetrahedron in the model.
    #[inline(always)]
    pub fn nodes_of(&self, e: usize) -> [u32; 4] {
        self.table.nodes[e].map(|n| n + self.first as u32)
    }

    /// The gradient weights of the four corners.
    #[inline(always)]
    pub fn weights(&self, e: usize) -> [Vec3<R>; 4] {
        let [a, b, c] = self.table.gradients[e];
        [-(a + b + c), a, b, c]
    }

    /// `Σ_k p_k ⊗ d_k`.
    #[inline(always)]
    pub fn gradient(&self, e: usize, field: &[Vec3<R>]) -> Mat3<R> {
        let own = &field[self.first..];
        let [a, b, c, d] = corners_of(own, self.table.nodes[e]);
        let [db, dc, dd] = self.table.gradients[e];
        gradient_of_edges([b - a, c - a, d - a], [db, dc, dd])
    }

    /// The same of [`WIDTH`] tetrahedra anywhere, side by side.
    #[inline(always)]
    pub fn gradients_of(&self, some: &[u32], field: &[Vec3<R>]) -> Mat3<Lanes<R, WIDTH>> {
        let zero = Vec3([Lanes([R::zero(); WIDTH]); 3]);
        let (mut edges, mut weights) = ([zero; 3], [zero; 3]);
        let own = &field[self.first..];
        for (lane, e) in some.iter().map(|e| *e as usize).enumerate().take(WIDTH) {
            let [a, b, c, d] = corners_of(own, self.table.nodes[e]);
            for (k, edge) in [b - a, c - a, d - a].into_iter().enumerate() {
                for axis in 0..3 {
                    edges[k].0[axis].0[lane] = edge.0[axis];
                    weights[k].0[axis].0[lane] = self.table.gradients[e][k].0[axis];
                }
            }
        }
        gradient_of_edges(edges, weights)
    }

    /// `out_k −= Σ_e S_e d_k` with `S_e = stress(e, Σ p ⊗ d)`; `corner_forces` holds four per tetrahedron.
    pub fn accumulate(
        &self,
        field: &[Vec3<R>],
        corner_forces: &mut [[Vec3<R>; 4]],
        out: &mut [Vec3<R>],
        stress: impl Fn(usize, Mat3<R>) -> Mat3<R> + Sync,
    ) {
        par::chunks(corner_forces, TASK, |start, forces| {
            for (i, force) in forces.iter_mut().enumerate() {
                let e = start + i;
                *force = forces_at_corners(stress(e, self.gradient(e, field)), self.table.gradients[e]);
            }
        });
        self.gather(corner_forces, &mut out[self.nodes()]);
    }

    /// [`Tets::accumulate`] with a stress that is evaluated on [`WIDTH`] tetrahedra at once; volumes are multiplied here.
    /// `own` holds the nodes of the body alone.
    pub fn accumulate_wide(
        &self,
        field: &[Vec3<R>],
        corner_forces: &mut [[Vec3<R>; 4]],
        own: &mut [Vec3<R>],
        stress: impl Fn(Mat3<Lanes<R, WIDTH>>) -> Mat3<Lanes<R, WIDTH>> + Sync,
        stress_of_one: impl Fn(Mat3<R>) -> Mat3<R> + Sync,
    ) {
        par::chunks(corner_forces, TASK, |start, forces| {
            let mut groups = forces.chunks_exact_mut(WIDTH);
            let mut e = start;
            vectorised(
                #[inline(always)]
                || {
                    for group in &mut groups {
                        self.group_forces(e, field, group, &stress);
                        e += WIDTH;
                    }
                },
            );
            for (i, force) in groups.into_remainder().iter_mut().enumerate() {
                let s = stress_of_one(self.gradient(e + i, field)) * self.table.volumes[e + i];
                *force = forces_at_corners(s, self.table.gradients[e + i]);
            }
        });
        self.gather(corner_forces, own);
    }

    /// Sets `out[e]` from the gradient of each tetrahedron, [`WIDTH`] of them at once; `wide` and `one` are given the first of
    /// these.
    pub fn map_gradients<T: Send>(
        &self,
        field: &[Vec3<R>],
        out: &mut [T],
        wide: impl Fn(usize, Mat3<Lanes<R, WIDTH>>) -> [T; WIDTH] + Sync,
        one: impl Fn(usize, Mat3<R>) -> T + Sync,
    ) {
        par::chunks(out, TASK, |start, out| {
            let mut groups = out.chunks_exact_mut(WIDTH);
            let mut e = start;
            vectorised(
                #[inline(always)]
                || {
                    for group in &mut groups {
                        let (edges, weights, _) = self.group(e, field);
                        group.iter_mut().zip(wide(e, gradient_of_edges(edges, weights))).for_each(|(o, v)| *o = v);
                        e += WIDTH;
                    }
                },
            );
            for (i, value) in groups.into_remainder().iter_mut().enumerate() {
                *value = one(e + i, self.gradient(e + i, field));
            }
        });
    }

    /// Sets the forces at the corners of each tetrahedron and `out[e]`, from the stress and the value that `wide` makes of the
    /// gradients of [`WIDTH`] of them, or `one` of a single one.
    pub fn map_with_forces<T: Send>(
        &self,
        field: &[Vec3<R>],
        (forces, out): (&mut [[Vec3<R>; 4]], &mut [T]),
        wide: impl Fn(usize, Mat3<Lanes<R, WIDTH>>) -> (Mat3<Lanes<R, WIDTH>>, [T; WIDTH]) + Sync,
        one: impl Fn(usize, Mat3<R>) -> (Mat3<R>, T) + Sync,
    ) {
        par::chunks2((forces, out), TASK, |start, forces, out| {
            let whole = forces.len() / WIDTH * WIDTH;
            let (forces, last_forces) = forces.split_at_mut(whole);
            let (out, last_out) = out.split_at_mut(whole);
            let mut groups = forces.chunks_exact_mut(WIDTH).zip(out.chunks_exact_mut(WIDTH));
            let mut e = start;
            vectorised(
                #[inline(always)]
                || {
                    for (forces, out) in &mut groups {
                        let (edges, weights, volume) = self.group(e, field);
                        let (stress, values) = wide(e, gradient_of_edges(edges, weights));
                        spread(forces_at_corners(stress * volume, weights), forces);
                        out.iter_mut().zip(values).for_each(|(o, v)| *o = v);
                        e += WIDTH;
                    }
                },
            );
            for (i, (force, value)) in last_forces.iter_mut().zip(last_out).enumerate() {
                let e = start + whole + i;
                let (stress, own) = one(e, self.gradient(e, field));
                *force = forces_at_corners(stress * self.table.volumes[e], self.table.gradients[e]);
                *value = own;
            }
        });
    }

    /// Edges, weights and volumes of the tetrahedra from `first` on, side by side.
    #[inline(always)]
    fn group(&self, first: usize, field: &[Vec3<R>]) -> (Side<R>, Side<R>, Lanes<R, WIDTH>) {
        let zero = Vec3([Lanes([R::zero(); WIDTH]); 3]);
        let (mut edges, mut weights) = ([zero; 3], [zero; 3]);
        let mut volume = Lanes([R::zero(); WIDTH]);
        let own = &field[self.first..];
        let nodes: &[[u32; 4]; WIDTH] = self.table.nodes[first..first + WIDTH].try_into().expect("WIDTH tetrahedra");
        let gradients: &[[Vec3<R>; 3]; WIDTH] =
            self.table.gradients[first..first + WIDTH].try_into().expect("WIDTH gradients");
        let volumes: &[R; WIDTH] = self.table.volumes[first..first + WIDTH].try_into().expect("WIDTH volumes");
        for lane in 0..WIDTH {
            let [a, b, c, d] = corners_of(own, nodes[lane]);
            for (k, edge) in [b - a, c - a, d - a].into_iter().enumerate() {
                for axis in 0..3 {
                    edges[k].0[axis].0[lane] = edge.0[axis];
                    weights[k].0[axis].0[lane] = gradients[lane][k].0[axis];
                }
            }
            volume.0[lane] = volumes[lane];
        }
        (edges, weights, volume)
    }

    #[inline(always)]
    fn group_forces(
        &self,
        first: usize,
        field: &[Vec3<R>],
        forces: &mut [[Vec3<R>; 4]],
        stress: &impl Fn(Mat3<Lanes<R, WIDTH>>) -> Mat3<Lanes<R, WIDTH>>,
    ) {
        let (edges, weights, volume) = self.group(first, field);
        let s = stress(gradient_of_edges(edges, weights)) * volume;
        spread(forces_at_corners(s, weights), forces);
    }

    /// The tetrahedra around the `local`-th node of the body, each with the corner that the node is.
    pub fn around(&self, local: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let entries = &self.corners.entries()[self.corners.run(local)];
        entries.iter().map(|&corner| (corner as usize / 4, corner as usize % 4))
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.table.nodes[..])
            + size_of_val(&self.table.gradients[..])
            + size_of_val(&self.table.volumes[..])
            + self.corners.memory_bytes()
    }

    /// The nodes of the model that it is over.
    pub fn nodes(&self) -> Range<usize> {
        self.first..self.first + self.corners.nodes().len()
    }

    pub(super) fn gather(&self, corner_forces: &[[Vec3<R>; 4]], own: &mut [Vec3<R>]) {
        let flat = corner_forces.as_flattened();
        par::for_each(own, |i, value| {
            let mut sum = *value;
            for &corner in &self.corners.entries()[self.corners.run(i)] {
                sum += flat[corner as usize];
            }
            *value = sum;
        });
    }
}

/// The values at the corners of a tetrahedron. Written out, because the closure of `map` may be called instead of inlined, and
/// calls empty all vector registers.
#[inline(always)]
fn corners_of<R: Real>(own: &[Vec3<R>], [a, b, c, d]: [u32; 4]) -> [Vec3<R>; 4] {
    [own[a as usize], own[b as usize], own[c as usize], own[d as usize]]
}

/// Forces at the corners of tetrahedra side by side, one tetrahedron after the other.
#[inline(always)]
fn spread<R: Real>(corner: [Vec3<Lanes<R, WIDTH>>; 4], forces: &mut [[Vec3<R>; 4]]) {
    for lane in 0..WIDTH {
        for k in 0..4 {
            for axis in 0..3 {
                forces[lane][k].0[axis] = corner[k].0[axis].0[lane];
            }
        }
    }
}

/// `Σ_k (p_k − p_0) ⊗ d_k` over the three edges from the first corner.
#[inline(always)]
fn gradient_of_edges<S: Scalar>(edges: [Vec3<S>; 3], weights: [Vec3<S>; 3]) -> Mat3<S> {
    Mat3::outer(edges[0], weights[0]) + Mat3::outer(edges[1], weights[1]) + Mat3::outer(edges[2], weights[2])
}

/// `−S d_k` at the four corners; the first is minus the sum of the others.
#[inline(always)]
fn forces_at_corners<S: Scalar>(s: Mat3<S>, [a, b, c]: [Vec3<S>; 3]) -> [Vec3<S>; 4] {
    let (fa, fb, fc) = (-(s * a), -(s * b), -(s * c));
    [-(fa + fb + fc), fa, fb, fc]
}
