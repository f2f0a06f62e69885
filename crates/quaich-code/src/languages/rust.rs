//! Rust.

use crate::language::{Body, Class, Language, Layout, Numbers, Quote};

/// Rust. `union`, `default`, `auto` and the names of primitive types are identifiers.
pub(crate) static RUST: Language = Language {
    name: "rust",
    extensions: &["rs"],
    root: "source_file",
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
        "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
        "return", "self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where",
        "while",
    ],
    #[rustfmt::skip]
    operators: &[
        "!", "!=", "#", "$", "%", "%=", "&", "&&", "&=", "(", ")", "*", "*=", "+", "+=", ",", "-", "-=",
        "->", ".", "..", "...", "..=", "/", "/=", ":", "::", ";", "<", "<<", "<<=", "<=", "=", "==", "=>",
        ">", ">=", "?", "@", "[", "]", "^", "^=", "macro_rules!", "{", "|", "|=", "||", "}", "~",
    ],
    binary_operators: &["&&", "||"],
    operand_ends: &[")", "]", "}", "?", "self", "true", "false", "await"],
    identifier_bytes: b"",
    line_comments: &["//"],
    block_comment: Some(("/*", "*/", true)),
    quotes: &[
        Quote {
            prefixes: &["r", "br", "cr"],
            quote: "\"",
            class: Class::String,
            body: Body::Hashes,
            has_lines: true,
        },
        Quote {
            prefixes: &["", "b", "c"],
            quote: "\"",
            class: Class::String,
            body: Body::Escapes,
            has_lines: true,
        },
        Quote {
            prefixes: &["b"],
            quote: "'",
            class: Class::Character,
            body: Body::Escapes,
            has_lines: false,
        },
    ],
    numbers: Numbers { separator: b'_', dot_before_name: false, leading_zero: false, suffixes: None },
    layout: Layout::Free,
    joins_lines: false,
    lifetimes: true,
    leaf_kinds: &[
        ("IDENT", "identifier"),
        ("INT", "integer_literal"),
        ("HEX", "integer_literal"),
        ("OCT", "integer_literal"),
        ("BIN", "integer_literal"),
        ("FLOAT", "float_literal"),
        ("STRING", "string_literal"),
        ("CHAR", "char_literal"),
        ("LIFETIME", "lifetime"),
        ("mut", "mutable_specifier"),
    ],
    dialect: &[
        ("fn", "func"),
        ("loop", "forever"),
        ("match", "switch"),
        ("impl", "extend"),
        ("let", "var"),
        ("pub", "public"),
        ("trait", "interface"),
    ],
    macros: false,
    #[cfg(feature = "rust")]
    grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
    #[cfg(not(feature = "rust"))]
    grammar: None,
};
