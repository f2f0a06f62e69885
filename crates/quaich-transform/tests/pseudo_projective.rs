//! Pseudo-projective transformations: the paper's example, the properties of each encoding, and robustness.

mod common;

use common::{all_different, labelled, roots, show, tree};
use proptest::collection::vec;
use proptest::prelude::*;
use quaich_testkit::slow;
use quaich_testkit::strategies::{mixed_tree, nearly_projective_tree, single_root_tree};
use quaich_testkit::trees::for_each_tree;
use quaich_transform::{Decoder, Encoding, PseudoProjective, Scratch};
use quaich_treebank::shape::Shapes;
use quaich_treebank::{Label, Node, Symbols, Tree};

const ENCODINGS: [Encoding; 4] = [Encoding::Baseline, Encoding::Head, Encoding::HeadPath, Encoding::Path];

fn projectivized(
    encoding: Encoding,
    gold: &Tree,
    labels: &mut Symbols<Label>,
    scratch: &mut Scratch,
) -> Tree {
    let mut tree = gold.clone();
    PseudoProjective::new(encoding).projectivize(&mut tree, labels, scratch).unwrap();
    tree
}

fn there_and_back(
    encoding: Encoding,
    gold: &Tree,
    labels: &mut Symbols<Label>,
    scratch: &mut Scratch,
) -> Tree {
    let mut tree = projectivized(encoding, gold, labels, scratch);
    Decoder::new(PseudoProjective::new(encoding), labels).deprojectivize(&mut tree, scratch);
    tree
}

/// Checks a tree, its projectivised form and the restored tree.
fn check(encoding: Encoding, gold: &str, expected: &str, back: &str) {
    let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
    let gold = tree(gold, &mut labels);
    let found = projectivized(encoding, &gold, &mut labels, &mut scratch);
    assert_eq!(show(&found, &labels), expected);
    check_inverse(encoding, expected, back);
}

fn check_inverse(encoding: Encoding, parsed: &str, expected: &str) {
    let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
    let mut found = tree(parsed, &mut labels);
    Decoder::new(PseudoProjective::new(encoding), &mut labels).deprojectivize(&mut found, &mut scratch);
    assert_eq!(show(&found, &labels), expected);
}

/// `Z nich je jen jedna na kvalitu .` (Figures 1 and 2).
#[test]
fn only_one_of_them_concerns_quality() {
    let gold = "5:AuxP 1:Atr 0:Pred 5:AuxZ 3:Sb 3:AuxP 6:Adv 3:AuxZ";
    let rest = "1:Atr 0:Pred 5:AuxZ 3:Sb 3:AuxP 6:Adv 3:AuxZ";
    let rest_with_path = "1:Atr 0:Pred 5:AuxZ 3:Sb↓ 3:AuxP 6:Adv 3:AuxZ";
    check(Encoding::Baseline, gold, &format!("3:AuxP {rest}"), &format!("3:AuxP {rest}"));
    check(Encoding::Head, gold, &format!("3:AuxP↑Sb {rest}"), gold);
    check(Encoding::HeadPath, gold, &format!("3:AuxP↑Sb {rest_with_path}"), gold);
    check(Encoding::Path, gold, &format!("3:AuxP↑ {rest_with_path}"), gold);
}

/// `A hearing is scheduled on the issue today .`: two arcs cross.
#[test]
fn a_hearing_is_scheduled() {
    let gold = "2:DET 3:SBJ 0:ROOT 3:VG 2:NMOD 7:DET 5:PC 4:ADV 3:P";
    check(Encoding::Head, gold, "2:DET 3:SBJ 0:ROOT 3:VG 3:NMOD↑SBJ 7:DET 5:PC 3:ADV↑VG 3:P", gold);
    check(Encoding::HeadPath, gold, "2:DET 3:SBJ↓ 0:ROOT 3:VG↓ 3:NMOD↑SBJ 7:DET 5:PC 3:ADV↑VG 3:P", gold);
    // Two paths from one head: the first found is taken.
    let wrong = "2:DET 3:SBJ 0:ROOT 3:VG 2:NMOD 7:DET 5:PC 2:ADV 3:P";
    check(Encoding::Path, gold, "2:DET 3:SBJ↓ 0:ROOT 3:VG↓ 3:NMOD↑ 7:DET 5:PC 3:ADV↑ 3:P", wrong);
}

