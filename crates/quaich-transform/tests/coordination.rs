//! Coordination: the papers' example, the differences between the variants, and exact inverses where promised.

mod common;

use common::{labelled, no_sentence, show, tree};
use proptest::collection::vec;
use proptest::prelude::*;
use quaich_testkit::strategies::mixed_tree;
use quaich_testkit::trees::for_each_tree;
use quaich_transform::{Scratch, Transform, by_spec};
use quaich_treebank::{Label, Symbols, Tree};

fn applied(transform: &dyn Transform, gold: &Tree, labels: &mut Symbols<Label>) -> Tree {
    let mut found = gold.clone();
    transform.apply(&no_sentence(), &mut found, labels, &mut Scratch::default()).unwrap();
    found
}

fn inverted(transform: &dyn Transform, parsed: &Tree, labels: &mut Symbols<Label>) -> Tree {
    let mut found = parsed.clone();
    transform.inverse(labels).invert(&no_sentence(), &mut found, &mut Scratch::default());
    found
}

/// Checks a tree, its transformation and the restored tree.
fn check(spec: &str, gold: &str, expected: &str, back: &str) {
    let mut labels = Symbols::new();
    let transform = by_spec(spec).unwrap();
    let gold = tree(gold, &mut labels);
    let found = applied(&*transform, &gold, &mut labels);
    assert_eq!(show(&found, &labels), expected, "{spec}");
    let found = inverted(&*transform, &found, &mut labels);
    assert_eq!(show(&found, &labels), back, "{spec}");
}

/// `Velkou bojovností a nečekanou tvrdostí se vyznačovalo finále turnaje` (2006, Figures 1 and 2).
#[test]
fn great_fighting_spirit_and_unexpected_hardness() {
    let gold = "2:Atr 3:Obj_Co 7:Coord 5:Atr 3:Obj_Co 7:AuxT 0:Pred 7:Sb 8:Atr";
    for variant in ["c", "c*", "c+", "c+*"] {
        let chain = "2:Atr 7:Obj 2:Coord 5:Atr 3:Obj 7:AuxT 0:Pred 7:Sb 8:Atr";
        check(&format!("coordination:{variant}"), gold, chain, gold);
        let direct = "2:Atr 7:Obj 5:Coord 5:Atr 2:Obj 7:AuxT 0:Pred 7:Sb 8:Atr";
        check(&format!("coordination:{variant}:cs"), gold, direct, gold);
    }
}

/// `A , B and C D .`: a comma in between, a dependent of all conjuncts, and one with a label that mostly belongs to the
/// coordination.
#[test]
fn dependents_of_the_coordination() {
    let gold = "4:Sb_Co 4:AuxX 4:Sb_Co 0:Coord 4:Sb_Co 4:Atr 4:AuxG";
    check(
        "coordination:c",
        gold,
        "0:Sb 1:AuxX 2:Sb 3:Coord 4:Sb 5:Atr 5:AuxG",
        "4:Sb_Co 4:AuxX 4:Sb_Co 0:Coord 4:Sb_Co 5:Atr 5:AuxG",
    );
    check(
        "coordination:c*",
        gold,
        "0:Sb 1:AuxX 2:Sb 3:Coord 4:Sb 5:Atr 5:AuxG",
        "4:Sb_Co 4:AuxX 4:Sb_Co 0:Coord 4:Sb_Co 5:Atr 4:AuxG",
    );
    check("coordination:c+", gold, "0:Sb 1:AuxX 2:Sb 3:Coord 4:Sb 5:Atr+ 5:AuxG+", gold);
    check("coordination:c+*", gold, "0:Sb 1:AuxX 2:Sb 3:Coord 4:Sb 5:Atr+ 5:AuxG", gold);
    check("coordination:c+:cs", gold, "0:Sb 3:AuxX 1:Sb 5:Coord 3:Sb 5:Atr+ 5:AuxG+", gold);
}

/// Nested coordinations, on either side.
#[test]
fn nested_coordinations() {
    let left = "2:Sb_Co 4:Coord_Co 2:Sb_Co 0:Coord 4:Sb_Co";
    let right = "2:Sb_Co 0:Coord 4:Sb_Co 2:Coord_Co 4:Sb_Co";
    for variant in ["c", "c+", "c+*"] {
        check(&format!("coordination:{variant}"), left, "0:Sb 1:Coord 2:Sb 1:Coord 4:Sb", left);
        check(&format!("coordination:{variant}"), right, "0:Sb 1:Coord 2:Sb 3:Coord 4:Sb", right);
    }
}

/// Prepositions pass the suffix on to their dependents.
#[test]
fn coordinated_prepositions() {
    let gold = "3:AuxP 1:Adv_Co 0:Coord 3:AuxP 4:Adv_Co";
    check("coordination:c", gold, "0:AuxP 1:Adv 1:Coord 3:AuxP 4:Adv", gold);
}

/// Irregular structures are not changed: one conjunct, a conjunction outside, nothing in between.
#[test]
fn what_is_no_coordination() {
    for gold in ["0:Coord 1:Pred_Co", "0:Coord 1:Sb_Co 1:Sb_Co", "3:Sb_Co 3:Sb_Co 0:Coord 3:Sb_Co"] {
        check("coordination:c+", gold, gold, gold);
    }
}

