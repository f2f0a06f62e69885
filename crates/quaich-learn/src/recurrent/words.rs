//! What a network learns from: the words of sentences, their heads, and questions about them.

use super::Shape;
use crate::targets::Right;

/// Stands for a word that is not there.
pub const ABSENT: u32 = u32::MAX;

/// The words of sentences by the values of their attributes. The first word of a sentence is no word but
/// the root.
#[derive(Clone, Debug)]
pub struct Words {
    /// By sentence: where it ends.
    ends: Vec<usize>,
    /// By attribute: all values of all words.
    values: Vec<Values>,
    /// By word: the place of its head in the sentence.
    heads: Vec<u32>,
    /// By word: what a teacher thinks of its head, places with probabilities; nothing where there was no teacher.
    shares: Vec<(u32, f32)>,
    /// By word: where its shares end.
    share_ends: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Values {
    /// By word: where its values end.
    ends: Vec<u32>,
    values: Vec<u32>,
}

impl Words {
    /// No sentences yet.
    pub fn new(n_attributes: usize) -> Self {
        Self {
            ends: Vec::new(),
            values: vec![Values::default(); n_attributes],
            heads: Vec::new(),
            shares: Vec::new(),
            share_ends: Vec::new(),
        }
    }

    /// Adds a word to the sentence under way: by attribute its values, and the place of its head, or places with probabilities.
    ///
    /// # Panics
    /// When there are more than 2³² values.
    pub fn push<'v>(&mut self, values: impl Iterator<Item = &'v [u32]>, head: u32, shares: &[(u32, f32)]) {
        for (all, values) in self.values.iter_mut().zip(values) {
            all.values.extend_from_slice(values);
            all.ends.push(u32::try_from(all.values.len()).expect("fewer than 2³² values"));
        }
        self.heads.push(head);
        self.shares.extend_from_slice(shares);
        self.share_ends.push(self.shares.len());
    }

    /// Ends a sentence.
    pub fn end_sentence(&mut self) {
        self.ends.push(self.heads.len());
    }

    /// How many sentences there are.
    pub fn n_sentences(&self) -> usize {
        self.ends.len()
    }

    /// The words of a sentence.
    pub(super) fn sentence(&self, sentence: usize) -> std::ops::Range<usize> {
        let start = sentence.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[sentence]
    }

    /// The values of a word.
    pub(super) fn values(&self, attribute: usize, word: usize) -> &[u32] {
        let Values { ends, values } = &self.values[attribute];
        let start = word.checked_sub(1).map_or(0, |before| ends[before]);
        &values[start as usize..ends[word] as usize]
    }

    /// What is right for the head of a word.
    pub(super) fn head(&self, word: usize) -> Right<'_> {
        let start = word.checked_sub(1).map_or(0, |before| self.share_ends[before]);
        match &self.shares[start..self.share_ends[word]] {
            [] => Right::Class(self.heads[word]),
            shares => Right::Distribution(shares),
        }
    }

    /// Whether every value is one that the shape has.
    pub(super) fn fit(&self, shape: &Shape) -> bool {
        shape.attributes.len() == self.values.len()
            && shape.attributes.iter().zip(&self.values).all(|(attribute, values)| {
                values.values.iter().all(|&value| (value as usize) < attribute.values)
            })
    }
}

/// A question that was asked in sentences, with the right answers.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    n_roles: usize,
    /// By sentence: where its instances end.
    ends: Vec<usize>,
    /// By instance: the place of the word in each role, or [`ABSENT`].
    places: Vec<u32>,
    n_marks: usize,
    /// By instance: the value of each mark, or [`ABSENT`].
    marks: Vec<u32>,
    /// By instance: the right class.
    right: Vec<u32>,
}

impl Asked {
    /// Not asked yet.
    pub fn new(n_roles: usize, n_marks: usize) -> Self {
        Self { n_roles, n_marks, ..Self::default() }
    }

    /// It is asked about these words of the sentence under way, with these marks.
    pub fn push(&mut self, places: &[u32], marks: &[u32], right: u32) {
        self.places.extend_from_slice(places);
        self.marks.extend_from_slice(marks);
        self.right.push(right);
    }

    /// Ends a sentence.
    pub fn end_sentence(&mut self) {
        self.ends.push(self.right.len());
    }

    /// Adds the sentences of another.
    pub fn append(&mut self, other: &Self) {
        let n = self.right.len();
        self.ends.extend(other.ends.iter().map(|end| n + end));
        self.places.extend_from_slice(&other.places);
        self.marks.extend_from_slice(&other.marks);
        self.right.extend_from_slice(&other.right);
    }

    /// By role: whether there is ever a word in it.
    pub fn roles_in_use(&self) -> Vec<bool> {
        let in_use =
            |role: usize| self.places.iter().skip(role).step_by(self.n_roles).any(|&place| place != ABSENT);
        (0..self.n_roles).map(in_use).collect()
    }

    /// The same without some roles.
    #[must_use]
    pub fn with_roles(&self, kept: &[bool]) -> Self {
        let n_roles = kept.iter().filter(|kept| **kept).count();
        let places = self.places.iter().zip(kept.iter().cycle()).filter(|(_, kept)| **kept);
        let places = places.map(|(&place, _)| place).collect();
        Self { n_roles, places, ..self.clone() }
    }

    /// The instances of both, sentence by sentence.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut both = Self::new(self.n_roles, self.n_marks);
        for sentence in 0..self.n_sentences().min(other.n_sentences()) {
            for asked in [self, other] {
                let (places, marks, right) = asked.sentence(sentence);
                both.places.extend_from_slice(places);
                both.marks.extend_from_slice(marks);
                both.right.extend_from_slice(right);
            }
            both.end_sentence();
        }
        both
    }

    /// The instances of a sentence: places, marks and right classes.
    pub(super) fn sentence(&self, sentence: usize) -> (&[u32], &[u32], &[u32]) {
        let start = sentence.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = self.ends[sentence];
        let (places, marks) =
            (start * self.n_roles..end * self.n_roles, start * self.n_marks..end * self.n_marks);
        (&self.places[places], &self.marks[marks], &self.right[start..end])
    }

    /// How many marks an instance has.
    pub(super) fn n_marks(&self) -> usize {
        self.n_marks
    }

    /// How many sentences there are.
    pub fn n_sentences(&self) -> usize {
        self.ends.len()
    }
}
