//! Drawings of dependency trees: the layout is computed once, in [`layout`], and drawn with characters ([`terminal`],
//! [`tree_view`]) or as SVG ([`svg`]).
//!
//! This crate reads and writes no files, and accepts any heads: tokens without a head, several roots and cycles are
//! drawn as they are.
//!
//! ```
//! use quaich_draw::{Picture, Word, terminal};
//!
//! let word = |form: &str| Word { form: form.into(), tag: String::new(), number: String::new() };
//! let mut picture = Picture { words: vec![word("they"), word("sleep")], ..Picture::default() };
//! picture.arc(2, 1, "nsubj");
//! picture.arc(0, 2, "root");
//! let options = terminal::Options { ascii: true, ..terminal::Options::default() };
//! assert_eq!(
//!     terminal::draw(&picture, options),
//!     [
//!         "         root",
//!         "  .-nsubj-.|",
//!         "  v       |v",
//!         "they     sleep",
//!         "",
//!     ]
//!     .join("\n")
//! );
//! ```

pub mod layout;
pub mod picture;
pub mod svg;
pub mod terminal;
pub mod tree_view;

pub use picture::{Picture, Word, isolated};
