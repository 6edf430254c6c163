//! Surfels on the device against the same products in f64.

mod common;

use common::{Numbers, device, laws, scene, soft, solid};
use phyxel::Simulation;
use phyxel::math::{Mat3, Vec3};
use phyxel::model::{Carried, Model};
use phyxel::scene::{Body, Method};
use phyxel::stencil::block::Stencils;
use phyxel_gpu::{Resident, Surfel, SurfelCarriers, SurfelProduct, SurfelRest};

type V = Vec3<f64>;

/// Relative to the size of the body for centres, to the largest half axis for those.
const TOLERANCE: f64 = 1e-5;

fn discs(numbers: &mut Numbers, points: &[[f64; 3]]) -> Vec<SurfelRest> {
    let axis = |numbers: &mut Numbers| numbers.vector(0.02).map(|x| x as f32);
    let disc = |p: &[f64; 3]| SurfelRest { point: p.map(|x| x as f32), tangents: [axis(numbers), axis(numbers)] };
    points.iter().map(disc).collect()
}

/// Displacements of all nodes: a turn about y by a radian, a stretch, and noise.
fn moved(numbers: &mut Numbers, model: &Model<f32>) -> Vec<Vec3<f32>> {
    let (s, c) = 1.0_f64.sin_cos();
    let turned = |x: [f64; 3]| V::of([1.3 * (c * x[0] + s * x[2]), 0.8 * x[1], c * x[2] - s * x[0]]);
    model
        .rest
        .iter()
        .map(|x| Vec3::of((turned(x.to_f64()) - V::of(x.to_f64()) + V::of(numbers.vector(0.01))).0))
        .collect()
}

fn close(found: &Surfel, point: V, f: Mat3<f64>, rest: &SurfelRest, what: &str) {
    let wide = |x: [f32; 3]| V::of(x.map(f64::from));
    let axes = rest.tangents.map(|t| f * wide(t));
    assert!((wide(found.point) - point).norm() < TOLERANCE, "{what}: {found:?} {point:?}");
    for (t, expected) in found.tangents.iter().zip(axes) {
        assert!((wide(*t) - expected).norm() < TOLERANCE * 0.04, "{what}: {t:?} {expected:?}");
    }
    let across = axes[0].cross(axes[1]);
    // Where the half axes are nearly along each other, the normal is as uncertain as they are.
    let slack = TOLERANCE * 0.04 * 0.04 / across.norm();
    assert!((wide(found.normal) - across * (1.0 / across.norm())).norm() < TOLERANCE + slack, "{what}: normal");
}

