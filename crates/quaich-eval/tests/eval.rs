//! Comparisons of small treebanks, of random ones with a slow reference implementation, and of files that do not match.

use std::collections::BTreeMap;
use std::io::Cursor;

use proptest::collection::vec;
use proptest::prelude::*;
use quaich_eval::breakdowns::{BREAKDOWNS, Breakdown, Row, Table, Value, by_name};
use quaich_eval::measures::MEASURES;
use quaich_eval::{Arcs, Evaluation, Evaluator, PairReader, PunctuationRule, Score};
use quaich_testkit::slow;
use quaich_testkit::strategies::any_tree;
use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Node, ReadOptions, Reader, Sentence, Source, Tree};
use serde_json::{Value as Json, json};

/// A token of a treebank: form, tag, head, label.
type Token<'a> = (&'a str, &'a str, u32, &'a str);

fn conllu(sentences: &[Vec<Token<'_>>]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        for (id, (form, tag, head, label)) in (1..).zip(sentence) {
            let row = format!("{id}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n");
            text.push_str(&row);
        }
        text.push('\n');
    }
    text
}

fn reader(text: &str, name: &str) -> Reader {
    let source = Source::from_stream(Cursor::new(text.to_owned()), name.into(), None).unwrap();
    Reader::new(source, &ReadOptions::default()).unwrap()
}

fn evaluate_text(gold: &str, system: &str, rule: PunctuationRule) -> quaich_eval::Result<Evaluation> {
    let mut pairs = PairReader::new(reader(gold, "gold"), reader(system, "system"));
    let mut evaluator = Evaluator::new(rule, BREAKDOWNS);
    let mut n_sentences = 0;
    evaluator.add_all(&mut pairs, || n_sentences += 1)?;
    assert_eq!(n_sentences, pairs.n_sentences());
    Ok(evaluator.evaluation())
}

fn evaluate(gold: &[Vec<Token<'_>>], system: &[Vec<Token<'_>>], rule: PunctuationRule) -> Evaluation {
    evaluate_text(&conllu(gold), &conllu(system), rule).unwrap()
}

/// A sentence from `form/tag/head/label` tokens.
fn sentence(text: &str) -> Vec<Token<'_>> {
    text.split(' ')
        .map(|token| match token.split('/').collect::<Vec<_>>()[..] {
            [form, tag, head, label] => (form, tag, head.parse().unwrap(), label),
            _ => panic!("form, tag, head and label: {token}"),
        })
        .collect()
}

const GOLD: &str = "A/D/2/det hearing/N/3/sbj is/V/0/root scheduled/V/3/vg on/P/2/nmod the/D/7/det issue/N/5/pc \
                    today/R/4/adv ./X/3/p";
const SYSTEM: &str = "A/D/2/det hearing/N/3/sbj is/V/0/root scheduled/V/3/vg on/P/2/adv the/D/7/det issue/N/5/pc \
                      today/R/7/adv ./X/2/p";

#[test]
fn every_number_of_a_small_comparison() {
    let found = evaluate(&[sentence(GOLD)], &[sentence(SYSTEM)], PunctuationRule::Keep);
    let found = serde_json::to_value(&found).unwrap();
    let close = |path: &str, expected: f64| {
        let number = found.pointer(path).and_then(Json::as_f64).unwrap_or_else(|| panic!("no {path}"));
        assert!((number - expected).abs() < 0.005, "{path}: {number} instead of {expected}");
    };
    for (path, expected) in [
        ("/sentences", 1.0),
        ("/tokens", 9.0),
        ("/scored_tokens", 9.0),
        ("/las", 66.67),
        ("/uas", 77.78),
        ("/la", 88.89),
        ("/lem", 0.0),
        ("/uem", 0.0),
        // `hearing → on` and `scheduled → today` in the gold standard; `hearing → on` and `hearing → .` in the other.
        ("/nonprojective/gold", 2.0),
        ("/nonprojective/system", 2.0),
        ("/nonprojective/precision", 50.0),
        ("/nonprojective/recall", 50.0),
        ("/nonprojective/f1", 50.0),
        ("/nonprojective/labelled/f1", 0.0),
        ("/label/adv/gold", 1.0),
        ("/label/adv/system", 2.0),
        ("/label/adv/precision", 0.0),
        ("/label/adv/label_precision", 50.0),
        ("/label/adv/label_recall", 100.0),
        ("/label/nmod/recall", 0.0),
        ("/label/det/f1", 100.0),
        ("/length/root/f1", 100.0),
        ("/length/1/gold", 4.0),
        ("/length/1/system", 5.0),
        ("/length/1/precision", 80.0),
        ("/length/2/gold", 1.0),
        ("/length/3-6/gold", 3.0),
        ("/length/7+/system", 1.0),
        ("/direction/root/gold", 1.0),
        ("/direction/left/gold", 3.0),
        ("/direction/right/recall", 40.0),
        ("/direction/right/unlabelled_recall", 60.0),
        ("/tag/V/las", 100.0),
        ("/tag/V/scored_tokens", 2.0),
        ("/tag/P/uas", 100.0),
        ("/tag/P/la", 0.0),
        ("/sentence-length/1-10/las", 66.67),
        ("/sentence-length/11-20/sentences", 0.0),
    ] {
        close(path, expected);
    }
    assert_eq!(found["punct"], json!("keep"));
}

