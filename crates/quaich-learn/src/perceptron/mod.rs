//! The averaged perceptron (Freund and Schapire 1999, Collins 2002) and its passive-aggressive
//! variant (Crammer et al. 2006, PA-I): one instance at a time.
//!
//! ```text
//!   averaged.rs   weights by row and class that remember their average
//!   table.rs      features by hash → rows, in a fixed amount of memory: for learning online
//! ```

mod averaged;
mod table;

pub use table::{Perceptron, Sums};

/// How far weights move when they are wrong.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Update {
    /// By the same step whenever a wrong class is not behind.
    #[default]
    Perceptron,
    /// As far as it takes for the right class to lead by 1, but by no more than `c` a weight.
    PassiveAggressive {
        /// The longest step.
        c: f32,
    },
}

impl Update {
    /// By how much the weights of `n_features` features move if the right class leads by `lead`.
    fn step(self, lead: f32, n_features: usize) -> f32 {
        // Features are binary, so this much a weight changes the lead by 1.
        #[allow(clippy::cast_precision_loss, reason = "instances have some hundred features")]
        let unit = 0.5 / n_features.max(1) as f32;
        match self {
            // Any step gives the same decisions; this one keeps leads comparable between learners.
            Self::Perceptron => {
                if lead > 0.0 {
                    0.0
                } else {
                    unit
                }
            }
            Self::PassiveAggressive { c } => ((1.0 - lead).max(0.0) * unit).min(c),
        }
    }
}