/// Token 1 is lifted from 4 over 3, both verbs: the one at the end of the path is the right head.
#[test]
fn a_chain_of_like_labels() {
    let gold = "4:obj 0:root 2:vg 3:vg";
    check(Encoding::Head, gold, "2:obj↑vg 0:root 2:vg 3:vg", "3:obj 0:root 2:vg 3:vg");
    check(Encoding::HeadPath, gold, "2:obj↑vg 0:root 2:vg↓ 3:vg↓", gold);
    check(Encoding::Path, gold, "2:obj↑ 0:root 2:vg↓ 3:vg↓", gold);
}

/// A token lifted to node 0 is searched a head from there.
#[test]
fn a_covered_root() {
    check(Encoding::Head, "0:a 0:b 1:c", "0:a 0:b 0:c↑a", "0:a 0:b 1:c");
    check(Encoding::HeadPath, "0:a 0:b 1:c", "0:a↓ 0:b 0:c↑a", "0:a 0:b 1:c");
    check(Encoding::Path, "0:a 0:b 1:c", "0:a↓ 0:b 0:c↑", "0:a 0:b 1:c");
}

/// Head+path falls back on head; if nothing is found, the linear head stays.
#[test]
fn a_parser_makes_mistakes() {
    check_inverse(Encoding::HeadPath, "2:a↑b 0:root 2:b", "3:a 0:root 2:b");
    check_inverse(Encoding::HeadPath, "2:a↑b 0:root 2:c", "2:a 0:root 2:c");
    check_inverse(Encoding::HeadPath, "2:a↑b 0:root 2:c↓", "2:a 0:root 2:c");
    check_inverse(Encoding::Path, "2:a↑ 0:root 2:c", "2:a 0:root 2:c");
    // Neither the token itself nor its subtree.
    check_inverse(Encoding::Head, "2:b↑b 0:root 1:b", "2:b 0:root 1:b");
    // The only root has nowhere to go; of two lifted roots, one stays.
    check_inverse(Encoding::Head, "2:b 0:root↑b", "2:b 0:root");
    check_inverse(Encoding::Head, "0:a↑b 0:b↑a", "2:a 0:b");
}

/// Marks are parts of labels. If a label is missing, arcs are lifted and stay lifted.
#[test]
fn without_labels_there_are_no_marks() {
    for encoding in ENCODINGS {
        check(encoding, "5 1 0 5 3 3 6 3", "3 1 0 5 3 3 6 3", "3 1 0 5 3 3 6 3");
        // A head that is not named could not be distinguished from others, and a path with a gap could not be followed.
        let lifted = "3:AuxP 1:Atr 0:Pred 5:AuxZ 3 3:AuxP 6:Adv 3:AuxZ";
        check(encoding, "5:AuxP 1:Atr 0:Pred 5:AuxZ 3 3:AuxP 6:Adv 3:AuxZ", lifted, lifted);
    }
}

/// A treebank may use `_` as one of its labels.
#[test]
fn a_label_that_is_an_underscore_is_marked_as_any_other() {
    let gold = "5:_ 1:Atr 0:Pred 5:AuxZ 3:_ 3:AuxP 6:_ 3:AuxZ";
    check(Encoding::Head, gold, "3:_↑_ 1:Atr 0:Pred 5:AuxZ 3:_ 3:AuxP 6:_ 3:AuxZ", gold);
    check(Encoding::HeadPath, gold, "3:_↑_ 1:Atr 0:Pred 5:AuxZ 3:_↓ 3:AuxP 6:_ 3:AuxZ", gold);
    check(Encoding::Path, gold, "3:_↑ 1:Atr 0:Pred 5:AuxZ 3:_↓ 3:AuxP 6:_ 3:AuxZ", gold);
}

