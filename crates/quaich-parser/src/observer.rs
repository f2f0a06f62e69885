//! The events of a training run, as data; observers decide how to show them.

use std::fmt;

use quaich_treebank::counted;
use serde::Serialize;

use crate::description::Scores;
use crate::error::{Error, Result};
use crate::long_derivations::TRANSITIONS_PER_TOKEN;
use crate::plan::Plan;

/// A pretrained encoder that knows a smaller share of a treebank's words, in percent, may be one of another language.
const FEW_KNOWN: f64 = 30.0;

/// An event of a training run. As JSON it is an object with its `kind` and its fields.
///
/// ```
/// let event = quaich_parser::Event::Stage { name: "learning", steps: 3 };
/// assert_eq!(serde_json::to_string(&event).unwrap(), r#"{"kind":"stage","name":"learning","steps":3}"#);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event<'a> {
    /// Training of a part of the model starts. Sent only if the model has several parts.
    Part {
        /// Its number, starting at 1.
        number: usize,
        /// The number of parts.
        of: usize,
        /// What it is.
        name: &'static str,
    },
    /// The plan was made from the treebank and the settings.
    Planned(&'a Plan),
    /// The total number of steps of all stages, sent once before the first stage.
    Work {
        /// The number of steps.
        steps: usize,
    },
    /// A stage starts. Stages may run in parallel.
    Stage {
        /// The name of the stage.
        name: &'static str,
        /// The number of its steps.
        steps: usize,
    },
    /// A step of a stage is finished.
    Step,
    /// An epoch was scored on the dev set.
    Epoch {
        /// The model.
        model: &'a str,
        /// The number of finished epochs.
        done: usize,
        /// The total number of epochs.
        of: usize,
        /// The scores on the dev set.
        scores: Scores,
    },
    /// A model, or the whole parser, was scored on the dev set.
    Scored {
        /// The model; empty for the whole parser.
        model: &'static str,
        /// The scores on the dev set.
        scores: Scores,
    },
    /// The treebank does not record where there are no spaces: the tokenizer is trained on text with spaces by rules.
    SpacingAssumed,
    /// The model was scored on the text of the dev set, from raw text to trees.
    ScoredText {
        /// The measures of CoNLL 2018 and their values in percent.
        measures: &'a [(String, f64)],
    },
    /// The text of the dev set could not be used for scoring.
    TextNotScored {
        /// The reason.
        reason: String,
    },
    /// A linear model was pruned.
    Pruned {
        /// The number of training states.
        states: usize,
        /// One per question: its name, its number of features, and the fraction that is kept.
        questions: &'a [(String, usize, f32)],
    },
    /// Sentences without a tree were skipped.
    LeftOut {
        /// The number of skipped sentences.
        sentences: usize,
        /// The total number of sentences.
        of: usize,
    },
    /// Sentences with partial trees are completed.
    Partial {
        /// The number of these sentences.
        sentences: usize,
        /// The number of words without a head.
        words: usize,
        /// The number of words of all sentences with heads.
        of: usize,
    },
    /// Sentences have weights.
    Weighted {
        /// The number of these sentences.
        sentences: usize,
        /// The number of sentences that are learned from, each as often as it counts.
        learned_from: usize,
        /// The total number of sentences.
        of: usize,
    },
    /// A large treebank was sampled.
    Bounded {
        /// The number of tokens in the sample.
        tokens: usize,
        /// The total number of tokens.
        of: usize,
    },
    /// Sentences have more transitions than training uses.
    LongDerivations {
        /// The number of these sentences.
        sentences: usize,
        /// The total number of sentences.
        of: usize,
    },
    /// A checkpoint could not be stored; training continues.
    NotStored {
        /// The reason.
        reason: String,
    },
    /// A long text is sampled, to bound the memory.
    TextSampled {
        /// The number of words that are kept.
        words: usize,
        /// The number of words that were read.
        of: usize,
    },
    /// What a text has in common with a treebank that models are scored on.
    TextOverlap {
        /// The treebank.
        file: &'a str,
        /// The number of its distinct sequences of four words.
        sequences: usize,
        /// The number of these that the text has.
        found: usize,
        /// The number of sentences of the text that have them.
        sentences: usize,
        /// Whether the sentences of the text that share four words with it were dropped.
        dropped: bool,
    },
    /// Few letters of a text occur in the treebank.
    TextScript {
        /// The share of letters that do, in percent.
        percent: f64,
    },
    /// A pretrained encoder is used.
    Pretrained {
        /// The number of words of the text it was trained on.
        words: usize,
        /// The share of the treebank's words that it knows, in percent.
        known_percent: f64,
    },
    /// Sentences are held out to calibrate probabilities.
    HeldOut {
        /// The number of held-out sentences.
        sentences: usize,
        /// The total number of sentences.
        of: usize,
    },
    /// An event in the training of one parser of an ensemble.
    Member {
        /// Its number, starting at 1.
        number: usize,
        /// The event.
        event: &'a Event<'a>,
    },
    /// The labelled attachment scores of the parsers of an ensemble and of their vote on held-out sentences, in percent.
    Voted {
        /// One per parser.
        parsers: &'a [f64],
        /// The vote with equal weights.
        equal: f64,
        /// The vote with weights fitted to the parsers' accuracy.
        weighted: f64,
    },
    /// The mixture weight of a linear model and a network was chosen on held-out sentences.
    Mixed {
        /// The weight of the network's log-probabilities; 0 for the linear model alone.
        network_weight: f32,
    },
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part { number, of, name } => write!(f, "part {number} of {of}: {name}"),
            Self::Planned(plan) => write!(f, "transition system {}", plan.describe()),
            Self::Work { steps } => write!(f, "{steps} steps"),
            Self::Stage { name, steps } => write!(f, "{name}: {steps} steps"),
            Self::Step => f.write_str("step"),
            Self::Epoch { model, done, of, scores } => {
                write!(f, "{model}, epoch {done} of {of}: dev {scores}")
            }
            Self::Scored { model: "", scores } => write!(f, "dev, gold tokens and tags: {scores}"),
            Self::Scored { model, scores } => write!(f, "{model}: dev {scores}"),
            Self::SpacingAssumed => f.write_str(
                "the treebank does not record where there are no spaces; assumed none before closing and after opening punctuation",
            ),
            Self::ScoredText { measures } => {
                f.write_str("dev, from raw text (labels without subtypes):")?;
                for (i, (name, value)) in measures.iter().enumerate() {
                    write!(f, "{} {name} {value:.2}", if i > 0 { "," } else { "" })?;
                }
                Ok(())
            }
            Self::TextNotScored { reason } => write!(f, "dev, from raw text: not scored, because {reason}"),
            Self::Pruned { states, questions } => {
                write!(f, "{states} training states; pruning keeps")?;
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
                    "{sentences} of {of} sentences {have} no well-formed tree and {are} skipped; run `quaich validate` to see why"
                )
            }
            Self::Partial { sentences, words, of } => {
                let (sentences, words) = (counted(*sentences, "sentence"), counted(*words, "word"));
                write!(f, "{sentences} with partial trees: {words} of {of} have no head")
            }
            Self::Weighted { sentences, learned_from, of } => {
                let have = if *sentences == 1 { "has a weight" } else { "have weights" };
                write!(f, "{sentences} of {of} sentences {have}; learning from {learned_from} sentences, with copies")
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
                write!(f, "cannot store checkpoints, training continues without them: {reason}")
            }
            Self::TextSampled { words, of } => write!(
                f,
                "keeping {words} of {of} words of the text, evenly spaced, to stay within memory; `text.max-words` sets how many"
            ),
            Self::TextOverlap { file, sequences, found, sentences, dropped } => {
                #[allow(clippy::cast_precision_loss, reason = "a percentage")]
                let percent = 100.0 * *found as f64 / (*sequences).max(1) as f64;
                let end = if *dropped { ", left out" } else { "" };
                write!(
                    f,
                    "overlap with {file}: the text has {found} of its {sequences} sequences of four words ({percent:.1} %), \
                     in {}{end}",
                    counted(*sentences, "sentence")
                )
            }
            Self::TextScript { percent } => write!(
                f,
                "warning: only {percent:.0} % of the letters of the text occur in the treebank: is the text in another script?"
            ),
            Self::Pretrained { words, known_percent } => {
                let warning = if *known_percent < FEW_KNOWN { "warning: " } else { "" };
                write!(
                    f,
                    "{warning}the encoder was pretrained on {words} words and knows {known_percent:.1} % of the words of the treebank"
                )
            }
            Self::HeldOut { sentences, of } => {
                write!(f, "{sentences} of {of} sentences are held out to calibrate probabilities")
            }
            Self::Member { number, event } => write!(f, "parser {number}: {event}"),
            Self::Voted { parsers, equal, weighted } => {
                f.write_str("held-out LAS after a shorter training run:")?;
                for las in *parsers {
                    write!(f, " {las:.2}")?;
                }
                write!(f, "; vote: {equal:.2} with equal weights, {weighted:.2} with fitted weights")
            }
            Self::Mixed { network_weight } if *network_weight <= 0.0 => {
                f.write_str("the linear model alone scores best on held-out sentences")
            }
            Self::Mixed { network_weight } => {
                write!(f, "weight of the network's log-probabilities: {network_weight}")
            }
        }
    }
}

/// Receives the events of a training run, and can stop it early.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use quaich_parser::{Event, Observer, Settings, Trainer};
///
/// /// Counts steps, and stops after two.
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
/// let settings = Settings::default().with("learner=network")?.with("held-out=no")?;
/// let model = Trainer::new(&settings).observer(&Two(AtomicUsize::new(0))).train(&treebank)?;
/// assert!(model.description().interrupted);
/// # Ok::<(), quaich_parser::Error>(())
/// ```
pub trait Observer: Sync {
    /// Called for each event.
    fn event(&self, _event: &Event<'_>) {}

    /// Whether to stop. Training asks several times per second, from any thread, and then ends: with the model of the epochs that are
    /// finished, or with [`Error::Stopped`] if there is none. Once this has returned true, it must not return false.
    fn stop(&self) -> bool {
        false
    }
}

impl dyn Observer + '_ {
    /// An error if the observer wants to stop. Everything that takes long asks this; callers that have a model keep it.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stop() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// An observer that ignores all events.
#[derive(Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}
