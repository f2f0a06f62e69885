//! `quaich oracle`: the static oracle's transitions, one line per sentence.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::named_trace::Names;
use quaich::transition::configuration::{Configuration, RootPosition};
use quaich::transition::gold::Gold;
use quaich::transition::malt::MaltSystemOptions;
use quaich::transition::modifiers::mirror;
use quaich::transition::oracle::derives;
use quaich::transition::spec::{SpecError, SystemSpec};
use quaich::transition::systems::{Options, System};
use quaich::transition::transition::Transition;
use quaich::transition::watcher::{Step, Watcher};
use quaich::treebank::symbols::{Label, Symbols};
use quaich::treebank::{Sink, counted};

use super::{InputOptions, malt_help, open, or_stdin};
use crate::files_used::FilesUsed;
use crate::{output, progress};

/// Print the transitions of a system's static oracle, one line per sentence
///
/// Prints `!` for a tree that the system cannot derive. With --malt no tree is rejected, forced transitions are in
/// parentheses, and `SW` is both swap and switch. With --json each line is one object per sentence: its number, the system,
/// and an array of the transitions, or null.
#[derive(Args)]
#[command(after_help = r#"Examples:
  quaich oracle --system arc-eager train.conllu
  quaich oracle --system swap-lazy --json train.conllu -o transitions.jsonl
  quaich oracle --malt "-a nivreeager -nr false" train.conll"#)]
pub(crate) struct Oracle {
    /// Treebanks [default: standard input]
    input: Vec<PathBuf>,

    #[command(flatten)]
    choice: SystemChoice,

    /// Print one JSON object per sentence, one per line
    #[arg(long)]
    json: bool,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    input_options: InputOptions,
}

/// The transition system of a command.
#[derive(Args)]
pub(crate) struct SystemChoice {
    /// The transition system, e.g. arc-eager, swap-lazy, rtl:arc-standard, arc-eager+lba, planar:malt
    #[arg(long, value_name = "SYSTEM", required_unless_present = "malt", conflicts_with = "malt")]
    system: Option<SystemSpec>,

    /// Use MaltParser's flags instead, e.g. "-a nivreeager -nr false"; --help lists them
    #[arg(
        long,
        value_name = "FLAGS",
        value_parser = MaltSystemOptions::parse,
        allow_hyphen_values = true,
        conflicts_with_all = ["root", "single_root"],
        long_help = malt_help("Use MaltParser's flags instead, e.g. \"-a nivreeager -nr false\"", &[&MaltSystemOptions::default()]),
    )]
    malt: Option<MaltSystemOptions>,

    /// Position of node 0: stack, end or none [default: stack]
    #[arg(long, value_name = "POSITION")]
    root: Option<RootPosition>,

    /// Derive only trees with a single root
    #[arg(long)]
    single_root: bool,
}

impl SystemChoice {
    /// The system; arcs that are added at the end have no labels.
    pub(crate) fn build(&self) -> Result<Box<dyn System>, SpecError> {
        let root = self.root.unwrap_or_default();
        let options = Options { root, single_root: self.single_root, ..Options::default() };
        match (&self.system, &self.malt) {
            (Some(spec), _) if spec.fixes_root() && (self.root.is_some() || self.single_root) => {
                Err(SpecError::FixesRoot(spec.to_string()))
            }
            (Some(spec), _) => Ok(spec.build(options)),
            (None, Some(settings)) => Ok(settings.build(Label::NONE)),
            (None, None) => unreachable!("clap requires one of the two"),
        }
    }

    /// Whether it behaves like `MaltParser`.
    pub(crate) fn is_malt(&self) -> bool {
        self.malt.is_some() || self.system.is_some_and(|spec| spec.is_malt())
    }

    /// Whether sentences are parsed from right to left.
    pub(crate) fn is_right_to_left(&self) -> bool {
        self.system.is_some_and(|spec| spec.is_right_to_left())
    }

    /// The value of `--system`.
    pub(crate) fn named(&self) -> Option<&SystemSpec> {
        self.system.as_ref()
    }

    /// The name of the system, for output.
    pub(crate) fn name(&self) -> String {
        match (&self.system, &self.malt) {
            (Some(spec), _) => spec.to_string(),
            (None, settings) => settings.as_ref().map_or("", |settings| settings.algorithm.name).to_owned(),
        }
    }
}

