//! The counts of the scorers, added sentence by sentence.

use std::collections::BTreeMap;

use quaich_treebank::{Node, Sentence};

use super::bins::{DIRECTIONS, DISTANCES, direction, distance};
use super::errors::Errors;
use super::semantics::Semantics;
use crate::analysis::TokenMatch;
use crate::attachment::Attachment;
use crate::frames::{Frames, numeric_head};
use crate::punctuation::PunctuationRule;

/// Words by part-of-speech tag and correctness. `both` counts words whose head and label are both correct, or both
/// wrong.
pub type TagCounts = Attachment;

/// Arcs with a label.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LabelCounts {
    /// In the gold standard.
    pub gold: u64,
    /// In the system's analysis.
    pub system: u64,
    /// In both.
    pub label: u64,
    /// In both, with the correct head.
    pub both: u64,
}

/// A class of directions or distances: in the gold standard, in the system's analysis, and in both.
pub(super) type Bin = [u64; 3];

#[derive(Debug)]
pub(super) struct Counts {
    punctuation: PunctuationRule,
    tag_column: Option<usize>,
    scored: Vec<Node>,
    matches: Vec<(Node, TokenMatch)>,
    pub(super) sentences: u64,
    pub(super) exact_sentences: u64,
    pub(super) non_scoring: u64,
    pub(super) all: Attachment,
    pub(super) tags: BTreeMap<String, TagCounts>,
    pub(super) labels: BTreeMap<String, LabelCounts>,
    pub(super) directions: [Bin; DIRECTIONS.len()],
    pub(super) distances: [Bin; DISTANCES.len()],
    pub(super) frames: Frames,
    pub(super) semantics: Option<Semantics>,
    pub(super) errors: Option<Errors>,
}

impl Counts {
    pub(super) fn new(punctuation: PunctuationRule, tag_column: Option<usize>, semantic: bool) -> Self {
        Self {
            punctuation,
            tag_column,
            scored: Vec::new(),
            matches: Vec::new(),
            sentences: 0,
            exact_sentences: 0,
            non_scoring: 0,
            all: Attachment::default(),
            tags: BTreeMap::new(),
            labels: BTreeMap::new(),
            directions: Default::default(),
            distances: Default::default(),
            frames: Frames::default(),
            semantics: semantic.then(Semantics::default),
            errors: (!semantic).then(Errors::default),
        }
    }

    /// Counts a sentence.
    pub(super) fn add(&mut self, gold: &Sentence, system: &Sentence) {
        self.scored.clear();
        self.matches.clear();
        let mut sentence = Attachment::default();
        for token in gold.tokens() {
            if self.punctuation.skips(gold.form(token)) {
                self.non_scoring += 1;
                continue;
            }
            self.scored.push(token);
            let token_match = TokenMatch::of(gold, system, token);
            self.matches.push((token, token_match));
            sentence.add(token_match);
            let tag = self.tag_column.map_or("_", |column| gold.cell(token, column));
            entry(&mut self.tags, tag).add(token_match);
            let of_gold = entry(&mut self.labels, gold.label(token));
            of_gold.gold += 1;
            of_gold.label += u64::from(token_match.label);
            of_gold.both += u64::from(token_match.both());
            entry(&mut self.labels, system.label(token)).system += 1;
            let heads = (numeric_head(gold, token), numeric_head(system, token));
            count(&mut self.directions, direction(heads.0, token), direction(heads.1, token));
            count(&mut self.distances, distance(heads.0, token), distance(heads.1, token));
        }
        let is_exact = sentence.both == sentence.tokens;
        if !is_exact {
            // If everything is correct, all frames are.
            self.frames.add(gold, system, &self.scored);
        }
        if let Some(errors) = &mut self.errors {
            errors.add(gold, system, self.tag_column, &self.matches);
        }
        self.all.absorb(&sentence);
        self.sentences += 1;
        self.exact_sentences += u64::from(is_exact);
        if let Some(semantics) = &mut self.semantics {
            semantics.add(gold, system, self.tag_column, is_exact);
        }
    }
}

fn count(bins: &mut [Bin], gold: usize, system: usize) {
    bins[gold][0] += 1;
    bins[system][1] += 1;
    bins[gold][2] += u64::from(gold == system);
}

/// Returns the entry of a name, which is copied only the first time.
pub(super) fn entry<'a, T: Default>(map: &'a mut BTreeMap<String, T>, name: &str) -> &'a mut T {
    if !map.contains_key(name) {
        map.insert(name.to_owned(), T::default());
    }
    map.get_mut(name).expect("it has just been put there")
}
