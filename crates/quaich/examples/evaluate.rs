//! Scores a parser on a test set: attachment scores and correct words per label.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::BTreeMap;

use quaich::{Settings, Trainer, Treebank};

fn main() -> quaich::Result<()> {
    let (train, test) =
        (Treebank::from_text(quaich::sample::TRAIN)?, Treebank::from_text(quaich::sample::TEST)?);
    // A linear model trains in a moment.
    let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&train)?;
    if let Some(scores) = model.score(&test) {
        println!("LAS {:.2}, UAS {:.2}", scores.las, scores.uas);
    }
    let mut by_label: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let parsed = model.parse_all(&test);
    for (gold, parsed) in test.iter().zip(&parsed) {
        for (token, word) in gold.tokens().zip(parsed.words()) {
            let is_correct =
                gold.heads()[token.index()].index() == word.head() && gold.label(token) == word.label();
            let (correct, total) = by_label.entry(gold.label(token)).or_default();
            *correct += u32::from(is_correct);
            *total += 1;
        }
    }
    for (label, (correct, total)) in by_label {
        println!("{label:12} {correct:4} of {total:4}");
    }
    Ok(())
}