#[test]
fn labels_with_arrows_of_their_own_come_back() {
    let gold = "5:a↑b 1:↓ 0:\\ 5:_ 3:c↓ 3:d 6:e 3:f";
    let marked = "3:a\\↑b↑c\\↓ 1:\\↓ 0:\\\\ 5:_ 3:c\\↓↓ 3:d 6:e 3:f";
    check(Encoding::HeadPath, gold, marked, gold);
}

/// A file read sentence by sentence introduces labels that the decoder has not seen.
#[test]
fn a_decoder_can_learn_labels() {
    let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
    let mut decoder = Decoder::new(PseudoProjective::new(Encoding::Head), &mut labels);
    let mut parsed = tree("2:a↑b 0:root 2:b", &mut labels);
    let before = parsed.clone();
    decoder.deprojectivize(&mut parsed, &mut scratch);
    assert_eq!(parsed, before);
    decoder.extend(&mut labels);
    decoder.deprojectivize(&mut parsed, &mut scratch);
    assert_eq!(show(&parsed, &labels), "3:a 0:root 2:b");
}

/// Every tree of up to 6 tokens becomes projective, and is restored if all labels differ.
#[test]
fn all_small_trees() {
    let (mut shapes, mut scratch) = (Shapes::default(), Scratch::default());
    for encoding in ENCODINGS {
        let mut labels = Symbols::new();
        let mut n_different = 0;
        for n_tokens in 0..=6 {
            for_each_tree(n_tokens, |heads| {
                let gold = all_different(heads, &mut labels);
                let mut tree = projectivized(encoding, &gold, &mut labels, &mut scratch);
                shapes.read(&tree).unwrap();
                assert!(shapes.is_projective(), "{tree:?}");
                if roots(&gold).len() == 1 {
                    assert_eq!(roots(&tree), roots(&gold));
                }
                let n_lifted = tree.tokens().filter(|&token| tree.head(token) != gold.head(token)).count();
                if n_tokens <= 4 {
                    assert_eq!(tree.heads(), slow::projectivize(&gold).0.heads());
                }
                Decoder::new(PseudoProjective::new(encoding), &mut labels)
                    .deprojectivize(&mut tree, &mut scratch);
                assert!(tree.is_well_formed());
                assert_eq!(tree.labels(), gold.labels());
                match encoding {
                    Encoding::Head | Encoding::HeadPath => assert_eq!(tree, gold),
                    Encoding::Path if n_lifted <= 1 => assert_eq!(tree, gold),
                    Encoding::Path | Encoding::Baseline | Encoding::Unmarked => {
                        n_different += usize::from(tree != gold);
                    }
                }
            });
        }
        // No encoding has more labels than Table 1 of the paper allows, counting the plain ones.
        let n = 6;
        let most = match encoding {
            Encoding::Baseline | Encoding::Unmarked => n,
            Encoding::Head => n * (n + 1),
            Encoding::HeadPath => 2 * n * (n + 1),
            Encoding::Path => 4 * n,
        };
        assert!(labels.len() <= most, "{} labels", labels.len());
        assert_eq!(n_different > 0, matches!(encoding, Encoding::Path | Encoding::Baseline));
    }
}

