//! Source code and bracketed treebanks as dependency treebanks, and back.
//!
//! ```text
//! source ─▶ lexer ─▶ Tokens ─┐
//!    └────▶ grammar ─────────┴▶ PhraseTree ─▶ encode ─▶ Tree ─▶ treebank ─▶ Sentence
//! brackets ───────────────────▶ PhraseTree ◀─ decode ◀─ Tree ◀─ Sentence ─▶ source
//! ```
//!
//! Tokens and tags come from error-tolerant lexers ([`lexer`]), one table entry per language ([`LANGUAGES`]); trees of error-free
//! code come from tree-sitter ([`grammar`]). Encoding is that of Hall and Nivre (2008) and Nilsson et al. (2009): the
//! dependency labels contain what is needed to restore the tree. `tree`, `encode`, `decode`, `head_rules` and `brackets` know
//! nothing of source code and serve constituency treebanks, too.

pub mod bracket_treebank;
pub mod brackets;
pub mod damage;
pub mod decode;
pub mod encode;
pub mod error;
pub mod escape;
pub mod files;
#[cfg(feature = "grammar")]
pub mod grammar;
pub mod grammar_columns;
pub mod head_rules;
pub mod head_table;
pub mod hybrid;
mod labels;
pub mod language;
mod languages;
pub mod lexer;
pub mod placement;
pub mod score;
pub mod sentence_decoder;
#[cfg(feature = "grammar")]
pub mod sentence_maker;
pub mod show;
#[cfg(feature = "grammar")]
pub mod source_parser;
pub mod tree;
pub mod treebank;

pub use brackets::{BracketOptions, BracketReader, BracketedTree, write_brackets};
pub use decode::Decoder;
pub use encode::{Encoder, Labels};
pub use error::{Error, Result};
#[cfg(feature = "grammar")]
pub use grammar::{Analysis, GrammarParser};
pub use grammar_columns::GrammarColumns;
pub use head_rules::{Counting, Frequencies, HEAD_RULES, HeadRule};
pub use head_table::HeadTable;
pub use language::{LANGUAGES, Language, Tag};
pub use lexer::{Lexer, Token};
pub use score::TreeScore;
pub use sentence_decoder::SentenceDecoder;
#[cfg(feature = "grammar")]
pub use sentence_maker::{Copies, SentenceMaker};
#[cfg(feature = "grammar")]
pub use source_parser::{ParsedSource, SourceParser};
pub use tree::{Child, Kind, Kinds, PhraseTree, TreeBuilder};
