//! Source code → tree, by a grammar of tree-sitter.
//!
//! The tree is over the tokens of the lexer, not over the grammar's leaves. Each token goes to the lowest node that contains
//! it. Nodes inside a token (escape sequences of a string) and nodes without tokens vanish; comments are in gaps. A node around
//! one token and nothing else is the token's leaf, and its kind is the token's leaf kind if the tag does not tell it.
//!
//! tree-sitter repairs code with errors; the tree then has ERROR nodes.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use tree_sitter::{Node, ParseOptions, Parser, TreeCursor};

use crate::error::{Error, Result};
use crate::language::Language;
use crate::lexer::Token;
use crate::placement::{Placed, place};
use crate::tree::{Kind, Kinds, NONE, PhraseTree, TreeBuilder};

/// The name of nodes that the grammar does not accept.
pub const ERROR: &str = "ERROR";

/// The longest time to parse a file. tree-sitter takes about a second for 3 MB of code, but much longer for random bytes.
const PATIENCE: Duration = Duration::from_secs(40);

/// The analysis of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Analysis {
    /// The tree over all tokens.
    pub tree: PhraseTree,
    /// Whether the file has errors.
    pub has_errors: bool,
    /// The tokens of nodes that lack a token, which the grammar took for granted: the first of each such node.
    pub incomplete: Vec<u32>,
}

/// Parses files of a language. Create one per thread.
pub struct GrammarParser {
    language: &'static Language,
    parser: Parser,
    /// The leaf kind that a tag tells, by tag.
    default_leaves: Vec<&'static str>,
}

impl std::fmt::Debug for GrammarParser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GrammarParser").field("language", &self.language.name).finish_non_exhaustive()
    }
}

impl GrammarParser {
    /// Creates a parser.
    ///
    /// # Errors
    /// [`Error::NoGrammar`] if this build does not have the grammar.
    pub fn new(language: &'static Language) -> Result<Self> {
        let grammar = language.grammar.ok_or(Error::NoGrammar { language: language.name })?;
        let mut parser = Parser::new();
        parser
            .set_language(&grammar())
            .map_err(|error| Error::Grammar { language: language.name, reason: error.to_string() })?;
        let leaves: FxHashMap<&str, &str> = language.leaf_kinds.iter().copied().collect();
        let default_leaves =
            language.tags().map(|(_, name)| leaves.get(name).copied().unwrap_or(name)).collect();
        Ok(Self { language, parser, default_leaves })
    }