#[test]
fn punctuation_is_skipped_by_form_not_by_tag_or_label() {
    // `_` and `...` are punctuation; `$` and `a.` are not, whatever their tags and labels.
    let gold = sentence("a./PUNCT/0/punct _/X/1/dep .../X/1/dep $/PUNCT/1/punct");
    let system = sentence("a./PUNCT/0/punct _/X/3/x .../X/1/x $/PUNCT/1/x");
    for (rule, scored, las, uas) in
        [(PunctuationRule::Keep, 4, "25.00", "75.00"), (PunctuationRule::Skip, 2, "50.00", "100.00")]
    {
        let Evaluation { score, .. } =
            evaluate(std::slice::from_ref(&gold), std::slice::from_ref(&system), rule);
        assert_eq!((score.tokens, score.scored.tokens), (4, scored));
        assert_eq!((score.las().to_string(), score.uas().to_string()), (las.to_owned(), uas.to_owned()));
    }
}

#[test]
fn ranges_empty_nodes_comments_and_formats_do_not_matter() {
    let gold = "# sent_id = 1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\tADP\t_\t_\t2\tcase\t_\t_\n\
                2\tle\t_\tDET\t_\t_\t0\troot\t_\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n# end\n\n";
    let system = "1\tde\t_\tP\tP\t_\t2\tcase\t_\t_\n2\tle\t_\tD\tD\t_\t0\troot\t_\t_\n\n";
    let Evaluation { score, .. } = evaluate_text(gold, system, PunctuationRule::Keep).unwrap();
    assert_eq!((score.sentences, score.tokens, score.scored.both), (1, 2, 2));
}

#[test]
fn heads_that_make_no_tree_are_scored_without_a_shape() {
    let gold = sentence("a/X/0/r b/X/1/x c/X/2/x");
    let system = sentence("a/X/2/r b/X/1/x c/X/3/x");
    let found = evaluate(&[gold], &[system], PunctuationRule::Keep);
    assert_eq!(found.score.scored.heads, 1);
    assert_eq!(found.nonprojective.unlabelled.system, 0);
}

/// Returns the error for two files, without the help.
fn mismatch(gold: &[&str], system: &[&str]) -> String {
    let text = |sentences: &[&str]| conllu(&sentences.iter().map(|&text| sentence(text)).collect::<Vec<_>>());
    let error = evaluate_text(&text(gold), &text(system), PunctuationRule::Keep).err().expect("a mismatch");
    let message = error.to_string();
    let (said, help) = message.split_once("\n  help: ").expect("how to fix it");
    assert!(!help.is_empty());
    said.to_owned()
}

#[test]
fn files_that_do_not_match_are_refused_with_the_place() {
    let (a, b) = ("The/D/2/d dog/N/0/r", "It/P/0/r barks/V/1/x");
    assert_eq!(
        mismatch(&[a, b], &[a, "It/P/0/r bites/V/1/x"]),
        "system:5:3: found the form `bites`, expected `barks`, as in gold:5:3\n  in: It [bites]\n  gold: It [barks]"
    );
    assert_eq!(
        mismatch(&[a], &["The/D/2/d do/N/0/r g/N/2/x"]),
        "system:2:3: found the form `do` in a sentence of 3 tokens, expected `dog` in one of 2, as in gold:2:3\n  \
         in: The [do] g\n  gold: The [dog]"
    );
    assert_eq!(
        mismatch(&[a], &["The/D/0/r"]),
        "system:1:3: the sentence ends after 1 token, expected `dog` next, as in gold:2:3\n  in: [The]\n  gold: The [dog]"
    );
    assert_eq!(
        mismatch(&["The/D/0/r"], &[a]),
        "system:2:3: found the form `dog`, expected the end of the sentence after 1 token, as in gold:1:3\n  \
         in: The [dog]\n  gold: [The]"
    );
    assert_eq!(
        mismatch(&[a, b], &[a]),
        "system:4:1: the file has 1 sentence, expected another one beginning with `It`, as in gold:4:3\n  \
         gold: [It] barks"
    );
    assert_eq!(
        mismatch(&[a], &[a, b]),
        "system:4:3: found a sentence beginning with `It`, expected the end of the file after 1 sentence, as in \
         gold:4:1\n  in: [It] barks"
    );
    assert_eq!(
        mismatch(&[a], &[]),
        "system:1:1: the file has 0 sentences, expected another one beginning with `The`, as in gold:1:3\n  \
         gold: [The] dog"
    );
}

