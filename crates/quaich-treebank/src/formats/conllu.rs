//! CoNLL-U, the format of Universal Dependencies: ten columns, comments, multiword ranges and empty nodes.

use super::{Format, Sample};
use crate::error::{Level, Problem};
use crate::layout::{Layout, Role};
use crate::sentence::{Line, Sentence};

/// The universal part-of-speech tags.
pub const UPOS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
];

/// CoNLL-U.
#[derive(Debug)]
pub struct ConllU;

/// The columns of CoNLL-U.
pub fn layout() -> Layout {
    let mut layout = Layout::of(
        "conllu",
        &[
            ("ID", Role::Id),
            ("FORM", Role::Form),
            ("LEMMA", Role::Lemma),
            ("UPOS", Role::CoarseTag),
            ("XPOS", Role::FineTag),
            ("FEATS", Role::Feats),
            ("HEAD", Role::Head),
            ("DEPREL", Role::Label),
            ("DEPS", Role::Other),
            ("MISC", Role::Misc),
        ],
    );
    layout.comments = true;
    layout.ranges = true;
    layout
}

impl Format for ConllU {
    fn name(&self) -> &'static str {
        "conllu"
    }

    fn about(&self) -> &'static str {
        "CoNLL-U of Universal Dependencies: ten columns, comments, multiword ranges, empty nodes"
    }

    fn layout(&self) -> Layout {
        layout()
    }

    fn likelihood(&self, sample: &Sample<'_>) -> u32 {
        if !sample.columns_within(10..=10) {
            // Comments identify the format even of a broken file, so its errors are reported by column.
            return u32::from(sample.comments > 0 && sample.rows.iter().any(|row| row.len() == 10));
        }
        let is_number = |cell: &str| cell.bytes().all(|byte| byte.is_ascii_digit());
        if sample.comments == 0 && sample.rows.iter().any(|row| is_number(row[8])) {
            // PHEAD of CoNLL-X: DEPS would have labels.
            return 1;
        }
        let mut ids = sample.rows.iter().map(|row| row[0]);
        if sample.comments > 0
            || ids.any(|id| id.contains(['-', '.']))
            || sample.rows.iter().any(|row| row[8].contains(':') || row[9].contains('='))
        {
            // Not possible in CoNLL-X.
            return 5;
        }
        // One below CoNLL-X: valid files have comments, and without any this may be either format.
        if sample.rows.iter().all(|row| is_universal(row)) { 2 } else { 1 }
    }

    fn review(&self, sentence: &Sentence, problems: &mut Vec<Problem>) {
        for token in sentence.tokens() {
            let tag = sentence.cell(token, 3);
            if tag != "_" && !tag.is_empty() && !UPOS.contains(&tag) {
                problems.push(Problem {
                    line: sentence.line_of(token),
                    column: sentence.column_of(token, 3),
                    level: Level::Warning,
                    code: "unknown-upos",
                    message: format!("found `{tag}` in column UPOS, expected one of the 17 universal tags"),
                    help: format!("use one of {}", UPOS.join(" ")),
                });
            }
            let feats = sentence.cell(token, 5);
            if feats != "_" && !feats.is_empty() && feats.split('|').any(|feat| !feat.contains('=')) {
                problems.push(Problem {
                    line: sentence.line_of(token),
                    column: sentence.column_of(token, 5),
                    level: Level::Warning,
                    code: "bad-feats",
                    message: format!("found `{feats}` in column FEATS, expected Name=Value pairs"),
                    help: "write features as Name=Value separated by `|`, or `_`".into(),
                });
            }
        }
        review_text(sentence, problems);
    }
}

/// Whether every cell of a row of ten columns is valid in Universal Dependencies.
fn is_universal(row: &[&str]) -> bool {
    // `CONJ` is from version 1.
    let tag = row[3] == "_" || row[3] == "CONJ" || UPOS.contains(&row[3]);
    let feature = |feature: &str| {
        feature.contains('=') && feature.starts_with(|first: char| first.is_ascii_uppercase())
    };
    let features = row[5] == "_" || row[5].split('|').all(feature);
    let root = row[6] != "0" || row[7] == "root" || row[7] == "_";
    tag && features && root && row[8] == "_" && row[9] == "_"
}

/// Checks that the `# text` comment, if any, matches the forms and `SpaceAfter=No`.
fn review_text(sentence: &Sentence, problems: &mut Vec<Problem>) {
    let Some(text) = sentence.comment("text") else { return };
    let spelled = spell(sentence);
    if squeeze(&spelled) == squeeze(text) {
        return;
    }
    let before = sentence.lines().take_while(|line| !matches!(line, Line::Comment(c) if is_text(c))).count();
    problems.push(Problem {
        line: sentence.first_line() + before as u64,
        column: 1,
        level: Level::Warning,
        code: "text-differs",
        message: format!("the forms spell `{spelled}`, which is not the `# text` comment"),
        help: "correct the comment, the forms or SpaceAfter=No in MISC".into(),
    });
}

fn is_text(comment: &str) -> bool {
    comment.trim_start_matches(['#', '\u{feff}']).split_once('=').is_some_and(|(key, _)| key.trim() == "text")
}

/// Removes spaces: forms are compared letter by letter, and spaces inside a form do not matter for `# text`.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the surface text of the rows: a multiword range replaces its tokens.
fn spell(sentence: &Sentence) -> String {
    let mut text = String::new();
    let mut inside_until = 0;
    let mut push = |form: &str, misc: &str| {
        text.push_str(form);
        if !misc.split('|').any(|item| item == "SpaceAfter=No") {
            text.push(' ');
        }
    };
    for line in sentence.lines() {
        match line {
            Line::Extra(row) => {
                let cells: Vec<&str> = row.split('\t').collect();
                if let Some(last) = cells[0].split_once('-').and_then(|(_, last)| last.parse().ok()) {
                    inside_until = last;
                    push(cells.get(1).unwrap_or(&""), cells.last().unwrap_or(&""));
                }
            }
            Line::Token(token) if token.0 > inside_until => {
                push(sentence.form(token), sentence.cell(token, 9));
            }
            _ => {}
        }
    }
    text.trim_end().to_owned()
}
