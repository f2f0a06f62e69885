//! `quaich draw`: arc diagrams in the terminal or as SVG.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::bail;
use clap::Args;
use quaich::draw::{Picture, isolated, svg, terminal, tree_view};
use quaich::treebank::visible::visible;
use quaich::treebank::{Sentence, Sink};

use super::{Reading, open};
use crate::output::{self, Screen};
use crate::places::FilesUsed;

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

    /// Where to draw, the terminal if none: FILE.svg as SVG, FILE.txt or a name without a dot as text, both also .gz
    #[arg(long, short, value_name = "FILE", value_parser = Output::parse)]
    output: Option<Output>,

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
    #[arg(long, value_name = "COLUMNS", value_parser = super::whole::<usize>, allow_negative_numbers = true)]
    width: Option<usize>,

    #[command(flatten)]
    reading: Reading,
}

/// A file to draw into, and what its name says it is.
#[derive(Clone)]
struct Output {
    path: PathBuf,
    is_svg: bool,
}

/// What may follow a name and says nothing of what is drawn.
const COMPRESSIONS: [&str; 4] = ["gz", "zst", "xz", "bz2"];

impl Output {
    fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let extension =
            |path: &Path| path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let kind = match extension(&path) {
            Some(outer) if COMPRESSIONS.contains(&outer.as_str()) => {
                extension(Path::new(path.file_stem().unwrap_or_default()))
            }
            kind => kind,
        };
        match kind.as_deref() {
            Some("svg") => Ok(Self { path, is_svg: true }),
            Some("txt" | "text") | None => Ok(Self { path, is_svg: false }),
            Some("svgz") => Err("a compressed SVG is called .svg.gz here".to_owned()),
            Some(kind) => Err(format!(
                "drawings are SVG (.svg) or text (.txt), not .{kind}; browsers and `rsvg-convert` make other pictures of SVG"
            )),
        }
    }
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
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        self.reading.files([&self.input]).writing(self.output.as_ref().map(|output| &output.path))
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut reader = open(&self.input, &self.reading.options(&self.input)?)?;
        let as_svg = self.output.as_ref().is_some_and(|output| output.is_svg);
        let screen = if self.output.is_some() { Screen::file() } else { Screen::stdout() };
        let screen = Screen { width: self.width.unwrap_or(screen.width), ..screen };
        let mut sink = Sink::for_drawing(self.output.as_ref().map(|output| output.path.as_path()))?;
        let mut sentence = reader.sentence();
        let mut page = Vec::new();
        let (mut number, mut n_drawn, mut n_long) = (0, 0, 0);
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
            let is_long = sentence.n_tokens() > svg::MAX_WORDS;
            if as_svg && is_long {
                n_long += 1;
                continue;
            }
            if as_svg {
                page.push((title, Picture::of(&sentence)));
            } else {
                let between = if n_drawn > 0 { "\n" } else { "" };
                let drawn = draw(&Picture::of(&sentence), self.tree || is_long, self.ascii, screen);
                n_long += usize::from(is_long && !self.tree);
                sink.write_all(format!("{between}{}\n{drawn}", visible(&title)).as_bytes())?;
            }
            n_drawn += 1;
        }
        if n_long > 0 {
            let what = if as_svg { "not drawn" } else { "drawn as indented trees" };
            let limit = svg::MAX_WORDS;
            output::note(&format!("sentences of more than {limit} tokens, {what}: {n_long}"));
        }
        if n_drawn == 0 && n_long > 0 {
            bail!(
                "{}: nothing to draw; without -o FILE.svg long sentences are indented trees",
                reader.file()
            );
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
    format!("{number}{id} {}", isolated(&text))
}
