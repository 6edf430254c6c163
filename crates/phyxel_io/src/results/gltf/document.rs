//! The description at the head of a glTF file.

use super::bin::Bin;
use super::materials::Materials;
use super::plan::{FreePlan, Own, Plan};
use super::shape::TRIANGLES;
use crate::drawable::Drawable;
use serde_json::{Value, json};

/// The file short of what is streamed.
pub(super) struct Document {
    pub bin: Bin,
    materials: Materials,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// The nodes of the bodies, whose parts are children.
    roots: Vec<usize>,
    /// The first of the nodes of each body's surfaces found anew.
    free_nodes: Vec<usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    times: Vec<f32>,
}

impl Document {
    pub(super) fn of(name: &str, drawables: &[Drawable], plan: &Plan) -> (Value, Bin) {
        let mut document = Document {
            bin: Bin::default(),
            materials: Materials::default(),
            meshes: Vec::new(),
            nodes: Vec::new(),
            roots: Vec::new(),
            free_nodes: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
            times: plan.times.clone(),
        };
        for (body, drawable) in drawables.iter().enumerate() {
            document.add_body(body, drawable, plan);
        }
        document.add_streamed(drawables, plan);
        document.finish(name)
    }

    /// Everything of a body but what is streamed: its shape in the first frame, and its motions.
    fn add_body(&mut self, body: usize, drawable: &Drawable, plan: &Plan) {
        let root = self.node(json!({ "name": drawable.name, "children": [] }));
        self.roots.push(root);
        self.add_own(body, drawable, plan);
        self.free_nodes.push(self.nodes.len());
        for free in &plan.bodies[body].free {
            let name = format!("{} at {} s", drawable.name, self.times[free.record]);
            let node = self.node(json!({ "name": name }));
            self.adopt(root, node);
            self.show_when(node, |record| record == free.record);
        }
    }

    /// A body in the shape of its layout.
    fn add_own(&mut self, body: usize, drawable: &Drawable, plan: &Plan) {
        let (root, own) = (self.roots[body], plan.bodies[body].own.as_ref());
        let Some(own) = own.filter(|own| !own.base.is_empty()) else { return };
        let node = self.node(json!({ "name": drawable.name, "mesh": self.meshes.len() }));
        self.adopt(root, node);
        let mesh = self.mesh(body, drawable, own);
        self.meshes.push(mesh);
        if let Some(poses) = own.poses.as_ref().filter(|poses| poses.len() > 1) {
            let times = self.bin.times(&own.times);
            let turns: Vec<f32> = poses.iter().flat_map(|p| p.quaternion).collect();
            let travels: Vec<f32> = poses.iter().flat_map(|p| p.translation).collect();
            let (turns, travels) = (self.bin.motion(&turns, "VEC4", 4), self.bin.motion(&travels, "VEC3", 3));
            self.channel(node, "rotation", times, turns, "LINEAR");
            self.channel(node, "translation", times, travels, "LINEAR");
        } else if own.morphs() {
            let (times, targets) = (self.bin.times(&own.times), own.times.len() - 1);
            // In its first frame no target counts, in each later one its own alone.
            let mut weights = vec![0.0; (targets + 1) * targets];
            (0..targets).for_each(|k| weights[(k + 1) * targets + k] = 1.0);
            let weights = self.bin.motion(&weights, "SCALAR", 1);
            self.channel(node, "weights", times, weights, "LINEAR");
        }
        if !plan.bodies[body].free.is_empty() {
            let seen = |record: usize| plan.bodies[body].free.iter().all(|f| f.record != record);
            self.show_when(node, seen);
        }
    }

    fn mesh(&mut self, body: usize, drawable: &Drawable, own: &Own) -> Value {
        let mut attributes = json!({ "POSITION": self.bin.positions(&own.base) });
        if let Some(normals) = &own.base_normals {
            attributes["NORMAL"] = json!(self.bin.vertices(normals));
        }
        if !own.shape.uvs.is_empty() {
            attributes["TEXCOORD_0"] = json!(self.bin.vertices(&own.shape.uvs));
        }
        let colours = &drawable.look.colours;
        if !colours.is_empty() && own.shape.has_moving_normals() {
            attributes["COLOR_0"] = json!(self.bin.vertices(&own.shape.spread(colours)));
        }
        let mut primitives = Vec::new();
        for (part, corners) in &own.shape.parts {
            let material = self.materials.of_part(body, drawable, *part, &mut self.bin);
            let indices = self.bin.corners(corners);
            let mode = own.shape.mode;
            primitives
                .push(json!({ "attributes": attributes, "indices": indices, "mode": mode, "material": material }));
        }
        json!({ "name": drawable.name, "primitives": primitives })
    }

