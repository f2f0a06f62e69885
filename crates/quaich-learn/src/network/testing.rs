//! A small problem for the tests of training.

use super::{NetworkParameters, Shape, SlotInstances, Vocabulary};

/// Two vocabularies, one with parts, three slots, three classes.
pub(super) fn shape() -> Shape {
    let parts: [&[u32]; 7] = [&[], &[], &[0], &[0, 1], &[1, 2], &[], &[2, 0, 1]];
    Shape {
        vocabularies: vec![
            Vocabulary::composed(parts, 3, 3, Vec::new()),
            Vocabulary::plain(5, 2, Vec::new()),
        ],
        slots: vec![0, 1, 0],
        hidden: 8,
        classes: 3,
    }
}

/// The class is the first value plus the last, modulo three.
pub(super) fn toy(n: u32) -> SlotInstances {
    let mut instances = SlotInstances::new(3, 3);
    let mut state = 3u32;
    for _ in 0..n {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let values = [(state >> 16) % 7, (state >> 20) % 5, (state >> 24) % 7];
        instances.push(&values, (values[0] + values[2]) % 3);
    }
    instances
}

pub(super) fn parameters() -> NetworkParameters {
    NetworkParameters {
        epochs: 60,
        batch: 32,
        rate: 0.02,
        dropout: 0.0,
        value_dropout: 0.0,
        ..NetworkParameters::default()
    }
}
