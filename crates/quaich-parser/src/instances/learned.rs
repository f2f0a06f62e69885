//! The training instances of a run, and the instances and decisions of a trained model.

use std::io;

use quaich_features::{FeatureModel, TokenValues};
use quaich_transform::Transform;
use quaich_treebank::{Label, Sentence, Symbols, Underscore};

use super::Output;
use super::lines::{Format, Lines, Names, escaped};
use crate::classifiers::{
    Classifiers, ClassifiersScratch, Instance, Parts, QuestionClassifiers, States, SymbolicRecorder,
};
use crate::collect::{Recorder, follow_in_turn};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::learners;
use crate::model::{Member, Model};
use crate::observer::Observer;
use crate::scorer::{Allowed, Input, Scorer, State};
use crate::settings::Settings;
use crate::task::{Example, Task};

/// Outputs the training instances for these settings, numbered as the classifiers do.
pub fn training_instances(
    sentences: &[Sentence],
    features: FeatureModel,
    settings: &Settings,
    format: Format,
    observer: &dyn Observer,
    output: &mut dyn Output,
) -> Result<()> {
    settings.check()?;
    let default_system = learners::by_name(&settings.learner())?.profile().default_system();
    let task = Task::prepare(&Corpus::new(sentences, &[]), settings, (default_system, false), observer)?;
    let (features, context) = (task.fit(features)?, task.scheme.context());
    let (questions, labels) = (context.questions, task.scheme.symbols());
    let examples: Vec<&Example<'_>> = task.examples.iter().collect();
    // Values are numbered template by template, so all states must be collected before the first line is written.
    let templates = questions.list().iter().map(|question| question.templates(&features));
    let mut states: Vec<States> = templates.map(|templates| States::new(templates, None)).collect();
    let mut recorder = SymbolicRecorder::new(&mut states, |_, _, _| ());
    follow_in_turn(context, &TokenValues::default(), &examples, None, &mut recorder);
    let by_question: Vec<QuestionClassifiers> =
        states.into_iter().map(|states| states.freeze(Parts::whole()).0).collect();
    let names = Names { questions, labels: &labels, labelling: context.system.labelling() };
    let mut scratch = ClassifiersScratch::default();
    let mut writer = Writer {
        by_question: &by_question,
        parts: &[],
        model: None,
        names,
        format,
        scratch: &mut scratch,
        lines: Lines::default(),
        output,
        failure: None,
    };
    follow_in_turn(context, &TokenValues::default(), &examples, None, &mut writer);
    writer.failure.map_or(Ok(()), |failure| Err(Error::Output(failure)))
}

/// Outputs the instances of a model, or its decision on each, sentence by sentence.
#[derive(Debug)]
pub struct ModelInstances<'p> {
    member: &'p Member,
    classifiers: &'p Classifiers,
    /// One per question: the names of its parts, if the data are split.
    parts: Vec<Option<Vec<String>>>,
    transform: Option<Box<dyn Transform>>,
    labels: Symbols<Label>,
    format: Format,
    predict: bool,
    transform_scratch: quaich_transform::Scratch,
    scratch: ClassifiersScratch,
}

impl<'p> ModelInstances<'p> {
    /// Prepares the output. An error if the model has no feature numbers: only instance-based learners have them.
    pub fn new(model: &'p Model, format: Format, predict: bool) -> Result<Self> {
        let member = &model.parts().members[0];
        let Some(classifiers) = member.decoder.model().downcast_ref::<Classifiers>() else {
            return Err(Error::Treebank(format!(
                "the learner `{}` has no numbered features; use a model of an instance-based learner, such as `linear-svm`",
                member.decoder.kind()
            )));
        };
        let labels = member.scheme.symbols();
        let context = member.scheme.context();
        let names =
            Names { questions: context.questions, labels: &labels, labelling: context.system.labelling() };
        let splits = classifiers.by_question.iter().map(|entry| entry.split.as_ref());
        let parts = splits.map(|split| split.map(|split| split.names(&|label| names.label(label)))).collect();
        Ok(Self {
            member,
            classifiers,
            parts,
            transform: member.scheme.plan.transform()?,
            labels,
            format,
            predict,
            transform_scratch: quaich_transform::Scratch::default(),
            scratch: ClassifiersScratch::default(),
        })
    }

