//! The [`Parser`], shared and immutable, and the [`Worker`] that each thread gets from it. A parser has one member, or several
//! that vote.

use quaich_features::{ColumnName, TokenValues};
use quaich_transition::systems::System;
use quaich_transition::trace::{Ending, Snapshot, Trace, TraceStep};
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Role, Sentence, Tree};

use crate::blend::{Blend, BlendWorker};
use crate::distillation::HeadShares;
use crate::member::{Member, MemberWorker};
use crate::model_file::Description;
use crate::plan::Plan;
use crate::trace::{ParseEnding, ParseTrace};

/// A trained parser.
#[derive(Debug)]
pub struct Parser {
    pub(crate) description: Description,
    pub(crate) member: Member,
    /// Others that vote with it.
    pub(crate) blend: Option<Blend>,
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
    member: MemberWorker<'p>,
    others: Option<BlendWorker<'p>>,
    probabilities: Vec<f32>,
}

impl Parser {
    pub(crate) fn new(description: Description, member: Member, blend: Option<Blend>) -> Self {
        Self { description, member, blend }
    }

    /// What is known of the parser: its data, settings and scores.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// How many parsers there are in it: several, if it is a blend.
    pub fn n_members(&self) -> usize {
        self.members().count()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        [&self.member].into_iter().chain(self.blend.iter().flat_map(Blend::others))
    }

    /// One of the parsers of a blend by its number, from 1; of a single parser, itself. Nothing if there is no such parser.
    #[must_use]
    pub fn only(self, number: usize) -> Option<Self> {
        let Self { mut description, member, blend } = self;
        let number = number.checked_sub(1)?;
        if let Some(settings) = blend.as_ref().and_then(|blend| blend.description().settings.get(number)) {
            description = Description { settings: settings.clone(), dev: None, ..description };
        }
        let others = blend.into_iter().flat_map(Blend::into_others);
        let member = [member].into_iter().chain(others).nth(number)?;
        Some(Self::new(description, member, None))
    }

    /// What the treebank decided; for the first parser of a blend.
    pub fn plan(&self) -> &Plan {
        &self.member.plan
    }

    /// The labels it knows.
    pub fn labels(&self) -> &FrozenSymbols<Label> {
        self.blend.as_ref().map_or(&self.member.labels, Blend::labels)
    }

    /// The transition system; that of the first parser of a blend.
    pub fn system(&self) -> &dyn System {
        &*self.member.system
    }

    /// What it looks at in a token; the first parser of a blend.
    pub fn token_values(&self) -> &TokenValues {
        self.member.decider.token_values()
    }

    /// The columns that it looks at.
    pub fn columns(&self) -> Vec<&ColumnName> {
        let mut columns = Vec::new();
        for column in self.members().flat_map(|member| member.decider.columns()) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }

    /// What a thread needs to parse.
    pub fn worker(&self) -> Worker<'_> {
        let mut member = MemberWorker::new(&self.member);
        let others = self.blend.as_ref().map(|blend| BlendWorker::new(blend, &mut member));
        Worker { parser: self, member, others, probabilities: Vec::new() }
    }
}

/// What a score is called among other things.
const SCORE: &str = "Score=";

impl Worker<'_> {
    /// Parses a sentence. Whatever the sentence, the result is a tree; its labels are those of
    /// [`Parser::labels`].
    pub fn parse(&mut self, sentence: &Sentence) -> &Tree {
        match &mut self.others {
            None => self.member.parse(sentence),
            Some(others) => others.vote(sentence, &mut self.member),
        }
    }

    /// Parses a sentence and gives the probability that each token's head and label are right, by
    /// node; entry 0 means nothing.
    pub fn parse_with_scores(&mut self, sentence: &Sentence, probabilities: &mut Vec<f32>) -> &Tree {
        match &mut self.others {
            None => self.member.parse_with_scores(sentence, probabilities),
            Some(others) => others.vote_with_scores(sentence, &mut self.member, probabilities),
        }
    }

    /// What parsers of a blend think of the heads of the sentence that was parsed last; nothing where there is one parser.
    pub(crate) fn opinion(&self, n_tokens: usize) -> Option<HeadShares> {
        self.others.as_ref().map(|others| HeadShares::of(others.last_vote(), n_tokens))
    }

    /// Parses a sentence and tells how, with what the model thought; of a blend, how the first parser does it. Where the sentence
    /// comes with a tree, dynamic oracles are asked about it.
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
        self.member.trace_start(sentence, shown)
    }

    /// Parses a sentence as [`trace`](Self::trace) does, and gives out every step as it is made, with as many nodes of
    /// stacks and buffer as are to be shown: a trace of a long sentence is better not kept.
    pub fn trace_steps(
        &mut self,
        sentence: &Sentence,
        shown: usize,
        visit: &mut dyn FnMut(TraceStep),
    ) -> ParseEnding {
        self.member.trace_steps(sentence, shown, visit)
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
        let mut probabilities = std::mem::take(&mut self.probabilities);
        let labels = self.parser.labels();
        let tree =
            if scores { self.parse_with_scores(sentence, &mut probabilities) } else { self.parse(sentence) };
        sentence.write_replacing(out, &columns[..n_columns], |token, column, out| match role_of(column) {
            Role::Head => write_number(tree.head(token).0, out),
            Role::Label => {
                let label = tree.label(token);
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
                let probability = probabilities[token.index()];
                out.extend_from_slice(format!("{SCORE}{probability:.4}").as_bytes());
            }
        });
        self.probabilities = probabilities;
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
