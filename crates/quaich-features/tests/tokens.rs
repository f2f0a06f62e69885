//! Token values read from a sentence.

mod support;

use std::sync::Arc;

use quaich_features::{Element, Order, Sets, TokenValue, TokenValues, Tokens, hash};
use quaich_treebank::formats::by_name;
use quaich_treebank::{Node, Sentence};

use support::sentence;

/// Returns a list of token values from their notation, merged with `&`.
fn list(texts: &[&str]) -> TokenValues {
    let mut values = TokenValues::default();
    for text in texts {
        let parts: Vec<TokenValue> = text.split('&').map(|part| TokenValue::parse(part).unwrap()).collect();
        values.add(&parts);
    }
    values
}

fn read(rows: &[&str], texts: &[&str], order: Order) -> Tokens {
    let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
    let mut tokens = Tokens::default();
    tokens.read(&sentence(&rows), &list(texts), order);
    tokens
}

/// Returns the pattern of equal values: one letter per token, equal letters for equal values.
fn pattern(tokens: &Tokens, number: u16) -> String {
    let nodes = (0..=tokens.n_tokens()).map(Node::from_index).chain([Node::NONE]);
    let values: Vec<u64> = nodes.map(|node| tokens.get(node, number)).collect();
    let first = |value: &u64| values.iter().position(|held| held == value).unwrap_or_default();
    values.iter().map(|value| char::from(b'a' + u8::try_from(first(value)).unwrap())).collect()
}

const ROWS: [&str; 5] = [
    "Haus haus NOUN N-s Case=Nom|Number=Sing",
    "haus haus NOUN N-p Case=Nom|Number=Plur",
    "Maus maus NOUN N-s Number=Sing",
    "sah sehen VERB V3s _",
    "großaus sehen VERB V Case=Acc|ABS|Case=Nom|ABS",
];

#[test]
fn values_are_equal_where_their_texts_are() {
    let checks = [
        ("w", "abcdefg"),
        ("l", "abbdeeg"),
        ("w[-3:]", "abbbebg"),
        ("w[:1]", "abcdefg"),
        ("w[-1:]", "abbbebg"),
        ("p", "abbbeeg"),
        ("t", "abcbefg"),
        ("t[:1]", "abbbeeg"),
        ("t.2", "abcbbfg"),
        ("t.1", "abbbebg"),
        ("f", "abcdefg"),
        ("f.Case", "abbddfg"),
        ("f.Number", "abcbeeg"),
        ("f.ABS", "abbbbfg"),
        ("f.None", "abbbbbg"),
        ("XPOS", "abcbefg"),
        ("MISC.Gloss", "abbbbbg"),
        ("DEPS", "abbbbbg"),
        ("NOWHERE", "abbbbbg"),
        ("p&f.Case", "abbdefg"),
        ("f.Case&f.Number", "abcdefg"),
        ("f.None&DEPS", "abbbbbg"),
    ];
    let tokens = read(&ROWS, &checks.map(|(text, _)| text), Order::LeftToRight);
    for (number, (text, expected)) in (0..).zip(checks) {
        assert_eq!(pattern(&tokens, number), expected, "{text}");
    }
    assert_eq!((tokens.n_tokens(), tokens.row(Node(1)).len()), (5, checks.len()));
    assert_eq!(tokens.row(Node(2))[3], tokens.get(Node(2), 3));
}

#[test]
fn sets_have_the_features_of_their_cell() {
    let tokens = read(&ROWS, &["f*", "t*", "f", "f.Case"], Order::LeftToRight);
    let sizes = |number: u16| -> Vec<usize> {
        (0..=5).map(Node).chain([Node::NONE]).map(|node| tokens.set(node, number).len()).collect()
    };
    assert_eq!(sizes(0), [0, 2, 2, 1, 0, 3, 0]);
    assert_eq!(sizes(1), [0, 2, 2, 2, 3, 1, 0]);
    assert_eq!(sizes(2), [0; 7], "not a set");
    let set = |node: u32| tokens.set(Node(node), 0);
    let common = |a: u32, b: u32| set(a).iter().filter(|element| set(b).contains(element)).count();
    assert_eq!([common(1, 2), common(1, 3), common(1, 5)], [1, 1, 1]);
    assert!(set(5).is_sorted() && set(5)[0] != set(5)[1]);
    let names = |node: u32| set(node).iter().map(|element| element.name).collect::<Vec<u64>>();
    assert_eq!(names(1), names(2));
    // A set is its cell where a single value is needed, and its elements are the features by name.
    assert!((0..=6).map(Node).all(|node| tokens.get(node, 0) == tokens.get(node, 2)));
    assert!(set(1).iter().any(|element| element.value == tokens.get(Node(1), 3)));
}

