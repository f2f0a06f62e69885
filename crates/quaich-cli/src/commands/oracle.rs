//! `quaich oracle`: the static oracle's transitions, a line a sentence.

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

use super::{Reading, malt_help, open, or_stdin};
use crate::places::FilesUsed;
use crate::{output, progress};

/// Prints the transitions of a system's static oracle, a line a sentence
///
/// A tree that the system cannot derive has `!` instead. In `MaltParser`'s manner no tree is refused, forced
/// transitions are in parentheses, and `SW` is both swap and switch. With --json there is one object per sentence and line: its
/// number, the system, and a list of these transitions, or null.
#[derive(Args)]
#[command(after_help = r#"Examples:
  quaich oracle --system arc-eager train.conllu
  quaich oracle --system swap-lazy --json train.conllu -o transitions.jsonl
  quaich oracle --malt "-a nivreeager -nr false" train.conll"#)]
pub(crate) struct Oracle {
    /// The treebanks; standard input if none
    input: Vec<PathBuf>,

    #[command(flatten)]
    choice: SystemChoice,

    /// Print JSON: one object per sentence and line
    #[arg(long)]
    json: bool,

    /// Where to write; compressed if it ends in .gz, .zst, .xz or .bz2; standard output if none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    reading: Reading,
}

/// Which transition system a command is to use.
#[derive(Args)]
pub(crate) struct SystemChoice {
    /// The transition system, e.g. arc-eager, swap-lazy, rtl:arc-standard, arc-eager+lba, planar:malt
    #[arg(long, value_name = "SYSTEM", required_unless_present = "malt", conflicts_with = "malt")]
    system: Option<SystemSpec>,

    /// `MaltParser`'s flags instead, e.g. "-a nivreeager -nr false"; --help lists them
    #[arg(
        long,
        value_name = "FLAGS",
        value_parser = MaltSystemOptions::parse,
        allow_hyphen_values = true,
        conflicts_with_all = ["root", "single_root"],
        long_help = malt_help("`MaltParser`'s flags instead, e.g. \"-a nivreeager -nr false\"", &[&MaltSystemOptions::default()]),
    )]
    malt: Option<MaltSystemOptions>,

    /// Where node 0 is: stack (the default), end or none
    #[arg(long, value_name = "POSITION")]
    root: Option<RootPosition>,

    /// Only trees with a single root
    #[arg(long)]
    single_root: bool,
}

impl SystemChoice {
    /// The system; the finish leaves labels out.
    pub(crate) fn build(&self) -> Result<Box<dyn System>, SpecError> {
        let root = self.root.unwrap_or_default();
        let options = Options { root, single_root: self.single_root, ..Options::default() };
        match (&self.system, &self.malt) {
            (Some(spec), _) if spec.fixes_root() && (self.root.is_some() || self.single_root) => {
                Err(SpecError::FixesRoot(spec.to_string()))
            }
            (Some(spec), _) => Ok(spec.build(options)),
            (None, Some(settings)) => Ok(settings.build(Label::NONE)),
            (None, None) => unreachable!("clap asks for one of the two"),
        }
    }

    /// Whether this is `MaltParser`'s practice.
    pub(crate) fn is_malt(&self) -> bool {
        self.malt.is_some() || self.system.is_some_and(|spec| spec.is_malt())
    }

    /// Whether sentences are to be reversed.
    pub(crate) fn is_right_to_left(&self) -> bool {
        self.system.is_some_and(|spec| spec.is_right_to_left())
    }

    /// The system that was named, if one was.
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

/// The most transitions of a derivation that are kept. Longer ones, as SWAP makes them of trees of chance, are made twice:
/// once to see whether they build the tree, once to be printed.
const KEPT: usize = 1 << 22;

/// Keeps the first transitions and counts the others.
#[derive(Default)]
struct First {
    steps: Vec<Step>,
    n_steps: usize,
}

impl Watcher for First {
    fn made(&mut self, _c: &Configuration, transition: Transition, forced: bool) {
        self.n_steps += 1;
        if self.steps.len() < KEPT {
            self.steps.push(Step { transition, forced });
        }
    }
}

/// Prints transitions, separated by spaces or as elements of a list of JSON.
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
            (true, goes_on) => {
                self.sink.write_all(if goes_on { b"," } else { b"" })?;
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
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        self.reading.files(or_stdin(&self.input)).writing(&self.output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let system = self.choice.build()?;
        let files = or_stdin(&self.input);
        let options = self.reading.options_for(&files)?;
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
                    let mut first = First::default();
                    let exact = derives(&*system, &tree, &mut gold, &mut c, &mut first);
                    let names =
                        Names { labels: &|label| labels.text(label), system: &*system, malt: is_malt };
                    if !exact && !is_malt {
                        sink.write_all(underivable.as_bytes())?;
                    } else {
                        sink.write_all(open_list.as_bytes())?;
                        let mut printer =
                            Printer { names, json: self.json, sink: &mut sink, n_printed: 0, failure: None };
                        if first.n_steps > KEPT {
                            derives(&*system, &tree, &mut gold, &mut c, &mut printer);
                        } else {
                            first.steps.iter().for_each(|step| printer.print(step));
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
            let hint = "see `quaich validate`";
            let have = if n_not_trees == 1 { "has" } else { "have" };
            let sentences = counted(n_not_trees, "sentence");
            output::note(&format!("{sentences} {have} no heads, or heads that make no tree; {hint}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
