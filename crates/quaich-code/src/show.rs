//! Trees as text for people and programs: indented brackets, and JSON. Neither is recursive.

use std::fmt::Write as _;

use crate::tree::{Kinds, NONE, PhraseTree};

/// What a tree shows of a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf<'a> {
    /// Its kind: the leaf kind or the tag.
    pub kind: &'a str,
    /// Its text, empty for ends of lines and indentation.
    pub text: std::borrow::Cow<'a, str>,
    /// Where it is in the source file, in bytes.
    pub span: Option<(usize, usize)>,
}

/// The deepest level that is indented further: a deep tree has long lines otherwise.
const DEEPEST: usize = 60;

/// Writes a tree in brackets, one line per nonterminal. A leaf is `(kind text)`, or the text alone if it is also the kind.
pub fn write_indented<'a>(
    tree: &PhraseTree,
    kinds: &Kinds,
    leaf: impl Fn(usize) -> Leaf<'a>,
    out: &mut String,
) {
    let (first, last, depths) = (tree.first_tokens(), tree.last_tokens(), tree.depths());
    let mut next = 0;
    for (token, &parent) in (0..).zip(tree.token_parents()) {
        while first.get(next) == Some(&token) {
            if next > 0 {
                out.push('\n');
                out.extend(std::iter::repeat_n("  ", (depths[next] as usize).min(DEEPEST)));
            }
            out.push('(');
            push_word(kinds.text(tree.kinds()[next]), out);
            next += 1;
        }
        out.push(' ');
        let Leaf { kind, text, .. } = leaf(token as usize);
        if text == kind || text.is_empty() {
            push_word(kind, out);
        } else {
            out.push('(');
            push_word(kind, out);
            out.push(' ');
            push_word(&text, out);
            out.push(')');
        }
        let mut above = parent;
        while above != NONE && last[above as usize] == token {
            out.push(')');
            above = tree.parents()[above as usize];
        }
    }
    out.push('\n');
}

/// Writes a word; in quotes if it would be read as something else.
fn push_word(word: &str, out: &mut String) {
    let is_plain =
        |char: char| !char.is_whitespace() && !char.is_control() && !matches!(char, '(' | ')' | '"' | '\\');
    if !word.is_empty() && word.chars().all(is_plain) {
        out.push_str(word);
    } else {
        push_string(word, out);
    }
}

/// Writes a string in quotes, with the escapes of JSON.
fn push_string(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if char.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
}

/// Writes a tree as a JSON object on one line: `{"kind": …, "children": […]}`, leaves as `{"kind": …, "text": …, "start": …,
/// "end": …}`.
pub fn write_json<'a>(tree: &PhraseTree, kinds: &Kinds, leaf: impl Fn(usize) -> Leaf<'a>, out: &mut String) {
    let (first, last) = (tree.first_tokens(), tree.last_tokens());
    let mut next = 0;
    let mut is_first_child = true;
    for (token, &parent) in (0..).zip(tree.token_parents()) {
        let separator = |is_first: bool| if is_first { "" } else { "," };
        while first.get(next) == Some(&token) {
            out.push_str(separator(is_first_child));
            out.push_str("{\"kind\":");
            push_string(kinds.text(tree.kinds()[next]), out);
            out.push_str(",\"children\":[");
            is_first_child = true;
            next += 1;
        }
        out.push_str(separator(is_first_child));
        is_first_child = false;
        let Leaf { kind, text, span } = leaf(token as usize);
        out.push_str("{\"kind\":");
        push_string(kind, out);
        out.push_str(",\"text\":");
        push_string(&text, out);
        if let Some((start, end)) = span {
            // Writing to a string cannot fail.
            let _ = write!(out, ",\"start\":{start},\"end\":{end}");
        }
        out.push('}');
        let mut above = parent;
        while above != NONE && last[above as usize] == token {
            out.push_str("]}");
            above = tree.parents()[above as usize];
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brackets::{BracketOptions, BracketReader};

    #[test]
    fn trees_are_shown() {
        let mut kinds = Kinds::new();
        let text = "(module (call (ident f) (par -LRB- -RRB-) (args (string s) (x) ) LINE))";
        let mut reader = BracketReader::new(text.as_bytes(), "t", BracketOptions::default());
        let tree = reader.next(&mut kinds).unwrap().unwrap();
        let leaf = |token: usize| {
            let text = tree.words[token].replace("-LRB-", "(").replace("-RRB-", ")");
            let kind = tree.tags[token];
            let kind = if kind.is_some() { kinds.text(kind) } else { "" };
            match text.as_str() {
                "s" => Leaf { kind, text: "'a \"b\"'".into(), span: Some((2, 9)) },
                "LINE" => Leaf { kind: "LINE", text: "".into(), span: None },
                _ => Leaf { kind, text: text.into(), span: None },
            }
        };
        let mut shown = String::new();
        write_indented(&tree.tree, &kinds, leaf, &mut shown);
        assert_eq!(
            shown,
            "(module\n  (call (ident f)\n    (par (\"\" \"(\") (\"\" \")\"))\n    (string \"'a \\\"b\\\"'\") LINE))\n"
                .replace("\n    (string", "\n    (args (string").replace("'\") LINE", "'\")) LINE")
        );
        let mut json = String::new();
        write_json(&tree.tree, &kinds, leaf, &mut json);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["kind"], "module");
        assert_eq!(value["children"][0]["children"][1]["children"][0]["text"], "(");
        let string = &value["children"][0]["children"][2]["children"][0];
        assert_eq!((string["text"].as_str(), string["end"].as_u64()), (Some("'a \"b\"'"), Some(9)));
        assert_eq!(value["children"][0]["children"].as_array().unwrap().len(), 4);
    }
}
