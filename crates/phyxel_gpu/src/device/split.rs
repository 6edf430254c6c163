//! Kernels for arrays in several buffers: every use of such an array is rewritten to a function that picks the buffer.
//! Kernels are written as if there were one; where one is enough, they stay as they are.

/// An array of a kernel that is to be split.
struct Split<'a> {
    name: &'a str,
    item: &'a str,
    parts: usize,
    /// Items per part.
    items: u64,
    written: bool,
}

/// Rewrites a kernel whose binding `i` has `parts[i]` buffers of `part_bytes` each; the bindings are numbered anew.
pub(super) fn split(source: &str, parts: &[usize], part_bytes: u64) -> String {
    let mut head = String::new();
    let mut body = String::new();
    let mut splits = Vec::new();
    for line in source.lines() {
        let Some((binding, rest)) = declaration(line) else {
            body.push_str(line);
            body.push('\n');
            continue;
        };
        let first: usize = parts[..binding.min(parts.len())].iter().sum();
        let count = parts.get(binding).copied().unwrap_or(1);
        match (count, storage(rest)) {
            (2.., Some((name, item))) => {
                let written = rest.contains("read_write");
                let size = if written { "read_write" } else { "read" };
                for i in 0..count {
                    let number = first + i;
                    head.push_str(&format!(
                        "@group(0) @binding({number}) var<storage, {size}> {name}_{i}: array<{item}>;\n"
                    ));
                }
                let items = part_bytes / item_bytes(item);
                splits.push(Split { name, item, parts: count, items, written });
            }
            _ => head.push_str(&format!("@group(0) @binding({first}) {rest}\n")),
        }
    }
    for split in &splits {
        body = rewrite(&body, split.name);
        body.push_str(&accessors(split));
    }
    head + &body
}

/// The binding number and what follows it.
fn declaration(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix("@group(0) @binding(")?;
    let (number, rest) = rest.split_once(')')?;
    Some((number.parse().ok()?, rest.trim_start()))
}

/// Name and item type of an array whose items can be moved about.
fn storage(rest: &str) -> Option<(&str, &str)> {
    let (_, rest) = rest.split_once('>')?;
    let (name, rest) = rest.trim_start().split_once(": array<")?;
    let item = rest.strip_suffix(">;")?;
    ["f32", "u32", "vec2u", "vec4u", "vec4f"].contains(&item).then_some((name, item))
}

fn item_bytes(item: &str) -> u64 {
    match item {
        "f32" | "u32" => 4,
        "vec2u" => 8,
        _ => 16,
    }
}

/// `name[i]` becomes `name_at(i)`, and `name[i] = x;` becomes `name_set(i, x);`.
fn rewrite(source: &str, name: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let pattern = format!("{name}[");
    while let Some(at) = rest.find(&pattern) {
        let before = rest[..at].chars().next_back();
        let inside = &rest[at + pattern.len()..];
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') {
            out.push_str(&rest[..at + pattern.len()]);
            rest = inside;
            continue;
        }
        out.push_str(&rest[..at]);
        let end = closing(inside);
        let index = rewrite(&inside[..end], name);
        let after = &inside[end + 1..];
        let value = after.strip_prefix(" = ").and_then(|value| value.split_once(';'));
        if let Some((value, remaining)) = value {
            out.push_str(&format!("{name}_set({index}, {});", rewrite(value, name)));
            rest = remaining;
        } else {
            out.push_str(&format!("{name}_at({index})"));
            rest = after;
        }
    }
    out + rest
}

/// Where the bracket that is open at the start closes.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    for (i, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    text.len()
}

fn accessors(split: &Split<'_>) -> String {
    let Split { name, item, parts, items, written } = split;
    let cases = |case: &dyn Fn(usize) -> String| -> String {
        let named = (0..parts - 1).map(|i| format!("        case {i}u: {{ {} }}\n", case(i)));
        named.chain([format!("        default: {{ {} }}\n", case(parts - 1))]).collect()
    };
    let read = cases(&|i| format!("return {name}_{i}[i % {items}u];"));
    let mut text = format!("\nfn {name}_at(i: u32) -> {item} {{\n    switch i / {items}u {{\n{read}    }}\n}}\n");
    if *written {
        let write = cases(&|i| format!("{name}_{i}[i % {items}u] = x;"));
        text.push_str(&format!(
            "\nfn {name}_set(i: u32, x: {item}) {{\n    switch i / {items}u {{\n{write}    }}\n}}\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is done to items of an array that is split: only whole ones can be read and written.
    #[test]
    fn no_kernel_writes_a_part_of_an_item() {
        for (name, source) in super::super::sources::all() {
            let count = source.lines().filter(|line| declaration(line).is_some()).count();
            let text = split(&source, &vec![2; count], 1 << 20);
            for (at, _) in text.match_indices("_at(") {
                let inside = &text[at + "_at(".len()..];
                let mut depth = 1;
                let end = inside.find(|c| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                });
                let after = &inside[end.expect("a bracket closes") + 1..];
                let after = after.trim_start_matches(|c: char| c == '.' || c.is_alphanumeric()).trim_start();
                let is_written = ["=", "+=", "-=", "*=", "|=", "&="]
                    .iter()
                    .any(|sign| after.strip_prefix(sign).is_some_and(|rest| !rest.starts_with('=')));
                let line = &text[..at].lines().last().unwrap_or_default();
                assert!(!is_written, "{name}: {line}_at(...){}", &after[..after.len().min(30)]);
            }
        }
    }

    #[test]
    fn reads_and_writes_become_calls_and_bindings_are_numbered_anew() {
        let source = "@group(0) @binding(0) var<uniform> job: Job;\n\
                      @group(0) @binding(1) var<storage, read> a: array<u32>;\n\
                      @group(0) @binding(2) var<storage, read_write> b: array<vec4f>;\n\
                      fn main() {\n    b[a[2u * i]] = b[i] + aa[i] * s.a[0];\n}\n";
        let found = split(source, &[1, 2, 1], 1024);
        assert!(found.contains("@binding(3) var<storage, read_write> b: array<vec4f>;"), "{found}");
        assert!(found.contains("@binding(2) var<storage, read> a_1: array<u32>;"), "{found}");
        assert!(found.contains("b[a_at(2u * i)] = b[i] + aa[i] * s.a[0];"), "{found}");
        assert!(found.contains("switch i / 256u"), "{found}");
        let both = split(source, &[1, 2, 3], 1024);
        assert!(both.contains("b_set(a_at(2u * i), b_at(i) + aa[i] * s.a[0]);"), "{both}");
    }
}
