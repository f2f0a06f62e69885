//! The parser that each thread uses: source file → tokens and tree, by the grammar, by a model, or by both.

use std::fmt;
use std::sync::Arc;

use quaich_code::grammar::ERROR;
use quaich_code::treebank::SourceFile;
use quaich_code::{Analysis, Decoder, GrammarColumns, Kinds, Language, PhraseTree, SourceParser, Token};
use quaich_parser::Worker;
use quaich_treebank::Layout;
use quaich_treebank::formats::conllu;

use crate::choice::Choice;
use crate::code_model::CodeModel;
use crate::error::{Error, Result};

/// The most tokens of a file that a model parses: with these, it takes half a gigabyte.
pub const MOST_TOKENS: usize = 1_000_000;

/// What a file is to be parsed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum With {
    /// The grammar where the file has no errors, else the grammar and the model together; what is not there is left out.
    #[default]
    Auto,
    /// The grammar.
    Grammar,
    /// The model.
    Model,
}

/// What a tree comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The grammar; the file has no errors.
    Grammar,
    /// The grammar, which repaired errors.
    Recovery,
    /// The grammar, and the model in some regions with errors.
    Hybrid {
        /// The number of regions with errors.
        regions: usize,
        /// The number of those where all nodes are the model's.
        replaced: usize,
    },
    /// The model.
    Model,
}

impl By {
    /// The name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grammar => "grammar",
            Self::Recovery => "grammar-with-errors",
            Self::Hybrid { .. } => "hybrid",
            Self::Model => "model",
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A parsed file.
#[derive(Clone, Debug)]
pub struct ParsedFile {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The tree over them.
    pub tree: PhraseTree,
    /// What the tree comes from.
    pub by: By,
}

/// Parses files of a language, one after the other.
#[derive(Debug)]
pub struct CodeParser {
    source: SourceParser,
    model: Option<Predictor>,
}

/// A model and what its input and output need.
#[derive(Debug)]
struct Predictor {
    worker: Worker,
    layout: Arc<Layout>,
    decoder: Decoder,
    columns: Option<GrammarColumns>,
    choice: Choice,
}

impl CodeParser {
    /// Creates a parser with the grammar only.
    ///
    /// # Errors
    /// If this build does not have the grammar.
    pub fn of_language(language: &'static Language) -> Result<Self> {
        Ok(Self::of_source(SourceParser::new(language, Kinds::new())?))
    }

    fn of_source(source: SourceParser) -> Self {
        Self { source, model: None }
    }

    /// Creates a parser with a model, and with the grammar if this build has it.
    pub(crate) fn with_model(model: &CodeModel) -> Result<Self> {
        let language = model.language();
        let mut source = if language.has_grammar() || model.has_columns() {
            SourceParser::new(language, Kinds::new())?
        } else {
            SourceParser::without_grammar(language, Kinds::new())
        };
        let decoder = Decoder::new(source.root_kind());
        let predictor = Predictor {
            worker: model.model().worker(),
            layout: Arc::new(conllu::layout()),
            decoder,
            columns: model.has_columns().then(GrammarColumns::default),
            choice: model.choice(),
        };
        Ok(Self { model: Some(predictor), ..Self::of_source(source) })
    }

    /// The language.
    pub fn language(&self) -> &'static Language {
        self.source.language()
    }

    /// Changes when the model is preferred to the grammar.
    pub fn set_choice(&mut self, choice: Choice) {
        if let Some(model) = &mut self.model {
            model.choice = choice;
        }
    }

    /// The tokens, the grammar and the kinds of all trees so far.
    pub fn source_mut(&mut self) -> &mut SourceParser {
        &mut self.source
    }

    /// The kinds of all trees so far.
    pub fn kinds(&self) -> &Kinds {
        self.source.kinds()
    }

