//! The scorers of CoNLL-X, 2007 and 2009: small examples computed by hand, and the sample treebank with noise, compared
//! with a direct implementation of the definitions.

mod scoring;

use std::collections::BTreeSet;

use quaich_eval::scorers::{SCORERS, by_name};
use serde_json::Value as Json;

use scoring::{SAMPLE, close, conllu, noisy_sample, score, score_as, words};

#[test]
fn scorers_are_found_by_name() {
    for scorer in SCORERS {
        assert_eq!(by_name(scorer.name()).unwrap().name(), scorer.name());
        assert!(!scorer.about().is_empty());
    }
    let error = by_name("conll7").err().unwrap().to_string();
    assert!(error.starts_with("unknown scorer `conll7`; known: conll"), "{error}");
}

/// Eight words, one of them punctuation; `b` is attached to `c`, `d` has another label, `h` is a root and has another
/// label.
const GOLD: &str = "1/a/N/2/x 2/b/V/0/root 3/c/N/2/y 4/d/N/2/y 5/,/X/2/p 6/f/V/2/z 7/g/N/6/x 8/h/N/1/x";
const SYSTEM: &str = "1/a/N/2/x 2/b/V/3/root 3/c/N/2/y 4/d/N/2/x 5/,/X/8/p 6/f/V/2/z 7/g/N/6/x 8/h/N/0/root";

#[test]
fn a_small_comparison_as_eval_pl_prints_it() {
    let (text, json) = score("conllx", &conllu(&[GOLD]), &conllu(&[SYSTEM])).unwrap();
    let expected = [
        // Correct: a, c, f, g. Correct heads: those and d. Correct labels: those and b.
        "  Labeled   attachment score: 4 / 7 * 100 = 57.14 %",
        "  Unlabeled attachment score: 5 / 7 * 100 = 71.43 %",
        "  Label accuracy score:       5 / 7 * 100 = 71.43 %",
        "  Number of non-scoring tokens: 1",
        "  total      |     7 |     5 |  71% |     5 |  71% |     4 |  57%",
        "  N          |     5 |     4 |  80% |     3 |  60% |     3 |  60%",
        "  V          |     2 |     1 |  50% |     2 | 100% |     1 |  50%",
        "  total      |     7 |     2 |  29% |     2 |  29% |     1 |  14%",
        "  N          |     5 |     1 |  20% |     2 |  40% |     1 |  20%",
        // With the label correct regardless of the head, then with both.
        "  root            |    1 |       1 |      2 |     100.00 |         50.00",
        "  x               |    3 |       2 |      3 |      66.67 |         66.67",
        "  y               |    2 |       1 |      1 |      50.00 |        100.00",
        "  root            |    1 |       0 |      2 |       0.00 |          0.00",
        // Heads: b is the root and h has its head on the left; in the other, b has it on the right and h is the root.
        "  to_root         |    1 |       0 |      1 |       0.00 |          0.00",
        "  left            |    5 |       4 |      4 |      80.00 |        100.00",
        "  right           |    1 |       1 |      2 |     100.00 |         50.00",
        "  self            |    0 |       0 |      0 |        NaN |           NaN",
        "  1               |    3 |       3 |      4 |     100.00 |         75.00",
        "  7-...           |    1 |       0 |      0 |       0.00 |           NaN",
    ];
    for line in expected {
        assert!(text.lines().any(|found| found == line), "no {line:?} in\n{text}");
    }
    assert_eq!(json["scored_tokens"], 7);
    assert_eq!(json["tag"]["N"]["both_wrong"], 1);
    assert_eq!(json["distance"]["7-..."]["precision"], Json::Null);
    // The comma counts in 2007.
    let (text, json) = score("conll07", &conllu(&[GOLD]), &conllu(&[SYSTEM])).unwrap();
    assert!(text.starts_with("  Labeled   attachment score: 4 / 8 * 100 = 50.00 %\n"), "{text}");
    assert_eq!(json["label"]["p"]["correct"], 1);
    assert_eq!(json["label_and_attachment"]["p"]["correct"], 0);
}

