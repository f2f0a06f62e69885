//! Random trees for tests.
#![allow(dead_code, reason = "every test file uses a part")]

use proptest::collection::vec;
use proptest::prelude::*;
use quaich_code::tree::{NONE, TreeBuilder};
use quaich_code::{Counting, Encoder, Frequencies, HeadRule, HeadTable, Kind, Kinds, Labels, PhraseTree};

/// Names of kinds, some of which have to be escaped in labels.
const NAMES: [&str; 8] = ["a", "b", "if_statement", "NP-SBJ", "PRT|ADVP", "*", "_", ""];

/// A tree with the names of its tokens.
pub(crate) type Named = (PhraseTree, Vec<Kind>);

/// Returns the kinds that random trees have.
pub(crate) fn kinds() -> Kinds {
    let mut kinds = Kinds::new();
    for name in NAMES.into_iter().chain(["x", ";", "(", ")"]) {
        kinds.intern(name);
    }
    kinds
}

/// Any tree, with unary chains and leaf kinds.
pub(crate) fn any_tree() -> impl Strategy<Value = Named> {
    (vec((0..10u32, any::<u8>(), any::<u8>()), 1..60), 1..4u32).prop_map(|(steps, eager)| {
        let mut builder = TreeBuilder::default();
        let mut names = Vec::new();
        let mut open = vec![builder.nonterminal(Kind(0), NONE)];
        let mut token = |builder: &mut TreeBuilder, parent, kind: u8, name: u8| {
            let leaf = if kind < 200 { Kind::NONE } else { Kind(u32::from(kind) % 8) };
            builder.token(parent, leaf);
            names.push(Kind(8 + u32::from(name) % 4));
        };
        for (step, kind, name) in steps {
            let parent = *open.last().unwrap();
            match step {
                0..=3 => token(&mut builder, parent, kind, name),
                4..=7 => open.push(builder.nonterminal(Kind(u32::from(kind) % 8), parent)),
                _ => {
                    for _ in 0..eager {
                        if open.len() > 1 {
                            open.pop();
                        }
                    }
                }
            }
        }
        if builder.token_parents.is_empty() {
            token(&mut builder, 0, 0, 0);
        }
        (builder.finish(), names)
    })
}

/// All head rules; those with counts have them from `trees`.
pub(crate) fn rules(trees: &[Named], kinds: &mut Kinds) -> Vec<HeadRule> {
    let table = "a right b x\na left if_statement\nNP left x NP\n* right ; (";
    let mut rules = vec![
        HeadRule::Left,
        HeadRule::Right,
        HeadRule::Term,
        HeadRule::Table(HeadTable::parse(table, "t").unwrap()),
    ];
    for counting in [Counting::Occurrences, Counting::Parents] {
        let mut frequencies = Frequencies::new(counting, kinds);
        for (tree, names) in trees {
            frequencies.add(tree, names);
        }
        rules.push(HeadRule::Frequent(frequencies));
    }
    rules
}

/// Returns an encoder with convertible labels.
pub(crate) fn encoder(rule: HeadRule) -> Encoder {
    Encoder::new(rule, Labels::Convertible)
}
