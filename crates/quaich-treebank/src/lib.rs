//! Lossless reading and writing of treebank files ([`Sentence`]), trees in flat arrays, and properties of trees.
//!
//! This crate does no parsing or learning, and depends on no other crate of the workspace.
//!
//! ```
//! use quaich_treebank::{ReadOptions, Reader, Source};
//!
//! let text = "1\tHello\thello\tINTJ\tUH\t_\t0\troot\t_\t_\n\n";
//! let source = Source::from_stream(text.as_bytes(), "example".into(), None)?;
//! for sentence in Reader::new(source, &ReadOptions::default())?.sentences() {
//!     let sentence = sentence?;
//!     for token in sentence.tokens() {
//!         assert_eq!(sentence.form(token), "Hello");
//!     }
//!     assert_eq!(sentence.text(), text);
//! }
//! # Ok::<(), quaich_treebank::Error>(())
//! ```
//!
//! Sentences can also be built from words: [`Sentence::from_words`], [`SentenceBuilder`].

pub mod blocks;
mod compression;
pub mod convert;
mod counted;
pub mod encoding;
pub mod error;
pub mod flags;
pub mod formats;
pub mod join;
pub mod layout;
pub mod reader;
mod scan;
pub mod sentence;
pub mod shape;
pub mod side_file;
pub mod sink;
pub mod source;
pub mod symbols;
pub mod tree;
mod treebank;
mod unfinished;
pub mod validate;
pub mod visible;

pub use counted::counted;
pub use error::{Error, Level, Problem, Result, UnknownName};
pub use flags::FlagError;
pub use join::{Joined, SentenceWriter};
pub use layout::{Layout, Role};
pub use reader::{FormatChoice, Opened, ReadOptions, Reader, TextSource};
pub use sentence::{Line, Sentence, SentenceBuilder, Underscore};
pub use sink::Sink;
pub use source::{Meter, Source};
pub use symbols::{Label, Symbols};
pub use tree::{Node, Tree};
pub use treebank::Treebank;
pub use unfinished::remove_unfinished;
pub use validate::Validator;
