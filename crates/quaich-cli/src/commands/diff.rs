//! `quaich diff`: where two analyses of a text differ.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich_draw::Picture;
use quaich_eval::{Pairs, PunctuationRule};
use quaich_treebank::visible::visible;
use quaich_treebank::{Node, Sentence, Sink};
use serde::Serialize;

use super::draw::{draw, title};
use super::eval::punctuation_rules;
use super::{Reading, open};
use crate::output::{self, Screen};
use crate::progress;

/// Shows where two analyses of the same text differ
///
/// Every token with another head or label, under its sentence: number and form, then the head and the label that the one file
/// has, then those of the other; a count at the end. Both files must have the same tokens; the formats may differ.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich diff gold.conllu parsed.conllu
  quaich diff one.conllu two.conllu --draw --punct skip")]
pub(crate) struct Diff {
    /// One analysis; `-` is standard input
    one: PathBuf,

    /// The other
    other: PathBuf,

    /// Whether punctuation is looked at
    #[arg(long, value_name = "RULE", default_value = PunctuationRule::Keep.name(), value_parser = punctuation_rules())]
    punct: PunctuationRule,

    /// Draw both trees of every sentence in which there are differences
    #[arg(long, conflicts_with = "json")]
    draw: bool,

    /// Print JSON: one object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: Reading,
}

/// What was found.
#[derive(Serialize, Default)]
struct Found {
    sentences: u64,
    differing_sentences: u64,
    tokens: u64,
    differing_tokens: u64,
    /// Of those that differ: how many in the head alone, in the label alone, and in both.
    head: u64,
    label: u64,
    both: u64,
    /// Where JSON is wanted.
    differences: Vec<Difference>,
}

#[derive(Serialize)]
struct Difference {
    sentence: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_id: Option<String>,
    token: usize,
    form: String,
    one: Attachment,
    other: Attachment,
}

/// A token as one of the files has it.
#[derive(Serialize)]
struct Attachment {
    line: u64,
    head: Option<usize>,
    label: String,
}

impl Diff {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        // There are options for each file, in this order.
        let options = self.reading.options_for([&self.one, &self.other])?;
        let mut pairs = Pairs::new(open(&self.one, &options[0])?, open(&self.other, &options[1])?);
        let screen = Screen::stdout();
        let mut sink = Sink::for_drawing(None)?;
        let mut found = Found::default();
        let bar = progress::counter("compared");
        while let Some((one, other)) = pairs.read()? {
            bar.inc(1);
            found.sentences += 1;
            let differing = self.compare(one, other, &mut found);
            if differing.is_empty() {
                continue;
            }
            found.differing_sentences += 1;
            if self.json {
                let number = found.sentences;
                found
                    .differences
                    .extend(differing.iter().map(|&token| difference(number, one, other, token)));
                continue;
            }
            let mut text = format!("{}\n", visible(&title(one, found.sentences)));
            if self.draw {
                for sentence in [one, other] {
                    text += &draw(&Picture::of(sentence), false, false, screen);
                }
            }
            text += &aligned(differing.iter().map(|&token| row(one, other, token)).collect());
            text.push('\n');
            sink.write_all(text.as_bytes())?;
        }
        bar.finish_and_clear();
        if self.json {
            sink.finish()?;
            output::json(&found)?;
            return Ok(ExitCode::SUCCESS);
        }
        sink.write_all(summary(&found).as_bytes())?;
        sink.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// The tokens of a sentence that differ, and their number.
    fn compare(&self, one: &Sentence, other: &Sentence, found: &mut Found) -> Vec<Node> {
        let mut differing = Vec::new();
        for token in one.tokens().filter(|token| !self.punct.skips(one.form(*token))) {
            found.tokens += 1;
            let head = one.heads()[token.index()] != other.heads()[token.index()];
            let label = one.label(token) != other.label(token);
            let count = match (head, label) {
                (false, false) => continue,
                (true, false) => &mut found.head,
                (false, true) => &mut found.label,
                (true, true) => &mut found.both,
            };
            *count += 1;
            found.differing_tokens += 1;
            differing.push(token);
        }
        differing
    }
}

/// Rows of cells below each other, the beginnings of columns aligned.
fn aligned(rows: Vec<Vec<String>>) -> String {
    let rows: Vec<Vec<String>> =
        rows.into_iter().map(|row| row.iter().map(|cell| visible(cell).into_owned()).collect()).collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().enumerate().map(|(column, cell)| format!("  {cell:0$}", width(column)));
        text += cells.collect::<String>().trim_end();
        text.push('\n');
    }
    text
}

/// A token with what the one and the other file say of it.
fn row(one: &Sentence, other: &Sentence, token: Node) -> Vec<String> {
    let mut cells = vec![token.to_string(), one.form(token).to_owned()];
    for sentence in [one, other] {
        let head = sentence.heads()[token.index()];
        cells.push(match head.index() {
            _ if head.is_none() => "_".to_owned(),
            0 => "0".to_owned(),
            _ => format!("{head} {}", sentence.form(head)),
        });
        cells.push(sentence.label(token).to_owned());
    }
    cells
}

fn difference(number: u64, one: &Sentence, other: &Sentence, token: Node) -> Difference {
    let attachment = |sentence: &Sentence| {
        let head = sentence.heads()[token.index()];
        Attachment {
            line: sentence.line_of(token),
            head: head.is_some().then(|| head.index()),
            label: sentence.label(token).to_owned(),
        }
    };
    Difference {
        sentence: number,
        sent_id: one.comment("sent_id").map(str::to_owned),
        token: token.index(),
        form: one.form(token).to_owned(),
        one: attachment(one),
        other: attachment(other),
    }
}

fn summary(found: &Found) -> String {
    let Found { sentences, differing_sentences, tokens, differing_tokens, head, label, both, .. } = found;
    if *differing_tokens == 0 {
        return format!("no differences: {sentences} sentences, {tokens} tokens\n");
    }
    format!(
        "{differing_tokens} of {tokens} tokens differ ({head} in the head, {label} in the label, {both} in both), \
         in {differing_sentences} of {sentences} sentences\n"
    )
}
