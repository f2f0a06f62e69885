//! Training states as symbolic instances, with values numbered by first occurrence, for classifiers here and in other programs.

use quaich_features::{Alphabet, Focus, Order, SymbolicProgram, SymbolicScratch, SymbolicTokens, Template};
use quaich_transition::configuration::Configuration;
use quaich_treebank::Sentence;

use super::model::{QuestionClassifiers, offsets};
use super::split::{Parts, Split};
use crate::collect::Recorder;
use crate::scorer::{Input, State};

/// An instance: a question in a state, with its class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance<'a> {
    /// The correct class.
    pub(crate) class: u32,
    /// Positions and values.
    pub(crate) values: &'a [(u16, u32)],
    /// The value that splits the data.
    pub(crate) part: Option<u32>,
}

/// Templates with the values seen so far.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) program: SymbolicProgram,
    pub(crate) alphabet: Alphabet,
    tokens: SymbolicTokens,
}

impl Seen {
    fn new(templates: &[Template]) -> Self {
        let program = SymbolicProgram::compile(templates);
        Self { alphabet: program.alphabet(), program, tokens: SymbolicTokens::default() }
    }

    fn read(&mut self, sentence: &Sentence, order: Order) {
        self.tokens.read(sentence, &self.program, order, &mut self.alphabet);
    }

    fn run(&mut self, c: &Configuration, focus: Focus, scratch: &mut SymbolicScratch) {
        self.program.run(c, &self.tokens, focus, &mut self.alphabet, scratch);
    }
}

/// Stored instances.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Positions and values of all instances.
    values: Vec<(u16, u32)>,
    /// The class, the part and the end of the values of each instance.
    instances: Vec<(u32, Option<u32>, usize)>,
}

impl Kept {
    pub(crate) fn push(&mut self, Instance { class, values, part }: Instance<'_>) {
        self.values.extend_from_slice(values);
        self.instances.push((class, part, self.values.len()));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Instance<'_>> {
        let mut start = 0;
        self.instances.iter().map(move |&(class, part, end)| {
            let values = &self.values[std::mem::replace(&mut start, end)..end];
            Instance { class, values, part }
        })
    }
}

/// The states of one question.
#[derive(Debug)]
pub(crate) struct States {
    pub(crate) seen: Seen,
    /// The value that splits the data.
    pub(crate) split: Option<Seen>,
    pub(crate) kept: Kept,
}

impl States {
    /// No states yet, for these templates and an optional split.
    pub(crate) fn new(templates: &[Template], split: Option<&Template>) -> Self {
        let split = split.map(|template| Seen::new(std::slice::from_ref(template)));
        Self { seen: Seen::new(templates), split, kept: Kept::default() }
    }

    /// Freezes the alphabets; returns the question without its classifiers, and the stored instances.
    pub(crate) fn freeze(self, parts: Parts) -> (QuestionClassifiers, Kept) {
        let Self { seen: Seen { program, alphabet, .. }, split, kept } = self;
        let alphabet = alphabet.freeze();
        let split = split.map(|Seen { program, alphabet, .. }| {
            let alphabet = alphabet.freeze();
            Split { program, alphabet, parts }
        });
        let offsets = offsets(&program, &alphabet);
        (QuestionClassifiers { program, alphabet, offsets, split, classifiers: Vec::new() }, kept)
    }
}

/// Calls `take` with every instance.
#[derive(Debug)]
pub(crate) struct SymbolicRecorder<'a, T> {
    states: &'a mut [States],
    take: T,
    scratch: SymbolicScratch,
}

impl<'a, T: FnMut(usize, &mut States, Instance<'_>)> SymbolicRecorder<'a, T> {
    pub(crate) fn new(states: &'a mut [States], take: T) -> Self {
        Self { states, take, scratch: SymbolicScratch::default() }
    }
}

impl<T: FnMut(usize, &mut States, Instance<'_>)> Recorder for SymbolicRecorder<'_, T> {
    fn read(&mut self, Input { sentence, order, .. }: Input<'_>) {
        for seen in
            self.states.iter_mut().flat_map(|states| [&mut states.seen].into_iter().chain(&mut states.split))
        {
            seen.read(sentence, order);
        }
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, right: &[u32]) {
        let Self { states, take, scratch } = self;
        let states = &mut states[question];
        let mut part = None;
        if let Some(split) = &mut states.split {
            split.run(c, focus, scratch);
            part = scratch.values.first().map(|&(_, value)| value);
        }
        states.seen.run(c, focus, scratch);
        // The static oracle has one correct class.
        take(question, states, Instance { class: right[0], values: &scratch.values, part });
    }
}
