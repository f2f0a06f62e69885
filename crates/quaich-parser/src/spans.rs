//! Phrases that a parse must keep together: one word of a phrase has its head outside, the others inside.
//!
//! A sentence marks its phrases with comments, `# span = 2-4` for the words 2 to 4. Phrases may contain each other, but
//! not overlap otherwise.

use quaich_treebank::{Level, Line, Node, Problem, Sentence, Tree};

use crate::given::Given;

/// The phrases of a sentence, inner ones first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spans {
    list: Vec<Span>,
}

/// A phrase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    first: Node,
    last: Node,
    /// The line of the comment.
    line: u64,
}

impl Span {
    fn words(self) -> impl Iterator<Item = Node> {
        (self.first.0..=self.last.0).map(Node)
    }

    fn contains(self, node: Node) -> bool {
        (self.first..=self.last).contains(&node)
    }

    /// The two share words, and neither contains the other.
    fn overlaps(self, other: Self) -> bool {
        let [one, other] = if self.first <= other.first { [self, other] } else { [other, self] };
        one.first < other.first && other.first <= one.last && one.last < other.last
    }

    fn problem(self, message: String, help: &str) -> Problem {
        let (level, help) = (Level::Error, help.to_owned());
        Problem { line: self.line, column: 1, level, code: "span", message, help }
    }
}

/// The name of the comment.
const NAME: &str = "span";
/// What the comment says.
const HELP: &str = "write the first and the last word of the phrase: # span = 2-4";

impl Spans {
    /// Reads the phrases of a sentence; an error for the first comment that does not name one.
    pub(crate) fn of(sentence: &Sentence) -> Result<Self, Box<Problem>> {
        let mut list: Vec<Span> = Vec::new();
        for (number, line) in (0..).zip(sentence.lines()) {
            let Line::Comment(comment) = line else { continue };
            let Some(text) = value(comment) else { continue };
            let n_tokens = Node::from_index(sentence.n_tokens());
            let words = text.split_once('-').and_then(|(first, last)| {
                Some((first.trim().parse().ok().map(Node)?, last.trim().parse().ok().map(Node)?))
            });
            let (first, last) = words.unwrap_or((Node::ROOT, Node::ROOT));
            let span = Span { first, last, line: sentence.first_line() + number };
            let problem = |message: String| Box::new(span.problem(message, HELP));
            if words.is_none() {
                return Err(problem(format!("found the span `{text}`, expected two word numbers")));
            }
            if first.is_root() || first > last || last > n_tokens {
                return Err(problem(format!("found the span {text}, expected words from 1 to {n_tokens}")));
            }
            if let Some(other) = list.iter().find(|other| span.overlaps(**other)) {
                let message = format!("the spans {}-{} and {text} overlap", other.first, other.last);
                return Err(problem(message));
            }
            list.push(span);
        }
        list.sort_by_key(|span| span.last.0 - span.first.0);
        Ok(Self { list })
    }

    /// The reason why the given heads of a sentence break a phrase: two of its words have their heads outside.
    pub(crate) fn broken_by(&self, given: &Sentence) -> Option<Problem> {
        self.list.iter().find_map(|span| {
            let head = |word: &Node| given.heads()[word.index()];
            let mut exits = span.words().filter(|word| head(word).is_some() && !span.contains(head(word)));
            let (one, other) = (exits.next()?, exits.next()?);
            let Span { first, last, .. } = span;
            let message = format!(
                "the given heads of the words {one} and {other} are both outside of the span {first}-{last}"
            );
            Some(span.problem(message, "only one word of a phrase has its head outside"))
        })
    }

    /// Whether there are no phrases.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds the heads that keep the phrases together: those of the words of a phrase whose heads are inside in the tree, and for
    /// the other words but one, that one. It is the word nearest to the root, unless another has a given head outside.
    pub(crate) fn close(&self, tree: &Tree, given: &mut Given) {
        let mut tree = tree.clone();
        for &span in &self.list {
            let is_inside = |node: Node| span.contains(node);
            let exits: Vec<Node> = span.words().filter(|word| !is_inside(tree.head(*word))).collect();
            let is_given = |word: &&Node| given.head(**word).is_some();
            let top =
                exits.iter().find(is_given).or_else(|| exits.iter().min_by_key(|word| depth(&tree, **word)));
            let Some(&top) = top else { continue };
            for word in span.words().filter(|word| *word != top) {
                if !is_inside(tree.head(word)) && given.head(word).is_none() {
                    attach(&mut tree, word, top);
                }
                if is_inside(tree.head(word)) {
                    given.add(word, tree.head(word));
                }
            }
        }
    }
}

