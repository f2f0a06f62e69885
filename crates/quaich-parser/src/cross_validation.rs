//! Cross-validation and learning curves: each fold of a treebank is parsed by a parser trained on the others, or on a part of them.
//!
//! Sentence i is in fold i mod k, as in Nivre et al. (2004). Smaller parts are subsets of larger ones.

use std::ops::ControlFlow;

use quaich_eval::{Arcs, PunctuationRule, Score};
use quaich_treebank::Sentence;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::error::{Result, unless_stopped};
use crate::folds::FoldScheme;
use crate::model::Model;
use crate::observer::Observer;
use crate::train::Trainer;
use crate::worker::Worker;

/// How a treebank is split.
#[derive(Clone, PartialEq, Debug)]
pub struct CrossValidation {
    /// The number of folds, at least two.
    pub folds: usize,
    /// The fractions of the other folds to train on, each above 0 and at most 1.
    pub parts: Vec<f64>,
    /// Whether punctuation is scored.
    pub punctuation: PunctuationRule,
    /// The random seed for sampling the parts.
    pub seed: u64,
}

/// The result of a fold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fold {
    /// The number of the fold, starting at 0.
    pub fold: usize,
    /// The fraction of the other folds.
    pub part: f64,
    /// The number of training sentences.
    pub sentences: usize,
    /// The number of training tokens.
    pub tokens: usize,
    /// The scores on the fold.
    pub score: Score,
}

impl CrossValidation {
    /// Trains and scores one fold after the other, and passes each result to `done`. Ends early if the observer or `done` says so; a run
    /// that the observer stopped is not scored.
    pub fn run(
        &self,
        trainer: &Trainer<'_>,
        sentences: &[Sentence],
        observer: &dyn Observer,
        mut done: impl FnMut(&Fold) -> ControlFlow<()>,
    ) -> Result<()> {
        for fold in 0..self.folds {
            let (others, held_out) = self.cut(sentences.len(), fold);
            for &part in &self.parts {
                let learned_from: Vec<Sentence> =
                    self.part_of(&others, part).into_iter().map(|index| sentences[index].clone()).collect();
                let trained = trainer.clone().observer(observer).train(&learned_from);
                let Some(model) = unless_stopped(trained)?.filter(|_| !observer.stop()) else {
                    return Ok(());
                };
                let score = score(&model, sentences, &held_out, self.punctuation);
                let tokens = learned_from.iter().map(Sentence::n_tokens).sum();
                let outcome = Fold { fold, part, sentences: learned_from.len(), tokens, score };
                if done(&outcome).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The indices of all sentences except those of a fold, and those of the fold.
    fn cut(&self, n_sentences: usize, fold: usize) -> (Vec<usize>, Vec<usize>) {
        FoldScheme::Interleaved.split(&(0..n_sentences).collect::<Vec<_>>(), fold, self.folds)
    }

    /// A random sample of sentences, at least one, in order.
    fn part_of(&self, sentences: &[usize], part: f64) -> Vec<usize> {
        let mut shuffled = sentences.to_vec();
        shuffled.shuffle(&mut Pcg64Mcg::seed_from_u64(self.seed));
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a fraction of the sentences"
        )]
        let n = (part * sentences.len() as f64).round() as usize;
        shuffled.truncate(n.max(1));
        shuffled.sort_unstable();
        shuffled
    }
}

/// Splits sentences into those to learn from and those that are held out: one fold of so many, in blocks of consecutive sentences, so that
/// few of them are from the same text as others.
///
/// ```
/// let (others, held_out) = quaich_parser::cross_validation::hold_out(&[1, 2, 3, 4, 5, 6, 7, 8], 4);
/// assert_eq!((others, held_out), (vec![2, 3, 4, 6, 7, 8], vec![1, 5]));
/// ```
pub fn hold_out<T: Clone>(sentences: &[T], folds: usize) -> (Vec<T>, Vec<T>) {
    FoldScheme::Blocks.split(sentences, 0, folds.max(1))
}

/// The scores of a parser on some of the sentences.
fn score(model: &Model, sentences: &[Sentence], held_out: &[usize], punctuation: PunctuationRule) -> Score {
    let one = |worker: &mut Worker, &index: &usize| {
        let gold = &sentences[index];
        let tree = worker.parse(gold);
        let text =
            |label: quaich_treebank::Label| if label.is_none() { "_" } else { model.labels().text(label) };
        let labels: Vec<&str> = tree.labels().iter().map(|&label| text(label)).collect();
        let gold_labels: Vec<&str> =
            ["_"].into_iter().chain(gold.tokens().map(|token| gold.label(token))).collect();
        let mut score = Score::default();
        score.add(
            &Arcs { heads: gold.heads(), labels: &gold_labels },
            &Arcs { heads: tree.heads(), labels: &labels },
            |token| gold.heads()[token.index()].is_none() || punctuation.skips(gold.form(token)),
        );
        score
    };
    let scores: Vec<Score> = held_out.par_iter().map_init(|| model.worker(), one).collect();
    let mut all = Score::default();
    for score in &scores {
        all.absorb(score);
    }
    all
}

/// Mean and sample standard deviation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation, which needs two values.
    pub deviation: Option<f64>,
}

