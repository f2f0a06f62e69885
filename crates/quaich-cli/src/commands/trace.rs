//! `quaich trace`: derivations step by step, as tables or JSON.

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use quaich::Model;
use quaich::named_trace::{NamedTrace, Names};
use quaich::trace::ParseEnding;
use quaich::transition::configuration::Configuration;
use quaich::transition::gold::Gold;
use quaich::transition::modifiers::mirror;
use quaich::transition::oracle::{StaticOracle, derives};
use quaich::transition::trace::{Snapshot, TraceStep, follow};
use quaich::transition::transition::Kind;
use quaich::treebank::symbols::{Label, Symbols};
use quaich::treebank::tree::{Arc, Node};
use quaich::treebank::{Sentence, Sink, counted};

use super::oracle::SystemChoice;
use super::{InputOptions, integer, load_single_parser};
use crate::files_used::FilesUsed;
use crate::output;
use crate::text_input::Sentences;

/// Show derivations step by step: transition, stacks, buffer, added arc
///
/// Transitions come from the static oracle, or from a model, which uses its own system. If the model uses a tree
/// transformation, labels carry its marks, and the arcs that change when it is undone are shown at the end. --json prints
/// one object per sentence, one per line, with full stacks and buffers, the permissible transitions, those that the dynamic
/// oracle allows if the heads are known, and the model's scores.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich trace --system swap-lazy english.conllu --sentence 3
  quaich trace -m english.quaich tagged.conllu
  echo 'Cats sleep.' | quaich trace -m english.quaich")]
#[command(mut_arg("system", |system| system.required_unless_present("model")))]
pub(crate) struct Trace {
    /// The treebank, or with a model also plain text [default: standard input]
    #[arg(default_value = "-", hide_default_value = true)]
    input: PathBuf,

    #[command(flatten)]
    choice: SystemChoice,

    /// Show the derivations of this model, with its system
    #[arg(long, short, value_name = "MODEL", conflicts_with_all = ["malt", "root", "single_root"])]
    model: Option<PathBuf>,

    /// Only this sentence, numbered from 1
    #[arg(long, value_name = "N", value_parser = integer::<usize>, allow_negative_numbers = true)]
    sentence: Option<usize>,

    /// Number of nodes of stacks and buffer to show [default: 6, with --json all]
    #[arg(long, value_name = "N", value_parser = integer::<usize>, allow_negative_numbers = true)]
    nodes: Option<usize>,

    /// Print one JSON object per sentence
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input_options: InputOptions,
}

/// The default number of nodes of a stack or buffer to show.
const SHOWN: usize = 6;
/// Sentences of this many tokens get a hint to limit the nodes per step.
const LONG: usize = 5000;

impl Trace {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.input_options.files([&self.input]).reading(&self.model)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let parser = self.model.as_deref().map(|model| self.load(model)).transpose()?;
        let options = self.input_options.options(&self.input)?;
        let mut reader = Sentences::open(&self.input, &options, parser.as_ref())?;
        let mut sink = if self.json { Sink::for_json(None)? } else { Sink::for_people(None)? };
        let number = match &parser {
            Some(parser) => self.trace_parser(parser, &mut reader, &mut sink)?,
            None => self.trace_oracle(&mut reader, &mut sink)?,
        };
        if let Some(wanted) = self.sentence.filter(|wanted| !(1..=number).contains(wanted)) {
            bail!("{}: found {}, expected sentence {wanted}", reader.file(), counted(number, "sentence"));
        }
        sink.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Loads the model; fails if `--system` names another system than the model's.
    fn load(&self, model: &Path) -> anyhow::Result<Model> {
        let parser = load_single_parser(model)?;
        let system = &parser.plan().system;
        match self.choice.named() {
            Some(named) if named.to_string() != system.to_string() => {
                bail!("{}: the model's system is {system}, not {named}; leave out --system", model.display())
            }
            _ => Ok(parser),
        }
    }

