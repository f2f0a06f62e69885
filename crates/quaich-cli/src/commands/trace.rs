//! `quaich trace`: derivations step by step, as in the papers' figures or as JSON.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use quaich_parser::Parser;
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::modifiers::mirror;
use quaich_transition::oracle::{StaticOracle, derive};
use quaich_transition::systems::System;
use quaich_transition::trace::{Snapshot, Trace as Derivation, TraceStep, trace};
use quaich_transition::transition::{Kind, KindSet};
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::tree::{Arc, Node, Tree};
use quaich_treebank::{Reader, Sentence, Sink};
use serde::Serialize;

use super::oracle::{SystemChoice, transition_name};
use super::{Reading, open};
use crate::output;

/// Shows derivations step by step: transition, stacks, buffer, added arc
///
/// The static oracle decides; or a model, as it parses, with its own system. If the model's trees are transformed,
/// labels have marks here, and what undoing them changes is shown at the end. With --json there is one object a sentence
/// and line, with full stacks and buffers, what was permissible, what a dynamic oracle would allow if the heads are
/// known, and the model's scores.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich trace --system swap-lazy english.conllu --sentence 3
  quaich trace -m english.quaich tagged.conllu")]
#[command(mut_arg("system", |system| system.required_unless_present("model")))]
pub(crate) struct Trace {
    /// The treebank; standard input if none
    #[arg(default_value = "-")]
    input: PathBuf,

    #[command(flatten)]
    choice: SystemChoice,

    /// A model that decides; its system is used
    #[arg(long, short, value_name = "MODEL", conflicts_with_all = ["malt", "root", "single_root"])]
    model: Option<PathBuf>,

    /// Only this sentence, counted from 1
    #[arg(long, value_name = "N")]
    sentence: Option<usize>,

    /// One JSON object a sentence
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: Reading,
}

/// How many nodes of a stack or buffer are shown.
const SHOWN: usize = 6;

impl Trace {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let parser = self.model.as_deref().map(|model| self.load(model)).transpose()?;
        let mut reader = open(&self.input, &self.reading.options()?)?;
        let mut sink = Sink::create(None)?;
        let number = match &parser {
            Some(parser) => self.trace_parser(parser, &mut reader, &mut sink)?,
            None => self.trace_oracle(&mut reader, &mut sink)?,
        };
        if let Some(wanted) = self.sentence.filter(|wanted| !(1..=number).contains(wanted)) {
            bail!("{}: there is no sentence {wanted}, only {number}", reader.file());
        }
        sink.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// The model, if its system is not another than the one that was asked for.
    fn load(&self, model: &Path) -> anyhow::Result<Parser> {
        let parser = Parser::load(model)?;
        let system = &parser.plan().system;
        match self.choice.named() {
            Some(named) if named.to_string() != system.to_string() => {
                bail!("{}: the model's system is {system}, not {named}; leave --system out", model.display())
            }
            _ => Ok(parser),
        }
    }

    /// Shows what the static oracle does; returns how many sentences there were.
    fn trace_oracle(&self, reader: &mut Reader, sink: &mut Sink) -> anyhow::Result<usize> {
        let system = self.choice.build()?;
        let mut labels = Symbols::<Label>::new();
        let (mut gold, mut c) = (Gold::new(), Configuration::new());
        self.for_each(reader, |number, sentence| {
            let mut tree = sentence.tree(&mut labels);
            if !tree.is_well_formed() {
                output::note(&format!("sentence {number}: the heads make no tree; see `quaich validate`"));
                return Ok(());
            }
            if self.choice.is_right_to_left() {
                tree = mirror(&tree);
            }
            let oracle = StaticOracle::new(&*system, &tree, &mut gold);
            let mut derivation = trace(&*system, oracle, tree.n_tokens(), Some(&tree), &mut c);
            if self.choice.is_right_to_left() {
                derivation.mirror();
            }
            let view = View {
                number,
                sentence,
                text_of: &|label| labels.text(label),
                system: &*system,
                name: self.choice.name(),
                is_malt: self.choice.is_malt(),
                derivation: &derivation,
                tree: &derivation.tree,
                derived: Some(derive(&*system, &tree, &mut gold, &mut c).exact),
                transform: None,
            };
            self.write(&view, sink)
        })
    }

