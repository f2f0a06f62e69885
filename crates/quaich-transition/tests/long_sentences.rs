//! Sentences of 100,000 tokens in extreme shapes: anything that is not linear would not finish.

mod common;

use common::{gold_for, options};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, RandomGuide, run};
use quaich_transition::oracle::{DynamicOracle, derive};
use quaich_transition::systems::{ArcEager, ArcHybrid, ArcHybridSwap, Covington, Planar, SYSTEMS, System};
use quaich_transition::transition::{KindSet, Transition};
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

const N: usize = 100_000;

/// Returns a tree from a rule for heads, with thousands of labels.
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

/// Returns the systems whose dynamic oracle can be followed over a shape in linear time. Covington's compares every
/// token with all tokens between it and its neighbours in the tree.
fn explorable(shape: &str) -> Vec<Box<dyn System>> {
    let options = options(RootPosition::End, false);
    let mut systems: Vec<Box<dyn System>> = vec![
        Box::new(ArcEager::new(options)),
        Box::new(ArcHybrid::new(options)),
        Box::new(ArcHybridSwap::new(options)),
        Box::new(Planar::new(options)),
    ];
    if shape.starts_with("chain") {
        systems.push(Box::new(Covington::new(options)));
    }
    systems
}

#[test]
fn dynamic_oracles_are_linear() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for (shape, tree) in shapes() {
        for system in explorable(shape) {
            run(&*system, &mut DynamicOracle::new(&*system, &tree, &mut gold), &mut (), N, &mut c);
            assert_eq!(c.tree().heads(), tree.heads(), "{system:?} on a {shape}");
        }
    }
}

/// Queries the dynamic oracle at every choice, and follows it three times in four.
struct Straying<'a> {
    system: &'a dyn System,
    gold: &'a mut Gold,
    chance: RandomGuide,
}

impl Guide for Straying<'_> {
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        if permissible.len() == 1 {
            return self.chance.choose(c, permissible);
        }
        let optimal = self.system.optimal(c, self.gold);
        let strays = optimal.is_empty() || self.chance.below(4) == 0;
        self.chance.choose(c, if strays { permissible } else { optimal })
    }
}

#[test]
fn dynamic_oracles_are_linear_after_mistakes_too() {
    let mut c = Configuration::new();
    for (shape, tree) in shapes() {
        for system in explorable(shape) {
            let mut gold = gold_for(&*system, &tree);
            let mut guide = Straying { system: &*system, gold: &mut gold, chance: RandomGuide::new(5, 3000) };
            run(&*system, &mut guide, &mut (), N, &mut c);
            assert!(c.tree().is_well_formed(), "{system:?} on a {shape}");
        }
    }
}
