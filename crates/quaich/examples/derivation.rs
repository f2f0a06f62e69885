//! Derives gold trees with the static oracle of arc-eager, without a model.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use quaich::Treebank;
use quaich::transition::configuration::Configuration;
use quaich::transition::gold::Gold;
use quaich::transition::oracle::derive;
use quaich::transition::spec::SystemSpec;
use quaich::transition::systems::Options;
use quaich::treebank::Symbols;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let treebank = Treebank::from_text(quaich::sample::TEST)?;
    let system = "arc-eager".parse::<SystemSpec>()?.build(Options::default());
    let (mut gold, mut c, mut labels) = (Gold::new(), Configuration::new(), Symbols::new());
    for sentence in treebank.iter().take(3) {
        let tree = sentence.tree(&mut labels);
        let derivation = derive(&*system, &tree, &mut gold, &mut c);
        println!("{} transitions, exact: {}", derivation.steps.len(), derivation.exact);
    }
    Ok(())
}
