//! The layout of arcs and words, in levels and in units of width: characters in the terminal, pixels in SVG.
//!
//! Every word has three points for arcs, which show the direction: the arc into a word ends in the middle, arcs to its
//! dependents start on the side of the dependent.
//!
//! ```text
//!    ╭─────────────╮
//!    │      ╭──────┤ ╭──────╮
//!    ▼      ▼      │ ▼      ▼
//!   left   left  the word  right
//! ```

use crate::picture::{Arc, Picture};

/// The level of every arc, from 1 at the words upwards; root arcs are above all others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Levels {
    /// In the order of the picture's arcs.
    pub of_arc: Vec<usize>,
    /// The highest level used; 0 if there are no arcs.
    pub highest: usize,
}

/// Assigns the lowest levels such that two arcs over the same gap between words have different levels and shorter arcs
/// are below longer ones.
pub fn levels(picture: &Picture) -> Levels {
    let mut order: Vec<usize> =
        (0..picture.arcs.len()).filter(|&i| is_between_words(&picture.arcs[i])).collect();
    order.sort_by_key(|&i| {
        let (left, right) = picture.arcs[i].span();
        (right - left, left)
    });
    let mut of_arc = vec![0; picture.arcs.len()];
    // The occupied height above the gap to the right of each word.
    let mut heights = vec![0; picture.words.len() + 1];
    let mut highest = 0;
    for i in order {
        let (left, right) = picture.arcs[i].span();
        let gaps = &mut heights[left..right];
        let level = gaps.iter().max().copied().unwrap_or(0) + 1;
        gaps.fill(level);
        of_arc[i] = level;
        highest = highest.max(level);
    }
    if picture.arcs.iter().any(|arc| arc.head == 0) {
        highest += 1;
    }
    for (level, arc) in of_arc.iter_mut().zip(&picture.arcs) {
        if arc.head == 0 {
            *level = highest;
        }
    }
    Levels { of_arc, highest }
}

/// Whether an arc is drawn between words: not from the root, and not from a word to itself.
pub fn is_between_words(arc: &Arc) -> bool {
    arc.head != 0 && arc.head != arc.dependent
}

/// Sizes of a renderer, in its units.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Between two words.
    pub gap: usize,
    /// From the middle of a word to the start of arcs to its dependents.
    pub side: usize,
    /// The space that a label needs on an arc in addition to its own width.
    pub around_label: usize,
}

/// The middles of the words, and the total width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions {
    /// The middle of each word, from 0.
    pub middles: Vec<usize>,
    /// The total width.
    pub width: usize,
}

/// Places the words as far left as the widths of words (by number, from 0) and labels (by number of the arc) allow.
pub fn positions(
    picture: &Picture,
    sizes: Sizes,
    word_width: impl Fn(usize) -> usize,
    label_width: impl Fn(usize) -> usize,
) -> Positions {
    let n = picture.words.len();
    // For every word, the arcs whose right end it is.
    let mut ending: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    let mut root_label = vec![0; n + 1];
    for (i, arc) in picture.arcs.iter().enumerate() {
        if is_between_words(arc) {
            ending[arc.span().1].push(i);
        } else if arc.head == 0 {
            root_label[arc.dependent] = label_width(i);
        }
    }
    let mut middles: Vec<usize> = Vec::with_capacity(n);
    let mut edge = 0;
    for word in 1..=n {
        let width = word_width(word - 1).max(2 * sizes.side + 1).max(root_label[word]);
        let mut middle = edge + width / 2;
        for &i in &ending[word] {
            // One end is in the middle of a word, the other on the side facing it.
            let needed = label_width(i) + sizes.around_label + sizes.side + 1;
            middle = middle.max(middles[picture.arcs[i].span().0 - 1] + needed);
        }
        middles.push(middle);
        edge = middle - width / 2 + width + sizes.gap;
    }
    Positions { middles, width: edge.saturating_sub(sizes.gap) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Word;

    fn picture(heads: &[usize]) -> Picture {
        let mut picture = Picture { words: vec![Word::default(); heads.len()], arcs: Vec::new() };
        for (i, &head) in heads.iter().enumerate() {
            picture.arc(head, i + 1, "label");
        }
        picture
    }

    fn check_levels(heads: &[usize], expected: &[usize]) {
        assert_eq!(levels(&picture(heads)).of_arc, expected);
    }

    #[test]
    fn levels_are_low_and_distinct_over_a_gap() {
        check_levels(&[], &[]);
        check_levels(&[0], &[1]);
        check_levels(&[2, 0, 2], &[1, 2, 1]);
        check_levels(&[2, 3, 0], &[1, 1, 2]);
        check_levels(&[3, 3, 0], &[2, 1, 3]);
        // Crossing arcs (1, 3) and (2, 4).
        check_levels(&[3, 4, 0, 3], &[1, 2, 3, 1]);
        // A word that is its own head is not drawn.
        check_levels(&[1, 0], &[0, 1]);
    }

    #[test]
    fn words_keep_the_distance_that_labels_need() {
        let sizes = Sizes { gap: 2, side: 1, around_label: 2 };
        let placed = positions(&picture(&[2, 0]), sizes, |_| 3, |_| 5);
        // The distance from the word before is 1 + 7 + 1: label, dashes and the side.
        assert_eq!(placed, Positions { middles: vec![1, 10], width: 13 });
    }
}
