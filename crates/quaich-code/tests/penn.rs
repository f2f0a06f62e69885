//! Bracketed treebanks through CoNLL-U and back.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::rules;
use quaich_code::bracket_treebank::write_sentence_brackets;
use quaich_code::{
    BracketOptions, BracketReader, BracketedTree, Encoder, HeadRule, HeadTable, Kinds, Labels,
    SentenceDecoder,
};
use quaich_treebank::Treebank;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/brackets").join(name)
}

fn read(text: &str, options: BracketOptions, kinds: &mut Kinds) -> Vec<BracketedTree> {
    let mut reader = BracketReader::new(text.as_bytes(), "ten.mrg", options);
    std::iter::from_fn(|| reader.next(kinds).unwrap()).collect()
}

fn written(trees: &[BracketedTree], kinds: &Kinds) -> String {
    let mut text = String::new();
    for tree in trees {
        tree.write(kinds, &mut text);
        text.push('\n');
    }
    text
}

#[test]
fn ten_trees_come_back() {
    let text = fs::read_to_string(data("ten.mrg")).unwrap();
    for (keep_traces, cut_function_tags) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut kinds = Kinds::new();
        let trees = read(&text, BracketOptions { keep_traces, cut_function_tags }, &mut kinds);
        assert_eq!(trees.len(), 10);
        if keep_traces && !cut_function_tags {
            assert_eq!(written(&trees, &kinds), text.replace(") )", "))"));
        }
        let named: Vec<_> = trees.iter().map(|tree| (tree.tree.clone(), tree.names(&mut kinds))).collect();
        let table = HeadTable::parse(&fs::read_to_string(data("heads.txt")).unwrap(), "heads.txt").unwrap();
        let mut rules = rules(&named, &mut kinds);
        rules.push(HeadRule::Table(table));
        for rule in rules {
            let mut encoder = Encoder::new(rule, Labels::Convertible);
            let mut conllu = String::new();
            for tree in &trees {
                let names = tree.names(&mut kinds);
                let encoded = encoder.encode(&tree.tree, &names, &kinds);
                tree.write_sentence(&encoded, encoder.label_symbols(), &kinds, &mut conllu);
            }
            let mut decoder = SentenceDecoder::default();
            let mut brackets = String::new();
            for sentence in &Treebank::from_text(&conllu).unwrap()[..] {
                write_sentence_brackets(sentence, &mut decoder, &mut brackets);
            }
            assert_eq!(brackets, written(&trees, &kinds));
        }
    }
}

#[test]
fn heads_are_those_of_the_table() {
    let text = fs::read_to_string(data("ten.mrg")).unwrap();
    let mut kinds = Kinds::new();
    let trees = read(&text, BracketOptions::default(), &mut kinds);
    let table = HeadTable::parse(&fs::read_to_string(data("heads.txt")).unwrap(), "heads.txt").unwrap();
    let mut encoder = Encoder::new(HeadRule::Table(table), Labels::Convertible);
    let mut heads = |number: usize| {
        let names = trees[number].names(&mut kinds);
        let encoded = encoder.encode(&trees[number].tree, &names, &kinds);
        let word =
            |index: usize| index.checked_sub(1).map_or("ROOT", |index| trees[number].words[index].as_str());
        let shown = encoded
            .tokens()
            .map(|token| format!("{}<{}", word(token.index()), word(encoded.head(token).index())));
        shown.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        heads(1),
        "She<gave gave<ROOT her<brother brother<gave a<map map<gave of<map the<coast coast<of .<gave"
    );
    assert_eq!(heads(6), "If<will it<rains rains<If ,<will we<will will<ROOT stay<will here<stay .<will");
}
