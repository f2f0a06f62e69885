//! The [`Parser`], shared and immutable, and the [`Worker`] that each thread gets from it.

use quaich_features::{ColumnName, Order, TokenValues};
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::System;
use quaich_transition::trace::{Ending, Snapshot, Trace, TraceStep};
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Role, Sentence, Tree};

use crate::calibration::Evidence;
use crate::decider::{DeciderWorker, Steps, Watch};
use crate::member::Member;
use crate::model_file::Description;
use crate::plan::Plan;
use crate::trace::{ParseEnding, ParseTrace, gold_tree};

/// A trained parser.
#[derive(Debug)]
pub struct Parser {
    pub(crate) description: Description,
    pub(crate) member: Member,
}

/// Everything one thread needs to parse; reused from sentence to sentence. It belongs to the parser that it
/// comes from.
///
/// ```no_run
/// use std::sync::Arc;
/// use quaich_treebank::{Sentence, formats::FORMATS};
///
/// let parser = quaich_parser::Parser::load("english.quaich".as_ref())?;
/// let mut worker = parser.worker();
/// let sentence = Sentence::from_words(&Arc::new(FORMATS[0].layout()), ["It", "works"])?;
/// let tree = worker.parse(&sentence);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    decider: Box<dyn DeciderWorker + 'p>,
    configuration: Configuration,
    /// By node, in the order of reading while it is parsed, and of the sentence afterwards.
    evidence: Vec<Evidence>,
    inverse_scratch: quaich_transform::Scratch,
    tree: Tree,
}

impl Parser {
    pub(crate) fn new(description: Description, member: Member) -> Self {
        Self { description, member }
    }

    /// What is known of the parser: its data, settings and scores.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What the treebank decided.
    pub fn plan(&self) -> &Plan {
        &self.member.plan
    }

    /// The labels it knows.
    pub fn labels(&self) -> &FrozenSymbols<Label> {
        &self.member.labels
    }

    /// The transition system.
    pub fn system(&self) -> &dyn System {
        &*self.member.system
    }

    /// What it looks at in a token.
    pub fn token_values(&self) -> &TokenValues {
        self.member.decider.token_values()
    }

    /// The columns that it looks at.
    pub fn columns(&self) -> Vec<&ColumnName> {
        self.member.decider.columns()
    }

    /// What a thread needs to parse.
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            parser: self,
            decider: self.member.decider.worker(self.member.way()),
            configuration: Configuration::new(),
            evidence: Vec::new(),
            inverse_scratch: quaich_transform::Scratch::default(),
            tree: Tree::default(),
        }
    }
}

/// What a score is called among other things.
const SCORE: &str = "Score=";