/// DEPROJECTIVIZE as in the paper, searching the children of every node anew.
fn slow_inverse(encoding: Encoding, decoder: &Decoder, labels: &Symbols<Label>, parsed: &Tree) -> Tree {
    let mut tree = parsed.clone();
    let from = |token: Node| {
        let text = labels.text(parsed.label(token));
        let from = text.split_once('↑').unwrap().1;
        labels.get(from.strip_suffix('↓').unwrap_or(from))
    };
    let on_path = |token: Node| decoder.is_on_path(parsed.label(token));
    let plain = |token: Node| decoder.plain(parsed.label(token));
    let mut turns = vec![Node::ROOT];
    let mut turn = 0;
    let mut done = vec![false; parsed.n_tokens() + 1];
    while turn < turns.len() {
        let head = turns[turn];
        let children =
            |tree: &Tree, node| tree.tokens().filter(move |&t| tree.head(t) == node).collect::<Vec<_>>();
        for token in children(&tree, head) {
            if done[token.index()] || !decoder.is_lifted(parsed.label(token)) {
                continue;
            }
            done[token.index()] = true;
            // All nodes below, breadth-first, and whether the path to each has only path arcs.
            let mut below = vec![(head, true)];
            let mut at = 0;
            while at < below.len() {
                let (node, path) = below[at];
                for child in children(&tree, node).into_iter().filter(|&child| child != token) {
                    below.push((child, path && on_path(child)));
                }
                at += 1;
            }
            let below = &below[1..];
            let ends = |node: Node| !children(&tree, node).into_iter().any(on_path);
            let is_head = |node: Node| Some(plain(node)) == from(token);
            let find = |wanted: &dyn Fn(Node, bool) -> bool| {
                below.iter().find(|&&(node, path)| wanted(node, path)).map(|&(node, _)| node)
            };
            let target = match encoding {
                Encoding::Baseline | Encoding::Unmarked => None,
                Encoding::Head => find(&|node, _| is_head(node)),
                Encoding::HeadPath => find(&|node, path| path && is_head(node) && ends(node))
                    .or_else(|| find(&|node, path| path && is_head(node)))
                    .or_else(|| find(&|node, _| is_head(node))),
                Encoding::Path => find(&|node, path| path && ends(node)),
            };
            if let Some(target) = target {
                tree.set(token, target, tree.label(token));
            }
        }
        turns.extend(children(&tree, head));
        turn += 1;
    }
    labelled(&tree, plain)
}

/// Returns a tree with one of a few plain and marked labels per token.
fn some_labels(heads: &Tree, picks: &[usize], encoding: Encoding, labels: &mut Symbols<Label>) -> Tree {
    let names: &[&str] = match encoding {
        Encoding::Path => &["a", "b", "a↓", "b↓", "a↑", "b↑", "a↑↓", "b↑↓"],
        _ => &["a", "b", "c", "a↓", "b↓", "a↑b", "b↑a", "b↑c↓", "a↑a↓", "a↑unknown"],
    };
    labelled(heads, |token| labels.intern(names[picks[token.index() - 1] % names.len()]))
}

