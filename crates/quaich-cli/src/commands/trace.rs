//! `quaich trace`: derivations step by step, as in the papers' figures or as JSON.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use quaich_parser::trace::Opinion;
use quaich_parser::{Parser, Worker};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::modifiers::{mirror, mirrored};
use quaich_transition::oracle::{StaticOracle, derive};
use quaich_transition::spec::SystemSpec;
use quaich_transition::systems::System;
use quaich_transition::trace::{Snapshot, Trace as Derivation, trace};
use quaich_transition::transition::{Kind, KindSet};
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::tree::{Arc, Node, Tree};
use quaich_treebank::{Reader, Sentence, Sink};
use serde::Serialize;

use super::Reading;
use super::oracle::{SystemChoice, transition_name};
use crate::output;

/// Shows derivations step by step: transition, stacks, buffer, added arc
///
/// The static oracle decides; or a model, as it parses, with its own system. If the model's trees are transformed,
/// labels have marks here, and what undoing them changes is shown at the end. With --json there is one object a sentence
/// and line, with full stacks and buffers, what was permissible, what a dynamic oracle would allow if the heads are
/// known, and the model's scores.
#[derive(Args)]
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
        let mut reader = Reader::open(&self.input, &self.reading.options()?)?;
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
        let system = spec(&parser)?;
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
            let derivation = trace(&*system, oracle, tree.n_tokens(), Some(&tree), &mut c);
            let view = View {
                number,
                sentence,
                text_of: &|label| labels.text(label),
                system: &*system,
                name: self.choice.name(),
                is_malt: self.choice.is_malt(),
                is_right_to_left: self.choice.is_right_to_left(),
                derivation: &derivation,
                tree: &derivation.tree,
                derived: Some(derive(&*system, &tree, &mut gold, &mut c).exact),
                opinions: None,
                transform: None,
            };
            self.write(&view, sink)
        })
    }

    /// Shows what a parser does; returns how many sentences there were.
    fn trace_parser(&self, parser: &Parser, reader: &mut Reader, sink: &mut Sink) -> anyhow::Result<usize> {
        let spec = spec(parser)?;
        let transform = parser.description().plan.transform.as_str();
        let mut worker = Worker::default();
        self.for_each(reader, |number, sentence| {
            let parse = parser.trace(sentence, &mut worker);
            let view = View {
                number,
                sentence,
                text_of: &|label| parser.labels().text(label),
                system: parser.system(),
                name: spec.to_string(),
                is_malt: spec.is_malt(),
                is_right_to_left: spec.is_right_to_left(),
                derivation: &parse.derivation,
                tree: &parse.tree,
                derived: None,
                opinions: Some(&parse.opinions),
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

/// The system of a parser.
fn spec(parser: &Parser) -> anyhow::Result<SystemSpec> {
    Ok(parser.description().plan.system.parse()?)
}

/// A derivation with all that is needed to show it.
struct View<'a> {
    number: usize,
    sentence: &'a Sentence,
    text_of: &'a dyn Fn(Label) -> &'a str,
    system: &'a dyn System,
    name: String,
    is_malt: bool,
    is_right_to_left: bool,
    derivation: &'a Derivation,
    /// The tree in the end: the derivation's, a transformation undone.
    tree: &'a Tree,
    /// Of an oracle: whether the tree is the one it was to derive.
    derived: Option<bool>,
    /// Of a model: what it thought of each step.
    opinions: Option<&'a [Opinion]>,
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
    start: JsonMoment,
    steps: Vec<JsonStep<'a>>,
    finish: Vec<JsonArc<'a>>,
    heads: Vec<u32>,
    labels: Vec<&'a str>,
}

#[derive(Serialize)]
struct JsonMoment {
    stack: Vec<u32>,
    second: Vec<u32>,
    buffer: Vec<u32>,
    active_plane: u8,
}

#[derive(Serialize)]
struct JsonStep<'a> {
    transition: String,
    kind: &'static str,
    label: Option<&'a str>,
    forced: bool,
    permissible: Vec<&'static str>,
    optimal: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label_margin: Option<f32>,
    arc: Option<JsonArc<'a>>,
    #[serde(flatten)]
    after: JsonMoment,
}

#[derive(Serialize)]
struct JsonArc<'a> {
    head: u32,
    label: &'a str,
    dependent: u32,
}

fn names(kinds: KindSet) -> Vec<&'static str> {
    kinds.iter().map(Kind::name).collect()
}

/// A score with four digits, without a sign on 0.
fn rounded(score: f32) -> f32 {
    (score * 1e4).round() / 1e4 + 0.0
}

impl View<'_> {
    /// The node of the sentence as it was read.
    fn node(&self, node: Node) -> Node {
        if self.is_right_to_left { mirrored(node, self.sentence.n_tokens()) } else { node }
    }

    fn label(&self, label: Label) -> &str {
        if label.is_none() { "_" } else { (self.text_of)(label) }
    }

    fn word(&self, node: Node) -> &str {
        if node.is_root() { "ROOT" } else { self.sentence.form(self.node(node)) }
    }

    fn json(&self) -> JsonTrace<'_> {
        let Derivation { start, steps, finish, .. } = self.derivation;
        let (tree, token) = (self.tree, |token: Node| self.node(token));
        let steps = steps.iter().enumerate().map(|(place, step)| {
            let opinion = self.opinions.map(|opinions| &opinions[place]);
            let kind = step.step.transition.kind;
            let label = self.system.labelling().plain(step.step.transition.label);
            JsonStep {
                transition: transition_name(&step.step, self.system, self.text_of, self.is_malt),
                kind: kind.name(),
                label: kind.adds_arc().then(|| self.label(label)),
                forced: step.step.forced,
                permissible: names(step.permissible),
                optimal: step.optimal.map(names),
                scores: opinion.map(|opinion| opinion.leads.iter().copied().map(rounded).collect()),
                label_margin: opinion.and_then(|opinion| opinion.label_margin).map(rounded),
                arc: step.arc.map(|arc| self.json_arc(arc)),
                after: self.json_moment(&step.after),
            }
        });
        JsonTrace {
            sentence: self.number,
            system: &self.name,
            root: self.system.options().root.name(),
            transform: self.transform,
            tokens: self.sentence.tokens().map(|token| self.sentence.form(token)).collect(),
            derived: self.derived,
            start: self.json_moment(start),
            steps: steps.collect(),
            finish: finish.iter().map(|arc| self.json_arc(*arc)).collect(),
            heads: self.sentence.tokens().map(|t| self.node(tree.head(token(t))).0).collect(),
            labels: self.sentence.tokens().map(|t| self.label(tree.label(token(t)))).collect(),
        }
    }

    fn json_arc(&self, arc: Arc) -> JsonArc<'_> {
        let (head, dependent) = (self.node(arc.head).0, self.node(arc.dependent).0);
        JsonArc { head, label: self.label(arc.label), dependent }
    }

    fn json_moment(&self, moment: &Snapshot) -> JsonMoment {
        let nodes = |nodes: &[Node]| nodes.iter().map(|node| self.node(*node).0).collect();
        JsonMoment {
            stack: nodes(&moment.stack),
            second: nodes(&moment.second),
            buffer: nodes(&moment.buffer),
            active_plane: moment.active_plane,
        }
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
