//! Experiment 1 of Nivre and Nilsson (2005) on the Danish treebank, if it is available: the variable `QUAICH_TREEBANKS`
//! names a folder of treebank folders.
#![allow(clippy::print_stderr, reason = "prints the figures, or why a test is skipped")]

use quaich_transform::{Decoder, Encoding, Operation, PseudoProjective, Reporter, Scratch, by_spec};
use quaich_treebank::shape::Shapes;
use quaich_treebank::{Label, Node, ReadOptions, Reader, Symbols, Tree};

/// If covered roots do not cause lifts, the number of labels is as published, and the number of lifted arcs is close
/// (938; 0.94 % of 100,238 tokens, about 942).
#[test]
fn covered_roots_ignored_the_labels_are_as_many_as_published() {
    let Some(folder) = quaich_testkit::treebanks() else { return };
    for (spec, published, n_labels) in [
        ("pseudo-projective:head:malt:covered-ignore", 92.3, 123),
        ("pseudo-projective:head+path:covered-ignore", 99.8, 147),
        ("pseudo-projective:path:covered-ignore", 98.3, 99),
    ] {
        let transform = by_spec(spec).unwrap();
        let mut reporter = Reporter::new(&*transform, Operation::Apply);
        for file in ["train.conll", "test.conll"] {
            let path = folder.join("danish-ddt").join(file);
            for sentence in Reader::open(path, &ReadOptions::default()).unwrap().sentences() {
                reporter.add(&sentence.unwrap());
            }
        }
        let report = reporter.finish();
        assert_eq!((report.labels_before, report.labels_after), (54, n_labels), "{spec}");
        assert_eq!(report.total.moved, 938);
        let lost = f64::from(u32::try_from(report.total.lost_heads).unwrap());
        let found = 100.0 - lost / 938.0 * 100.0;
        eprintln!("{spec}: {found:.2} % of the lifted arcs, published {published}");
        assert!((found - published).abs() < 0.6, "{spec}: {found}");
    }
}

#[test]
fn nonprojective_arcs_come_back_as_published() {
    let Some(folder) = quaich_testkit::treebanks() else { return };
    let folder = folder.join("danish-ddt");
    let mut plain = Symbols::<Label>::new();
    let mut trees: Vec<(Tree, Vec<bool>)> = Vec::new();
    for file in ["train.conll", "test.conll"] {
        let reader = Reader::open(folder.join(file), &ReadOptions::default()).unwrap();
        for sentence in reader.sentences() {
            let sentence = sentence.unwrap();
            let mut words = vec![true];
            words.extend(
                sentence.tokens().map(|token| sentence.form(token).chars().any(char::is_alphanumeric)),
            );
            trees.push((sentence.tree(&mut plain), words));
        }
    }
    let mut shapes = Shapes::default();
    let mut scratch = Scratch::default();
    // Published: 92.3, 99.8 and 98.3 % with 123, 147 and 99 labels on 5,512 sentences with 54 labels.
    for (encoding, published, n_labels) in
        [(Encoding::Head, 92.3, 123), (Encoding::HeadPath, 99.8, 147), (Encoding::Path, 98.3, 99)]
    {
        let mut labels = plain.clone();
        let transform = PseudoProjective::new(encoding);
        let mut projectivized: Vec<Tree> = trees.iter().map(|(tree, _)| tree.clone()).collect();
        for tree in &mut projectivized {
            transform.projectivize(tree, &mut labels, &mut scratch).unwrap();
        }
        let mut used: Vec<Label> =
            projectivized.iter().flat_map(|tree| tree.labels()[1..].to_vec()).collect();
        used.sort_unstable();
        used.dedup();
        let decoder = Decoder::new(PseudoProjective::new(encoding), &mut labels);
        let (mut n_arcs, mut n_right, mut n_word_arcs, mut n_words_right) = (0u32, 0u32, 0u32, 0u32);
        let (mut n_lifted, mut n_lifted_right, mut n_wrong) = (0u32, 0u32, 0u32);
        for ((gold, words), tree) in trees.iter().zip(&mut projectivized) {
            let lifted: Vec<Node> =
                tree.tokens().filter(|&token| tree.head(token) != gold.head(token)).collect();
            decoder.deprojectivize(tree, &mut scratch);
            assert_eq!(tree.labels(), gold.labels());
            assert!(tree.is_well_formed());
            shapes.read(gold).unwrap();
            let right = |token: &&Node| tree.head(**token) == gold.head(**token);
            let is_word = |token: &&Node| words[token.index()];
            let arcs = shapes.nonprojective_arcs();
            let count = |n: usize| u32::try_from(n).unwrap();
            n_arcs += count(arcs.len());
            n_right += count(arcs.iter().filter(right).count());
            n_word_arcs += count(arcs.iter().filter(is_word).count());
            n_words_right += count(arcs.iter().filter(is_word).filter(right).count());
            n_lifted += count(lifted.len());
            n_lifted_right += count(lifted.iter().filter(right).count());
            n_wrong += count(tree.tokens().filter(|&token| tree.head(token) != gold.head(token)).count());
        }
        let percent = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole);
        eprintln!(
            "{:<10} {:5.2} % of {n_arcs} non-projective arcs, {:5.2} % of {n_word_arcs} without punctuation, published {published}; \
             {:5.2} % of {n_lifted} lifted arcs, {n_wrong} wrong; {} labels, published {n_labels}",
            format!("{encoding:?}"),
            percent(n_right, n_arcs),
            percent(n_words_right, n_word_arcs),
            percent(n_lifted_right, n_lifted),
            used.len(),
        );
        // The paper excludes punctuation from its scores. With it, path is 2.4 points below the published value (95.9
        // %), and the other two are still within one point.
        let found = percent(n_words_right, n_word_arcs);
        assert!((found - published).abs() < 1.0, "{encoding:?}: {found:.1} %");
    }
}
