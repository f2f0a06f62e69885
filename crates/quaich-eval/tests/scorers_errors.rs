//! Error analysis of the scorers of CoNLL-X and 2007: small examples computed by hand, and the sample treebank with
//! noise, compared with a direct implementation of the definitions.

mod scoring;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use scoring::{SAMPLE, close, conllu, noisy_sample, score, words};

fn check(scorer: &str, gold: &[&str], system: &[&str], expected: &[&str]) -> Json {
    let (text, json) = score(scorer, &conllu(gold), &conllu(system)).unwrap();
    let expected = expected.join("\n");
    assert!(text.contains(&expected), "no\n{expected}\nin\n{text}");
    json["errors"].clone()
}

/// In the first sentence `b` has another label and `c` another head; in the second `c` has both.
const GOLD: [&str; 2] = ["1/a/N/2/x 2/b/V/0/root 3/c/N/2/y 4/./P/2/p", "1/d/V/0/root 2/c/N/1/y"];
const SYSTEM: [&str; 2] = ["1/a/N/2/x 2/b/V/0/y 3/c/N/1/y 4/./P/1/p", "1/d/V/0/root 2/c/N/0/x"];

#[test]
fn words_and_contexts_with_most_errors() {
    let expected = [
        "  2 focus words where most of the errors occur:",
        "",
        "        | any  | head | dep  | both",
        "  ------+------+------+------+------",
        "  c / N |    2 |    2 |    1 |    1",
        "  b / V |    1 |    0 |    1 |    0",
        "  ------+------+------+------+------",
        "",
        "",
        "  one-token preceeding contexts where most of the errors occur:",
        "",
        "  CPOS  | any  | head | dep  | both  ||  word          | any  | head | dep  | both",
        "  ------+------+------+------+-------++----------------+------+------+------+-----",
        "  V     |    2 |    2 |    1 |    1  ||  a / N         |    1 |    0 |    1 |    0",
        "  N     |    1 |    0 |    1 |    0  ||  b / V         |    1 |    1 |    0 |    0",
        "        |      |      |      |       ||  d / V         |    1 |    1 |    1 |    1",
        "  ------+------+------+------+-------++----------------+------+------+------+-----",
        "",
        "",
        "  two-token preceeding contexts where most of the errors occur:",
        "",
        "  CPOS  | any  | head | dep  | both  ||  word          | any  | head | dep  | both",
        "  ------+------+------+------+-------++----------------+------+------+------+-----",
        "  .S+N  |    1 |    0 |    1 |    0  ||  .S + a / N    |    1 |    0 |    1 |    0",
        "  .S+V  |    1 |    1 |    1 |    1  ||  .S + d / V    |    1 |    1 |    1 |    1",
        "  N+V   |    1 |    1 |    0 |    0  ||  a / N + b / V |    1 |    1 |    0 |    0",
        "  ------+------+------+------+-------++----------------+------+------+------+-----",
        "",
        "",
        "  one-token following contexts where most of the errors occur:",
        "",
        // The end of a sentence is a context, but not a word; punctuation is a word, though it is not scored.
        "  CPOS  | any  | head | dep  | both  ||  word          | any  | head | dep  | both",
        "  ------+------+------+------+-------++----------------+------+------+------+-----",
        "  .E    |    1 |    1 |    1 |    1  ||  . / P         |    1 |    1 |    0 |    0",
        "  N     |    1 |    0 |    1 |    0  ||  c / N         |    1 |    0 |    1 |    0",
        "  P     |    1 |    1 |    0 |    0  ||                |      |      |      |     ",
        "  ------+------+------+------+-------++----------------+------+------+------+-----",
    ];
    let json = check("conllx", &GOLD, &SYSTEM, &expected);
    assert_eq!(json["focus_words"]["c / N"], json!({ "any": 2, "head": 2, "label": 1, "both": 1 }));
    assert_eq!(json["contexts"][1]["tags"]["N+V"]["head"], 1);
}

