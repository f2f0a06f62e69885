//! Properties of all transformations of the table.

mod common;

use std::error::Error;

use common::{all_different, labelled, no_sentence};
use proptest::prelude::*;
use quaich_testkit::strategies::mixed_tree;
use quaich_testkit::trees::for_each_tree;
use quaich_transform::{Scratch, Specification, TRANSFORMS, Transform, by_spec, frozen_inverse};
use quaich_treebank::shape::IllFormed;
use quaich_treebank::{Label, Symbols, Tree, UnknownName};

/// All options of all transformations, and some compositions.
fn specs() -> Vec<String> {
    let mut all = Vec::new();
    for entry in TRANSFORMS {
        let file = common::file_for(entry);
        all.push(format!("{}{file}", entry.name));
        for word in entry.choices.iter().flat_map(|choice| choice.words) {
            // Danish auxiliaries already are heads, and so are Prague's conjunctions.
            if matches!((entry.name, word.name), ("verb-groups", "ddt") | ("coordination", "ps")) {
                continue;
            }
            all.push(format!("{}:{}{file}", entry.name, word.name));
        }
    }
    all.extend(["pseudo-projective:head+path:deepest:covered-left:malt".to_owned()]);
    let pairs: Vec<String> = all.iter().map(|one| format!("{one},pseudo-projective:head+path")).collect();
    all.extend(pairs);
    all
}

fn all() -> Vec<(String, Box<dyn Transform>)> {
    specs().into_iter().map(|spec| (spec.clone(), by_spec(&spec).unwrap())).collect()
}

/// Applies and inverts: trees stay trees, and labels are restored. Returns the restored tree.
fn check(
    spec: &str,
    transform: &dyn Transform,
    gold: &Tree,
    labels: &mut Symbols<Label>,
    scratch: &mut Scratch,
) -> Tree {
    let sentence = no_sentence();
    let mut tree = gold.clone();
    transform.apply(&sentence, &mut tree, labels, scratch).unwrap();
    assert!(tree.is_well_formed(), "{gold:?} {tree:?}");
    let applied = tree.clone();
    let n_learned = labels.len();
    let inverse = transform.inverse(labels);
    inverse.invert(&sentence, &mut tree, scratch);
    assert!(tree.is_well_formed(), "{gold:?} {applied:?} {tree:?}");
    assert_eq!(tree.labels(), gold.labels(), "{spec}");
    // The same with a frozen table, as in a model file.
    let n_labels = labels.len();
    let mut again = applied;
    frozen_inverse(spec, transform, &labels.clone().freeze(), n_learned)
        .unwrap()
        .invert(&sentence, &mut again, scratch);
    assert_eq!(again, tree);
    assert_eq!(labels.len(), n_labels);
    tree
}

#[test]
fn specifications_are_read_as_written() {
    for spec in specs() {
        let read: Specification = spec.parse().unwrap();
        assert_eq!(read.to_string().parse::<Specification>().unwrap().to_string(), read.to_string());
    }
    for entry in TRANSFORMS {
        let file = common::file_for(entry);
        let bare: Specification = format!("{}{file}", entry.name).parse().unwrap();
        let first =
            entry.choices.first().map_or(String::new(), |choice| format!(":{}", choice.words[0].name));
        assert_eq!(bare.to_string(), format!("{}{first}{file}", entry.name));
    }
}

#[test]
fn unknown_names_list_the_known_ones() {
    let error = |spec: &str| by_spec(spec).unwrap_err().to_string();
    assert!(error("projective").starts_with("unknown transformation `projective`; known: pro"));
    assert!(error("pseudo-projective:head:path").contains("expected one of the two"));
    assert!(error("pseudo-projective:").starts_with("unknown variant ``; known: "));
    assert!(error("pseudo-projective:head,").starts_with("unknown transformation ``; known: "));
    // Programs can see that the error is in the options.
    let error = by_spec("projective").unwrap_err();
    assert!(error.source().unwrap().is::<UnknownName>());
}

#[test]
fn all_small_trees_there_and_back() {
    let mut scratch = Scratch::default();
    for (spec, transform) in all() {
        let mut labels = Symbols::new();
        for n_tokens in 0..=4 {
            for_each_tree(n_tokens, |heads| {
                let gold = all_different(heads, &mut labels);
                check(&spec, &*transform, &gold, &mut labels, &mut scratch);
            });
        }
    }
}

#[test]
fn what_is_no_tree_is_refused_and_left_alone() {
    let mut scratch = Scratch::default();
    for (spec, transform) in all() {
        for heads in [&[2, 1][..], &[0, 7], &[1]] {
            let mut labels = Symbols::new();
            let gold = all_different(&Tree::from_heads(heads), &mut labels);
            let mut tree = gold.clone();
            let refused = transform.apply(&no_sentence(), &mut tree, &mut labels, &mut scratch);
            assert_eq!(refused, Err(IllFormed), "{spec}");
            assert_eq!(tree, gold);
        }
    }
}

#[test]
fn a_table_that_no_inverse_has_seen_is_refused() {
    let transform = by_spec("pseudo-projective:head").unwrap();
    let mut labels = Symbols::<Label>::new();
    labels.intern("nmod↑nsubj");
    let error = frozen_inverse("pseudo-projective:head", &*transform, &labels.clone().freeze(), 1)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "the label table was not made for pseudo-projective:head: it lacks `nmod`");
    transform.inverse(&mut labels);
    assert!(frozen_inverse("pseudo-projective:head", &*transform, &labels.freeze(), 1).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Labels may be missing, repeated, or look like marked ones.
    #[test]
    fn trees_there_and_back(heads in mixed_tree(0..=20), picks in proptest::collection::vec(0..9usize, 20)) {
        let mut labels = Symbols::new();
        let names = ["a", "b", "_", "a↑b", "b↓", "\\", "a\\↑", ""];
        let gold = labelled(&heads, |token| {
            names.get(picks[token.index() - 1]).map_or(Label::NONE, |name| labels.intern(name))
        });
        let mut scratch = Scratch::default();
        for (spec, transform) in all() {
            let mut labels = labels.clone();
            check(&spec, &*transform, &gold, &mut labels, &mut scratch);
        }
    }
}
