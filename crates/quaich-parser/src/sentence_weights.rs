//! Weights of training sentences: a comment `# weight = 2` counts a sentence twice, `# weight = 0.5` counts one of two such sentences.
//!
//! Every learner learns from whole sentences, so weights are numbers of copies. Fractions add up from sentence to sentence: of ten
//! sentences with weight 0.3, the 4th, 7th and 10th are learned from.

use quaich_treebank::Sentence;

use crate::error::{Error, Result};
use crate::head_distribution::HeadDistribution;

/// The key of the comment.
const KEY: &str = "weight";
/// The maximum weight: copies take memory.
const MAX: f64 = 100.0;

/// Sentences as often as they count, with their head distributions.
#[derive(Debug)]
pub(crate) struct Weighted {
    pub(crate) sentences: Vec<Sentence>,
    pub(crate) head_distributions: Vec<HeadDistribution>,
    /// The number of sentences with a weight.
    pub(crate) n_given: usize,
}

/// Applies the weights; `None` if no sentence has one. The head distributions are those of the first sentences.
pub(crate) fn apply(
    sentences: &[Sentence],
    head_distributions: &[HeadDistribution],
) -> Result<Option<Weighted>> {
    let weights: Vec<Option<f64>> = sentences.iter().map(weight).collect::<Result<_>>()?;
    let n_given = weights.iter().flatten().count();
    if n_given == 0 {
        return Ok(None);
    }
    let mut weighted = Weighted { sentences: Vec::new(), head_distributions: Vec::new(), n_given };
    // What is left of fractional weights; a little more, so that rounding errors of sums do not matter.
    let mut rest = 1e-9;
    for (number, (sentence, weight)) in sentences.iter().zip(weights).enumerate() {
        let mut n_copies = 1;
        if let Some(weight) = weight {
            let sum: f64 = rest + weight;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 101")]
            let whole = sum.floor() as usize;
            n_copies = whole;
            rest = sum.fract();
        }
        weighted.sentences.extend(std::iter::repeat_n(sentence, n_copies).cloned());
        if let Some(distribution) = head_distributions.get(number) {
            weighted.head_distributions.extend(std::iter::repeat_n(distribution, n_copies).cloned());
        }
    }
    Ok(Some(weighted))
}

fn weight(sentence: &Sentence) -> Result<Option<f64>> {
    let Some(text) = sentence.comment(KEY) else { return Ok(None) };
    match text.parse::<f64>() {
        Ok(weight) if (0.0..=MAX).contains(&weight) => Ok(Some(weight)),
        _ => {
            let line = sentence.first_line();
            let message = format!(
                "found the comment `# {KEY} = {text}` in the sentence at line {line}, expected a number from 0 to {MAX}"
            );
            Err(Error::Treebank(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    fn counts(weights: &[&str]) -> Result<Option<Vec<usize>>> {
        let sentence = |(number, weight): (usize, &&str)| {
            let comment = if weight.is_empty() { String::new() } else { format!("# weight = {weight}\n") };
            format!("{comment}1\tw{number}\t_\tX\t_\t_\t0\tr\t_\t_\n\n")
        };
        let text: String = weights.iter().enumerate().map(sentence).collect();
        let treebank = Treebank::from_text(&text).unwrap();
        let Some(weighted) = apply(&treebank, &[])? else { return Ok(None) };
        let count = |sentence: &Sentence| {
            weighted.sentences.iter().filter(|one| one.text() == sentence.text()).count()
        };
        Ok(Some(treebank.iter().map(count).collect()))
    }

    #[test]
    fn sentences_count_as_often_as_their_weights_say() {
        assert_eq!(counts(&["", "", ""]).unwrap(), None);
        assert_eq!(counts(&["2", "", "0", "1"]).unwrap(), Some(vec![2, 1, 0, 1]));
        assert_eq!(counts(&["0.3"; 10]).unwrap(), Some(vec![0, 0, 0, 1, 0, 0, 1, 0, 0, 1]));
        assert_eq!(counts(&["1.5", "", "1.5"]).unwrap(), Some(vec![1, 1, 2]));
        for wrong in ["much", "-1", "101", "nan"] {
            let error = counts(&["", wrong]).unwrap_err().to_string();
            assert!(error.contains(wrong) && error.contains("line 3"), "{error}");
        }
    }
}
