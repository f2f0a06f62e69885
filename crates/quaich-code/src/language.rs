//! Languages: table entries that say how a lexer splits source files, and which grammar parses them.

use quaich_treebank::UnknownName;

use crate::error::Result;
use crate::languages::{c, cpp, java, python, rust};

/// The languages, in the order that help shows.
pub static LANGUAGES: [&Language; 5] = [&java::JAVA, &c::C, &cpp::CPP, &python::PYTHON, &rust::RUST];

/// A grammar of tree-sitter.
#[cfg(feature = "grammar")]
pub type Grammar = fn() -> tree_sitter::Language;

/// A grammar of tree-sitter; this build has none.
#[cfg(not(feature = "grammar"))]
#[derive(Clone, Copy, Debug)]
pub enum Grammar {}

/// A language. A new one is a value of this type in `languages/` and its entry in [`LANGUAGES`].
#[derive(Debug)]
pub struct Language {
    /// The name for users: `python`.
    pub name: &'static str,
    /// The ends of file names, without the dot.
    pub extensions: &'static [&'static str],
    /// The kind of the root: `module`.
    pub root: &'static str,
    /// Words that are tags of their own. Words that are only sometimes keywords are identifiers instead.
    pub keywords: &'static [&'static str],
    /// Operators and punctuation, in any order. The longest one that fits is a token; a context decides about `>>`, so
    /// in languages with type arguments there is only `>`.
    pub operators: &'static [&'static str],
    /// Operators that are tokens only after an operand; elsewhere their characters are. In Rust, `&&` before an operand is two
    /// references, and `||` is the empty parameter list of a closure.
    pub binary_operators: &'static [&'static str],
    /// The keywords and operators that end an operand.
    pub operand_ends: &'static [&'static str],
    /// Bytes of identifiers besides letters, digits and `_`.
    pub identifier_bytes: &'static [u8],
    /// The beginnings of comments that end with their line.
    pub line_comments: &'static [&'static str],
    /// The beginning and end of other comments, and whether they nest.
    pub block_comment: Option<(&'static str, &'static str, bool)>,
    /// String and character literals, those with longer quotes first.
    pub quotes: &'static [Quote],
    /// Numbers.
    pub numbers: Numbers,
    /// What line ends and indentation mean.
    pub layout: Layout,
    /// Whether a line end after a backslash is a space.
    pub joins_lines: bool,
    /// Whether `'a` is a token.
    pub lifetimes: bool,
    /// The grammar's kinds of leaves, by tag. A leaf of another kind has a leaf kind in the tree.
    pub leaf_kinds: &'static [(&'static str, &'static str)],
    /// Keywords of made-up dialects, for the damage study: a word, and what replaces it.
    pub dialect: &'static [(&'static str, &'static str)],
    /// Whether there are macros of a preprocessor, for the damage study.
    pub macros: bool,
    /// The grammar, if this build has it.
    pub grammar: Option<Grammar>,
}

/// A literal between quotes.
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    /// What may be before the opening quote; `""` if nothing needs to be.
    pub prefixes: &'static [&'static str],
    /// The quote, at both ends.
    pub quote: &'static str,
    /// The class of the token.
    pub class: Class,
    /// What is inside.
    pub body: Body,
    /// Whether it may have several lines.
    pub has_lines: bool,
}

/// The inside of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// A backslash escapes a byte.
    Escapes,
    /// Like `Escapes`; in braces are expressions, which may have strings with the same quote.
    Fields,
    /// As many `#` after the closing quote as before the opening one; nothing is escaped.
    Hashes,
    /// `"delimiter( … )delimiter"`; nothing is escaped.
    Delimiter,
}

/// The rules of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// What separates groups of digits.
    pub separator: u8,
    /// Whether `1.e5` and `1.f` are numbers; otherwise a dot before a name is not part of one.
    pub dot_before_name: bool,
    /// Whether `017` is octal.
    pub leading_zero: bool,
    /// The letters that may follow a number; `None` for all.
    pub suffixes: Option<&'static [u8]>,
}

/// The meaning of line ends and indentation.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// None.
    Free,
    /// Lines are statements and indentation makes blocks, as in Python.
    Indentation {
        /// The keywords that are in no expression. A line that starts with one starts a statement, even if a bracket
        /// before it was not closed.
        statements: &'static [&'static str],
    },
    /// Lines that start with `#` are directives of a preprocessor, as in C.
    Directives {
        /// The directives that are split into tokens. The rest of another one's line is one token, as the body of a
        /// macro is.
        split: &'static [&'static str],
    },
}

