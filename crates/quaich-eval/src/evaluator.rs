//! Computes all results of a comparison in one pass over two treebanks.

use quaich_treebank::shape::Shapes;
use quaich_treebank::{Node, Sentence};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::analysis::TokenMatch;
use crate::breakdowns::{Breakdown, Context, Table, Tally};
use crate::derivation::Derivation;
use crate::error::Result;
use crate::measures::MEASURES;
use crate::nonprojective::NonProjective;
use crate::pair_reader::PairReader;
use crate::punctuation::PunctuationRule;
use crate::score::Score;
use crate::tree_measures::{TREE_MEASURES, TreeScore};

/// A sentence in the gold standard and in a system's analysis, with the matches of its tokens.
#[derive(Clone, Copy, Debug)]
pub struct SentencePair<'a> {
    /// The sentence in the gold standard.
    pub gold: &'a Sentence,
    /// The same sentence in the system's analysis.
    pub system: &'a Sentence,
    /// The matches by node; `None` for the root and for tokens that are not scored.
    matches: &'a [Option<TokenMatch>],
    /// The derivation, if known.
    pub derivation: Option<&'a Derivation>,
}

impl<'a> SentencePair<'a> {
    /// Creates a pair with these matches, by node.
    pub(crate) fn new(gold: &'a Sentence, system: &'a Sentence, matches: &'a [Option<TokenMatch>]) -> Self {
        Self { gold, system, matches, derivation: None }
    }

    /// Adds a derivation.
    #[must_use]
    pub fn with_derivation(self, derivation: &'a Derivation) -> Self {
        Self { derivation: Some(derivation), ..self }
    }

    /// Returns the match of a token, if it is scored.
    pub fn token_match(&self, token: Node) -> Option<TokenMatch> {
        self.matches[token.index()]
    }

    /// Iterates over the scored tokens with their matches.
    pub fn scored(&self) -> impl Iterator<Item = (Node, TokenMatch)> + use<'a> {
        let matches = self.matches.iter().enumerate();
        matches.filter_map(|(index, token_match)| {
            token_match.map(|token_match| (Node::from_index(index), token_match))
        })
    }

    /// Adds the sentence to a score.
    pub fn add_to(&self, score: &mut Score) {
        score.add_matches(self.gold.n_tokens(), self.matches.iter().copied().flatten());
    }
}

/// Compares treebanks sentence by sentence. Memory grows only with the labels and tags of breakdowns.
pub struct Evaluator {
    punctuation: PunctuationRule,
    score: Score,
    nonprojective: NonProjective,
    trees: TreeScore,
    tallies: Vec<(&'static dyn Breakdown, Box<dyn Tally>)>,
    shapes: Shapes,
    matches: Vec<Option<TokenMatch>>,
}

impl Evaluator {
    /// Creates an evaluator. Duplicate breakdowns are ignored.
    pub fn new(punctuation: PunctuationRule, breakdowns: &[&'static dyn Breakdown]) -> Self {
        Self::with_context(punctuation, breakdowns, &Context::default())
    }

    /// The same, for breakdowns that need additional input.
    pub fn with_context(
        punctuation: PunctuationRule,
        breakdowns: &[&'static dyn Breakdown],
        context: &Context,
    ) -> Self {
        let mut tallies: Vec<(&'static dyn Breakdown, Box<dyn Tally>)> = Vec::new();
        for &breakdown in breakdowns {
            if tallies.iter().all(|(known, _)| known.name() != breakdown.name()) {
                tallies.push((breakdown, breakdown.start(context)));
            }
        }
        Self {
            punctuation,
            score: Score::default(),
            nonprojective: NonProjective::default(),
            trees: TreeScore::default(),
            tallies,
            shapes: Shapes::default(),
            matches: Vec::new(),
        }
    }

    /// Compares a sentence. A sentence without tokens is skipped.
    ///
    /// # Panics
    /// If the two have different numbers of tokens, which [`PairReader`] never returns.
    pub fn add(&mut self, gold: &Sentence, system: &Sentence) {
        assert_eq!(gold.n_tokens(), system.n_tokens(), "the same tokens on both sides");
        if gold.n_tokens() == 0 {
            return;
        }
        self.matches.clear();
        self.matches.push(None);
        let skips = |token| self.punctuation.skips(gold.form(token));
        let matches = gold.tokens().map(|token| (!skips(token)).then(|| TokenMatch::of(gold, system, token)));
        self.matches.extend(matches);
        let matches = std::mem::take(&mut self.matches);
        self.add_pair(&SentencePair::new(gold, system, &matches));
        self.matches = matches;
    }

    /// Counts a compared sentence.
    pub fn add_pair(&mut self, pair: &SentencePair<'_>) {
        pair.add_to(&mut self.score);
        self.nonprojective.add(pair, &mut self.shapes);
        self.trees.add(pair, &mut self.shapes);
        for (_, tally) in &mut self.tallies {
            tally.add(pair);
        }
    }

    /// Compares the rest of two files, calling `done` after every sentence.
    pub fn add_all(&mut self, pairs: &mut PairReader, mut done: impl FnMut()) -> Result<()> {
        while let Some((gold, system)) = pairs.read()? {
            self.add(gold, system);
            done();
        }
        Ok(())
    }

    /// Returns the results so far.
    pub fn evaluation(&self) -> Evaluation {
        Evaluation {
            punctuation: self.punctuation,
            score: self.score,
            nonprojective: self.nonprojective,
            trees: self.trees,
            breakdowns: self.tallies.iter().map(|(breakdown, tally)| (*breakdown, tally.table())).collect(),
        }
    }
}

/// The result of a comparison, displayed as a table and as JSON.
///
/// JSON is one object: `sentences`, `tokens`, `scored_tokens`, `punct`, one key per measure, `nonprojective` and one
/// key per breakdown.
pub struct Evaluation {
    /// Whether punctuation was scored.
    pub punctuation: PunctuationRule,
    /// The scores.
    pub score: Score,
    /// Non-projective arcs.
    pub nonprojective: NonProjective,
    /// Scores of whole trees.
    pub trees: TreeScore,
    /// The requested breakdowns.
    pub breakdowns: Vec<(&'static dyn Breakdown, Table)>,
}

impl Serialize for Evaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("sentences", &self.score.sentences)?;
        map.serialize_entry("tokens", &self.score.tokens)?;
        map.serialize_entry("scored_tokens", &self.score.scored.tokens)?;
        map.serialize_entry("punct", &self.punctuation)?;
        for measure in MEASURES {
            map.serialize_entry(measure.key, &(measure.share)(&self.score).percent())?;
        }
        for measure in TREE_MEASURES {
            map.serialize_entry(measure.key, &(measure.read)(&self.trees).0)?;
        }
        map.serialize_entry("nonprojective", &self.nonprojective)?;
        for (breakdown, table) in &self.breakdowns {
            map.serialize_entry(breakdown.name(), table)?;
        }
        map.end()
    }
}
