//! Properties of a treebank as numbers; displayed as a table and as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Counts, Describer, Histogram, Inventory, percent, ratio};

/// Properties of a treebank as numbers. Percentages of tokens and arcs are of all tokens, those of trees of all
/// sentences.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Description {
    /// Sentences.
    pub sentences: u64,
    /// Tokens: words, without multiword ranges and empty nodes.
    pub tokens: u64,
    /// Tokens per sentence.
    pub tokens_per_sentence: f64,
    /// Tokens of the longest sentence.
    pub longest_sentence: u64,
    /// Sentences whose heads do not form a tree; their shape is not counted.
    pub ill_formed_sentences: u64,

    /// Different forms.
    pub forms: usize,
    /// Whether there are lemmas.
    pub has_lemmas: bool,
    /// Different lemmas.
    pub lemmas: usize,
    /// Tokens with a lemma.
    pub lemma_percent: f64,
    /// Different coarse tags (CPOSTAG, UPOS).
    pub coarse_tags: usize,
    /// Different fine tags (POSTAG, XPOS).
    pub fine_tags: usize,
    /// Tokens with a fine tag.
    pub fine_tag_percent: f64,
    /// Different components of FEATS.
    pub features: usize,
    /// Tokens with features.
    pub features_percent: f64,

    /// Different labels.
    pub labels: usize,
    /// Different labels of tokens whose head is 0.
    pub root_labels: usize,
    /// Tokens by label.
    pub label_counts: BTreeMap<String, u64>,
    /// Tokens whose head is 0, by label.
    pub root_label_counts: BTreeMap<String, u64>,

    /// Tokens whose head is 0.
    pub roots: u64,
    /// The same in percent.
    pub roots_percent: f64,
    /// Tokens whose head is 0, per sentence.
    pub roots_per_sentence: f64,
    /// Tokens whose head is a token before them.
    pub head_left_percent: f64,
    /// Tokens whose head is a token after them.
    pub head_right_percent: f64,

    /// Arcs over a token that their head does not dominate.
    pub nonprojective_arcs: u64,
    /// The same in percent.
    pub nonprojective_arcs_percent: f64,
    /// Trees with such an arc.
    pub nonprojective_sentences: u64,
    /// The same in percent.
    pub nonprojective_sentences_percent: f64,

    /// Punctuation tokens.
    pub punctuation: u64,
    /// Whether punctuation is attached to words; `None` if there is none.
    pub punctuation_attached: Option<PunctuationAttached>,
    /// Different labels of punctuation.
    pub punctuation_labels: usize,

    /// Trees in which arcs between words cross.
    pub not_planar: u64,
    /// Trees whose arcs between words need more than two planes.
    pub not_2_planar: u64,
    /// … more than three.
    pub not_3_planar: u64,
    /// … more than four.
    pub not_4_planar: u64,
    /// Trees whose number of planes was not found; they count above as far as it is known.
    pub undecided_planarity: u64,
    /// Trees by number of planes, if it was found.
    pub planes: Histogram,
    /// Trees with two disjoint subtrees that interleave.
    pub ill_nested: u64,
    /// The largest gap degree.
    pub max_gap_degree: u32,
    /// Trees by gap degree.
    pub gap_degrees: Histogram,
    /// Arcs by the number of lifts that make the trees projective.
    pub lifts: Histogram,

    /// Arcs with the dependent to the left of its head. Arcs from node 0 count as rightward, and as of length 1 for the
    /// first token: this reproduces the paper's figures for Danish (2012, Table 2).
    pub left_percent: f64,
    /// Arcs with the dependent to the right of its head.
    pub right_percent: f64,
    /// Leftward arcs of length 1.
    pub left1_percent: f64,
    /// Rightward arcs of length 1.
    pub right1_percent: f64,
    /// The projective buffer transition recommended for the treebank.
    pub buffer_transition: Option<BufferTransition>,
    /// The mean length of arcs between words.
    pub mean_arc_length: f64,
    /// Arcs between words by length.
    pub arc_lengths: Histogram,
}

/// Whether punctuation tokens are attached to words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum PunctuationAttached {
    /// All of them are.
    #[serde(rename = "A")]
    Always,
    /// Some are, others have head 0.
    #[serde(rename = "S")]
    Sometimes,
    /// All have head 0.
    #[serde(rename = "N")]
    Never,
}

/// A projective buffer transition (2012). LEFT-BUFFER-ARC tends to help if rightward arcs of length 1 outnumber
/// leftward ones, RIGHT-BUFFER-ARC otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BufferTransition {
    /// LEFT-BUFFER-ARC.
    Lba,
    /// RIGHT-BUFFER-ARC.
    Rba,
}

