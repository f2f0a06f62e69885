//! The [`Parser`], shared and immutable, and the [`Worker`] that each thread has for itself.

use quaich_features::Tokens;
use quaich_transform::Inverse;
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::run;
use quaich_transition::systems::{ArcEager, ArcHybrid, System};
use quaich_transition::trace::trace;
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Role, Sentence, Tree};

use crate::calibration::Calibration;
use crate::engine::{Engine, MixedScratch};
use crate::linear::LinearScratch;
use crate::model::{Model, ModelGuide};
use crate::model_file::Description;
use crate::network_engine::NetworkScratch;
use crate::trace::{Opinion, Outspoken, ParseTrace, gold_tree};

/// A trained parser.
#[derive(Debug)]
pub struct Parser {
    pub(crate) description: Description,
    pub(crate) system: Box<dyn System>,
    pub(crate) engine: Engine,
    pub(crate) labels: FrozenSymbols<Label>,
    pub(crate) inverse: Option<Box<dyn Inverse>>,
}

/// Everything one thread needs to parse; reused from sentence to sentence.
#[derive(Debug, Default)]
pub struct Worker {
    configuration: Configuration,
    tokens: Tokens,
    scratches: Scratches,
    margins: Vec<(f32, f32)>,
    inverse_scratch: quaich_transform::Scratch,
    tree: Tree,
}

/// The scratch space of each kind of model; only that of the parser's own is ever filled.
#[derive(Debug, Default)]
struct Scratches {
    linear: LinearScratch,
    network: NetworkScratch,
    mixed: MixedScratch,
}

/// What is to be kept of a parse besides its tree.
enum Watch<'a> {
    Nothing,
    Margins,
    Steps { gold: Option<&'a Tree>, steps: &'a mut ParseTrace },
}

impl Parser {
    /// What is known of the parser: its data, settings and scores.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The labels it knows.
    pub fn labels(&self) -> &FrozenSymbols<Label> {
        &self.labels
    }

    /// The transition system.
    pub fn system(&self) -> &dyn System {
        &*self.system
    }

    /// Parses a sentence. Whatever the sentence, the result is a tree; its labels are those of
    /// [`labels`](Self::labels).
    pub fn parse<'w>(&self, sentence: &Sentence, worker: &'w mut Worker) -> &'w Tree {
        self.parse_watched(sentence, worker, Watch::Nothing);
        &worker.tree
    }

    /// Parses a sentence and gives the probability that each token's head and label are right, by
    /// node; entry 0 means nothing.
    pub fn parse_with_scores<'w>(
        &self,
        sentence: &Sentence,
        worker: &'w mut Worker,
        probabilities: &mut Vec<f32>,
    ) -> &'w Tree {
        self.parse_watched(sentence, worker, Watch::Margins);
        probabilities.clear();
        let calibration = self.description.calibration;
        probabilities.extend(worker.margins.iter().map(|&margins| calibration.probability(margins)));
        &worker.tree
    }

    /// Parses a sentence and tells how, with what the model thought. Where the sentence comes with a tree, dynamic
    /// oracles are asked about it.
    pub fn trace(&self, sentence: &Sentence, worker: &mut Worker) -> ParseTrace {
        let gold = gold_tree(&self.description.plan, sentence);
        let mut steps = ParseTrace::default();
        self.parse_watched(sentence, worker, Watch::Steps { gold: gold.as_ref(), steps: &mut steps });
        steps.tree.clone_from(&worker.tree);
        steps
    }

    fn parse_watched(&self, sentence: &Sentence, worker: &mut Worker, watch: Watch<'_>) {
        match &self.engine {
            Engine::Linear(model) => worker.run_any(model, &*self.system, sentence, watch, |w| &mut w.linear),
            Engine::Network(model) => {
                worker.run_any(model, &*self.system, sentence, watch, |w| &mut w.network);
            }
            Engine::Mixed(model) => worker.run_any(model, &*self.system, sentence, watch, |w| &mut w.mixed),
        }
        worker.configuration.write_tree(&mut worker.tree);
        if let Some(inverse) = &self.inverse {
            inverse.invert(sentence, &mut worker.tree, &mut worker.inverse_scratch);
        }
    }

    /// Parses a sentence and appends its text with the new heads and labels to `out`; with
    /// `scores`, also the probability of each in the column for anything else, if there is one.
    pub fn parse_text(&self, sentence: &Sentence, worker: &mut Worker, scores: bool, out: &mut Vec<u8>) {
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
        self.parse_watched(sentence, worker, if scores { Watch::Margins } else { Watch::Nothing });
        let calibration = self.description.calibration;
        sentence.write_replacing(out, &columns[..n_columns], |token, column, out| match role_of(column) {
            Role::Head => write_number(worker.tree.head(token).0, out),
            Role::Label => {
                let label = worker.tree.label(token);
                out.extend_from_slice(if label.is_none() {
                    b"_"
                } else {
                    self.labels.text(label).as_bytes()
                });
            }
            _ => {
                let misc = sentence.cell(token, column);
                if misc != "_" {
                    out.extend_from_slice(misc.as_bytes());
                    out.push(b'|');
                }
                let probability = calibration.probability(worker.margins[token.index()]);
                out.extend_from_slice(format!("Score={probability:.4}").as_bytes());
            }
        });
    }
}