impl Worker<'_> {
    /// Parses a sentence. Whatever the sentence, the result is a tree; its labels are those of
    /// [`Parser::labels`].
    pub fn parse(&mut self, sentence: &Sentence) -> &Tree {
        self.decider.parse(sentence, &mut self.configuration, Watch::Nothing);
        self.finish(sentence);
        &self.tree
    }

    /// Parses a sentence and gives the probability that each token's head and label are right, by
    /// node; entry 0 means nothing.
    pub fn parse_with_scores(&mut self, sentence: &Sentence, probabilities: &mut Vec<f32>) -> &Tree {
        self.parse_with_evidence(sentence);
        probabilities.clear();
        let calibration = self.parser.member.calibration;
        probabilities.extend(self.evidence.iter().map(|&evidence| calibration.probability(evidence)));
        &self.tree
    }

    /// Parses a sentence and tells how, with what the model thought. Where the sentence comes with a tree, dynamic
    /// oracles are asked about it.
    pub fn trace(&mut self, sentence: &Sentence) -> ParseTrace {
        let start = self.trace_start(sentence, usize::MAX);
        let mut steps = Vec::new();
        let ParseEnding { derivation, tree } =
            self.trace_steps(sentence, usize::MAX, &mut |step| steps.push(step));
        let Ending { finish, tree: derived } = derivation;
        ParseTrace { derivation: Trace { start, steps, finish, tree: derived }, tree }
    }

    /// The configuration that the parse of a sentence starts from, with as many nodes as are to be shown.
    pub fn trace_start(&mut self, sentence: &Sentence, shown: usize) -> Snapshot {
        let (member, n_tokens) = (&self.parser.member, sentence.n_tokens());
        let mut start = Snapshot::start(&*member.system, n_tokens, &mut self.configuration, shown);
        if member.order() == Order::RightToLeft {
            start.mirror(n_tokens);
        }
        start
    }

    /// Parses a sentence as [`trace`](Self::trace) does, and gives out every step as it is made, with as many nodes of
    /// stacks and buffer as are to be shown: a trace of a long sentence is better not kept.
    pub fn trace_steps(
        &mut self,
        sentence: &Sentence,
        shown: usize,
        visit: &mut dyn FnMut(TraceStep),
    ) -> ParseEnding {
        let gold = gold_tree(self.parser.plan(), sentence);
        let reversed = self.parser.member.order() == Order::RightToLeft;
        let mut derivation = Ending::default();
        let mut visit = |mut step: TraceStep| {
            if reversed {
                step.mirror(sentence.n_tokens());
            }
            visit(step);
        };
        let watch = Steps { gold: gold.as_ref(), shown, visit: &mut visit, ending: &mut derivation };
        self.decider.parse(sentence, &mut self.configuration, Watch::Steps(watch));
        if reversed {
            derivation.mirror();
        }
        self.finish(sentence);
        ParseEnding { derivation, tree: self.tree.clone() }
    }

    /// Parses a sentence and appends its text with the new heads and labels to `out`; with
    /// `scores`, also the probability of each in the column for anything else, if there is one.
    pub fn parse_text(&mut self, sentence: &Sentence, scores: bool, out: &mut Vec<u8>) {
        let layout = sentence.layout();
        let role_of = |column: usize| layout.columns()[column].role;
        let wanted =
            if scores { &[Role::Head, Role::Label, Role::Misc][..] } else { &[Role::Head, Role::Label] };
        let mut columns = [0; 3];
        let mut n_columns = 0;
        for column in wanted.iter().filter_map(|&role| layout.position(role)) {
            columns[n_columns] = column;
            n_columns += 1;
        }
        columns[..n_columns].sort_unstable();
        if scores {
            self.parse_with_evidence(sentence);
        } else {
            self.parse(sentence);
        }
        let Member { labels, calibration, .. } = &self.parser.member;
        sentence.write_replacing(out, &columns[..n_columns], |token, column, out| match role_of(column) {
            Role::Head => write_number(self.tree.head(token).0, out),
            Role::Label => {
                let label = self.tree.label(token);
                out.extend_from_slice(if label.is_none() { b"_" } else { labels.text(label).as_bytes() });
            }
            _ => {
                // A score that is there already gives way to the new one.
                let is_kept = |part: &&str| !part.starts_with(SCORE);
                for part in
                    sentence.cell(token, column).split('|').filter(|part| *part != "_").filter(is_kept)
                {
                    out.extend_from_slice(part.as_bytes());
                    out.push(b'|');
                }
                let probability = calibration.probability(self.evidence[token.index()]);
                out.extend_from_slice(format!("{SCORE}{probability:.4}").as_bytes());
            }
        });
    }

    fn parse_with_evidence(&mut self, sentence: &Sentence) {
        self.decider.parse(sentence, &mut self.configuration, Watch::Evidence(&mut self.evidence));
        if self.parser.member.order() == Order::RightToLeft {
            self.evidence[1..].reverse();
        }
        self.finish(sentence);
    }

    /// The tree of the configuration, in the order of the sentence, its transformation undone.
    fn finish(&mut self, sentence: &Sentence) {
        let Member { plan, inverse, .. } = &self.parser.member;
        self.configuration.write_tree(&mut self.tree);
        if plan.order() == Order::RightToLeft {
            self.tree = plan.in_reading_order(std::mem::take(&mut self.tree));
        }
        if let Some(inverse) = inverse {
            inverse.invert(sentence, &mut self.tree, &mut self.inverse_scratch);
        }
    }
}

/// Appends a number in decimal.
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + u8::try_from(number % 10).expect("a digit");
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}
