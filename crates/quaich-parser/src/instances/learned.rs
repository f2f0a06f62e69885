//! What a training learns from, and what a model sees and decides.

use std::io;

use quaich_features::{
    Alphabet, FeatureModel, FrozenAlphabet, SymbolicProgram, SymbolicScratch, SymbolicTokens, TokenValues,
};
use quaich_learn::Scratch;
use quaich_transform::Transform;
use quaich_treebank::{Label, Sentence, Symbols, Underscore};

use super::lines::{Format, Lines};
use super::{Output, label_text};
use crate::classifiers::{Classifiers, SplitScratch, offsets};
use crate::collect::{Recorder, follow_in_turn};
use crate::decider::Way;
use crate::decisions::Questions;
use crate::error::{Error, Result};
use crate::model::{Reading, State};
use crate::observer::Observer;
use crate::parser::Parser;
use crate::prepare::{Example, Prepared};
use crate::settings::Settings;

/// Gives the instances that a training with these settings learns from, as its classifiers number them.
pub fn training_instances(
    sentences: &[Sentence],
    features: FeatureModel,
    settings: &Settings,
    format: Format,
    observer: &dyn Observer,
    output: &mut dyn Output,
) -> Result<()> {
    settings.check()?;
    let data = Prepared::new(sentences, &[], features, settings, false, observer)?;
    let way = Way { system: &*data.system, questions: &data.questions, order: data.plan.order() };
    let examples: Vec<&Example<'_>> = data.examples.iter().collect();
    // Values are numbered template by template, so all must have been seen before the first line is written.
    let mut numbering = Numbering::default();
    for question in data.questions.list() {
        let program = SymbolicProgram::compile(question.templates(&data.features));
        numbering.questions.push((program.alphabet(), program, SymbolicTokens::default()));
    }
    follow_in_turn(way, &TokenValues::default(), &examples, &mut numbering);
    let frozen: Vec<(SymbolicProgram, FrozenAlphabet, Vec<u32>)> = numbering
        .questions
        .into_iter()
        .map(|(alphabet, program, _)| {
            let alphabet = alphabet.freeze();
            let offsets = offsets(&program, &alphabet);
            (program, alphabet, offsets)
        })
        .collect();
    let seen =
        frozen.iter().map(|(program, alphabet, offsets)| Seen { program, alphabet, offsets }).collect();
    let mut writer = Writer {
        seen,
        names: data.questions.list().iter().map(|_| None).collect(),
        model: None,
        questions: &data.questions,
        labels: &data.labels,
        format,
        tokens: Vec::new(),
        splits: Vec::new(),
        scratch: WriterScratch::default(),
        output,
        failure: None,
    };
    follow_in_turn(way, &TokenValues::default(), &examples, &mut writer);
    writer.failure.map_or(Ok(()), |failure| Err(Error::Output(failure)))
}

/// Gives instances as a model sees them, or what it decides on each, sentence by sentence.
#[derive(Debug)]
pub struct ModelInstances<'p> {
    parser: &'p Parser,
    classifiers: &'p Classifiers,
    transform: Option<Box<dyn Transform>>,
    labels: Symbols<Label>,
    format: Format,
    predict: bool,
    transform_scratch: quaich_transform::Scratch,
}

impl<'p> ModelInstances<'p> {
    /// Makes ready. An error if the model does not know its features by number: only those made by learners without an engine of
    /// their own, or from split data, do.
    pub fn new(parser: &'p Parser, format: Format, predict: bool) -> Result<Self> {
        let decider = &parser.member.decider;
        let Some(classifiers) = decider.model().downcast_ref::<Classifiers>() else {
            return Err(Error::Treebank(format!(
                "found a model of the kind `{}`, whose features have no numbers; expected one of classifiers, such as training with `--split` makes",
                decider.kind()
            )));
        };
        let mut labels = Symbols::new();
        for (_, text) in parser.member.labels.iter() {
            labels.intern(text);
        }
        Ok(Self {
            parser,
            classifiers,
            transform: parser.member.plan.transform()?,
            labels,
            format,
            predict,
            transform_scratch: quaich_transform::Scratch::default(),
        })
    }

