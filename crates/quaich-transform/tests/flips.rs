//! Function words as heads and verb groups: examples, and exact inverses for every tree.

mod common;

use common::{labelled, no_sentence, show, tree};
use proptest::collection::vec;
use proptest::prelude::*;
use quaich_testkit::slow;
use quaich_testkit::strategies::{mixed_tree, projective_tree};
use quaich_testkit::trees::for_each_tree;
use quaich_transform::{Scratch, Transform, by_spec};
use quaich_treebank::{Label, Symbols, Tree};

/// Checks a tree and its transformation, and that the inverse restores it.
fn check(spec: &str, gold: &str, expected: &str) {
    let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
    let transform = by_spec(spec).unwrap();
    let mut found = tree(gold, &mut labels);
    transform.apply(&no_sentence(), &mut found, &mut labels, &mut scratch).unwrap();
    assert_eq!(show(&found, &labels), expected);
    transform.inverse(&mut labels).invert(&no_sentence(), &mut found, &mut scratch);
    assert_eq!(show(&found, &labels), gold);
}

fn check_inverse(spec: &str, parsed: &str, expected: &str) {
    let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
    let mut found = tree(parsed, &mut labels);
    by_spec(spec).unwrap().inverse(&mut labels).invert(&no_sentence(), &mut found, &mut scratch);
    assert_eq!(show(&found, &labels), expected);
}

/// Two auxiliaries before the main verb; dependents to the left of the rightmost verb are attached to the leftmost.
#[test]
fn a_verb_group() {
    // she would have seen it
    check("verb-groups", "4:Sb 4:AuxV 4:AuxV 0:Pred 4:Obj", "2:Sb 0:Pred 2:AuxV 3:AuxV 4:Obj");
    // seen was she: the main verb first
    check("verb-groups", "0:Pred 1:AuxV 1:Sb", "2:AuxV 0:Pred 2:Sb");
}

/// A word with dependents of its own stays in place, and its label is marked.
#[test]
fn an_auxiliary_with_dependents_stays() {
    check("verb-groups", "2:Adv 3:AuxV 0:Pred", "2:Adv 3:AuxV! 0:Pred");
    check("verb-groups", "2:AuxV! 0:Pred", "2:AuxV!\\ 0:Pred");
}

/// `that he would be in the house`: a chain from left to right.
#[test]
fn function_words_head_content_words() {
    check(
        "function-heads",
        "7:mark 7:nsubj 7:aux 7:cop 7:case 7:det 0:ccomp",
        "0:ccomp 3:nsubj 1:mark 3:aux 4:cop 7:det 5:case",
    );
    check("function-heads:case", "3:case 3:det 0:obl", "0:obl 3:det 1:case");
    check("function-heads:aux+cop", "3:case 3:aux:pass 0:root", "2:case 0:root 2:aux:pass");
}

/// Of two candidates for the main word the first is used; the other keeps its label.
#[test]
fn a_parser_makes_mistakes() {
    check_inverse("verb-groups", "2:AuxV 0:Pred 2:AuxV", "0:Pred 1:AuxV 1:AuxV");
    check_inverse("verb-groups", "0:AuxV", "0:AuxV");
    check_inverse("verb-groups", "2:AuxV 1:AuxV", "2:AuxV 1:AuxV");
}

const SPECS: [&str; 5] =
    ["verb-groups", "verb-groups:ud", "function-heads", "function-heads:case+aux", "function-heads:cop"];
const NAMES: [&str; 9] = ["aux", "AuxV", "aux:pass", "case", "cop", "mark!", "x", "aux!", "x\\"];

fn with_labels(heads: &Tree, picks: &[usize], labels: &mut Symbols<Label>) -> Tree {
    labelled(heads, |token| {
        NAMES.get(picks[token.index() - 1]).map_or(Label::NONE, |name| labels.intern(name))
    })
}

#[test]
fn all_small_trees_come_back() {
    let mut scratch = Scratch::default();
    let transform = by_spec("function-heads").unwrap();
    let mut labels = Symbols::new();
    for n_tokens in 0..=4 {
        for_each_tree(n_tokens, |heads| {
            for pick in 0..3usize.pow(n_tokens) {
                let gold = labelled(heads, |token| {
                    let at = u32::try_from(token.index() - 1).unwrap();
                    labels.intern(["aux", "case", "x"][pick / 3usize.pow(at) % 3])
                });
                let mut found = gold.clone();
                transform.apply(&no_sentence(), &mut found, &mut labels, &mut scratch).unwrap();
                assert!(found.is_well_formed());
                transform.inverse(&mut labels).invert(&no_sentence(), &mut found, &mut scratch);
                assert_eq!(found, gold);
            }
        });
    }
}

proptest! {
    #[test]
    fn every_tree_comes_back(heads in mixed_tree(0..=20), picks in vec(0..10usize, 20)) {
        let mut scratch = Scratch::default();
        for spec in SPECS {
            let mut labels = Symbols::new();
            let gold = with_labels(&heads, &picks, &mut labels);
            let transform = by_spec(spec).unwrap();
            let mut found = gold.clone();
            transform.apply(&no_sentence(), &mut found, &mut labels, &mut scratch).unwrap();
            prop_assert!(found.is_well_formed());
            transform.inverse(&mut labels).invert(&no_sentence(), &mut found, &mut scratch);
            prop_assert_eq!(&found, &gold, "{}", spec);
        }
    }

    #[test]
    fn projective_trees_stay_projective(heads in projective_tree(0..=12), picks in vec(0..10usize, 12)) {
        let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
        let mut tree = with_labels(&heads, &picks, &mut labels);
        let transform: Box<dyn Transform> = by_spec("function-heads").unwrap();
        transform.apply(&no_sentence(), &mut tree, &mut labels, &mut scratch).unwrap();
        prop_assert_eq!(slow::nonprojective_arcs(&tree), []);
    }

    /// Any heads and labels, including those that no parser builds: the inverse terminates, and a tree stays a tree.
    #[test]
    fn any_labels_on_any_heads(heads in vec(0..14u32, 0..12), picks in vec(0..10usize, 12)) {
        let mut scratch = Scratch::default();
        let heads: Vec<u32> = heads.into_iter().map(|head| if head == 13 { u32::MAX } else { head }).collect();
        let heads = Tree::from_heads(&heads);
        for spec in SPECS {
            let mut labels = Symbols::new();
            let mut tree = with_labels(&heads, &picks, &mut labels);
            by_spec(spec).unwrap().inverse(&mut labels).invert(&no_sentence(), &mut tree, &mut scratch);
            prop_assert!(tree.is_well_formed() || !heads.is_well_formed());
        }
    }
}
