//! A trainable tokenizer and sentence splitter: raw text → tokens and sentences.
//!
//! ```text
//!   text ─▶ paragraphs ─▶ characters with the whitespace around them
//!        ─▶ character encoder ─▶ class of each character: inside a token, or end of a token, multiword token, sentence
//!        ─▶ tokens ─▶ word encoder, where sentence ends are uncertain
//!        ─▶ sentences
//! ```
//!
//! Both encoders use [`quaich_learn::encoder`]. Rules handle the cases that need no learning: no token ends inside a grapheme cluster,
//! whitespace ends a token unless the treebank has tokens with spaces, a blank line ends a sentence, and the length of tokens and
//! sentences is limited.

mod addresses;
mod characters;
mod decode;
mod input;
mod lexicon;
mod model;
mod output;
mod stream;
mod train;
mod training_text;
mod words;
mod worker;

pub use input::InputError;
pub use model::Segmenter;
pub use output::{OutputOptions, TextSentence, TextToken};
pub use stream::{TextMode, TextStream};
pub use train::{SegmenterOptions, TrainingProgress};
