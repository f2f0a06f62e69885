//! `quaich draw`: arc diagrams in the terminal or as SVG.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::bail;
use clap::Args;
use quaich_draw::{Picture, svg, terminal, tree_view};
use quaich_treebank::visible::visible;
use quaich_treebank::{Sentence, Sink};

use super::{Reading, open};
use crate::output::{self, Screen};

/// Draws sentences as arc diagrams, in the terminal or as SVG
///
/// A sentence that is wider than the terminal is shown as an indented tree.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich draw english.conllu --sentence 3
  quaich draw english.conllu --sentence 1-10 -o pictures.svg")]
pub(crate) struct Draw {
    /// The treebank; standard input if none
    #[arg(default_value = "-")]
    input: PathBuf,

    /// Where to draw: SVG if it ends in .svg, text otherwise; the terminal if none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The sentences to draw, counted from 1: N or N-M; all if not given
    #[arg(long, value_name = "N", conflicts_with = "id")]
    sentence: Option<Range>,

    /// The sentence with this `# sent_id`
    #[arg(long, value_name = "SENT_ID")]
    id: Option<String>,

    /// Indented trees instead of arcs
    #[arg(long)]
    tree: bool,

    /// Only ASCII characters
    #[arg(long)]
    ascii: bool,

    /// The width to draw in, where it is not the terminal's; 0 is without end
    #[arg(long, value_name = "COLUMNS", value_parser = super::whole::<usize>)]
    width: Option<usize>,

    #[command(flatten)]
    reading: Reading,
}

/// Sentence numbers from the first to the last.
#[derive(Clone, Copy)]
struct Range {
    first: u64,
    last: u64,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(Self { first, last }),
            _ => Err("expected a number from 1 like 3, or a range like 3-5".to_owned()),
        }
    }
}

impl Draw {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut reader = open(&self.input, &self.reading.options()?)?;
        let as_svg = self.output.as_ref().is_some_and(|path| path.extension().is_some_and(|e| e == "svg"));
        let screen = if self.output.is_some() { Screen::file() } else { Screen::stdout() };
        let screen = Screen { width: self.width.unwrap_or(screen.width), ..screen };
        let mut sink = Sink::for_drawing(self.output.as_deref())?;
        let mut sentence = reader.sentence();
        let mut page = Vec::new();
        let (mut number, mut n_drawn) = (0, 0);
        while reader.read(&mut sentence)? {
            if sentence.n_tokens() == 0 {
                continue;
            }
            number += 1;
            if self.sentence.is_some_and(|range| number > range.last) || (self.id.is_some() && n_drawn > 0) {
                break;
            }
            if !self.is_wanted(&sentence, number) {
                continue;
            }
            let title = title(&sentence, number);
            if as_svg {
                page.push((title, Picture::of(&sentence)));
            } else {
                let between = if n_drawn > 0 { "\n" } else { "" };
                let drawn = draw(&Picture::of(&sentence), self.tree, self.ascii, screen);
                sink.write_all(format!("{between}{}\n{drawn}", visible(&title)).as_bytes())?;
            }
            n_drawn += 1;
        }
        if n_drawn == 0 {
            match (&self.sentence, &self.id) {
                (_, Some(id)) => bail!("{}: no sentence has the id `{id}`", reader.file()),
                (Some(range), _) => {
                    bail!("{}: there is no sentence {}, only {number}", reader.file(), range.first)
                }
                _ => output::note(&format!("{}: no sentences", reader.file())),
            }
        }
        if as_svg {
            sink.write_all(svg::page(&page).as_bytes())?;
        }
        sink.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    fn is_wanted(&self, sentence: &Sentence, number: u64) -> bool {
        match (&self.sentence, &self.id) {
            (Some(range), _) => range.first <= number,
            (_, Some(id)) => sentence.comment("sent_id") == Some(id),
            _ => true,
        }
    }
}

/// A sentence as text: arcs if they fit, otherwise a tree.
pub(super) fn draw(picture: &Picture, tree: bool, ascii: bool, screen: Screen) -> String {
    let options = terminal::Options { ascii, colour: screen.colour };
    if tree || (screen.width > 0 && terminal::width(picture) > screen.width) {
        tree_view::draw(picture, options)
    } else {
        terminal::draw(picture, options)
    }
}

/// The number of a sentence, its id and its text.
pub(super) fn title(sentence: &Sentence, number: u64) -> String {
    let id = sentence.comment("sent_id").map(|id| format!(" ({id})")).unwrap_or_default();
    let text = sentence.comment("text").map_or_else(
        || sentence.tokens().map(|token| sentence.form(token)).collect::<Vec<_>>().join(" "),
        ToOwned::to_owned,
    );
    format!("{number}{id} {text}")
}
