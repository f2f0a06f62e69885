//! What the grammar, a model, and both together keep of a damaged file.

use quaich_code::damage::{Blanked, Damage, Random, Trial};
use quaich_code::grammar::ERROR;
use quaich_code::{ParsedSource, PhraseTree, TreeScore};

use crate::code_parser::CodeParser;
use crate::error::Result;

/// The scores on a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrialScores {
    /// Of the grammar.
    pub grammar: TreeScore,
    /// Of the model; of the grammar if there is none.
    pub model: TreeScore,
    /// Of both together; of the grammar if there is no model.
    pub hybrid: TreeScore,
}

/// A damaged file, analysed.
#[derive(Debug)]
pub struct AnalysedCopy {
    trial: Trial,
    predicted: PhraseTree,
}

impl AnalysedCopy {
    /// Damages a file and analyses the copy. `None` if the file has nothing that can be damaged so.
    ///
    /// # Errors
    /// If the copy cannot be parsed.
    pub fn new(
        parser: &mut CodeParser,
        (source, original): (&[u8], &ParsedSource),
        damage: Damage,
        random: &mut Random,
    ) -> Result<Option<Self>> {
        let Some(trial) = Trial::new(parser.source_mut(), (source, original), damage, random)? else {
            return Ok(None);
        };
        Self::of_trial(parser, trial).map(Some)
    }

    /// Analyses a file with its macros, compared with the file without them.
    ///
    /// # Errors
    /// If the file cannot be parsed.
    pub fn of_macros(parser: &mut CodeParser, file: &Blanked) -> Result<Self> {
        let trial = Trial::of_macros(parser.source_mut(), file)?;
        Self::of_trial(parser, trial)
    }

    fn of_trial(parser: &mut CodeParser, trial: Trial) -> Result<Self> {
        let copy = &trial.copy;
        let predicted = parser.predict(trial.damaged.source(), &copy.tokens, Some(&copy.analysis))?;
        let predicted = predicted.unwrap_or_else(|| copy.analysis.tree.clone());
        Ok(Self { trial, predicted })
    }

    /// Whether the grammar finds errors in the copy.
    pub fn has_errors(&self) -> bool {
        self.trial.copy.analysis.has_errors
    }

    /// Returns the tree of the grammar and the model together.
    pub fn hybrid(&self, parser: &mut CodeParser) -> PhraseTree {
        let copy = &self.trial.copy;
        if copy.analysis.has_errors {
            parser.combine(&copy.tokens, &copy.analysis, &self.predicted).0
        } else {
            copy.analysis.tree.clone()
        }
    }

    /// Scores a tree of the copy.
    pub fn score(&self, original: &ParsedSource, system: &PhraseTree) -> TreeScore {
        self.trial.score(original, system)
    }

    /// Scores all trees of the copy.
    pub fn scores(&self, parser: &mut CodeParser, original: &ParsedSource) -> TrialScores {
        TrialScores {
            grammar: self.score(original, &self.trial.copy.analysis.tree),
            model: self.score(original, &self.predicted),
            hybrid: self.score(original, &self.hybrid(parser)),
        }
    }
}

/// Scores the analyses of a file without damage, which parses without error.
///
/// # Errors
/// If the file cannot be parsed.
pub fn score_undamaged(
    parser: &mut CodeParser,
    source: &[u8],
    original: &ParsedSource,
) -> Result<TrialScores> {
    let error = parser.source_mut().kinds_mut().intern(ERROR);
    let gold = &original.analysis.tree;
    let score = |system: &PhraseTree| {
        let mut score = TreeScore::default();
        score.add(gold, system, error, |token| !original.tokens[token].tag.is_layout());
        score
    };
    let predicted = parser.predict(source, &original.tokens, Some(&original.analysis))?;
    let grammar = score(gold);
    let model = predicted.map_or(grammar, |predicted| score(&predicted));
    Ok(TrialScores { grammar, model, hybrid: grammar })
}