#[test]
fn a_gold_standard_needs_heads_and_a_system_does_not() {
    let parsed = conllu(&[sentence("a/X/0/r b/X/1/x")]);
    let blind = parsed.replace("\t0\tr", "\t_\t_").replace("\t1\tx", "\t_\t_");
    let error = evaluate_text(&blind, &parsed, PunctuationRule::Keep).err().unwrap().to_string();
    assert!(error.starts_with("gold:1:13: the token has no head"), "{error}");
    let Evaluation { score, .. } = evaluate_text(&parsed, &blind, PunctuationRule::Keep).unwrap();
    assert_eq!((score.scored.tokens, score.scored.heads), (2, 0));
}

#[test]
fn break_downs_are_found_by_name() {
    for (index, breakdown) in BREAKDOWNS.iter().enumerate() {
        assert_eq!(by_name(breakdown.name()).unwrap().name(), breakdown.name());
        assert!(!breakdown.about().is_empty());
        assert!(BREAKDOWNS[..index].iter().all(|other| other.name() != breakdown.name()));
    }
    let error = by_name("lable").err().unwrap().to_string();
    assert!(error.starts_with("unknown breakdown `lable`; known: label, "), "{error}");
}

/// A random sentence: forms, tags, and two analyses.
#[derive(Clone, Debug)]
struct Drawn {
    forms: Vec<usize>,
    tags: Vec<usize>,
    gold: (Tree, Vec<usize>),
    system: (Tree, Vec<usize>),
}

const FORMS: [&str; 5] = ["a", ".", "_", "$", "b,"];
const TAGS: [&str; 3] = ["N", "V", "_"];
const LABELS: [&str; 4] = ["x", "y", "_", "z:é"];

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let sentence = (1..=14usize).prop_flat_map(|n| {
        let labels = || vec(0..LABELS.len(), n);
        (
            vec(0..FORMS.len(), n),
            vec(0..TAGS.len(), n),
            any_tree(n..=n),
            labels(),
            labels(),
            vec(any::<u32>(), n),
        )
            .prop_map(move |(forms, tags, gold, gold_labels, other, changes)| {
                // The system gets a third of the heads and labels at random, if the result is a tree.
                let mut system = gold.clone();
                let mut labels = gold_labels.clone();
                for ((token, change), label) in gold.tokens().zip(changes).zip(other) {
                    let head = Node(change / 9 % Node::from_index(n + 1).0);
                    if change % 3 == 0 {
                        let before = system.head(token);
                        system.set(token, head, Label::NONE);
                        if !system.is_well_formed() {
                            system.set(token, before, Label::NONE);
                        }
                    }
                    if change % 9 < 3 {
                        labels[token.index() - 1] = label;
                    }
                }
                Drawn { forms, tags, gold: (gold, gold_labels), system: (system, labels) }
            })
    });
    vec(sentence, 0..=4)
}

fn tokens<'a>(drawn: &'a Drawn, (tree, labels): &'a (Tree, Vec<usize>)) -> Vec<Token<'a>> {
    let row = |token: Node| {
        let index = token.index() - 1;
        (FORMS[drawn.forms[index]], TAGS[drawn.tags[index]], tree.head(token).0, LABELS[labels[index]])
    };
    tree.tokens().map(row).collect()
}

fn gold_of(drawn: &[Drawn]) -> Vec<Vec<Token<'_>>> {
    drawn.iter().map(|drawn| tokens(drawn, &drawn.gold)).collect()
}

fn system_of(drawn: &[Drawn]) -> Vec<Vec<Token<'_>>> {
    drawn.iter().map(|drawn| tokens(drawn, &drawn.system)).collect()
}

/// The breakdowns that [`literal_counts`] computes; others are only checked for their sums.
const LITERAL: [&str; 5] = ["label", "length", "sentence-length", "tag", "direction"];

