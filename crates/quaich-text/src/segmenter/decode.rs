//! Sentence-end probabilities → sentences, by dynamic programming.
//!
//! A sentence is correct if it has the right beginning and end and no sentence ends inside it. The decoder maximises the expected number
//! of correct sentences minus a cost per sentence. If all probabilities are close to 0 or 1, this is the same as a threshold of ½; if
//! they are not, as in transcribed speech, it still finds sentences of reasonable length.

/// The end of a token, where a sentence may end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TokenEnd {
    /// The end of the token, as a byte offset in the text.
    pub(crate) end: usize,
    /// The probability that a sentence ends with it.
    pub(crate) probability: f32,
}

/// The maximum length of a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    pub(crate) tokens: usize,
    pub(crate) bytes: usize,
}

/// The buffers of the decoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecodeScratch {
    candidates: Vec<Candidate>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    token: usize,
    probability: f32,
    /// The best total score of the sentences up to here.
    score: f32,
    /// The previous sentence end in the best segmentation.
    previous: Option<usize>,
}

/// Less probable sentence ends are not considered.
const MIN_PROBABILITY: f32 = 0.01;

/// Computes the indices of the tokens that end a sentence. The last token always does.
pub(crate) fn sentence_ends(
    tokens: &[TokenEnd],
    (limits, sentence_cost): (Limits, f32),
    scratch: &mut DecodeScratch,
    ends: &mut Vec<usize>,
) {
    ends.clear();
    let candidates = &mut scratch.candidates;
    find_candidates(tokens, limits, candidates);
    let start_of = |candidates: &[Candidate], before: Option<usize>| {
        before.map_or((0, 0), |before| {
            let token = candidates[before].token;
            (token + 1, tokens[token].end)
        })
    };
    for i in 0..candidates.len() {
        let here = candidates[i];
        let (mut score, mut best) = (f32::NEG_INFINITY, None);
        // The probability that a sentence ends here and at no candidate in between.
        let mut unbroken = here.probability;
        for before in (0..i).rev().map(Some).chain([None]) {
            let (first, start) = start_of(candidates, before);
            let is_long =
                here.token + 1 - first > limits.tokens || tokens[here.token].end - start > limits.bytes;
            if is_long && score > f32::NEG_INFINITY {
                break;
            }
            let (score_before, probability) = before
                .map_or((0.0, 1.0), |before| (candidates[before].score, candidates[before].probability));
            let new_score = score_before + unbroken * probability - sentence_cost;
            if new_score > score {
                (score, best) = (new_score, before);
            }
            unbroken *= 1.0 - probability;
        }
        (candidates[i].score, candidates[i].previous) = (score, best);
    }
    let mut at = candidates.len().checked_sub(1);
    while let Some(candidate) = at {
        ends.push(candidates[candidate].token);
        at = candidates[candidate].previous;
    }
    ends.reverse();
}

/// Finds the tokens that may end a sentence, close enough to each other that no sentence exceeds the limits.
fn find_candidates(tokens: &[TokenEnd], limits: Limits, candidates: &mut Vec<Candidate>) {
    candidates.clear();
    let Some(last) = tokens.len().checked_sub(1) else { return };
    // The first token of the current sentence and the offset of its text.
    let (mut first, mut start) = (0, 0);
    let candidate = |token, probability| Candidate { token, probability, score: 0.0, previous: None };
    let mut token = 0;
    while token <= last {
        if token > first && (token - first >= limits.tokens || tokens[token].end - start > limits.bytes) {
            // The sentence is too long: the most probable end in its second half; in case of a tie, the last one.
            let half = first + (token - first) / 2;
            let best = (half..token)
                .max_by(|&one, &other| tokens[one].probability.total_cmp(&tokens[other].probability));
            let best = best.unwrap_or(token - 1);
            candidates.push(candidate(best, tokens[best].probability.max(MIN_PROBABILITY)));
            (first, start) = (best + 1, tokens[best].end);
            token = first;
            continue;
        }
        let probability = if token == last { 1.0 } else { tokens[token].probability };
        if probability >= MIN_PROBABILITY {
            candidates.push(candidate(token, probability));
            (first, start) = (token + 1, tokens[token].end);
        }
        token += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(probabilities: &[f32], limits: Limits, sentence_cost: f32) -> Vec<usize> {
        let token = |(i, &probability): (usize, &f32)| TokenEnd { end: 4 * i + 3, probability };
        let tokens: Vec<TokenEnd> = probabilities.iter().enumerate().map(token).collect();
        let mut ends = Vec::new();
        sentence_ends(&tokens, (limits, sentence_cost), &mut DecodeScratch::default(), &mut ends);
        ends
    }

    const LONG: Limits = Limits { tokens: 500, bytes: 8000 };

    #[test]
    fn confident_predictions_are_followed() {
        assert_eq!(ends(&[0.0, 0.99, 0.001, 0.2, 0.97, 0.0], LONG, 0.4), [1, 4, 5]);
        assert_eq!(ends(&[], LONG, 0.4), [0usize; 0]);
    }

    #[test]
    fn sentences_are_found_without_confident_predictions() {
        assert_eq!(ends(&[0.0, 0.4, 0.0, 0.0, 0.4, 0.0, 0.3, 0.0], LONG, 0.1).len(), 4);
    }

    #[test]
    fn sentence_length_is_limited() {
        for probability in [0.0, 0.02, 0.5] {
            let probabilities = vec![probability; 2000];
            for limits in [Limits { tokens: 7, bytes: 1000 }, Limits { tokens: 1000, bytes: 40 }] {
                let ends = ends(&probabilities, limits, 0.4);
                let longest = ends.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
                assert!(longest <= 10 && ends[0] <= 10, "{longest}");
            }
        }
    }
}
