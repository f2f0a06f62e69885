//! Break-downs and measures of trees on small sentences with results computed by hand.

use std::io::Cursor;
use std::sync::Arc;

use quaich_eval::breakdowns::{BREAKDOWNS, Context, KnownWords, by_name};
use quaich_eval::derivation::{Attached, Derivation};
use quaich_eval::{ComparisonReader, Evaluator, PunctuationRule, TokenMatch};
use quaich_treebank::{Node, ReadOptions, Reader, Sentence, Source};
use serde_json::Value as Json;

/// CoNLL-U from `form/head/label` tokens.
fn conllu(sentences: &[&str]) -> String {
    let row = |(id, token): (usize, &str)| match token.split('/').collect::<Vec<_>>()[..] {
        [form, head, label] => format!("{id}\t{form}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n"),
        _ => panic!("{token}"),
    };
    let sentence = |text: &&str| (1..).zip(text.split(' ')).map(row).collect::<String>() + "\n";
    sentences.iter().map(sentence).collect()
}

fn reader(text: &str) -> Reader {
    let source = Source::from_stream(Cursor::new(text.to_owned()), "test".into(), None).unwrap();
    Reader::new(source, &ReadOptions::default()).unwrap()
}

fn sentence(text: &str) -> Sentence {
    reader(&conllu(&[text])).sentences().next().unwrap().unwrap()
}

fn evaluate(gold: &[&str], system: &[&str], known: &str) -> Json {
    let mut known_words = KnownWords::default();
    known_words.add(&sentence(known));
    let context = Context { known_words: Arc::new(known_words) };
    let mut evaluator = Evaluator::with_context(PunctuationRule::Keep, BREAKDOWNS, &context);
    let mut files = ComparisonReader::new(reader(&conllu(gold)), [reader(&conllu(system))]);
    while let Some(sentence) = files.read(PunctuationRule::Keep).unwrap() {
        evaluator.add_pair(&sentence.system(0));
    }
    serde_json::to_value(evaluator.evaluation()).unwrap()
}

fn check(found: &Json, expected: &[(&str, f64)]) {
    for (path, expected) in expected {
        let number =
            found.pointer(path).and_then(Json::as_f64).unwrap_or_else(|| panic!("no {path} in {found:#}"));
        assert!((number - expected).abs() < 0.005, "{path}: {number} instead of {expected}");
    }
}

#[test]
fn undirected_attachment_roots_and_subtrees() {
    // The arc between b and c is reversed, and d depends on b; e is correct.
    let found =
        evaluate(&["a/2/x b/0/root c/2/x d/3/x e/4/x"], &["a/2/x b/3/x c/0/root d/2/x e/4/x"], "a/0/root");
    check(
        &found,
        &[
            ("/uas", 40.0),
            // a and e, and b, which is linked with c; c has no other link.
            ("/undirected", 60.0),
            ("/roots", 0.0),
            // The leaves a and e, and d with e.
            ("/subtrees", 60.0),
        ],
    );
    let right = evaluate(&["a/2/x b/0/root"], &["a/2/x b/0/root"], "a/0/root");
    check(&right, &[("/undirected", 100.0), ("/roots", 100.0), ("/subtrees", 100.0)]);
}

#[test]
fn means_over_sentences_count_every_sentence_once() {
    // 1 of 1 and 1 of 4.
    let found =
        evaluate(&["a/0/r", "a/0/r b/1/x c/1/x d/1/x"], &["a/0/r", "a/0/r b/1/y c/2/x d/3/y"], "a/0/r");
    check(
        &found,
        &[
            ("/las", 40.0),
            ("/uas", 60.0),
            ("/sentence_las", 62.5),
            ("/sentence_uas", 75.0),
            ("/sentence_la", 75.0),
        ],
    );
}

#[test]
fn distance_to_the_root_is_each_sides_own() {
    // A chain of eight; the system attaches the third to the root.
    let gold = "a/0/r b/1/x c/2/x d/3/x e/4/x f/5/x g/6/x h/7/x";
    let found = evaluate(&[gold], &[&gold.replace("c/2", "c/0")], "a/0/r");
    check(
        &found,
        &[
            ("/root-distance/1/gold", 1.0),
            ("/root-distance/1/system", 2.0),
            ("/root-distance/1/precision", 50.0),
            ("/root-distance/3/gold", 1.0),
            ("/root-distance/3/recall", 0.0),
            // e has distance 5 in the gold standard, and 3 in the other.
            ("/root-distance/3/precision", 100.0),
            ("/root-distance/7+/gold", 2.0),
            ("/root-distance/7+/system", 0.0),
        ],
    );
    let cycle = evaluate(&["a/0/r b/1/x"], &["a/2/r b/1/x"], "a/0/r");
    check(&cycle, &[("/root-distance/no tree/system", 2.0), ("/projectivity/no tree/precision", 50.0)]);
}

#[test]
fn projectivity_of_arcs() {
    // c is attached to a over b, which is the root.
    let found = evaluate(&["a/2/x b/0/r c/1/x"], &["a/2/x b/0/r c/2/x"], "a/0/r");
    check(
        &found,
        &[
            ("/projectivity/nonprojective/gold", 1.0),
            ("/projectivity/nonprojective/system", 0.0),
            ("/projectivity/nonprojective/recall", 0.0),
            ("/projectivity/projective/gold", 2.0),
            ("/projectivity/projective/system", 3.0),
            ("/projectivity/projective/precision", 66.67),
        ],
    );
}

