//! The recurrent network as a model. The sentence is read once; what is decided costs a few vector additions.

use std::any::Any;
use std::sync::Arc;

use quaich_features::Order;
use quaich_learn::recurrent::{ABSENT, Encoder, EncoderScratch};
use quaich_treebank::Node;

use super::cache::{Rows, WordCache};
use super::lexicon::Lexicon;
use super::roles::{Sight, View};
use crate::mixed::Partner;
use crate::model::{Allowed, Model, Reading, State};

/// The most encoders that decide together.
pub(crate) const MOST_NETWORKS: usize = 16;
/// Words of a long sentence that are read together.
const PART: usize = 1024;
/// Words before and after a part that are read with it.
const AROUND: usize = 128;

/// Encoders that decide together, what feeds them and what they are asked about.
///
/// Parsers with different systems can share encoders, which answer the questions of all of them.
#[derive(Clone, Debug)]
pub struct RecurrentModel {
    pub(super) lexicon: Arc<Lexicon>,
    /// One or more, which differ only in the chances of their trainings.
    pub(super) encoders: Arc<[Encoder]>,
    /// By question of this parser.
    pub(super) views: Vec<View>,
    /// The number of the first of them among those that the encoders answer.
    pub(super) first_question: usize,
    /// Whether the encoders read sentences in the other direction than this parser.
    pub(super) is_turned: bool,
}

/// What one thread keeps between decisions and sentences.
#[derive(Debug, Default)]
pub struct RecurrentScratch {
    read: Box<Read>,
    /// Whether the sentence has been read already, for another parser that shares the encoders.
    is_read: bool,
    sight: Sight,
    /// What several encoders say together.
    scores: Vec<f32>,
}

/// What encoders made of the sentence that was read last, and of words.
#[derive(Debug, Default)]
struct Read {
    /// By encoder.
    encoders: Vec<(EncoderScratch, Rows)>,
    cache: WordCache,
    /// By word of the sentence: its row in the cache.
    words: Vec<u32>,
    values: Vec<Vec<u32>>,
    /// How many words the sentence has, the root among them.
    n_words: usize,
    hears_heads: bool,
}

impl RecurrentModel {
    /// Reads a sentence.
    fn read(&self, reading: Reading<'_>, read: &mut Read) {
        let Read { encoders, cache, words, values, n_words, hears_heads } = read;
        encoders.resize_with(self.encoders.len(), Default::default);
        if *hears_heads {
            for (scratch, _) in encoders.iter_mut() {
                scratch.hear_heads();
            }
        }
        let page = self.lexicon.open(reading.sentence, self.order(reading.order));
        *n_words = reading.sentence.n_tokens() + 1;
        let n_words = *n_words;
        // A long sentence is read in parts, each with some words around it: memory stays small, and what is further away
        // makes no difference.
        for first in (0..n_words).step_by(PART) {
            let kept = first..n_words.min(first + PART);
            let start = first.saturating_sub(AROUND);
            if cache.make_room() {
                for (_, rows) in encoders.iter_mut() {
                    rows.clear();
                }
            }
            words.clear();
            for node in (start..n_words.min(kept.end + AROUND)).map(Node::from_index) {
                let (row, is_new) = cache.row(page.key(node));
                words.push(row);
                if is_new {
                    page.values(node, values);
                    for (encoder, (scratch, _)) in self.encoders.iter().zip(&mut *encoders) {
                        encoder.add_word(values.iter().map(Vec::as_slice), scratch);
                    }
                }
            }
            let kept = kept.start - start..kept.end - start;
            for (encoder, (scratch, rows)) in self.encoders.iter().zip(&mut *encoders) {
                encoder.words(rows.new_rows(cache.len(), encoder.word_width()), scratch);
                encoder.read(rows.cells(), words, (first, kept.clone()), scratch);
            }
        }
    }

    /// In which direction the encoders read, if the parser reads in this.
    fn order(&self, order: Order) -> Order {
        if self.is_turned { order.reversed() } else { order }
    }
}

