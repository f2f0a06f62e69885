//! `quaich draw`: arc diagrams in the terminal or as SVG.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::bail;
use clap::Args;
use quaich::draw::{Picture, isolated, svg, terminal, tree_view};
use quaich::treebank::visible::visible;
use quaich::treebank::{Sentence, Sink, counted};
use quaich::{Model, Worker};

use super::InputOptions;
use crate::files_used::FilesUsed;
use crate::output::{self, Screen};
use crate::text_input::Sentences;

/// Draw sentences as arc diagrams, in the terminal or as SVG
///
/// Sentences that are wider than the terminal are drawn as indented trees.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich draw english.conllu --sentence 3
  quaich draw english.conllu --sentence 1-10 -o pictures.svg
  echo 'Cats sleep.' | quaich draw -m english.quaich")]
pub(crate) struct Draw {
    /// The treebank, or with a model also plain text [default: standard input]
    #[arg(default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Parse with this model first, and draw its trees
    #[arg(long, short, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Output file: SVG for FILE.svg, text for FILE.txt or a name without a dot, both also .gz [default: standard output]
    #[arg(long, short, value_name = "FILE", value_parser = Output::parse)]
    output: Option<Output>,

    /// The sentences to draw, numbered from 1: N or N-M [default: all]
    #[arg(long, value_name = "N", conflicts_with = "id")]
    sentence: Option<Range>,

    /// The sentence with this `# sent_id`
    #[arg(long, value_name = "SENT_ID")]
    id: Option<String>,

    /// Draw indented trees instead of arcs
    #[arg(long)]
    tree: bool,

    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,

    /// Maximum width; 0 is unlimited [default: the width of the terminal]
    #[arg(long, value_name = "COLUMNS", value_parser = super::integer::<usize>, allow_negative_numbers = true)]
    width: Option<usize>,

    #[command(flatten)]
    input_options: InputOptions,
}

/// An output file, with its kind according to its name.
#[derive(Clone)]
struct Output {
    path: PathBuf,
    is_svg: bool,
}

/// Extensions of compressed files, which are ignored.
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
            Some("svgz") => Err("expected .svg.gz for a compressed SVG".to_owned()),
            Some(kind) => Err(format!(
                "expected .svg or .txt, found .{kind}; convert an SVG to other formats with a browser or `rsvg-convert`"
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
            _ => Err("expected a sentence number from 1, or a range like 3-5".to_owned()),
        }
    }
}

impl Draw {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let files = self.input_options.files([&self.input]).reading(&self.model);
        files.writing(self.output.as_ref().map(|output| &output.path))
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut worker = self.model.as_ref().map(Model::load).transpose()?.map(|model| model.worker());
        let options = self.input_options.options(&self.input)?;
        let mut reader = Sentences::open(&self.input, &options, worker.as_ref().map(Worker::model))?;
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
            if !self.is_selected(&sentence, number) {
                continue;
            }
            if let Some(worker) = &mut worker {
                sentence = worker.parse_sentence(&sentence).to_sentence()?;
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
                "{}: nothing to draw\n  help: leave out -o FILE.svg to draw long sentences as indented trees",
                reader.file()
            );
        }
        if n_drawn == 0 {
            match (&self.sentence, &self.id) {
                (_, Some(id)) => bail!("{}: found no sentence with the id `{id}`", reader.file()),
                (Some(range), _) => {
                    bail!(
                        "{}: found {}, expected sentence {}",
                        reader.file(),
                        counted(number, "sentence"),
                        range.first
                    )
                }
                _ => output::note(&format!("{}: found no sentences", reader.file())),
            }
        }
        if as_svg {
            sink.write_all(svg::page(&page).as_bytes())?;
        }
        sink.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    fn is_selected(&self, sentence: &Sentence, number: u64) -> bool {
        match (&self.sentence, &self.id) {
            (Some(range), _) => range.first <= number,
            (_, Some(id)) => sentence.comment("sent_id") == Some(id),
            _ => true,
        }
    }
}

/// Draws a sentence as text: arcs if they fit, otherwise an indented tree.
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
    let id = sentence.comment("sent_id").filter(|id| *id != number.to_string());
    let id = id.map(|id| format!(" ({id})")).unwrap_or_default();
    let text = sentence.comment("text").map_or_else(
        || sentence.tokens().map(|token| sentence.form(token)).collect::<Vec<_>>().join(" "),
        ToOwned::to_owned,
    );
    format!("{number}{id} {}", isolated(&text))
}