#[test]
fn coordination_and_verb_groups() {
    // "dogs , cats and birds have slept": the system labels the last conjunct as an object.
    let gold = "dogs/7/nsubj ,/3/punct cats/1/conj and/5/cc birds/1/conj have/7/aux slept/0/root";
    let system = "dogs/7/nsubj ,/3/punct cats/1/conj and/7/cc birds/7/obj have/7/aux slept/0/root";
    let found = evaluate(&[gold], &[system], "a/0/r");
    check(
        &found,
        &[
            ("/construction/S/gold", 2.0),
            ("/construction/S/unlabelled_recall", 50.0),
            ("/construction/C/gold", 3.0),
            ("/construction/C/system", 2.0),
            ("/construction/C/unlabelled_recall", 66.67),
            ("/construction/C/unlabelled_precision", 100.0),
            ("/construction/A/f1", 100.0),
            ("/construction/M/gold", 1.0),
            ("/construction/M/recall", 100.0),
        ],
    );
    // Prague style: the conjunction is the head.
    let prague = "dogs/2/Sb_Co and/4/Coord cats/2/Sb_Co sleep/0/Pred";
    let found = evaluate(&[prague], &[prague], "a/0/r");
    check(
        &found,
        &[("/construction/S/gold", 1.0), ("/construction/C/gold", 2.0), ("/construction/A/gold", 0.0)],
    );
}

#[test]
fn unknown_words_confusions_and_frames() {
    let found =
        evaluate(&["a/2/x b/0/r c/2/y"; 2], &["a/2/x b/0/r c/2/z", "a/2/x b/0/r c/1/z"], "a/2/x c/0/r");
    check(
        &found,
        &[
            ("/unknown/known/scored_tokens", 4.0),
            ("/unknown/known/las", 50.0),
            ("/unknown/unknown/scored_tokens", 2.0),
            ("/unknown/unknown/las", 100.0),
            ("/confusions/y → z/count", 2.0),
            ("/confusions/y → z/percent", 100.0),
            ("/confusions/y → z/right_head_percent", 50.0),
            ("/frames/x *r* y ~1 x *r* z/count", 1.0),
            ("/frames/x *r* y ~1 x *r*/count", 1.0),
            ("/frames/*x* ~1 *x* z/count", 1.0),
        ],
    );
}

#[test]
fn transitions_and_running_time_are_those_of_derivations() {
    let asked = [by_name("transitions").unwrap(), by_name("running-time").unwrap()];
    let mut evaluator = Evaluator::new(PunctuationRule::Skip, &asked);
    let mut files = ComparisonReader::new(
        reader(&conllu(&["a/2/x b/0/r ./2/p"; 3])),
        [reader(&conllu(&["a/2/x b/0/r ./2/p"; 3]))],
    );
    let attached = |token, transition, head, label| Attached {
        token: Node(token),
        transition,
        token_match: TokenMatch { head, label },
    };
    let derivation = Derivation {
        n_transitions: 6,
        // The full stop is not scored.
        attached: vec![
            attached(1, "LA", true, false),
            attached(2, "RA", true, true),
            attached(3, "RA", false, false),
        ],
    };
    while let Some(sentence) = files.read(PunctuationRule::Skip).unwrap() {
        evaluator.add_pair(&sentence.system(0).with_derivation(&derivation));
    }
    let found = serde_json::to_value(evaluator.evaluation()).unwrap();
    check(
        &found,
        &[
            ("/transitions/LA/las", 0.0),
            ("/transitions/LA/uas", 100.0),
            ("/transitions/RA/las", 100.0),
            ("/transitions/RA/scored_tokens", 3.0),
            ("/running-time/all/transitions", 18.0),
            ("/running-time/all/slope", 2.0),
            ("/running-time/1-10/n_sentences", 3.0),
        ],
    );
    // All sentences have the same length: there is no variance to explain.
    assert_eq!(found["running-time"]["all"]["r_squared"], Json::Null);
}

#[test]
fn several_systems_are_read_side_by_side() {
    let gold = conllu(&["a/0/r b/1/x", "c/0/r"]);
    let (one, other) = (conllu(&["a/0/r b/1/y", "c/0/r"]), conllu(&["a/2/r b/0/x", "c/0/r"]));
    let mut files = ComparisonReader::new(reader(&gold), [reader(&one), reader(&other)]);
    let mut seen = Vec::new();
    while let Some(sentence) = files.read(PunctuationRule::Keep).unwrap() {
        for pair in sentence.systems() {
            seen.push(
                pair.scored()
                    .map(|(_, token_match)| (token_match.head, token_match.label))
                    .collect::<Vec<_>>(),
            );
        }
    }
    let right = (true, true);
    assert_eq!(seen, [vec![right, (true, false)], vec![(false, true); 2], vec![right], vec![right]]);
    let mut short = ComparisonReader::new(reader(&gold), [reader(&one), reader(&conllu(&["a/0/r b/1/x"]))]);
    assert!(short.read(PunctuationRule::Keep).unwrap().is_some());
    assert!(short.read(PunctuationRule::Keep).is_err());
}
