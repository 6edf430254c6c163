//! Mistakes in what a scene says about breaking.

use super::cohesion::can_follow;
use crate::model::BuildError;
use crate::scene::{Action, Body, Fate, MassKind, Region, Scene};
use crate::shape::Geometry;

/// Whether a body may break: by its material now or later, or by a cut.
pub(crate) fn may_break(scene: &Scene, body: &Body) -> bool {
    let meant = |name: &Option<String>| name.as_ref().is_none_or(|n| *n == body.name);
    let by_event = |action: &Action| match action {
        Action::Cut(_) | Action::Sweep(_) => true,
        Action::SetMaterial(material) => material.fracture.is_some(),
        _ => false,
    };
    body.material.fracture.is_some() || scene.events.iter().any(|e| meant(&e.body) && by_event(&e.action))
}

/// Checks that a body that may break can.
pub(crate) fn check_body(scene: &Scene, body: &Body) -> Result<(), BuildError> {
    let name = || body.name.clone();
    if let Some(rule) = &body.fragments {
        if !(rule.smaller_than > 0.0 && rule.smaller_than.is_finite()) {
            let what = format!("smaller_than of the fragments of body {:?}", body.name);
            return Err(BuildError::BadNumber { what, value: rule.smaller_than, remedy: " m³ above zero" });
        }
        if rule.fate == Fate::Rigid && body.material.plastic.is_some() {
            let what =
                "its fragments cannot become rigid, because it yields: their shape would be lost; keep or remove them";
            return Err(BuildError::Unsupported { body: name(), what });
        }
    }
    for weakness in &body.weaknesses {
        let good = weakness.factor > 0.0 && weakness.factor.is_finite();
        if !good {
            let what = format!("the factor of a weakness of body {:?}", body.name);
            return Err(BuildError::BadNumber { what, value: weakness.factor, remedy: " above zero" });
        }
        let points = body.geometry.points();
        if let Region::Nodes(nodes) = &weakness.region
            && let Some(&node) = nodes.iter().find(|n| **n as usize >= points.len())
        {
            return Err(BuildError::NodeOutOfRange { body: name(), node, count: points.len() });
        }
        if crate::model::nodes_inside(&weakness.region, points).is_empty() {
            let what = "a weakness holds no nodes: move or enlarge its region";
            return Err(BuildError::Unsupported { body: name(), what });
        }
    }
    let elements = match &body.geometry {
        Geometry::Tets(mesh) => mesh.tets.len(),
        _ => 0,
    };
    if !body.whole_cells.is_empty() && body.whole_cells.len() != elements {
        let what = "whole_cells needs one number for each tetrahedron of its mesh";
        return Err(BuildError::Unsupported { body: name(), what });
    }
    if !may_break(scene, body) {
        return Ok(());
    }
    if body.material.fracture.is_some_and(|f| f.softening) && !can_follow(scene.solver.integrator) {
        let what = "cracks that give way over a length need forces, which pbd and xpbd do not know: leave out softening, or \
                    write method = \"implicit-euler\"";
        return Err(BuildError::Unsupported { body: name(), what });
    }
    if body.cut_elements {
        let what = match &body.geometry {
            Geometry::Tets(_) if !body.whole_cells.is_empty() => {
                "cubes that stay whole cannot be cut: leave out cut_elements"
            }
            Geometry::Tets(_) if body.material.plastic.is_some() || body.heat.is_some() => {
                "elements that remember something cannot be cut: leave out cut_elements, or plasticity and heat"
            }
            Geometry::Tets(_) => "",
            _ => "cut_elements is about tetrahedra: leave it out",
        };
        if !what.is_empty() {
            return Err(BuildError::Unsupported { body: name(), what });
        }
    }
    let what = match &body.geometry {
        Geometry::Embedded(_) => {
            "it cannot break, because its tetrahedra reach beyond its surface: fill it with others"
        }
        Geometry::Springs(_) => "springs cannot break yet: leave out strength, or use method tet, edge or mls",
        Geometry::Tets(_) if body.mass == MassKind::Consistent => "bodies that break need mass = \"lumped\"",
        Geometry::Tets(_) | Geometry::Points(_) => return Ok(()),
    };
    Err(BuildError::Unsupported { body: name(), what })
}
