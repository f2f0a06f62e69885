//! What `MaltParser` gives to its learners: an instance for every decision of the oracle that is not forced. Trees that the
//! system cannot derive lose arcs and are not left out.
//!
//! Values are numbered in the order in which they are first seen, and so are classes, from 1. Where the data are split, every
//! part has numbers of its own; parts that are pooled come one after the other, in the order in which their values are first seen.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use quaich_features::{
    Alphabet, FeatureModel, Focus, Order, SymbolicProgram, SymbolicScratch, SymbolicTokens, Template,
    TokenValue, Value,
};
use quaich_transform::{PseudoProjective, Scratch, Transform};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::{Guide, run};
use quaich_transition::oracle::Oracle;
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Layout, Sentence, Tree};

use super::lines::{Format, Lines};
use super::{MaltRun, Output, label_text};
use crate::classifiers::MASTER;
use crate::decisions::Decision;
use crate::error::Result;

/// Makes instances, sentence by sentence.
#[derive(Debug)]
pub struct MaltInstances {
    system: Box<dyn System>,
    decision: Decision,
    format: Format,
    threshold: usize,
    /// What is done to trees first.
    projection: PseudoProjective,
    /// By label, what it is without marks. Classes have the marks; features do not see them.
    plain: Vec<Label>,
    split: Option<Split>,
    /// What chooses the transition.
    first: Classifier,
    /// What chooses the label: one for all, or one a kind.
    labels: Vec<(Option<Kind>, Classifier)>,
    label_names: Symbols<Label>,
    /// The format of the sentences.
    layout: Option<Arc<Layout>>,
    oracle: Oracle,
    configuration: Configuration,
    transform_scratch: Scratch,
    scratch: SymbolicScratch,
    lines: Lines,
}

/// The part that a state belongs to.
#[derive(Debug)]
struct Split {
    template: Template,
    program: SymbolicProgram,
    alphabet: Alphabet,
    tokens: SymbolicTokens,
}

impl Split {
    /// Whether a template sees just what the data are split by; columns may have several names.
    fn is_same(&self, template: &Template, layout: Option<&Layout>) -> bool {
        let cell = |template: &Template| match template.values.as_slice() {
            [Value::Joined(_, items)] => match items.as_slice() {
                [Value::Token(address, TokenValue { column, part: quaich_features::Part::Whole })] => {
                    Some((address.clone(), layout.and_then(|layout| column.position(layout))))
                }
                _ => None,
            },
            _ => None,
        };
        *template == self.template || (cell(template).is_some() && cell(template) == cell(&self.template))
    }
}

/// Transition, label or both.
type Class = (Option<Kind>, Label);

/// The instances of one classifier.
#[derive(Debug)]
struct Classifier {
    name: String,
    program: SymbolicProgram,
    alphabet: Alphabet,
    tokens: SymbolicTokens,
    numbers: Numbers,
    /// By part of the data, in the order in which they are first seen: its value, and its instances.
    parts: Vec<(Option<u32>, Vec<Kept>)>,
}

/// An instance that is kept until it is known which part it belongs to.
#[derive(Debug)]
struct Kept {
    class: Class,
    values: Vec<(u16, u32)>,
}

/// Numbers in the order in which things are first seen.
#[derive(Debug, Default)]
struct Numbers {
    /// By position and value; 0 where there is none yet.
    features: Vec<Vec<u32>>,
    n_features: u32,
    classes: BTreeMap<(Option<Kind>, Label), u32>,
}

impl Numbers {
    fn class(&mut self, class: Class) -> u32 {
        let next = u32::try_from(self.classes.len() + 1).unwrap_or(u32::MAX);
        *self.classes.entry(class).or_insert(next)
    }

    fn feature(&mut self, position: u16, value: u32) -> u32 {
        let position = usize::from(position);
        if self.features.len() <= position {
            self.features.resize_with(position + 1, Vec::new);
        }
        let of_position = &mut self.features[position];
        if of_position.len() <= value as usize {
            of_position.resize(value as usize + 1, 0);
        }
        let number = &mut of_position[value as usize];
        if *number == 0 {
            self.n_features += 1;
            *number = self.n_features;
        }
        *number
    }
}

