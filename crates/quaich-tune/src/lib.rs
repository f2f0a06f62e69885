//! Tuning: settings, transition system and feature model chosen by trials, within a budget.
//!
//! It follows the procedure of Hall et al. (2007), which was done by hand: look at the data, choose parsing algorithm and transformation,
//! select features backward and forward, tune the learner, by nine-fold cross-validation, with a final dry run on held-out sentences.
//!
//! ```text
//!   sentences ─▶ Data ─▶ Search ─▶ Trial ─▶ Executor ─▶ Outcome ─▶ Journal
//!                          ▲  └─ phases, selection, space, parzen      │
//!                          └──────────── compare ◀─────────────────────┘
//!   Search ─▶ Log ─▶ configuration, report
//! ```

mod budget;
mod candidate;
mod compare;
mod data;
mod error;
mod executor;
mod journal;
mod key;
mod log;
mod measure;
mod parzen;
mod phases;
pub mod report;
mod search;
mod selection;
mod space;
mod trial;
mod tune;

pub use budget::Budget;
pub use candidate::Candidate;
pub use compare::{Difference, Scored};
pub use data::{Data, Facts, Part};
pub use error::{Error, Result};
pub use executor::{InProcess, Runner};
pub use journal::Journal;
pub use log::{BudgetRecord, DryRun, Event, Log, Shortage, Step, Tried};
pub use measure::{MEASURES, Measure};
pub use phases::{PHASES, Phase};
pub use search::Options;
pub use trial::{Fidelity, Outcome, Scores, Trial};
pub use tune::{Tuned, Tuner};

#[cfg(test)]
mod tests;
