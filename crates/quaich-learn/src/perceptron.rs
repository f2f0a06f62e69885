//! Averaged perceptron and passive-aggressive updates on binary features.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use crate::crammer_singer::Weights;
use crate::instances::Instances;

/// Trains by averaged passive-aggressive updates (PA-I with bound `c`).
pub fn train(instances: &Instances, c: f32, passes: usize, seed: u64) -> Weights {
    let k = instances.n_classes();
    let mut weights = vec![0.0f32; k * instances.n_features()];
    // Sum of weight × time since it was set, kept lazily: average = weight − late / now.
    let mut late = vec![0.0f32; k * instances.n_features()];
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut order: Vec<u32> = (0u32..).take(instances.len()).collect();
    let mut scores = vec![0.0f32; k];
    let mut now = 1.0f32;
    let tick = 1.0 / instances.len().max(1) as f32;
    for _ in 0..passes {
        order.shuffle(&mut generator);
        for &i in &order {
            let features = instances.features(i as usize);
            scores.fill(0.0);
            for &f in features {
                for (s, w) in scores.iter_mut().zip(&weights[f as usize * k..][..k]) {
                    *s += w;
                }
            }
            let right = instances.class(i as usize) as usize;
            let mut wrong = usize::MAX;
            for class in 0..k {
                if class != right && (wrong == usize::MAX || scores[class] > scores[wrong]) {
                    wrong = class;
                }
            }
            let loss = 1.0 - scores[right] + scores[wrong];
            if loss > 0.0 && !features.is_empty() {
                let step = (loss / (2.0 * features.len() as f32)).min(c);
                for &f in features {
                    let at = f as usize * k;
                    weights[at + right] += step;
                    late[at + right] += step * now;
                    weights[at + wrong] -= step;
                    late[at + wrong] -= step * now;
                }
            }
            now += tick;
        }
    }
    for (w, l) in weights.iter_mut().zip(&late) {
        *w -= l / now;
    }
    Weights::from_values(k, weights)
}
