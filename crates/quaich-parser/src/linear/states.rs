//! Training states: the values of a feature program, and the correct classes.

use quaich_features::{Program, Scratch, Sets, hash};
use quaich_learn::{Right, Targets};

use crate::collect::Recorder;
use crate::scorer::{Input, State};

/// The values and correct classes of many states.
#[derive(Clone, Debug)]
pub(crate) struct States {
    width: usize,
    /// Fingerprints of values, `width` per state.
    values: Vec<u32>,
    pub(crate) targets: Targets,
}

impl States {
    fn new(width: usize, n_classes: usize) -> Self {
        Self { width, values: Vec::new(), targets: Targets::new(n_classes) }
    }

    fn push(&mut self, values: &[u64], right: Right<'_>) {
        debug_assert_eq!(values.len(), self.width);
        self.values.extend(values.iter().map(|&value| hash::fingerprint(value)));
        self.targets.push(right, 1.0);
    }

    fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
        self.targets.append(&other.targets);
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The fingerprints of the values of a state.
    #[inline]
    pub(crate) fn fingerprints(&self, state: usize) -> &[u32] {
        &self.values[state * self.width..][..self.width]
    }
}

/// The states of all questions, and the sets behind set values.
#[derive(Clone, Debug)]
pub(crate) struct Collected {
    /// One per question.
    pub(crate) questions: Vec<States>,
    pub(crate) sets: Sets,
}

impl Collected {
    /// No states yet, for these programs and numbers of classes.
    pub(crate) fn new(programs: &[Program], n_classes: &[usize]) -> Self {
        let questions = programs.iter().zip(n_classes);
        let questions = questions.map(|(program, &n)| States::new(program.n_values(), n)).collect();
        Self { questions, sets: Sets::default() }
    }

    /// Adds the states of another collection.
    pub(crate) fn append(&mut self, other: &Self) {
        for (mine, theirs) in self.questions.iter_mut().zip(&other.questions) {
            mine.append(theirs);
        }
        self.sets.append(&other.sets);
    }

    /// The total number of states.
    pub(crate) fn n_states(&self) -> usize {
        self.questions.iter().map(States::len).sum()
    }
}

/// Records states for a linear model.
#[derive(Debug)]
pub(crate) struct StateRecorder<'a> {
    programs: &'a [Program],
    scratch: Scratch,
    pub(crate) out: Collected,
}

impl<'a> StateRecorder<'a> {
    pub(crate) fn new(programs: &'a [Program], n_classes: &[usize]) -> Self {
        Self { programs, scratch: Scratch::default(), out: Collected::new(programs, n_classes) }
    }
}

impl Recorder for StateRecorder<'_> {
    fn read(&mut self, input: Input<'_>) {
        self.out.sets.note(input.tokens);
    }

    fn record(&mut self, question: usize, State { c, tokens, focus, .. }: State<'_>, right: &[u32]) {
        self.programs[question].values(c, tokens, focus, &mut self.scratch);
        // If there are several correct classes, the oracle's caller has put the one to learn first.
        self.out.questions[question].push(self.scratch.values(), Right::Class(right[0]));
    }
}