    /// Gives the instances of a sentence; none of one that has no tree, and none of decisions for which the model has no class.
    /// Whether there was a tree.
    pub fn read(&mut self, sentence: &Sentence, output: &mut dyn Output) -> Result<bool> {
        let member = &self.parser.member;
        let mut tree = sentence.tree_with(&mut self.labels, Underscore::Label);
        if tree.n_tokens() == 0 || !tree.is_well_formed() {
            return Ok(false);
        }
        if let Some(transform) = &self.transform {
            transform
                .apply(sentence, &mut tree, &mut self.labels, &mut self.transform_scratch)
                .map_err(|error| Error::Treebank(error.to_string()))?;
            let n_known = member.questions.n_labels();
            if tree.arcs().any(|arc| !arc.label.is_none() && arc.label.index() >= n_known) {
                // What was too rare to be learned was learned in a form that says less.
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
        let example = Example { sentence, tree: member.plan.in_reading_order(tree), opinion: None };
        let answers = &self.classifiers.answers;
        let seen = answers.iter().map(|answer| Seen {
            program: &answer.program,
            alphabet: &answer.alphabet,
            offsets: &answer.offsets,
        });
        let label = |label: Label| label_text(&self.labels, label);
        let mut writer = Writer {
            seen: seen.collect(),
            names: answers
                .iter()
                .map(|answer| answer.split.as_ref().map(|split| split.names(&label)))
                .collect(),
            model: Some((self.classifiers, self.predict)),
            questions: &member.questions,
            labels: &self.labels,
            format: self.format,
            tokens: Vec::new(),
            splits: Vec::new(),
            scratch: WriterScratch::default(),
            output,
            failure: None,
        };
        follow_in_turn(member.way(), &TokenValues::default(), &[&example], &mut writer);
        writer.failure.map_or(Ok(true), |failure| Err(Error::Output(failure)))
    }
}

/// Gives numbers to all values.
#[derive(Default)]
struct Numbering {
    /// By question.
    questions: Vec<(Alphabet, SymbolicProgram, SymbolicTokens)>,
    scratch: SymbolicScratch,
}

impl Recorder for Numbering {
    fn read(&mut self, Reading { sentence, order, .. }: Reading<'_>) {
        for (alphabet, program, tokens) in &mut self.questions {
            tokens.read(sentence, program, order, alphabet);
        }
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, _right: &[u32]) {
        let (alphabet, program, tokens) = &mut self.questions[question];
        program.run(c, tokens, focus, alphabet, &mut self.scratch);
    }
}

/// What one question looks at, with its numbers.
struct Seen<'a> {
    program: &'a SymbolicProgram,
    alphabet: &'a FrozenAlphabet,
    /// By position: the number of its first value.
    offsets: &'a [u32],
}

#[derive(Default)]
struct WriterScratch {
    symbols: SymbolicScratch,
    row: Vec<u32>,
    wanted: Vec<u32>,
    scores: Vec<f32>,
    classifier: Scratch,
    lines: Lines,
}

/// Writes instances down.
struct Writer<'a> {
    /// By question.
    seen: Vec<Seen<'a>>,
    /// By question: what its parts are called, where the data are split.
    names: Vec<Option<Vec<String>>>,
    /// Who decides, and whether that is what is written down.
    model: Option<(&'a Classifiers, bool)>,
    questions: &'a Questions,
    labels: &'a Symbols<Label>,
    format: Format,
    tokens: Vec<SymbolicTokens>,
    splits: Vec<SplitScratch>,
    scratch: WriterScratch,
    output: &'a mut dyn Output,
    failure: Option<io::Error>,
}

impl Recorder for Writer<'_> {
    fn read(&mut self, reading: Reading<'_>) {
        self.tokens.resize_with(self.seen.len(), Default::default);
        self.splits.resize_with(self.seen.len(), Default::default);
        for (seen, tokens) in self.seen.iter().zip(&mut self.tokens) {
            tokens.read(reading.sentence, seen.program, reading.order, &mut &*seen.alphabet);
        }
        if let Some((classifiers, _)) = self.model {
            for (answer, scratch) in classifiers.answers.iter().zip(&mut self.splits) {
                if let Some(split) = &answer.split {
                    split.read(reading, scratch);
                }
            }
        }
    }

    fn record(&mut self, question: usize, state: State<'_>, right: &[u32]) {
        if self.failure.is_none() {
            self.failure = self.write(question, state, right).err();
        }
    }
}

impl Writer<'_> {
    fn write(&mut self, question: usize, state: State<'_>, right: &[u32]) -> io::Result<()> {
        let Seen { program, alphabet, offsets } = &self.seen[question];
        let WriterScratch { symbols, row, wanted, scores, classifier, lines } = &mut self.scratch;
        program.run(state.c, &self.tokens[question], state.focus, &mut &**alphabet, symbols);
        row.clear();
        row.extend(symbols.values.iter().map(|&(position, value)| offsets[usize::from(position)] + value));
        let mut name = match self.questions.list()[question].name.as_str() {
            _ if self.questions.list().len() == 1 => String::new(),
            "transition" => "trans".to_owned(),
            label => label.to_owned(),
        };
        let mut class = right.first().copied().unwrap_or(0);
        let mut predicted = false;
        if let Some((classifiers, predict)) = self.model {
            let answer = &classifiers.answers[question];
            let part = answer.split.as_ref().map_or(0, |split| split.part(state, &mut self.splits[question]));
            if let Some(part_name) = self.names[question].as_ref().and_then(|names| names.get(part)) {
                name = if name.is_empty() { part_name.clone() } else { format!("{name}.{part_name}") };
            }
            if predict {
                let asked = &answer.classifiers[part];
                scores.clear();
                scores.resize(asked.n_classes(), 0.0);
                wanted.clear();
                wanted.extend((0u32..).take(asked.n_classes()));
                asked.leading_scores(row, wanted, classifier, scores);
                let best = (0u32..).zip(&*scores).fold((0, f32::NEG_INFINITY), |best, (class, &score)| {
                    if score > best.1 { (class, score) } else { best }
                });
                (class, predicted) = (best.0, true);
            }
        }
        let label = |label: Label| label_text(self.labels, label);
        let line = match (self.format.has_names(), predicted) {
            (true, true) => &super::lines::escaped(&self.questions.class_name(question, class, &label)),
            (true, false) => {
                let class = self.questions.class_name(question, class, &label);
                let texts = |position: usize, value: u32| alphabet.texts(position, value, &label);
                lines.named(program.n_positions(), &symbols.values, texts, &class)
            }
            (false, true) => lines.numbered(class + 1, std::iter::empty()),
            (false, false) => lines.numbered(class + 1, row.iter().map(|feature| feature + 1)),
        };
        self.output.line(&name, line)
    }
}