/// `apples , pears and plums` in Universal Dependencies.
#[test]
fn universal_dependencies() {
    let gold = "0:root 3:punct 1:conj 5:cc 1:conj";
    check("coordination:ud", gold, "0:root 1:punct 2:conj 3:cc 4:conj", gold);
    check("coordination:ud:cs", gold, "0:root 3:punct 1:conj 5:cc 3:conj", gold);
    check("coordination:ud:ps", gold, "4:root_Co 4:punct 4:conj_Co 0:cc 4:conj_Co", gold);
    // A nested coordination is marked, otherwise it is restored as a flat one.
    let nested = "0:root 3:cc 1:conj 5:cc 3:conj";
    check("coordination:ud", nested, "0:root 1:cc 2:conj 3:cc 4:conj>", nested);
    check("coordination:ud:c", nested, "0:root 1:cc 2:conj 3:cc 4:conj", "0:root 3:cc 1:conj 5:cc 1:conj");
}

/// `fair , bakkede og anerkendte`: a chain without and with a conjunction.
#[test]
fn danish() {
    let gold = "0:ROOT 1:pnct 1:conj 3:coord 4:conj";
    check("coordination:ddt:cs", gold, "0:ROOT 1:pnct 1:conj 5:coord 3:conj", gold);
    check("coordination:ddt", gold, "4:ROOT_Co 1:pnct 4:conj_Co 0:coord 4:conj_Co", gold);
}

#[test]
fn what_the_treebank_has_already_is_refused() {
    let error = |spec: &str| by_spec(spec).unwrap_err().to_string();
    assert_eq!(error("coordination:ps"), "pdt: coordinations already are in Prague style");
    assert_eq!(error("coordination:ms:ddt"), "ddt: coordinations already are in Mel'čuk style");
    assert!(error("verb-groups:ddt").starts_with("ddt: the profile has no [verb-groups]"));
}

const EXACT: [&str; 5] = [
    "coordination:ud",
    "coordination:ud:cs:c+",
    "coordination:ud:ps",
    "coordination:ddt:cs",
    "coordination:ddt:ps:c+",
];
const ALL: [&str; 6] = [
    "coordination:c",
    "coordination:c+:cs",
    "coordination:c+*",
    "coordination:ud:c",
    "coordination:ud:ps:c",
    "coordination:ddt:cs:c*",
];
const NAMES: [&str; 16] = [
    "conj", "cc", "punct", "coord", "conj+", "cc_Co", "x", "conj\\", "Sb_Co", "Coord", "Coord_Co", "AuxX",
    "AuxP", "Atr+", "Pred", "conj>",
];

fn with_labels(heads: &Tree, picks: &[usize], labels: &mut Symbols<Label>) -> Tree {
    labelled(heads, |token| {
        NAMES.get(picks[token.index() - 1]).map_or(Label::NONE, |name| labels.intern(name))
    })
}

#[test]
fn all_small_trees_come_back() {
    for spec in EXACT {
        let transform = by_spec(spec).unwrap();
        let mut labels = Symbols::new();
        for n_tokens in 0..=4 {
            for_each_tree(n_tokens, |heads| {
                for pick in 0..3usize.pow(n_tokens) {
                    let gold = labelled(heads, |token| {
                        let at = u32::try_from(token.index() - 1).unwrap();
                        let separator = if spec.contains("ddt") { "coord" } else { "cc" };
                        labels.intern(["conj", separator, "x"][pick / 3usize.pow(at) % 3])
                    });
                    let found = applied(&*transform, &gold, &mut labels);
                    assert!(found.is_well_formed());
                    let found = inverted(&*transform, &found, &mut labels);
                    assert_eq!(show(&found, &labels), show(&gold, &labels), "{spec}");
                }
            });
        }
    }
}

proptest! {
    #[test]
    fn every_tree_comes_back(heads in mixed_tree(0..=16), picks in vec(0..9usize, 16)) {
        for spec in EXACT {
            let mut labels = Symbols::new();
            let gold = with_labels(&heads, &picks, &mut labels);
            let transform = by_spec(spec).unwrap();
            let found = applied(&*transform, &gold, &mut labels);
            prop_assert!(found.is_well_formed());
            prop_assert_eq!(show(&inverted(&*transform, &found, &mut labels), &labels), show(&gold, &labels), "{}", spec);
        }
    }

    /// Even without an exact inverse, trees stay trees, and labels are those of the treebank.
    #[test]
    fn trees_stay_trees(heads in mixed_tree(0..=16), picks in vec(0..17usize, 16)) {
        for spec in ALL.iter().chain(&EXACT) {
            let mut labels = Symbols::new();
            let gold = with_labels(&heads, &picks, &mut labels);
            let transform = by_spec(spec).unwrap();
            let found = applied(&*transform, &gold, &mut labels);
            prop_assert!(found.is_well_formed(), "{} {:?}", spec, found);
            let back = inverted(&*transform, &found, &mut labels);
            prop_assert!(back.is_well_formed(), "{} {:?}", spec, back);
        }
    }

    /// Any heads and labels, including those that no parser builds.
    #[test]
    fn any_labels_on_any_heads(heads in vec(0..14u32, 0..12), picks in vec(0..17usize, 12)) {
        let heads: Vec<u32> = heads.into_iter().map(|head| if head == 13 { u32::MAX } else { head }).collect();
        let heads = Tree::from_heads(&heads);
        for spec in ALL.iter().chain(&EXACT) {
            let mut labels = Symbols::new();
            let parsed = with_labels(&heads, &picks, &mut labels);
            let back = inverted(&*by_spec(spec).unwrap(), &parsed, &mut labels);
            prop_assert!(back.is_well_formed() || !heads.is_well_formed(), "{} {:?}", spec, back);
        }
    }
}
