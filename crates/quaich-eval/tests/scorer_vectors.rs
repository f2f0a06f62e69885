//! Agreement with the output of the shared tasks' scorers, to the last digit.

#[path = "scoring/eval_pl.rs"]
mod eval_pl;

use std::fs;
use std::path::Path;

use eval_pl::canonical;
use quaich_eval::scorers::by_name;
use quaich_testkit::scorer_vectors;
use quaich_treebank::{ReadOptions, Reader};

/// Returns the output of a scorer.
fn printed(scorer: &str, gold: &Path, system: &Path) -> String {
    let open = |path: &Path| Reader::open(path, &ReadOptions::default()).unwrap();
    by_name(scorer).unwrap().score(open(gold), open(system), &mut || ()).unwrap().to_string()
}

/// Runs `check` on each vector with this ending and the output of a scorer: on those of the repository, and those of
/// the folder in a variable; returns their number.
fn for_each(ending: &str, scorer: &str, check: fn(&str, &str)) -> usize {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    [Some(own), scorer_vectors()]
        .iter()
        .flatten()
        .map(|folder| for_each_in(folder, ending, scorer, check))
        .sum()
}

fn for_each_in(folder: &Path, ending: &str, scorer: &str, check: fn(&str, &str)) -> usize {
    let mut names: Vec<String> = fs::read_dir(folder)
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
    names.len()
}

fn same(found: &str, expected: &str) {
    assert_eq!(found, expected);
}

/// Compares the whole text, except for the order of rows with equal counts.
fn same_in_any_order_of_ties(found: &str, expected: &str) {
    assert_eq!(found.lines().count(), expected.lines().count());
    let (found, expected) = (canonical(found), canonical(expected));
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn conllx_is_what_eval_pl_prints() {
    for_each(".eval-pl.txt", "conllx", same_in_any_order_of_ties);
}

#[test]
fn conll07_is_what_eval07_pl_prints() {
    for_each(".eval07-pl.txt", "conll07", same_in_any_order_of_ties);
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
    let expected = if scorer_vectors().is_some() { 24 } else { 6 };
    assert_eq!(n, expected);
}
