//! The grammar of generated sentences: the dependents of each tag.

/// A universal part-of-speech tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    Adj,
    Adp,
    Adv,
    Aux,
    Cconj,
    Det,
    Noun,
    Num,
    Pron,
    Propn,
    Punct,
    Sconj,
    Verb,
}

/// The label of punctuation.
pub(super) const PUNCTUATION: &str = "punct";

/// A kind of dependent of a tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependent {
    /// The probability that it is used when it is drawn, in tenths.
    pub(super) weight: u8,
    pub(super) tag: Tag,
    pub(super) label: &'static str,
    /// Negative on the left, positive on the right; larger is farther away.
    pub(super) distance: i8,
    /// Whether a head has at most one such dependent.
    pub(super) once: bool,
    /// The leftmost dependent that it always has.
    pub(super) with: Option<(Tag, &'static str)>,
}

const fn one(weight: u8, tag: Tag, label: &'static str, distance: i8) -> Dependent {
    Dependent { weight, tag, label, distance, once: true, with: None }
}

const fn many(weight: u8, tag: Tag, label: &'static str, distance: i8) -> Dependent {
    Dependent { weight, tag, label, distance, once: false, with: None }
}

const fn with(dependent: Dependent, tag: Tag, label: &'static str) -> Dependent {
    Dependent { with: Some((tag, label)), ..dependent }
}

static OF_VERBS: [Dependent; 11] = [
    one(9, Tag::Noun, "nsubj", -5),
    one(3, Tag::Pron, "nsubj", -6),
    one(5, Tag::Aux, "aux", -3),
    many(2, Tag::Adv, "advmod", -2),
    one(8, Tag::Noun, "obj", 2),
    many(5, Tag::Adv, "advmod", 3),
    with(many(6, Tag::Noun, "obl", 4), Tag::Adp, "case"),
    with(one(2, Tag::Propn, "obl", 5), Tag::Adp, "case"),
    with(one(2, Tag::Verb, "advcl", 7), Tag::Sconj, "mark"),
    with(one(2, Tag::Verb, "ccomp", 6), Tag::Sconj, "mark"),
    with(one(2, Tag::Verb, "conj", 8), Tag::Cconj, "cc"),
];

static OF_NOUNS: [Dependent; 7] = [
    one(9, Tag::Det, "det", -9),
    many(4, Tag::Adj, "amod", -2),
    one(1, Tag::Num, "nummod", -4),
    one(2, Tag::Noun, "compound", -1),
    with(many(3, Tag::Noun, "nmod", 2), Tag::Adp, "case"),
    one(1, Tag::Verb, "acl", 4),
    with(one(1, Tag::Noun, "conj", 6), Tag::Cconj, "cc"),
];

static OF_ADJECTIVES: [Dependent; 1] = [one(2, Tag::Adv, "advmod", -1)];

static OF_NAMES: [Dependent; 2] =
    [one(2, Tag::Propn, "flat", 1), with(one(1, Tag::Propn, "conj", 6), Tag::Cconj, "cc")];

impl Tag {
    /// Returns the possible dependents; none for function words.
    pub(super) fn dependents(self) -> &'static [Dependent] {
        match self {
            Self::Verb => &OF_VERBS,
            Self::Noun => &OF_NOUNS,
            Self::Adj => &OF_ADJECTIVES,
            Self::Propn => &OF_NAMES,
            _ => &[],
        }
    }

    pub(super) fn upos(self) -> &'static str {
        match self {
            Self::Adj => "ADJ",
            Self::Adp => "ADP",
            Self::Adv => "ADV",
            Self::Aux => "AUX",
            Self::Cconj => "CCONJ",
            Self::Det => "DET",
            Self::Noun => "NOUN",
            Self::Num => "NUM",
            Self::Pron => "PRON",
            Self::Propn => "PROPN",
            Self::Punct => "PUNCT",
            Self::Sconj => "SCONJ",
            Self::Verb => "VERB",
        }
    }
}
