//! The averaged perceptron (Freund and Schapire 1999, Collins 2002) and its passive-aggressive variant (Crammer et al. 2006, PA-I):
//! online learning from one instance at a time.
//!
//! ```text
//!   averaged.rs   weights by row and class, with averaging
//!   table.rs      features by hash → rows, in a fixed amount of memory
//! ```

mod averaged;
mod table;

pub use table::{Perceptron, Sums};

/// The update rule for errors.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Update {
    /// A constant step, unless the correct class leads.
    #[default]
    Perceptron,
    /// The smallest step after which the correct class leads by 1, limited to `c` per weight.
    PassiveAggressive {
        /// The maximum step per weight.
        c: f32,
    },
}

impl Update {
    /// The step of each of `n_features` weights if the correct class leads by `lead`.
    fn step(self, lead: f32, n_features: usize) -> f32 {
        // Features are binary, so this step per weight changes the lead by 1.
        #[allow(clippy::cast_precision_loss, reason = "instances have some hundred features")]
        let unit = 0.5 / n_features.max(1) as f32;
        match self {
            // The decisions do not depend on the size of the step; this one keeps leads comparable between learners.
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
