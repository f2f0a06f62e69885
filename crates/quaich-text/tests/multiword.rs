//! Multiword tokens of real treebanks: five-fold cross-validation on the training file.

use std::collections::BTreeSet;

use quaich_testkit::treebanks;
use quaich_text::multiword::{MultiwordEvidence, MultiwordSplitter, TrainingToken, training_tokens};
use quaich_treebank::{Sentence, Treebank};

/// A number of correct tokens and the total.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Right {
    right: usize,
    of: usize,
}

impl Right {
    fn count(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.of += 1;
    }
}

/// The results of cross-validation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    /// Multiword tokens that were also multiword tokens in training.
    seen: Right,
    /// All other multiword tokens.
    unseen: Right,
    /// The multiword tokens among all tokens with this evidence.
    always: Right,
    never: Right,
    likely: Right,
}

fn tokens(sentences: &[Sentence]) -> Vec<TrainingToken<'_>> {
    let mut tokens = Vec::new();
    for sentence in sentences {
        training_tokens(sentence, &mut tokens);
    }
    tokens
}

fn cross_validate(sentences: &[Sentence]) -> Counts {
    let mut counts = Counts::default();
    for run in 0..5 {
        let (start, end) = (sentences.len() * run / 5, sentences.len() * (run + 1) / 5);
        let mut train = tokens(&sentences[..start]);
        train.extend(tokens(&sentences[end..]));
        let splitter = MultiwordSplitter::learn(&train);
        let json = serde_json::to_string(&splitter).unwrap();
        assert_eq!(serde_json::from_str::<MultiwordSplitter>(&json).unwrap(), splitter);
        let split = train.iter().filter(|token| token.words.len() > 1);
        let known: BTreeSet<String> = split.map(|token| token.form.to_lowercase()).collect();
        for token in tokens(&sentences[start..end]) {
            let is_multiword = token.words.len() > 1;
            match splitter.evidence(token.form) {
                MultiwordEvidence::Always => counts.always.count(is_multiword),
                MultiwordEvidence::Never => counts.never.count(is_multiword),
                MultiwordEvidence::Likely => counts.likely.count(is_multiword),
                _ => {}
            }
            if is_multiword {
                let is_right = splitter.split(token.form).is_some_and(|words| words == token.words);
                let is_known = known.contains(&token.form.to_lowercase());
                if is_known { &mut counts.seen } else { &mut counts.unseen }.count(is_right);
            }
        }
    }
    counts
}

/// Checks the number of seen and unseen multiword tokens that are split correctly.
#[track_caller]
fn check(folder: &str, seen: usize, unseen: usize) {
    let Some(treebanks) = treebanks() else { return };
    let treebank = Treebank::read(treebanks.join(folder).join("train.conllu")).unwrap();
    let counts = cross_validate(&treebank);
    assert_eq!((counts.seen.right, counts.unseen.right), (seen, unseen), "{folder}: {counts:?}");
}

#[test]
fn galician() {
    check("galician-treegal", 1090, 144);
}

#[test]
fn english() {
    check("english-ewt", 2011, 597);
}

#[test]
fn marathi() {
    check("marathi-ufal", 73, 157);
}

#[test]
fn latin() {
    check("latin-perseus", 104, 59);
}
