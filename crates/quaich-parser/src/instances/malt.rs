//! What `MaltParser` gives to its learners: an instance for every decision of the oracle that is not forced. Trees that the
//! system cannot derive lose arcs and are not left out. `_` is a label like any other.
//!
//! Values are numbered in the order in which they are first seen, and so are classes, from 1. Where the data are split, every
//! part has numbers of its own; parts that are pooled come one after the other, in the order in which their values are first seen.

use std::io;
use std::sync::Arc;

use quaich_features::{FeatureModel, Order, Template, TokenValue, TokenValues, Value};
use quaich_transform::{PseudoProjective, Scratch, Transform};
use quaich_transition::systems::System;
use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Layout, Sentence, Tree, Underscore};

use super::lines::{FirstSeen, Format, Lines, Names};
use super::{MaltRun, Output};
use crate::classifiers::{Instance, MASTER, States, SymbolicRecorder};
use crate::collect::follow_in_turn;
use crate::decisions::Questions;
use crate::decoder::DecisionContext;
use crate::error::Result;
use crate::task::Example;

/// Makes instances, sentence by sentence.
#[derive(Debug)]
pub struct MaltInstances {
    system: Box<dyn System>,
    questions: Questions,
    /// By question.
    states: Vec<States>,
    numbers: Vec<FirstSeen>,
    /// What the data are split by.
    split: Option<Template>,
    threshold: usize,
    /// What is done to trees first.
    projection: PseudoProjective,
    /// By label, what it is without marks. Classes have the marks; features do not see them.
    plain: Vec<Label>,
    label_names: Symbols<Label>,
    /// The format of the sentences.
    layout: Option<Arc<Layout>>,
    format: Format,
    transform_scratch: Scratch,
    lines: Lines,
}

/// What the part without a value is called.
const NO_VALUE: &str = "#null#";

/// Labels are found while sentences are read; more than these there will never be.
const MAX_LABELS: usize = 1 << 28;

impl MaltInstances {
    /// Makes ready for instances with these features.
    pub fn new(run: &MaltRun, features: &FeatureModel, format: Format) -> Result<Self> {
        let system = run.settings.build(Label::NONE);
        let questions = Questions::new(run.decision, &*system, MAX_LABELS);
        let split = run.split()?;
        let templates = questions.list().iter().map(|question| question.templates(features));
        let states: Vec<States> = templates.map(|templates| States::new(templates, split.as_ref())).collect();
        Ok(Self {
            numbers: states.iter().map(|_| FirstSeen::default()).collect(),
            states,
            system,
            questions,
            split,
            threshold: run.threshold,
            projection: run.projection,
            plain: Vec::new(),
            label_names: Symbols::new(),
            layout: None,
            format,
            transform_scratch: Scratch::default(),
            lines: Lines::default(),
        })
    }

    /// Gives the instances of a sentence; none of one that has no tree. Where the data are split they are given at the end.
    /// Whether there was a tree.
    pub fn read(&mut self, sentence: &Sentence, output: &mut dyn Output) -> io::Result<bool> {
        let mut tree = sentence.tree_with(&mut self.label_names, Underscore::Label);
        self.layout = Some(Arc::clone(sentence.layout()));
        if tree.n_tokens() == 0 || self.project(sentence, &mut tree).is_err() {
            return Ok(false);
        }
        let Self { system, questions, states, numbers, label_names, format, lines, .. } = self;
        let names = Names { questions, labels: label_names, labelling: system.labelling() };
        let mut written = Ok(());
        let take = |question: usize, states: &mut States, instance: Instance<'_>| {
            if states.split.is_some() {
                states.kept.push(instance);
            } else if written.is_ok() {
                let (place, alphabet) = ((*format, names, question), &states.seen.alphabet);
                let line = lines.instance(place, instance, alphabet, &mut numbers[question]);
                written = output.line(&names.classifier(question, None), line);
            }
        };
        let context = DecisionContext { system: &**system, questions, order: Order::LeftToRight };
        let example = Example { sentence, tree, head_distribution: None };
        let (mut recorder, plain) = (SymbolicRecorder::new(states, take), Some(&*self.plain));
        follow_in_turn(context, &TokenValues::default(), &[&example], plain, &mut recorder);
        written.map(|()| true)
    }

    /// Makes a tree projective, as far as flags say.
    fn project(&mut self, sentence: &Sentence, tree: &mut Tree) -> Result<(), IllFormed> {
        let before = tree.clone();
        self.projection.apply(sentence, tree, &mut self.label_names, &mut self.transform_scratch)?;
        let known = self.plain.len();
        self.plain.extend((0u32..).map(Label).take(self.label_names.len()).skip(known));
        for token in tree.tokens().filter(|&token| tree.label(token) != before.label(token)) {
            self.plain[tree.label(token).index()] = before.label(token);
        }
        Ok(())
    }

    /// Gives what was kept: the parts of split data, each under its value, and `MASTER` for what is pooled. Parts of one
    /// value do not look at what the data are split by.
    pub fn finish(self, output: &mut dyn Output) -> io::Result<()> {
        let Self { system, questions, label_names, split: template, layout, mut lines, .. } = self;
        let names = Names { questions: &questions, labels: &label_names, labelling: system.labelling() };
        for (question, States { seen, split, kept }) in self.states.iter().enumerate() {
            let (Some(template), Some(split)) = (&template, split) else { return Ok(()) };
            let same = |other: &Template| is_same(template, other, layout.as_deref());
            let left_out = seen.program.templates().iter().position(same);
            let mut parts = Vec::<(Option<u32>, Vec<Instance<'_>>)>::new();
            for instance in kept.iter() {
                let at = parts.iter().position(|(value, _)| *value == instance.part).unwrap_or(parts.len());
                if at == parts.len() {
                    parts.push((instance.part, Vec::new()));
                }
                parts[at].1.push(instance);
            }
            let (large, small): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|(_, instances)| instances.len() > self.threshold);
            let pooled = small.into_iter().flat_map(|(_, instances)| instances).collect();
            let value_name = |value: Option<u32>| match value {
                Some(value) => split.alphabet.texts(0, value, &|label| names.label(label)).concat(),
                None => NO_VALUE.to_owned(),
            };
            let large = large.into_iter().map(|(value, instances)| (value_name(value), left_out, instances));
            for (part, left_out, instances) in large.chain([(MASTER.to_owned(), None, pooled)]) {
                let classifier = names.classifier(question, Some(&part));
                let mut numbers = FirstSeen::default();
                for instance in instances {
                    let stays = |(position, _): &&(u16, u32)| Some(usize::from(*position)) != left_out;
                    let values: Vec<_> = instance.values.iter().filter(stays).copied().collect();
                    let instance = Instance { values: &values, ..instance };
                    let place = (self.format, names, question);
                    let line = lines.instance(place, instance, &seen.alphabet, &mut numbers);
                    output.line(&classifier, line)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether two templates see the same cell; columns may have several names.
fn is_same(one: &Template, other: &Template, layout: Option<&Layout>) -> bool {
    let cell = |template: &Template| match template.values.as_slice() {
        [Value::Joined(_, items)] => match items.as_slice() {
            [Value::Token(address, TokenValue { column, part: quaich_features::Part::Whole })] => {
                Some((address.clone(), layout.and_then(|layout| column.position(layout))))
            }
            _ => None,
        },
        _ => None,
    };
    one == other || (cell(one).is_some() && cell(one) == cell(other))
}