#[test]
fn the_first_of_the_worst_sentences() {
    let expected = [
        "  Sentence with the highest number of word errors:",
        "   Sentence 1 line 1, 1 head errors, 1 dependency errors, 2 word errors",
        "",
        "",
        "  Sentence with the highest number of head errors:",
        "   Sentence 1 line 1, 1 head errors, 1 dependency errors, 2 word errors",
    ];
    check("conllx", &GOLD, &SYSTEM, &expected);
    // The comma counts in 2007, and the line is that of the first token.
    let gold: Vec<&str> = GOLD.iter().rev().copied().collect();
    let system: Vec<&str> = SYSTEM.iter().rev().copied().collect();
    let json = check("conll07", &gold, &system, &[]);
    let worst = json!({ "sentence": 2, "line": 4, "head_errors": 2, "label_errors": 1, "word_errors": 3 });
    assert_eq!(json["worst_sentences"]["word_errors"], worst);
    assert_eq!(json["worst_sentences"]["label_errors"]["sentence"], 1);
}

#[test]
fn kinds_of_errors_with_their_contexts() {
    // `c` is attached to `a` three times; the same verb precedes it twice.
    let gold = [
        "1/a/N/2/x 2/b/V/0/root 3/c/N/2/y",
        "1/a/N/2/x 2/b/V/0/root 3/c/N/2/y",
        "1/a/N/2/x 2/e/V/0/root 3/f/D/2/y",
    ];
    let system = [
        "1/a/N/2/x 2/b/V/0/root 3/c/N/1/y",
        "1/a/N/2/x 2/b/V/0/root 3/c/N/1/y",
        "1/a/N/2/x 2/e/V/0/root 3/f/D/1/y",
    ];
    let expected = [
        "  Specific errors, 1 most frequent errors:",
        "  =========================================",
        "",
        "   1. head one word before the correct head (before the focus word), correct dependency : 3 times",
        "  -----+------+------+------+------+------+------",
        "    Before    |    Focus    |   After     | Count",
        "  CPOS   word | CPOS   word | CPOS   word |",
        "  -----+------+------+------+------+------+------",
        "  V    |      |      |      | .E   | .E   |   3",
        "  V    | b    | N    | c    | .E   | .E   |   2",
        "  -----+------+------+------+------+------+------",
        "",
        "",
        "  Local contexts involved in several frequent errors:",
    ];
    let json = check("conllx", &gold, &system, &expected);
    let context = json!({ "before": ["V", ""], "focus": ["", ""], "after": [".E", ".E"] });
    assert_eq!(json["frequent_errors"][0]["contexts"][0], json!([context, 3]));
}

#[test]
fn errors_are_described_by_where_heads_are() {
    let gold = ["1/a/N/3/x 2/b/N/3/x 3/c/V/0/root 4/d/N/3/y 5/e/N/4/x"];
    for (system, expected) in [
        (
            "1/a/N/4/x 2/b/N/3/x 3/c/V/0/root 4/d/N/3/y 5/e/N/4/x",
            "head one word after the correct head (after the focus word), correct dependency",
        ),
        (
            "1/a/N/3/x 2/b/N/1/x 3/c/V/0/root 4/d/N/3/y 5/e/N/4/x",
            "head two words before the correct head (before the focus word instead ofbefore the focus word), correct dependency",
        ),
        (
            "1/a/N/3/x 2/b/N/3/x 3/c/V/5/root 4/d/N/3/y 5/e/N/4/x",
            "head after the focus word instead of 0, correct dependency",
        ),
        (
            "1/a/N/0/x 2/b/N/3/x 3/c/V/0/root 4/d/N/3/y 5/e/N/4/x",
            "head = 0 instead of after the focus word, correct dependency",
        ),
        (
            "1/a/N/3/x 2/b/N/3/x 3/c/V/0/z 4/d/N/3/y 5/e/N/4/x",
            "correct head (0), dependency \"z\" instead of \"root\"",
        ),
        (
            "1/a/N/3/x 2/b/N/3/x 3/c/V/0/root 4/d/N/3/z 5/e/N/4/x",
            "correct head (before the focus word), dependency \"z\" instead of \"y\"",
        ),
    ] {
        let json = check("conll07", &gold, &[system], &[&format!("   1. {expected} : 1 times")]);
        assert_eq!(json["frequent_errors"][0]["error"], expected);
    }
}

