//! The output of `eval.pl` and `eval07.pl` in a canonical order: they print rows of equal count in any order, and
//! number errors accordingly.

use std::cmp::Reverse;
use std::fmt::Debug;

/// Returns the lines of a text except those that name files, with rows of equal count sorted by name, and without the
/// numbers of errors. Checks that counts fall and numbers rise.
pub(crate) fn canonical(text: &str) -> Vec<String> {
    let (tables, errors) = text.split_once("  Specific errors").expect("there is a list of errors");
    let (specific, shared) = errors.split_once("  Local contexts").expect("there is a list of contexts");
    let mut lines = canonical_tables(tables);
    let (blocks, descriptions) = canonical_errors(specific);
    lines.extend(blocks);
    lines.extend(canonical_contexts(shared, &descriptions));
    lines
}

fn canonical_tables(text: &str) -> Vec<String> {
    let names_file = |line: &&str| line.contains("results in") || line.contains("vs. gold");
    let mut lines = Vec::new();
    // The rows of the current table, and those of its right half, if it has one.
    let mut halves: [Vec<(u64, String)>; 2] = Default::default();
    for line in text.lines().filter(|line| !names_file(line)) {
        let parts: Vec<&str> = line.split("||").collect();
        if parts.iter().all(|part| count(part).is_none()) {
            for rows in &mut halves {
                lines.extend(by_count(std::mem::take(rows)));
            }
            lines.push(line.to_owned());
        } else {
            for (rows, part) in halves.iter_mut().zip(parts) {
                // If one half has fewer rows, its cells are empty.
                rows.push((count(part).unwrap_or(0), part.to_owned()));
            }
        }
    }
    lines
}

/// Returns the sort key of a row: words of a tag, errors of a word, or the count of a frame.
fn count(row: &str) -> Option<u64> {
    let cell = match row.split('|').collect::<Vec<_>>()[..] {
        [_, words, _, _, _, _, _, _] => words,
        [_, errors, _, _, _] => errors,
        [frame] => frame.trim_start().split_once("  ")?.0,
        _ => return None,
    };
    cell.trim().parse().ok()
}

/// Returns errors with their contexts, and their descriptions in numeric order.
fn canonical_errors(text: &str) -> (Vec<String>, Vec<String>) {
    let mut lines = text.lines();
    let mut found: Vec<String> =
        lines.by_ref().take_while(|line| !line.is_empty()).map(str::to_owned).collect();
    let mut blocks: Vec<(u64, Vec<String>)> = Vec::new();
    let mut descriptions = Vec::new();
    let mut rows = Vec::new();
    for line in lines {
        if let Some((number, description, times)) = numbered(line) {
            descriptions.push(description.to_owned());
            assert_eq!(number, descriptions.len());
            blocks.push((times, vec![description.to_owned()]));
            continue;
        }
        let (_, block) = blocks.last_mut().expect("lines belong to an error");
        let row = line.rsplit_once('|').and_then(|(_, count)| count.trim().parse().ok());
        if let Some(count) = row {
            rows.push((count, line.to_owned()));
        } else {
            block.extend(by_count(std::mem::take(&mut rows)));
            block.push(line.to_owned());
        }
    }
    // The separator of the next list is not part of its last error.
    for (_, block) in &mut blocks {
        while block.last().is_some_and(String::is_empty) {
            block.pop();
        }
    }
    found.extend(by_count(blocks).into_iter().flatten());
    (found, descriptions)
}

fn canonical_contexts(text: &str, descriptions: &[String]) -> Vec<String> {
    let (heading, rest) = text.split_once("\n\n\n").expect("contexts have a heading");
    let blocks = rest.split("\n\n").filter(|block| !block.is_empty()).map(|block| {
        let (errors, mut lines): (Vec<&str>, Vec<&str>) =
            block.lines().partition(|line| numbered(line).is_some());
        let errors = errors.into_iter().filter_map(numbered).map(|(number, description, times)| {
            assert_eq!(description, descriptions[number - 1]);
            (times, format!("{description} {times}"))
        });
        let errors = by_count(errors.collect());
        let n_errors = errors.len() as u64;
        lines.push("");
        (n_errors, lines.into_iter().map(str::to_owned).chain(errors).collect::<Vec<_>>())
    });
    let blocks = by_count(blocks.collect());
    std::iter::once(heading.to_owned()).chain(blocks.into_iter().flatten()).collect()
}

/// Parses `   7. head = 0 instead of before the focus word, correct dependency : 11 times`.
fn numbered(line: &str) -> Option<(usize, &str, u64)> {
    let (number, rest) = line.split_once(". ")?;
    let (description, times) = rest.strip_suffix(" times")?.rsplit_once(" : ")?;
    let found = (number.trim().parse().ok()?, description, times.parse().ok()?);
    assert_eq!(line, format!("  {:2}. {description} : {times} times", found.0));
    Some(found)
}

/// Returns rows by count, which must be sorted already, with ties sorted.
fn by_count<T: Ord + Debug>(mut rows: Vec<(u64, T)>) -> Vec<T> {
    assert!(rows.is_sorted_by_key(|(count, _)| Reverse(*count)), "{rows:?}");
    rows.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    rows.into_iter().map(|(_, row)| row).collect()
}
