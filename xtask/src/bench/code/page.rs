//! The page of the manual.

use std::fmt::Write as _;

use super::parts::{LENGTHS, RULES};
use crate::bench::figures::{grouped, heading, rounded, row};
use crate::bench::machine;
use crate::bench::measured::Measured;

/// Table 1 of the paper: Java; F labelled and unlabelled.
const TABLE_1: [(&str, &str, &str, &str); 6] = [
    ("unlexical", "freq", "82.1", "92.3"),
    ("unlexical", "left", "93.5", "97.9"),
    ("unlexical", "right", "74.6", "90.6"),
    ("lexical", "freq", "89.7", "95.8"),
    ("lexical", "left", "97.7", "99.3"),
    ("lexical", "right", "80.8", "92.1"),
];
/// Table 2: Java, lexical; LAS and UAS.
const TABLE_2: [(&str, &str, &str, &str); 6] = [
    ("CO", "freq", "87.6", "90.9"),
    ("CO", "left", "96.6", "98.2"),
    ("CO", "right", "86.6", "90.7"),
    ("NC", "freq", "91.0", "92.1"),
    ("NC", "left", "99.1", "99.7"),
    ("NC", "right", "89.5", "90.7"),
];
/// Table 3: Python and C/C++, LEFT; F labelled and unlabelled.
const TABLE_3: [(&str, &str, &str, &str); 4] = [
    ("python", "unlexical", "91.5", "92.1"),
    ("c", "unlexical", "95.6", "96.4"),
    ("python", "lexical", "99.1", "99.2"),
    ("c", "lexical", "96.5", "96.9"),
];

const INTRODUCTION: &str = "# Source code

What `quaich code` measures on real code bases, next to the figures of Nilsson et al. (*Parsing formal languages using natural language parsing techniques*, IWPT 2009). All of this page is made by

    cargo xtask bench code java=FOLDER c=FOLDER cpp=FOLDER python=FOLDER rust=FOLDER

with a folder of source files per language; `QUAICH_CODE_JAVA` and so on name them as well. `--words N` sets the number of training tokens, `--only round-trip|tables|damage|speed` measures one part, `--rules` and `--variants` some rows of the tables.
";

/// A figure with one digit after the point.
fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
}

fn count(value: Option<f64>) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are below 2⁵³")]
    value.map_or_else(|| "–".to_owned(), |value| grouped(value as usize))
}

pub(super) fn page(all: &Measured) -> String {
    let mut text = INTRODUCTION.to_owned();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\nLast measured on {}: {}.", machine::today(), machine::cpu());
    round_trip(all, &mut text);
    published(all, &mut text);
    rules(all, &mut text);
    confusions(all, &mut text);
    damage(all, &mut text);
    speed(all, &mut text);
    text
}

fn round_trip(all: &Measured, text: &mut String) {
    text.push_str("\n## Round trip\n\nEvery file that parses without error is converted to dependencies and back, by all five head rules, and by `term` through CoNLL-U. *Trees* is the smallest number of identical trees over the rules, *files* the number of files that came back byte for byte.\n\n");
    text.push_str(&heading(&[
        "language",
        "files",
        "tokens",
        "with errors",
        "without errors",
        "trees",
        "files back",
        "labels: left",
        "right",
        "term",
        "freq",
        "pres",
    ]));
    for language in all.treebanks() {
        let find = |what: &str| all.find(language, "round trip", what);
        if find("files").is_none() {
            continue;
        }
        let rules = ["left", "right", "term", "freq", "pres"];
        let fewest = rules.iter().filter_map(|rule| find(&format!("trees, {rule}"))).reduce(f64::min);
        let mut cells = vec![language.to_owned(), count(find("files")), count(find("tokens"))];
        cells.extend([
            count(find("with errors")),
            count(find("without errors")),
            count(fewest),
            count(find("CoNLL-U files")),
        ]);
        cells.extend(rules.iter().map(|rule| count(find(&format!("labels, {rule}")))));
        text.push_str(&row(&cells));
    }
}

