//! Published SWAP counts (Nivre 2009; Nivre, Kuhlmann and Hall 2009) on the Danish treebank, when it is
//! at hand: the variable `QUAICH_TREEBANKS` names a folder of treebank folders.
#![allow(clippy::print_stderr, reason = "says why a test does nothing")]

use std::path::Path;

use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::derive;
use quaich_transition::systems::{Options, Swap, SwapRule};
use quaich_transition::transition::Kind;
use quaich_treebank::tree::{Node, Tree};

fn trees(path: &Path) -> Vec<Tree> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut trees = Vec::new();
    let mut heads: Vec<u32> = Vec::new();
    for line in text.lines().chain([""]) {
        let cells: Vec<&str> = line.split('\t').collect();
        if line.is_empty() && !heads.is_empty() {
            trees.push(Tree::from_heads(&std::mem::take(&mut heads)));
        } else if cells.len() > 7 && cells[0].parse::<u32>().is_ok() {
            heads.push(cells[6].parse().unwrap());
        }
    }
    trees
}

/// 8,296 and 1,497 are published for the official training set, of which the freely available one lacks
/// four sentences.
#[test]
fn danish_swaps() {
    let Some(folder) = std::env::var_os("QUAICH_TREEBANKS") else {
        eprintln!("skipped: QUAICH_TREEBANKS does not name a folder of treebanks");
        return;
    };
    let trees = trees(&Path::new(&folder).join("danish-ddt/train.conll"));
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for (rule, expected) in [(SwapRule::Eager, 8_295), (SwapRule::Lazy, 1_496)] {
        let system = Swap::new(Options::default(), rule);
        let mut n_swaps = 0;
        for tree in &trees {
            let derivation = derive(&system, tree, &mut gold, &mut c);
            assert!(derivation.exact);
            let swaps = derivation.steps.iter().filter(|step| step.transition.kind == Kind::Swap).count();
            assert_eq!(derivation.steps.len(), 2 * tree.n_tokens() + 2 * swaps);
            assert!((1..=tree.n_tokens()).all(|t| c.head(Node::from_index(t)).is_some()));
            n_swaps += swaps;
        }
        assert_eq!(n_swaps, expected, "{rule:?}");
    }
}
