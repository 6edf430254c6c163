//! The binary chunk of a GLB file and the descriptions of what is where in it.

use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
/// What a buffer view is for.
const ARRAY: u32 = 34962;
const ELEMENTS: u32 = 34963;

/// The chunk: what is held in memory comes first, what is streamed behind it is only counted.
#[derive(Default)]
pub(super) struct Bin {
    pub held: Vec<u8>,
    pub length: u64,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Bin {
    fn view(&mut self, length: usize, target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": length });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.length += length as u64;
        self.views.push(view);
        self.views.len() - 1
    }

    fn hold(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let view = self.view(bytes.len(), target);
        self.held.extend(bytes);
        let padding = bytes.len().next_multiple_of(4) - bytes.len();
        self.held.extend(std::iter::repeat_n(0, padding));
        self.length += padding as u64;
        view
    }

    fn accessor(&mut self, view: usize, kind: &str, component: u32, count: usize) -> usize {
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        self.accessors.len() - 1
    }

    fn bounded(&mut self, accessor: usize, (low, high): super::plan::Bounds) -> usize {
        self.accessors[accessor]["min"] = json!(low);
        self.accessors[accessor]["max"] = json!(high);
        accessor
    }

    /// A picture.
    pub(super) fn picture(&mut self, bytes: &[u8]) -> usize {
        self.hold(bytes, None)
    }

    /// Values of vertices, of two or three numbers each.
    pub(super) fn vertices<const N: usize>(&mut self, values: &[[f32; N]]) -> usize {
        let view = self.hold(&floats(values.as_flattened()), Some(ARRAY));
        self.accessor(view, if N == 2 { "VEC2" } else { "VEC3" }, FLOAT, values.len())
    }

    /// Positions of vertices [m].
    pub(super) fn positions(&mut self, values: &[[f32; 3]]) -> usize {
        let accessor = self.vertices(values);
        self.bounded(accessor, super::plan::bounds(values))
    }

    /// Corners.
    pub(super) fn corners(&mut self, values: &[u32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.hold(&bytes, Some(ELEMENTS));
        self.accessor(view, "SCALAR", UNSIGNED_INT, values.len())
    }

    /// Times [s], rising.
    pub(super) fn times(&mut self, values: &[f32]) -> usize {
        let view = self.hold(&floats(values), None);
        let accessor = self.accessor(view, "SCALAR", FLOAT, values.len());
        self.accessors[accessor]["min"] = json!([values.first()]);
        self.accessors[accessor]["max"] = json!([values.last()]);
        accessor
    }

    /// Values of an animation, of kind `SCALAR`, `VEC3` or `VEC4`.
    pub(super) fn motion(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        let view = self.hold(&floats(values), None);
        self.accessor(view, kind, FLOAT, values.len() / width)
    }

    /// Room for triples of vertices that are streamed; boxed where they are positions or differences of such.
    pub(super) fn streamed_triples(&mut self, count: usize, bounds: Option<super::plan::Bounds>) -> usize {
        let view = self.view(12 * count, Some(ARRAY));
        let accessor = self.accessor(view, "VEC3", FLOAT, count);
        bounds.map_or(accessor, |bounds| self.bounded(accessor, bounds))
    }

    /// Room for triangles that are streamed.
    pub(super) fn streamed_corners(&mut self, triangles: usize) -> usize {
        let view = self.view(12 * triangles, Some(ELEMENTS));
        self.accessor(view, "SCALAR", UNSIGNED_INT, 3 * triangles)
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}
