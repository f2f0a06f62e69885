//! Trains a parser, saves it, loads it and parses a sentence. `train.conllu` is any treebank.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use quaich::{Model, Trainer, Treebank};

fn main() -> quaich::Result<()> {
    Trainer::default().train(&Treebank::read("train.conllu")?)?.save("en.quaich")?;
    let model = Model::load("en.quaich")?; // cheap to clone, Send + Sync
    for word in model.worker().parse_words(["Cats", "sleep", "."])?.words() {
        println!("{} {} {} {:.2}", word.form(), word.head(), word.label(), word.probability());
    }
    Ok(())
}