fn published(all: &Measured, text: &mut String) {
    text.push_str("\n## The paper's tables\n\nThe paper's trees come from other analysers (Recoder, CDT, Python 2.5) and its parser is MaltParser with support vector machines: compare the patterns, not the figures. Rows that were not measured are left out. Ours are with `--preset fast`, on files that are not in training. F is that of brackets, after conversion back. For unlexical features, tags take the place of words.\n\n");
    for language in all.treebanks() {
        let tokens = ["training tokens", "test tokens"].map(|what| all.find(language, "data", what));
        if let [Some(train), Some(test)] = tokens {
            let _ = writeln!(
                text,
                "- {language}: {} tokens to train on, {} to score",
                count(Some(train)),
                count(Some(test))
            );
        }
    }
    let java = corpus_of_table(all, "java");
    let pair = |corpus: &str, whose: &str, what: [&str; 2]| what.map(|what| all.find(corpus, whose, what));
    let scores = ["F labelled", "F unlabelled"];
    let rows = TABLE_1.map(|(features, rule, labelled, unlabelled)| {
        let ours = pair(java, &format!("CO {features} {rule}"), scores);
        ([features, rule], [labelled, unlabelled], ours)
    });
    let title = format!("Table 1: {java}, features and head rules.");
    next_to_the_paper(&title, ["features", "heads"], scores, &rows, text);
    let scores = ["LAS", "UAS"];
    let rows = TABLE_2.map(|(labels, rule, las, uas)| {
        ([labels, rule], [las, uas], pair(java, &format!("{labels} lexical {rule}"), scores))
    });
    let title = format!(
        "Table 2: {java}, lexical; convertible (CO) and non-convertible (NC) labels. Attachment does not compare head rules, because the trees differ."
    );
    next_to_the_paper(&title, ["labels", "heads"], scores, &rows, text);
    let scores = ["F labelled", "F unlabelled"];
    let mut rows = Vec::new();
    for (language, features, labelled, unlabelled) in TABLE_3 {
        let same = [language];
        for &ours in if language == "c" { &["c", "cpp"][..] } else { &same[..] } {
            let ours = corpus_of_table(all, ours);
            let found = pair(ours, &format!("CO {features} left"), scores);
            rows.push(([ours, features], [labelled, unlabelled], found));
        }
    }
    let title = "Table 3: other languages, LEFT. The paper has C and C++ together.";
    next_to_the_paper(title, ["language", "features"], scores, &rows, text);
}

/// A row of a table: what it is about, two figures of the paper, and ours.
type Row<'t> = ([&'t str; 2], [&'t str; 2], [Option<f64>; 2]);

/// Writes a table of the paper with our figures; rows without them are left out.
fn next_to_the_paper(title: &str, about: [&str; 2], scores: [&str; 2], rows: &[Row<'_>], text: &mut String) {
    let rows: Vec<_> = rows.iter().filter(|(.., ours)| ours.iter().any(Option::is_some)).collect();
    if rows.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\n{title}\n");
    let papers = scores.map(|score| format!("{score}, paper"));
    text.push_str(&heading(&[about[0], about[1], &papers[0], "ours", &papers[1], "ours"]));
    for (about, paper, ours) in rows {
        let ours = ours.map(shown);
        text.push_str(&row(&[about[0], about[1], paper[0], &ours[0], paper[1], &ours[1]]));
    }
}

/// The corpus of a language that a table is about: with the usual number of training tokens if LEFT was measured with it, else the first
/// with another number.
fn corpus_of_table<'m>(all: &'m Measured, language: &'m str) -> &'m str {
    let is_of_language = |name: &&str| name.split(' ').next() == Some(language);
    let has_left = |name: &&str| all.find(name, "CO lexical left", "F labelled").is_some();
    let mut names = all.treebanks();
    names.sort_by_key(|name| *name != language);
    names.into_iter().filter(is_of_language).find(has_left).unwrap_or(language)
}

fn rules(all: &Measured, text: &mut String) {
    text.push_str("\n## Head rules\n\nF labelled by head rule, lexical features; in brackets with unlexical ones. Languages with a number were trained on about so many tokens. *Leaf kinds* are those right by `term`.\n\n");
    text.push_str(&heading(&[&["language"][..], &RULES, &["leaf kinds"]].concat()));
    for language in all.treebanks() {
        let find = |features: &str, rule: &str, what: &str| {
            all.find(language, &format!("CO {features} {rule}"), what)
        };
        let mut cells = vec![language.to_owned()];
        for rule in RULES {
            let [lexical, unlexical] =
                ["lexical", "unlexical"].map(|features| find(features, rule, "F labelled"));
            let unlexical = unlexical.map_or_else(String::new, |_| format!(" ({})", shown(unlexical)));
            cells.push(shown(lexical) + &unlexical);
        }
        if cells[1..].iter().all(|cell| cell == "–") {
            continue;
        }
        cells.push(shown(find("lexical", "term", "leaf kinds")));
        text.push_str(&row(&cells));
    }
}

fn confusions(all: &Measured, text: &mut String) {
    let mut lines = String::new();
    for language in all.treebanks() {
        let found: Vec<String> = all
            .starting(language, "confusion ")
            .filter_map(|(labels, _, n)| {
                let (gold, system) = labels.split_once(' ')?;
                Some(format!("`{gold}` as `{system}` {}", count(Some(n))))
            })
            .collect();
        if !found.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "- {language}: {}", found.join("; "));
        }
    }
    if !lines.is_empty() {
        text.push_str("\nTable 4: the fifteen most frequent confusions of non-convertible labels with LEFT: right label, parsed label, tokens. (The paper's most frequent in Java: `FieldReference` parsed as `VariableReference`, 66.)\n\n");
        text.push_str(&lines);
    }
}

