//! What holds and loads bodies follows their pieces.

use super::apply::Earlier;
use super::fragile::{Fragile, Pieces};
use super::relabel::Relabel;
use crate::math::{Real, Vec3};
use crate::model::Model;

/// Pins hold the copies of what they held, loads are shared by mass, and what acts on faces stays with them.
pub(super) fn relabel_supports<R: Real>(model: &mut Model<R>, relabel: &Relabel, earlier: &[Earlier]) {
    for body in relabel.changed() {
        let (old, new) = (relabel.old[body].start as u32, relabel.new[body].clone());
        let Some(sources) = &relabel.sources[body] else { continue };
        let loaded = model.loads.loaded_bodies[body] || model.heat.get(body).is_some_and(Option::is_some);
        let mut total = vec![R::zero(); if loaded { relabel.old[body].len() } else { 0 }];
        if loaded {
            sources.iter().zip(new.clone()).for_each(|(s, n)| total[s as usize] += model.masses[n]);
        }
        let share = |k: usize| model.masses[new.start + k] / total[sources.of(k) as usize];
        for k in if loaded { 0..sources.len() } else { 0..0 } {
            model.loads.dead[new.start + k] = model.loads.dead[new.start + k] * share(k);
        }
        let copies = || sources.copies();
        for pin in model.pins.iter_mut().filter(|p| p.body == body) {
            for (k, source) in copies() {
                let place = |n: u32| pin.nodes.iter().position(|m| *m == n + old);
                // On an edge, both ends must be held.
                let birth = relabel.births[body].iter().find(|b| b.node as usize == k);
                let from = match birth.map(|b| (b.ends.map(place), b.share)) {
                    None => place(source).map(|i| pin.from[i]),
                    Some(([Some(i), Some(j)], share)) => {
                        Some((Vec3(pin.from[i]) * (1.0 - share) + Vec3(pin.from[j]) * share).0)
                    }
                    Some(_) => None,
                };
                if let Some(from) = from {
                    pin.nodes.push(k as u32 + old);
                    pin.from.push(from);
                }
            }
        }
        if let Some(Some(heat)) = model.heat.get_mut(body) {
            for (k, source) in copies() {
                let held = heat.held.iter().find(|h| h.0 == source + old).map(|h| (k as u32 + old, h.1));
                heat.held.extend(held);
                let power = heat.power.iter().find(|p| p.0 == source + old).map(|p| (k as u32 + old, p.1));
                heat.power.extend(power);
            }
            for (n, watts) in &mut heat.power {
                *watts *= share((*n - old) as usize).to_f64();
            }
        }
    }
    // Copies have numbers beyond those of their body before, which only their own body can tell.
    for pin in &mut model.pins {
        let shift = relabel.shift(pin.body);
        pin.nodes.iter_mut().for_each(|n| *n = (*n as i64 + shift) as u32);
    }
    let followed = |face: [u32; 3], model: &Model<R>| {
        let body = relabel.old.partition_point(|b| b.end <= face[0] as usize);
        match relabel.sources[body] {
            Some(_) => follow(face, (body, &earlier[body]), model, relabel),
            None => face.map(|n| relabel.node(n)),
        }
    };
    for k in 0..model.loads.pressures.len() {
        model.loads.pressures[k].0 = followed(model.loads.pressures[k].0, model);
    }
    for body in 0..model.heat.len() {
        let Some(mut heat) = model.heat[body].take() else { continue };
        let shift = relabel.shift(body);
        let moved = |n: u32| (n as i64 + shift) as u32;
        heat.held.iter_mut().for_each(|h| h.0 = moved(h.0));
        heat.power.iter_mut().for_each(|p| p.0 = moved(p.0));
        heat.flux.iter_mut().for_each(|f| f.0 = followed(f.0, model));
        heat.air.iter_mut().for_each(|f| f.0 = followed(f.0, model));
        model.heat[body] = Some(heat);
    }
}

/// Where the corners of a boundary face are now: they stay with its tetrahedron.
fn follow<R: Real>(
    face: [u32; 3],
    (body, earlier): (usize, &Earlier),
    model: &Model<R>,
    relabel: &Relabel,
) -> [u32; 3] {
    let local = face.map(|n| n - relabel.old[body].start as u32);
    let owner = earlier.tets.iter().position(|t| local.iter().all(|n| t.contains(n)));
    let (Some(owner), Some(Fragile { pieces: Pieces::Tets(tets), .. })) = (owner, &model.bodies[body].fragile) else {
        return face.map(|n| relabel.node(n));
    };
    let corner = |n: u32| earlier.tets[owner].iter().position(|m| *m == n).unwrap_or(0);
    local.map(|n| tets.table.nodes[owner][corner(n)] + relabel.new[body].start as u32)
}
