//! Epochs of Crammer and Singer's support vector machine over instances similar to a parser's: 130 positions, values that are words, tags
//! and pairs of them, most of them rare; the class mostly depends on the first word.
//!
//! ```text
//! cargo bench -p quaich-learn --bench linear
//! ```
//!
//! The counted items are visits of instances.

use std::collections::BTreeMap;

use divan::Bencher;
use divan::counter::ItemsCount;
use quaich_learn::{Instances, Positions, Right, crammer_singer};

fn main() {
    divan::main();
}

const POSITIONS: u32 = 130;
const WORDS: u32 = 20_000;
const TAGS: u32 = 17;
/// The words of an instance.
const WINDOW: u32 = 8;

/// Synthetic instances, always the same.
fn instances(n: usize, n_classes: u32) -> Instances {
    let mut state = 1u64;
    let mut random = move |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(((state >> 33) * u64::from(below)) >> 31).expect("below a number of 32 bits")
    };
    let mut rows: Vec<Vec<u64>> = Vec::new();
    let mut classes = Vec::new();
    for _ in 0..n {
        // Frequencies decrease with the rank, like those of words.
        let words =
            [(); WINDOW as usize].map(|()| random(WORDS) * random(WORDS) / WORDS * random(WORDS) / WORDS);
        let class = if random(10) == 0 {
            random(n_classes)
        } else {
            words[0].wrapping_mul(2_654_435_761) % n_classes
        };
        classes.push(class);
        rows.push(
            (0..POSITIONS).map(|position| u64::from(position) << 32 | value(position, &words)).collect(),
        );
    }
    let mut counts = BTreeMap::<u64, (u32, u32)>::new();
    for &value in rows.iter().flatten() {
        counts.entry(value).or_default().0 += 1;
    }
    counts.retain(|_, (count, _)| *count > 1);
    let mut offsets = vec![0; POSITIONS as usize + 1];
    for (number, (value, (_, id))) in (0u32..).zip(&mut counts) {
        *id = number;
        offsets[usize::try_from(value >> 32).expect("a position") + 1] = number + 1;
    }
    for position in 1..offsets.len() {
        offsets[position] = offsets[position].max(offsets[position - 1]);
    }
    let mut instances = Instances::new(Positions::new(offsets), n_classes as usize);
    for (row, class) in rows.iter().zip(classes) {
        let row: Vec<u32> = row.iter().filter_map(|value| counts.get(value)).map(|&(_, id)| id).collect();
        instances.push(&row, Right::Class(class), 1.0);
    }
    instances
}

/// A word, a tag, a word and a tag, or two words.
fn value(position: u32, words: &[u32]) -> u64 {
    let word = |i: u32| u64::from(words[(i % WINDOW) as usize]);
    let tag = |i: u32| u64::from(words[(i % WINDOW) as usize] % TAGS);
    let (a, b) = (position / 4, position / 4 + 1 + position / 32);
    match position % 4 {
        0 => word(a),
        1 => tag(a) * 400 + tag(b) * 20 + tag(b + 1),
        2 => word(a) * 20 + tag(b),
        _ => word(a) * u64::from(WORDS) + word(b),
    }
}

#[divan::bench(args = [3, 6, 12, 50, 120, 250, 1000], sample_count = 5, sample_size = 1)]
fn linear(bencher: Bencher<'_, '_>, n_classes: u32) {
    epochs(20_000, n_classes, bencher);
}

/// The size that must be practical: five thousand labels.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn with_5000_classes(bencher: Bencher<'_, '_>) {
    epochs(50_000, 5000, bencher);
}

/// Times three epochs.
fn epochs(n: usize, n_classes: u32, bencher: Bencher<'_, '_>) {
    let instances = instances(n, n_classes);
    let settings = crammer_singer::CrammerSingerParameters {
        epochs: 3,
        ..crammer_singer::CrammerSingerParameters::default()
    };
    bencher
        .counter(ItemsCount::new(3 * n))
        .bench_local(|| crammer_singer::train(&instances, &settings, &|| true, &|| false).unwrap());
}