fn damage(all: &Measured, text: &mut String) {
    let is_measured = |language: &&str| all.find(language, "damage with copies none grammar", "F").is_some();
    if !all.treebanks().iter().any(is_measured) {
        return;
    }
    text.push_str("\n## Damaged files\n\nMean labelled F of brackets over the files, in brackets the worst tenth: of tree-sitter, of the model, and of both together (`quaich code parse -m`), on the same damaged files, none of which is in training. *Loss* is the model's F without damage less its F with it: for a model trained with two damaged copies per file, and for one trained on undamaged files only, with the same number of tokens in all. The choice between grammar and model is made on other files that are held out in training.\n");
    for language in all.treebanks() {
        let kinds: Vec<&str> = all
            .starting(language, "damage with copies ")
            .filter(|(rest, what, _)| rest.ends_with(" grammar") && *what == "F")
            .map(|(rest, ..)| rest.trim_end_matches(" grammar"))
            .collect();
        if kinds.is_empty() {
            continue;
        }
        let tokens = |copies: &str| count(all.find(language, &format!("model {copies}"), "tokens"));
        let _ = writeln!(
            text,
            "\n{language}; trained on {} tokens with copies, {} without:\n",
            tokens("with copies"),
            tokens("without")
        );
        text.push_str(&heading(&[
            "damage",
            "files",
            "tree-sitter",
            "model",
            "both",
            "loss, with copies",
            "loss, without",
        ]));
        for kind in kinds {
            let find = |copies: &str, kind: &str, who: &str, what: &str| {
                all.find(language, &format!("damage {copies} {kind} {who}"), what)
            };
            let cell = |who: &str| {
                let [f, worst] = ["F", "worst tenth"].map(|what| shown(find("with copies", kind, who, what)));
                format!("{f} ({worst})")
            };
            let loss = |copies: &str| {
                let [none, damaged] = ["none", kind].map(|kind| find(copies, kind, "model", "F"));
                shown(none.zip(damaged).map(|(none, damaged)| none - damaged))
            };
            let files = count(find("with copies", kind, "grammar", "files"));
            text.push_str(&row(&[
                kind,
                &files,
                &cell("grammar"),
                &cell("model"),
                &cell("hybrid"),
                &loss("with copies"),
                &loss("without"),
            ]));
        }
    }
}

fn speed(all: &Measured, text: &mut String) {
    let is_measured = |language: &&str| all.starting(language, "speed ").next().is_some();
    if !all.treebanks().iter().any(is_measured) {
        return;
    }
    text.push_str("\n## Speed\n\nTokens per second of `quaich code parse --jobs 1 --to conllu`, start and output included, for files of some length that are put together from test files; at least a million tokens each. The model reads the grammar's analysis, so its time includes the grammar's. Memory is the peak of the program per token of the longest files.\n\n");
    text.push_str(&heading(&["language", "tokens per file", "tree-sitter", "model", "kB per token, model"]));
    for language in all.treebanks() {
        for length in LENGTHS {
            let find = |with: &str, what: &str| all.find(language, &format!("speed {length} {with}"), what);
            let Some(grammar) = find("grammar", "tokens per second") else { continue };
            let model = find("model", "tokens per second").map_or_else(|| "–".to_owned(), rounded);
            #[allow(clippy::cast_precision_loss, reason = "small numbers")]
            let per_token = find("model", "peak kB").map(|peak| peak / length as f64);
            let memory =
                per_token.filter(|_| length == LENGTHS[2]).map_or_else(String::new, |kb| format!("{kb:.2}"));
            text.push_str(&row(&[language, &grouped(length), &rounded(grammar), &model, &memory]));
        }
    }
}