impl Spread {
    /// The spread of some values; `None` without any.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        #[allow(clippy::cast_precision_loss, reason = "a number of folds")]
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        Some(Self { mean, deviation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unobserved;
    use crate::settings::Settings;

    fn plan(folds: usize, parts: &[f64]) -> CrossValidation {
        CrossValidation { folds, parts: parts.to_vec(), punctuation: PunctuationRule::Keep, seed: 1 }
    }

    #[test]
    fn every_sentence_is_in_one_fold() {
        for (n_sentences, folds) in [(10, 3), (7, 7), (20, 2)] {
            let plan = plan(folds, &[1.0]);
            let mut seen = vec![0; n_sentences];
            for fold in 0..folds {
                let (others, held_out) = plan.cut(n_sentences, fold);
                assert_eq!(held_out.len() + others.len(), n_sentences);
                assert!(held_out.iter().all(|index| !others.contains(index)));
                for index in held_out {
                    seen[index] += 1;
                }
            }
            assert!(seen.iter().all(|&times| times == 1), "{n_sentences} in {folds}");
        }
    }

    #[test]
    fn smaller_parts_are_in_larger_ones() {
        let plan = plan(2, &[]);
        let sentences: Vec<usize> = (100..140).collect();
        let parts: Vec<Vec<usize>> =
            [0.0, 0.1, 0.5, 1.0].iter().map(|&part| plan.part_of(&sentences, part)).collect();
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [1, 4, 20, 40]);
        for pair in parts.windows(2) {
            assert!(pair[0].iter().all(|index| pair[1].contains(index)));
            assert!(pair[0].is_sorted());
        }
        assert_eq!(parts[3], sentences);
    }

    #[test]
    fn spread_of_a_few_values() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0]), Some(Spread { mean: 3.0, deviation: None }));
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert!((spread.mean - 5.0).abs() < 1e-12);
        assert!((spread.deviation.unwrap() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
    }

    /// A parser trained on two repeated sentences gets them right.
    #[test]
    fn what_is_in_every_fold_is_learned() {
        let text = "1\ta\t_\tX\t_\t_\t2\tx\t_\t_\n2\tb\t_\tY\t_\t_\t0\tr\t_\t_\n\n1\tc\t_\tZ\t_\t_\t0\tr\t_\t_\n2\td\t_\tW\t_\t_\t1\ty\t_\t_\n\n";
        let source =
            quaich_treebank::Source::from_stream(std::io::Cursor::new(text.repeat(60)), "test".into(), None);
        let reader =
            quaich_treebank::Reader::new(source.unwrap(), &quaich_treebank::ReadOptions::default()).unwrap();
        let sentences: Vec<Sentence> =
            reader.sentences().map(Result::unwrap).filter(|s| s.n_tokens() > 0).collect();
        let settings = Settings::default().with("learner=linear").unwrap();
        let trainer = Trainer::new(&settings);
        let mut outcomes = Vec::new();
        let keep = |fold: &Fold| {
            outcomes.push(*fold);
            ControlFlow::Continue(())
        };
        plan(3, &[0.5, 1.0]).run(&trainer, &sentences, &Unobserved, keep).unwrap();
        assert_eq!(outcomes.len(), 6);
        let sizes: Vec<(usize, usize, u64)> =
            outcomes.iter().map(|fold| (fold.fold, fold.sentences, fold.score.sentences)).collect();
        assert_eq!(sizes, [(0, 40, 40), (0, 80, 40), (1, 40, 40), (1, 80, 40), (2, 40, 40), (2, 80, 40)]);
        for fold in outcomes.iter().filter(|fold| fold.sentences == 80) {
            assert_eq!(fold.score.las().to_string(), "100.00", "{fold:?}");
        }
        // The callback can end the run.
        let mut n = 0;
        let once = |_: &Fold| {
            n += 1;
            ControlFlow::Break(())
        };
        plan(3, &[1.0]).run(&trainer, &sentences, &Unobserved, once).unwrap();
        assert_eq!(n, 1);
    }
}