    /// Shows the derivations of the static oracle; returns the number of sentences.
    fn trace_oracle(&self, reader: &mut Sentences, sink: &mut Sink) -> anyhow::Result<usize> {
        let system = self.choice.build()?;
        let mut labels = Symbols::<Label>::new();
        let (mut gold, mut c) = (Gold::new(), Configuration::new());
        self.for_each(reader, |number, sentence| {
            let mut tree = sentence.tree(&mut labels);
            if !tree.is_well_formed() {
                output::note(&format!(
                    "sentence {number}: the heads do not form a tree; see `quaich validate`"
                ));
                return Ok(());
            }
            if self.choice.is_right_to_left() {
                tree = mirror(&tree);
            }
            let derived = derives(&*system, &tree, &mut gold, &mut c, &mut ());
            let (n_tokens, shown) = (tree.n_tokens(), self.shown(sentence));
            let mut start = Snapshot::start(&*system, n_tokens, &mut c, shown);
            let reversed = self.choice.is_right_to_left();
            if reversed {
                start.mirror(n_tokens);
            }
            let steps = |visit: &mut dyn FnMut(TraceStep)| {
                let oracle = StaticOracle::new(&*system, &tree, &mut gold);
                let mut ending =
                    follow(&*system, oracle, n_tokens, Some(&tree), &mut c, shown, &mut |mut step| {
                        if reversed {
                            step.mirror(n_tokens);
                        }
                        visit(step);
                    });
                if reversed {
                    ending.mirror();
                }
                ParseEnding { tree: ending.tree.clone(), derivation: ending }
            };
            let trace = NamedTrace {
                number,
                sentence,
                names: Names {
                    labels: &|label| labels.text(label),
                    system: &*system,
                    malt: self.choice.is_malt(),
                },
                system: self.choice.name(),
                transform: None,
                derived: Some(derived),
                start,
                steps: RefCell::new(Some(Box::new(steps))),
            };
            self.write(&trace, sink)
        })
    }

    /// Shows the derivations of a parser; returns the number of sentences.
    fn trace_parser(&self, parser: &Model, reader: &mut Sentences, sink: &mut Sink) -> anyhow::Result<usize> {
        let mut worker = parser.worker();
        self.for_each(reader, |number, sentence| {
            let parser = worker.model_for(sentence).clone();
            let spec = &parser.plan().system;
            let shown = self.shown(sentence);
            let start = worker.trace_start(sentence, shown);
            let steps = |visit: &mut dyn FnMut(TraceStep)| worker.trace_steps(sentence, shown, visit);
            let trace = NamedTrace {
                number,
                sentence,
                names: Names {
                    labels: &|label| parser.labels().text(label),
                    system: parser.system(),
                    malt: spec.is_malt(),
                },
                system: spec.to_string(),
                transform: Some(parser.plan().transform.as_str()),
                derived: None,
                start,
                steps: RefCell::new(Some(Box::new(steps))),
            };
            self.write(&trace, sink)
        })
    }

    /// The number of nodes of stacks and buffer to show.
    fn shown(&self, sentence: &Sentence) -> usize {
        let n_tokens = sentence.n_tokens();
        match self.nodes {
            Some(nodes) => nodes,
            None if !self.json => SHOWN,
            None => {
                if n_tokens >= LONG {
                    output::note(&format!(
                        "a sentence has {n_tokens} tokens, which are all printed at every step; --nodes 100 prints fewer"
                    ));
                }
                usize::MAX
            }
        }
    }

    /// Visits the selected sentences; returns the number of all sentences.
    fn for_each(
        &self,
        reader: &mut Sentences,
        mut show: impl FnMut(usize, &Sentence) -> anyhow::Result<()>,
    ) -> anyhow::Result<usize> {
        let mut sentence = reader.sentence();
        let mut number = 0;
        while reader.read(&mut sentence)? {
            if sentence.n_tokens() == 0 {
                continue;
            }
            number += 1;
            if self.sentence.is_none_or(|wanted| wanted == number) {
                show(number, &sentence)?;
            }
        }
        Ok(number)
    }

