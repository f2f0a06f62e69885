//! Python 3, and what the grammar knows of Python 2.

use crate::language::{Body, Class, Language, Layout, Numbers, Quote};

/// Without an `f` or `t`: these have fields in braces.
const PREFIXES: &[&str] = &["", "r", "b", "u", "rb", "br", "ur"];
const FIELD_PREFIXES: &[&str] = &["f", "fr", "rf", "t", "tr", "rt"];

/// Python. `match`, `case`, `type`, `print` and `exec` are identifiers: they are keywords in some places only.
pub(crate) static PYTHON: Language = Language {
    name: "python",
    extensions: &["py", "pyi"],
    root: "module",
    keywords: &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
        "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in",
        "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ],
    #[rustfmt::skip]
    operators: &[
        "!=", "%", "%=", "&", "&=", "(", ")", "*", "**", "**=", "*=", "+", "+=", ",", "-", "-=", "->", ".",
        "...", "/", "//", "//=", "/=", ":", ":=", ";", "<", "<<", "<<=", "<=", "<>", "=", "==", ">", ">=",
        ">>", ">>=", "@", "@=", "[", "]", "^", "^=", "{", "|", "|=", "}", "~",
    ],
    binary_operators: &[],
    operand_ends: &[],
    identifier_bytes: b"",
    line_comments: &["#"],
    block_comment: None,
    quotes: &[
        Quote {
            prefixes: PREFIXES,
            quote: "\"\"\"",
            class: Class::String,
            body: Body::Escapes,
            has_lines: true,
        },
        Quote {
            prefixes: PREFIXES,
            quote: "'''",
            class: Class::String,
            body: Body::Escapes,
            has_lines: true,
        },
        Quote {
            prefixes: FIELD_PREFIXES,
            quote: "\"\"\"",
            class: Class::String,
            body: Body::Escapes,
            has_lines: true,
        },
        Quote {
            prefixes: FIELD_PREFIXES,
            quote: "'''",
            class: Class::String,
            body: Body::Escapes,
            has_lines: true,
        },
        Quote {
            prefixes: PREFIXES,
            quote: "\"",
            class: Class::String,
            body: Body::Escapes,
            has_lines: false,
        },
        Quote { prefixes: PREFIXES, quote: "'", class: Class::String, body: Body::Escapes, has_lines: false },
        Quote {
            prefixes: FIELD_PREFIXES,
            quote: "\"",
            class: Class::String,
            body: Body::Fields,
            has_lines: false,
        },
        Quote {
            prefixes: FIELD_PREFIXES,
            quote: "'",
            class: Class::String,
            body: Body::Fields,
            has_lines: false,
        },
    ],
    numbers: Numbers { separator: b'_', dot_before_name: true, leading_zero: false, suffixes: Some(b"jJlL") },
    layout: Layout::Indentation {
        statements: &[
            "assert", "break", "class", "continue", "def", "del", "elif", "except", "finally", "global",
            "import", "nonlocal", "pass", "raise", "return", "try", "while", "with",
        ],
    },
    joins_lines: true,
    lifetimes: false,
    leaf_kinds: &[
        ("IDENT", "identifier"),
        ("INT", "integer"),
        ("HEX", "integer"),
        ("OCT", "integer"),
        ("BIN", "integer"),
        ("FLOAT", "float"),
        ("STRING", "string"),
        ("False", "false"),
        ("None", "none"),
        ("True", "true"),
        ("...", "ellipsis"),
    ],
    dialect: &[
        ("def", "fn"),
        ("for", "each"),
        ("while", "loop"),
        ("return", "yields"),
        ("elif", "elsif"),
        ("except", "catch"),
        ("class", "type"),
    ],
    macros: false,
    #[cfg(feature = "python")]
    grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
    #[cfg(not(feature = "python"))]
    grammar: None,
};
