//! Bracketed trees, as in the Penn Treebank: `(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))`.
//!
//! A bracket around one word and nothing else is the word's tag. Words may also stand without a tag. A bracket may have no
//! name, as the outermost one of the Penn Treebank.

use std::io::{BufRead, BufReader, Read};

use crate::error::{Error, Result};
use crate::head_table::without_function_tags;
use crate::tree::{Kind, Kinds, NONE, PhraseTree, TreeBuilder};

/// The most bytes of a tree.
const MOST_BYTES: usize = 1 << 28;

/// The tag of traces and other empty elements.
const TRACE: &str = "-NONE-";

/// What is read of trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BracketOptions {
    /// Whether traces (words with the tag `-NONE-`) remain. Without them, brackets around traces alone vanish.
    pub keep_traces: bool,
    /// Whether `NP-SBJ-1` is read as `NP`.
    pub cut_function_tags: bool,
}

/// A tree and its words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BracketedTree {
    /// The tree.
    pub tree: PhraseTree,
    /// The words.
    pub words: Vec<String>,
    /// Their tags; [`Kind::NONE`] for a word without one.
    pub tags: Vec<Kind>,
}

/// Reads trees one by one.
#[derive(Debug)]
pub struct BracketReader<R> {
    source: Bytes<R>,
    options: BracketOptions,
}

/// A bracket that is open.
struct Open {
    kind: Kind,
    /// Its nonterminal, once it is known that it is one.
    number: u32,
    /// Its only word so far; it is a tag if no other follows.
    word: Option<String>,
}

impl<R: Read> BracketReader<R> {
    /// Creates a reader; `file` is a name for errors.
    pub fn new(source: R, file: &str, options: BracketOptions) -> Self {
        Self { source: Bytes::new(source, file), options }
    }

    /// Returns the next tree that has words, or `None` at the end.
    pub fn next(&mut self, kinds: &mut Kinds) -> Result<Option<BracketedTree>> {
        loop {
            match self.read(kinds)? {
                Some(found) if found.words.is_empty() => {}
                found => return Ok(found),
            }
        }
    }

    fn read(&mut self, kinds: &mut Kinds) -> Result<Option<BracketedTree>> {
        self.source.tree_length = 0;
        let mut builder = TreeBuilder::default();
        let mut found = BracketedTree::default();
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.source.skip_spaces()?;
            match self.source.peek()? {
                None if open.is_empty() => return Ok(None),
                None => return Err(self.source.error("found the end of the file, expected `)`")),
                Some(b'(') => {
                    self.source.advance();
                    make_nonterminal(&mut open, &mut builder, &mut found);
                    let name = self.source.word()?;
                    let name =
                        if self.options.cut_function_tags { without_function_tags(&name) } else { &name };
                    open.push(Open { kind: kinds.intern(name), number: NONE, word: None });
                }
                Some(b')') => {
                    let Some(closed) = open.pop() else {
                        return Err(self.source.error("found `)`, expected `(`"));
                    };
                    self.source.advance();
                    match (closed.word, open.last()) {
                        (None, _) => {}
                        (Some(_), Some(_))
                            if kinds.text(closed.kind) == TRACE && !self.options.keep_traces => {}
                        (Some(word), Some(above)) => {
                            add(word, closed.kind, above.number, &mut builder, &mut found);
                        }
                        // The outermost bracket is no tag.
                        (Some(word), None) => {
                            let root = builder.nonterminal(closed.kind, NONE);
                            add(word, Kind::NONE, root, &mut builder, &mut found);
                        }
                    }
                    if open.is_empty() {
                        found.tree = builder.finish();
                        return Ok(Some(found));
                    }
                }
                Some(_) => {
                    let Some(above) = open.last() else {
                        let word = self.source.word()?;
                        let reason = format!("found `{}`, expected `(`", word.escape_debug());
                        return Err(self.source.error(&reason));
                    };
                    let is_first = above.number == NONE && above.word.is_none();
                    if !is_first {
                        make_nonterminal(&mut open, &mut builder, &mut found);
                    }
                    let word = self.source.word()?;
                    let above = open.last_mut().expect("one is open");
                    if is_first {
                        above.word = Some(word);
                    } else {
                        add(word, Kind::NONE, above.number, &mut builder, &mut found);
                    }
                }
            }
        }
    }
}

/// Makes the innermost bracket a nonterminal, whose first word then has no tag.
fn make_nonterminal(open: &mut [Open], builder: &mut TreeBuilder, found: &mut BracketedTree) {
    let Some((top, below)) = open.split_last_mut() else { return };
    if top.number == NONE {
        top.number = builder.nonterminal(top.kind, below.last().map_or(NONE, |below| below.number));
    }
    if let Some(word) = top.word.take() {
        add(word, Kind::NONE, top.number, builder, found);
    }
}

fn add(word: String, tag: Kind, parent: u32, builder: &mut TreeBuilder, found: &mut BracketedTree) {
    builder.token(parent, Kind::NONE);
    found.words.push(word);
    found.tags.push(tag);
}

/// Writes a tree on one line, without the line end. `word` writes the word of a token without parentheses or spaces, and
/// returns its tag.
pub fn write_brackets<'a>(
    tree: &PhraseTree,
    kinds: &Kinds,
    leaf: impl Fn(usize) -> (Option<&'a str>, &'a str),
    out: &mut String,
) {
    let (first, last) = (tree.first_tokens(), tree.last_tokens());
    let mut next = 0;
    for (token, &parent) in (0..).zip(tree.token_parents()) {
        if token > 0 {
            out.push(' ');
        }
        while first.get(next) == Some(&token) {
            out.push('(');
            push_name(kinds.text(tree.kinds()[next]), out);
            out.push(' ');
            next += 1;
        }
        match leaf(token as usize) {
            (Some(tag), word) => {
                out.push('(');
                push_name(tag, out);
                out.push(' ');
                push_name(word, out);
                out.push(')');
            }
            (None, word) => push_name(word, out),
        }
        let mut above = parent;
        while above != NONE && last[above as usize] == token {
            out.push(')');
            above = tree.parents()[above as usize];
        }
    }
}

