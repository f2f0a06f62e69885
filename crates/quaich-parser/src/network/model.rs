//! The feed-forward network as a scorer: the fastest one.
//!
//! A word's contribution to the hidden layer, for each possible place, depends only on its attributes. It is summed once and cached in
//! the [`NetworkScratch`] across sentences ([`bundles`](super::bundles)), so that a state costs one row per node, and one per label,
//! valency and distance. Sums are integers: scores do not depend on the processor or on what a worker has parsed before.

use quaich_features::Focus;
use quaich_learn::network::NO_VALUE;
use quaich_learn::network::frozen::{BLOCK, Cells, Frozen};
use quaich_transition::configuration::Configuration;
use quaich_treebank::Node;

use super::attributes::Attributes;
use super::bundles::Bundles;
use super::slots::{MAX_PLACES, MAX_ROWS, Slots};
use crate::huge_pages::Lines;
use crate::kernels::prefetch;
use crate::scorer::{Allowed, Choice, Input, Partner, Scorer, State, best};

/// One network per question, and their shared input.
#[derive(Clone, Debug)]
pub(crate) struct NetworkModel {
    /// Numbers the values of tokens.
    pub(super) attributes: Attributes,
    /// One per question.
    pub(super) by_question: Vec<QuestionNetwork>,
    /// One per question: the start of its rows in a bundle.
    offsets: Vec<u32>,
}

/// The network of a question.
#[derive(Clone, Debug)]
pub(super) struct QuestionNetwork {
    /// Its input.
    pub(super) slots: Slots,
    /// The network.
    pub(super) frozen: Frozen,
    /// Its rows.
    pub(super) rows: Lines,
}

/// The buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct NetworkScratch {
    bundles: Bundles,
    units: Vec<i16>,
    sums: Vec<i32>,
    scores: Vec<f32>,
}

impl NetworkModel {
    /// A model from its parts.
    ///
    /// # Panics
    /// If the hidden layers do not fit into memory.
    pub(super) fn new(attributes: Attributes, by_question: Vec<QuestionNetwork>) -> Self {
        let mut end = 0;
        let offsets = by_question.iter().map(|entry| {
            let start = end;
            end += entry.bundle_len();
            u32::try_from(start).expect("a few thousand lines")
        });
        let offsets = offsets.collect();
        Self { attributes, by_question, offsets }
    }

    /// The number of lines of cells per word, over all networks.
    pub(super) fn bundle_len(&self) -> usize {
        self.by_question.iter().map(QuestionNetwork::bundle_len).sum()
    }

    /// The score of every class of a question, in units of the network's scale.
    #[inline]
    fn sums<'s>(
        &self,
        question: usize,
        c: &Configuration,
        focus: Focus,
        scratch: &'s mut NetworkScratch,
    ) -> (&'s [i32], f32) {
        let entry = &self.by_question[question];
        let NetworkScratch { bundles, units, sums, .. } = scratch;
        sums.resize(entry.frozen.output.classes, 0);
        entry.score(c, focus, bundles, self.offsets[question], units, sums);
        (sums, entry.frozen.output.scale)
    }
}

impl Scorer for NetworkModel {
    type Scratch = NetworkScratch;

    fn start(&self, input: Input<'_>, scratch: &mut NetworkScratch) {
        scratch.bundles.read(self, input.tokens);
    }

    /// Unnormalised log-probabilities.
    #[inline]
    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut NetworkScratch,
    ) -> &'s [f32] {
        self.sums(question, state.c, state.focus, scratch);
        self.last_scores(question, scratch)
    }

    #[inline]
    fn choose(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &mut NetworkScratch,
    ) -> Choice {
        if let Allowed::All = allowed {
            let (sums, scale) = self.sums(question, state.c, state.focus, scratch);
            return best_sum(sums, scale);
        }
        best(self.scores(question, state, allowed, scratch), allowed)
    }
}

impl Partner for NetworkModel {
    #[inline]
    fn last_scores<'s>(&self, question: usize, scratch: &'s mut NetworkScratch) -> &'s [f32] {
        let scale = self.by_question[question].frozen.output.scale;
        let NetworkScratch { sums, scores, .. } = scratch;
        scores.clear();
        #[allow(clippy::cast_precision_loss, reason = "scores need no more than a float has")]
        scores.extend(sums.iter().map(|&sum| sum as f32 * scale));
        scores
    }
}

/// The class with the highest sum, and its margin; `unit` is the scale of sums. Integers are compared several at a time.
#[inline]
fn best_sum(sums: &[i32], unit: f32) -> Choice {
    let highest = sums.iter().copied().max().unwrap_or(0);
    let best = sums.iter().position(|&sum| sum == highest).unwrap_or(0);
    let (before, after) = (sums.get(..best).unwrap_or(&[]), sums.get(best + 1..).unwrap_or(&[]));
    let second = before.iter().copied().max().max(after.iter().copied().max());
    #[allow(clippy::cast_precision_loss, reason = "leads are far below 2²⁴ units")]
    let margin = second.map_or(f32::INFINITY, |second| (highest - second) as f32 * unit);
    Choice { class: u32::try_from(best).unwrap_or(0), margin }
}

impl QuestionNetwork {
    /// The rows of the network, one after the other.
    #[inline]
    pub(super) fn rows(&self) -> &[Cells] {
        bytemuck::cast_slice(self.rows.as_slice())
    }

    /// The number of lines of cells per word in this network: one row per place.
    pub(super) fn bundle_len(&self) -> usize {
        self.slots.token_places.len() * (self.frozen.hidden / BLOCK)
    }

    /// The score of every class in a configuration. `offset` is the start of this network's rows in a bundle.
    #[inline]
    fn score(
        &self,
        c: &Configuration,
        focus: Focus,
        bundles: &Bundles,
        offset: u32,
        units: &mut Vec<i16>,
        scores: &mut [i32],
    ) {
        let n_blocks = self.frozen.hidden / BLOCK;
        #[allow(clippy::cast_possible_truncation, reason = "a handful")]
        let lines = n_blocks as u32;
        let mut nodes = [Node::NONE; MAX_PLACES];
        self.slots.locate(c, focus, &mut nodes);
        let (cells, rows) = (bundles.cells(), self.rows());
        let (mut words, mut n_words) = ([0u32; MAX_ROWS], 0);
        let mut offset = offset;
        for &(place, _) in &self.slots.token_places {
            let node = nodes[usize::from(place) % MAX_PLACES];
            if node.is_some() {
                let start = bundles.start(node) + offset;
                cells[start as usize..][..n_blocks].iter().for_each(prefetch);
                words[n_words % MAX_ROWS] = start;
                n_words += 1;
            }
            offset += lines;
        }
        let (mut own, mut n_own) = ([0u32; MAX_ROWS], 0);
        let first = self.slots.n_token_slots();
        // These rows are few and always in the cache, so they need no prefetch.
        self.slots.each_shared(c, &nodes, |slot, value| {
            if value != NO_VALUE {
                own[n_own % MAX_ROWS] = self.frozen.start(first + slot, value);
                n_own += 1;
            }
        });
        self.frozen.score([(cells, &words[..n_words]), (rows, &own[..n_own])], units, scores);
    }
}
