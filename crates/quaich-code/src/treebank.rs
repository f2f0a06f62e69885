//! Source files as sentences of CoNLL-U, and back, byte for byte.
//!
//! A file is a sentence. FORM is the text of a token; strings, characters and macro bodies are `string`, `char` and `preproc_arg`.
//! UPOS is the tag. MISC has what is needed to print the file: `SpacesBefore`, the spaces and comments before the token, and
//! `Text`, the text of the token where FORM is not it, both escaped (see [`escape`](mod@crate::escape)). The comment
//! `# tail` has what follows the last token. LEMMA, XPOS and FEATS are empty, or have the grammar's analysis (see
//! [`grammar_columns`](crate::grammar_columns)).

use std::fmt::Write;
use std::sync::Arc;

use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Layout, Level, Node, Role, Sentence, Tree};

use crate::error::{Error, Result};
use crate::escape::{escape, is_plain, unescape};
use crate::grammar_columns::Columns;
use crate::language::{Class, Language, Tag};
use crate::lexer::Token;

/// The attribute of MISC with the spaces and comments before a token.
const GAP: &str = "SpacesBefore=";
/// The attribute of MISC with the text of a token.
const TEXT: &str = "Text=";
/// The comment with the language.
pub const LANGUAGE: &str = "language";
/// The comment with the name of the file.
pub const SOURCE: &str = "source";
/// The comment with what follows the last token.
pub const TAIL: &str = "tail";

/// A source file with its tokens.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// The language.
    pub language: &'static Language,
    /// The name, for the comment; empty for none.
    pub name: &'a str,
    /// The bytes.
    pub source: &'a [u8],
    /// The tokens.
    pub tokens: &'a [Token],
    /// More comments: names and values.
    pub comments: &'a [(&'a str, &'a str)],
    /// The columns with the grammar's analysis, if there are any, and their labels.
    pub columns: Option<(&'a Columns, &'a Symbols<Label>)>,
}

impl SourceFile<'_> {
    /// Writes the sentence, with the heads and labels of a tree if there is one. A file without tokens has no sentence.
    pub fn write(&self, tree: Option<(&Tree, &Symbols<Label>)>, out: &mut String) {
        let Some(last) = self.tokens.last() else { return };
        if !self.name.is_empty() {
            comment(SOURCE, self.name.as_bytes(), out);
        }
        comment(LANGUAGE, self.language.name.as_bytes(), out);
        for (key, value) in self.comments {
            comment(key, value.as_bytes(), out);
        }
        let tail = &self.source[last.end as usize..];
        if !tail.is_empty() {
            comment(TAIL, tail, out);
        }
        let mut end = 0;
        for (number, token) in (1..).zip(self.tokens) {
            let node = Node(number);
            write!(out, "{node}\t").expect(INFALLIBLE);
            let text = token.text(self.source);
            let form = form(self.language, token.tag, text, out);
            let tag = self.language.tag_name(token.tag);
            match self.columns {
                Some((columns, labels)) => {
                    out.extend(["\t", columns.lemma(node, labels), "\t", tag, "\t"]);
                    columns.write_head(node, self.language, self.tokens, out);
                    out.extend(["\t", columns.feats(node), "\t"]);
                }
                None => out.extend(["\t_\t", tag, "\t_\t_\t"]),
            }
            match tree {
                Some((tree, labels)) => {
                    let label = tree.label(node);
                    let label = if label.is_none() { "_" } else { labels.text(label) };
                    write!(out, "{}\t{label}\t_\t", tree.head(node)).expect(INFALLIBLE);
                }
                None => out.push_str("_\t_\t_\t"),
            }
            let gap = &self.source[end..token.start as usize];
            if !gap.is_empty() {
                out.push_str(GAP);
                escape(gap, out);
            }
            if form != Form::Text {
                out.push_str(if gap.is_empty() { "" } else { "|" });
                out.push_str(TEXT);
                escape(text, out);
            } else if gap.is_empty() {
                out.push('_');
            }
            out.push('\n');
            end = token.end as usize;
        }
        out.push('\n');
    }

    /// Returns the sentence, or `None` for a file without tokens.
    pub fn sentence(
        &self,
        layout: &Arc<Layout>,
        tree: Option<(&Tree, &Symbols<Label>)>,
    ) -> Result<Option<Sentence>> {
        if self.tokens.is_empty() {
            return Ok(None);
        }
        let mut text = String::new();
        self.write(tree, &mut text);
        let mut sentence = Sentence::empty(Arc::clone(layout));
        let mut problems = Vec::new();
        sentence.read_block(layout, text.as_bytes(), 1, &mut problems);
        match problems.into_iter().find(|problem| problem.level == Level::Error) {
            Some(problem) => {
                let file = self.name.to_owned();
                Err(quaich_treebank::Error::Malformed { file, problem: Box::new(problem), context: None }
                    .into())
            }
            None => Ok(Some(sentence)),
        }
    }
}

