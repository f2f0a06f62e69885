//! Where tokens belong that a tree does not have: line ends, indentation, and tokens that were inserted.
//!
//! Such a token goes to the lowest nonterminal that has both of its neighbours below it, so no nonterminal gets a gap. INDENT
//! is the first token of the block that starts there, DEDENT the last one of the block that its INDENT started, and so is
//! the LINE before it. Then a block is like one in braces.

use crate::language::{Class, Tag};
use crate::tree::{Kind, NONE, PhraseTree, TreeBuilder};

/// A token of the tree to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed {
    /// A token of the given tree.
    Token(u32),
    /// A token that the given tree does not have.
    Inserted,
    /// The end of a line.
    Line,
    /// The beginning of a block.
    Indent,
    /// The end of a block.
    Dedent,
}

impl Placed {
    /// Returns the place of a layout token by its tag; `None` for others.
    pub fn of_layout(tag: Tag) -> Option<Self> {
        let classes =
            [(Class::Line, Self::Line), (Class::Indent, Self::Indent), (Class::Dedent, Self::Dedent)];
        classes.into_iter().find(|&(class, _)| Tag::of(class) == tag).map(|(_, placed)| placed)
    }
}

/// Returns the tree over these tokens. Tokens of the given tree are in order, but some may be missing; `root` is the kind
/// of the root of a tree that loses all of them.
pub fn place(tree: &PhraseTree, tokens: &[Placed], root: Kind) -> PhraseTree {
    if tokens.is_empty() {
        return PhraseTree::default();
    }
    let mut builder = TreeBuilder {
        kinds: tree.kinds().to_vec(),
        parents: tree.parents().to_vec(),
        ..TreeBuilder::default()
    };
    if builder.kinds.is_empty() {
        builder.nonterminal(root, NONE);
    }
    let mut places = Places { tree, depths: tree.depths(), blocks: Vec::new() };
    let mut start = 0;
    let mut previous = None;
    while start < tokens.len() {
        // A run of tokens that the tree does not have, and the token after it.
        let run = tokens[start..].iter().take_while(|token| !matches!(token, Placed::Token(_))).count();
        let next = tokens.get(start + run).map(|token| match token {
            Placed::Token(token) => *token,
            _ => unreachable!("the run ends there"),
        });
        places.place_run(&tokens[start..start + run], previous, next, &mut builder);
        if let Some(token) = next {
            builder.token(tree.token_parents()[token as usize], tree.leaf_kinds()[token as usize]);
        }
        previous = next;
        start += run + 1;
    }
    builder.finish()
}

/// The nonterminals that tokens can be placed in.
struct Places<'t> {
    tree: &'t PhraseTree,
    depths: Vec<u32>,
    /// The nonterminals of the open blocks.
    blocks: Vec<u32>,
}