    /// Parses a file with these tokens.
    ///
    /// # Errors
    /// [`Error::Grammar`] if it takes too long.
    pub fn parse(&mut self, source: &[u8], tokens: &[Token], kinds: &mut Kinds) -> Result<Analysis> {
        let started = Instant::now();
        let mut give_up = |_: &tree_sitter::ParseState| {
            if started.elapsed() > PATIENCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut read = |at: usize, _| source.get(at..).unwrap_or_default();
        let options = ParseOptions::new().progress_callback(&mut give_up);
        self.parser.reset();
        let parsed = self.parser.parse_with_options(&mut read, None, Some(options));
        let parsed = parsed.ok_or_else(|| Error::Grammar {
            language: self.language.name,
            reason: format!("found no tree in {} seconds", PATIENCE.as_secs()),
        })?;
        let root = parsed.root_node();
        let numbers: Vec<u32> =
            (0..).zip(tokens).filter(|(_, token)| !token.tag.is_layout()).map(|(number, _)| number).collect();
        let own: Vec<Token> = numbers.iter().map(|&number| tokens[number as usize]).collect();
        let (tree, incomplete) = Walk::new(&own, kinds, &self.default_leaves).run(root);
        let incomplete = incomplete.iter().filter_map(|&token| numbers.get(token).copied()).collect();
        let mut next = 0..;
        let placed: Vec<Placed> = tokens
            .iter()
            .map(|token| {
                Placed::of_layout(token.tag).unwrap_or_else(|| Placed::Token(next.next().unwrap_or(NONE)))
            })
            .collect();
        let root_kind = kinds.intern(self.language.root);
        let tree = place(&tree, &placed, root_kind);
        Ok(Analysis { tree, has_errors: root.has_error(), incomplete })
    }
}

/// A node of the grammar's tree that is open.
struct Open {
    end: u32,
    kind: Kind,
    number: u32,
    /// Whether it can be the leaf of a token. The root and errors cannot.
    can_be_leaf: bool,
    /// Its first token, if it has one.
    first_token: usize,
}

/// A traversal of the grammar's tree along with the tokens, which are without layout.
struct Walk<'a> {
    tokens: &'a [Token],
    kinds: &'a mut Kinds,
    default_leaves: &'a [&'static str],
    builder: TreeBuilder,
    open: Vec<Open>,
    /// The kinds by the grammar's numbers.
    kind_of: FxHashMap<u16, Kind>,
    /// The last token with a leaf.
    last_leaf: Option<usize>,
    /// The first tokens of nodes that lack one.
    incomplete: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(tokens: &'a [Token], kinds: &'a mut Kinds, default_leaves: &'a [&'static str]) -> Self {
        Self {
            tokens,
            kinds,
            default_leaves,
            builder: TreeBuilder::default(),
            open: Vec::new(),
            kind_of: FxHashMap::default(),
            last_leaf: None,
            incomplete: Vec::new(),
        }
    }

    fn run(mut self, root: Node<'_>) -> (PhraseTree, Vec<usize>) {
        let mut cursor = root.walk();
        self.enter(root);
        // The root has all tokens, wherever it starts and ends.
        self.open[0].end = u32::MAX;
        self.open[0].can_be_leaf = false;
        let mut has_unvisited_children = true;
        loop {
            // The cursor is at the innermost open node.
            if !(has_unvisited_children && cursor.goto_first_child()) {
                self.leave();
                if self.open.is_empty() {
                    return (self.builder.finish(), self.incomplete);
                }
                if !cursor.goto_next_sibling() {
                    cursor.goto_parent();
                    has_unvisited_children = false;
                    continue;
                }
            }
            has_unvisited_children = self.enter_next(&mut cursor);
        }
    }

    /// Enters the node at the cursor or, past comments, the next one. Returns false if there is none; the cursor is then at
    /// their parent.
    fn enter_next(&mut self, cursor: &mut TreeCursor<'_>) -> bool {
        loop {
            let node = cursor.node();
            // Errors are extras, too.
            if !node.is_extra() || node.is_error() {
                self.enter(node);
                return true;
            }
            if !cursor.goto_next_sibling() {
                cursor.goto_parent();
                return false;
            }
        }
    }

    fn enter(&mut self, node: Node<'_>) {
        self.take_tokens(position(node.start_byte()));
        let kinds = &mut *self.kinds;
        let kind = *self.kind_of.entry(node.kind_id()).or_insert_with(|| kinds.intern(node.kind()));
        let parent = self.open.last().map_or(NONE, |open| open.number);
        if node.is_missing() {
            // A node that starts with what it lacks has no token yet.
            let first = self.open.last().map_or(0, |open| open.first_token);
            self.incomplete.push(first.min(self.n_taken().saturating_sub(1)));
        }
        self.open.push(Open {
            end: position(node.end_byte()),
            kind,
            number: self.builder.nonterminal(kind, parent),
            can_be_leaf: !node.is_error(),
            first_token: self.n_taken(),
        });
    }

    fn leave(&mut self) {
        let end = self.open.last().expect("a node is left after it was entered").end;
        self.take_tokens(end);
        let node = self.open.pop().expect("as before");
        let Some(above) = self.open.last() else { return };
        let token = node.first_token;
        let is_only = self.n_taken() == token + 1;
        if is_only
            && node.can_be_leaf
            && self.last_leaf != Some(token)
            && self.builder.token_parents[token] == node.number
        {
            // The nonterminal remains without tokens and vanishes.
            self.builder.token_parents[token] = above.number;
            self.last_leaf = Some(token);
            let expected = self.default_leaves[usize::from(self.tokens[token].tag.0)];
            if self.kinds.text(node.kind) != expected {
                self.builder.leaf_kinds[token] = node.kind;
            }
        }
    }

    /// Returns the number of tokens that have a place.
    fn n_taken(&self) -> usize {
        self.builder.token_parents.len()
    }

    /// Takes the tokens that start before `end`, each into the lowest open node that contains it.
    fn take_tokens(&mut self, end: u32) {
        while let Some(token) = self.tokens.get(self.n_taken()).filter(|token| token.start < end) {
            // At most one token crosses the end of a node, so this is linear in the number of nodes.
            let holder = self.open.iter().rev().find(|open| open.end >= token.end);
            self.builder.token(holder.expect("the root contains all tokens").number, Kind::NONE);
        }
    }
}

fn position(byte: usize) -> u32 {
    u32::try_from(byte).expect("the lexer rejects larger files")
}
