//! The notation of feature models in this project.
//!
//! ```text
//! s0:w b0:p                the form of the top of the stack and the coarse tag of the buffer's front
//! s0.l:d s0:nl             the label of its outermost left dependent, and its number of left dependents
//! dist(s0,b0) s0:p&f.Case  the distance between the two, with a tag and a case as one value
//! agree(s0,b0,f*) s0:p     for every feature that both have, whether it is equal, with a tag
//! ```
//!
//! A template is one or more values, separated by white space. Most values are `address:what`.
//!
//! | address | node |
//! |---|---|
//! | `s0` `s1` … | of the stack (λ1), from its top |
//! | `b0` `b1` … | of the buffer |
//! | `i0` `i1` … | of the inactive stack from its top, or of λ2 from its left end |
//! | `k0` `u0` … | of the buffer: untouched nodes; nodes that SWAP put back |
//! | `lc0` `rc0` … | between the stack's top and the buffer's front, with heads elsewhere: from the left, from the right |
//! | `h` `d` | head and dependent of the arc to be labelled |
//! | `.h` `.a` | after any address: the head, the topmost ancestor |
//! | `.l` `.l2` … `.r` `.r2` … | the outermost, second outermost, … left and right dependent |
//! | `.ls` `.rs` | the nearest sibling to the left and to the right on the same side of the head |
//! | `.ld` `.rd` | the first and the last node of the subtree |
//! | `.pa` `.pld` `.prd` | like `.a` `.ld` `.rd`, but nowhere instead of the node itself |
//! | `.t` | the node itself, nowhere if it is node 0 |
//! | `.uls` `.urs` | the undirected sibling to the left and to the right |
//! | `+1` `-1` | the next and the previous token of the sentence |
//!
//! | what | value |
//! |---|---|
//! | `w` `l` `p` `t` `f` | form, lemma, coarse tag, fine tag, all features as one value |
//! | `XPOS` `MISC` … | any column, by its name in the format |
//! | `w[-3:]` `w[:2]` `t[1:3]` | characters of a column: the last three (also `x`), the first two, the second and third |
//! | `f.Case` `t.2` | one feature by name; the third character of a positional tag |
//! | `f*` `t*` | the set of features; of characters with their positions |
//! | `f{\|}` | the set of pieces between separators, a simple regular expression |
//! | `pos` | the tags that `MaltParser`'s own models use: UPOS in CoNLL-U, the fine tags elsewhere |
//! | `p&f.Case` | several values as one |
//! | `d` | the label of the arc into the node |
//! | `nl` `nr` `nv` | the number of dependents on the left, on the right, in total |
//! | `sl` `sr` | the set of labels of the dependents on the left and on the right |
//!
//! Other values are `dist(a,b)`, `agree(a,b,what)`, `history:0` and `history:1` (the last transition and the one
//! before), `exists(a)`, `arc(a,b)`, `link(a,b)`, and with custom classes `dist(a,b,0|1|2|5)`, `ldeps(a,0|1)`, `rdeps`
//! and `deps`; `one(s0:p,s0:d)` joins values as in `MaltParser`, as do `rootnode`, `novalue` and `none`, which are
//! [`Nulls`]. The `[define]` section of a feature model adds names of token values. In names of columns and features,
//! special characters are escaped as in `%2C`.

use std::borrow::Cow;
use std::fmt::Write;

use quaich_treebank::{Role, UnknownName};

use crate::address::{Address, Step};
use crate::bounds::Bounds;
use crate::limits::{MAX_SETS, MAX_STEPS};
use crate::nulls::Nulls;
use crate::separator::Separator;
use crate::template::{Template, TemplateError};
use crate::value::{ColumnName, Dependents, MAIN_TAG, MAX_DEPTH, Part, SHORT_NAMES, TokenValue, Value};

