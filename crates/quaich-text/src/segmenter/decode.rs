//! Probabilities that sentences end → sentences, as many of them right as can be expected.
//!
//! A sentence is right if it begins and ends where it should and does not end between. The sum of these probabilities is made as high
//! as possible, less a price per sentence. Where all is certain that is the same as ending sentences where it is more probable than
//! not; where nothing is certain, as in speech, it still finds sentences.

/// A token, as far as sentences are concerned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TokenEnd {
    /// Where the token ends in the text.
    pub(crate) end: usize,
    /// The probability that a sentence ends with it.
    pub(crate) probability: f32,
}

/// How long sentences may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    pub(crate) tokens: usize,
    pub(crate) bytes: usize,
}

/// Space to decode in.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecodeScratch {
    candidates: Vec<Candidate>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    token: usize,
    probability: f32,
    /// The best sum of all sentences up to here, and the candidate before.
    sum: f32,
    before: Option<usize>,
}

/// Sentences end hardly ever where this is less probable.
const MIN_PROBABILITY: f32 = 0.01;

/// Writes the tokens with which sentences end; the last token is one.
pub(crate) fn sentence_ends(
    tokens: &[TokenEnd],
    (limits, price): (Limits, f32),
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
        let (mut sum, mut best) = (f32::NEG_INFINITY, None);
        // That no sentence ends between.
        let mut whole = here.probability;
        for before in (0..i).rev().map(Some).chain([None]) {
            let (first, start) = start_of(candidates, before);
            let is_long =
                here.token + 1 - first > limits.tokens || tokens[here.token].end - start > limits.bytes;
            if is_long && sum > f32::NEG_INFINITY {
                break;
            }
            let (sum_before, probability) =
                before.map_or((0.0, 1.0), |before| (candidates[before].sum, candidates[before].probability));
            let with = sum_before + whole * probability - price;
            if with > sum {
                (sum, best) = (with, before);
            }
            whole *= 1.0 - probability;
        }
        (candidates[i].sum, candidates[i].before) = (sum, best);
    }
    let mut at = candidates.len().checked_sub(1);
    while let Some(candidate) = at {
        ends.push(candidates[candidate].token);
        at = candidates[candidate].before;
    }
    ends.reverse();
}

/// Finds the tokens with which sentences may end, in such distances that none is too long.
fn find_candidates(tokens: &[TokenEnd], limits: Limits, candidates: &mut Vec<Candidate>) {
    candidates.clear();
    let Some(last) = tokens.len().checked_sub(1) else { return };
    // The first token of the sentence under way, and where its text begins.
    let (mut first, mut start) = (0, 0);
    let candidate = |token, probability| Candidate { token, probability, sum: 0.0, before: None };
    let mut token = 0;
    while token <= last {
        if token > first && (token - first >= limits.tokens || tokens[token].end - start > limits.bytes) {
            // The most probable end in the second half; of equals the last.
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

    fn ends(probabilities: &[f32], limits: Limits, price: f32) -> Vec<usize> {
        let token = |(i, &probability): (usize, &f32)| TokenEnd { end: 4 * i + 3, probability };
        let tokens: Vec<TokenEnd> = probabilities.iter().enumerate().map(token).collect();
        let mut ends = Vec::new();
        sentence_ends(&tokens, (limits, price), &mut DecodeScratch::default(), &mut ends);
        ends
    }

    const LONG: Limits = Limits { tokens: 500, bytes: 8000 };

    #[test]
    fn what_is_certain_is_done() {
        assert_eq!(ends(&[0.0, 0.99, 0.001, 0.2, 0.97, 0.0], LONG, 0.4), [1, 4, 5]);
        assert_eq!(ends(&[], LONG, 0.4), [0usize; 0]);
    }

    #[test]
    fn sentences_are_found_where_nothing_is_certain() {
        assert_eq!(ends(&[0.0, 0.4, 0.0, 0.0, 0.4, 0.0, 0.3, 0.0], LONG, 0.1).len(), 4);
    }

    #[test]
    fn sentences_are_bounded() {
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