/// Counts computed directly from the definitions: key → count.
fn literal_counts(drawn: &[Drawn], rule: PunctuationRule) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let mut count = |key: String, condition: bool| *counts.entry(key).or_insert(0) += u64::from(condition);
    for drawn in drawn {
        let (gold, system) = (tokens(drawn, &drawn.gold), tokens(drawn, &drawn.system));
        let (mut labelled, mut unlabelled) = (true, true);
        let gold_crossing = slow::nonprojective_arcs(&drawn.gold.0);
        let system_crossing = slow::nonprojective_arcs(&drawn.system.0);
        for (index, (g, s)) in (1..).zip(gold.iter().zip(&system)) {
            let punctuation = matches!(g.0, "." | "_");
            if rule == PunctuationRule::Skip && punctuation {
                continue;
            }
            let (head, label) = (g.2 == s.2, g.3 == s.3);
            count("scored".into(), true);
            count("heads".into(), head);
            count("labels".into(), label);
            count("both".into(), head && label);
            labelled &= head && label;
            unlabelled &= head;
            count("nonprojective gold".into(), gold_crossing.contains(&Node(index)));
            count("nonprojective found".into(), gold_crossing.contains(&Node(index)) && head);
            count("nonprojective system".into(), system_crossing.contains(&Node(index)));
            count("nonprojective right".into(), system_crossing.contains(&Node(index)) && head);
            let length = |head: u32| match head.abs_diff(index) {
                _ if head == 0 => "root",
                1 => "1",
                2 => "2",
                3..=6 => "3-6",
                _ => "7+",
            };
            let direction = |head: u32| match head {
                0 => "root",
                head if head > index => "left",
                _ => "right",
            };
            for (name, in_gold, in_system) in [
                ("label", g.3, s.3),
                ("length", length(g.2), length(s.2)),
                ("direction", direction(g.2), direction(s.2)),
            ] {
                count(format!("{name} {in_gold} gold"), true);
                count(format!("{name} {in_gold} correct"), head && label);
                count(format!("{name} {in_system} system"), true);
            }
            count(format!("tag {} scored_tokens", g.1), true);
            count(
                format!("sentence-length {} scored_tokens", if gold.len() <= 10 { "1-10" } else { "11-20" }),
                true,
            );
        }
        count("sentences".into(), true);
        count("labelled exact".into(), labelled);
        count("unlabelled exact".into(), unlabelled);
    }
    counts.retain(|_, count| *count > 0);
    counts
}

/// Returns the same counts from the evaluation.
fn counts(evaluation: &Evaluation) -> BTreeMap<String, u64> {
    let Evaluation { score, nonprojective, .. } = evaluation;
    let nonprojective = nonprojective.unlabelled;
    let mut counts: BTreeMap<String, u64> = [
        ("scored", score.scored.tokens),
        ("heads", score.scored.heads),
        ("labels", score.scored.labels),
        ("both", score.scored.both),
        ("sentences", score.sentences),
        ("labelled exact", score.labelled_exact),
        ("unlabelled exact", score.unlabelled_exact),
        ("nonprojective gold", nonprojective.gold),
        ("nonprojective found", nonprojective.gold_found),
        ("nonprojective system", nonprojective.system),
        ("nonprojective right", nonprojective.system_right),
    ]
    .map(|(key, count)| (key.to_owned(), count))
    .into();
    for (breakdown, table) in
        evaluation.breakdowns.iter().filter(|(known, _)| LITERAL.contains(&known.name()))
    {
        for Row { name, values } in &table.rows {
            for (column, value) in table.columns.iter().zip(values) {
                if let Value::Count(count) = value
                    && column.key != "sentences"
                {
                    counts.insert(format!("{} {name} {}", breakdown.name(), column.key), *count);
                }
            }
        }
    }
    counts.retain(|_, count| *count > 0);
    counts
}

/// Returns the sum of a column of counts, if the table has it.
fn sum(table: &Table, key: &str) -> Option<u64> {
    let place = table.columns.iter().position(|column| column.key == key)?;
    let count = |row: &Row| match row.values[place] {
        Value::Count(count) => count,
        _ => panic!("{key} is no count"),
    };
    Some(table.rows.iter().map(count).sum())
}

fn percentages(table: &Table) -> impl Iterator<Item = f64> + '_ {
    table.rows.iter().flat_map(|row| &row.values).filter_map(|value| match value {
        Value::Percent(percent) => percent.known(),
        _ => None,
    })
}

