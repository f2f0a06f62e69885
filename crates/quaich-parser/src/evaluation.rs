//! Evaluating a model on sentences with gold trees.

use std::io::Cursor;
use std::ops::ControlFlow;

use quaich_eval::TokenMatch;
use quaich_eval::attachment::Attachment;
use quaich_eval::scorers::ud::UD;
use quaich_eval::scorers::{Official, Scorer};
use quaich_text::raw_text::{TextOptions, write_text};
use quaich_treebank::convert::Converter;
use quaich_treebank::formats::conllu;
use quaich_treebank::{ReadOptions, Reader, Role, Sentence, Source};
use rayon::prelude::*;

use crate::calibration::{Evidence, expected_error};
use crate::consumers::has_values;
use crate::description::Scores;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::observer::{Observer, Unobserved};
use crate::parsed::Parsed;
use crate::raw_text::{RawTextOptions, parse_raw_text};
use crate::scheme::gold_tree;
use crate::worker::Worker;

/// The comparison of parses with gold trees.
#[derive(Debug, Default)]
pub(crate) struct Evaluation {
    attachment: Attachment,
    /// One per token with a gold head.
    pub(crate) arcs: Vec<EvaluatedArc>,
}

/// An arc that was compared with the gold arc.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvaluatedArc {
    /// The evidence for it; has no meaning for ensembles.
    pub evidence: Evidence,
    /// The model's probability that it is correct.
    pub probability: f32,
    /// Whether head and label are correct.
    pub right: bool,
}

/// The minimum number of sentences per worker: a new worker starts with empty caches.
const LEAST: usize = 200;

/// The measures of CoNLL 2018 that depend on one column. The scorer counts empty cells as right; where all are empty, that says nothing.
const MEASURED_COLUMNS: [(&str, Role); 5] = [
    ("UPOS", Role::CoarseTag),
    ("XPOS", Role::FineTag),
    ("UFeats", Role::Feats),
    ("Lemmas", Role::Lemma),
    ("BLEX", Role::Lemma),
];

/// Lines of text are folded at this many characters, as in the test data of the shared tasks.
const FOLD: usize = 80;

/// Parses sentences in parallel and compares them with their gold trees. Fails only if the observer stops it.
pub(crate) fn evaluate(
    model: &Model,
    sentences: &[&Sentence],
    observer: &dyn Observer,
) -> Result<Evaluation> {
    let unless_stopped = |(worker, space): &mut (Worker, Vec<f32>), sentence: &&Sentence| {
        observer.check()?;
        Ok(one(worker, sentence, space))
    };
    let parts: Vec<Evaluation> = sentences
        .par_iter()
        .with_min_len(LEAST)
        .map_init(|| (model.worker(), Vec::new()), unless_stopped)
        .collect::<Result<_>>()?;
    let mut all = Evaluation::default();
    for part in parts {
        all.attachment.absorb(&part.attachment);
        all.arcs.extend(part.arcs);
    }
    Ok(all)
}

impl Model {
    /// The scores of the model on sentences with gold trees; `None` without sentences. Uses all threads of the current pool.
    pub fn score(&self, sentences: &[Sentence]) -> Option<Scores> {
        evaluate(self, &sentences.iter().collect::<Vec<_>>(), &Unobserved).ok()?.scores()
    }

    /// Scores the model from raw text to trees: parses the text of sentences and compares it with them by the measures of CoNLL 2018, in
    /// percent. Measures of columns without values are omitted.
    ///
    /// # Errors
    /// If the model has no tokenizer, or the scorer rejects the sentences.
    pub fn score_text(&self, sentences: &[Sentence]) -> Result<Vec<(String, f64)>> {
        self.score_text_until(sentences, &Unobserved)
    }