/// The lexical classes. Keywords and operators have tags of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u16)]
pub enum Class {
    /// An identifier, or a word that is only sometimes a keyword.
    Identifier,
    /// A decimal integer.
    Integer,
    /// A hexadecimal integer.
    Hexadecimal,
    /// An octal integer.
    Octal,
    /// A binary integer.
    Binary,
    /// A number with a point, an exponent, or the suffix of one.
    Float,
    /// A string.
    String,
    /// A character.
    Character,
    /// A lifetime: `'a`.
    Lifetime,
    /// The body of a macro or directive.
    MacroBody,
    /// The end of a line, where it has a meaning. Without text.
    Line,
    /// The beginning of an indented block. Without text.
    Indent,
    /// The end of an indented block. Without text.
    Dedent,
    /// A directive with a name that is not known.
    Directive,
    /// A character, or a byte that is no text, that starts nothing else.
    Other,
}

/// The tags of classes, in their order. In capitals, they are no keywords of any language.
const CLASS_TAGS: [&str; 15] = [
    "IDENT",
    "INT",
    "HEX",
    "OCT",
    "BIN",
    "FLOAT",
    "STRING",
    "CHAR",
    "LIFETIME",
    "BODY",
    "LINE",
    "INDENT",
    "DEDENT",
    "DIRECTIVE",
    "OTHER",
];

/// A tag of a language: a class, a keyword, an operator or a directive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag(pub(crate) u16);

impl Tag {
    /// Returns the tag of a class.
    pub const fn of(class: Class) -> Self {
        Self(class as u16)
    }

    /// Whether tokens of this tag have no text: line ends and indentation.
    pub fn is_layout(self) -> bool {
        [Class::Line, Class::Indent, Class::Dedent].map(Self::of).contains(&self)
    }
}

impl Language {
    /// Returns the names of the directives that are split into tokens.
    fn directives(&self) -> &'static [&'static str] {
        match self.layout {
            Layout::Directives { split } => split,
            _ => &[],
        }
    }

    /// Returns all tags in order.
    pub fn tags(&self) -> impl Iterator<Item = (Tag, &'static str)> + use<> {
        let words = self.keywords.iter().chain(self.operators).chain(self.directives());
        (0..).map(Tag).zip(CLASS_TAGS.iter().chain(words).copied())
    }

    /// Returns the name of a tag.
    ///
    /// # Panics
    /// If it is a tag of another language.
    pub fn tag_name(&self, tag: Tag) -> &'static str {
        let mut at = usize::from(tag.0);
        for list in [&CLASS_TAGS[..], self.keywords, self.operators, self.directives()] {
            match list.get(at) {
                Some(name) => return name,
                None => at -= list.len(),
            }
        }
        panic!("a tag of another language")
    }

    /// Whether this build has its grammar.
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some()
    }
}

/// Returns the language with a name.
pub fn by_name(name: &str) -> Result<&'static Language> {
    let known = LANGUAGES.iter().map(|language| language.name);
    let found = LANGUAGES.iter().find(|language| language.name == name);
    found.copied().ok_or_else(|| UnknownName::new("language", name, known).into())
}

/// Returns the language of a file, by its extension.
pub fn by_path(path: &std::path::Path) -> Option<&'static Language> {
    let extension = path.extension()?.to_str()?;
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tags_are_distinct() {
        for language in LANGUAGES {
            let mut names: Vec<&str> = language.tags().map(|(_, name)| name).collect();
            for (tag, name) in language.tags() {
                assert_eq!(language.tag_name(tag), name);
                // They are cells of CoNLL-U.
                assert!(!name.is_empty() && name != "_" && !name.contains(char::is_whitespace), "{name}");
            }
            let n = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), n, "{}", language.name);
            for (tag, _) in language.leaf_kinds {
                assert!(names.contains(tag), "{} {tag}", language.name);
            }
        }
    }

    #[test]
    fn languages_are_found() {
        assert_eq!(by_path("a/b.test.hpp".as_ref()).unwrap().name, "cpp");
        assert!(by_path("a/py".as_ref()).is_none());
        assert_eq!(by_name("rust").unwrap().name, "rust");
        let error = by_name("rsut").unwrap_err().to_string();
        assert_eq!(error, "unknown language `rsut`; known: rust, java, c, cpp, python");
    }
}
