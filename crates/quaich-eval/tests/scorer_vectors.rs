//! Agreement with what the scorers of the shared tasks print, to the last digit.

use std::fs;
use std::path::Path;

use quaich_eval::scorers::by_name;
use quaich_testkit::scorer_vectors;
use quaich_treebank::{ReadOptions, Reader};

/// What a scorer finds, as it prints it.
fn printed(scorer: &str, gold: &Path, system: &Path) -> String {
    let open = |path: &Path| Reader::open(path, &ReadOptions::default()).unwrap();
    by_name(scorer).unwrap().score(open(gold), open(system), &mut || ()).unwrap().to_string()
}

/// Runs `check` on what the vectors with this ending say and on what a scorer finds; tells how many there are.
fn for_each(ending: &str, scorer: &str, check: fn(&str, &str)) -> usize {
    let Some(folder) = scorer_vectors() else {
        return 0;
    };
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(ending).map(str::to_owned))
        .collect();
    names.sort();
    for name in &names {
        let extension = if ending.contains("eval") { "conll" } else { "conllu" };
        let (treebank, _) = name.rsplit_once('.').unwrap();
        let gold = folder.join(format!("{treebank}.gold.{extension}"));
        let found = printed(scorer, &gold, &folder.join(format!("{name}.{extension}")));
        let expected = fs::read_to_string(folder.join(format!("{name}{ending}"))).unwrap();
        check(&found, &expected);
    }
    assert!(!names.is_empty(), "no vectors end in {ending}");
    names.len()
}

fn same(found: &str, expected: &str) {
    assert_eq!(found, expected);
}

/// The tables of a text of `eval.pl`, up to the contexts of errors. File names differ, and rows of equal counts come in any
/// order there: rows are sorted, those of a table whose order is by count after that count.
fn tables(text: &str) -> Vec<Vec<String>> {
    let is_ours =
        |line: &&str| !line.contains("Legend") && !line.contains("results in") && !line.contains("vs. gold");
    let lines = text.lines().take_while(|line| !line.contains("focus words")).filter(is_ours);
    let mut tables = vec![Vec::new()];
    for line in lines {
        if line.is_empty() {
            tables.push(Vec::new());
        } else if let Some(table) = tables.last_mut() {
            table.push(line.to_owned());
        }
    }
    tables.retain(|table| !table.is_empty());
    tables
}

/// Whether two texts of `eval.pl` have the same tables.
fn same_tables(found: &str, expected: &str) {
    /// What rows are ordered by, where they are: words of a tag, or the count of a frame.
    fn size(row: &str) -> Option<u64> {
        let cell = match row.split('|').collect::<Vec<_>>()[..] {
            [_, words, _, _, _, _, _, _] => words,
            [frame] => frame.split_whitespace().next()?,
            _ => return None,
        };
        cell.trim().parse().ok()
    }
    let (found, expected) = (tables(found), tables(expected));
    assert_eq!(found.len(), expected.len());
    for (mut found, mut expected) in found.into_iter().zip(expected) {
        let sizes = |rows: &[String]| rows.iter().map(|row| size(row)).collect::<Vec<_>>();
        assert_eq!(sizes(&found), sizes(&expected));
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
}

#[test]
fn conllx_is_what_eval_pl_prints() {
    for_each(".eval-pl.txt", "conllx", same_tables);
}

#[test]
fn conll07_is_what_eval07_pl_prints() {
    for_each(".eval07-pl.txt", "conll07", same_tables);
}

#[test]
fn ud_is_what_conll18_ud_eval_prints() {
    for_each(".conll18.txt", "ud", same);
}

#[test]
fn conll17_is_what_conll17_ud_eval_prints() {
    for_each(".conll17.txt", "conll17", same);
}

#[test]
fn all_vectors_are_there() {
    let n = for_each(".eval-pl.txt", "conllx", |_, _| ()) + for_each(".conll18.txt", "ud", |_, _| ());
    assert!(n == 18 || scorer_vectors().is_none(), "{n} pairs");
}
