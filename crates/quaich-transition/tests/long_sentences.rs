//! Sentences of 100,000 tokens in extreme shapes: whatever is not linear does not end.

mod common;

use common::options;
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::guide::{DynamicOracle, derive, run};
use quaich_transition::systems::{ArcEager, ArcHybrid, ArcHybridSwap, SYSTEMS, System};
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

const N: usize = 100_000;

/// A tree from a rule for heads; labels by the thousand.
fn tree(head: impl Fn(usize) -> usize) -> Tree {
    let mut tree = Tree::new(N);
    for token in tree.tokens() {
        let label = Label(token.0 % 3000);
        tree.set(token, Node::from_index(head(token.index())), label);
    }
    tree
}

fn shapes() -> Vec<(&'static str, Tree)> {
    let star = |center: usize| move |token: usize| if token == center { 0 } else { center };
    vec![
        ("chain to the right", tree(|token| token - 1)),
        ("chain to the left", tree(|token| if token == N { 0 } else { token + 1 })),
        ("all roots", tree(|_| 0)),
        ("star from the first", tree(star(1))),
        ("star from the last", tree(star(N))),
        ("star from the middle", tree(star(N / 2))),
        (
            "chain of small stars",
            tree(|token| if token % 10 == 1 { token.saturating_sub(10) } else { token - (token - 1) % 10 }),
        ),
    ]
}

#[test]
fn static_oracles_are_linear() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for (shape, tree) in shapes() {
        for entry in SYSTEMS.iter().filter(|entry| !entry.name.contains("covington")) {
            for root in [RootPosition::Stack, RootPosition::End] {
                let system = (entry.build)(options(root, false));
                let derivation = derive(&*system, &tree, &mut gold, &mut c);
                assert!(derivation.exact, "{} on a {shape}", entry.name);
            }
        }
    }
}

#[test]
fn dynamic_oracles_are_linear() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for (shape, tree) in shapes() {
        let systems: [Box<dyn System>; 3] = [
            Box::new(ArcEager::new(options(RootPosition::End, false))),
            Box::new(ArcHybrid::new(options(RootPosition::End, false))),
            Box::new(ArcHybridSwap::new(options(RootPosition::End, false))),
        ];
        for system in &systems {
            run(system, &mut DynamicOracle::new(system, &tree, &mut gold), N, &mut c);
            assert_eq!(c.tree().heads(), tree.heads(), "{system:?} on a {shape}");
        }
    }
}
