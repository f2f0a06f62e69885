//! Descriptions of small and of published treebanks.

use quaich_eval::describe::{BufferTransition, Describer, Description, PunctuationAttached};
use quaich_treebank::{ReadOptions, Reader, Source};
use std::io::Cursor;

/// Rows of CoNLL-U from `form lemma tag feats head label`, one string per sentence.
fn describe(sentences: &[&[&str]]) -> Describer {
    let mut text = String::new();
    for sentence in sentences {
        for (id, row) in (1..).zip(*sentence) {
            let cells: Vec<&str> = row.split(' ').collect();
            let [form, lemma, tag, feats, head, label] = cells[..] else { panic!("six cells: {row}") };
            let row = format!("{id}\t{form}\t{lemma}\t{tag}\t_\t{feats}\t{head}\t{label}\t_\t_\n");
            text.push_str(&row);
        }
        text.push('\n');
    }
    read(
        Reader::new(
            Source::from_stream(Cursor::new(text), "test".into(), None).unwrap(),
            &ReadOptions::default(),
        )
        .unwrap(),
    )
}

fn read(mut reader: Reader) -> Describer {
    let mut describer = Describer::new();
    let mut sentence = reader.sentence();
    while reader.read(&mut sentence).unwrap() {
        describer.add(&sentence);
    }
    describer
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.005, "{found} instead of {expected}");
}

const HEARING: &[&str] = &[
    "A a DET _ 2 DET",
    "hearing hearing NOUN Case=Nom|Number=Sing 3 SBJ",
    "is be VERB Number=Sing|Tense=Pres 0 ROOT",
    "scheduled schedule VERB _ 3 VG",
    "on on ADP _ 2 NMOD",
    "the the DET _ 7 DET",
    "issue issue NOUN Number=Sing 5 PC",
    "today today ADV _ 4 ADV",
    ". . PUNCT _ 3 P",
];

#[test]
fn every_measure_of_a_small_treebank() {
    let no_tree = ["a _ X _ 2 x", "b _ X _ 1 x"];
    let projective = ["So _ X _ 0 ROOT", "! ! PUNCT _ 0 P"];
    let d = describe(&[HEARING, &no_tree, &projective]).description();
    assert_eq!((d.sentences, d.tokens, d.longest_sentence, d.ill_formed_sentences), (3, 13, 9, 1));
    close(d.tokens_per_sentence, 4.33);
    assert_eq!((d.forms, d.has_lemmas, d.lemmas), (13, true, 10));
    assert_eq!((d.coarse_tags, d.fine_tags, d.features), (7, 0, 3));
    assert_eq!((d.labels, d.root_labels), (9, 2));
    assert_eq!(d.label_counts["DET"], 2);
    assert_eq!((d.roots, d.nonprojective_arcs, d.nonprojective_sentences), (3, 2, 1));
    close(d.roots_per_sentence, 1.0);
    close(d.roots_percent, 23.08);
    // A, hearing, the and the first token of the sentence without a tree have their heads on the right.
    close(d.head_right_percent, 30.77);
    close(d.head_left_percent, 46.15);
    assert_eq!((d.punctuation, d.punctuation_labels), (2, 1));
    assert_eq!(d.punctuation_attached, Some(PunctuationAttached::Sometimes));
    assert_eq!((d.not_planar, d.not_2_planar, d.ill_nested, d.max_gap_degree), (1, 0, 1, 1));
    assert_eq!(d.planes.iter().collect::<Vec<_>>(), [(1, 1), (2, 1)]);
    assert_eq!(d.lifts.iter().collect::<Vec<_>>(), [(0, 9), (1, 2)]);
    assert_eq!(d.arc_lengths.iter().collect::<Vec<_>>(), [(1, 6), (2, 1), (3, 1), (4, 1), (6, 1)]);
    close(d.left_percent + d.right_percent, 100.0);
    close(d.left1_percent, 30.77);
    // scheduled, the second token of the sentence without a tree, and So, next to node 0.
    close(d.right1_percent, 23.08);
    assert_eq!(d.buffer_transition, Some(BufferTransition::Rba));
}

