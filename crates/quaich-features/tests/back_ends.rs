//! The two back ends are equivalent, and the two ways of combining values in the hashed one agree: on random
//! derivations of all systems on random sentences, for all kinds of values.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use quaich_features::hash::fingerprint;
use quaich_features::{
    FrozenAlphabet, Order, Program, Scratch, Sets, SymbolicProgram, SymbolicScratch, SymbolicTokens,
    Template, TokenValues, Tokens,
};
use quaich_testkit::random::Random;
use quaich_treebank::Label;

use support::{random_sentence, systems, templates, walk};

const ORDERS: [Order; 2] = [Order::LeftToRight, Order::RightToLeft];

#[test]
fn the_two_joins_agree() {
    let mut values = TokenValues::default();
    let program = Program::compile(&templates(), &mut values);
    assert_eq!(program.n_templates(), templates().len());
    let (mut tokens, mut scratch, mut expanded) = (Tokens::default(), Scratch::default(), Vec::new());
    let mut random = Random::new(1);
    for system in systems() {
        for order in ORDERS {
            let n_tokens = random.index(9) + 1;
            tokens.read(&random_sentence(&mut random, n_tokens), &values, order);
            let (mut noted, mut sets) = (Sets::default(), Sets::default());
            noted.note(&tokens);
            sets.append(&noted);
            walk(&*system, n_tokens, &mut random, |c, focus| {
                program.run(c, &tokens, focus, &mut scratch);
                let fingerprints: Vec<u32> =
                    scratch.values().iter().map(|&value| fingerprint(value)).collect();
                assert_eq!(fingerprints.len(), program.n_values());
                expanded.clear();
                for template in 0..program.n_templates() {
                    program.expand(template, &fingerprints, &sets, &mut expanded);
                    if template + 1 == program.n_plain() {
                        assert_eq!(expanded.len(), program.n_plain());
                    }
                }
                assert_eq!(scratch.hashes, expanded, "{system:?}");
            });
        }
    }
}

/// Checks that equal sets of hashes are equal sets of values, and vice versa.
fn check_back_ends(template: &Template) {
    let mut values = TokenValues::default();
    let hashed = Program::compile(std::slice::from_ref(template), &mut values);
    let symbolic = SymbolicProgram::compile(std::slice::from_ref(template));
    let mut alphabet = symbolic.alphabet();
    let (mut tokens, mut scratch) = (Tokens::default(), Scratch::default());
    let (mut symbols, mut found) = (SymbolicTokens::default(), SymbolicScratch::default());
    let mut by_hashes: BTreeMap<BTreeSet<u64>, BTreeSet<u32>> = BTreeMap::new();
    let mut by_values: BTreeMap<BTreeSet<u32>, BTreeSet<u64>> = BTreeMap::new();
    let mut random = Random::new(2);
    for system in systems() {
        let n_tokens = random.index(6) + 1;
        let sentence = random_sentence(&mut random, n_tokens);
        let order = *random.pick(&ORDERS);
        tokens.read(&sentence, &values, order);
        symbols.read(&sentence, &symbolic, order, &mut alphabet);
        walk(&*system, n_tokens, &mut random, |c, focus| {
            hashed.run(c, &tokens, focus, &mut scratch);
            symbolic.run(c, &symbols, focus, &mut alphabet, &mut found);
            assert_eq!(scratch.hashes.len(), found.values.len());
            let hashes: BTreeSet<u64> = scratch.hashes.iter().copied().collect();
            let values: BTreeSet<u32> = found.values.iter().map(|&(_, value)| value).collect();
            let same = by_hashes.entry(hashes.clone()).or_insert_with(|| values.clone());
            assert_eq!(*same, values, "{template}");
            let same = by_values.entry(values).or_insert_with(|| hashes.clone());
            assert_eq!(*same, hashes, "{template}");
        });
    }
}

#[test]
fn states_have_the_same_hashes_exactly_if_they_have_the_same_values() {
    for template in templates() {
        check_back_ends(&template);
    }
}

#[test]
fn a_frozen_alphabet_knows_what_it_knew_and_nothing_else() {
    let program = SymbolicProgram::compile(&templates());
    let mut alphabet = program.alphabet();
    let (mut tokens, mut scratch) = (SymbolicTokens::default(), SymbolicScratch::default());
    let mut random = Random::new(3);
    let mut seen = Vec::new();
    let all = systems();
    for system in &all[..2] {
        let sentence = random_sentence(&mut random, 6);
        tokens.read(&sentence, &program, Order::LeftToRight, &mut alphabet);
        walk(&**system, 6, &mut random.clone(), |c, focus| {
            program.run(c, &tokens, focus, &mut alphabet, &mut scratch);
            seen.push(scratch.values.clone());
        });
    }
    let frozen = alphabet.clone().freeze();
    let loaded = FrozenAlphabet::from_parts(&frozen.to_parts()).unwrap();
    assert_eq!(loaded.to_parts(), frozen.to_parts());
    let labels = |label: Label| format!("l{}", label.0);
    for position in 0..program.n_positions() {
        assert_eq!(loaded.n_values(position), alphabet.n_values(position));
        for id in (0u32..).take(loaded.n_values(position)) {
            assert_eq!(loaded.name(position, id, &labels), alphabet.name(position, id, &labels));
        }
    }
    // The same derivations again have the same numbers; other ones have only known values.
    let mut random = Random::new(3);
    let mut again = seen.iter();
    for system in &all[..2] {
        let sentence = random_sentence(&mut random, 6);
        tokens.read(&sentence, &program, Order::LeftToRight, &mut &loaded);
        walk(&**system, 6, &mut random.clone(), |c, focus| {
            program.run(c, &tokens, focus, &mut &loaded, &mut scratch);
            assert_eq!(Some(&scratch.values), again.next());
        });
    }
    let mut random = Random::new(4);
    for system in &all {
        let sentence = random_sentence(&mut random, 6);
        tokens.read(&sentence, &program, Order::LeftToRight, &mut &loaded);
        walk(&**system, 6, &mut random.clone(), |c, focus| {
            program.run(c, &tokens, focus, &mut &loaded, &mut scratch);
            let frozen_values = scratch.values.clone();
            let mut grown = alphabet.clone();
            let mut grown_tokens = SymbolicTokens::default();
            grown_tokens.read(&sentence, &program, Order::LeftToRight, &mut grown);
            program.run(c, &grown_tokens, focus, &mut grown, &mut scratch);
            let known =
                |&&(position, id): &&(u16, u32)| (id as usize) < loaded.n_values(usize::from(position));
            // The order of sets depends on the numbers of texts.
            let mut expected: Vec<(u16, u32)> = scratch.values.iter().filter(known).copied().collect();
            let mut found = frozen_values;
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
        });
    }
}
