//! Trees as indented lists, for sentences that are wider than the terminal.

use std::fmt::Write as _;

use crate::picture::{Picture, isolated};
use crate::terminal::{Options, Style};

/// Draws a sentence as an indented tree, one word per line, with dependents below their head in sentence order. Words
/// in or below a cycle are listed at the end.
pub fn draw(picture: &Picture, options: Options) -> String {
    let n = picture.words.len();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    let mut heads = vec![0; n + 1];
    for (node, _) in picture.numbered() {
        let word = node.index();
        // A word without a head is shown as a root without a label.
        heads[word] = picture.arc_into(word).map_or(0, |arc| arc.head).min(n);
        dependents[heads[word]].push(word);
    }
    let style = Style::new(options.colour);
    let mut view = View { picture, options, style, seen: vec![false; n + 1], text: String::new() };
    for &root in &dependents[0] {
        view.write_subtree(root, &dependents);
    }
    for word in 1..=n {
        if !view.seen[word] {
            view.write_subtree(word, &dependents);
        }
    }
    view.text
}

/// The most levels drawn. Deeper words show their depth before the nearest levels: otherwise a line would be as long as
/// the tree is deep.
const DEEPEST: usize = 60;

struct View<'a> {
    picture: &'a Picture,
    options: Options,
    style: Style,
    seen: Vec<bool>,
    text: String,
}

impl View<'_> {
    /// Writes a word and its subtree, without recursion: trees may be as deep as sentences are long.
    fn write_subtree(&mut self, root: usize, dependents: &[Vec<usize>]) {
        let [branch, last_branch, trunk] =
            if self.options.ascii { ["|- ", "`- ", "|  "] } else { ["├─ ", "╰─ ", "│  "] };
        // Words to write, the next one last, with their depth and whether they are the last of their siblings.
        let mut waiting = vec![(root, 0, true)];
        // For every depth, whether the vertical line continues.
        let mut trunks: Vec<bool> = Vec::new();
        while let Some((word, depth, is_last)) = waiting.pop() {
            if self.seen[word] {
                continue;
            }
            self.seen[word] = true;
            trunks.truncate(depth);
            let hidden = depth.saturating_sub(DEEPEST);
            if hidden > 0 {
                // Writing to a string cannot fail.
                let _ = write!(self.text, "({depth}) ");
            }
            for &goes_on in trunks.iter().skip(1 + hidden) {
                self.text.push_str(if goes_on { trunk } else { "   " });
            }
            if depth > 0 {
                self.text.push_str(if is_last { last_branch } else { branch });
            }
            trunks.push(!is_last);
            self.write_word(word);
            let below: Vec<usize> = dependents[word].iter().copied().filter(|&d| !self.seen[d]).collect();
            for (i, &dependent) in below.iter().enumerate().rev() {
                waiting.push((dependent, depth + 1, i + 1 == below.len()));
            }
        }
    }

    fn write_word(&mut self, number: usize) {
        let Style { label: label_style, faint, strong, end } = self.style;
        let word = &self.picture.words[number - 1];
        let label = self.picture.arc_into(number).map_or("", |arc| arc.label.as_str());
        self.text.extend([strong, &isolated(&word.form), end]);
        for (style, part) in [(faint, word.tag.as_str()), (label_style, label), (faint, word.number.as_str())]
        {
            if !part.is_empty() {
                self.text.extend([" ", style, &isolated(part), end]);
            }
        }
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Word;

    fn check(heads: &[usize], expected: &str) {
        let mut picture = Picture::default();
        for (i, &head) in heads.iter().enumerate() {
            let number = (i + 1).to_string();
            picture.words.push(Word { form: format!("w{number}"), ..Word::default() });
            picture.arc(head, i + 1, "");
        }
        assert_eq!(draw(&picture, Options::default()), expected.trim_start_matches('\n'));
    }

    #[test]
    fn dependents_are_indented() {
        check(
            &[2, 0, 2, 3, 2],
            "
w2
├─ w1
├─ w3
│  ╰─ w4
╰─ w5
",
        );
    }

    #[test]
    fn words_from_right_to_left_are_set_apart() {
        let word = |form: &str| Word { form: form.into(), number: "1".into(), ..Word::default() };
        let mut picture = Picture { words: vec![word("שלום"), word("hi")], arcs: Vec::new() };
        picture.arc(2, 1, "נושא");
        picture.arc(0, 2, "root");
        let expected = "hi root 1\n╰─ \u{2068}שלום\u{2069} \u{2068}נושא\u{2069} 1\n";
        assert_eq!(draw(&picture, Options::default()), expected);
    }

    #[test]
    fn what_is_not_a_tree_is_shown_whole() {
        check(
            &[2, 1, 0, 0],
            "
w3
w4
w1
╰─ w2
",
        );
    }

    #[test]
    fn deep_trees_are_no_trouble() {
        let heads: Vec<usize> = (0..3_000).collect();
        let mut picture = Picture { words: vec![Word::default(); heads.len()], arcs: Vec::new() };
        for (i, &head) in heads.iter().enumerate() {
            picture.arc(head, i + 1, "");
        }
        let drawn = draw(&picture, Options::default());
        assert_eq!(drawn.lines().count(), 3_000);
        assert!(drawn.len() < 3_000 * 200, "{}", drawn.len());
        assert!(drawn.lines().last().is_some_and(|line| line.starts_with("(2999) ")));
    }
}