/// The maximum number of transitions to record. Longer derivations, such as those of random trees with SWAP, run twice:
/// once to check that they build the tree, once to be printed.
const MAX_RECORDED: usize = 1 << 22;

/// Records the first transitions and counts the others.
#[derive(Default)]
struct RecordedSteps {
    steps: Vec<Step>,
    n_steps: usize,
}

impl Watcher for RecordedSteps {
    fn made(&mut self, _c: &Configuration, transition: Transition, forced: bool) {
        self.n_steps += 1;
        if self.steps.len() < MAX_RECORDED {
            self.steps.push(Step { transition, forced });
        }
    }
}

/// Prints transitions, separated by spaces or as elements of a JSON array.
struct Printer<'a> {
    names: Names<'a>,
    json: bool,
    sink: &'a mut Sink,
    n_printed: usize,
    failure: Option<std::io::Error>,
}

impl Printer<'_> {
    fn print(&mut self, step: &Step) {
        if self.failure.is_none() {
            self.failure = self.write(step).err();
            self.n_printed += 1;
        }
    }

    fn write(&mut self, step: &Step) -> std::io::Result<()> {
        let name = self.names.transition(step);
        let name = if step.forced { format!("({name})") } else { name };
        match (self.json, self.n_printed > 0) {
            (true, has_previous) => {
                self.sink.write_all(if has_previous { b"," } else { b"" })?;
                Ok(serde_json::to_writer(&mut *self.sink, &name)?)
            }
            (false, true) => write!(self.sink, " {name}"),
            (false, false) => write!(self.sink, "{name}"),
        }
    }
}

impl Watcher for Printer<'_> {
    fn made(&mut self, _c: &Configuration, transition: Transition, forced: bool) {
        self.print(&Step { transition, forced });
    }
}

impl Oracle {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.input_options.files(or_stdin(&self.input)).writing(&self.output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let system = self.choice.build()?;
        let files = or_stdin(&self.input);
        let options = self.input_options.options_for(&files)?;
        let is_malt = self.choice.is_malt();
        let (mut gold, mut c) = (Gold::new(), Configuration::new());
        let mut labels = Symbols::<Label>::new();
        let output = self.output.as_deref();
        let mut sink = if self.json { Sink::for_json(output)? } else { Sink::for_people(output)? };
        let mut number = 0u64;
        let (open_list, close_list, underivable) = if self.json { ("[", "]", "null") } else { ("", "", "!") };
        let bar = progress::counter("derived");
        let mut n_not_trees = 0u64;
        for (path, options) in files.iter().zip(&options) {
            let mut reader = open(path, options)?;
            let mut sentence = reader.sentence();
            while reader.read(&mut sentence)? {
                if sentence.n_tokens() == 0 {
                    continue;
                }
                number += 1;
                if self.json {
                    let system = serde_json::to_string(&self.choice.name())?;
                    write!(sink, "{{\"sentence\":{number},\"system\":{system},\"transitions\":")?;
                }
                let mut tree = sentence.tree(&mut labels);
                if self.choice.is_right_to_left() {
                    tree = mirror(&tree);
                }
                if tree.is_well_formed() {
                    let mut recorded = RecordedSteps::default();
                    let exact = derives(&*system, &tree, &mut gold, &mut c, &mut recorded);
                    let names =
                        Names { labels: &|label| labels.text(label), system: &*system, malt: is_malt };
                    if !exact && !is_malt {
                        sink.write_all(underivable.as_bytes())?;
                    } else {
                        sink.write_all(open_list.as_bytes())?;
                        let mut printer =
                            Printer { names, json: self.json, sink: &mut sink, n_printed: 0, failure: None };
                        if recorded.n_steps > MAX_RECORDED {
                            derives(&*system, &tree, &mut gold, &mut c, &mut printer);
                        } else {
                            recorded.steps.iter().for_each(|step| printer.print(step));
                        }
                        printer.failure.map_or(Ok(()), Err)?;
                        sink.write_all(close_list.as_bytes())?;
                    }
                } else {
                    n_not_trees += 1;
                    sink.write_all(underivable.as_bytes())?;
                }
                sink.write_all(if self.json { b"}\n" } else { b"\n" })?;
                bar.inc(1);
            }
        }
        sink.finish()?;
        bar.finish_and_clear();
        if n_not_trees > 0 {
            let sentences = counted(n_not_trees, "sentence");
            output::note(&format!(
                "no derivation: {sentences} without heads, or whose heads do not form a tree; see `quaich validate`"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
