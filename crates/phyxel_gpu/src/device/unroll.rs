//! Loops whose number of rounds is known, written out. wgpu puts a counter into every loop so that none runs for ever, which costs
//! small loops more than their work, and indices that are no constants send matrices to slow memory.

/// The most rounds that are written out.
const MOST: usize = 16;

/// A source with its short loops written out: those that count up by one between two numbers, or halve one down to zero, and that
/// nothing leaves early.
pub(crate) fn unrolled(source: &str) -> String {
    let mut out = String::with_capacity(2 * source.len());
    let mut rest = source;
    while let Some(start) = rest.find("for (var ") {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let Some((head, body, after)) = parts(from) else {
            out.push_str(from);
            return out;
        };
        let leaves = ["break", "continue", "return"].iter().any(|word| body.contains(word));
        match rounds(head).filter(|rounds| !leaves && rounds.1.len() <= MOST) {
            Some((name, values)) => {
                for value in values {
                    out.push_str(&format!("{{{}}}", unrolled(&renamed(body, name, &value))));
                }
            }
            None => out.push_str(&format!("{head}{{{}}}", unrolled(body))),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The head of a loop, what is between its braces, and what follows.
fn parts(source: &str) -> Option<(&str, &str, &str)> {
    let open = source.find('{')?;
    let mut depth = 0;
    for (i, c) in source[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&source[..open], &source[open + 1..open + i], &source[open + i + 1..]));
        }
    }
    None
}

/// The counter of a loop and the values that it takes, where its head tells them.
fn rounds(head: &str) -> Option<(&str, Vec<String>)> {
    let inner = head.strip_prefix("for (var ")?.trim_end().strip_suffix(')')?;
    let mut clauses = inner.split(';').map(str::trim);
    let (name, first) = clauses.next()?.split_once('=')?;
    let (name, first) = (name.trim(), number(first)?);
    let (condition, step) = (clauses.next()?, clauses.next()?);
    let with_suffix = |value: i64| format!("{value}{}", if condition.ends_with('u') { "u" } else { "" });
    if let Some(end) = condition.strip_prefix(name).and_then(|c| c.trim().strip_prefix('<')).and_then(number) {
        let one = step.strip_prefix(name)?.trim().strip_prefix("+=").and_then(number)?;
        let values = (first..end).map(with_suffix).collect::<Vec<_>>();
        return (one == 1).then_some((name, values));
    }
    let down_to = condition.strip_prefix(name)?.trim().strip_prefix('>').and_then(number)?;
    let halves = step.strip_prefix(name)?.trim().strip_prefix("/=").and_then(number)? == 2;
    let values = std::iter::successors(Some(first), |width| Some(width / 2)).take_while(|width| *width > 0);
    (halves && down_to == 0).then(|| (name, values.map(with_suffix).collect()))
}

/// A number, or a sum of two.
fn number(text: &str) -> Option<i64> {
    let one = |text: &str| text.trim().trim_end_matches('u').parse::<i64>().ok().filter(|n| *n >= 0);
    match text.split_once('+') {
        Some((a, b)) => Some(one(a)? + one(b)?),
        None => one(text),
    }
}

/// A text with a value in the place of a name.
fn renamed(text: &str, name: &str, value: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, from) = rest.split_at(at);
        let after = &from[name.len()..];
        out.push_str(before);
        // Members and longer names stay.
        let own = !before.ends_with(|c| is_word(c) || c == '.') && !after.starts_with(is_word);
        out.push_str(if own { value } else { name });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::unrolled;

    #[test]
    fn loops_within_loops_are_written_out() {
        let source =
            "for (var a = 0u; a < 2u; a += 1u) { for (var b = a + 1u; b < 3u; b += 1u) { x[a] += v.a[b]; } } end";
        assert_eq!(unrolled(source), "{ { x[0u] += v.a[1u]; }{ x[0u] += v.a[2u]; } }{ { x[1u] += v.a[2u]; } } end");
        let tree = "for (var w = 4u; w > 0u; w /= 2u) { s[l] += s[l + w]; }";
        assert_eq!(unrolled(tree), "{ s[l] += s[l + 4u]; }{ s[l] += s[l + 2u]; }{ s[l] += s[l + 1u]; }");
    }

    #[test]
    fn other_loops_stay() {
        for source in [
            "for (var k = 0u; k < count; k += 1u) { s += k; }",
            "for (var k = start; k + 1u < 9u; k += 2u) { s += k; }",
            "for (var k = 0; k < 6; k += 1) { if x { break; } }",
            "for (var k = 0u; k < 64u; k += 1u) { s += k; }",
        ] {
            assert_eq!(unrolled(source).replace("){", ") {"), source);
        }
        let inner = "for (var k = 0u; k < n; k += 1u) { for (var j = 0; j < 2; j += 1) { s += kj[j]; } }";
        assert!(unrolled(inner).contains("{ s += kj[0]; }{ s += kj[1]; }"), "{}", unrolled(inner));
    }
}
