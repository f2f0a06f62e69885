//! Invalid input never causes a panic: the corpus of the fuzz targets, and random changes of it.

#[path = "../../../fuzz/exercise.rs"]
mod exercise;

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// All inputs in the corpus of a fuzz target, sorted by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn the_corpus_of_read() {
    for bytes in corpus("read") {
        exercise::read(&bytes);
    }
}

#[test]
fn the_corpus_of_format_file() {
    for bytes in corpus("format_file") {
        exercise::format_file(&bytes);
    }
}

#[test]
fn the_corpus_of_templates() {
    for bytes in corpus("templates") {
        exercise::templates(&bytes);
    }
}

#[test]
fn the_corpus_of_malt_features() {
    for bytes in corpus("malt_features") {
        exercise::malt_features(&bytes);
    }
}

#[test]
fn the_corpus_of_specification() {
    for bytes in corpus("specification") {
        exercise::specification(&bytes);
    }
}

#[test]
fn the_corpus_of_settings() {
    for bytes in corpus("settings") {
        exercise::settings(&bytes);
    }
}

#[test]
fn the_corpus_of_model() {
    for bytes in corpus("model") {
        exercise::changed_model(&bytes);
    }
    for kind in 0..exercise::n_kinds() {
        exercise::changed_model(&[u8::try_from(kind).unwrap()]);
    }
}

/// A change of some bytes.
#[derive(Clone, Debug)]
enum Change {
    Remove(Index, usize),
    Insert(Index, &'static [u8]),
    Byte(Index, u8),
    Repeat(Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    const PIECES: &[&[u8]] = &[
        b"\n",
        b"\n\n",
        b"\r\n",
        b"\r",
        b"\t",
        b" ",
        b"#",
        b"# text = x\n",
        b"_",
        b"0",
        b"1-2\t",
        b"1.1\t",
        b"-",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xe2\x82",
        b"4294967295",
        b"|",
        b"=",
    ];
    prop_oneof![
        (any::<Index>(), 1..20usize).prop_map(|(at, n)| Change::Remove(at, n)),
        (any::<Index>(), prop::sample::select(PIECES)).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (any::<Index>(), 1..200usize).prop_map(|(at, n)| Change::Repeat(at, n)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |at: &Index| at.index(bytes.len() + 1);
    match change {
        Change::Remove(at, n) => {
            let from = place(at);
            bytes.drain(from..(from + n).min(bytes.len()));
        }
        Change::Insert(at, piece) => {
            let at = place(at);
            bytes.splice(at..at, piece.iter().copied());
        }
        Change::Byte(at, byte) => {
            let at = place(at);
            if let Some(found) = bytes.get_mut(at) {
                *found = *byte;
            }
        }
        Change::Repeat(at, n) => {
            let from = place(at);
            let piece = bytes[from..(from + n).min(bytes.len())].to_vec();
            bytes.splice(from..from, piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(600), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_treebanks_are_read(which in any::<Index>(), changes in vec(change(), 1..12)) {
        let corpus = corpus("read");
        let mut bytes = which.get(&corpus).clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        exercise::read(&bytes);
    }

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..300)) {
        exercise::read(&bytes);
    }

    #[test]
    fn changed_feature_models_are_read(which in any::<Index>(), changes in vec(change(), 1..6)) {
        let corpus = corpus("templates");
        let mut bytes = which.get(&corpus).clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        exercise::templates(&bytes);
    }

    #[test]
    fn changed_malt_features_are_read(which in any::<Index>(), changes in vec(change(), 1..6)) {
        let corpus = corpus("malt_features");
        let mut bytes = which.get(&corpus).clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        exercise::malt_features(&bytes);
    }

    #[test]
    fn changed_settings_and_specifications_are_read(which in any::<Index>(), changes in vec(change(), 1..6)) {
        for (target, run) in [("settings", exercise::settings as fn(&[u8])), ("specification", exercise::specification)] {
            let corpus = corpus(target);
            let mut bytes = which.get(&corpus).clone();
            for change in &changes {
                apply(&mut bytes, change);
            }
            run(&bytes);
        }
    }

    #[test]
    fn changed_models_are_refused_or_parse(kind in 0..exercise::n_kinds(), changes in vec(any::<u8>(), 6..24)) {
        let mut bytes = vec![u8::try_from(kind).unwrap()];
        bytes.extend(changes);
        exercise::changed_model(&bytes);
    }

    #[test]
    fn changed_format_files_are_read(which in any::<Index>(), changes in vec(change(), 1..6)) {
        let corpus = corpus("format_file");
        let mut bytes = which.get(&corpus).clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        exercise::format_file(&bytes);
    }
}
