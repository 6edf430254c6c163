//! Known words, and the one that was probably meant.

/// The known word nearest to `word`, if it is near enough to be a slip of the fingers.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(word);
    known
        .into_iter()
        .map(|candidate| (distance(&wanted, &plain(candidate)), candidate))
        .filter(|(steps, candidate)| *steps <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, candidate)| candidate)
}

/// Words as a list to show.
pub(super) fn listed<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    known.into_iter().collect::<Vec<_>>().join(", ")
}

/// `Neo_Hookean` and `neo-hookean` are the same word to a reader.
fn plain(word: &str) -> Vec<char> {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Letters to insert, delete, change or swap to get from one word to the other (restricted Damerau–Levenshtein).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["step", "method", "tolerance", "young_modulus"];
        assert_eq!(nearest("stpe", known), Some("step"));
        assert_eq!(nearest("youngs_modulus", known), Some("young_modulus"));
        assert_eq!(nearest("Young-Modulus", known), Some("young_modulus"));
        assert_eq!(nearest("colour", known), None);
    }

    #[test]
    fn distance_counts_single_letter_changes() {
        let d = |a, b| distance(&plain(a), &plain(b));
        assert_eq!(d("kitten", "sitting"), 3);
        assert_eq!(d("", "abc"), 3);
        assert_eq!(d("ab", "ba"), 1);
    }
}
