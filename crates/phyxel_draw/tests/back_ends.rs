//! Both back ends draw the same views.

#![cfg(feature = "gpu")]

use phyxel::scene::Camera;
use phyxel_draw::{
    Ball, Corner, Disc, Floor, Gpu, Image, Item, Mesh, Overlay, Paint, Painter, Picture, Rod, Shape, Software, Texture,
};
use phyxel_gpu::Choice;
use std::sync::Arc;

fn globe(centre: [f32; 3], steps: usize, paint: Paint) -> Item {
    let at = |i: usize, j: usize| {
        let (a, b) = (std::f32::consts::PI * i as f32 / steps as f32, std::f32::consts::TAU * j as f32 / steps as f32);
        [a.sin() * b.sin(), a.cos(), a.sin() * b.cos()]
    };
    let corner = |p: [f32; 3]| Corner {
        position: [0, 1, 2].map(|k| centre[k] + 0.5 * p[k]),
        normal: p,
        colour: [0.65, 0.2, 0.1],
        coordinates: p.map(|c| 2.0 * c + 10.3),
    };
    let mut corners = Vec::new();
    for i in 0..steps {
        for j in 0..steps {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)].map(corner);
            corners.extend([a, b, c, a, c, d]);
        }
    }
    Item { shape: Shape::Mesh(Mesh { corners, paint }), casts_shadow: true }
}

fn scene(width: usize, height: usize) -> Picture {
    let mut stripes = Image::filled(8, 8, [40, 90, 160]);
    (0..32).for_each(|i| stripes.set(i % 8, 2 * (i / 8), [230, 210, 120]));
    let balls =
        (0..20).map(|i| Ball { centre: [-1.4 + 0.05 * i as f32, 0.15, 0.9], radius: 0.12, colour: [0.1, 0.4, 0.2] });
    let rods = (0..4).map(|i| Rod {
        from: [1.2, 0.1 + 0.2 * i as f32, 0.8],
        to: [1.6, 0.6, -0.6],
        radius: 0.03,
        colour: [0.2; 3],
    });
    let discs = (0..60).map(|i| {
        let (s, c) = (i as f32 * 0.6).sin_cos();
        let (x, y) = (0.012 * i as f32 * c, 0.012 * i as f32 * s);
        Disc {
            centre: [x, 0.5 + y, 1.1],
            normal: [0.0, 0.0, 1.0],
            first: [0.09, 0.02, 0.0],
            second: [-0.01, 0.05, 0.0],
            colour: [0.5, 0.1, 0.4],
        }
    });
    let lit = |shape: Shape| Item { shape, casts_shadow: true };
    Picture {
        width,
        height,
        samples: 2,
        camera: Camera { position: [2.6, 2.4, 5.2], target: [0.0, 0.4, 0.0], fov: 32.0 },
        floor: Some(Floor { height: 0.0, grid: 0.5, centre: [0.0, 0.5, 0.0], radius: 1.8 }),
        items: vec![
            globe([-1.2, 0.9, -0.4], 32, Paint::Checker),
            globe([0.0, 0.6, -0.6], 32, Paint::Plain),
            globe([1.2, 0.5, -0.2], 32, Paint::Texture(Arc::new(Texture::new(stripes)))),
            lit(Shape::Balls(balls.collect())),
            lit(Shape::Rods(rods.collect())),
            lit(Shape::Discs(discs.collect())),
        ],
        overlay: Overlay { title: "both".into(), ..Overlay::default() },
    }
}

/// Share of pixels that differ by more than `limit` in any channel, and the mean difference of all [of 255].
fn difference(a: &Image, b: &Image, limit: u8) -> (f64, f64) {
    let pixels = || a.rgb.chunks_exact(3).zip(b.rgb.chunks_exact(3));
    let off = |(p, q): &(&[u8], &[u8])| (0..3).map(|k| p[k].abs_diff(q[k])).max().unwrap_or(0);
    let many = pixels().filter(|pair| off(pair) > limit).count();
    let sum: f64 = pixels().map(|pair| f64::from(off(&pair))).sum();
    let count = (a.width * a.height) as f64;
    (many as f64 / count, sum / count)
}

#[test]
fn the_device_draws_what_the_processor_draws() {
    let mut gpu = match Gpu::open(&Choice::Any) {
        Ok(gpu) => gpu,
        Err(error) => {
            assert!(std::env::var_os("PHYXEL_REQUIRE_GPU").is_none(), "a device is required: {error}");
            eprintln!("the comparison of back ends is skipped: {error}");
            return;
        }
    };
    let picture = scene(320, 180);
    let (a, b) = (Software.draw(&picture).unwrap(), gpu.draw(&picture).unwrap());
    assert_eq!((a.width, a.height), (b.width, b.height));
    let (share, mean) = difference(&a, &b, 8);
    assert!(share < 0.02 && mean < 1.0, "{:.2} % of pixels differ, by {mean:.2} of 255 on average", 100.0 * share);
    assert_eq!(gpu.draw(&picture).unwrap(), b, "and the same again");
}