/// The names of token values defined by a feature model, in addition to the built-in ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Definitions(Vec<(String, Meaning)>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Meaning {
    /// Token values to be merged.
    Values(Vec<TokenValue>),
    /// Values to be chosen from the treebank.
    Auto,
}

/// The definition of a name to be chosen from the treebank.
const AUTO: &str = "auto";
/// The properties of nodes other than token values.
const OF_NODES: [&str; 6] = ["d", "nl", "nr", "nv", "sl", "sr"];
/// The alias for the last three characters of the form.
const SUFFIX: &str = "x";
/// The exclusive limit of indices in stacks and buffer, and of dependents.
pub(crate) const MAX_INDEX: u8 = 16;

impl Definitions {
    /// Adds a name for a token value, several of them as in a merge, or `auto`. Definitions cannot use each other.
    pub(crate) fn add(&mut self, name: &str, meaning: &str) -> Result<(), String> {
        if !(name.chars().all(char::is_alphanumeric) && name.starts_with(char::is_lowercase)) {
            return Err(format!("found `{name}`, expected letters and digits after a small letter"));
        }
        let built_in = Self::default().known();
        if built_in.split(' ').any(|taken| taken == name) {
            return Err(format!("`{name}` is already defined; built in: {built_in}"));
        }
        let meaning = if meaning == AUTO {
            Meaning::Auto
        } else {
            Meaning::Values(token_values(meaning, &Self::default())?)
        };
        self.0.push((name.to_owned(), meaning));
        Ok(())
    }

    /// Returns the meaning of a name, if it is defined.
    fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.0.iter().find(|(held, _)| held == name).map(|(_, meaning)| meaning)
    }

    /// Lists the known names.
    fn known(&self) -> String {
        let built_in = SHORT_NAMES.iter().map(|(name, _)| *name).chain([SUFFIX, MAIN_TAG]).chain(OF_NODES);
        built_in.chain(self.0.iter().map(|(name, _)| name.as_str())).collect::<Vec<&str>>().join(" ")
    }
}

/// Parses a template.
pub(crate) fn template(text: &str, definitions: &Definitions) -> Result<Template, TemplateError> {
    let wrong = |reason: String| TemplateError { template: text.to_owned(), reason };
    let values: Vec<Value> = text
        .split_whitespace()
        .map(|word| value(word, definitions))
        .collect::<Result<_, _>>()
        .map_err(wrong)?;
    if values.is_empty() {
        return Err(wrong("found no values, expected one or more".to_owned()));
    }
    let n_sets = values.iter().filter(|value| value.is_set()).count();
    if n_sets > MAX_SETS {
        let why = "a template has one feature per combination of their elements";
        return Err(wrong(format!("found {n_sets} sets, expected at most {MAX_SETS}: {why}")));
    }
    Ok(Template { values })
}

fn value(text: &str, definitions: &Definitions) -> Result<Value, String> {
    if let Some((function, arguments)) = text.split_once('(')
        && !function.contains(':')
    {
        return call(text, function, arguments, definitions);
    }
    if text.contains('(') {
        return Err(format!("found `(` in `{text}`, expected `%28` in a name"));
    }
    if let Some(which) = text.strip_prefix("history:") {
        return match which {
            "0" => Ok(Value::History(0)),
            "1" => Ok(Value::History(1)),
            _ => Err(format!("found `{text}`, expected history:0 or history:1")),
        };
    }
    let (at, what) = text.split_once(':').ok_or_else(|| {
        format!("found `{text}`, expected address:value, dist(a,b), agree(a,b,value) or history:0")
    })?;
    let at = address(at)?;
    Ok(match what {
        "d" => Value::Label(at),
        "nl" => Value::LeftValency(at),
        "nr" => Value::RightValency(at),
        "nv" => Value::Valency(at),
        "sl" => Value::LeftLabels(at),
        "sr" => Value::RightLabels(at),
        _ if definitions.meaning(what) == Some(&Meaning::Auto) => Value::Defined(at, what.to_owned()),
        _ => Value::merge(&at, &token_values(what, definitions)?).ok_or("found no value")?,
    })
}

