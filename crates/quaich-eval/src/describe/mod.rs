//! Treebank description: all rows of Table 1 of the CoNLL 2007 overview, of Table 1 of the 2-planar paper (2010) and of
//! Table 2 of the buffer-transition paper (2012), and their distributions.
//!
//! Sentences are added one by one; memory grows only with the vocabulary.
//!
//! Sentences whose heads do not form a tree are counted with their tokens, tags and labels, but without shape: see
//! [`Description::ill_formed_sentences`]. An empty cell (`_`) is no tag, feature, label or lemma.

mod description;
mod histogram;
mod inventory;

pub use description::{BufferTransition, Description, NewWords, PunctuationAttached};
pub use histogram::Histogram;
pub use inventory::Inventory;

use quaich_treebank::shape::arcs::{self, Direction};
use quaich_treebank::shape::{PlaneCount, RootArcs, Shapes};
use quaich_treebank::symbols::{Form, Label, Lemma, Tag};
use quaich_treebank::{Node, Role, Sentence};

use crate::punctuation::is_punctuation;

/// Counts the properties of sentences.
#[derive(Clone, Default, Debug)]
pub struct Describer {
    counts: Counts,
    forms: Inventory<Form>,
    lemmas: Inventory<Lemma>,
    coarse_tags: Inventory<Tag>,
    fine_tags: Inventory<Tag>,
    /// Whole FEATS cells; they are split into components once per distinct cell.
    feature_sets: Inventory<Tag>,
    labels: Inventory<Label>,
    root_labels: Inventory<Label>,
    punctuation_labels: Inventory<Label>,
    /// Whether each form is punctuation, by its id.
    punctuation: Vec<bool>,
    shapes: Shapes,
}

/// All counts that can be added.
#[derive(Clone, Default, Debug)]
struct Counts {
    sentences: u64,
    ill_formed: u64,
    tokens: u64,
    longest: u64,
    roots: u64,
    left: u64,
    right: u64,
    left1: u64,
    right1: u64,
    arc_length: u64,
    nonprojective_arcs: u64,
    nonprojective_sentences: u64,
    ill_nested: u64,
    punctuation: u64,
    punctuation_roots: u64,
    /// Trees by number of planes.
    planes: Histogram,
    /// Trees by the known lower bound on the number of planes, if the exact number is not known.
    undecided_planes: Histogram,
    /// Trees by gap degree.
    gap_degrees: Histogram,
    /// Arcs by number of lifts.
    lifts: Histogram,
    /// Arcs between words by length.
    arc_lengths: Histogram,
}

impl Describer {
    /// Creates an empty describer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a sentence. A sentence without tokens is skipped.
    pub fn add(&mut self, sentence: &Sentence) {
        if sentence.n_tokens() == 0 {
            return;
        }
        self.counts.sentences += 1;
        self.counts.tokens += sentence.n_tokens() as u64;
        self.counts.longest = self.counts.longest.max(sentence.n_tokens() as u64);
        for token in sentence.tokens() {
            self.add_token(sentence, token);
        }
        self.add_shape(sentence.heads());
    }

    /// Adds the counts of another describer.
    pub fn absorb(&mut self, other: &Self) {
        self.counts.absorb(&other.counts);
        self.forms.absorb(&other.forms);
        self.punctuation
            .extend(self.forms.iter().skip(self.punctuation.len()).map(|(form, _)| is_punctuation(form)));
        self.lemmas.absorb(&other.lemmas);
        self.coarse_tags.absorb(&other.coarse_tags);
        self.fine_tags.absorb(&other.fine_tags);
        self.feature_sets.absorb(&other.feature_sets);
        self.labels.absorb(&other.labels);
        self.root_labels.absorb(&other.root_labels);
        self.punctuation_labels.absorb(&other.punctuation_labels);
    }

    /// Returns the share of this treebank's words that are not in `training`.
    pub fn new_words(&self, training: &Self) -> NewWords {
        NewWords {
            forms_percent: percent(self.forms.total_missing_in(&training.forms), self.forms.total()),
            lemmas_percent: (self.lemmas.total() > 0 && training.lemmas.total() > 0)
                .then(|| percent(self.lemmas.total_missing_in(&training.lemmas), self.lemmas.total())),
        }
    }