    /// What is streamed, in the order of the frames.
    fn add_streamed(&mut self, drawables: &[Drawable], plan: &Plan) {
        let mut targets: Vec<Vec<Value>> = vec![Vec::new(); drawables.len()];
        let mut freed = vec![0; drawables.len()];
        for record in 0..plan.times.len() {
            for (body, planned) in plan.bodies.iter().enumerate() {
                if let Some(free) = planned.free.get(freed[body]).filter(|f| f.record == record) {
                    self.add_free((body, freed[body]), &drawables[body], free);
                    freed[body] += 1;
                } else if let Some(own) = planned.own.as_ref().filter(|own| own.morphs() && !own.base.is_empty()) {
                    let first = planned.free.iter().take_while(|f| f.record < record).count() == record;
                    if !first {
                        let bounds = own.bounds[targets[body].len()];
                        let mut target = json!({ "POSITION": self.bin.streamed_triples(own.base.len(), Some(bounds)) });
                        if own.shape.has_moving_normals() {
                            target["NORMAL"] = json!(self.bin.streamed_triples(own.base.len(), None));
                        }
                        targets[body].push(target);
                    }
                }
            }
        }
        for (body, targets) in targets.into_iter().enumerate().filter(|(_, t)| !t.is_empty()) {
            self.attach(body, targets);
        }
    }

    fn attach(&mut self, body: usize, targets: Vec<Value>) {
        let own = self.nodes[self.roots[body]]["children"][0].as_u64().unwrap_or(0) as usize;
        let mesh = self.nodes[own]["mesh"].as_u64().unwrap_or(0) as usize;
        self.meshes[mesh]["weights"] = json!(vec![0.0; targets.len()]);
        for primitive in self.meshes[mesh]["primitives"].as_array_mut().into_iter().flatten() {
            primitive["targets"] = json!(targets);
        }
    }

    /// A surface found anew: a mesh that is there in its frame alone. Its outside has the colours of its vertices, faces of cracks
    /// the material of what is inside.
    fn add_free(&mut self, (body, place): (usize, usize), drawable: &Drawable, free: &FreePlan) {
        if free.parts.is_empty() {
            return;
        }
        let (position, normal) = (
            self.bin.streamed_triples(free.vertices, Some(free.bounds)),
            self.bin.streamed_triples(free.vertices, None),
        );
        let inside = json!({ "POSITION": position, "NORMAL": normal });
        let mut outside = inside.clone();
        outside["COLOR_0"] = json!(self.bin.streamed_triples(free.vertices, None));
        let mut primitives = Vec::new();
        for &[part, triangles] in &free.parts {
            let indices = self.bin.streamed_corners(triangles as usize);
            let (attributes, material) = match part {
                0 => (&outside, self.materials.of_vertices()),
                _ => (&inside, self.materials.of_free(body, drawable, part, &mut self.bin)),
            };
            primitives
                .push(json!({ "attributes": attributes, "indices": indices, "mode": TRIANGLES, "material": material }));
        }
        let name = self.nodes[self.free_nodes[body] + place]["name"].clone();
        self.nodes[self.free_nodes[body] + place]["mesh"] = json!(self.meshes.len());
        self.meshes.push(json!({ "name": name, "primitives": primitives }));
    }

    fn finish(self, name: &str) -> (Value, Bin) {
        let Document { bin, materials, meshes, nodes, roots, samplers, channels, .. } = self;
        let mut json = json!({
            "asset": { "version": "2.0", "generator": format!("phyxel {}", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": name, "nodes": roots }],
            "nodes": nodes,
            "buffers": [{ "byteLength": bin.length }],
        });
        let lists = [
            ("meshes", meshes),
            ("materials", materials.list),
            ("images", materials.images),
            ("textures", materials.textures),
            ("accessors", bin.accessors.clone()),
            ("bufferViews", bin.views.clone()),
        ];
        // Empty lists are not allowed.
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            json[key] = Value::Array(list);
        }
        if !channels.is_empty() {
            json["animations"] = json!([{ "name": "simulation", "samplers": samplers, "channels": channels }]);
        }
        (json, bin)
    }

    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn adopt(&mut self, parent: usize, child: usize) {
        if let Some(children) = self.nodes[parent]["children"].as_array_mut() {
            children.push(json!(child));
        }
    }

    fn channel(&mut self, node: usize, path: &str, times: usize, values: usize, interpolation: &str) {
        let sampler = json!({ "input": times, "output": values, "interpolation": interpolation });
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(sampler);
    }

    /// Shows a node in some of the frames, by its size: one or nothing.
    fn show_when(&mut self, node: usize, seen: impl Fn(usize) -> bool) {
        let changes = |r: &usize| *r == 0 || seen(*r) != seen(*r - 1);
        let keys: Vec<usize> = (0..self.times.len()).filter(changes).collect();
        let times: Vec<f32> = keys.iter().map(|r| self.times[*r]).collect();
        let sizes: Vec<f32> = keys.iter().flat_map(|r| [if seen(*r) { 1.0 } else { 0.0 }; 3]).collect();
        let (times, sizes) = (self.bin.times(&times), self.bin.motion(&sizes, "VEC3", 3));
        self.channel(node, "scale", times, sizes, "STEP");
    }
}