/// The share of a treebank's words that are not in another one, used for training.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct NewWords {
    /// Tokens with a new form.
    #[serde(rename = "new_forms_percent")]
    pub forms_percent: f64,
    /// Tokens with a new lemma, of those that have one; `None` if a treebank has no lemmas.
    #[serde(rename = "new_lemmas_percent")]
    pub lemmas_percent: Option<f64>,
}

impl Describer {
    /// Returns the counts so far.
    pub fn description(&self) -> Description {
        let counts = &self.counts;
        let tokens = |part| percent(part, counts.tokens);
        let arcs = |part| percent(part, counts.left + counts.right);
        // A column that contains only `_` has no labels.
        let (unlabelled, is_labelled) =
            (Inventory::default(), self.labels.iter().any(|(label, _)| label != "_"));
        let known = |labels| if is_labelled { labels } else { &unlabelled };
        let not_m_planar = |m| counts.planes.count_above(m) + counts.undecided_planes.count_above(m);
        Description {
            sentences: counts.sentences,
            tokens: counts.tokens,
            tokens_per_sentence: ratio(counts.tokens, counts.sentences),
            longest_sentence: counts.longest,
            ill_formed_sentences: counts.ill_formed,
            forms: self.forms.len(),
            has_lemmas: !self.lemmas.is_empty(),
            lemmas: self.lemmas.len(),
            lemma_percent: tokens(self.lemmas.total()),
            coarse_tags: self.coarse_tags.len(),
            fine_tags: self.fine_tags.len(),
            fine_tag_percent: tokens(self.fine_tags.total()),
            features: n_components(&self.feature_sets),
            features_percent: tokens(self.feature_sets.total()),
            labels: known(&self.labels).len(),
            root_labels: known(&self.root_labels).len(),
            label_counts: by_name(known(&self.labels)),
            root_label_counts: by_name(known(&self.root_labels)),
            roots: counts.roots,
            roots_percent: tokens(counts.roots),
            roots_per_sentence: ratio(counts.roots, counts.sentences),
            head_left_percent: tokens(counts.right - counts.roots),
            head_right_percent: tokens(counts.left),
            nonprojective_arcs: counts.nonprojective_arcs,
            nonprojective_arcs_percent: tokens(counts.nonprojective_arcs),
            nonprojective_sentences: counts.nonprojective_sentences,
            nonprojective_sentences_percent: percent(counts.nonprojective_sentences, counts.sentences),
            punctuation: counts.punctuation,
            punctuation_attached: counts.punctuation_attached(),
            punctuation_labels: known(&self.punctuation_labels).len(),
            not_planar: not_m_planar(1),
            not_2_planar: not_m_planar(2),
            not_3_planar: not_m_planar(3),
            not_4_planar: not_m_planar(4),
            undecided_planarity: counts.undecided_planes.count_above(0),
            planes: counts.planes.clone(),
            ill_nested: counts.ill_nested,
            max_gap_degree: counts.gap_degrees.largest().unwrap_or(0),
            gap_degrees: counts.gap_degrees.clone(),
            lifts: counts.lifts.clone(),
            left_percent: arcs(counts.left),
            right_percent: arcs(counts.right),
            left1_percent: arcs(counts.left1),
            right1_percent: arcs(counts.right1),
            buffer_transition: counts.buffer_transition(),
            mean_arc_length: ratio(counts.arc_length, counts.left + counts.right - counts.roots),
            arc_lengths: counts.arc_lengths.clone(),
        }
    }
}

impl Counts {
    fn punctuation_attached(&self) -> Option<PunctuationAttached> {
        match self.punctuation_roots {
            _ if self.punctuation == 0 => None,
            0 => Some(PunctuationAttached::Always),
            roots if roots == self.punctuation => Some(PunctuationAttached::Never),
            _ => Some(PunctuationAttached::Sometimes),
        }
    }

    fn buffer_transition(&self) -> Option<BufferTransition> {
        let any = self.left + self.right > 0;
        any.then_some(if self.right1 > self.left1 { BufferTransition::Lba } else { BufferTransition::Rba })
    }
}

fn n_components<S: quaich_treebank::symbols::Symbol>(feature_sets: &Inventory<S>) -> usize {
    feature_sets.iter().flat_map(|(set, _)| set.split('|')).collect::<BTreeSet<_>>().len()
}

fn by_name<S: quaich_treebank::symbols::Symbol>(inventory: &Inventory<S>) -> BTreeMap<String, u64> {
    inventory.iter().map(|(name, times)| (name.to_owned(), times)).collect()
}