const INFALLIBLE: &str = "writing to a string cannot fail";

fn comment(key: &str, value: &[u8], out: &mut String) {
    out.extend(["# ", key, " = "]);
    escape(value, out);
    out.push('\n');
}

/// What a form is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The text of the token.
    Text,
    /// Something else, so the text is kept aside.
    Other,
}

/// Writes the form of a token.
fn form(language: &Language, tag: Tag, text: &[u8], out: &mut String) -> Form {
    let mapped = [(Class::String, "string"), (Class::Character, "char"), (Class::MacroBody, "preproc_arg")];
    if let Some((_, name)) = mapped.iter().find(|(class, _)| Tag::of(*class) == tag) {
        out.push_str(name);
    } else if tag.is_layout() {
        out.push_str(language.tag_name(tag));
    } else if is_plain(text) {
        // A bar or a backslash needs no escape here, but MISC does.
        out.push_str(&String::from_utf8_lossy(text));
        return Form::Text;
    } else if tag != Tag::of(Class::Directive) && language.tag_name(tag).starts_with('#') && text.len() > 2 {
        // `#  define`
        out.push_str(language.tag_name(tag));
    } else {
        escape(text, out);
    }
    Form::Other
}

/// Whether a token with this MISC has text.
pub(crate) fn has_text(misc: &str) -> bool {
    misc.split('|').all(|attribute| attribute != TEXT)
}

/// Returns the bytes of the source file of a sentence.
///
/// # Errors
/// [`Error::NotSource`] if MISC has escapes that are none.
pub fn source_of(sentence: &Sentence) -> Result<Vec<u8>> {
    Ok(spans_of(sentence)?.0)
}

/// The first byte of each token, and the byte after its last.
pub type Spans = Vec<(usize, usize)>;

/// Returns the bytes of the source file of a sentence, and where each token is.
///
/// # Errors
/// As [`source_of`].
pub fn spans_of(sentence: &Sentence) -> Result<(Vec<u8>, Spans)> {
    let mut source = Vec::new();
    let mut spans = Vec::with_capacity(sentence.n_tokens());
    for token in sentence.tokens() {
        let wrong = |cell: &str, at: usize| Error::NotSource {
            token: token.index(),
            reason: format!(
                "found `{}` in MISC, expected an escape such as `\\s`",
                cell[at..].escape_debug()
            ),
        };
        let misc = sentence.value(token, Role::Misc);
        let value = |key: &str| misc.split('|').find_map(|attribute| attribute.strip_prefix(key));
        if let Some(gap) = value(GAP) {
            unescape(gap, &mut source).map_err(|at| wrong(gap, at))?;
        }
        let start = source.len();
        match value(TEXT) {
            Some(text) => unescape(text, &mut source).map_err(|at| wrong(text, at))?,
            None => source.extend(sentence.form(token).as_bytes()),
        }
        spans.push((start, source.len()));
    }
    if let Some(tail) = sentence.comment(TAIL) {
        unescape(tail, &mut source).map_err(|_| Error::NotSource {
            token: 0,
            reason: format!("found `# {TAIL}` with an escape that is none"),
        })?;
    }
    Ok((source, spans))
}