    /// Outputs the instances of a sentence, and returns whether it has a tree. Skips sentences without a tree, and decisions for which
    /// the model has no class.
    pub fn read(&mut self, sentence: &Sentence, output: &mut dyn Output) -> Result<bool> {
        let scheme = &self.member.scheme;
        let mut tree = sentence.tree_with(&mut self.labels, Underscore::Label);
        if tree.n_tokens() == 0 || !tree.is_well_formed() {
            return Ok(false);
        }
        if let Some(transform) = &self.transform {
            transform
                .apply(sentence, &mut tree, &mut self.labels, &mut self.transform_scratch)
                .map_err(|error| Error::Treebank(error.to_string()))?;
            let n_known = scheme.questions.n_labels();
            if tree.arcs().any(|arc| !arc.label.is_none() && arc.label.index() >= n_known) {
                // Rare labels were learned in a less specific form.
                let inverse = transform.inverse(&mut self.labels);
                for token in tree.tokens() {
                    let (head, mut label) = (tree.head(token), tree.label(token));
                    while !label.is_none() && label.index() >= n_known && inverse.unmarked(label) != label {
                        label = inverse.unmarked(label);
                    }
                    tree.set(token, head, label);
                }
            }
        }
        let context = scheme.context();
        let example = Example {
            sentence,
            tree: scheme.plan.in_reading_order(tree),
            head_distribution: None,
            likely_labels: None,
        };
        let mut writer = Writer {
            by_question: &self.classifiers.by_question,
            parts: &self.parts,
            model: Some(self.classifiers).filter(|_| self.predict),
            names: Names {
                questions: context.questions,
                labels: &self.labels,
                labelling: context.system.labelling(),
            },
            format: self.format,
            scratch: &mut self.scratch,
            lines: Lines::default(),
            output,
            failure: None,
        };
        follow_in_turn(context, &TokenValues::default(), &[&example], None, &mut writer);
        writer.failure.map_or(Ok(true), |failure| Err(Error::Output(failure)))
    }
}

/// Writes instances.
struct Writer<'a> {
    /// One per question.
    by_question: &'a [QuestionClassifiers],
    /// One per question: the names of its parts, if the data are split.
    parts: &'a [Option<Vec<String>>],
    /// The model, to write its decisions.
    model: Option<&'a Classifiers>,
    names: Names<'a>,
    format: Format,
    scratch: &'a mut ClassifiersScratch,
    lines: Lines,
    output: &'a mut dyn Output,
    failure: Option<io::Error>,
}

impl Recorder for Writer<'_> {
    fn read(&mut self, input: Input<'_>) {
        self.scratch.read(self.by_question, input);
    }

    fn record(&mut self, question: usize, state: State<'_>, right: &[u32]) {
        if self.failure.is_none() {
            self.failure = self.write(question, state, right[0]).err();
        }
    }
}

impl Writer<'_> {
    fn write(&mut self, question: usize, state: State<'_>, class: u32) -> io::Result<()> {
        let Self { by_question, names, format, scratch, lines, .. } = self;
        let part = scratch.see(by_question, question, state);
        let part = self.parts.get(question).and_then(|names| names.as_ref()?.get(part));
        let classifier = names.classifier(question, part.map(String::as_str));
        let QuestionClassifiers { alphabet, offsets, .. } = &by_question[question];
        let line = if let Some(model) = self.model {
            let class = model.choose(question, state, Allowed::All, scratch).class;
            if format.has_names() {
                &escaped(&names.class(question, class))
            } else {
                lines.numbered(class + 1, std::iter::empty())
            }
        } else {
            let instance = Instance { class, values: &scratch.symbols.values, part: None };
            lines.instance((*format, *names, question), instance, alphabet, &mut offsets.as_slice())
        };
        self.output.line(&classifier, line)
    }
}
