//! What the device can do, in sentences about what it cannot.

use crate::explicit;
use crate::layout::colliders;
use crate::layout::laws::{self, ANISOTROPIC};
use crate::layout::welds::{MOST_CORNERS, corners_of, pieces_of};
use crate::welds;
use phyxel::model::{BodyModel, Model};
use phyxel::scene::{Action, Body, Integrator, Lagrangian, LinearSolver, MassKind, Method, Scene};

/// Why a scene cannot be moved on a device; `None` when it can.
pub fn why_not(scene: &Scene, model: &Model<f32>) -> Option<String> {
    let integrator = scene.solver.integrator;
    if !explicit::has(integrator) && !matches!(integrator, Integrator::ImplicitEuler | Integrator::Xpbd) {
        return Some(format!("the integrator {} runs on the CPU only", integrator.name()));
    }
    if let Some(why) = scene.colliders.iter().find_map(colliders::why_not) {
        return Some(why.into());
    }
    if integrator == Integrator::Verlet && model.blocks.iter().any(|b| b.inner.flows()) {
        return Some("Verlet steps of matter that yields run on the CPU only (leap-frog runs on devices)".into());
    }
    if let Some(body) = scene.bodies.iter().find(|b| b.heat.is_some()) {
        return Some(format!("body {:?} has a temperature, and heat flows on the CPU only", body.name));
    }
    if let Some(why) = why_not_break(integrator, model).or_else(|| why_not_updated(scene)) {
        return Some(why);
    }
    if let Some(why) = why_not_together(scene, model) {
        return Some(why.into());
    }
    if integrator == Integrator::ImplicitEuler { why_not_implicit(scene, model) } else { None }
}

/// Phyxels without a rest shape.
fn why_not_updated(scene: &Scene) -> Option<String> {
    let updated = |b: &&Body| b.method == Method::Mls && b.mls.lagrangian != Lagrangian::Total;
    let body = scene.bodies.iter().find(updated)?;
    use Integrator::{ImplicitEuler, LeapFrog, SymplecticEuler, Verlet};
    let integrator = scene.solver.integrator;
    let has = matches!(integrator, ImplicitEuler | LeapFrog | SymplecticEuler | Verlet);
    let (name, how) = (&body.name, integrator.name());
    (!has).then(|| format!("body {name:?} has phyxels without a rest shape, whose steps of {how} the CPU alone takes"))
}

/// What holds bodies together or keeps them apart.
fn why_not_together(scene: &Scene, model: &Model<f32>) -> Option<&'static str> {
    let reasons = [
        (model.rows_needed(), "contact among bodies is solved on the CPU only"),
        (!scene.rigid_bodies.is_empty(), "rigid bodies are moved on the CPU only"),
        (!scene.attachments.is_empty(), "ties between bodies are solved on the CPU only"),
        (!scene.triggers.is_empty(), "triggers are watched on the CPU only"),
        (cuts(scene), "what is cut is calculated on the CPU only"),
    ];
    reasons.into_iter().find_map(|(holds, why)| holds.then_some(why))
}

fn cuts(scene: &Scene) -> bool {
    scene.events.iter().any(|e| matches!(e.action, Action::Cut(_) | Action::Sweep(_)))
}

/// Bodies that break are the work of one workgroup each.
const MOST_TETS: usize = 8192;

/// Why the bodies of a model that can break must do so on the CPU; an event may change it.
pub(crate) fn why_not_break(integrator: Integrator, model: &Model<f32>) -> Option<String> {
    let breaks = model.bodies.iter().find(|b| b.fragile.is_some())?;
    let name = &breaks.name;
    if let Some(whole) = model.bodies.iter().find(|b| b.fragile.is_none()) {
        return Some(format!("body {name:?} can break and body {:?} cannot, and the CPU alone moves both", whole.name));
    }
    if !welds::has(integrator) {
        return Some(format!("body {name:?} can break, which steps of {} do on the CPU only", integrator.name()));
    }
    if !model.pins.is_empty() || !model.loads.pressures.is_empty() || model.loads.dead.iter().any(|f| f.0 != [0.0; 3]) {
        return Some("what is held or loaded and can break is calculated on the CPU only".into());
    }
    model.bodies.iter().enumerate().find_map(|(b, body)| {
        let how = how_only_cpu_breaks(model, b, body)?;
        Some(format!("body {:?} breaks {how}, which the CPU alone does", body.name))
    })
}

fn how_only_cpu_breaks(model: &Model<f32>, number: usize, body: &BodyModel) -> Option<&'static str> {
    let Some((fragile, tets)) = pieces_of(body).filter(|_| body.method == Method::Tet) else {
        return Some("as phyxels or with smoothed strains");
    };
    let fracture = body.material.fracture?;
    let most = || {
        let mut cells = vec![0; fragile.strength.len()];
        corners_of(fragile, tets).keys().for_each(|(origin, _)| cells[*origin as usize] += 1);
        cells.into_iter().max().unwrap_or(0)
    };
    let reasons = [
        (fragile.cuts, "through its elements"),
        (fragile.rule.is_some(), "into small pieces that become something else"),
        (fracture.softening || !fragile.links.is_empty(), "with cracks that give way over a length"),
        (fracture.tip_strength != 1.0 || fracture.fracture_energy > 0.0, "more easily, or less so, at tips of cracks"),
        (fracture.grain.is_some(), "along a grain"),
        (model.blocks.iter().any(|b| b.body == number && b.inner.flows()), "after it has yielded"),
        (!fragile.loose.is_empty(), "no faster than its budget of nodes allows"),
        (tets.table.len() > MOST_TETS, "into more than 8192 tetrahedra"),
    ];
    let known = reasons.into_iter().find_map(|(holds, how)| holds.then_some(how));
    known.or_else(|| (most() > MOST_CORNERS).then_some("where more than 32 cells meet in a node"))
}

fn why_not_implicit(scene: &Scene, model: &Model<f32>) -> Option<String> {
    if matches!(scene.solver.linear, LinearSolver::Cholesky | LinearSolver::Lu) {
        return Some(format!("the solver {} factors on the CPU only", scene.solver.linear.name()));
    }
    if scene.solver.newton_iterations > 1 {
        return Some("more than one Newton iteration per step runs on the CPU only".into());
    }
    if let Some(body) = model.bodies.iter().find(|b| b.mass == MassKind::Consistent) {
        return Some(format!("body {:?} has a consistent mass, which the CPU alone knows", body.name));
    }
    model.blocks.iter().find_map(|block| {
        let (key, _) = laws::of_block(block, block.inner.flows());
        let numeric = key.law == ANISOTROPIC || (key.law == 0 && key.volume);
        let name = &model.bodies[block.body].name;
        numeric.then(|| format!("the tangent of body {name:?} is projected numerically, on the CPU only"))
    })
}
