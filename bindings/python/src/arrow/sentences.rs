//! Rows of text → a row per sentence, with all columns of its words.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::ArrayRef;
use arrow_array::builder::{Float32Builder, Int32Builder, ListBuilder, StringBuilder};
use quaich::Worker;
use quaich::treebank::{Node, Role};

use super::input::Strings;
use crate::errors::panic_message;
use crate::model::Model;
use crate::sentence::{Sentence, read};

/// The columns of strings, in the order of the plan; heads and labels come after the first five.
const STRINGS: [Role; 7] =
    [Role::Form, Role::Lemma, Role::CoarseTag, Role::FineTag, Role::Feats, Role::Label, Role::Misc];
/// The attributes of MISC that become columns.
const RANGE: &str = "TokenRange=";
const SCORE: &str = "Score=";

/// The results of some rows.
pub(super) struct Part {
    /// The row of each sentence.
    pub(super) rows: Vec<usize>,
    sentence: Int32Builder,
    start: Int32Builder,
    end: Int32Builder,
    strings: [ListBuilder<StringBuilder>; 7],
    heads: ListBuilder<Int32Builder>,
    scores: Option<ListBuilder<Float32Builder>>,
    errors: Option<StringBuilder>,
}

impl Part {
    pub(super) fn new(has_scores: bool, has_errors: bool) -> Self {
        Self {
            rows: Vec::new(),
            sentence: Int32Builder::new(),
            start: Int32Builder::new(),
            end: Int32Builder::new(),
            strings: std::array::from_fn(|_| ListBuilder::new(StringBuilder::new())),
            heads: ListBuilder::new(Int32Builder::new()),
            scores: has_scores.then(|| ListBuilder::new(Float32Builder::new())),
            errors: has_errors.then(StringBuilder::new),
        }
    }

    /// Parses rows until the flag is set. Without a column of errors, ends at the first bad row and returns what is wrong.
    pub(super) fn parse(
        &mut self,
        texts: &Strings<'_>,
        range: Range<usize>,
        (model, worker): (&Model, &mut Worker),
        stop: &AtomicBool,
    ) -> Result<(), String> {
        let stops = || stop.load(Ordering::Relaxed);
        for row in range.take_while(|_| !stops()) {
            let Some(text) = texts.get(row) else {
                self.push_null(row, None);
                continue;
            };
            let options = (self.scores.is_some(), true);
            let parsed = catch_unwind(AssertUnwindSafe(|| -> quaich::Result<Vec<Sentence>> {
                let mut out = Vec::new();
                model.parse_text_to(worker, text, options, &stops, &mut out)?;
                Ok(read(out, "parsed text")?)
            }));
            let message = match parsed {
                Ok(Ok(sentences)) => {
                    for (number, sentence) in (0..).zip(&sentences) {
                        self.push(row, number, &sentence.sentence);
                    }
                    continue;
                }
                Ok(Err(quaich::Error::Stopped)) => return Ok(()),
                Ok(Err(error)) => error.to_string(),
                Err(panic) if self.errors.is_none() => resume_unwind(panic),
                // A defect of the parser costs one row; its worker may be in a state that it never has.
                Err(panic) => {
                    *worker = model.model().worker();
                    panic_message(&*panic)
                }
            };
            if self.errors.is_none() {
                return Err(format!("row {row}: {message}"));
            }
            self.push_null(row, Some(&message));
        }
        Ok(())
    }

    fn push(&mut self, row: usize, number: i32, sentence: &quaich::Sentence) {
        self.rows.push(row);
        self.sentence.append_value(number);
        let mut place: Option<(i32, i32)> = None;
        for token in sentence.tokens() {
            let misc = sentence.value(token, Role::Misc);
            if let Some((start, end)) = range_of(misc) {
                place = Some((place.map_or(start, |(first, _)| first), end));
            }
            for (role, strings) in STRINGS.into_iter().zip(&mut self.strings) {
                match role {
                    Role::Misc => strings.values().append_option(others(misc)),
                    role => strings.values().append_option(
                        Some(sentence.value(token, role)).filter(|cell| *cell != "_" || role == Role::Form),
                    ),
                }
            }
            self.heads.values().append_option(number_of(sentence.heads()[token.index()]));
            if let Some(scores) = &mut self.scores {
                scores.values().append_option(attribute(misc, SCORE).and_then(|score| score.parse().ok()));
            }
        }
        self.start.append_option(place.map(|(start, _)| start));
        self.end.append_option(place.map(|(_, end)| end));
        self.end_row(true);
        if let Some(errors) = &mut self.errors {
            errors.append_null();
        }
    }

    /// A row without text, or whose text cannot be parsed, has a row of nulls, so that what is kept of it is not lost.
    fn push_null(&mut self, row: usize, error: Option<&str>) {
        self.rows.push(row);
        self.sentence.append_null();
        self.start.append_null();
        self.end.append_null();
        self.end_row(false);
        if let Some(errors) = &mut self.errors {
            errors.append_option(error);
        }
    }

    fn end_row(&mut self, is_valid: bool) {
        self.strings.iter_mut().for_each(|strings| strings.append(is_valid));
        self.heads.append(is_valid);
        if let Some(scores) = &mut self.scores {
            scores.append(is_valid);
        }
    }

    /// The columns, in the order of the plan.
    pub(super) fn finish(mut self) -> Vec<ArrayRef> {
        let mut strings = self.strings.iter_mut().map(|strings| -> ArrayRef { Arc::new(strings.finish()) });
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.sentence.finish()),
            Arc::new(self.start.finish()),
            Arc::new(self.end.finish()),
        ];
        columns.extend(strings.by_ref().take(5));
        columns.push(Arc::new(self.heads.finish()));
        columns.extend(strings);
        if let Some(mut scores) = self.scores {
            columns.push(Arc::new(scores.finish()));
        }
        if let Some(mut errors) = self.errors {
            columns.push(Arc::new(errors.finish()));
        }
        columns
    }
}

fn number_of(head: Node) -> Option<i32> {
    head.is_some().then(|| head.0.cast_signed())
}

/// The value of an attribute of MISC.
fn attribute<'m>(misc: &'m str, name: &str) -> Option<&'m str> {
    misc.split('|').find_map(|part| part.strip_prefix(name))
}

fn range_of(misc: &str) -> Option<(i32, i32)> {
    let (start, end) = attribute(misc, RANGE)?.split_once(':')?;
    Some((start.parse().ok()?, end.parse().ok()?))
}

/// The attributes of MISC that have no column of their own.
fn others(misc: &str) -> Option<String> {
    let is_other = |part: &&str| *part != "_" && !part.starts_with(RANGE) && !part.starts_with(SCORE);
    let parts: Vec<&str> = misc.split('|').filter(is_other).collect();
    (!parts.is_empty()).then(|| parts.join("|"))
}
