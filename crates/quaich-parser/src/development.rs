//! The development set: parsed and scored while training goes on, never learned from.

use quaich_eval::Verdict;
use quaich_eval::attachment::Attachment;
use quaich_features::Tokens;
use quaich_transform::Inverse;
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::System;
use quaich_treebank::{Label, Sentence, Symbols, Tree};

use crate::calibration::{Calibration, Judged};
use crate::collect::Example;
use crate::engine::Engine;
use crate::model::Model;
use crate::model_file::Scores;
use crate::parser::parse_with;

/// Sentences with their gold trees, and the way from what a model makes to what they look like.
pub(crate) struct Development<'a> {
    examples: Vec<Example>,
    inverse: Option<&'a dyn Inverse>,
}

impl<'a> Development<'a> {
    /// A set whose labels are those of training; others count as wrong.
    pub(crate) fn new(
        sentences: Vec<Sentence>,
        labels: &Symbols<Label>,
        inverse: Option<&'a dyn Inverse>,
    ) -> Self {
        let unknown = Label(u32::try_from(labels.len()).expect("fewer than 2³² labels"));
        let examples = sentences.into_iter().map(|sentence| {
            let mut tree = Tree::new(sentence.n_tokens());
            for token in sentence.tokens() {
                let label = match sentence.label(token) {
                    "_" => labels.get("_").unwrap_or(Label::NONE),
                    text => labels.get(text).unwrap_or(unknown),
                };
                tree.set(token, sentence.heads()[token.index()], label);
            }
            Example { sentence, tree }
        });
        Self { examples: examples.collect(), inverse }
    }

    /// Whether there is nothing to score on.
    pub(crate) fn is_empty(&self) -> bool {
        self.examples.is_empty()
    }

    /// Scores a model.
    pub(crate) fn score<M: Model, S: System + ?Sized>(
        &self,
        model: &M,
        system: &S,
        calibration: &Calibration,
    ) -> Scores {
        let mut counts = Attachment::default();
        let mut judged = Vec::new();
        let (mut tokens, mut scratch) = (Tokens::default(), M::Scratch::default());
        let (mut c, mut margins, mut tree) = (Configuration::new(), Vec::new(), Tree::new(0));
        let mut inverse_scratch = quaich_transform::Scratch::default();
        for Example { sentence, tree: gold } in &self.examples {
            parse_with(model, system, sentence, &mut tokens, &mut scratch, &mut c, &mut margins);
            c.write_tree(&mut tree);
            if let Some(inverse) = self.inverse {
                inverse.invert(sentence, &mut tree, &mut inverse_scratch);
            }
            for token in sentence.tokens() {
                let verdict = Verdict::of(gold, &tree, token);
                counts.add(verdict);
                judged.push(Judged { margins: margins[token.index()], right: verdict.both() });
            }
        }
        Scores {
            las: counts.las().known().unwrap_or(0.0),
            uas: counts.uas().known().unwrap_or(0.0),
            calibration_error: calibration.expected_error(&judged),
        }
    }

    /// Scores whatever model an engine has.
    pub(crate) fn score_engine(
        &self,
        engine: &Engine,
        system: &dyn System,
        calibration: &Calibration,
    ) -> Scores {
        match engine {
            Engine::Linear(model) => self.score(model, system, calibration),
            Engine::Network(model) => self.score(model, system, calibration),
            Engine::Mixed(model) => self.score(model, system, calibration),
        }
    }
}
