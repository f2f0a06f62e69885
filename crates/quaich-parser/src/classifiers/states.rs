//! States with the values that templates have in them, numbered as they are first seen: what classifiers learn from, here and in
//! other programs.

use quaich_features::{Alphabet, Focus, Order, SymbolicProgram, SymbolicScratch, SymbolicTokens, Template};
use quaich_transition::configuration::Configuration;
use quaich_treebank::Sentence;

use super::model::{QuestionClassifiers, offsets};
use super::split::{Parts, Split};
use crate::collect::Recorder;
use crate::scorer::{Input, State};

/// What is asked about a state, with its answer and what can be seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance<'a> {
    /// The right class.
    pub(crate) class: u32,
    /// Positions and values.
    pub(crate) values: &'a [(u16, u32)],
    /// The value that the data are split by.
    pub(crate) part: Option<u32>,
}

/// Templates with the values that they have had.
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

/// Instances that are kept.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Positions and values, one instance after the other.
    values: Vec<(u16, u32)>,
    /// Class, part, and where the values end.
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
    /// The value that the data are split by.
    pub(crate) split: Option<Seen>,
    pub(crate) kept: Kept,
}

impl States {
    /// No states yet of a question with these templates, split by the value of a template.
    pub(crate) fn new(templates: &[Template], split: Option<&Template>) -> Self {
        let split = split.map(|template| Seen::new(std::slice::from_ref(template)));
        Self { seen: Seen::new(templates), split, kept: Kept::default() }
    }

    /// What will answer the question, without its classifiers, and what they have to learn from.
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

/// Gives `take` every state with its values, by question.
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
        // The static oracle knows one way.
        take(question, states, Instance { class: right[0], values: &scratch.values, part });
    }
}
