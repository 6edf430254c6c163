//! dbg
use phyxel::Simulation;
use phyxel::math::Real;
fn run<R: Real>(n: usize, t: usize, until: f64, mu: f64, tol: f64) {
    let mut scene = phyxel_scenes::pile(n, t).unwrap();
    for b in &mut scene.bodies {
        b.contact.friction = Some(mu);
    }
    for c in &mut scene.colliders {
        c.friction = mu;
    }
    scene.solver.tolerance = tol;
    let mut s = Simulation::<R>::build(&scene).unwrap();
    let b = s.bodies();
    println!(
        "{} nodes, {} elements mu {mu} tol {tol}",
        b.iter().map(|b| b.nodes).sum::<usize>(),
        b.iter().map(|b| b.elements).sum::<usize>()
    );
    let mut peak: f64 = 0.0;
    let start = std::time::Instant::now();
    let frames = (until * 10.0) as usize;
    for f in 1..=frames {
        let c = std::time::Instant::now();
        let r = s.advance_to(f as f64 / 10.0).unwrap();
        let w = c.elapsed().as_secs_f64();
        let k = s.energy().kinetic_j;
        peak = peak.max(k);
        let asleep = (0..n).filter(|&b| s.is_asleep(b)).count();
        println!(
            "t {:.2} {:.1} ms/step it {} solves {:.1} sub {} roll {} contact {:.0} % rows {} early {} ke {:.2e} of peak {:.1e} asleep {} det {:.2}",
            f as f64 / 10.0,
            w * 1e3 / r.steps as f64,
            r.iterations / r.steps,
            r.solves as f64 / r.steps as f64,
            r.substeps,
            r.rollbacks,
            100.0 * r.contact_s / w,
            r.contacts,
            r.stopped_early,
            k,
            k / peak,
            asleep,
            s.smallest_determinant()
        );
    }
    println!("{:.1} s", start.elapsed().as_secs_f64());
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let p = |i: usize| a[i].parse::<f64>().unwrap();
    if a[1] == "f64" {
        run::<f64>(p(2) as usize, p(3) as usize, p(4), p(5), p(6))
    } else {
        run::<f32>(p(2) as usize, p(3) as usize, p(4), p(5), p(6))
    }
}