#[test]
fn contexts_of_several_kinds_of_errors() {
    let gold = ["1/a/N/2/x 2/b/V/0/root 3/c/N/2/y 4/d/A/3/x 5/e/D/2/x"];
    let expected = [
        "  -----+------+------+------+------+------",
        "    Before    |    Focus    |   After     ",
        "  CPOS   word | CPOS   word | CPOS   word ",
        "  -----+------+------+------+------+------",
        "  V    | b    | N    | c    | A    | d    ",
        "  -----+------+------+------+------+------",
        "   1. correct head (before the focus word), dependency \"q\" instead of \"y\" : 1 times",
        "   2. correct head (before the focus word), dependency \"z\" instead of \"y\" : 1 times",
        "",
    ];
    let system = |label| format!("1/a/N/2/x 2/b/V/0/root 3/c/N/2/{label} 4/d/A/3/x 5/e/D/2/x");
    check("conll07", &[gold[0], gold[0]], &[&system("z"), &system("q")], &expected);
}

#[test]
fn tables_of_errors_are_empty_without_errors() {
    let json = check("conllx", &GOLD, &GOLD, &["  0 focus words where most of the errors occur:"]);
    assert_eq!(json["focus_words"], json!({}));
    assert_eq!(json["worst_sentences"]["word_errors"], Json::Null);
    assert_eq!(json["frequent_errors"], json!([]));
}

fn sentences(text: &str) -> Vec<Vec<Vec<&str>>> {
    text.split("\n\n").map(words).filter(|rows| !rows.is_empty()).collect()
}

/// Counted by words and by kinds of errors, directly from the columns.
#[test]
fn the_sample_with_noise_as_the_definitions_have_it() {
    let system = noisy_sample();
    let (_, json) = score("conll07", SAMPLE, &system).unwrap();
    let mut focus: BTreeMap<String, [u64; 4]> = BTreeMap::new();
    let mut before: BTreeMap<String, u64> = BTreeMap::new();
    let mut roots = 0;
    let mut most = 0;
    let (mut n_tokens, mut n_errors) = (0, 0);
    for (gold, system) in sentences(SAMPLE).iter().zip(sentences(&system)) {
        n_tokens += gold.len();
        let mut here = 0;
        for (at, (gold_row, row)) in gold.iter().zip(&system).enumerate() {
            let (head, label) = (gold_row[6] != row[6], gold_row[7] != row[7]);
            if head || label {
                here += 1;
                let counts = focus.entry(format!("{} / {}", gold_row[1], gold_row[3])).or_default();
                for (count, is) in counts.iter_mut().zip([true, head, label, head && label]) {
                    *count += u64::from(is);
                }
                let tag = if at == 0 { ".S" } else { gold[at - 1][3] };
                *before.entry(tag.to_owned()).or_default() += 1;
                roots += u64::from(gold_row[6] == "0" && !head);
            }
        }
        most = most.max(here);
        n_errors += here;
    }
    close(&json["las"], n_tokens - n_errors, n_tokens);
    let errors = &json["errors"];
    assert_eq!(errors["worst_sentences"]["word_errors"]["word_errors"], most);
    assert!(roots > 0, "some roots have another label");
    let mut counts: Vec<u64> = focus.values().map(|counts| counts[0]).collect();
    counts.sort_unstable();
    let fifth = counts[counts.len() - 5];
    focus.retain(|_, counts| counts[0] >= fifth);
    let shown = errors["focus_words"].as_object().unwrap();
    assert_eq!(shown.len(), focus.len());
    for (word, [any, head, label, both]) in focus {
        assert_eq!(shown[&word], json!({ "any": any, "head": head, "label": label, "both": both }));
    }
    let mut counts: Vec<u64> = before.values().copied().collect();
    counts.sort_unstable();
    let third = counts[counts.len() - 3];
    before.retain(|_, count| *count >= third);
    let shown = errors["contexts"][0]["tags"].as_object().unwrap();
    let shown: BTreeMap<String, u64> =
        shown.iter().map(|(tag, row)| (tag.clone(), row["any"].as_u64().unwrap())).collect();
    assert_eq!(shown, before);
}
