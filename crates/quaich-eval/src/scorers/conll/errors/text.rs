//! Errors as printed by the scorers.

use std::fmt::{Display, Formatter, Result};

use super::local::LocalContext;
use super::{ContextErrors, ErrorCounts, ErrorReport, SentenceErrors};
use crate::attachment::Attachment;

impl Display for ErrorReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.write_focus_words(f)?;
        self.write_contexts(f)?;
        let worst = &self.worst;
        for (name, sentence) in
            [("word", worst.word_errors), ("head", worst.head_errors), ("dependency", worst.label_errors)]
        {
            writeln!(f, "\n\n  Sentence with the highest number of {name} errors:")?;
            if let Some(SentenceErrors { sentence, line, head_errors, label_errors, word_errors }) = sentence
            {
                writeln!(
                    f,
                    "   Sentence {sentence} line {line}, {head_errors} head errors, {label_errors} dependency errors, {word_errors} word errors"
                )?;
            }
        }
        let columns = LocalColumns::of(self);
        self.write_frequent(&columns, f)?;
        self.write_shared(&columns, f)
    }
}

/// The counts of a row.
struct Counts(Option<Attachment>);

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Some(counts) = self.0 else {
            return write!(f, "      |      |      |     ");
        };
        let ErrorCounts { any, head, label, both } = counts.into();
        write!(f, " {any:4} | {head:4} | {label:4} | {both:4}")
    }
}

const COUNTS_TITLE: &str = "any  | head | dep  | both";

fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}

impl ErrorReport {
    fn write_focus_words(&self, f: &mut Formatter<'_>) -> Result {
        let width = width(self.focus_words.iter().map(|(word, _)| word.as_str()));
        let line = format!("  {}-+------+------+------+------", "-".repeat(width));
        writeln!(f, "\n\n  {} focus words where most of the errors occur:\n", self.focus_words.len())?;
        writeln!(f, "  {:width$} | {COUNTS_TITLE}\n{line}", "")?;
        for (word, counts) in &self.focus_words {
            writeln!(f, "  {word:width$} |{}", Counts(Some(*counts)))?;
        }
        writeln!(f, "{line}")
    }

    fn write_contexts(&self, f: &mut Formatter<'_>) -> Result {
        let width_of = |rows: fn(&ContextErrors) -> &[(String, Attachment)]| {
            let names =
                self.contexts.iter().flat_map(|context| rows(context).iter().map(|(name, _)| name.as_str()));
            width(names.chain(["CPOS"]))
        };
        let (tag_width, word_width) = (width_of(|context| &context.tags), width_of(|context| &context.words));
        let dashes = |width| "-".repeat(width);
        let line = format!(
            "  {}-+------+------+------+-------++--{}-+------+------+------+-----",
            dashes(tag_width),
            dashes(word_width)
        );
        for ContextErrors { name, tags, words } in &self.contexts {
            writeln!(f, "\n\n  {name} contexts where most of the errors occur:\n")?;
            let (cpos, word) = ("CPOS", "word");
            writeln!(
                f,
                "  {cpos:tag_width$} | {COUNTS_TITLE}  ||  {word:word_width$} | {COUNTS_TITLE}\n{line}"
            )?;
            for at in 0..tags.len().max(words.len()) {
                let (tag, tag_counts) = cell(tags, at);
                let (word, word_counts) = cell(words, at);
                writeln!(f, "  {tag:tag_width$} |{tag_counts}  ||  {word:word_width$} |{word_counts}")?;
            }
            writeln!(f, "{line}")?;
        }
        Ok(())
    }

    fn write_frequent(&self, columns: &LocalColumns, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "\n\n  Specific errors, {} most frequent errors:", self.frequent.len())?;
        writeln!(f, "  =========================================")?;
        for (at, error) in self.frequent.iter().enumerate() {
            writeln!(f, "\n  {:2}. {} : {} times", at + 1, error.error, error.count)?;
            let line = columns.line();
            writeln!(f, "{line}+------\n{}| Count\n{}|\n{line}+------", columns.titles(), columns.names())?;
            for (context, count) in &error.contexts {
                writeln!(f, "{}| {count:3}", columns.row(context))?;
            }
            writeln!(f, "{line}+------")?;
        }
        Ok(())
    }

    fn write_shared(&self, columns: &LocalColumns, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "\n\n  Local contexts involved in several frequent errors:")?;
        writeln!(f, "  ===================================================\n\n")?;
        for shared in &self.shared {
            let line = columns.line();
            writeln!(f, "{line}\n{}\n{}\n{line}", columns.titles(), columns.names())?;
            writeln!(f, "{}\n{line}", columns.row(&shared.context))?;
            for &(at, count) in &shared.errors {
                writeln!(f, "  {:2}. {} : {count} times", at + 1, self.frequent[at].error)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Returns a row of one half of a table, which may have fewer rows than the other.
fn cell(rows: &[(String, Attachment)], at: usize) -> (&str, Counts) {
    let row = rows.get(at);
    (row.map_or("", |(name, _)| name.as_str()), Counts(row.map(|(_, counts)| *counts)))
}

/// The columns of local contexts: tags and words before, at and after the error.
struct LocalColumns([usize; 6]);

impl LocalColumns {
    fn of(report: &ErrorReport) -> Self {
        let mut widths = [4; 6];
        for (context, _) in report.frequent.iter().flat_map(|error| &error.contexts) {
            for (width, name) in widths.iter_mut().zip(context.names()) {
                *width = name.chars().count().max(*width);
            }
        }
        // Tags have the same width before and after; all of them fit in the middle.
        let around = widths[0].max(widths[4]);
        (widths[0], widths[4]) = (around, around);
        widths[2] = widths[2].max(report.widest_tag);
        Self(widths)
    }

    fn line(&self) -> String {
        let dashes: Vec<String> = self.0.iter().map(|width| "-".repeat(width + 2)).collect();
        // The first column has no space before it.
        format!("  {}", &dashes.join("+")[1..])
    }

    fn titles(&self) -> String {
        let [before, focus, after] = [0, 2, 4].map(|at| self.0[at] + 3 + self.0[at + 1] + 1);
        format!("  {:before$}| {:focus$}| {:after$}", "  Before", "   Focus", "  After")
    }

    fn names(&self) -> String {
        let [before, before_word, focus, focus_word, after, after_word] = self.0;
        let (cpos, word) = ("CPOS", "word");
        format!(
            "  {cpos:before$}   {word:before_word$} | {cpos:focus$}   {word:focus_word$} | {cpos:after$}   {word:after_word$} "
        )
    }

    fn row(&self, context: &LocalContext) -> String {
        let cells: Vec<String> =
            context.names().zip(self.0).map(|(name, width)| format!("{name:width$} ")).collect();
        format!("  {}", cells.join("| "))
    }
}
