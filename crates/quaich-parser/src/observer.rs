//! What a training tells while it runs, as data; how it is shown is the observer's affair.

use std::fmt;

use crate::description::Scores;
use crate::long_derivations::TRANSITIONS_PER_TOKEN;
use crate::plan::Plan;

/// Something that happens in a training.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// What the treebank decided.
    Planned(&'a Plan),
    /// How many steps there are in all stages together: told once, before the first of them.
    Work {
        /// As many.
        steps: usize,
    },
    /// A stage of so many steps begins. Stages may run side by side.
    Stage {
        /// What is done.
        name: &'static str,
        /// How many steps it takes.
        steps: usize,
    },
    /// A step of a stage is done.
    Step,
    /// An epoch is done, and how well the model does on the development set.
    Epoch {
        /// The model.
        model: &'a str,
        /// How many epochs are done.
        done: usize,
        /// How many there will be.
        of: usize,
        /// On the development set.
        scores: Scores,
    },
    /// A model, or the whole parser, was scored on the development set.
    Scored {
        /// The model; empty for the parser.
        model: &'static str,
        /// On the development set.
        scores: Scores,
    },
    /// A linear model was pruned.
    Pruned {
        /// The states it was learned from.
        states: usize,
        /// By question: its name, how many features there were, and the part that is kept.
        questions: &'a [(String, usize, f32)],
    },
    /// Sentences that have no tree to learn from were left out.
    LeftOut {
        /// How many.
        sentences: usize,
        /// Of how many.
        of: usize,
    },
    /// Of a large treebank a part is learned from.
    Bounded {
        /// So many tokens.
        tokens: usize,
        /// Of so many.
        of: usize,
    },
    /// Sentences take more transitions than are learned from.
    LongDerivations {
        /// How many.
        sentences: usize,
        /// Of how many.
        of: usize,
    },
    /// What is done could not be stored; training goes on.
    NotStored {
        /// Why.
        reason: String,
    },
    /// Sentences are held out to calibrate probabilities.
    HeldOut {
        /// How many.
        sentences: usize,
        /// Of how many.
        of: usize,
    },
    /// Something happens in the training of a parser of an ensemble.
    Member {
        /// Its number, from 1.
        number: usize,
        /// What happens.
        event: &'a Event<'a>,
    },
    /// How the parsers of an ensemble do on sentences that they have not learned from, and what comes of their votes: labelled attachment
    /// scores in percent.
    Voted {
        /// By parser.
        parsers: &'a [f64],
        /// With equal votes.
        equal: f64,
        /// With votes that count what their parser had right.
        weighted: f64,
    },
    /// How a linear model and a network decide together, by what they do with held-out sentences.
    Mixed {
        /// The weight of the network's log-probabilities; 0 for the linear model alone.
        network_weight: f32,
    },
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Planned(plan) => write!(f, "{}", plan.describe()),
            Self::Work { steps } => write!(f, "{steps} steps"),
            Self::Stage { name, steps } => write!(f, "{name}: {steps} steps"),
            Self::Step => f.write_str("a step"),
            Self::Epoch { model, done, of, scores } => {
                write!(f, "{model}, epoch {done} of {of}: dev {scores}")
            }
            Self::Scored { model: "", scores } => write!(f, "dev: {scores}"),
            Self::Scored { model, scores } => write!(f, "{model}: dev {scores}"),
            Self::Pruned { states, questions } => {
                write!(f, "{states} states; keeping")?;
                for (i, (name, n_features, keep)) in questions.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    write!(f, "{comma} {:.0} % of {n_features} features for {name}", keep * 100.0)?;
                }
                Ok(())
            }
            Self::LeftOut { sentences, of } => {
                let (have, are) = if *sentences == 1 { ("has", "is") } else { ("have", "are") };
                write!(
                    f,
                    "{sentences} of {of} sentences {have} no well-formed tree and {are} left out; `quaich validate` tells why"
                )
            }
            Self::Bounded { tokens, of } => write!(
                f,
                "learning from {tokens} of {of} tokens, evenly spaced, to stay within memory; `max-tokens` sets how many, \
                 and `--learner perceptron` learns from all"
            ),
            Self::LongDerivations { sentences, of } => {
                let take = if *sentences == 1 { "takes" } else { "take" };
                write!(
                    f,
                    "{sentences} of {of} sentences {take} more than {TRANSITIONS_PER_TOKEN} transitions per token; \
                     the parser learns only from the first {TRANSITIONS_PER_TOKEN} per token"
                )
            }
            Self::NotStored { reason } => {
                write!(f, "what is done cannot be stored, training goes on without: {reason}")
            }
            Self::HeldOut { sentences, of } => {
                write!(f, "{sentences} of {of} sentences are held out to calibrate probabilities")
            }
            Self::Member { number, event } => write!(f, "parser {number}: {event}"),
            Self::Voted { parsers, equal, weighted } => {
                f.write_str("held-out LAS after a shorter training:")?;
                for las in *parsers {
                    write!(f, " {las:.2}")?;
                }
                write!(f, "; together {equal:.2} with equal votes, {weighted:.2} with weights")
            }
            Self::Mixed { network_weight } if *network_weight <= 0.0 => {
                f.write_str("held-out sentences are parsed best by the linear model alone")
            }
            Self::Mixed { network_weight } => {
                write!(f, "weight of the network's log-probabilities: {network_weight}")
            }
        }
    }
}

/// Is told how training goes, and can end it early.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use quaich_parser::{Event, Observer, Settings, Trainer};
///
/// /// Counts steps, and has enough after two.
/// struct Two(AtomicUsize);
///
/// impl Observer for Two {
///     fn event(&self, event: &Event<'_>) {
///         if matches!(event, Event::Step) {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
///
///     fn stop(&self) -> bool {
///         self.0.load(Ordering::Relaxed) >= 2
///     }
/// }
///
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// let settings = Settings::default().with("learner=network")?;
/// let model = Trainer::new(&settings).observer(&Two(AtomicUsize::new(0))).train(&treebank)?;
/// assert!(model.description().interrupted);
/// # Ok::<(), quaich_parser::Error>(())
/// ```
pub trait Observer: Sync {
    /// Something happened.
    fn event(&self, _event: &Event<'_>) {}

    /// Whether to stop as soon as there is a usable parser.
    fn stop(&self) -> bool {
        false
    }
}

/// An observer that looks away.
#[derive(Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}