impl Worker {
    /// The common systems get loops of their own; the others go through the table of methods.
    fn run_any<M: Model>(
        &mut self,
        model: &M,
        system: &dyn System,
        sentence: &Sentence,
        watch: Watch<'_>,
        scratch: impl Fn(&mut Scratches) -> &mut M::Scratch,
    ) {
        self.tokens.read(sentence);
        self.margins.clear();
        let note = matches!(watch, Watch::Margins);
        if note {
            self.margins.resize(sentence.n_tokens() + 1, Calibration::UNDISPUTED);
        }
        let scratch = scratch(&mut self.scratches);
        let margins = note.then_some(&mut self.margins[..]);
        let (tokens, c, n) = (&self.tokens, &mut self.configuration, sentence.n_tokens());
        if let Watch::Steps { gold, steps } = watch {
            let guide = ModelGuide { model, system, tokens, scratch, margins };
            let mut asked = Vec::new();
            steps.derivation = trace(system, Outspoken::new(guide, &mut asked), n, gold, c);
            let mut asked = asked.into_iter();
            for step in &mut steps.derivation.steps {
                let opinion =
                    if step.step.forced { Opinion::default() } else { asked.next().unwrap_or_default() };
                (step.scores, step.label_margin) = (Some(opinion.leads), opinion.label_margin);
            }
            return;
        }
        let any: &dyn std::any::Any = system;
        if let Some(system) = any.downcast_ref::<ArcEager>() {
            run(system, &mut ModelGuide { model, system, tokens, scratch, margins }, &mut (), n, c);
        } else if let Some(system) = any.downcast_ref::<ArcHybrid>() {
            run(system, &mut ModelGuide { model, system, tokens, scratch, margins }, &mut (), n, c);
        } else {
            run(system, &mut ModelGuide { model, system, tokens, scratch, margins }, &mut (), n, c);
        }
    }
}

/// Parses with any model and system; for training, which has no [`Parser`] yet.
pub(crate) fn parse_with<M: Model, S: System + ?Sized>(
    model: &M,
    system: &S,
    sentence: &Sentence,
    tokens: &mut Tokens,
    scratch: &mut M::Scratch,
    configuration: &mut Configuration,
    margins: &mut Vec<(f32, f32)>,
) {
    tokens.read(sentence);
    margins.clear();
    margins.resize(sentence.n_tokens() + 1, Calibration::UNDISPUTED);
    let mut guide = ModelGuide { model, system, tokens, scratch, margins: Some(&mut margins[..]) };
    run(system, &mut guide, &mut (), sentence.n_tokens(), configuration);
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
