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

/// What the figures of the project were measured on.
const CORPORA: &str = "
Corpora: the sources of the JDK (Debian's `openjdk-17-source`); the standard library of Python 3.11; the Rust sources of this project's dependencies; their C sources, but not the generated parsers of tree-sitter, with the C headers of `/usr/include`; the C++ headers of libstdc++ 12, Boost 1.74 and LLVM 14. Of copied and generated code there is much in some of them, as between the versions of a crate.
";

const INTRODUCTION: &str = "# Source code

What `quaich code` measures on real code bases, next to the figures of Nilsson et al. (*Parsing formal languages using natural language parsing techniques*, IWPT 2009). All of this page is made by

    cargo xtask bench code java=FOLDER c=FOLDER cpp=FOLDER python=FOLDER rust=FOLDER

with a folder of source files per language; `QUAICH_CODE_JAVA` and so on name them as well. `--words N` sets the number of training tokens, `--only round-trip|tables|overlap|damage|damage-without-copies|speed` measures one part, `--rules` and `--variants` some rows of the tables.
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
    text.push_str(CORPORA);
    round_trip(all, &mut text);
    published(all, &mut text);
    rules(all, &mut text);
    confusions(all, &mut text);
    damage(all, &mut text);
    macros(all, &mut text);
    speed(all, &mut text);
    text
}

fn round_trip(all: &Measured, text: &mut String) {
    text.push_str("\n## Round trip\n\nEvery file that parses without error is converted to dependencies and back, by all five head rules, and by `term` through CoNLL-U. *Trees* is the smallest number of identical trees over the rules, *files back* the number of files that came back byte for byte. `cargo run --release -p quaich-code --example roundtrip -- --list FOLDER` lists the files with errors.\n\n");
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
            let known = all.find(language, "data", "percent known");
            let known = known.map_or_else(String::new, |percent| {
                format!("; {percent:.1} % of the stretches of 30 tokens to score are in training, too")
            });
            let (train, test) = (count(Some(train)), count(Some(test)));
            let _ = writeln!(text, "- {language}: {train} tokens to train on, {test} to score{known}");
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
        let tokens = |copies: &str| all.find(language, &format!("model {copies}"), "tokens");
        let with_copies = count(tokens("with copies"));
        let without = tokens("without").map(|n| format!(", {} without", count(Some(n))));
        let without = without.unwrap_or_default();
        let _ = writeln!(text, "\n{language}; trained on {with_copies} tokens with copies{without}:\n");
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

fn macros(all: &Measured, text: &mut String) {
    let find = |language: &str, kind: &str, who: &str, what: &str| {
        all.find(language, &format!("macros with copies {kind} {who}"), what)
    };
    let mut rows = String::new();
    for language in all.treebanks() {
        let Some(files) = find(language, "real-macros", "grammar", "files") else { continue };
        let cell = |who: &str| {
            let [f, worst, parents] =
                ["F", "worst tenth", "parents"].map(|what| shown(find(language, "real-macros", who, what)));
            format!("{f} ({worst}), {parents}")
        };
        let cells = [language.to_owned(), count(Some(files)), cell("grammar"), cell("model"), cell("hybrid")];
        rows.push_str(&row(&[&cells[..], &[shown(find(language, "none", "model", "F"))]].concat()));
    }
    if !rows.is_empty() {
        text.push_str("\n## Unknown macros in real headers\n\nFiles for scoring that have errors, and have none once names in capitals are blanked (`quaich code damage --real-macros`): the tree without the macros is the right one for the file as it is. F, in brackets that of the worst tenth, and the tokens whose parents have the right kind.\n\n");
        text.push_str(&heading(&[
            "language",
            "files",
            "tree-sitter",
            "model",
            "both",
            "model, without the macros",
        ]));
        text.push_str(&rows);
    }
}

fn speed(all: &Measured, text: &mut String) {
    let is_measured = |language: &&str| all.starting(language, "speed ").next().is_some();
    if !all.treebanks().iter().any(is_measured) {
        return;
    }
    text.push_str("\n## Speed\n\nTokens per second of `quaich code parse --jobs 1 --to conllu`, by processor time, start and output included, for files of some length that are put together from test files; at least a million tokens each. The model reads the grammar's analysis, so its time includes the grammar's. Memory is what a file of the greatest length takes more than one of the least, per token.\n\n");
    let lengths = LENGTHS.map(grouped);
    let columns: Vec<String> = ["tree-sitter", "model"]
        .iter()
        .flat_map(|who| lengths.iter().map(move |length| format!("{who}, {length}")))
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    text.push_str(&heading(&[&["language"], &columns[..], &["kB per token, model"]].concat()));
    for language in all.treebanks() {
        let find = |with: &str, length: usize, what: &str| {
            all.find(language, &format!("speed {length} {with}"), what)
        };
        if find("model", LENGTHS[0], "tokens per second").is_none() {
            continue;
        }
        let mut cells = vec![language.to_owned()];
        for with in ["grammar", "model"] {
            cells.extend(LENGTHS.map(|length| {
                find(with, length, "tokens per second").map_or_else(|| "–".to_owned(), rounded)
            }));
        }
        let more = |what: &str| {
            let ends = [LENGTHS[0], LENGTHS[LENGTHS.len() - 1]].map(|length| find("model", length, what));
            ends[1].zip(ends[0]).map(|(most, least)| most - least)
        };
        let memory = more("peak kB of a file").zip(more("tokens of the file"));
        cells.push(memory.map_or_else(|| "–".to_owned(), |(kb, tokens)| format!("{:.2}", kb / tokens)));
        text.push_str(&row(&cells));
    }
}
