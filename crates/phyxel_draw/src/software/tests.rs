//! The rasteriser: the right side out, the same every time, discs and textures where they belong.

use super::*;
use crate::picture::{Ball, Disc, Floor};
use crate::texture::Texture;
use crate::view::FOV;
use phyxel::scene::Camera;
use std::sync::Arc;

/// A ball of triangles, wound outwards.
fn globe(steps: usize) -> Vec<Corner> {
    let at = |i: usize, j: usize| {
        let (a, b) = (std::f32::consts::PI * i as f32 / steps as f32, std::f32::consts::TAU * j as f32 / steps as f32);
        [a.sin() * b.sin(), a.cos(), a.sin() * b.cos()]
    };
    let corner = |p: [f32; 3]| Corner {
        position: p,
        normal: p,
        colour: [0.6, 0.2, 0.1],
        coordinates: [p[0] + 2.0, p[1] + 2.0, 0.0],
    };
    let mut corners = Vec::new();
    for i in 0..steps {
        for j in 0..steps {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)].map(corner);
            corners.extend([a, b, c, a, c, d]);
        }
    }
    corners
}

fn picture(shape: Shape) -> Picture {
    Picture {
        width: 96,
        height: 72,
        samples: 2,
        camera: Camera { position: [2.0, 2.0, 6.0], target: [0.0; 3], fov: FOV },
        floor: Some(Floor { height: -1.0, grid: 0.5, centre: [0.0; 3], radius: 1.0 }),
        items: vec![Item { shape, casts_shadow: true }],
        overlay: Default::default(),
    }
}

fn seen(picture: &Picture) -> (View, SurfaceBand) {
    let view = View::of_camera(&picture.camera, picture.width, picture.height);
    let mut band = SurfaceBand::new(picture.width, 0..picture.height);
    picture.items.iter().for_each(|item| Posed::new(item, &view).draw(&view, &mut band));
    (view, band)
}

#[test]
fn of_a_closed_body_only_outsides_are_seen() {
    let (view, band) = seen(&picture(Shape::Mesh(Mesh { corners: globe(24), paint: Paint::Plain })));
    let mut count = 0;
    for at in (0..band.depth.len()).filter(|&at| band.depth[at].is_finite()) {
        let (_, along) = view.ray((at % band.width) as f64 + 0.5, (at / band.width) as f64 + 0.5);
        let normal = V::of(band.normal[at].map(f64::from));
        // At the silhouette, normals of the ball and of its flat triangles differ by half an edge.
        assert!(normal.dot(-along.normalized()) > -0.15, "inside out at {at}");
        count += 1;
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn pictures_do_not_depend_on_threads() {
    let picture = picture(Shape::Mesh(Mesh { corners: globe(16), paint: Paint::Checker }));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Software.draw(&picture).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn a_ball_of_discs_looks_like_a_ball() {
    let discs: Vec<Disc> = (0..2000)
        .map(|i| {
            // Points of a Fibonacci lattice.
            let y = 1.0 - (i as f32 + 0.5) / 1000.0;
            let (r, turn) = ((1.0 - y * y).sqrt(), i as f32 * 2.399_963);
            let n = [r * turn.cos(), y, r * turn.sin()];
            let side = V::new(0.3, 0.5, -0.8).cross(wide(n)).normalized();
            let other = wide(n).cross(side);
            let axis = |v: V| (v * 0.07).0.map(|c| c as f32);
            Disc { centre: n, normal: n, first: axis(side), second: axis(other), colour: [0.6, 0.2, 0.1] }
        })
        .collect();
    let ball = Ball { centre: [0.0; 3], radius: 1.0, colour: [0.6, 0.2, 0.1] };
    let (_, a) = seen(&picture(Shape::Discs(discs)));
    let (_, b) = seen(&picture(Shape::Balls(vec![ball])));
    let holes = (0..a.depth.len()).filter(|&at| b.depth[at].is_finite() && !a.depth[at].is_finite()).count();
    let whole = b.depth.iter().filter(|d| d.is_finite()).count();
    assert!(holes * 50 < whole, "{holes} holes in {whole} pixels");
    let tilt: f32 = (0..a.depth.len())
        .filter(|&at| a.depth[at].is_finite() && b.depth[at].is_finite())
        .map(|at| 1.0 - (0..3).map(|k| a.normal[at][k] * b.normal[at][k]).sum::<f32>())
        .sum();
    assert!(tilt / (whole as f32) < 0.02, "normals differ by {tilt} over {whole} pixels");
}

#[test]
fn textures_are_straight_in_space() {
    // A floor that runs away from the eye: half of its length is far less than half of its height on the picture.
    let mut stripes = Image::filled(1, 2, [255; 3]);
    stripes.set(0, 1, [0; 3]);
    let at = |x: f32, z: f32| Corner {
        position: [x, -1.0, z],
        normal: [0.0, 1.0, 0.0],
        colour: [0.0; 3],
        coordinates: [0.5, (4.0 - z) / 12.0, 0.0],
    };
    let corners = vec![at(-4.0, 4.0), at(4.0, 4.0), at(4.0, -8.0), at(-4.0, 4.0), at(4.0, -8.0), at(-4.0, -8.0)];
    let mesh = Mesh { corners, paint: Paint::Texture(Arc::new(Texture::new(stripes))) };
    let mut scene = picture(Shape::Mesh(mesh));
    scene.camera = Camera { position: [0.0, 1.0, 8.0], target: [0.0, -0.5, 0.0], fov: 40.0 };
    let (view, band) = seen(&scene);
    let middle = view.project(V::new(0.0, -1.0, -2.0)).unwrap();
    let row = |y: f64| band.colour[y as usize * band.width + band.width / 2][0];
    assert!(row(middle.y + 3.0) < 0.3 && row(middle.y - 3.0) > 0.7, "{} {}", row(middle.y + 3.0), row(middle.y - 3.0));
}

#[test]
fn bad_pictures_are_refused() {
    let mut nothing = picture(Shape::Balls(Vec::new()));
    nothing.width = 0;
    assert!(matches!(Software.draw(&nothing), Err(DrawError::Size { width: 0, .. })));
    nothing.width = 10;
    nothing.camera.target = nothing.camera.position;
    assert!(matches!(Software.draw(&nothing), Err(DrawError::Camera { .. })));
}
