//! Cost of the default templates: reading a sentence, per token, and running the programs, per state.
//!
//! ```text
//! cargo bench -p quaich-features
//! ```

use divan::Bencher;
use divan::counter::ItemsCount;
use quaich_features::{
    FeatureModel, Focus, Order, Program, Scratch, SymbolicProgram, SymbolicScratch, SymbolicTokens, Template,
    TokenValue, TokenValues, Tokens,
};
use quaich_testkit::generator::{self, TreebankOptions};
use quaich_testkit::random::Random;
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::{ArcEager, Options, System};
use quaich_transition::transition::{Kind, Transition};
use quaich_treebank::{Label, ReadOptions, Reader, Sentence, Source};

fn main() {
    divan::main();
}

/// Sentences of ordinary length.
fn sentences() -> Vec<Sentence> {
    let mut text = Vec::new();
    generator::write(&TreebankOptions { n_tokens: 2_000, ..TreebankOptions::default() }, &mut text)
        .expect("memory");
    let source = Source::from_stream(std::io::Cursor::new(text), "generated".into(), None).expect("UTF-8");
    let reader = Reader::new(source, &ReadOptions::default()).expect("CoNLL-U");
    reader.sentences().collect::<Result<_, _>>().expect("no mistakes")
}

/// Returns the states of a random arc-eager derivation of a sentence.
fn states(sentence: &Sentence, random: &mut Random) -> Vec<Configuration> {
    let system = ArcEager::new(Options::default());
    let (mut c, mut states) = (Configuration::new(), Vec::new());
    system.start(&mut c, sentence.n_tokens());
    while !system.is_terminal(&c) {
        states.push(c.clone());
        let kinds: Vec<Kind> = system.permissible(&c).iter().collect();
        let kind = *random.pick(&kinds);
        let label = if kind.adds_arc() { Label(random.below(40)) } else { Label::NONE };
        system.apply(&mut c, Transition { kind, label });
    }
    states
}

/// Returns the default model with a tag of two features, as in many languages.
fn model() -> FeatureModel {
    let mut model = FeatureModel::default_model();
    let values = ["p", "f.Number", "f.Tense"].map(|text| TokenValue::parse(text).expect("the notation"));
    model.resolve("m", &values);
    model
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    let (model, sentences) = (model(), sentences());
    let (mut values, mut tokens) = (TokenValues::default(), Tokens::default());
    Program::compile(&model.transition, &mut values);
    Program::compile(&model.label, &mut values);
    let n_tokens: usize = sentences.iter().map(Sentence::n_tokens).sum();
    bencher.counter(ItemsCount::new(n_tokens)).bench_local(|| {
        for sentence in &sentences {
            tokens.read(sentence, &values, Order::LeftToRight);
        }
    });
}

fn bench_run(bencher: Bencher<'_, '_>, templates: &[Template], sets: bool) {
    let templates: Vec<Template> =
        templates.iter().filter(|template| sets || !template.has_sets()).cloned().collect();
    let mut values = TokenValues::default();
    let program = Program::compile(&templates, &mut values);
    let mut scratch = Scratch::default();
    let mut random = Random::new(1);
    let read: Vec<(Tokens, Vec<Configuration>)> = sentences()
        .iter()
        .map(|sentence| {
            let mut tokens = Tokens::default();
            tokens.read(sentence, &values, Order::LeftToRight);
            (tokens, states(sentence, &mut random))
        })
        .collect();
    let n_states: usize = read.iter().map(|(_, states)| states.len()).sum();
    bencher.counter(ItemsCount::new(n_states)).bench_local(|| {
        for (tokens, states) in &read {
            for c in states {
                program.run(c, tokens, Focus { head: c.stack(0), dependent: c.buffer(0) }, &mut scratch);
            }
        }
        scratch.hashes.len()
    });
}

#[divan::bench]
fn transition(bencher: Bencher<'_, '_>) {
    bench_run(bencher, &model().transition, true);
}

#[divan::bench]
fn transition_without_sets(bencher: Bencher<'_, '_>) {
    bench_run(bencher, &model().transition, false);
}

#[divan::bench]
fn label(bencher: Bencher<'_, '_>) {
    bench_run(bencher, &model().label, true);
}

#[divan::bench]
fn symbolic_transition(bencher: Bencher<'_, '_>) {
    let program = SymbolicProgram::compile(&model().transition);
    let mut alphabet = program.alphabet();
    let mut scratch = SymbolicScratch::default();
    let mut random = Random::new(1);
    let mut read = Vec::new();
    for sentence in &sentences() {
        let mut tokens = SymbolicTokens::default();
        tokens.read(sentence, &program, Order::LeftToRight, &mut alphabet);
        read.push((tokens, states(sentence, &mut random)));
    }
    let n_states: usize = read.iter().map(|(_, states)| states.len()).sum();
    bencher.counter(ItemsCount::new(n_states)).bench_local(|| {
        for (tokens, states) in &read {
            for c in states {
                program.run(c, tokens, Focus::NONE, &mut alphabet, &mut scratch);
            }
        }
        scratch.values.len()
    });
}
