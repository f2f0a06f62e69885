//! What an analysis of a damaged copy keeps of the original.
//!
//! Both trees are restricted to the tokens of the original that are also tokens of the copy. ERROR nodes claim nothing.

use super::{Alignment, Blanked, Damage, Damaged, Random};
use crate::error::Result;
use crate::grammar::ERROR;
use crate::score::TreeScore;
use crate::source_parser::{ParsedSource, SourceParser};
use crate::tree::{Kind, PhraseTree};

/// A damaged copy, parsed by the grammar.
#[derive(Debug)]
pub struct Trial {
    /// The copy.
    pub damaged: Damaged,
    /// The analysis of the copy by the grammar.
    pub copy: ParsedSource,
    alignment: Alignment,
    root: Kind,
    error: Kind,
}

impl Trial {
    /// Damages a file and parses the copy. `None` if the file has nothing that can be damaged so.
    pub fn new(
        parser: &mut SourceParser,
        (source, original): (&[u8], &ParsedSource),
        damage: Damage,
        random: &mut Random,
    ) -> Result<Option<Self>> {
        let Some(damaged) = damage.apply(parser.language(), source, &original.tokens, random) else {
            return Ok(None);
        };
        Self::of_copy(parser, original, damaged).map(Some)
    }

    /// Parses a file with its macros, which is a damaged copy of the file without them.
    ///
    /// # Errors
    /// If the grammar takes too long.
    pub fn of_macros(parser: &mut SourceParser, file: &Blanked) -> Result<Self> {
        Self::of_copy(parser, &file.parsed, file.with_macros.clone())
    }

    fn of_copy(parser: &mut SourceParser, original: &ParsedSource, damaged: Damaged) -> Result<Self> {
        let copy = parser.parse(damaged.source())?;
        let alignment = Alignment::new(&damaged, &original.tokens, &copy.tokens);
        let (root, error) = (parser.root_kind(), parser.kinds_mut().intern(ERROR));
        Ok(Self { damaged, copy, alignment, root, error })
    }

    /// Returns the tree of the original over the tokens of the copy: the right analysis, for training.
    pub fn right_tree(&self, original: &ParsedSource) -> PhraseTree {
        self.alignment.carry_over(&original.analysis.tree, self.root)
    }

    /// Scores a tree of the copy.
    pub fn score(&self, original: &ParsedSource, system: &PhraseTree) -> TreeScore {
        let (gold, system) = self.alignment.common(&original.analysis.tree, system, self.root);
        let mut score = TreeScore::default();
        score.add(&gold, &system, self.error, |_| true);
        score
    }
}