impl MaltInstances {
    /// Makes ready for instances with these features.
    pub fn new(run: &MaltRun, features: &FeatureModel, format: Format) -> Result<Self> {
        let system = run.settings.build(Label::NONE);
        let split = run.split()?.map(|template| {
            let program = SymbolicProgram::compile(std::slice::from_ref(&template));
            Split { alphabet: program.alphabet(), program, tokens: SymbolicTokens::default(), template }
        });
        let classifier = |name: &str, templates: &[Template]| {
            let program = SymbolicProgram::compile(templates);
            Classifier {
                name: name.to_owned(),
                alphabet: program.alphabet(),
                program,
                tokens: SymbolicTokens::default(),
                numbers: Numbers::default(),
                parts: Vec::new(),
            }
        };
        let first_name = if run.decision == Decision::Joint { "" } else { "trans" };
        let labels = match run.decision {
            Decision::Joint => Vec::new(),
            Decision::Sequence => vec![(None, classifier("label", &features.label))],
            Decision::Branch => system
                .kinds()
                .iter()
                .filter(|kind| kind.adds_arc())
                .map(|kind| {
                    let name = format!("label-{}", kind.name());
                    (Some(kind), classifier(&name, features.label_after(kind.name())))
                })
                .collect(),
        };
        Ok(Self {
            first: classifier(first_name, &features.transition),
            labels,
            system,
            decision: run.decision,
            format,
            threshold: run.threshold,
            projection: run.projection,
            plain: Vec::new(),
            split,
            label_names: Symbols::new(),
            layout: None,
            oracle: Oracle::static_only(),
            configuration: Configuration::new(),
            transform_scratch: Scratch::default(),
            scratch: SymbolicScratch::default(),
            lines: Lines::default(),
        })
    }

    /// Gives the instances of a sentence; none of one that has no tree. Where the data are split they are given at the end.
    /// Whether there was a tree.
    pub fn read(&mut self, sentence: &Sentence, output: &mut dyn Output) -> io::Result<bool> {
        let mut tree = sentence.tree(&mut self.label_names);
        self.layout = Some(Arc::clone(sentence.layout()));
        if tree.n_tokens() == 0 || self.project(sentence, &mut tree).is_err() {
            return Ok(false);
        }
        let Self {
            system,
            decision,
            format,
            split,
            first,
            labels,
            label_names,
            plain,
            oracle,
            scratch,
            lines,
            ..
        } = self;
        for classifier in
            std::iter::once(&mut *first).chain(labels.iter_mut().map(|(_, classifier)| classifier))
        {
            let Classifier { program, alphabet, tokens, .. } = classifier;
            tokens.read(sentence, program, Order::LeftToRight, alphabet);
        }
        if let Some(Split { program, alphabet, tokens, .. }) = split {
            tokens.read(sentence, program, Order::LeftToRight, alphabet);
        }
        oracle.read(&**system, &tree);
        let recorder = Recorder { format: *format, label_names, scratch, lines, output };
        let mut follower = Follower {
            system: &**system,
            oracle,
            decision: *decision,
            split: split.as_mut(),
            first,
            labels,
            recorder,
            plain,
            failure: None,
        };
        run(&**system, &mut follower, &mut (), tree.n_tokens(), &mut self.configuration);
        follower.failure.map_or(Ok(true), Err)
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
    pub fn finish(mut self, output: &mut dyn Output) -> io::Result<()> {
        let Some(split) = &self.split else { return Ok(()) };
        let classifiers =
            std::iter::once(&mut self.first).chain(self.labels.iter_mut().map(|(_, labels)| labels));
        for classifier in classifiers {
            let prefix =
                if classifier.name.is_empty() { String::new() } else { format!("{}.", classifier.name) };
            let same = |template: &Template| split.is_same(template, self.layout.as_deref());
            let left_out = classifier.program.templates().iter().position(same);
            let (large, small): (Vec<_>, Vec<_>) = std::mem::take(&mut classifier.parts)
                .into_iter()
                .partition(|(_, instances)| instances.len() > self.threshold);
            for (value, instances) in large {
                let labels = |label: Label| label_text(&self.label_names, label);
                let name = value.map_or_else(
                    || NO_VALUE.to_owned(),
                    |value| split.alphabet.texts(0, value, &labels).concat(),
                );
                classifier.numbers = Numbers::default();
                for mut instance in instances {
                    instance.values.retain(|(position, _)| Some(usize::from(*position)) != left_out);
                    let line = classifier.line(&instance, self.format, &self.label_names, &mut self.lines);
                    output.line(&format!("{prefix}{name}"), line)?;
                }
            }
            classifier.numbers = Numbers::default();
            for (_, instances) in small {
                for instance in instances {
                    let line = classifier.line(&instance, self.format, &self.label_names, &mut self.lines);
                    output.line(&format!("{prefix}{MASTER}"), line)?;
                }
            }
        }
        Ok(())
    }
}

/// What the part without a value is called.
const NO_VALUE: &str = "#null#";

impl Classifier {
    fn line<'l>(
        &mut self,
        instance: &Kept,
        format: Format,
        label_names: &Symbols<Label>,
        lines: &'l mut Lines,
    ) -> &'l str {
        let label = |label: Label| label_text(label_names, label);
        if format.has_names() {
            let class = match instance.class {
                (Some(kind), name) if name.is_none() => kind.name().to_owned(),
                (Some(kind), name) => format!("{}:{}", kind.name(), label(name)),
                (None, name) => label(name),
            };
            let named = |position: usize, value: u32| self.alphabet.texts(position, value, &label);
            return lines.named(self.program.n_positions(), &instance.values, named, &class);
        }
        let class = self.numbers.class(instance.class);
        let numbers = &mut self.numbers;
        lines.numbered(
            class,
            instance.values.iter().map(|&(position, value)| numbers.feature(position, value)),
        )
    }
}

