//! `quaich code treebank`: source files → a treebank.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use quaich::code::damage::{DAMAGES, Damage};
use quaich::code::files::Found;
use quaich::code::{Copies, Labels, Language, SentenceMaker};
use quaich::code_parser;
use quaich::treebank::{Sink, counted};

use super::corpus::{self, Outcome};
use super::options::{self, Sources};
use crate::commands::{Threads, integer};
use crate::files_used::FilesUsed;
use crate::{output, progress};

/// Make a treebank of source files, one sentence per file
///
/// Files that do not parse without error are skipped, and so are files without code. Comments, spaces and literals are kept
/// in MISC, so `quaich code tree --to source` prints every file as it was. Copies with damage make a parser robust: a copy has the
/// tree of its original, without the tokens that are lost.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich code treebank src/ -o train.conllu
  quaich code treebank include/ --language cpp --copies 2 --damage macro,many -o train.conllu.gz
  quaich code treebank Main.java --rule left --labels highest")]
pub(super) struct MakeTreebank {
    #[command(flatten)]
    sources: Sources,

    /// The head rule: which child of a node is its head
    #[arg(long, value_name = "NAME", default_value = "term", value_parser = options::head_rules())]
    rule: String,

    /// What dependency labels contain
    #[arg(long, value_name = "KIND", default_value = "convertible")]
    labels: LabelKind,

    /// Add the grammar's analysis as columns: LEMMA is its label, XPOS its head, and FEATS says whether there is an error. In copies, it is that
    /// of the damaged file
    #[arg(long)]
    columns: bool,

    /// Keep files that do not parse without error, with the tree that the grammar's error recovery finds
    #[arg(long)]
    with_errors: bool,

    /// Number of damaged copies to add per file
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = integer::<usize>, allow_negative_numbers = true)]
    copies: usize,

    /// Kinds of damage of the copies, separated by commas [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = options::damages())]
    damage: Vec<Damage>,

    /// Write about this many tokens, not counting copies; larger code bases are sampled evenly [default: all]
    #[arg(long, value_name = "N", value_parser = integer::<usize>, allow_negative_numbers = true)]
    max_tokens: Option<usize>,

    /// Random seed of the copies
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = integer::<u64>, allow_negative_numbers = true)]
    seed: u64,

    /// List the files that are skipped, on standard error
    #[arg(long)]
    list_skipped: bool,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    threads: Threads,
}

/// What dependency labels contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum LabelKind {
    /// All nodes whose head the token is, and where they are attached: the tree can be restored
    Convertible,
    /// The highest of these nodes
    Highest,
}

impl MakeTreebank {
    /// The files to read and write.
    pub(super) fn files(&self) -> FilesUsed {
        FilesUsed::default().reading(&self.sources.paths).writing(&self.output)
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (language, files) = self.sources.find()?;
        corpus::check_output(&files, self.output.as_deref())?;
        let files = code_parser::sample(language, &files, self.max_tokens.unwrap_or(usize::MAX));
        let mut sink = Sink::create(self.output.as_deref())?;
        let counts = self.threads.install(|| self.write(language, &files, &mut sink))??;
        let summary = counts.summary(files.len());
        anyhow::ensure!(counts.n_written > 0, "found no source file that can be written: {summary}");
        sink.finish()?;
        output::note(&summary);
        Ok(ExitCode::SUCCESS)
    }

    fn write(&self, language: &'static Language, files: &[Found], sink: &mut Sink) -> anyhow::Result<Counts> {
        let labels = match self.labels {
            LabelKind::Convertible => Labels::Convertible,
            LabelKind::Highest => Labels::NonConvertible,
        };
        let bar = progress::step_bar("counting children");
        bar.set_length(files.len() as u64);
        let (rule, kinds) = code_parser::head_rule(&self.rule, language, files, || bar.inc(1))?;
        bar.finish_and_clear();
        let new_worker = || {
            let parser = corpus::parser(language, &kinds)?;
            Ok(SentenceMaker::new(parser, rule.clone(), labels).with_columns(self.columns))
        };
        let all = DAMAGES.map(|(_, damage, _)| damage).to_vec();
        let damages = if self.damage.is_empty() { all } else { self.damage.clone() };
        let copies = Copies { number: self.copies, kinds: damages, seed: self.seed };
        let mut counts = Counts::default();
        let work = |maker: &mut SentenceMaker, file: corpus::File<'_>| {
            let (number, name) = (file.number, file.found.path.display().to_string());
            let mut text = String::new();
            Ok(match corpus::parse(maker.parser_mut(), file) {
                Outcome::Parsed(source, parsed) => {
                    maker.write(&name, &source, &parsed, &mut text);
                    let n_copies =
                        maker.write_copies((&name, number), &source, &parsed, &copies, &mut text)?;
                    Written::Sentences { n_tokens: parsed.tokens.len(), n_copies, text }
                }
                Outcome::WithErrors(source, parsed) if self.with_errors => {
                    maker.write(&name, &source, &parsed, &mut text);
                    Written::Sentences { n_tokens: parsed.tokens.len(), n_copies: 0, text }
                }
                Outcome::WithErrors(..) => Written::WithErrors,
                Outcome::WithoutCode => Written::WithoutCode,
                Outcome::Failed(reason) => Written::Failed(reason),
            })
        };
        corpus::for_each(files, new_worker, work, |found, written| {
            let name = found.path.display();
            match written {
                Written::Sentences { text, n_tokens, n_copies } => {
                    sink.write_all(text.as_bytes())?;
                    counts.n_written += 1;
                    counts.n_copies += n_copies;
                    counts.n_tokens += n_tokens;
                }
                Written::WithErrors => {
                    counts.with_errors += 1;
                    self.list(&format!("{name}: does not parse without error"));
                }
                Written::WithoutCode => {
                    counts.without_code += 1;
                    self.list(&format!("{name}: has no code"));
                }
                Written::Failed(reason) => {
                    counts.failed += 1;
                    output::note(&format!("skipped: {reason}"));
                }
            }
            Ok(())
        })?;
        Ok(counts)
    }

    fn list(&self, message: &str) {
        if self.list_skipped {
            output::note(&format!("skipped: {message}"));
        }
    }
}

/// What is written of a file.
enum Written {
    Sentences { text: String, n_tokens: usize, n_copies: usize },
    WithErrors,
    WithoutCode,
    Failed(String),
}

/// What became of all files.
#[derive(Default)]
struct Counts {
    n_written: usize,
    n_copies: usize,
    n_tokens: usize,
    with_errors: usize,
    without_code: usize,
    failed: usize,
}

impl Counts {
    fn summary(&self, n_files: usize) -> String {
        let mut text = format!(
            "{} of {} written, with {}",
            self.n_written,
            counted(n_files, "file"),
            counted(self.n_tokens, "token")
        );
        if self.n_copies > 0 {
            text.push_str(", and ");
            text.push_str(&counted(self.n_copies, "damaged file"));
        }
        let skipped = [
            (self.with_errors, "with errors"),
            (self.without_code, "without code"),
            (self.failed, "not readable as source code"),
        ];
        let skipped: Vec<String> =
            skipped.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
        if !skipped.is_empty() {
            text.push_str("; skipped: ");
            text.push_str(&skipped.join(", "));
        }
        text
    }
}
