//! The parameters of training a network.

/// The parameters of training a network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NetworkParameters {
    /// The number of epochs.
    pub epochs: usize,
    /// The number of instances per minibatch; 0 to derive it from the number of instances.
    pub batch: usize,
    /// The maximum learning rate; it decays to zero over the epochs.
    pub rate: f32,
    /// The dropout rate of hidden units.
    pub dropout: f32,
    /// Value dropout: the probability of replacing a value by unknown, in addition to that of the vocabulary.
    pub value_dropout: f32,
    /// The weight decay per step, multiplied by the learning rate.
    pub decay: f32,
    /// Label smoothing: the part of the target that is spread over all classes.
    pub smoothing: f32,
    /// The random seed for initial weights, the order of instances and dropout.
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
