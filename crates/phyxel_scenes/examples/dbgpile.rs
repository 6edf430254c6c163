//! dbg
use phyxel::Simulation;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let t: usize = a[2].parse().unwrap();
    let until: f64 = a[3].parse().unwrap();
    let scene = phyxel_scenes::pile(n, t).unwrap();
    let mut s = Simulation::<f32>::build(&scene).unwrap();
    let b = s.bodies();
    println!(
        "{} nodes, {} elements",
        b.iter().map(|b| b.nodes).sum::<usize>(),
        b.iter().map(|b| b.elements).sum::<usize>()
    );
    let mut peak: f64 = 0.0;
    let start = std::time::Instant::now();
    let frames = (until * 20.0) as usize;
    for f in 1..=frames {
        let c = std::time::Instant::now();
        let r = s.advance_to(f as f64 / 20.0).unwrap();
        let w = c.elapsed().as_secs_f64();
        let k = s.energy().kinetic_j;
        peak = peak.max(k);
        let asleep = (0..n).filter(|&b| s.is_asleep(b)).count();
        println!(
            "t {:.2} {:.1} ms/step it {} solves {} sub {} roll {} contact {:.0} % rows {} early {} ke {:.2e} of peak {:.1e} asleep {} det {:.2}",
            f as f64 / 20.0,
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