#[test]
fn frames_are_confused_where_dependents_differ_five_times() {
    let gold = conllu(&["1/a/N/2/x 2/b/V/0/root 3/c/N/2/y"; 5]);
    let system = conllu(&["1/a/N/2/x 2/b/V/0/top 3/c/N/1/y"; 5]);
    let (text, json) = score("conll07", &gold, &system).unwrap();
    // The frame of the root has the changed label; the frame of `b` does not, since it is its own.
    let expected = [("** root / ** top ", 5), ("*x* / *x* y ", 5), ("x *root* y / x *root* ", 5)];
    let found: Vec<(&str, i64)> = json["frame_confusions"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(f, n)| (f.as_str(), n.as_i64().unwrap()))
        .collect();
    assert_eq!(found, expected);
    assert!(text.contains("    5  x *root* y / x *root* \n\n\n  2 focus words"), "{text}");
    let few = conllu(&["1/a/N/2/x 2/b/V/0/root 3/c/N/2/y"; 4]);
    let (_, json) = score("conll07", &few, &conllu(&["1/a/N/2/x 2/b/V/0/top 3/c/N/1/y"; 4])).unwrap();
    assert!(json["frame_confusions"].as_object().unwrap().is_empty());
}

/// The definitions of `eval.pl`, one table after the other, computed directly from the columns.
#[test]
fn the_sample_with_noise_as_the_definitions_have_it() {
    let system = noisy_sample();
    let both: Vec<(Vec<&str>, Vec<&str>)> = words(SAMPLE).into_iter().zip(words(&system)).collect();
    for (scorer, skips) in [("conllx", true), ("conll07", false)] {
        let (_, json) = score(scorer, SAMPLE, &system).unwrap();
        let is_punctuation =
            |form: &str| form.chars().all(|c| c.is_ascii_punctuation() && !"$+<=>^`|~".contains(c));
        let scored: Vec<_> = both.iter().filter(|(gold, _)| !(skips && is_punctuation(gold[1]))).collect();
        let count = |is: &dyn Fn(&[&str], &[&str]) -> bool| scored.iter().filter(|(g, s)| is(g, s)).count();
        let n = scored.len();
        assert_eq!(json["scored_tokens"], n);
        let las = count(&|g, s| g[6] == s[6] && g[7] == s[7]);
        assert!(las < n, "the noise makes mistakes");
        close(&json["las"], las, n);
        close(&json["uas"], count(&|g, s| g[6] == s[6]), n);
        close(&json["la"], count(&|g, s| g[7] == s[7]), n);
        let labels: BTreeSet<&str> = scored.iter().flat_map(|(g, s)| [g[7], s[7]]).collect();
        assert_eq!(json["label"].as_object().unwrap().len(), labels.len());
        for label in labels {
            let row = |key: &str, column: &str| json[key][label][column].as_u64().unwrap();
            assert_eq!(row("label", "gold"), count(&|g, _| g[7] == label) as u64);
            assert_eq!(row("label", "system"), count(&|_, s| s[7] == label) as u64);
            assert_eq!(row("label", "correct"), count(&|g, s| g[7] == label && s[7] == label) as u64);
            let right = count(&|g, s| g[7] == label && s[7] == label && g[6] == s[6]);
            assert_eq!(row("label_and_attachment", "correct"), right as u64);
        }
        let tags: BTreeSet<&str> = scored.iter().map(|(g, _)| g[3]).collect();
        for tag in tags {
            assert_eq!(json["tag"][tag]["words"], count(&|g, _| g[3] == tag));
            assert_eq!(json["tag"][tag]["right_head"], count(&|g, s| g[3] == tag && g[6] == s[6]));
            assert_eq!(
                json["tag"][tag]["both_wrong"],
                count(&|g, s| g[3] == tag && g[6] != s[6] && g[7] != s[7])
            );
        }
        let number = |cell: &str| cell.parse::<i64>().unwrap();
        let direction = |row: &[&str]| match (number(row[6]), number(row[0])) {
            (0, _) => "to_root",
            (head, id) if head < id => "left",
            _ => "right",
        };
        let distance = |row: &[&str]| match (number(row[6]) - number(row[0])).abs() {
            _ if row[6] == "0" => "to_root",
            1 => "1",
            2 => "2",
            3..=6 => "3-6",
            _ => "7-...",
        };
        for name in ["to_root", "left", "right"] {
            assert_eq!(json["direction"][name]["gold"], count(&|g, _| direction(g) == name));
            assert_eq!(
                json["direction"][name]["correct"],
                count(&|g, s| direction(g) == name && direction(s) == name)
            );
        }
        for name in ["to_root", "1", "2", "3-6", "7-..."] {
            assert_eq!(json["distance"][name]["system"], count(&|_, s| distance(s) == name));
            assert_eq!(
                json["distance"][name]["correct"],
                count(&|g, s| distance(g) == name && distance(s) == name)
            );
        }
    }
}

