//! The scorers of CoNLL-X (`eval.pl`), 2007 (`eval07.pl`) and 2009 (`eval09.pl`, syntactic and semantic scores): the
//! overall scores, their distribution over part-of-speech tags, labels, directions, distances and frames, and an error
//! analysis.

mod bins;
mod counts;
mod errors;
mod report;
mod semantics;
mod text;

pub use counts::{LabelCounts, TagCounts};
pub use errors::{
    ContextErrors, ErrorReport, FrequentError, LocalContext, SentenceErrors, SharedContext, WorstSentences,
};
pub use report::{Agreed, Report};
pub use semantics::Semantics;

use quaich_treebank::{Layout, Reader, Role};

use super::{Official, Scorer};
use crate::error::Result;
use crate::pair_reader::PairReader;
use crate::punctuation::PunctuationRule;
use counts::Counts;

/// The scorer of CoNLL-X.
pub static CONLLX: Conll = Conll {
    name: "conllx",
    about: "CoNLL-X (eval.pl): attachment without punctuation, with breakdowns",
    punctuation: PunctuationRule::Skip,
    tags: "CPOSTAGs",
    tag_column: None,
    semantic: false,
};

/// The scorer of CoNLL 2007.
pub static CONLL07: Conll = Conll {
    name: "conll07",
    about: "CoNLL 2007 (eval07.pl): attachment of all tokens, with breakdowns",
    punctuation: PunctuationRule::Keep,
    ..CONLLX
};

/// The scorer of CoNLL 2009.
pub static CONLL09: Conll = Conll {
    name: "conll09",
    about: "CoNLL 2009 (eval09.pl): attachment of all tokens, predicates and their arguments, with breakdowns",
    tags: "PPOSS tags",
    tag_column: Some("PPOS"),
    semantic: true,
    ..CONLL07
};

/// The differences between the three scorers.
#[derive(Clone, Copy, Debug)]
pub struct Conll {
    name: &'static str,
    about: &'static str,
    punctuation: PunctuationRule,
    /// The name of part-of-speech tags.
    tags: &'static str,
    /// The column of the tags, if it is not that of coarse tags.
    tag_column: Option<&'static str>,
    /// Whether predicates and their arguments are scored.
    semantic: bool,
}

impl Conll {
    /// Returns the column of part-of-speech tags.
    fn tag_column(&self, layout: &Layout) -> Option<usize> {
        let named =
            self.tag_column.and_then(|name| layout.columns().iter().position(|column| column.name == name));
        named.or_else(|| layout.position(Role::CoarseTag)).or_else(|| layout.position(Role::FineTag))
    }
}

impl Scorer for Conll {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn score(&self, gold: Reader, system: Reader, done: &mut dyn FnMut()) -> Result<Official> {
        let files = (system.file().to_owned(), gold.file().to_owned());
        let tag_column = self.tag_column(gold.layout());
        let mut counts = Counts::new(self.punctuation, tag_column, self.semantic);
        let mut pairs = PairReader::new(gold, system);
        while let Some((gold, system)) = pairs.read()? {
            counts.add(gold, system);
            done();
        }
        let report = Report::new(self, files, counts);
        pairs.check_scored(report.scored.tokens + report.non_scoring, report.scored.tokens)?;
        Ok(Official::Attachment(Box::new(report)))
    }
}