    /// Shows what a parser does; returns how many sentences there were.
    fn trace_parser(&self, parser: &Parser, reader: &mut Reader, sink: &mut Sink) -> anyhow::Result<usize> {
        let spec = &parser.plan().system;
        let transform = parser.plan().transform.as_str();
        let mut worker = parser.worker();
        self.for_each(reader, |number, sentence| {
            let parse = worker.trace(sentence);
            let view = View {
                number,
                sentence,
                text_of: &|label| parser.labels().text(label),
                system: parser.system(),
                name: spec.to_string(),
                is_malt: spec.is_malt(),
                derivation: &parse.derivation,
                tree: &parse.tree,
                derived: None,
                transform: Some(transform),
            };
            self.write(&view, sink)
        })
    }

    /// Goes through the sentences that are wanted; returns how many there were in all.
    fn for_each(
        &self,
        reader: &mut Reader,
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

    fn write(&self, view: &View<'_>, sink: &mut Sink) -> anyhow::Result<()> {
        let text = if self.json { serde_json::to_string(&view.json())? + "\n" } else { view.text() };
        sink.write_all(text.as_bytes())?;
        Ok(())
    }
}

/// A derivation with all that is needed to show it.
struct View<'a> {
    number: usize,
    sentence: &'a Sentence,
    text_of: &'a dyn Fn(Label) -> &'a str,
    system: &'a dyn System,
    name: String,
    is_malt: bool,
    derivation: &'a Derivation,
    /// The tree in the end: the derivation's, a transformation undone.
    tree: &'a Tree,
    /// Of an oracle: whether the tree is the one it was to derive.
    derived: Option<bool>,
    /// Of a model: the transformation that its trees have gone through.
    transform: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonTrace<'a> {
    sentence: usize,
    system: &'a str,
    root: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    transform: Option<&'a str>,
    tokens: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<bool>,
    start: &'a Snapshot,
    steps: Vec<JsonStep<'a>>,
    finish: Vec<JsonArc<'a>>,
    heads: Vec<u32>,
    labels: Vec<&'a str>,
}

#[derive(Serialize)]
struct JsonStep<'a> {
    transition: String,
    kind: Kind,
    label: Option<&'a str>,
    forced: bool,
    permissible: KindSet,
    optimal: Option<KindSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label_margin: Option<f32>,
    arc: Option<JsonArc<'a>>,
    #[serde(flatten)]
    after: &'a Snapshot,
}

#[derive(Serialize)]
struct JsonArc<'a> {
    head: u32,
    label: &'a str,
    dependent: u32,
}

/// A score with four digits, without a sign on 0.
fn rounded(score: f32) -> f32 {
    (score * 1e4).round() / 1e4 + 0.0
}