#[test]
fn empty_files_and_punctuation_alone() {
    let (text, json) = score("ud", "", "").unwrap();
    assert!(text.contains("LAS        |      0.00 |      0.00 |      0.00 |      0.00\n"), "{text}");
    assert_eq!(json["LAS"]["f1"], 0.0);
    let error = score("conllx", "", "").unwrap_err();
    assert_eq!(error, "gold: the file has no sentences, expected a gold standard to score by");
    let dots = conllu(&["1/./X/0/p 2/,/X/1/p"]);
    let error = score("conllx", &dots, &dots).unwrap_err();
    assert!(
        error.starts_with("gold: no token is scored, expected some that are not punctuation: found 2 tokens"),
        "{error}"
    );
    assert_eq!(score("conll07", &dots, &dots).unwrap().1["las"], 100.0);
    // A sentence of punctuation among others has no effect.
    let (_, json) =
        score("conllx", &(dots.clone() + &conllu(&[GOLD])), &(dots + &conllu(&[SYSTEM]))).unwrap();
    assert_eq!((&json["scored_tokens"], &json["non_scoring_tokens"]), (&Json::from(7), &Json::from(3)));
}

/// Returns a line of CoNLL 2009; `extra` is FILLPRED, PRED and the arguments.
fn row(id: u32, form: &str, head: u32, label: &str, extra: &str) -> String {
    format!("{id}\t{form}\t_\t_\tT\tP{form}\t_\t_\t{head}\t{head}\t{label}\t{label}\t{extra}\n")
}

/// Returns sentences of CoNLL 2009 in which every word is attached to the first, from the columns after FILLPRED.
fn conll09(sentences: &[&[&str]]) -> String {
    let words = |extras: &&[&str]| -> String {
        let rows = (1..).zip("abcdefgh".chars()).zip(*extras);
        rows.map(|((id, form), extra)| {
            row(id, &form.to_string(), u32::from(id > 1), "x", &extra.replace(' ', "\t"))
        })
        .collect()
    };
    sentences.iter().map(|extras| words(extras) + "\n").collect()
}

fn check_2009(gold: &[&[&str]], system: &[&[&str]], expected: &[&str]) {
    let (text, _) = score_as("conll09", "conll09", &conll09(gold), &conll09(system)).unwrap();
    for line in expected {
        assert!(text.lines().any(|found| found == *line), "no {line:?} in\n{text}");
    }
}

/// The example of the shared task's description (Surdeanu et al. 2008): two of four dependencies have another label.
#[test]
fn a_proposition_with_another_sense_and_another_argument() {
    check_2009(
        &[&["Y verb.01 _", "_ _ ARG0", "_ _ ARG1", "_ _ ARGM-TMP"]],
        &[&["Y verb.02 _", "_ _ ARG0", "_ _ ARG1", "_ _ ARGM-LOC"]],
        &[
            "  Labeled precision:          (2 + 0) / (3 + 1) * 100 = 50.00 %",
            "  Labeled recall:             (2 + 0) / (3 + 1) * 100 = 50.00 %",
            "  Unlabeled precision:        (3 + 1) / (3 + 1) * 100 = 100.00 %",
            "  Proposition precision:      0 / 1 * 100 = 0.00 %",
        ],
    );
}