    /// Parses a file. A file without code has a tree without nodes.
    ///
    /// # Errors
    /// If the file is no text or too large, or takes too long, or if there is nothing to parse it with.
    pub fn parse(&mut self, source: &[u8], with: With) -> Result<ParsedFile> {
        let tokens = self.source.tokens(source)?;
        let language = self.source.language().name;
        let fits_model = tokens.len() <= MOST_TOKENS;
        if with == With::Model && !fits_model {
            return Err(Error::TooLong { found: tokens.len(), limit: MOST_TOKENS });
        }
        let needs_grammar = match (&self.model, with) {
            (None, With::Model) => return Err(Error::NothingToParseWith { language }),
            (None, _) | (Some(_), With::Grammar) => true,
            (Some(model), With::Model) => model.columns.is_some(),
            (Some(_), With::Auto) => self.source.has_grammar(),
        };
        let analysis = if needs_grammar { Some(self.source.analyse(source, &tokens)?) } else { None };
        let is_sound = analysis.as_ref().is_some_and(|analysis| !analysis.has_errors);
        if let Some(analysis) = analysis {
            if with == With::Grammar || (with == With::Auto && is_sound) {
                let by = if is_sound { By::Grammar } else { By::Recovery };
                return Ok(ParsedFile { tokens, tree: analysis.tree, by });
            }
            if self.model.is_none() || !fits_model {
                return Ok(ParsedFile { tokens, tree: analysis.tree, by: By::Recovery });
            }
            let predicted = self.predict(source, &tokens, Some(&analysis))?.unwrap_or_default();
            if with == With::Model {
                return Ok(ParsedFile { tokens, tree: predicted, by: By::Model });
            }
            let (tree, by) = self.combine(&tokens, &analysis, &predicted);
            return Ok(ParsedFile { tokens, tree, by });
        }
        if !fits_model {
            return Err(Error::TooLong { found: tokens.len(), limit: MOST_TOKENS });
        }
        let tree = self.predict(source, &tokens, None)?.unwrap_or_default();
        Ok(ParsedFile { tokens, tree, by: By::Model })
    }

    /// Returns the tree that the model predicts for a file with these tokens and this analysis by the grammar; `None` if there is no
    /// model.
    ///
    /// # Errors
    /// If the model needs the grammar's analysis and there is none.
    pub fn predict(
        &mut self,
        source: &[u8],
        tokens: &[Token],
        analysis: Option<&Analysis>,
    ) -> Result<Option<PhraseTree>> {
        let language = self.source.language();
        let names = self.source.names(tokens);
        let error = self.source.kinds_mut().intern(ERROR);
        let Some(Predictor { worker, layout, decoder, columns, .. }) = &mut self.model else {
            return Ok(None);
        };
        let columns = match (columns, analysis) {
            (None, _) => None,
            (Some(columns), Some(analysis)) => {
                let of = columns.of(&analysis.tree, &names, self.source.kinds(), error);
                Some((of, &*columns))
            }
            (Some(_), None) => return Err(quaich_code::Error::NoGrammar { language: language.name }.into()),
        };
        let columns = columns.as_ref().map(|(of, columns)| (of, columns.labels()));
        let file = SourceFile { language, name: "", source, tokens, comments: &[], columns };
        let Some(sentence) = file.sentence(layout, None)? else { return Ok(Some(PhraseTree::default())) };
        let tree = worker.parse(&sentence).clone();
        let labels = worker.model().labels();
        Ok(Some(decoder.decode(&tree, |label| labels.text(label), self.source.kinds_mut())))
    }

    /// Combines the grammar's tree of a file with errors and the model's.
    pub fn combine(
        &mut self,
        tokens: &[Token],
        analysis: &Analysis,
        predicted: &PhraseTree,
    ) -> (PhraseTree, By) {
        let Some(model) = &self.model else { return (analysis.tree.clone(), By::Recovery) };
        let choice = model.choice;
        let error = self.source.kinds_mut().intern(ERROR);
        choice.combine(self.source.language(), tokens, (analysis, error), predicted)
    }
}