impl Places<'_> {
    /// Places tokens between two tokens of the tree. The time is linear in the number of nonterminals that end or start there.
    fn place_run(
        &mut self,
        run: &[Placed],
        previous: Option<u32>,
        next: Option<u32>,
        builder: &mut TreeBuilder,
    ) {
        if run.is_empty() {
            return;
        }
        let parents = self.tree.token_parents();
        let above = |token: Option<u32>| token.map_or(0, |token| parents[token as usize]);
        // `common` has both neighbours below it; without one of them, it is the root. `started` is the child of `common` that
        // starts at the next token.
        let (mut common, mut other, mut started) = (above(previous), above(next), None);
        while common != other {
            if self.depth(common) >= self.depth(other) {
                common = self.parent(common);
            } else {
                started = Some(other).filter(|_| previous.is_some());
                other = self.parent(other);
            }
        }
        // The lowest nonterminal that is still open; all between it and `common` end before the next token.
        let mut open = above(previous);
        let mut inside = None;
        for (i, token) in run.iter().enumerate() {
            let ends_block = match token {
                Placed::Dedent => Some(self.blocks.pop()),
                Placed::Line if run.get(i + 1) == Some(&Placed::Dedent) => Some(self.blocks.last().copied()),
                _ => None,
            };
            let place = match (token, ends_block, inside) {
                // What follows INDENT is in the block, too.
                (_, _, Some(inside)) => inside,
                (_, Some(block), None) => {
                    open = self.climb(open, common, block);
                    open
                }
                (Placed::Indent, ..) => *inside.insert(started.unwrap_or(common)),
                _ => {
                    open = common;
                    common
                }
            };
            if *token == Placed::Indent {
                self.blocks.push(place);
            }
            builder.token(place, Kind::NONE);
        }
    }

    /// Returns a block if it is on the way from `open` up to `common`, else `common`.
    fn climb(&self, mut open: u32, common: u32, block: Option<u32>) -> u32 {
        while open != common && Some(open) != block {
            open = self.parent(open);
        }
        open
    }

    fn depth(&self, node: u32) -> u32 {
        self.depths.get(node as usize).copied().unwrap_or(0)
    }

    fn parent(&self, node: u32) -> u32 {
        self.tree.parents()[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brackets::{BracketOptions, BracketReader, write_brackets};
    use crate::tree::Kinds;

    /// Places tokens in a tree: words are its own, `+` is inserted, `L`, `I` and `D` are layout.
    fn check(tree: &str, tokens: &str, expected: &str) {
        let mut kinds = Kinds::new();
        let mut reader = BracketReader::new(tree.as_bytes(), "tree", BracketOptions::default());
        let tree = reader.next(&mut kinds).unwrap().unwrap_or_default();
        let words: Vec<&str> = tokens.split(' ').collect();
        let own = |word: &str| tree.words.iter().position(|other| other == word);
        let placed = words.iter().map(|word| match *word {
            "+" => Placed::Inserted,
            "L" => Placed::Line,
            "I" => Placed::Indent,
            "D" => Placed::Dedent,
            word => Placed::Token(u32::try_from(own(word).unwrap()).unwrap()),
        });
        let root = kinds.intern("root");
        let found = place(&tree.tree, &placed.collect::<Vec<_>>(), root);
        assert!(found.is_continuous());
        let mut shown = String::new();
        let tag =
            |word| own(word).map(|at| tree.tags[at]).filter(|tag| tag.is_some()).map(|tag| kinds.text(tag));
        write_brackets(&found, &kinds, |token| (tag(words[token]), words[token]), &mut shown);
        assert_eq!(shown, expected);
    }

    #[test]
    fn blocks_have_their_layout() {
        let tree = "(m (if i (c x) : (b (s y) (if j ; (b (s z))))) (s w))";
        check(
            tree,
            "i x : L I y L j ; L I z L D D w L",
            "(m (if i (c x) : L (b I (s y) L (if j ; L (b I (s z) L D)) D)) (s w) L)",
        );
        // In brackets of its own, a word has a tag: here, blocks have several children.
        let tree = "(m (if i : (b y1 y2)) w)";
        check(tree, "i : L I y1 y2 L D w L", "(m (if i : L (b I y1 y2 L D)) w L)");
        check("(m (if i : (b y1 y2)))", "i : L I y1 y2 L D", "(m (if i : L (b I y1 y2 L D)))");
        // A file that starts with an indented line.
        check("(m (s x) (s y))", "I x L D y L", "(m I (s x) L D (s y) L)");
    }

    #[test]
    fn odd_layout_makes_no_gaps() {
        let tree = "(m (if i : (b y1 y)) (s w))";
        check(tree, "i : y1 y L D w", "(m (if i : (b y1 y)) L D (s w))");
        check(tree, "i L I : y1 y w D D D", "(m (if i L I : (b y1 y)) (s w) D D D)");
        check(tree, "I I i : L I L I y1 y w", "(m I I (if i : L (b I L I y1 y)) (s w))");
        check(tree, "L D I + i : y1 y + w +", "(m L D I + (if i : (b y1 y)) + (s w) +)");
    }

    #[test]
    fn tokens_are_inserted_and_left_out() {
        let tree = "(m (a x (b y z)) (c v (d w u)))";
        check(tree, "+ x + y + z + v + w + u +", "(m + (a x + (b y + z)) + (c v + (d w + u)) +)");
        check(tree, "x + w", "(m (a x) + (c (d w)))");
        check(tree, "+ z +", "(m + (a (b z)) +)");
        check(tree, "+ +", "(m + +)");
        check("", "+ L", "(root + L)");
    }
}