#[test]
fn predicates_at_other_places_have_nothing_right() {
    check_2009(
        &[&["_ _ A0", "Y b.01 _", "_ _ A1"], &["_ _", "_ _"]],
        &[&["_ _ A0", "_ _ _", "Y c.01 _"], &["_ _", "_ _"]],
        &[
            "  Labeled precision:          (0 + 0) / (1 + 1) * 100 = 0.00 %",
            "  Labeled recall:             (0 + 0) / (2 + 1) * 100 = 0.00 %",
            "  Labeled F1:                 0.00 ",
            "  Unlabeled recall:           (0 + 0) / (2 + 1) * 100 = 0.00 %",
            // A sentence without predicates on either side is correct.
            "  Exact semantic match:       1 / 2 * 100 = 50.00 %",
            "  Exact overall match:        1 / 2 * 100 = 50.00 %",
            "  Labeled macro precision:    50.00 %",
            "  Labeled micro recall:       (5 + 0 + 0) / (5 + 2 + 1) * 100 = 62.50 %",
        ],
    );
}

#[test]
fn words_that_are_arguments_in_two_ways() {
    check_2009(
        &[&["_ _ A0|A1", "Y b.01 _", "- - -"]],
        &[&["_ _ A1", "Y b.01 _", "- - -"]],
        &[
            "  Labeled precision:          (1 + 1) / (1 + 1) * 100 = 100.00 %",
            "  Labeled recall:             (1 + 1) / (2 + 1) * 100 = 66.67 %",
            "  Labeled F1:                 80.00 ",
            "  Unlabeled recall:           (1 + 1) / (2 + 1) * 100 = 66.67 %",
            "  Proposition recall:         0 / 1 * 100 = 0.00 %",
        ],
    );
}

#[test]
fn predicates_and_arguments_of_2009() {
    // Two predicates: the first has its sense and one of two arguments correct, the second has another sense.
    let gold = row(1, "a", 2, "SBJ", "_\t_\tA0\t_")
        + &row(2, "b", 0, "ROOT", "Y\tb.01\t_\t_")
        + &row(3, "c", 2, "OBJ", "Y\tc.02\tA1\t_")
        + "\n";
    let system = row(1, "a", 2, "SBJ", "_\t_\tA0\t_")
        + &row(2, "b", 0, "ROOT", "Y\tb.1\t_\t_")
        + &row(3, "c", 1, "OBJ", "Y\tc.01\tA2\tA0")
        + "\n";
    let (text, json) = score_as("conll09", "conll09", &gold, &system).unwrap();
    let expected = [
        "  Labeled   attachment score: 2 / 3 * 100 = 66.67 %",
        "  Exact syntactic match:      0 / 1 * 100 = 0.00 %",
        "  Labeled precision:          (1 + 1) / (3 + 2) * 100 = 40.00 %",
        "  Labeled recall:             (1 + 1) / (2 + 2) * 100 = 50.00 %",
        "  Labeled F1:                 44.44 ",
        "  Unlabeled precision:        (2 + 2) / (3 + 2) * 100 = 80.00 %",
        "  Unlabeled recall:           (2 + 2) / (2 + 2) * 100 = 100.00 %",
        "  Proposition precision:      0 / 2 * 100 = 0.00 %",
        "  Exact semantic match:       0 / 1 * 100 = 0.00 %",
        "  Labeled macro precision:    53.33 %",
        "  Labeled macro recall:       58.33 %",
        "  Labeled micro precision:    (2 + 1 + 1) / (3 + 3 + 2) * 100 = 50.00 %",
        "  Labeled micro recall:       (2 + 1 + 1) / (3 + 2 + 2) * 100 = 57.14 %",
        "  Pb              |    1 |       1 |      1 |     100.00 |        100.00 | 100.00 |",
        "  Pc              |    1 |       0 |      1 |       0.00 |          0.00 |    NaN |",
        "  Pb + A0           |    1 |       1 |      1 |     100.00 |        100.00 | 100.00 |",
        "  Pc + A0           |    0 |       0 |      1 |        NaN |          0.00 |    NaN |",
    ];
    for line in expected {
        assert!(text.lines().any(|found| found == line), "no {line:?} in\n{text}");
    }
    assert_eq!(json["predicates"]["correct"], 1);
    assert_eq!(json["unlabelled_arguments"]["correct"], 2);
    let (text, _) = score_as("conll09", "conll09", &gold, &gold).unwrap();
    assert!(text.contains("  Exact overall match:        1 / 1 * 100 = 100.00 %\n"), "{text}");
}
