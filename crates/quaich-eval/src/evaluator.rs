//! Everything that is asked of a comparison, counted in one pass over two treebanks.

use quaich_treebank::shape::Shapes;
use quaich_treebank::{Node, Sentence};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::analysis::Verdict;
use crate::breakdowns::{Breakdown, Context, Table, Tally};
use crate::derivation::Derivation;
use crate::error::Result;
use crate::measures::MEASURES;
use crate::nonprojective::NonProjective;
use crate::pairs::Pairs;
use crate::punctuation::PunctuationRule;
use crate::score::Score;
use crate::tree_measures::{TREE_MEASURES, TreeScore};

/// A sentence with the verdicts on its tokens.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The sentence in the gold standard.
    pub gold: &'a Sentence,
    /// The same sentence as the system has it.
    pub system: &'a Sentence,
    /// The verdicts by node; none on the root and on tokens that are not scored.
    verdicts: &'a [Option<Verdict>],
    /// How a parser came to it, where that is known.
    pub derivation: Option<&'a Derivation>,
}

impl<'a> Judged<'a> {
    /// A sentence with these verdicts, by node.
    pub(crate) fn new(gold: &'a Sentence, system: &'a Sentence, verdicts: &'a [Option<Verdict>]) -> Self {
        Self { gold, system, verdicts, derivation: None }
    }

    /// The same with how a parser came to it.
    #[must_use]
    pub fn with_derivation(self, derivation: &'a Derivation) -> Self {
        Self { derivation: Some(derivation), ..self }
    }

    /// The verdict on a token, if it is scored.
    pub fn verdict(&self, token: Node) -> Option<Verdict> {
        self.verdicts[token.index()]
    }

    /// The scored tokens with the verdicts on them.
    pub fn scored(&self) -> impl Iterator<Item = (Node, Verdict)> + use<'a> {
        let verdicts = self.verdicts.iter().enumerate();
        verdicts.filter_map(|(index, verdict)| verdict.map(|verdict| (Node::from_index(index), verdict)))
    }

    /// Counts the sentence in a score.
    pub fn add_to(&self, score: &mut Score) {
        score.add_verdicts(self.gold.n_tokens(), self.verdicts.iter().copied().flatten());
    }
}

/// Compares treebanks sentence by sentence. Memory grows only with the labels and tags of break-downs.
pub struct Evaluator {
    punctuation: PunctuationRule,
    score: Score,
    nonprojective: NonProjective,
    trees: TreeScore,
    tallies: Vec<(&'static dyn Breakdown, Box<dyn Tally>)>,
    shapes: Shapes,
    verdicts: Vec<Option<Verdict>>,
}

impl Evaluator {
    /// Nothing compared yet. A break-down that is named twice is made once.
    pub fn new(punctuation: PunctuationRule, breakdowns: &[&'static dyn Breakdown]) -> Self {
        Self::with_context(punctuation, breakdowns, &Context::default())
    }

    /// The same, for break-downs that need more than the two analyses.
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
            verdicts: Vec::new(),
        }
    }

    /// Compares a sentence. One without tokens is passed over.
    ///
    /// # Panics
    /// When the two have not the same number of tokens; [`Pairs`] gives none that have not.
    pub fn add(&mut self, gold: &Sentence, system: &Sentence) {
        assert_eq!(gold.n_tokens(), system.n_tokens(), "the same tokens on both sides");
        if gold.n_tokens() == 0 {
            return;
        }
        self.verdicts.clear();
        self.verdicts.push(None);
        let skips = |token| self.punctuation.skips(gold.form(token));
        let verdicts = gold.tokens().map(|token| (!skips(token)).then(|| Verdict::of(gold, system, token)));
        self.verdicts.extend(verdicts);
        let verdicts = std::mem::take(&mut self.verdicts);
        self.add_judged(&Judged::new(gold, system, &verdicts));
        self.verdicts = verdicts;
    }

    /// Counts a sentence that has been judged.
    pub fn add_judged(&mut self, judged: &Judged<'_>) {
        judged.add_to(&mut self.score);
        self.nonprojective.add(judged, &mut self.shapes);
        self.trees.add(judged, &mut self.shapes);
        for (_, tally) in &mut self.tallies {
            tally.add(judged);
        }
    }

    /// Compares all that is left of two files, calling `done` after every sentence.
    pub fn add_all(&mut self, pairs: &mut Pairs, mut done: impl FnMut()) -> Result<()> {
        while let Some((gold, system)) = pairs.read()? {
            self.add(gold, system);
            done();
        }
        Ok(())
    }

    /// What was found so far.
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

/// The outcome of a comparison; the value behind both the table and the JSON.
///
/// As JSON one object: `sentences`, `tokens`, `scored_tokens`, `punct`, a key for every measure, `nonprojective`
/// and a key for every break-down.
pub struct Evaluation {
    /// Whether punctuation was scored.
    pub punctuation: PunctuationRule,
    /// The scores.
    pub score: Score,
    /// Non-projective arcs.
    pub nonprojective: NonProjective,
    /// What is right about whole trees.
    pub trees: TreeScore,
    /// The break-downs that were asked for.
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