/// The value of a comment that marks a phrase.
fn value(comment: &str) -> Option<&str> {
    let (name, value) = comment.strip_prefix('#')?.split_once('=')?;
    (name.trim() == NAME).then_some(value.trim())
}

/// The number of arcs between a word and the root.
fn depth(tree: &Tree, word: Node) -> usize {
    std::iter::successors(Some(word), |node| Some(tree.head(*node)).filter(|head| !head.is_root())).count()
}

/// Attaches a word to another; if that is one of its descendants, it first takes the place of the word.
fn attach(tree: &mut Tree, word: Node, head: Node) {
    let mut above = head;
    while !above.is_root() && above != word {
        above = tree.head(above);
    }
    if above == word {
        tree.set(head, tree.head(word), tree.label(word));
    }
    tree.set(word, head, tree.label(word));
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    fn sentence(comments: &str) -> Sentence {
        let row = |word: usize| format!("{word}\tw\t_\tX\t_\t_\t_\t_\t_\t_\n");
        let rows = (1..=5).map(row).collect::<Vec<_>>().concat();
        Treebank::from_text(&format!("{comments}{rows}\n")).unwrap()[0].clone()
    }

    fn check(comments: &str, heads: &[u32], expected: &[i64]) {
        let sentence = sentence(comments);
        let mut given = Given::default();
        given.read(&sentence);
        Spans::of(&sentence).unwrap().close(&Tree::from_heads(heads), &mut given);
        let found: Vec<i64> = sentence
            .tokens()
            .map(|token| if given.head(token).is_none() { -1 } else { i64::from(given.head(token).0) })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn phrases_get_one_head() {
        check("# span = 2-4\n", &[0, 1, 2, 3, 1], &[-1, -1, 2, 3, -1]);
        check("# span = 2-4\n", &[0, 1, 1, 5, 1], &[-1, -1, 2, 2, -1]);
        check("# span = 2-4\n# span = 3-4\n", &[0, 1, 1, 5, 1], &[-1, -1, 2, 3, -1]);
        check("# text = w\n", &[0, 1, 1, 5, 1], &[-1; 5]);
    }

    #[test]
    fn what_is_no_phrase_is_reported() {
        let message = |comments: &str| Spans::of(&sentence(comments)).unwrap_err().message;
        assert_eq!(message("# span = 2\n"), "found the span `2`, expected two word numbers");
        assert_eq!(message("# span = 3-6\n"), "found the span 3-6, expected words from 1 to 5");
        assert_eq!(message("# span = 1-3\n# span = 2-4\n"), "the spans 1-3 and 2-4 overlap");
    }

    #[test]
    fn given_heads_that_break_a_phrase_are_reported() {
        let broken = |heads: [&str; 5]| {
            let row = |(word, head): (usize, &str)| format!("{word}\tw\t_\tX\t_\t_\t{head}\tx\t_\t_\n");
            let rows: String = (1..).zip(heads).map(row).collect();
            let sentence = Treebank::from_text(&format!("# span = 1-4\n# span = 2-3\n{rows}\n")).unwrap();
            Spans::of(&sentence[0]).unwrap().broken_by(&sentence[0]).map(|it| (it.line, it.message))
        };
        assert_eq!(broken(["_", "1", "2", "_", "_"]), None);
        assert_eq!(broken(["5", "1", "_", "1", "0"]), None);
        let outside = |words: &str, span: &str| {
            format!("the given heads of the words {words} are both outside of the span {span}")
        };
        assert_eq!(broken(["_", "1", "4", "_", "_"]), Some((2, outside("2 and 3", "2-3"))));
        assert_eq!(broken(["0", "_", "_", "5", "_"]), Some((1, outside("1 and 4", "1-4"))));
    }
}