fn surfels_on_phyxels(stabilisation: f64) {
    let Some(device) = device() else { return };
    let mut phyxels = solid("a", Method::Mls, soft(laws()[1].clone()), [0.5, 0.0, 0.2]);
    phyxels.mls.stabilisation = stabilisation;
    // Other stencils before them, so that elements and nodes are not counted alike.
    let others: Vec<Body> = vec![solid("b", Method::Edge, soft(laws()[0].clone()), [-1.0, 0.0, 0.0]), phyxels];
    let simulation = Simulation::<f32>::build(&scene(others)).expect("two bodies");
    let model = simulation.model();
    let nodes = model.bodies[1].nodes.clone();
    let mut numbers = Numbers(3);
    let points: Vec<[f64; 3]> = (0..300)
        .map(|_| {
            let [x, y, z] = numbers.vector(0.15);
            [0.7 + 1.3 * x, 0.15 + y, 0.35 + z]
        })
        .collect();
    let sites: Vec<[f64; 3]> = model.rest[nodes.clone()].iter().map(|p| p.to_f64()).collect();
    let (carried, _) = Carried::new(&sites, &points, 0.08);
    let share = |i| carried.around(i).map(|(j, w)| (nodes.start as u32 + j, w as f32)).collect::<Vec<_>>();
    let carriers: Vec<Vec<(u32, f32)>> = (0..points.len()).map(share).collect();
    let discs = discs(&mut numbers, &points);
    let resident = Resident::new(&device, model, simulation.state()).expect("two bodies");
    let product = SurfelProduct::new(&resident, model, &discs, SurfelCarriers::Phyxels(&carriers)).expect("surfels");
    let u = moved(&mut numbers, model);
    resident.set_state(&u, &vec![Vec3::zero(); u.len()]);
    product.update(&resident).expect("a product");
    let found = product.read(&resident).expect("surfels");
    assert_eq!(found.len(), discs.len());
    let place = |n: u32| V::of(model.rest[n as usize].to_f64()) + V::of(u[n as usize].to_f64());
    let Some(Stencils::General(general)) = model.blocks.iter().find(|b| b.body == 1).map(|b| &b.stencils) else {
        panic!("phyxels have stencils of many nodes");
    };
    let table = general.table.cast::<f64>();
    let x: Vec<V> = (0..model.node_count() as u32).map(place).collect();
    let deformations: Vec<(u32, Mat3<f64>)> =
        (0..table.len()).map(|e| (table.nodes[table.entries(e).start], table.deformation(e, &x))).collect();
    for ((own, disc), surfel) in carriers.iter().zip(&discs).zip(&found) {
        let (mut point, mut f) = (V::zero(), Mat3::zero());
        for (n, w) in own {
            let own = deformations.iter().find(|(node, _)| node == n).expect("a phyxel").1;
            let arm = V::of(disc.point.map(f64::from)) - V::of(model.rest[*n as usize].to_f64());
            point += (x[*n as usize] + own * arm) * f64::from(*w);
            f += own * f64::from(*w);
        }
        close(surfel, point, f, disc, "on phyxels");
    }
}

#[test]
fn discs_follow_phyxels_to_first_order() {
    surfels_on_phyxels(0.1);
    surfels_on_phyxels(0.0);
}

#[test]
fn discs_follow_tetrahedra() {
    let Some(device) = device() else { return };
    let simulation = Simulation::<f32>::build(&scene(vec![solid("a", Method::Tet, soft(laws()[1].clone()), [0.3; 3])]))
        .expect("a box");
    let model = simulation.model();
    let Stencils::Tets(tets) = &model.blocks[0].stencils else { panic!("tetrahedra") };
    let mut numbers = Numbers(11);
    let table = &tets.table;
    let carriers: Vec<Vec<(u32, f32, [f32; 3])>> = (0..500)
        .map(|i| {
            let e = i * 7 % table.len();
            let weights = [0.1, 0.2, 0.3, 0.4];
            (0..4).map(|k| (table.nodes[e][k], weights[k], table.all_gradients(e)[k].0)).collect()
        })
        .collect();
    let centre = |own: &Vec<(u32, f32, [f32; 3])>| {
        own.iter().fold(V::zero(), |sum, (n, w, _)| sum + V::of(model.rest[*n as usize].to_f64()) * f64::from(*w)).0
    };
    let points: Vec<[f64; 3]> = carriers.iter().map(centre).collect();
    let discs = discs(&mut numbers, &points);
    let resident = Resident::new(&device, model, simulation.state()).expect("a box");
    let product = SurfelProduct::new(&resident, model, &discs, SurfelCarriers::Nodes(&carriers)).expect("surfels");
    let u = moved(&mut numbers, model);
    resident.set_state(&u, &vec![Vec3::zero(); u.len()]);
    product.update(&resident).expect("a product");
    for ((own, disc), surfel) in carriers.iter().zip(&discs).zip(&product.read(&resident).expect("surfels")) {
        let (mut point, mut f) = (V::of(disc.point.map(f64::from)), Mat3::identity());
        for (n, w, d) in own {
            let u = V::of(u[*n as usize].to_f64());
            point += u * f64::from(*w);
            f += Mat3::outer(u, V::of(d.map(f64::from)));
        }
        close(surfel, point, f, disc, "on tetrahedra");
    }
}
