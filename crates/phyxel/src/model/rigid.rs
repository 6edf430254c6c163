//! Rigid bodies and triggers within a model.

use crate::contact::Collider;
use crate::record::{BodyLayout, Cells, Look};
use crate::rigid::{Mass, mass_properties, surface};
use crate::scene::{self, Groups};
use crate::shape::TriMesh;

/// A body that does not deform.
#[derive(Clone, Debug)]
pub struct RigidModel {
    /// Its name in the scene.
    pub name: String,
    /// Its form in its own frame, and how it is to touch.
    pub surface: Collider,
    /// What it weighs.
    pub mass: Mass,
    /// What is drawn of it, in its own frame.
    pub drawn: TriMesh,
    /// How its points hang together, for results.
    pub layout: BodyLayout,
}

impl RigidModel {
    /// Takes a checked body of a scene.
    pub fn new(body: &scene::RigidBody) -> Self {
        let drawn = surface(&body.shape);
        let collider = scene::Collider {
            placement: body.placement,
            friction: body.friction,
            restitution: body.restitution,
            groups: body.groups,
            ..scene::Collider::new(body.shape.clone())
        };
        let layout = BodyLayout {
            name: body.name.clone(),
            node_count: drawn.points.len(),
            cells: Cells::Points,
            skin_triangles: drawn.triangles.clone(),
            skin_parts: Vec::new(),
            look: Look::default(),
        };
        let mass = mass_properties(&body.shape, body.density);
        RigidModel { name: body.name.clone(), surface: Collider::new(&collider), mass, drawn, layout }
    }
}

/// A region that notices who is in it.
#[derive(Clone, Debug)]
pub struct TriggerModel {
    /// Its name in the scene.
    pub name: String,
    /// Its form and place.
    pub form: Collider,
    /// Whom it notices.
    pub groups: Groups,
}

impl TriggerModel {
    /// Takes a checked trigger of a scene.
    pub fn new(trigger: &scene::Trigger) -> Self {
        let collider = scene::Collider {
            placement: trigger.placement,
            groups: trigger.groups,
            ..scene::Collider::new(trigger.shape.clone())
        };
        TriggerModel { name: trigger.name.clone(), form: Collider::new(&collider), groups: trigger.groups }
    }
}