fn call(text: &str, function: &str, arguments: &str, definitions: &Definitions) -> Result<Value, String> {
    let arguments =
        arguments.strip_suffix(')').ok_or_else(|| format!("found `{text}`, expected `)` at its end"))?;
    let arguments = split_arguments(arguments)?;
    if let Some(nulls) = Nulls::by_name(function) {
        return Value::joined(nulls, joined_items(nulls, &arguments, definitions, MAX_DEPTH)?);
    }
    if let Some(which) = Dependents::ALL.into_iter().find(|which| which.name() == function) {
        return match arguments.as_slice() {
            &[at, bounds] => Ok(Value::Dependents(address(at)?, which, Bounds::parse(bounds)?)),
            _ => Err(format!("found `{text}`, expected {function}(address,0|1|2)")),
        };
    }
    match (function, arguments.as_slice()) {
        ("dist", &[a, b]) => Ok(Value::Distance(address(a)?, address(b)?)),
        ("dist", &[a, b, bounds]) => Ok(Value::Apart(address(a)?, address(b)?, Bounds::parse(bounds)?)),
        ("exists", &[at]) => Ok(Value::Exists(address(at)?)),
        ("exists", _) => Err(format!("found `{text}`, expected exists(address)")),
        ("arc", &[a, b]) => Ok(Value::Arc(address(a)?, address(b)?)),
        ("link", &[a, b]) => Ok(Value::Link(address(a)?, address(b)?)),
        ("link", _) => Err(format!("found `{text}`, expected link(address,address)")),
        ("arc", _) => Err(format!("found `{text}`, expected arc(address,address)")),
        ("agree", &[a, b, what]) => {
            let (a, b) = (address(a)?, address(b)?);
            match token_values(what, definitions)?.as_slice() {
                [value] => Ok(Value::Agreement(a, b, value.clone())),
                _ => Err(format!("found `{what}` in `{text}`, expected one value")),
            }
        }
        ("dist", _) => Err(format!("found `{text}`, expected dist(address,address)")),
        ("agree", _) => Err(format!("found `{text}`, expected agree(address,address,value)")),
        _ => Err(UnknownName::new("function", function, FUNCTIONS).to_string()),
    }
}

/// Parses the comma-separated values of a joined value; nested parentheses are joined first.
fn joined_items(
    nulls: Nulls,
    texts: &[&str],
    definitions: &Definitions,
    depth: usize,
) -> Result<Vec<Value>, String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(format!("found values nested deeper than {MAX_DEPTH}, expected fewer"));
    };
    let item = |text: &&str| match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => {
            let inner = split_arguments(inner)?;
            Ok(Value::Joined(nulls, joined_items(nulls, &inner, definitions, depth)?))
        }
        None => value(text, definitions),
    };
    texts.iter().map(item).collect()
}

/// Splits arguments at commas outside parentheses.
fn split_arguments(text: &str) -> Result<Vec<&str>, String> {
    let (mut depth, mut start, mut arguments) = (0usize, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1).ok_or_else(|| format!("found an extra `)` in `{text}`"))?;
            }
            ',' if depth == 0 => {
                arguments.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(format!("found `(` without `)` in `{text}`"));
    }
    arguments.push(&text[start..]);
    Ok(arguments)
}

/// All functions.
const FUNCTIONS: [&str; 12] = [
    "dist", "agree", "exists", "arc", "link", "ldeps", "rdeps", "deps", "one", "rootnode", "novalue", "none",
];

