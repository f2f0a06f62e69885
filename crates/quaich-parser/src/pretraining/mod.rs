//! Pretraining: an encoder learns from text without annotation, by predicting words that are hidden from it.
//!
//! ```text
//!   files ─▶ TextFiles: tokens, sentences ─▶ WordText: numbers of forms ─▶ Pretraining ─▶ PretrainedEncoder ⇄ file
//!                                                                           PretrainedEncoder ─▶ Trainer ─▶ Model
//! ```
//!
//! Text has forms and nothing else, so the attributes of a pretrained encoder are the form and its character n-grams. A parser's encoder
//! takes over their embeddings and the layers; its other attributes and layers start from random weights.

mod encoder;
mod file;
mod input;
mod overlap;
mod train;
mod word_bounds;
mod words;

pub use encoder::PretrainedEncoder;
pub use file::is_encoder;
pub use input::{TextFile, TextFiles, TextReport, warn_of_other_script};
pub use overlap::Overlap;
pub use train::Pretraining;
pub use words::WordText;

pub use crate::description::PretrainingDescription;
