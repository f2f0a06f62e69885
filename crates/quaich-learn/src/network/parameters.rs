//! What the training of a network can be told.

/// What the training of a network can be told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NetworkParameters {
    /// How often the instances are gone through.
    pub epochs: usize,
    /// How many instances there are between two changes of the weights; 0 leaves it to their number.
    pub batch: usize,
    /// The highest learning rate; it falls to zero over the epochs.
    pub rate: f32,
    /// The part of the hidden units that is left out at random.
    pub dropout: f32,
    /// The part of the values that is taken for unknown at random, whatever the value.
    pub value_dropout: f32,
    /// How much of each weight is forgotten: times the rate, at every change.
    pub decay: f32,
    /// Part of the target that is spread over all classes.
    pub smoothing: f32,
    /// Fixes the first weights, the order of the instances and what is left out.
    pub seed: u64,
}

impl Default for NetworkParameters {
    fn default() -> Self {
        Self {
            epochs: 8,
            batch: 0,
            rate: 0.002,
            dropout: 0.3,
            value_dropout: 0.1,
            decay: 0.0,
            smoothing: 0.0,
            seed: 1,
        }
    }
}
