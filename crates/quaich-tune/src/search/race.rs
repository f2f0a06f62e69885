//! Successive halving: candidates against the best so far, rung by rung, and the decision.

use super::Search;
use crate::budget::Budget;
use crate::candidate::Candidate;
use crate::compare::{Difference, Scored};
use crate::data::Part;
use crate::executor::Halt;
use crate::log::{Event, Step, Tried};
use crate::measure::Measure;
use crate::phases::Phase;
use crate::trial::{Outcome, Scores, Trial, seed_of};

/// A change is accepted if a difference as large has at most this probability by chance, times the number of finalists.
const ALPHA: f64 = 0.05;
/// One in this many candidates stays after each rung.
const ONE_IN: usize = 3;
/// The numbers of folds of the rungs.
const RUNGS: [usize; 3] = [1, 3, 9];
/// The shares of the training sentences of the rungs, if there is one fold.
const SHARES: [f64; 3] = [0.12, 0.35, 1.0];
/// From this many trials, the last rung has all folds.
const MANY_TRIALS: usize = 60;
/// By how much LAS may be lower for more speed, and a score on the first rung, in points.
const MARGIN: f64 = 0.3;
/// How much faster a candidate must be.
const FASTER: f64 = 1.05;

/// A rung: what candidates are scored on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rung {
    pub(super) folds: usize,
    pub(super) share: f64,
}

/// A candidate and its scores on a rung.
struct Ranked {
    candidate: Candidate,
    /// Its place in the log.
    tried: usize,
    /// How much better it is than the best so far, by the goal.
    gain: f64,
}

/// The scores of a candidate on a rung, or why there are none.
type Outcomes = Result<Scored, String>;