/// Writes a name or word with its parentheses as the Penn Treebank has them.
fn push_name(name: &str, out: &mut String) {
    for char in name.chars() {
        match char {
            '(' => out.push_str("-LRB-"),
            ')' => out.push_str("-RRB-"),
            char => out.push(char),
        }
    }
}

impl BracketedTree {
    /// Writes the tree on one line, without the line end.
    pub fn write(&self, kinds: &Kinds, out: &mut String) {
        let tag =
            |token: usize| Some(self.tags[token]).filter(|tag| tag.is_some()).map(|tag| kinds.text(tag));
        write_brackets(&self.tree, kinds, |token| (tag(token), self.words[token].as_str()), out);
    }
}

/// Bytes with their positions.
#[derive(Debug)]
struct Bytes<R> {
    source: BufReader<R>,
    file: String,
    line: u64,
    /// In bytes that begin a character.
    column: usize,
    /// Of the tree.
    tree_length: usize,
    next: Option<u8>,
}

impl<R: Read> Bytes<R> {
    fn new(source: R, file: &str) -> Self {
        let source = BufReader::with_capacity(1 << 16, source);
        Self { source, file: file.to_owned(), line: 1, column: 1, tree_length: 0, next: None }
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        if self.next.is_none() {
            let filled = self.source.fill_buf();
            let io = |source| quaich_treebank::Error::Io { file: self.file.clone(), source };
            let byte = filled.map_err(io)?.first().copied();
            if byte.is_some() {
                self.tree_length += 1;
                if self.tree_length > MOST_BYTES {
                    return Err(self.error(&format!("found no end of the tree in {MOST_BYTES} bytes")));
                }
            }
            self.next = byte;
        }
        Ok(self.next)
    }

    fn advance(&mut self) {
        match self.next.take() {
            Some(b'\n') => (self.line, self.column) = (self.line + 1, 1),
            Some(byte) => self.column += usize::from(byte & 0xc0 != 0x80),
            None => return,
        }
        self.source.consume(1);
    }

    fn skip_spaces(&mut self) -> Result<()> {
        while self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.advance();
        }
        Ok(())
    }

    /// Returns what comes before a parenthesis or a space; empty if that is next.
    fn word(&mut self) -> Result<String> {
        let mut word = Vec::new();
        while let Some(byte) =
            self.peek()?.filter(|&byte| !byte.is_ascii_whitespace() && !b"()".contains(&byte))
        {
            word.push(byte);
            self.advance();
        }
        String::from_utf8(word).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(at).copied().unwrap_or_default();
            self.error(&format!("found byte 0x{byte:02X} in the word before, expected text in UTF-8"))
        })
    }

    fn error(&self, reason: &str) -> Error {
        Error::Malformed {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            reason: reason.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, options: BracketOptions) -> Result<String> {
        let mut kinds = Kinds::new();
        let mut reader = BracketReader::new(text.as_bytes(), "f", options);
        let mut out = String::new();
        while let Some(tree) = reader.next(&mut kinds)? {
            assert!(tree.tree.is_continuous());
            assert_eq!(tree.tree.n_tokens(), tree.words.len());
            tree.write(&kinds, &mut out);
            out.push('\n');
        }
        Ok(out)
    }

    const KEEP: BracketOptions = BracketOptions { keep_traces: true, cut_function_tags: false };

    #[test]
    fn trees_are_read_and_written() {
        for text in [
            "( (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .)))\n",
            "(S the (NP cat) sleeps)\n(X word)\n(-LRB- (-LRB- -LRB-) (NP (NP (NN é))))\n",
            "(S (NP-SBJ-1 (-NONE- *)) (VP-X=2 a))\n",
        ] {
            assert_eq!(read(text, KEEP).unwrap(), text);
        }
        assert_eq!(read(" (S\n  (A a)(B b)\r\n)", KEEP).unwrap(), "(S (A a) (B b))\n");
        // Brackets without words vanish.
        assert_eq!(read("(S () (X) (A a)) (S)", KEEP).unwrap(), "(S (A a))\n");
    }

    #[test]
    fn traces_and_function_tags_can_be_removed() {
        let text = "(S (NP-SBJ-1 (NP (-NONE- *T*-1)) (-NONE- 0)) (VP=2 (VB go) (-NONE- *)) (-RRB- -RRB-))\n";
        let options = BracketOptions { keep_traces: false, cut_function_tags: true };
        assert_eq!(read(text, options).unwrap(), "(S (VP (VB go)) (-RRB- -RRB-))\n");
    }

    #[test]
    fn errors_have_places() {
        let error = |text: &str| read(text, KEEP).unwrap_err().to_string();
        assert_eq!(error("(S (A a)\n"), "f:2:1: found the end of the file, expected `)`");
        assert_eq!(error("(S a b)\n )"), "f:2:2: found `)`, expected `(`");
        assert_eq!(error("1\tthe"), "f:1:2: found `1`, expected `(`");
    }

    #[test]
    fn brackets_may_nest_deeply() {
        let n = 100_000;
        let text = format!("{}x y{}\n", "(A ".repeat(n), ")".repeat(n));
        assert!(read(&text, KEEP).unwrap() == text);
    }
}
