//! Quaich: a data-driven dependency parser generator. Give it a treebank, get a parser.
//!
//! This crate gathers the others in the order in which data flow through them.

/// Treebank files in and out, byte for byte; trees and their shapes.
pub use quaich_treebank as treebank;

/// Treebanks described and parses judged.
pub use quaich_eval as eval;

/// Trees as pictures, in the terminal or as SVG.
pub use quaich_draw as draw;

pub mod sample;
