//! Models that were changed on purpose, their checksums put right: every part of a file is checked against the others before
//! it is used, so such a model is refused or parses, and does neither slowly.
//!
//! The input is a list of changes. They are made to small models of every kind, trained on the spot: the corpus stays good
//! when the format changes.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use quaich::features::FeatureModel;
use quaich::parser::{Model, Settings, Trainer, with_checksum_repaired};
use quaich::treebank::{ReadOptions, Reader, Sentence, Source};
use serde_json::Value;

/// One model of every kind, with the systems and transformations that have checks of their own.
const KINDS: &[&[&str]] = &[
    &["learner=linear", "linear.epochs=1", "linear.folds=0", "linear.min-count=1"],
    &["learner=network", "network.hidden=64", "network.label-hidden=64", "network.epochs=1"],
    &[
        "learner=linear+network",
        "linear.epochs=1",
        "linear.folds=0",
        "linear.min-count=1",
        "network.hidden=64",
        "network.label-hidden=64",
        "network.epochs=1",
    ],
    &["learner=perceptron", "perceptron.epochs=1", "perceptron.megabytes=1"],
    &["learner=linear-svm", "split=s0:p", "decision=joint"],
    &["learner=memory", "split=s0:p>=20", "decision=branch"],
    &[
        "learner=linear",
        "linear.epochs=1",
        "linear.folds=0",
        "linear.min-count=1",
        "system=undirected-planar",
        "transform=none",
    ],
    &["learner=recurrent", "encoder.networks=2", "encoder.epochs=1", "encoder.units=8", "encoder.hidden=8"],
    &["learner=network", "system=rtl:arc-standard", "transform=pseudo-projective:path", "network.epochs=1"],
    &["ensemble=six-over-two", "encoder.epochs=1", "encoder.units=8", "encoder.hidden=8"],
];

const FEATURES: &str = "
transition = ['s0:p b0:p', 's0:w', 'b0:w', 's0.l:d s0:nl', 'dist(s0,b0)', 's0:p&f.Number', 'agree(s0,b0,f*) b0:p']
label = ['h:p d:p', 'd:w', 'd.r:d', 'd:f*']
";

/// The model file of a kind.
fn trained(kind: usize) -> &'static [u8] {
    static TRAINED: OnceLock<Vec<OnceLock<Vec<u8>>>> = OnceLock::new();
    let all = TRAINED.get_or_init(|| KINDS.iter().map(|_| OnceLock::new()).collect());
    all[kind].get_or_init(|| {
        let fixed = ["held-out=no", "min-label-count=1"];
        let assignments = fixed.iter().chain(KINDS[kind]);
        let settings = assignments
            .fold(Settings::default(), |settings, assignment| settings.with(assignment).expect("a setting"));
        let mut trainer = Trainer::new(&settings);
        if settings.check_templates().is_ok() {
            trainer = trainer.features(FeatureModel::parse(FEATURES).expect("a feature model"));
        }
        trainer.train(sentences()).expect("a model").to_bytes().expect("a model file")
    })
}

/// A few sentences of the sample.
pub(crate) fn sentences() -> &'static [Sentence] {
    static SENTENCES: OnceLock<Vec<Sentence>> = OnceLock::new();
    SENTENCES.get_or_init(|| {
        let source = Source::from_stream(quaich::sample::TRAIN.as_bytes(), "sample".to_owned(), None);
        let reader = Reader::new(source.expect("a stream"), &ReadOptions::default()).expect("a treebank");
        reader.sentences().take(25).collect::<Result<_, _>>().expect("sentences")
    })
}

/// How many kinds of models there are.
pub(crate) fn n_kinds() -> usize {
    KINDS.len()
}

/// A model of the kind that the first byte says, changed as the others say.
pub(crate) fn changed_model(bytes: &[u8]) {
    let Some((&kind, changes)) = bytes.split_first() else { return };
    let mut file = File::read(trained(usize::from(kind) % KINDS.len()));
    for change in changes.chunks_exact(6).take(12) {
        file.change(change.try_into().expect("six bytes"));
    }
    let written = file.write();
    let repaired = with_checksum_repaired(&written).unwrap_or(written);
    let Ok(model) = Model::from_bytes(&repaired, "fuzz") else { return };
    let (mut worker, mut text, mut probabilities) = (model.worker(), Vec::new(), Vec::new());
    for sentence in &sentences()[..3] {
        assert_eq!(worker.parse(sentence).n_tokens(), sentence.n_tokens());
        assert!(worker.parse_with_scores(sentence, &mut probabilities).is_well_formed());
        assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)), "{probabilities:?}");
        text.clear();
        worker.parse_text(sentence, true, &mut text);
        let rows = |text: &[u8]| text.split(|&byte| byte == b'\n').count();
        assert_eq!(rows(&text), rows(sentence.text().as_bytes()), "labels stay within their cells");
    }
}

/// A model file taken apart.
struct File {
    description: Value,
    /// By name: the bytes, and whether they are declared as numbers of 64 bits.
    arrays: BTreeMap<String, (Vec<u8>, bool)>,
}

const KEY: &str = "quaich";

