//! The words of generated sentences: stems of invented syllables, shorter for frequent words, with a few inflections.

use super::grammar::Tag;
use crate::random::Random;

/// A word with its lemma, fine tag and features.
pub(super) struct Word {
    pub(super) form: String,
    pub(super) lemma: String,
    pub(super) xpos: &'static str,
    pub(super) feats: &'static str,
}

/// An inflection: share in tenths, ending, fine tag, features.
type Inflection = (u32, (&'static str, &'static str, &'static str));

impl Word {
    /// Returns a random word with this tag, by frequency.
    pub(super) fn choose(random: &mut Random, tag: Tag, n_nouns: u32) -> Self {
        let (n_stems, start): (u32, u32) = match tag {
            Tag::Noun => (n_nouns, 0),
            Tag::Propn => (n_nouns / 2, 1),
            Tag::Verb => (n_nouns / 4, 2),
            Tag::Adj => (n_nouns / 4, 3),
            Tag::Adv => (n_nouns / 10, 4),
            Tag::Num => (100, 5),
            Tag::Adp => (30, 6),
            Tag::Pron => (20, 7),
            Tag::Det => (8, 8),
            Tag::Aux => (8, 9),
            Tag::Cconj => (4, 10),
            Tag::Sconj => (12, 11),
            Tag::Punct => return Self::punctuation(random),
        };
        let (ending, xpos, feats) = *random.weighted(inflections(tag));
        let mut lemma = stem(random.zipf(n_stems.max(1)) * 12 + start);
        if tag == Tag::Propn {
            lemma[..1].make_ascii_uppercase();
        }
        Self { form: format!("{lemma}{ending}"), lemma, xpos, feats }
    }

    fn punctuation(random: &mut Random) -> Self {
        let mark = *random.weighted(&[(8, "."), (1, "?"), (1, "!")]);
        Self { form: mark.into(), lemma: mark.into(), xpos: mark, feats: "_" }
    }
}

fn inflections(tag: Tag) -> &'static [Inflection] {
    match tag {
        Tag::Noun => &[(7, ("", "NN", "Number=Sing")), (3, ("s", "NNS", "Number=Plur"))],
        Tag::Propn => &[(1, ("", "NNP", "Number=Sing"))],
        Tag::Verb => &[
            (5, ("ed", "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin")),
            (3, ("s", "VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin")),
            (2, ("", "VB", "VerbForm=Inf")),
        ],
        Tag::Adj => &[(9, ("", "JJ", "Degree=Pos")), (1, ("er", "JJR", "Degree=Cmp"))],
        Tag::Adv => &[(1, ("ly", "RB", "_"))],
        Tag::Num => &[(1, ("", "CD", "NumType=Card"))],
        Tag::Adp | Tag::Sconj => &[(1, ("", "IN", "_"))],
        Tag::Pron => &[
            (6, ("", "PRP", "Case=Nom|Number=Sing|PronType=Prs")),
            (4, ("m", "PRP", "Case=Nom|Number=Plur|PronType=Prs")),
        ],
        Tag::Det => &[(1, ("", "DT", "Definite=Def|PronType=Art"))],
        Tag::Aux => &[(1, ("", "MD", "VerbForm=Fin"))],
        Tag::Cconj => &[(1, ("", "CC", "_"))],
        Tag::Punct => &[(1, ("", ".", "_"))],
    }
}

/// Returns the stem with this number: its digits to base 70 as syllables, the lowest first.
fn stem(mut number: u32) -> String {
    const CONSONANTS: &[u8; 14] = b"bdfghklmnprstv";
    const VOWELS: &[u8; 5] = b"aeiou";
    let mut stem = String::new();
    loop {
        stem.push(char::from(CONSONANTS[(number % 14) as usize]));
        stem.push(char::from(VOWELS[(number / 14 % 5) as usize]));
        number /= 70;
        if number == 0 {
            return stem;
        }
    }
}
