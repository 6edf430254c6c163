//! Numbers out of buffers: every place is checked against the bytes there before anything is read.

use super::document::{Accessor, Document};
use crate::input::{Problem, array};
use std::borrow::Cow;

/// The document with its buffers, those that are used.
pub(super) struct Data<'a> {
    pub(super) document: &'a Document,
    pub(super) buffers: Vec<Option<Cow<'a, [u8]>>>,
}

type Result<T> = std::result::Result<T, Problem>;

/// Numbers of one accessor.
struct Window<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    component: u32,
    normalized: bool,
}

impl Data<'_> {
    /// The number of items that an accessor really has.
    pub(super) fn count(&self, accessor: usize, shape: &str) -> Result<usize> {
        Ok(self.window(accessor, &[shape])?.count)
    }

    /// Items of `N` numbers; `shapes` are the types allowed, and missing components are `fill`.
    pub(super) fn vectors<const N: usize>(&self, accessor: usize, shapes: &[&str], fill: f64) -> Result<Vec<[f64; N]>> {
        let window = self.window(accessor, shapes)?;
        let there = components(&self.document.accessors[accessor].shape).unwrap_or(0);
        let width = size(window.component).unwrap_or(1);
        let item = |i: usize| {
            std::array::from_fn(|k| if k < there { window.number(i * window.stride + k * width) } else { fill })
        };
        Ok((0..window.count).map(item).collect())
    }

    /// Indices of vertices.
    pub(super) fn indices(&self, accessor: usize) -> Result<Vec<u32>> {
        let window = self.window(accessor, &["SCALAR"])?;
        if !matches!(window.component, 5121 | 5123 | 5125) {
            return Err(malformed("indices are not unsigned integers".into()));
        }
        Ok((0..window.count).map(|i| window.number(i * window.stride) as u32).collect())
    }

    fn window(&self, index: usize, shapes: &[&str]) -> Result<Window<'_>> {
        let missing = |what, index: usize, count| Problem::OutOfRange { what, index: index as i64, count };
        let document = self.document;
        let accessor = document.accessors.get(index).ok_or(missing("accessor", index, document.accessors.len()))?;
        if !shapes.contains(&accessor.shape.as_str()) {
            let found = crate::input::shortened(accessor.shape.as_bytes());
            return Err(malformed(format!("accessor {index} is of type `{found}`, not {}", shapes.join(" or "))));
        }
        let view = accessor.buffer_view.filter(|_| accessor.sparse.is_none());
        let Some(view) = view else {
            let what = format!("accessor {index} (sparse, or without a buffer)");
            return Err(Problem::Unsupported { what, remedy: "export without compression and sparse accessors" });
        };
        let view = document.buffer_views.get(view).ok_or(missing("buffer view", view, document.buffer_views.len()))?;
        let buffer = self.buffers.get(view.buffer).and_then(Option::as_ref);
        let buffer = buffer.ok_or(missing("buffer", view.buffer, document.buffers.len()))?;
        let whole = cut(buffer, view.byte_offset, view.byte_length, "a buffer view")?;
        window_in(whole, accessor, view.byte_stride)
    }
}

fn window_in<'a>(view: &'a [u8], accessor: &Accessor, stride: Option<u64>) -> Result<Window<'a>> {
    let unknown = || malformed(format!("numbers of type {} are unknown", accessor.component_type));
    let width = size(accessor.component_type).ok_or_else(unknown)? as u64;
    let item = width * components(&accessor.shape).unwrap_or(1) as u64;
    let stride = stride.filter(|s| *s > 0).unwrap_or(item);
    let length = match accessor.count {
        0 => 0,
        n => (n - 1).saturating_mul(stride).saturating_add(item),
    };
    // With a stride below one item, fewer bytes than items could pass for many: no file needs that.
    if stride < item {
        return Err(malformed(format!("a stride of {stride} bytes is shorter than its items of {item}")));
    }
    let bytes = cut(view, accessor.byte_offset, length, "an accessor")?;
    Ok(Window {
        bytes,
        stride: stride as usize,
        count: accessor.count as usize,
        component: accessor.component_type,
        normalized: accessor.normalized,
    })
}

impl Window<'_> {
    fn number(&self, at: usize) -> f64 {
        let b = self.bytes;
        let scaled = |value: f64, most: f64| if self.normalized { (value / most).max(-1.0) } else { value };
        match self.component {
            5120 => scaled(f64::from(b[at] as i8), 127.0),
            5121 => scaled(f64::from(b[at]), 255.0),
            5122 => scaled(f64::from(i16::from_le_bytes(array(b, at))), 32767.0),
            5123 => scaled(f64::from(u16::from_le_bytes(array(b, at))), 65535.0),
            5125 => f64::from(u32::from_le_bytes(array(b, at))),
            _ => f64::from(f32::from_le_bytes(array(b, at))),
        }
    }
}

fn cut<'a>(bytes: &'a [u8], offset: u64, length: u64, what: &str) -> Result<&'a [u8]> {
    let needed = offset.saturating_add(length);
    let range = usize::try_from(offset).ok().zip(usize::try_from(needed).ok());
    let found = range.and_then(|(from, to)| bytes.get(from..to));
    found.ok_or(Problem::Truncated { what: what.into(), needed, there: bytes.len() as u64 })
}

fn components(shape: &str) -> Option<usize> {
    Some(match shape {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => return None,
    })
}

fn size(component: u32) -> Option<usize> {
    Some(match component {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    })
}

fn malformed(what: String) -> Problem {
    Problem::Malformed { what, remedy: "export the file again" }
}