proptest! {
    #[test]
    fn projectivized_trees_are_projective(heads in mixed_tree(0..=40)) {
        let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
        let gold = all_different(&heads, &mut labels);
        for encoding in ENCODINGS {
            let tree = projectivized(encoding, &gold, &mut labels, &mut scratch);
            prop_assert_eq!(slow::nonprojective_arcs(&tree), []);
        }
    }

    #[test]
    fn trees_with_different_labels_come_back(heads in mixed_tree(0..=40)) {
        let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
        let gold = all_different(&heads, &mut labels);
        for encoding in [Encoding::Head, Encoding::HeadPath] {
            prop_assert_eq!(&there_and_back(encoding, &gold, &mut labels, &mut scratch), &gold);
        }
    }

    /// All other arcs have the same label.
    #[test]
    fn head_path_needs_different_labels_on_paths_only(heads in mixed_tree(0..=40)) {
        let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
        let gold = all_different(&heads, &mut labels);
        let tree = projectivized(Encoding::HeadPath, &gold, &mut labels, &mut scratch);
        let decoder = Decoder::new(PseudoProjective::new(Encoding::HeadPath), &mut labels);
        let same = labels.intern("same");
        let gold = labelled(&gold, |token| {
            if decoder.is_on_path(tree.label(token)) { gold.label(token) } else { same }
        });
        prop_assert_eq!(&there_and_back(Encoding::HeadPath, &gold, &mut labels, &mut scratch), &gold);
    }

    /// All arcs have the same label.
    #[test]
    fn one_lifted_arc_comes_back_by_its_path(heads in nearly_projective_tree(0..=20)) {
        let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
        let same = labels.intern("_");
        let gold = labelled(&heads, |_| same);
        let tree = projectivized(Encoding::Path, &gold, &mut labels, &mut scratch);
        let n_lifted = gold.tokens().filter(|&token| tree.head(token) != gold.head(token)).count();
        if n_lifted <= 1 {
            for encoding in [Encoding::HeadPath, Encoding::Path] {
                prop_assert_eq!(&there_and_back(encoding, &gold, &mut labels, &mut scratch), &gold);
            }
        }
    }

    /// The output of a parser trained on trees without labels stays as in training.
    #[test]
    fn trees_without_labels_stay_lifted(heads in mixed_tree(0..=40)) {
        let mut scratch = Scratch::default();
        for encoding in ENCODINGS {
            let mut labels = Symbols::new();
            let tree = projectivized(encoding, &heads, &mut labels, &mut scratch);
            prop_assert_eq!(&tree, &projectivized(Encoding::Baseline, &heads, &mut labels, &mut scratch));
            prop_assert!(labels.is_empty());
            prop_assert_eq!(&there_and_back(encoding, &heads, &mut labels, &mut scratch), &tree);
            // The label that a parser writes for a missing one.
            let none = labels.intern("_");
            let parsed = labelled(&tree, |_| none);
            let mut back = parsed.clone();
            Decoder::new(PseudoProjective::new(encoding), &mut labels).deprojectivize(&mut back, &mut scratch);
            prop_assert_eq!(back, parsed);
        }
    }

    /// Any labels in a parser's output.
    #[test]
    fn any_marks_on_any_tree(heads in mixed_tree(0..=30), picks in vec(0..90usize, 30)) {
        let mut scratch = Scratch::default();
        for encoding in ENCODINGS {
            let mut labels = Symbols::new();
            let parsed = some_labels(&heads, &picks, encoding, &mut labels);
            let decoder = Decoder::new(PseudoProjective::new(encoding), &mut labels);
            let mut tree = parsed.clone();
            decoder.deprojectivize(&mut tree, &mut scratch);
            prop_assert!(tree.is_well_formed());
            prop_assert_eq!(&tree, &slow_inverse(encoding, &decoder, &labels, &parsed));
            for token in tree.tokens() {
                let text = labels.text(tree.label(token));
                prop_assert!(encoding == Encoding::Baseline || !text.contains(['↑', '↓']));
                // Tokens that are not lifted stay in place, and lifted ones move down.
                prop_assert!(
                    tree.head(token) == parsed.head(token)
                        || decoder.is_lifted(parsed.label(token))
                            && slow::dominates(&tree, parsed.head(token), tree.head(token))
                );
            }
            prop_assert!(roots(&tree).iter().all(|root| roots(&parsed).contains(root)));
        }
    }

    #[test]
    fn a_single_root_stays(heads in single_root_tree(1..=30), picks in vec(0..90usize, 30)) {
        let mut scratch = Scratch::default();
        for encoding in ENCODINGS {
            let mut labels = Symbols::new();
            let mut tree = some_labels(&heads, &picks, encoding, &mut labels);
            Decoder::new(PseudoProjective::new(encoding), &mut labels).deprojectivize(&mut tree, &mut scratch);
            prop_assert_eq!(roots(&tree), roots(&heads));
        }
    }

    /// Heads that do not form a tree: the inverse terminates, and tokens that do not reach the root stay in place.
    #[test]
    fn any_marks_on_any_heads(heads in vec(0..14u32, 0..12), picks in vec(0..90usize, 12)) {
        let mut scratch = Scratch::default();
        let heads: Vec<u32> = heads.into_iter().map(|head| if head == 13 { u32::MAX } else { head }).collect();
        let heads = Tree::from_heads(&heads);
        for encoding in ENCODINGS {
            let mut labels = Symbols::new();
            let parsed = some_labels(&heads, &picks, encoding, &mut labels);
            let decoder = Decoder::new(PseudoProjective::new(encoding), &mut labels);
            let mut tree = parsed.clone();
            decoder.deprojectivize(&mut tree, &mut scratch);
            prop_assert!(tree.problems().iter().eq(parsed.problems().iter()));
            prop_assert!(tree.tokens().all(|token| tree.label(token) == decoder.plain(parsed.label(token))));
        }
    }
}
