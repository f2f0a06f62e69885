//! Published counts and agreement with the shapes of trees on real treebanks, if they are available: the variable
//! `QUAICH_TREEBANKS` names a folder of treebank folders.
#![allow(clippy::print_stderr, reason = "prints why a test is skipped")]

use std::path::{Path, PathBuf};

use quaich_testkit::treebanks;
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::oracle::derive;
use quaich_transition::systems::{Options, SYSTEMS, Swap, SwapRule};
use quaich_transition::transition::Kind;
use quaich_treebank::shape::{RootArcs, Shapes};
use quaich_treebank::symbols::Symbols;
use quaich_treebank::tree::Tree;
use quaich_treebank::{ReadOptions, Reader};

fn trees(path: &Path) -> Vec<Tree> {
    let mut labels = Symbols::new();
    let mut reader = Reader::open(path, &ReadOptions::default()).unwrap();
    let mut sentence = reader.sentence();
    let mut trees = Vec::new();
    while reader.read(&mut sentence).unwrap() {
        trees.push(sentence.tree(&mut labels));
    }
    trees.retain(|tree| tree.n_tokens() > 0);
    trees
}

/// 8,296 and 1,497 are published for the official training set; the freely available one is nearly the same (Nivre
/// 2009; Nivre, Kuhlmann and Hall 2009).
#[test]
fn danish_swaps() {
    let Some(folder) = treebanks() else { return };
    let trees = trees(&folder.join("danish-ddt/train.conll"));
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for (rule, expected) in [(SwapRule::Eager, 8_295), (SwapRule::Lazy, 1_496)] {
        let system = Swap::new(Options::default(), rule);
        let mut n_swaps = 0;
        for tree in &trees {
            let derivation = derive(&system, tree, &mut gold, &mut c);
            assert!(derivation.exact);
            let swaps = derivation.steps.iter().filter(|step| step.transition.kind == Kind::Swap).count();
            assert_eq!(derivation.steps.len(), 2 * tree.n_tokens() + 2 * swaps);
            n_swaps += swaps;
        }
        assert_eq!(n_swaps, expected, "{rule:?}");
    }
}

/// Every system derives exactly the trees of its class, in all treebanks.
#[test]
fn classes_agree_with_shapes() {
    let Some(folder) = treebanks() else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .flat_map(|entry| ["test.conllu", "test.conll"].map(|name| entry.as_ref().unwrap().path().join(name)))
        .filter(|path| path.exists())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let (mut gold, mut c, mut shape) = (Gold::new(), Configuration::new(), Shapes::default());
    for file in files {
        for tree in trees(&file).iter().filter(|tree| tree.is_well_formed()) {
            shape.read(tree).unwrap();
            for (root, root_arcs) in
                [(RootPosition::Stack, RootArcs::Counted), (RootPosition::None, RootArcs::Ignored)]
            {
                let projective = shape.is_projective();
                let planar = shape.is_planar(root_arcs);
                let two_planar = shape.two_planes(root_arcs).is_some();
                for entry in SYSTEMS.iter().filter(|entry| entry.name != "attardi") {
                    let expected = match entry.class {
                        "projective trees" => projective,
                        "planar trees" => planar,
                        "2-planar trees" => two_planar,
                        _ => true,
                    };
                    let system = (entry.build)(Options { root, ..Options::default() });
                    let derivation = derive(&*system, tree, &mut gold, &mut c);
                    assert_eq!(derivation.exact, expected, "{} {root:?} on {:?}", entry.name, tree.heads());
                }
            }
        }
    }
}
