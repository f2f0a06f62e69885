//! Edit rules of real treebanks: their number, and the share of test words that they cover.

use std::collections::BTreeSet;
use std::path::Path;

use quaich_testkit::treebanks;
use quaich_text::edit_rules::{AffixCopies, EditRule, rules_of};
use quaich_treebank::{Role, Treebank};

/// The forms and lemmas of a file.
fn pairs(file: &Path) -> Vec<(String, String)> {
    let treebank = Treebank::read(file).unwrap();
    let pair = |sentence: &quaich_treebank::Sentence, token| {
        (sentence.form(token).to_owned(), sentence.value(token, Role::Lemma).to_owned())
    };
    treebank.iter().flat_map(|sentence| sentence.tokens().map(move |token| pair(sentence, token))).collect()
}

fn borrowed(pairs: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    pairs.iter().map(|(form, lemma)| (&form[..], &lemma[..]))
}

/// Checks the number of rules of the training file and the share of test words that they cover, in tenths of a per cent.
#[track_caller]
fn check(folder: &str, expected: (AffixCopies, usize), coverage: usize) {
    let Some(treebanks) = treebanks() else { return };
    let (train, test) =
        (treebanks.join(folder).join("train.conllu"), treebanks.join(folder).join("test.conllu"));
    let (train, test) = (pairs(&train), pairs(&test));
    let (copies, rules) = rules_of(borrowed(&train));
    for (form, lemma) in train.iter().chain(&test) {
        let rule = EditRule::between_with(form, lemma, copies);
        assert_eq!(rule.apply(form).as_ref(), Some(lemma));
        assert_eq!(rule.to_string().parse(), Ok(rule));
    }
    let known: BTreeSet<EditRule> = rules.into_iter().collect();
    let covered =
        borrowed(&test).filter(|(form, lemma)| known.contains(&EditRule::between_with(form, lemma, copies)));
    let covered = covered.count() * 1000 / test.len();
    assert_eq!(((copies, known.len()), covered), (expected, coverage));
}

#[test]
fn english() {
    check("english-ewt", (AffixCopies::Allowed, 548), 998);
}

#[test]
fn hungarian() {
    check("hungarian-szeged", (AffixCopies::Allowed, 260), 996);
}

#[test]
fn latin() {
    check("latin-perseus", (AffixCopies::Forbidden, 708), 980);
}

#[test]
fn galician() {
    check("galician-treegal", (AffixCopies::Forbidden, 121), 997);
}

#[test]
fn vedic() {
    check("sanskrit-vedic", (AffixCopies::Forbidden, 613), 981);
}
