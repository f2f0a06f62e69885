//! `quaich diff`: shows where two analyses of a text differ.

mod json;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::draw::Picture;
use quaich::eval::{PairReader, PunctuationRule};
use quaich::treebank::visible::visible;
use quaich::treebank::{Node, Sentence, Sink};

use super::draw::{draw, title};
use super::eval::punctuation_rules;
use super::{InputOptions, open};
use crate::files_used::FilesUsed;
use crate::output::{self, Screen};
use crate::progress::{self, Counter};

/// Show where two analyses of the same text differ
///
/// Prints every token whose head or label differs, under its sentence: its number and form, its head and label in the first
/// file, then those in the second. The last line counts the differences. Both files must have the same tokens; the formats
/// may differ.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich diff gold.conllu parsed.conllu
  quaich diff one.conllu two.conllu --draw --punct skip")]
pub(crate) struct Diff {
    /// The first analysis; `-` for standard input
    one: PathBuf,

    /// The second analysis; `-` for standard input
    other: PathBuf,

    /// Whether to compare punctuation
    #[arg(long, value_name = "RULE", default_value = PunctuationRule::Keep.name(), value_parser = punctuation_rules())]
    punct: PunctuationRule,

    /// Draw both trees of every sentence with differences
    #[arg(long, conflicts_with = "json")]
    draw: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input_options: InputOptions,
}

/// Counts of sentences, tokens and differences.
#[derive(Default)]
struct Counts {
    sentences: u64,
    differing_sentences: u64,
    tokens: u64,
    differing_tokens: u64,
    /// Tokens that differ only in the head.
    head: u64,
    /// Only in the label.
    label: u64,
    /// In both.
    both: u64,
}

/// A comparison of two files.
struct Comparison {
    pairs: PairReader,
    punct: PunctuationRule,
    counts: Counts,
    bar: Counter,
}

/// A sentence with the tokens on which the files differ.
struct Differing<'a> {
    number: u64,
    one: &'a Sentence,
    other: &'a Sentence,
    tokens: Vec<Node>,
}

impl Diff {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.input_options.files([&self.one, &self.other])
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        // One entry per file, in this order.
        let options = self.input_options.options_for([&self.one, &self.other])?;
        let pairs = PairReader::new(open(&self.one, &options[0])?, open(&self.other, &options[1])?);
        let bar = progress::counter("compared");
        let mut comparison = Comparison { pairs, punct: self.punct, counts: Counts::default(), bar };
        if self.json {
            json::write(comparison)?;
            return Ok(ExitCode::SUCCESS);
        }
        let screen = Screen::stdout();
        let mut sink = Sink::for_drawing(None)?;
        while let Some(Differing { number, one, other, tokens }) = comparison.next()? {
            let mut text = format!("{}\n", visible(&title(one, number)));
            if self.draw {
                for sentence in [one, other] {
                    text += &draw(&Picture::of(sentence), false, false, screen);
                }
            }
            text += &aligned(&tokens.iter().map(|&token| row(one, other, token)).collect::<Vec<_>>());
            text.push('\n');
            sink.write_all(text.as_bytes())?;
        }
        sink.write_all(summary(&comparison.counts).as_bytes())?;
        sink.finish()?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Comparison {
    /// The next sentence in which the files differ; none at the end.
    fn next(&mut self) -> anyhow::Result<Option<Differing<'_>>> {
        let Self { pairs, punct, counts, bar } = self;
        let tokens = loop {
            let Some((one, other)) = pairs.read()? else {
                bar.finish_and_clear();
                return Ok(None);
            };
            bar.inc(1);
            let tokens = compare(one, other, *punct, counts);
            if !tokens.is_empty() {
                break tokens;
            }
        };
        let (number, (one, other)) = (counts.sentences, pairs.current());
        Ok(Some(Differing { number, one, other, tokens }))
    }
}

/// The tokens of a sentence that differ; updates the counts.
fn compare(one: &Sentence, other: &Sentence, punct: PunctuationRule, counts: &mut Counts) -> Vec<Node> {
    let mut differing = Vec::new();
    for token in one.tokens().filter(|token| !punct.skips(one.form(*token))) {
        counts.tokens += 1;
        let head = one.heads()[token.index()] != other.heads()[token.index()];
        let label = one.label(token) != other.label(token);
        let count = match (head, label) {
            (false, false) => continue,
            (true, false) => &mut counts.head,
            (false, true) => &mut counts.label,
            (true, true) => &mut counts.both,
        };
        *count += 1;
        counts.differing_tokens += 1;
        differing.push(token);
    }
    counts.sentences += 1;
    counts.differing_sentences += u64::from(!differing.is_empty());
    differing
}

/// Rows of cells in left-aligned columns.
fn aligned(rows: &[Vec<String>]) -> String {
    let rows = output::all_visible(rows);
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

/// A token with its heads and labels in both files.
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

fn summary(counts: &Counts) -> String {
    let Counts { sentences, differing_sentences, tokens, differing_tokens, head, label, both } = counts;
    if *differing_tokens == 0 {
        return format!("no differences: {sentences} sentences, {tokens} tokens\n");
    }
    format!(
        "{differing_tokens} of {tokens} tokens differ ({head} in the head, {label} in the label, {both} in both), \
         in {differing_sentences} of {sentences} sentences\n"
    )
}