impl Model for RecurrentModel {
    type Scratch = RecurrentScratch;

    fn start(&self, reading: Reading<'_>, scratch: &mut RecurrentScratch) {
        if !std::mem::take(&mut scratch.is_read) {
            self.read(reading, &mut scratch.read);
        }
    }

    /// In nats: logarithms of probabilities but for a constant; the mean of what all encoders say.
    #[inline]
    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut RecurrentScratch,
    ) -> &'s [f32] {
        let RecurrentScratch { read, sight, scores, .. } = scratch;
        let encoders = &mut read.encoders;
        let view = &self.views[question];
        view.look(state.c, state.focus, sight);
        if self.is_turned {
            turn(&mut sight.words[..view.n_roles()], read.n_words);
        }
        let question = self.first_question + question;
        let (words, marks) = (&sight.words, &sight.marks[..view.n_marks()]);
        if self.encoders.len() == 1 {
            return self.encoders[0].scores(question, words, marks, &mut encoders[0].0);
        }
        scores.clear();
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let share = 1.0 / self.encoders.len() as f32;
        for (encoder, (scratch, _)) in self.encoders.iter().zip(encoders) {
            let own = encoder.scores(question, words, marks, scratch);
            scores.resize(own.len(), 0.0);
            for (sum, score) in scores.iter_mut().zip(own) {
                *sum += share * score;
            }
        }
        scores
    }

    fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.encoders, &other.encoders)
    }

    fn hand_over(&self, scratch: &mut RecurrentScratch) -> Option<Box<dyn Any + Send>> {
        let read: Box<Read> = std::mem::take(&mut scratch.read);
        Some(read)
    }

    fn take_over(&self, read: Box<dyn Any + Send>, ahead: bool, scratch: &mut RecurrentScratch) {
        if let Ok(read) = read.downcast() {
            scratch.read = read;
            scratch.is_read = ahead;
        }
    }

    fn hear_heads(&self, scratch: &mut RecurrentScratch) {
        scratch.read.hears_heads = true;
    }

    fn add_heads(&self, order: Order, sums: &mut [f32], scratch: &mut RecurrentScratch) -> bool {
        let Read { encoders, n_words, .. } = &mut *scratch.read;
        let n = *n_words;
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let share = 1.0 / self.encoders.len() as f32;
        let is_reversed = self.order(order) == Order::RightToLeft;
        for (encoder, (scratch, _)) in self.encoders.iter().zip(encoders) {
            let Some(heads) = encoder.heads(n, scratch) else { return false };
            for (place, heads) in heads.chunks_exact(n).enumerate() {
                let place = if is_reversed { turned(place, n) } else { place };
                let sums = &mut sums[place * n..][..n];
                if is_reversed {
                    sums[0] += share * heads[0];
                    for (sum, head) in sums[1..].iter_mut().zip(heads[1..].iter().rev()) {
                        *sum += share * head;
                    }
                } else {
                    for (sum, head) in sums.iter_mut().zip(heads) {
                        *sum += share * head;
                    }
                }
            }
        }
        true
    }
}

/// The place of a word when a sentence of so many, the root among them, is read in the other direction.
fn turned(place: usize, n_words: usize) -> usize {
    if place == 0 { 0 } else { n_words - place }
}

/// Turns places, as far as there are words in them.
pub(super) fn turn(places: &mut [u32], n_words: usize) {
    #[allow(clippy::cast_possible_truncation, reason = "sentences have fewer than 2³² words")]
    let n_words = n_words as u32;
    for place in places {
        if *place != 0 && *place != ABSENT {
            *place = n_words - *place;
        }
    }
}

impl Partner for RecurrentModel {
    #[inline]
    fn last_scores<'s>(&self, _question: usize, scratch: &'s mut RecurrentScratch) -> &'s [f32] {
        match &scratch.read.encoders[..] {
            [(encoder, _)] => encoder.last_scores(),
            _ => &scratch.scores,
        }
    }
}