    fn write(&self, trace: &NamedTrace<'_>, sink: &mut Sink) -> anyhow::Result<()> {
        if self.json {
            serde_json::to_writer(&mut *sink, trace).map_err(std::io::Error::from)?;
            sink.write_all(b"\n")?;
        } else {
            sink.write_all(Table { trace }.text().as_bytes())?;
        }
        Ok(())
    }
}

/// A trace as a table.
struct Table<'t, 'a> {
    trace: &'t NamedTrace<'a>,
}

impl Table<'_, '_> {
    fn word(&self, node: Node) -> &str {
        if node.is_root() { "ROOT" } else { self.trace.sentence.form(node) }
    }

    /// One row per step: the transition, the stacks and the buffer after it, the added arc.
    fn text(&self) -> String {
        let NamedTrace { sentence, names, start, derived, .. } = self.trace;
        let kinds = names.system.kinds();
        let two = kinds.contains(Kind::Switch) || kinds.contains(Kind::NoArc);
        let mut rows = vec![self.row("", start, two, String::new())];
        let ParseEnding { derivation, tree } = self.trace.make(&mut |step| {
            let name = names.transition(&step.step);
            let name = if step.step.forced { format!("({name})") } else { name };
            let line = if step.step.transition.kind == Kind::Arc { "—" } else { "→" };
            let arc = step.arc.map_or_else(String::new, |arc| self.arc(arc, line));
            rows.push(self.row(&name, &step.after, two, arc));
        });
        let rows = output::all_visible(&rows);
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        let words: Vec<&str> = sentence.tokens().map(|node| sentence.form(node)).collect();
        let mut text = format!("# {}\n", words.join(" "));
        for row in rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.extend([cell.as_str(), &" ".repeat(width - cell.chars().count() + 2)]);
            }
            text.extend([line.trim_end(), "\n"]);
        }
        if kinds.contains(Kind::Arc) {
            text.push_str("directions:\n");
        } else if !derivation.finish.is_empty() {
            text.push_str("attached at the end:\n");
        }
        for arc in &derivation.finish {
            text.extend(["  ", &self.arc(*arc, "→"), "\n"]);
        }
        let built = &derivation.tree;
        let is_new =
            |arc: &Arc| (arc.head, arc.label) != (built.head(arc.dependent), built.label(arc.dependent));
        for (place, arc) in tree.arcs().filter(is_new).enumerate() {
            if place == 0 {
                text.push_str("marks undone:\n");
            }
            text.extend(["  ", &self.arc(arc, "→"), "\n"]);
        }
        if *derived == Some(false) {
            text.push_str("! the system cannot derive this tree\n");
        }
        text + "\n"
    }

    fn arc(&self, arc: Arc, line: &str) -> String {
        let label = self.trace.names.label(arc.label);
        format!("{} {line} {} {label}", self.word(arc.head), self.word(arc.dependent))
    }

    fn row(&self, transition: &str, moment: &Snapshot, two: bool, arc: String) -> Vec<String> {
        let words =
            |nodes: &[Node]| nodes.iter().map(|node| self.word(*node)).collect::<Vec<&str>>().join(" ");
        let ending = |nodes: &[Node], left_out: usize| {
            format!("[{}{}]", if left_out > 0 { "… " } else { "" }, words(nodes))
        };
        let beginning = |nodes: &[Node], left_out: usize| {
            format!("[{}{}]", words(nodes), if left_out > 0 { " …" } else { "" })
        };
        let is_list = self.trace.names.system.kinds().contains(Kind::NoArc);
        let [stack, second, buffer] = moment.left_out;
        let mut row = vec![transition.to_owned(), ending(&moment.stack, stack)];
        if two {
            row.push(if is_list {
                beginning(&moment.second, second)
            } else {
                ending(&moment.second, second)
            });
        }
        row.push(beginning(&moment.buffer, buffer));
        row.push(arc);
        row
    }
}