/// Parses an address.
pub(crate) fn address(text: &str) -> Result<Address, String> {
    const STEPS: [char; 3] = ['.', '+', '-'];
    let (base, mut steps) = text.split_at(text.find(STEPS).unwrap_or(text.len()));
    let n_steps = steps.matches(STEPS).count();
    if n_steps > MAX_STEPS {
        return Err(format!("found an address of {n_steps} steps, expected at most {MAX_STEPS}"));
    }
    let index = |digits: &str| {
        let index = digits.parse::<u8>().ok().filter(|&i| i < MAX_INDEX);
        index.ok_or_else(|| format!("found `{base}`, expected an index below {MAX_INDEX}"))
    };
    let mut address = match base.as_bytes() {
        b"h" => Address::ArcHead,
        b"d" => Address::ArcDependent,
        [b's', ..] => Address::Stack(index(&base[1..])?),
        [b'b', ..] => Address::Buffer(index(&base[1..])?),
        [b'i', ..] => Address::Second(index(&base[1..])?),
        [b'k', ..] => Address::Lookahead(index(&base[1..])?),
        [b'u', ..] => Address::SwappedBack(index(&base[1..])?),
        [b'l', b'c', ..] => Address::LeftContext(index(&base[2..])?),
        [b'r', b'c', ..] => Address::RightContext(index(&base[2..])?),
        _ => {
            return Err(format!(
                "unknown address `{base}`; known: s0 s1 … b0 b1 … i0 i1 … k0 … u0 … lc0 … rc0 … h d"
            ));
        }
    };
    while !steps.is_empty() {
        let end = steps[1..].find(STEPS).map_or(steps.len(), |at| at + 1);
        let (first, rest) = steps.split_at(end);
        address = address.then(step(first)?);
        steps = rest;
    }
    Ok(address)
}

fn step(text: &str) -> Result<Step, String> {
    // `.l2` is the second outermost, so its index is 1.
    let nth = |digits: &str| {
        let number = digits.parse::<u8>().ok().filter(|&n| (2..=MAX_INDEX).contains(&n));
        number.map(|n| n - 1)
    };
    let found = match text {
        ".h" => Some(Step::Head),
        ".a" => Some(Step::Topmost),
        ".pa" => Some(Step::ProperTopmost),
        ".t" => Some(Step::Token),
        ".l" => Some(Step::Left(0)),
        ".r" => Some(Step::Right(0)),
        ".ls" => Some(Step::LeftSibling),
        ".rs" => Some(Step::RightSibling),
        ".ld" => Some(Step::LeftDescendant),
        ".rd" => Some(Step::RightDescendant),
        ".pld" => Some(Step::ProperLeftDescendant),
        ".prd" => Some(Step::ProperRightDescendant),
        ".uls" => Some(Step::LeftUndirectedSibling),
        ".urs" => Some(Step::RightUndirectedSibling),
        "+1" => Some(Step::Next),
        "-1" => Some(Step::Previous),
        _ => match text.split_at_checked(2) {
            Some((".l", digits)) => nth(digits).map(Step::Left),
            Some((".r", digits)) => nth(digits).map(Step::Right),
            _ => None,
        },
    };
    found.ok_or_else(|| {
        format!(
            "unknown step `{text}`; known: .h .a .l .l2 … .r .r2 … .ls .rs .ld .rd .pa .pld .prd .t .uls .urs +1 -1"
        )
    })
}

/// Parses one token value or several to be merged.
fn token_values(text: &str, definitions: &Definitions) -> Result<Vec<TokenValue>, String> {
    let mut values = Vec::new();
    for part in text.split('&') {
        match definitions.meaning(part) {
            Some(Meaning::Values(meaning)) => values.extend_from_slice(meaning),
            Some(Meaning::Auto) => {
                return Err(format!(
                    "`{part}` is chosen from the treebank and cannot be combined with other values"
                ));
            }
            None => values.push(token_value(part, definitions)?),
        }
    }
    match values.iter().find(|value| value.is_set()) {
        Some(set) if values.len() > 1 => {
            Err(format!("found the set `{set}` in `{text}`, expected single values"))
        }
        _ => Ok(values),
    }
}