#[test]
fn nothing_is_described_as_nothing() {
    let d = describe(&[]).description();
    assert_eq!((d.sentences, d.tokens, d.punctuation_attached, d.buffer_transition), (0, 0, None, None));
    assert!(serde_json::to_string(&d).is_ok());
}

#[test]
fn parts_add_up_to_the_whole() {
    let other = ["what what PRON Case=Acc 2 obj", "happened happen VERB _ 0 root"];
    let mut sum = describe(&[HEARING]);
    sum.absorb(&describe(&[&other]));
    assert_eq!(sum.description(), describe(&[HEARING, &other]).description());
}

#[test]
fn new_words_are_counted_in_tokens() {
    let test =
        ["hearing hearing NOUN _ 0 root", "is be VERB _ 1 x", "hearings hearing NOUN _ 1 x", "on _ X _ 1 x"];
    let new = describe(&[&test]).new_words(&describe(&[HEARING]));
    close(new.forms_percent, 25.0);
    close(new.lemmas_percent.unwrap(), 0.0);
    let new = describe(&[HEARING]).new_words(&describe(&[&["x _ X _ 0 root"]]));
    assert_eq!(new.lemmas_percent, None);
}

#[test]
fn json_has_the_promised_keys() {
    let json = serde_json::to_value(describe(&[HEARING]).description()).unwrap();
    for key in [
        "sentences",
        "tokens",
        "nonprojective_sentences",
        "nonprojective_arcs",
        "not_planar",
        "not_2_planar",
        "not_3_planar",
        "ill_nested",
        "max_gap_degree",
        "left_percent",
        "right_percent",
        "left1_percent",
        "right1_percent",
        "lifts",
        "roots_per_sentence",
        "labels",
        "root_labels",
    ] {
        assert!(!json[key].is_null(), "{key}");
    }
    assert_eq!(json["lifts"]["1"], 2);
    assert_eq!(json["punctuation_attached"], "A");
}

/// Returns a treebank in `QUAICH_TREEBANKS`, or nothing if that is not set.
fn published(files: &[&str]) -> Option<Description> {
    let treebanks = quaich_testkit::treebanks()?;
    let mut all = Describer::new();
    for file in files {
        all.absorb(&read(Reader::open(treebanks.join(file), &ReadOptions::default()).unwrap()));
    }
    Some(all.description())
}

/// Published for the official data of 5,512 trees: 853, 827, 1, 1, 0, 6 (2010, Table 1); here four trees are missing.
#[test]
fn danish_planarity_and_nestedness() {
    let Some(d) = published(&["danish-ddt/train.conll", "danish-ddt/test.conll"]) else { return };
    assert_eq!(d.sentences, 5508);
    assert_eq!(
        [
            d.nonprojective_sentences,
            d.not_planar,
            d.not_2_planar,
            d.not_3_planar,
            d.not_4_planar,
            d.ill_nested
        ],
        [852, 827, 1, 1, 0, 6]
    );
}

/// Published: 17.1, 82.9, 10.9, 43.0, LBA (2012, Table 2).
#[test]
fn danish_directions() {
    let Some(d) = published(&["danish-ddt/train.conll"]) else { return };
    let tenths = |number: f64| format!("{number:.1}");
    let found = [d.left_percent, d.right_percent, d.left1_percent, d.right1_percent].map(tenths);
    assert_eq!(found, ["17.1", "82.9", "10.9", "43.0"]);
    assert_eq!(d.buffer_transition, Some(BufferTransition::Lba));
}

#[test]
fn an_underscore_is_a_label_beside_others() {
    let labels = |first: &str, second: &str| {
        let rows = [
            format!("We we PRON _ 2 {first}"),
            format!("sing sing VERB _ 0 {second}"),
            format!(". . PUNCT _ 2 {first}"),
        ];
        let d = describe(&[&[&rows[0], &rows[1], &rows[2]]]).description();
        (d.labels, d.root_labels, d.punctuation_labels, d.label_counts)
    };
    for (first, second) in [("_", "root"), ("nsubj", "_")] {
        let (n, n_of_roots, n_of_punctuation, counts) = labels(first, second);
        assert_eq!((n, n_of_roots, n_of_punctuation, counts[first], counts[second]), (2, 1, 1, 2, 1));
    }
    assert_eq!(labels("_", "_"), (0, 0, 0, std::collections::BTreeMap::new()));
}