/// Which part of the data an instance belongs to.
#[derive(Clone, Copy)]
enum Part {
    /// They are not split.
    Whole,
    /// The part of a value, or of no value.
    Of(Option<u32>),
}

/// Follows the oracle and gives an instance for every decision.
struct Follower<'a> {
    system: &'a dyn System,
    oracle: &'a mut Oracle,
    decision: Decision,
    split: Option<&'a mut Split>,
    first: &'a mut Classifier,
    labels: &'a mut Vec<(Option<Kind>, Classifier)>,
    recorder: Recorder<'a>,
    plain: &'a [Label],
    failure: Option<io::Error>,
}

impl Guide for Follower<'_> {
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let transition = self.oracle.right(self.system, c, permissible).preferred;
        if self.failure.is_none() {
            self.failure = self.record(c, transition).err();
        }
        let plain = self.plain.get(transition.label.index()).copied();
        Transition { label: plain.unwrap_or(transition.label), ..transition }
    }
}

impl Follower<'_> {
    fn record(&mut self, c: &Configuration, transition: Transition) -> io::Result<()> {
        let Self { split, first, labels, recorder, .. } = self;
        let part = match split {
            None => Part::Whole,
            Some(Split { program, alphabet, tokens, .. }) => {
                program.run(c, tokens, Focus::NONE, alphabet, recorder.scratch);
                Part::Of(recorder.scratch.values.first().map(|&(_, value)| value))
            }
        };
        let Transition { kind, label } = transition;
        let class = (Some(kind), if self.decision == Decision::Joint { label } else { Label::NONE });
        recorder.record(first, c, class, part)?;
        if kind.adds_arc() {
            for (after, classifier) in labels.iter_mut() {
                if after.is_none_or(|after| after == kind) {
                    recorder.record(classifier, c, (None, label), part)?;
                }
            }
        }
        Ok(())
    }
}

/// Where instances go.
struct Recorder<'a> {
    format: Format,
    label_names: &'a Symbols<Label>,
    scratch: &'a mut SymbolicScratch,
    lines: &'a mut Lines,
    output: &'a mut dyn Output,
}

impl Recorder<'_> {
    /// Gives the instance of a classifier; keeps it if the data are split.
    fn record(
        &mut self,
        classifier: &mut Classifier,
        c: &Configuration,
        class: Class,
        part: Part,
    ) -> io::Result<()> {
        let Classifier { program, alphabet, tokens, .. } = &mut *classifier;
        program.run(c, tokens, Focus::NONE, alphabet, self.scratch);
        let instance = Kept { class, values: self.scratch.values.clone() };
        if let Part::Of(value) = part {
            let parts = &mut classifier.parts;
            let at = parts.iter().position(|(own, _)| *own == value).unwrap_or_else(|| {
                parts.push((value, Vec::new()));
                parts.len() - 1
            });
            parts[at].1.push(instance);
            return Ok(());
        }
        let line = classifier.line(&instance, self.format, self.label_names, self.lines);
        self.output.line(&classifier.name, line)
    }
}