    fn add_token(&mut self, sentence: &Sentence, token: Node) {
        let form = self.forms.add(sentence.form(token));
        if form.index() == self.punctuation.len() {
            self.punctuation.push(is_punctuation(sentence.form(token)));
        }
        add_unless_empty(&mut self.lemmas, sentence.value(token, Role::Lemma));
        add_unless_empty(&mut self.coarse_tags, sentence.value(token, Role::CoarseTag));
        add_unless_empty(&mut self.fine_tags, sentence.value(token, Role::FineTag));
        add_unless_empty(&mut self.feature_sets, sentence.value(token, Role::Feats));
        let label = sentence.label(token);
        let head = sentence.heads()[token.index()];
        // Whether `_` is a label of arcs is only known at the end.
        let is_label = head.is_some() || label != "_";
        if is_label {
            self.labels.add(label);
        }
        if head.is_root() {
            self.root_labels.add(label);
        }
        if self.punctuation[form.index()] {
            self.counts.punctuation += 1;
            self.counts.punctuation_roots += u64::from(head.is_root());
            if is_label {
                self.punctuation_labels.add(label);
            }
        }
        if head.is_some() {
            self.add_arc(head, token);
        }
    }

    fn add_arc(&mut self, head: Node, dependent: Node) {
        let counts = &mut self.counts;
        let length = arcs::length(head, dependent);
        match arcs::direction(head, dependent) {
            Direction::Left => {
                counts.left += 1;
                counts.left1 += u64::from(length == 1);
            }
            Direction::Right => {
                counts.right += 1;
                counts.right1 += u64::from(length == 1);
            }
        }
        if head.is_root() {
            counts.roots += 1;
        } else {
            counts.arc_length += u64::from(length);
            counts.arc_lengths.add(length);
        }
    }

    fn add_shape(&mut self, heads: &[Node]) {
        let Self { counts, shapes, .. } = self;
        if shapes.read_heads(heads).is_err() {
            counts.ill_formed += 1;
            return;
        }
        let nonprojective = shapes.nonprojective_arcs().len() as u64;
        if nonprojective == 0 {
            // A projective tree has no crossings, gaps, interleaving or lifts.
            counts.planes.add(1);
            counts.gap_degrees.add(0);
            counts.lifts.add_many(0, heads.len() as u64 - 1);
            return;
        }
        counts.nonprojective_sentences += 1;
        counts.nonprojective_arcs += nonprojective;
        match shapes.plane_count(RootArcs::Ignored) {
            PlaneCount::Exactly(planes) => counts.planes.add(planes),
            PlaneCount::Undecided { at_least } => counts.undecided_planes.add(at_least),
        }
        counts.gap_degrees.add(shapes.gap_degree());
        counts.ill_nested += u64::from(!shapes.is_well_nested());
        for &lifts in &shapes.projectivize().lifts()[1..] {
            counts.lifts.add(lifts);
        }
    }
}

impl Counts {
    fn absorb(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.ill_formed += other.ill_formed;
        self.tokens += other.tokens;
        self.longest = self.longest.max(other.longest);
        self.roots += other.roots;
        self.left += other.left;
        self.right += other.right;
        self.left1 += other.left1;
        self.right1 += other.right1;
        self.arc_length += other.arc_length;
        self.nonprojective_arcs += other.nonprojective_arcs;
        self.nonprojective_sentences += other.nonprojective_sentences;
        self.ill_nested += other.ill_nested;
        self.punctuation += other.punctuation;
        self.punctuation_roots += other.punctuation_roots;
        self.planes.absorb(&other.planes);
        self.undecided_planes.absorb(&other.undecided_planes);
        self.gap_degrees.absorb(&other.gap_degrees);
        self.lifts.absorb(&other.lifts);
        self.arc_lengths.absorb(&other.arc_lengths);
    }
}

fn add_unless_empty<S: quaich_treebank::symbols::Symbol>(inventory: &mut Inventory<S>, text: &str) {
    if text != "_" {
        inventory.add(text);
    }
}

/// Returns `part` in percent of `whole`; 0 if `whole` is 0.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * ratio(part, whole)
}

pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2⁵²")]
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
