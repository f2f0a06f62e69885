//! The instances that `MaltParser` passes to its learners: one per decision of the oracle that is not forced. Trees that the system
//! cannot derive lose arcs but are not skipped. `_` is an ordinary label.
//!
//! Values and classes are numbered from 1, by first occurrence. If the data are split, each part has its own numbers; pooled parts are
//! concatenated, in the order of the first occurrence of their values.

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

/// Outputs instances, sentence by sentence.
#[derive(Debug)]
pub struct MaltInstances {
    system: Box<dyn System>,
    questions: Questions,
    /// One per question.
    states: Vec<States>,
    numbers: Vec<FirstSeen>,
    /// The value that splits the data.
    split: Option<Template>,
    threshold: usize,
    /// The transformation that is applied to trees first.
    projection: PseudoProjective,
    /// Indexed by label: the label without marks. Classes have the marks; features do not see them.
    plain: Vec<Label>,
    label_names: Symbols<Label>,
    /// The format of the sentences.
    layout: Option<Arc<Layout>>,
    format: Format,
    transform_scratch: Scratch,
    lines: Lines,
}

/// The name of the part without a value.
const NO_VALUE: &str = "#null#";

/// Labels are collected while reading; there will never be more than this.
const MAX_LABELS: usize = 1 << 28;

impl MaltInstances {
    /// Prepares the output with these features.
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

    /// Outputs the instances of a sentence, and returns whether it has a tree. If the data are split, the instances are output by
    /// [`finish`](Self::finish).
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
        let example = Example { sentence, tree, head_distribution: None, likely_labels: None };
        let (mut recorder, plain) = (SymbolicRecorder::new(states, take), Some(&*self.plain));
        follow_in_turn(context, &TokenValues::default(), &[&example], plain, &mut recorder);
        written.map(|()| true)
    }

    /// Projectivises a tree as specified by the flags.
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

    /// Outputs the stored instances: the parts of split data, each under its value, and `MASTER` for the pooled part. Parts of a single
    /// value do not include the value that splits the data.
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

/// Whether two templates read the same cell; columns may have several names.
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