impl File {
    fn read(bytes: &[u8]) -> Self {
        let (length, rest) = bytes.split_first_chunk::<8>().expect("a length");
        let (header, data) =
            rest.split_at(usize::try_from(u64::from_le_bytes(*length)).expect("a short header"));
        let header: BTreeMap<String, Value> = serde_json::from_slice(header).expect("a header");
        let description = header["__metadata__"][KEY].as_str().expect("a description");
        let arrays = header.iter().filter(|(name, _)| *name != "__metadata__").map(|(name, info)| {
            let offset = |i: usize| info["data_offsets"][i].as_u64().and_then(|n| usize::try_from(n).ok());
            let bytes = data[offset(0).expect("a start")..offset(1).expect("an end")].to_vec();
            (name.clone(), (bytes, info["dtype"] == "U64"))
        });
        Self { arrays: arrays.collect(), description: serde_json::from_str(description).expect("JSON") }
    }

    fn write(&self) -> Vec<u8> {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        let mut order: Vec<_> = self.arrays.iter().collect();
        order.sort_by_key(|(_, (_, long))| !long);
        for (name, (bytes, long)) in order {
            let width = if *long { 8 } else { 1 };
            let info = serde_json::json!({
                "dtype": if *long { "U64" } else { "U8" },
                "shape": [bytes.len() / width],
                "data_offsets": [data.len(), data.len() + bytes.len()],
            });
            header.insert(name.clone(), info);
            data.extend_from_slice(bytes);
        }
        header.insert("__metadata__".to_owned(), serde_json::json!({ KEY: self.description.to_string() }));
        let header = Value::Object(header).to_string();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(&data);
        file
    }

    /// A change: what, where, and to what.
    fn change(&mut self, [what, high, low, place, a, b]: [u8; 6]) {
        let at = usize::from(high) << 8 | usize::from(low);
        if what.is_multiple_of(2) {
            let n = count(&self.description);
            if let Some(value) = nth(&mut self.description, &mut (at % n)) {
                change_value(value, what / 2, a, b);
            }
            return;
        }
        let n = self.arrays.len().max(1);
        let Some((_, (bytes, long))) = self.arrays.iter_mut().nth(at % n) else { return };
        // Mostly whole cache lines or numbers, so that more is reached than the first check.
        let unit = if *long { 64 } else { [1, 2, 4, 8][usize::from(b % 4)] };
        let start = (usize::from(place) * usize::from(a.max(1)) * unit) % bytes.len().max(1);
        match what / 2 % 5 {
            0 => bytes.truncate(start / unit * unit),
            1 => bytes.extend(std::iter::repeat_n(b, unit * usize::from(a))),
            2 => bytes[start..].iter_mut().take(unit).for_each(|byte| *byte = b),
            3 => bytes[start..].iter_mut().for_each(|byte| *byte = byte.wrapping_add(b)),
            _ => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte = b;
                }
            }
        }
    }
}

/// How many values a JSON value has, itself with them.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

fn nth<'v>(value: &'v mut Value, n: &mut usize) -> Option<&'v mut Value> {
    if *n == 0 {
        return Some(value);
    }
    *n -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|value| nth(value, n)),
        Value::Object(map) => map.values_mut().find_map(|value| nth(value, n)),
        _ => None,
    }
}

fn change_value(value: &mut Value, what: u8, a: u8, b: u8) {
    match value {
        Value::Number(_) => {
            const WHOLE: &[i64] =
                &[0, 1, -1, 2, 3, 64, 127, 65_535, 65_536, 4_294_967_295, 1_000_000_000_000_000_000];
            const REAL: &[f64] = &[0.0, -0.0, 0.5, -1.0, 1e-300, 1e300, 3e38, 3e39, -1e9];
            *value = if what.is_multiple_of(2) {
                WHOLE[usize::from(a) % WHOLE.len()].into()
            } else {
                REAL[usize::from(a) % REAL.len()].into()
            };
        }
        Value::String(text) => {
            const TEXTS: &[&str] = &[
                "",
                "\t",
                "\n",
                "_",
                "none",
                "s0:w",
                "s0:f* b0:f* s1:f*",
                "h:p",
                "history:1",
                "b15.l16:sl",
                "↑",
                "a↑b↓",
                "|",
                "|nsubj|",
                "nsubj↓",
                "linear",
                "network",
                "linear+network",
                "classifiers",
                "arc-eager+lba",
                "two-planar",
                "covington",
                "swap-lazy",
                "rtl:arc-hybrid",
                "arc-eager:malt",
                "undirected-covington",
                "pseudo-projective:path",
                "pseudo-projective:head,pseudo-projective:path",
                "joint",
                "branch",
                "sequence",
                "NaN",
            ];
            match what % 4 {
                0 => TEXTS[usize::from(a) % TEXTS.len()].clone_into(text),
                1 => *text = format!("s0{}:w", ".h".repeat(usize::from(a) * 50)),
                // Once: what is repeated again and again fills the memory without a model's help.
                2 if text.len() < 1000 => *text = text.repeat(usize::from(a)),
                _ => text.push(char::from(b)),
            }
        }
        Value::Array(list) => match what % 5 {
            0 => list.clear(),
            1 => drop(list.pop()),
            2 => list.extend(list.clone()),
            3 if !list.is_empty() => {
                let n = list.len();
                list.swap(usize::from(a) % n, usize::from(b) % n);
            }
            _ if list.len() < 2000 => {
                let few: Vec<Value> = list.iter().take(1).cloned().collect();
                list.extend(few.iter().cycle().take(few.len() * usize::from(a) * 16).cloned());
            }
            _ => {}
        },
        Value::Object(map) => {
            let key = map.keys().nth(usize::from(a) % map.len().max(1)).cloned();
            if let Some(key) = key {
                map.remove(&key);
            }
        }
        Value::Bool(held) => *held = !*held,
        Value::Null => *value = serde_json::json!({}),
    }
}