/// Whether a percentage is 100.
fn is_all(percent: f64) -> bool {
    (percent - 100.0).abs() < 1e-9
}

fn any_rule() -> impl Strategy<Value = PunctuationRule> {
    prop_oneof![Just(PunctuationRule::Keep), Just(PunctuationRule::Skip)]
}

proptest! {
    #[test]
    fn counts_are_those_of_the_definitions(drawn in drawn(), rule in any_rule()) {
        let found = evaluate(&gold_of(&drawn), &system_of(&drawn), rule);
        prop_assert_eq!(counts(&found), literal_counts(&drawn, rule));
    }

    #[test]
    fn what_is_compared_with_itself_is_right(drawn in drawn(), rule in any_rule()) {
        let gold = gold_of(&drawn);
        let found = evaluate(&gold, &gold, rule);
        for measure in MEASURES {
            let percent = (measure.share)(&found.score).percent().known();
            prop_assert!(percent.is_none_or(is_all), "{}", measure.name);
        }
        for agreement in [found.nonprojective.unlabelled, found.nonprojective.labelled] {
            prop_assert_eq!(agreement.gold_found, agreement.system);
            prop_assert!(agreement.f1().known().is_none_or(is_all));
        }
        for (breakdown, table) in &found.breakdowns {
            prop_assert!(percentages(table).all(is_all), "{}", breakdown.name());
        }
    }

    /// Exchanging gold standard and system keeps the correct tokens, and exchanges precision and recall.
    #[test]
    fn sides_can_be_exchanged(drawn in drawn(), rule in any_rule()) {
        let (gold, system) = (gold_of(&drawn), system_of(&drawn));
        let there = evaluate(&gold, &system, rule);
        let back = evaluate(&system, &gold, rule);
        prop_assert_eq!(there.score, back.score);
        for (one, two) in [
            (there.nonprojective.unlabelled, back.nonprojective.unlabelled),
            (there.nonprojective.labelled, back.nonprojective.labelled),
        ] {
            prop_assert_eq!((one.precision(), one.recall()), (two.recall(), two.precision()));
        }
        for ((_, one), (_, two)) in there.breakdowns.iter().zip(&back.breakdowns) {
            prop_assert_eq!(sum(one, "gold"), sum(two, "system"));
        }
    }

    #[test]
    fn groups_add_up(drawn in drawn(), rule in any_rule()) {
        let found = evaluate(&gold_of(&drawn), &system_of(&drawn), rule);
        for (breakdown, table) in &found.breakdowns {
            let name = breakdown.name();
            let is_partition = breakdown.is_partition();
            for (key, expected) in [
                ("gold", found.score.scored.tokens),
                ("system", found.score.scored.tokens),
                ("scored_tokens", found.score.scored.tokens),
                ("correct", found.score.scored.both),
                ("sentences", found.score.sentences),
            ] {
                let is_sum = sum(table, key).is_none_or(|sum| sum == expected);
                prop_assert!(is_sum || !is_partition, "{} of {}", key, name);
            }
            for row in &table.rows {
                prop_assert_eq!(row.values.len(), table.columns.len());
            }
            let json = serde_json::to_value(table).unwrap();
            prop_assert_eq!(json.as_object().unwrap().len(), table.rows.len(), "a key a row of {}", name);
        }
    }

    /// Trees, arrays and sentences have the same scores.
    #[test]
    fn it_does_not_matter_where_heads_and_labels_are_kept(drawn in drawn()) {
        let read = |text: &str| reader(text, "test").sentences().map(Result::unwrap).collect::<Vec<Sentence>>();
        let (gold, system) = (read(&conllu(&gold_of(&drawn))), read(&conllu(&system_of(&drawn))));
        let mut labels = Symbols::new();
        let [mut sentences, mut trees, mut arrays] = [Score::default(); 3];
        for (gold, system) in gold.iter().zip(&system) {
            let skip = |token: Node| gold.form(token) == "a";
            sentences.add(gold, system, skip);
            let (gold, system) = (gold.tree(&mut labels), system.tree(&mut labels));
            trees.add(&gold, &system, skip);
            arrays.add(&Arcs::from(&gold), &Arcs::from(&system), skip);
        }
        prop_assert_eq!(sentences, trees);
        prop_assert_eq!(sentences, arrays);
    }
}

#[test]
fn a_break_down_named_twice_is_made_once() {
    let label = by_name("label").unwrap();
    let asked: [&'static dyn Breakdown; 2] = [label, label];
    assert_eq!(Evaluator::new(PunctuationRule::Keep, &asked).evaluation().breakdowns.len(), 1);
}