#[test]
fn from_right_to_left_tokens_are_read_from_the_end() {
    let texts = ["w", "f*", "w[:2]", "p&f.Case"];
    let (there, back) = (read(&ROWS, &texts, Order::LeftToRight), read(&ROWS, &texts, Order::RightToLeft));
    for node in 0..=5u32 {
        let mirrored = Node(if node == 0 { 0 } else { 6 - node });
        assert_eq!(there.row(Node(node)), back.row(mirrored));
        assert_eq!(there.set(Node(node), 1), back.set(mirrored, 1));
    }
    assert_eq!(there.row(Node::NONE), back.row(Node::NONE));
}

#[test]
fn what_was_read_before_makes_no_difference() {
    let values = list(&["f*", "f.A", "w*", "p&f.A"]);
    let mut used = Tokens::default();
    // More different cells than are cached, with other lists and formats in between.
    for first in (0..40_000).step_by(1000) {
        let rows: Vec<String> =
            (first..first + 1000).map(|i| format!("w{i} _ N _ A={i}|B={}|C", i % 7)).collect();
        let sentence = sentence(&rows);
        if first % 3000 == 0 {
            used.read(&sentence, &list(&["p", "f*"]), Order::RightToLeft);
        }
        used.read(&sentence, &values, Order::LeftToRight);
        let mut fresh = Tokens::default();
        fresh.read(&sentence, &values, Order::LeftToRight);
        for node in (0..=1001).map(Node) {
            assert_eq!(used.row(node), fresh.row(node));
            assert_eq!((used.set(node, 0), used.set(node, 2)), (fresh.set(node, 0), fresh.set(node, 2)));
        }
    }
}

#[test]
fn columns_are_found_in_every_format() {
    let read = |format: &str, text: &str| {
        let layout = Arc::new(by_name(format).unwrap().layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        sentence.read_block(&layout, text.as_bytes(), 1, &mut Vec::new());
        let mut tokens = Tokens::default();
        tokens.read(&sentence, &list(&["w", "t", "l", "f*", "POSTAG*"]), Order::LeftToRight);
        tokens
    };
    let tab = read("malttab", "aus\tNs\t0\troot\n");
    let conllx = read("conllx", "1\taus\t_\tN\tNs\t_\t0\troot\t_\t_\n");
    assert_eq!(tab.row(Node(1)), conllx.row(Node(1)));
    assert_eq!((tab.set(Node(1), 3).len(), tab.set(Node(1), 4).len()), (0, 2));
}

#[test]
fn sentences_without_tokens_have_a_root() {
    let tokens = read(&[], &["w", "f*"], Order::RightToLeft);
    assert_eq!((tokens.n_tokens(), tokens.set(Node(0), 1), tokens.set(Node::NONE, 1)), (0, &[][..], &[][..]));
    assert_ne!(tokens.get(Node(0), 0), tokens.get(Node::NONE, 0));
    let nothing = read(&ROWS, &[], Order::LeftToRight);
    assert_eq!((nothing.n_tokens(), nothing.row(Node(3)).len()), (5, 0));
}

#[test]
fn lists_number_what_they_hold_once() {
    let mut values = list(&["w", "p&f.Case", "f*"]);
    let parse = |text: &str| TokenValue::parse(text).unwrap();
    assert_eq!(values.add(&[parse("p"), parse("f.Case")]), 1);
    assert_eq!((values.number(&[parse("f*")]), values.number(&[parse("f")])), (Some(2), None));
    assert_eq!((values.add(&[parse("f")]), values.len()), (3, 4));
    assert_eq!(values.parts(0), [parse("w")]);
}

#[test]
fn sets_are_found_by_the_fingerprint_of_their_cell() {
    let tokens = read(&ROWS, &["w", "f*", "t*"], Order::LeftToRight);
    let (mut noted, mut sets) = (Sets::default(), Sets::default());
    noted.note(&tokens);
    noted.note(&tokens);
    sets.append(&noted);
    sets.append(&noted);
    assert_eq!((sets.len(), sets.is_empty()), (4 + 4, false));
    for node in (0..=5).map(Node).chain([Node::NONE]) {
        for number in [1, 2] {
            let found: &[Element] = sets.get(hash::fingerprint(tokens.get(node, number)));
            assert_eq!(found, tokens.set(node, number));
        }
    }
    assert_eq!(sets.get(7), []);
}