/// Parses a token value; the definitions are used only in messages.
pub(crate) fn token_value(text: &str, definitions: &Definitions) -> Result<TokenValue, String> {
    if text == SUFFIX {
        let part = Part::Slice { from: Some(-3), to: None };
        return Ok(TokenValue { column: ColumnName::Role(Role::Form), part });
    }
    let (column, part) = text.split_at(text.find(['.', '*', '[', '{']).unwrap_or(text.len()));
    let short = SHORT_NAMES.iter().find(|(short, _)| *short == column);
    let column = match short {
        Some(&(_, role)) => ColumnName::Role(role),
        None if column == MAIN_TAG => ColumnName::MainTag,
        // Lower case is reserved for names of values.
        None if column.is_empty() || column.contains(|c: char| c.is_lowercase() || "(),:".contains(c)) => {
            let known = definitions.known();
            return Err(format!("unknown value `{column}`; known: {known}, and columns by name, as XPOS"));
        }
        None => ColumnName::Named(unescaped(column)?),
    };
    Ok(TokenValue { column, part: part_of(part)? })
}

fn part_of(text: &str) -> Result<Part, String> {
    if text.is_empty() {
        return Ok(Part::Whole);
    }
    if text == "*" {
        return Ok(Part::Set);
    }
    if let Some(name) = text.strip_prefix('.')
        && !name.is_empty()
    {
        return unescaped(name).map(Part::Feature);
    }
    if let Some(separator) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Separator::parse(&unescaped(separator)?).map(Part::Split);
    }
    let places = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some((from, to)) = places.and_then(|places| places.split_once(':')) {
        let place = |text: &str| {
            let wrong = |_| format!("found `{text}`, expected a number from -128 to 127 or nothing");
            if text.is_empty() { Ok(None) } else { text.parse::<i8>().map(Some).map_err(wrong) }
        };
        let (from, to) = (place(from)?, place(to)?);
        return Ok(if from.or(to).is_none() { Part::Whole } else { Part::Slice { from, to } });
    }
    Err(format!("unknown part `{text}`; known: .Name * [from:to] {{separator}}"))
}

/// Returns the notation of a feature's name.
pub(crate) fn escaped_feature(name: &str) -> Cow<'_, str> {
    escaped(name, |c| matches!(c, '&' | ',' | '(' | ')'))
}

/// Returns the notation of a column's name.
pub(crate) fn escaped_column(name: &str) -> Cow<'_, str> {
    escaped(name, |c| c.is_lowercase() || matches!(c, '&' | ',' | '(' | ')' | '.' | '*' | '[' | '{' | ':'))
}

/// Returns the notation of a separator.
pub(crate) fn escaped_separator(separator: &str) -> Cow<'_, str> {
    escaped(separator, |c| matches!(c, '&' | ',' | '(' | ')'))
}

/// Escapes special characters with percent signs.
fn escaped(name: &str, is_special: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_special = |c: char| c == '%' || c.is_whitespace() || c.is_control() || is_special(c);
    if !name.contains(is_special) {
        return Cow::Borrowed(name);
    }
    let mut written = String::new();
    for c in name.chars() {
        if is_special(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(written, "%{byte:02X}");
            }
        } else {
            written.push(c);
        }
    }
    Cow::Owned(written)
}

