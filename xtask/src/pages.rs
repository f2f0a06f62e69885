//! Checks the Markdown pages: links to files and headings of the repository exist, and no page of the manual is too long.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::phrases;

/// The files and folders that are checked.
const CHECKED: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "benchmarks",
    "bindings/python/README.md",
    "crates",
    "data",
    "docs",
    "fuzz/README.md",
    "tests",
];

/// The folder of the manual.
const MANUAL: &str = "docs";

/// The maximum number of words on a page of the manual.
const MAX_WORDS: usize = 2_500;

/// Returns the number of pages checked, or one message per page that is too long and per link without a target.
pub(crate) fn check() -> Result<usize, Vec<String>> {
    let mut files = Vec::new();
    for path in CHECKED.iter().map(Path::new).filter(|path| path.exists()) {
        phrases::collect(path, &mut files).map_err(|error| vec![format!("{}: {error}", path.display())])?;
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    files.sort();
    let mut found = Vec::new();
    for path in &files {
        let shown = path.display();
        let Ok(text) = fs::read_to_string(path) else {
            found.push(format!("{shown}: cannot be read"));
            continue;
        };
        let n_words = text.split_whitespace().count();
        if path.starts_with(MANUAL) && n_words > MAX_WORDS {
            found.push(format!("{shown}: found {n_words} words, expected at most {MAX_WORDS}"));
        }
        for (line, link) in links(&text) {
            if !has_target(path, &text, &link) {
                found.push(format!("{shown}:{line}: the target of `{link}` does not exist"));
            }
        }
    }
    if found.is_empty() { Ok(files.len()) } else { Err(found) }
}

/// Returns the links of a page to the repository, with their lines. Code is ignored.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let outside_code: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for after in outside_code.split("](").skip(1) {
            let link = after.split([')', ' ']).next().unwrap_or_default();
            if !link.contains("://") && !link.starts_with("mailto:") {
                found.push((number, link.to_owned()));
            }
        }
    }
    found
}

/// Returns the lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

fn has_target(page: &Path, text: &str, link: &str) -> bool {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let path = page.with_file_name(file);
    let is_page = path.extension().is_some_and(|ending| ending == "md");
    if file.is_empty() {
        headings(text).contains(heading)
    } else if heading.is_empty() || !is_page {
        path.exists()
    } else {
        fs::read_to_string(path).is_ok_and(|text| headings(&text).contains(heading))
    }
}

/// Returns the names of the headings of a page, as links use them.
fn headings(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text).filter(|(_, line)| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let name: String = title
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            })
            .collect();
        // The second heading with a name is `name-1`.
        let same = (0..).map(|n| if n == 0 { name.clone() } else { format!("{name}-{n}") });
        let free = same.into_iter().find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n[a](b.md#c) and [d](https://e) `[f](g)`\n```\n# no heading\n[h](i)\n```\n## Two `words`, 3\n## Same\n## Same\n[j](#same-1)\n";

    #[test]
    fn links_outside_code_are_found() {
        assert_eq!(links(PAGE), [(2, "b.md#c".to_owned()), (10, "#same-1".to_owned())]);
    }

    #[test]
    fn headings_have_names() {
        let names: Vec<String> = headings(PAGE).into_iter().collect();
        assert_eq!(names, ["a-page", "same", "same-1", "two-words-3"]);
    }

    #[test]
    fn targets_are_files_and_headings() {
        let page = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md"));
        for link in ["#same", "docs/README.md", "docs", "docs/glossary.md#glossary", "LICENSE-MIT"] {
            assert!(has_target(page, PAGE, link), "{link}");
        }
        for link in ["#sam", "docs/READ.md", "docs/glossary.md#no-such-heading"] {
            assert!(!has_target(page, PAGE, link), "{link}");
        }
    }
}