    /// The same, unless the observer stops it.
    pub(crate) fn score_text_until(
        &self,
        sentences: &[Sentence],
        observer: &dyn Observer,
    ) -> Result<Vec<(String, f64)>> {
        let (mut text, mut parsed, mut gold) = (Vec::new(), Vec::new(), Vec::new());
        let options = TextOptions { fold: Some(FOLD), ..TextOptions::default() };
        let copies = sentences.iter().map(|sentence| Ok(sentence.clone()));
        write_text::<std::io::Error>(copies, options, &mut text).map_err(Error::Output)?;
        parse_raw_text(self, (&text[..], "dev text"), RawTextOptions::default(), &mut parsed, |_| {
            go_on(observer)
        })?;
        let mut converter = Converter::new(conllu::layout());
        for sentence in sentences {
            converter.write(sentence, &mut gold);
        }
        observer.check()?;
        let read = |text: Vec<u8>, name: &str| {
            let source = Source::from_stream(Cursor::new(text), name.to_owned(), None)?;
            Reader::new(source, &ReadOptions::parse(Some("conllu"), None)?)
        };
        let (gold, parsed) = (read(gold, "dev set")?, read(parsed, "parsed dev text")?);
        let scored = UD.score(gold, parsed, &mut || {});
        let Official::Alignment(report) = scored.map_err(|error| Error::Treebank(error.to_string()))? else {
            return Ok(Vec::new());
        };
        let is_absent = |measure: &str| {
            let column = MEASURED_COLUMNS.iter().find(|(name, _)| *name == measure);
            column.is_some_and(|&(_, role)| !has_values(sentences, role))
        };
        let measures = report.measures.iter().filter(|(name, _)| !is_absent(name));
        Ok(measures.map(|(name, counts)| ((*name).to_owned(), counts.f1())).collect())
    }

    /// Parses sentences with all threads of the current pool; the results are in order.
    pub fn parse_all(&self, sentences: &[Sentence]) -> Vec<Parsed> {
        sentences.par_iter().map_init(|| self.worker(), Worker::parse_sentence).collect()
    }
}

/// Whether to parse further.
fn go_on(observer: &dyn Observer) -> ControlFlow<()> {
    if observer.stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The first sentences, until they have more than `most` tokens.
pub(crate) fn first_tokens<'s>(
    sentences: impl Iterator<Item = &'s Sentence>,
    most: usize,
) -> Vec<&'s Sentence> {
    let mut n_tokens = 0;
    let is_wanted = |sentence: &&Sentence| {
        let is_wanted = n_tokens <= most;
        n_tokens += sentence.n_tokens();
        is_wanted
    };
    sentences.take_while(is_wanted).collect()
}

fn one(worker: &mut Worker, sentence: &Sentence, probabilities: &mut Vec<f32>) -> Evaluation {
    let mut evidence = Vec::new();
    let gold = gold_tree(sentence, worker.model().labels());
    let tree = if worker.model().n_members() > 1 {
        worker.parse_with_scores(sentence, probabilities)
    } else {
        let calibration = worker.model().calibration();
        let (tree, known) = worker.parse_with_evidence(sentence);
        evidence.extend_from_slice(known);
        probabilities.clear();
        probabilities.extend(known.iter().map(|&known| calibration.probability(known)));
        tree
    };
    let mut evaluation = Evaluation::default();
    // Nothing can be said about unknown heads.
    let has_heads = gold.heads()[1..].iter().any(|head| head.is_some());
    for token in sentence.tokens().filter(|token| !has_heads || gold.head(*token).is_some()) {
        let token_match = TokenMatch::of(&gold, tree, token);
        evaluation.attachment.add(token_match);
        evaluation.arcs.push(EvaluatedArc {
            evidence: evidence.get(token.index()).copied().unwrap_or(Evidence::UNDISPUTED),
            probability: probabilities[token.index()],
            right: token_match.both(),
        });
    }
    evaluation
}

impl Evaluation {
    /// The number of correct arcs.
    pub(crate) fn n_right(&self) -> usize {
        self.arcs.iter().filter(|arc| arc.right).count()
    }

    /// The labelled attachment score in percent.
    pub(crate) fn las(&self) -> f64 {
        self.attachment.las().known().unwrap_or(0.0)
    }

    /// The scores; `None` without tokens.
    pub(crate) fn scores(&self) -> Option<Scores> {
        Some(Scores {
            las: self.attachment.las().known()?,
            uas: self.attachment.uas().known()?,
            calibration_error: expected_error(self.arcs.iter().map(|arc| (arc.probability, arc.right))),
        })
    }
}