impl Search<'_> {
    /// The rungs if this many trials are affordable.
    pub(super) fn rungs(&self, affordable: usize) -> Vec<Rung> {
        if self.data.n_folds() == 1 {
            return SHARES.iter().map(|&share| Rung { folds: 1, share }).collect();
        }
        let is_affordable = |folds: &usize| *folds <= RUNGS[1] || affordable >= MANY_TRIALS;
        let rungs = RUNGS.into_iter().filter(|folds| *folds <= self.data.n_folds() && is_affordable(folds));
        rungs.map(|folds| Rung { folds, share: 1.0 }).collect()
    }

    pub(super) fn trial(&self, candidate: &Candidate, fold: usize, rung: Rung) -> Trial {
        let part = Part::Fold(fold);
        Trial { candidate: candidate.clone(), part, share: rung.share, fidelity: self.fidelity }
    }

    /// Compares candidates with the best so far, rung by rung, and accepts the best of them if it is better beyond noise. After the first
    /// rung, `combined` may add candidates made of those that gain. If the budget ends before that, the record says so.
    pub(super) fn race(
        &mut self,
        phase: Phase,
        candidates: Vec<Candidate>,
        share: usize,
        combined: impl Fn(&[&Candidate], usize) -> Vec<Candidate>,
    ) -> Result<(), Halt> {
        let (n_steps, n_tried) = (self.log.steps.len(), self.log.tried.len());
        let result = self.heat(phase, candidates, share, combined);
        if matches!(result, Err(Halt::Spent)) {
            if self.log.steps.len() == n_steps && self.log.tried.len() > n_tried {
                let tried = &self.log.tried[n_tried..];
                let gain = |tried: &Tried| (tried.folds, tried.gain.unwrap_or(f64::NEG_INFINITY));
                let order = |a: &(usize, &Tried), b: &(usize, &Tried)| {
                    let (a, b) = (gain(a.1), gain(b.1));
                    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
                };
                let best = tried.iter().enumerate().max_by(order).map(|(index, _)| n_tried + index);
                let n = tried.len();
                let step = Step { is_undecided: true, ..self.log.rejected(phase, best, n) };
                self.finish_step(step);
            }
            // Trials of other phases may be shorter.
            return Ok(());
        }
        result
    }

    /// The trials of a comparison that are not known: so many candidates on all rungs, with the best so far.
    fn n_trials(&self, rungs: &[Rung], n_candidates: usize) -> usize {
        let is_new = |fold: usize, rung: Rung| {
            !self.used.contains(&self.trial(&self.best, fold, rung).key(self.data, self.options.measure))
        };
        let (mut n, mut n_left, mut known) = (0, n_candidates, Vec::new());
        for &rung in rungs {
            for fold in 0..rung.folds {
                let trial = (fold, rung.share.to_bits());
                if known.contains(&trial) {
                    continue;
                }
                known.push(trial);
                n += n_left + usize::from(is_new(fold, rung));
            }
            n_left = n_left.div_ceil(ONE_IN);
        }
        n
    }

    fn heat(
        &mut self,
        phase: Phase,
        mut candidates: Vec<Candidate>,
        share: usize,
        combined: impl Fn(&[&Candidate], usize) -> Vec<Candidate>,
    ) -> Result<(), Halt> {
        let affordable = self.meter.affordable(&self.trial(&self.best, 0, self.rungs(0)[0]));
        let rungs = self.rungs(affordable);
        // A candidate that leaves no time for its dry run is no use.
        let n_folds = rungs.last().map_or(1, |last| last.folds);
        let is_too_slow = |candidate: &Candidate| {
            let of = |fold| rungs.last().map(|last| self.trial(candidate, fold, *last));
            let trials: Vec<Trial> = (0..n_folds).filter_map(of).chain([self.dry_trial(candidate)]).collect();
            self.meter.exceeds(&trials)
        };
        candidates.retain(|candidate| !is_too_slow(candidate));
        // Later rungs cost about as much as the first one.
        candidates.truncate(affordable.div_ceil(2 * share.max(1)));
        // A comparison that cannot be finished decides nothing.
        while !candidates.is_empty() && self.n_trials(&rungs, candidates.len()) > affordable {
            candidates.pop();
        }
        if candidates.is_empty() {
            return Ok(());
        }
        let meter = self.meter.seconds_left();
        (self.report)(&Event::Phase { phase, candidates: candidates.len(), meter });
        let base = self.best.clone();
        let n_rungs = rungs.len();
        let mut n_tried = candidates.len();
        for (number, rung) in rungs.into_iter().enumerate() {
            let ranked = self.rank(phase, &base, candidates, rung)?;
            if number + 1 == n_rungs {
                return self.decide(phase, &base, &ranked, rung, n_tried);
            }
            let better = ranked.iter().filter(|ranked| ranked.gain > 0.0).map(|ranked| &ranked.candidate);
            let better: Vec<&Candidate> = better.collect();
            candidates = if number == 0 { combined(&better, 3) } else { Vec::new() };
            n_tried += candidates.len();
            // On one fold, a small loss may be chance.
            let least = if number == 0 { -MARGIN } else { 0.0 };
            let worth =
                ranked.iter().filter(|ranked| ranked.gain >= least).take(ranked.len().div_ceil(ONE_IN));
            candidates.extend(worth.map(|ranked| ranked.candidate.clone()));
            if candidates.is_empty() {
                self.reject(phase, ranked.first().map(|ranked| ranked.tried), n_tried);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The candidates that can be trained, best first; equals in their order.
    fn rank(
        &mut self,
        phase: Phase,
        base: &Candidate,
        candidates: Vec<Candidate>,
        rung: Rung,
    ) -> Result<Vec<Ranked>, Halt> {
        let mut all = vec![base.clone()];
        all.extend(candidates);
        let scored = self.score(&all, rung)?;
        let mut ranked = Vec::new();
        for (candidate, own) in all.into_iter().zip(&scored).skip(1) {
            let gain = self.gain(scored[0].as_ref().ok(), own.as_ref().ok());
            let tried = self.log_tried(phase, base, &candidate, (rung.folds, own, &scored[0], gain));
            ranked.extend(gain.map(|gain| Ranked { candidate, tried, gain }));
        }
        ranked.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        Ok(ranked)
    }

    /// Accepts the first of the finalists if it is better beyond noise.
    fn decide(
        &mut self,
        phase: Phase,
        base: &Candidate,
        ranked: &[Ranked],
        rung: Rung,
        n_tried: usize,
    ) -> Result<(), Halt> {
        let Some(first) = ranked.first() else {
            self.reject(phase, None, n_tried);
            return Ok(());
        };
        let all = [base.clone(), first.candidate.clone(), self.start.clone()];
        let n = if self.options.measure == Measure::SpeedAtLas { 3 } else { 2 };
        let scored = self.score(&all[..n], rung)?;
        let (Ok(own), of_base) = (&scored[1], scored[0].as_ref().ok()) else { return Ok(()) };
        let seed = seed_of(self.options.seed, &format!("{} {}", phase.name(), self.log.steps.len()));
        let difference = of_base.map(|of_base| of_base.compare(own, seed));
        #[allow(clippy::cast_precision_loss, reason = "a small number")]
        let corrected = |difference: Difference| (difference.p * ranked.len() as f64).min(1.0);
        let is_better = match (of_base, difference) {
            (Some(of_base), Some(_)) if self.options.measure == Measure::SpeedAtLas => {
                let of_start = scored.get(2).and_then(|scored| scored.as_ref().ok());
                let is_as_good = of_start.is_none_or(|of_start| {
                    let difference = of_start.compare(own, seed);
                    difference.points >= -MARGIN && (difference.points >= 0.0 || difference.p > ALPHA)
                });
                is_as_good && own.speed >= FASTER * of_base.speed
            }
            (_, Some(difference)) => difference.points > 0.0 && corrected(difference) <= ALPHA,
            // Anything is better than a failure.
            (_, None) => true,
        };
        let step = Step {
            phase,
            change: first.candidate.difference(base),
            score: own.percent(),
            before: of_base.map(Scored::percent),
            difference,
            p: difference.map(corrected),
            folds: rung.folds,
            speed: own.speed,
            tried: n_tried,
            is_accepted: is_better,
            is_undecided: false,
            config: is_better.then(|| first.candidate.clone()),
        };
        if is_better {
            self.best = first.candidate.clone();
            self.meter.reserve(&[self.dry_trial(&self.best)]);
        }
        self.finish_step(step);
        Ok(())
    }

    fn finish_step(&mut self, step: Step) {
        (self.report)(&Event::Step(&step));
        self.log.steps.push(step);
    }

    /// Records that nothing was accepted.
    fn reject(&mut self, phase: Phase, best: Option<usize>, n_tried: usize) {
        let step = self.log.rejected(phase, best, n_tried);
        self.finish_step(step);
    }

    /// How much better one is than the other, by what is maximised; none if it failed.
    fn gain(&self, base: Option<&Scored>, own: Option<&Scored>) -> Option<f64> {
        let own = own?;
        let Some(base) = base else { return Some(own.percent()) };
        let points = own.percent() - base.percent();
        if self.options.measure != Measure::SpeedAtLas {
            return Some(points);
        }
        // On a few sentences a loss may be chance.
        let is_as_good = points >= -2.0 * MARGIN;
        Some(if is_as_good { 100.0 * (own.speed / base.speed - 1.0) } else { points - 100.0 })
    }

    pub(super) fn log_tried(
        &mut self,
        phase: Phase,
        base: &Candidate,
        candidate: &Candidate,
        (folds, own, of_base, gain): (usize, &Outcomes, &Outcomes, Option<f64>),
    ) -> usize {
        let tried = Tried {
            phase,
            change: candidate.difference(base),
            candidate: candidate.clone(),
            folds,
            fidelity: self.fidelity,
            score: own.as_ref().ok().map(Scored::percent),
            base: of_base.as_ref().map_or(0.0, Scored::percent),
            gain,
            training: own.as_ref().map_or(0.0, |own| own.training),
            speed: own.as_ref().map_or(0.0, |own| own.speed),
            error: own.as_ref().err().cloned(),
        };
        (self.report)(&Event::Tried(&tried));
        self.log.tried.push(tried);
        self.log.tried.len() - 1
    }

    /// The scores of candidates over the folds of a rung; the error of a trial that failed.
    fn score(&mut self, candidates: &[Candidate], rung: Rung) -> Result<Vec<Outcomes>, Halt> {
        let of = |candidate| (0..rung.folds).map(move |fold| (candidate, fold));
        let trials = candidates.iter().flat_map(of);
        let trials: Vec<Trial> = trials.map(|(candidate, fold)| self.trial(candidate, fold, rung)).collect();
        let outcomes = self.evaluate(&trials, false)?;
        let scored = outcomes.chunks(rung.folds).map(|folds| {
            let results: Result<Vec<&Scores>, String> =
                folds.iter().map(|outcome| outcome.result.as_ref().map_err(Clone::clone)).collect();
            results.map(Scored::over)
        });
        Ok(scored.collect())
    }

    /// The outcomes of trials, which are run unless they are known.
    pub(super) fn evaluate(&mut self, trials: &[Trial], is_dry_run: bool) -> Result<Vec<Outcome>, Halt> {
        let keys: Vec<String> =
            trials.iter().map(|trial| trial.key(self.data, self.options.measure)).collect();
        let is_new =
            |index: &usize| !self.used.contains(&keys[*index]) && !keys[..*index].contains(&keys[*index]);
        let new: Vec<usize> = (0..trials.len()).filter(is_new).collect();
        let is_counted = matches!(self.options.budget, Budget::Trials(_)) && !is_dry_run;
        if is_counted && new.len() > self.meter.affordable(&trials[0]) {
            return Err(Halt::Spent);
        }
        let missing: Vec<usize> =
            new.iter().copied().filter(|index| !self.known.contains_key(&keys[*index])).collect();
        if !missing.is_empty() {
            self.meter.start();
            let (report, best, n_used) = (self.report, &self.best, self.used.len());
            let to_run: Vec<Trial> = missing.iter().map(|&index| trials[index].clone()).collect();
            let done = |index: usize, outcome: &Outcome| {
                let change = to_run[index].candidate.difference(best);
                report(&Event::Trial { n_used, of: missing.len(), change: &change, outcome });
            };
            let outcomes = self.executor.run(&to_run, &self.meter, is_dry_run, &done)?;
            self.known.extend(missing.iter().map(|&index| keys[index].clone()).zip(outcomes));
        }
        for index in new {
            self.used.insert(keys[index].clone());
            self.meter.count(&trials[index], &self.known[&keys[index]]);
        }
        debug_assert_eq!(self.meter.n_used(), self.used.len(), "every trial is counted once");
        Ok(keys.iter().map(|key| self.known[key].clone()).collect())
    }
}