fn unescaped(written: &str) -> Result<String, String> {
    let wrong = || format!("found `{written}`, expected two hexadecimal digits of UTF-8 after every `%`");
    let mut parts = written.split('%');
    let mut name = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).ok_or_else(wrong)?;
        name.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
        name.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(name).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definitions() -> Definitions {
        let mut definitions = Definitions::default();
        definitions.add("m", "auto").unwrap();
        definitions.add("c", "p&f.Case").unwrap();
        definitions.add("n", "f.Number").unwrap();
        definitions
    }

    #[test]
    fn the_notation_is_read_and_written() {
        for text in [
            "s0:w",
            "s0.l2:d b0:nl",
            "dist(s0,b0) s0:p b1.r:f",
            "h-1:t d+1+1:l",
            "s0.h.h:sr i15:sl",
            "history:1 history:0 b3:p",
            "s0:p s1:p s2:p b0:p b1:p b2:p b3:p",
            "s0.a:w b0.ls:p b0.rs:p s0.ld:w s0.rd:w s0.r3:w s0.l16:nv",
            "s0:f.Case s0:f* s0:f.Number[psor] s0:f.ABS",
            "s0:w[-3:] s0:w[:2] s0:t[1:3] s0:t.2 s0:t*",
            "s0:XPOS s0:MISC.SpaceAfter s0:NER* s0:XPOS[:1]",
            "s0:p&f.Case&t[:1] b0:p",
            "agree(s0,b0,f.Case) agree(s0.h,b0-1,f*) agree(h,d,w)",
            "s0:m b0:p",
            "s0:f.a%26b s0:f.%C3%A4%2C%25%20 s0:%73EM%2EX",
            "k0:w u15:w lc0:p rc1:p s0.t.ld:w s0.t.pld:w s0.pa.prd:w",
            "s0:pos b0:f{\\|} s0:w{%2C|\\%28}",
            "exists(s0.l) arc(s0,b0) dist(s0,b0,0|1|5) ldeps(s0,0|1) rdeps(s0,2) deps(b0.h,0|3)",
            "link(s0,b0) s0.uls:w b0.urs.l:d",
            "one(s0:pos)",
            "rootnode(s0:pos,b0:w[-2:],s0.l:d)",
            "novalue((s1:p,s0:d),b3:p,(arc(s0,b0),dist(s0,b0,0|2),deps(s0,0)))",
            "none(exists(s0),(exists(b0),exists(b1)))",
            "one(s0:f{\\|})",
        ] {
            let written = template(text, &definitions()).unwrap().to_string();
            // Letters that do not have to be escaped are written directly.
            assert_eq!(written, text.replace("%C3%A4", "ä"));
            assert_eq!(template(&written, &definitions()).unwrap().to_string(), written);
        }
    }

    #[test]
    fn names_and_aliases_are_replaced_by_what_they_mean() {
        let check = |text: &str, expected: &str| {
            assert_eq!(template(text, &definitions()).unwrap().to_string(), expected);
        };
        check("s0:x", "s0:w[-3:]");
        check("s0:w[:]", "s0:w");
        check("s0:c b0:n", "s0:p&f.Case b0:f.Number");
        check("s0:c&n&t", "s0:p&f.Case&f.Number&t");
        check("s0:p&p", "s0:p");
        check("agree(s0,b0,n)", "agree(s0,b0,f.Number)");
    }

    #[test]
    fn mistakes_are_explained() {
        let check = |text: &str, reason: &str| {
            let expected = format!("in template `{text}`: {reason}");
            assert_eq!(template(text, &definitions()).unwrap_err().to_string(), expected);
        };
        check("", "found no values, expected one or more");
        check("s0", "found `s0`, expected address:value, dist(a,b), agree(a,b,value) or history:0");
        check(
            "s0:q",
            "unknown value `q`; known: w l p t f x pos d nl nr nv sl sr m c n, and columns by name, as XPOS",
        );
        check(
            "s0:Case",
            "unknown value `Case`; known: w l p t f x pos d nl nr nv sl sr m c n, and columns by name, as XPOS",
        );
        check(
            "s0:",
            "unknown value ``; known: w l p t f x pos d nl nr nv sl sr m c n, and columns by name, as XPOS",
        );
        check("q0:w", "unknown address `q0`; known: s0 s1 … b0 b1 … i0 i1 … k0 … u0 … lc0 … rc0 … h d");
        check("s:w", "found `s`, expected an index below 16");
        check("b16:w", "found `b16`, expected an index below 16");
        check("i1x:w", "found `i1x`, expected an index below 16");
        for step in [".x", ".l1", ".l17", ".", "+2", ".é", ".lé"] {
            check(
                &format!("s0{step}:w"),
                &format!(
                    "unknown step `{step}`; known: .h .a .l .l2 … .r .r2 … .ls .rs .ld .rd .pa .pld .prd .t .uls .urs +1 -1"
                ),
            );
        }
        check("history:2", "found `history:2`, expected history:0 or history:1");
        check("dist(s0)", "found `dist(s0)`, expected dist(address,address)");
        check("dist(s0,b0", "found `dist(s0,b0`, expected `)` at its end");
        check("agree(s0,b0)", "found `agree(s0,b0)`, expected agree(address,address,value)");
        check("agree(s0,b0,c)", "found `c` in `agree(s0,b0,c)`, expected one value");
        check("agree(s0,b0,m)", "`m` is chosen from the treebank and cannot be combined with other values");
        assert!(
            template("nome(s0:w)", &definitions())
                .unwrap_err()
                .to_string()
                .contains("unknown function `nome`; known: none, one, ")
        );
        check("dist(s0,b0,x)", "found `x` in `x`, expected numbers as in 0|1|2|5");
        check("one(s0:w,(b0:w)", "found `(` without `)` in `s0:w,(b0:w`");
        check("one(s0:w))", "found an extra `)` in `s0:w)`");
        check("one(s0:f*,b0:w)", "found the set `s0:f*` among joined values, expected single ones");
        check("one(exists(s0),b0:w)", "found `exists` joined with other values, expected only such");
        check("one((s0:w,b0:w))", "found `one(s0:w,b0:w)` alone, expected what it joins without parentheses");
        check("one((s0:w),b0:w)", "found 1 values to be joined, expected more");
        check(
            "one(s0:nl)",
            "found `s0:nl` among joined values, expected columns, labels, arc, dist with classes, ldeps, rdeps, deps or exists",
        );
        let deep = format!("one({}s0:w{})", "(".repeat(99), ")".repeat(99));
        check(&deep, "found values nested deeper than 8, expected fewer");
        check("s0:w.", "unknown part `.`; known: .Name * [from:to] {separator}");
        check("s0:w**", "unknown part `**`; known: .Name * [from:to] {separator}");
        check("s0:w[3]", "unknown part `[3]`; known: .Name * [from:to] {separator}");
        check("s0:w[3:", "unknown part `[3:`; known: .Name * [from:to] {separator}");
        check("s0:w[a:]", "found `a`, expected a number from -128 to 127 or nothing");
        check("s0:w[:128]", "found `128`, expected a number from -128 to 127 or nothing");
        check("s0:p&f*", "found the set `f*` in `p&f*`, expected single values");
        check("s0:p&m", "`m` is chosen from the treebank and cannot be combined with other values");
        check("s0:f.a%2", "found `a%2`, expected two hexadecimal digits of UTF-8 after every `%`");
        check("s0:f.a%FF", "found `a%FF`, expected two hexadecimal digits of UTF-8 after every `%`");
    }

    #[test]
    fn definitions_are_checked() {
        let check = |name: &str, meaning: &str, reason: &str| {
            assert_eq!(Definitions::default().add(name, meaning).unwrap_err(), reason);
        };
        let known = "w l p t f x pos d nl nr nv sl sr";
        check("t", "p", &format!("`t` is already defined; built in: {known}"));
        check("M", "p", "found `M`, expected letters and digits after a small letter");
        check("m.n", "p", "found `m.n`, expected letters and digits after a small letter");
        check("", "p", "found ``, expected letters and digits after a small letter");
        check("m", "q", &format!("unknown value `q`; known: {known}, and columns by name, as XPOS"));
        check("m", "d", &format!("unknown value `d`; known: {known}, and columns by name, as XPOS"));
    }
}
