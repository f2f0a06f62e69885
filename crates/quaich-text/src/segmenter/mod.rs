//! Text → tokens and sentences, learned from a treebank.
//!
//! ```text
//!   text ─▶ paragraphs ─▶ characters with the white space around them
//!        ─▶ encoder ─▶ per character: inside, ends a token, a multiword token, and a sentence
//!        ─▶ tokens ─▶ second encoder, over words, where sentence ends are uncertain
//!        ─▶ sentences
//! ```
//!
//! Both encoders are those of [`quaich_learn::encoder`]. What is certain without learning is done by rules: no token ends inside a
//! grapheme cluster, white space ends tokens unless the treebank has tokens with spaces, a blank line ends a sentence, sentences and
//! tokens have a length that they cannot exceed.

mod characters;
mod decode;
mod input;
mod lexicon;
mod model;
mod output;
mod stream;
mod train;
mod training_text;
mod unbreakable;
mod words;
mod worker;

pub use input::InputError;
pub use model::Segmenter;
pub use output::{OutputOptions, TextSentence, TextToken};
pub use stream::{TextMode, TextStream};
pub use train::{SegmenterOptions, TrainingProgress};