impl View<'_> {
    fn label(&self, label: Label) -> &str {
        if label.is_none() { "_" } else { (self.text_of)(label) }
    }

    fn word(&self, node: Node) -> &str {
        if node.is_root() { "ROOT" } else { self.sentence.form(node) }
    }

    fn json(&self) -> JsonTrace<'_> {
        let Derivation { start, steps, finish, .. } = self.derivation;
        JsonTrace {
            sentence: self.number,
            system: &self.name,
            root: self.system.options().root.name(),
            transform: self.transform,
            tokens: self.sentence.tokens().map(|token| self.sentence.form(token)).collect(),
            derived: self.derived,
            start,
            steps: steps.iter().map(|step| self.json_step(step)).collect(),
            finish: finish.iter().map(|arc| self.json_arc(*arc)).collect(),
            heads: self.sentence.tokens().map(|token| self.tree.head(token).0).collect(),
            labels: self.sentence.tokens().map(|token| self.label(self.tree.label(token))).collect(),
        }
    }

    fn json_step<'a>(&'a self, step: &'a TraceStep) -> JsonStep<'a> {
        let kind = step.step.transition.kind;
        let label = self.system.labelling().plain(step.step.transition.label);
        JsonStep {
            transition: transition_name(&step.step, self.system, self.text_of, self.is_malt),
            kind,
            label: kind.adds_arc().then(|| self.label(label)),
            forced: step.step.forced,
            permissible: step.permissible,
            optimal: step.optimal,
            scores: step.scores.as_ref().map(|scores| scores.iter().copied().map(rounded).collect()),
            label_margin: step.label_margin.map(rounded),
            arc: step.arc.map(|arc| self.json_arc(arc)),
            after: &step.after,
        }
    }

    fn json_arc(&self, arc: Arc) -> JsonArc<'_> {
        JsonArc { head: arc.head.0, label: self.label(arc.label), dependent: arc.dependent.0 }
    }

    /// A row a step: the transition, the stacks and the buffer after it, the arc it adds.
    fn text(&self) -> String {
        let Derivation { start, steps, finish, .. } = self.derivation;
        let kinds = self.system.kinds();
        let two = kinds.contains(Kind::Switch) || kinds.contains(Kind::NoArc);
        let mut rows = vec![self.row("", start, two, String::new())];
        for step in steps {
            let name = transition_name(&step.step, self.system, self.text_of, self.is_malt);
            let name = if step.step.forced { format!("({name})") } else { name };
            let line = if step.step.transition.kind == Kind::Arc { "—" } else { "→" };
            let arc = step.arc.map_or_else(String::new, |arc| self.arc(arc, line));
            rows.push(self.row(&name, &step.after, two, arc));
        }
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = format!("# {}\n", self.words(self.sentence.tokens()));
        for row in rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.extend([cell.as_str(), &" ".repeat(width - cell.chars().count() + 2)]);
            }
            text.extend([line.trim_end(), "\n"]);
        }
        if kinds.contains(Kind::Arc) {
            text.push_str("directions:\n");
        } else if !finish.is_empty() {
            text.push_str("attached at the end:\n");
        }
        for arc in finish {
            text.extend(["  ", &self.arc(*arc, "→"), "\n"]);
        }
        let derived = &self.derivation.tree;
        let is_new =
            |arc: &Arc| (arc.head, arc.label) != (derived.head(arc.dependent), derived.label(arc.dependent));
        let undone = self.tree.arcs().filter(is_new);
        for (place, arc) in undone.enumerate() {
            if place == 0 {
                text.push_str("marks undone:\n");
            }
            text.extend(["  ", &self.arc(arc, "→"), "\n"]);
        }
        if self.derived == Some(false) {
            text.push_str("! the system cannot derive this tree\n");
        }
        text + "\n"
    }

    fn arc(&self, arc: Arc, line: &str) -> String {
        format!("{} {line} {} {}", self.word(arc.head), self.word(arc.dependent), self.label(arc.label))
    }

    fn words(&self, nodes: impl Iterator<Item = Node>) -> String {
        let words: Vec<&str> = nodes.map(|node| self.sentence.form(node)).collect();
        words.join(" ")
    }

    fn row(&self, transition: &str, moment: &Snapshot, two: bool, arc: String) -> Vec<String> {
        let ending = |nodes: &[Node]| {
            let cut = nodes.len().saturating_sub(SHOWN);
            let words: Vec<&str> = nodes[cut..].iter().map(|node| self.word(*node)).collect();
            format!("[{}{}]", if cut > 0 { "… " } else { "" }, words.join(" "))
        };
        let beginning = |nodes: &[Node]| {
            let words: Vec<&str> = nodes.iter().take(SHOWN).map(|node| self.word(*node)).collect();
            format!("[{}{}]", words.join(" "), if nodes.len() > SHOWN { " …" } else { "" })
        };
        let is_list = self.system.kinds().contains(Kind::NoArc);
        let mut row = vec![transition.to_owned(), ending(&moment.stack)];
        if two {
            row.push(if is_list { beginning(&moment.second) } else { ending(&moment.second) });
        }
        row.push(beginning(&moment.buffer));
        row.push(arc);
        row
    }
}
