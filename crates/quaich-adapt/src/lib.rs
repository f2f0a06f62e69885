//! Domain adaptation: a parser for another domain than that of its treebank (the *source*), from text of that domain (the *target*)
//! without trees.
//!
//! ```text
//!   source ─▶ part to learn from ─▶ source model ─┐
//!      └─────▶ held-out part ─────────────────┐   ├─▶ Domain ─▶ Method ─▶ Material ─▶ Trainer ─▶ adapted model
//!   target ─▶ sentences, tagged if necessary ─┼───┘                                                  │
//!                                             └─▶ Guard: is the adapted model harmed? ◀──────────────┘
//! ```
//!
//! A method decides what is learned from; all methods are trained and compared alike. [`METHODS`] lists them: those of the domain
//! adaptation track of the CoNLL 2007 shared task, and newer ones.

mod adaptation;
mod comparison;
mod curve;
mod domain;
mod material;
mod methods;
mod report;
mod shift;
mod tags;

pub use adaptation::{Adaptation, Adapted, Options, Prepared};
pub use comparison::{Change, Comparison, Guard};
pub use curve::{Curve, Point};
pub use methods::{METHODS, Method};
pub use report::{Counts, MethodReport, Report, Verdict};
pub use shift::{LabelShare, Shift};
