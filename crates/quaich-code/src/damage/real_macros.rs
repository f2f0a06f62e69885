//! Files of C and C++ that have errors because of macros, and their trees without the macros.
//!
//! A grammar does not know what a macro stands for. Where a file parses without error once there are spaces in the place of macros, its
//! tree with the spaces is what an analysis of the file as it is should find.

use super::Damaged;
use super::edits::Edit;
use crate::error::Result;
use crate::grammar::{Analysis, ERROR};
use crate::language::{Class, Tag};
use crate::lexer::Token;
use crate::source_parser::{ParsedSource, SourceParser};

/// Each name is tried, so a file is left alone if its tokens times its names are more than this.
const MOST_WORK: usize = 300_000;

/// The shortest name that may be a macro: shorter ones are mostly parameters of templates.
const SHORTEST: usize = 3;

/// The most tokens of the arguments of a macro.
const MOST_ARGUMENTS: usize = 1000;

/// A file without its macros.
#[derive(Debug)]
pub struct Blanked {
    /// The file with spaces in the place of macros.
    pub source: Vec<u8>,
    /// Its tokens and its tree, which has no errors.
    pub parsed: ParsedSource,
    /// The file as it is, as an edited copy of the other.
    pub(super) with_macros: Damaged,
}

impl Blanked {
    /// Finds the macros of a file with errors, by their names in capitals: all names that stand between `class` and the name of a class, and
    /// then each name without which there are fewer errors. A macro is blanked everywhere but in directives, with what follows
    /// in parentheses, or without. `None` if the file has no errors, or still has some in the end.
    ///
    /// # Errors
    /// If the file is no text or takes too long.
    pub fn find(parser: &mut SourceParser, source: &[u8]) -> Result<Option<Self>> {
        let original = parser.parse(source)?;
        if !parser.language().macros || !original.analysis.has_errors {
            return Ok(None);
        }
        let names = names(parser, source, &original.tokens);
        if names.is_empty() || names.len() * original.tokens.len() > MOST_WORK {
            return Ok(None);
        }
        let mut search = Search { parser, source, spans: Vec::new(), n_errors: usize::MAX };
        let (sure, others): (Vec<Name<'_>>, Vec<Name<'_>>) =
            names.into_iter().partition(|name| name.is_before_class);
        let sure = sure.iter().flat_map(|name| &name.places).map(|place| (place.start, place.end));
        let mut best = search.without(sure.collect())?;
        search.accept(&best);
        for name in &others {
            if search.n_errors == 0 {
                break;
            }
            let known = search.spans.clone();
            for with_arguments in [false, true] {
                if with_arguments && name.places.iter().all(|place| place.end == place.arguments_end) {
                    continue;
                }
                let end = |place: &Place| if with_arguments { place.arguments_end } else { place.end };
                let spans = name.places.iter().map(|place| (place.start, end(place)));
                let attempt = search.without(known.iter().copied().chain(spans).collect())?;
                if attempt.n_errors < search.n_errors {
                    search.accept(&attempt);
                    best = attempt;
                }
            }
        }
        if best.parsed.analysis.has_errors || best.parsed.tokens.is_empty() || best.spans.is_empty() {
            return Ok(None);
        }
        let edit = |&(start, end): &(usize, usize)| Edit { start, end, text: source[start..end].to_vec() };
        let with_macros = Damaged::new(&best.source, best.spans.iter().map(edit).collect());
        Ok(Some(Self { source: best.source, parsed: best.parsed, with_macros }))
    }

    /// Returns the number of places with a macro.
    pub fn n_macros(&self) -> usize {
        self.with_macros.n_edits()
    }
}

/// A name in capitals.
struct Name<'s> {
    text: &'s [u8],
    places: Vec<Place>,
    /// Whether it is somewhere between `class`, or the like, and another name.
    is_before_class: bool,
}

/// Where a name is: its bytes, and the byte after the parenthesis that closes its arguments, if it has any.
struct Place {
    start: usize,
    end: usize,
    arguments_end: usize,
}

/// Finds the names that may be macros; those with an underscore, which are seldom types, are first.
fn names<'s>(parser: &SourceParser, source: &'s [u8], tokens: &[Token]) -> Vec<Name<'s>> {
    let text = |at: usize| tokens.get(at).map_or(&b""[..], |token| token.text(source));
    let is_identifier =
        |at: usize| tokens.get(at).is_some_and(|token| token.tag == Tag::of(Class::Identifier));
    let mut names: Vec<Name<'s>> = Vec::new();
    let mut is_in_directive = false;
    for (at, token) in tokens.iter().enumerate() {
        is_in_directive = (is_in_directive || parser.language().tag_name(token.tag).starts_with('#'))
            && token.tag != Tag::of(Class::Line);
        let name = token.text(source);
        let is_in_capitals = name.len() >= SHORTEST
            && name.iter().any(u8::is_ascii_uppercase)
            && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
        if is_in_directive || !is_identifier(at) || !is_in_capitals {
            continue;
        }
        let close = closing_parenthesis(text, at + 1, tokens.len().min(at + MOST_ARGUMENTS));
        let is_after_class = at > 0 && matches!(text(at - 1), b"class" | b"struct" | b"union" | b"enum");
        let place = Place {
            start: token.start as usize,
            end: token.end as usize,
            arguments_end: close.map_or(token.end, |close| tokens[close].end) as usize,
        };
        let is_before_class = is_after_class && is_identifier(at + 1);
        match names.iter_mut().find(|known| known.text == name) {
            Some(known) => {
                known.places.push(place);
                known.is_before_class |= is_before_class;
            }
            None => names.push(Name { text: name, places: vec![place], is_before_class }),
        }
    }
    names.sort_by_key(|name| !name.text.contains(&b'_'));
    names
}

/// Returns the token that closes the parenthesis that is this token, if it is one.
fn closing_parenthesis<'s>(text: impl Fn(usize) -> &'s [u8], open: usize, end: usize) -> Option<usize> {
    if text(open) != b"(" {
        return None;
    }
    let mut depth = 0;
    for at in open..end {
        match text(at) {
            b"(" => depth += 1,
            b")" if depth == 1 => return Some(at),
            b")" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A search for the macros of a file: those that were found.
struct Search<'a> {
    parser: &'a mut SourceParser,
    source: &'a [u8],
    spans: Vec<(usize, usize)>,
    n_errors: usize,
}

/// A file without some of its names.
struct Attempt {
    spans: Vec<(usize, usize)>,
    source: Vec<u8>,
    parsed: ParsedSource,
    n_errors: usize,
}

impl Search<'_> {
    /// Parses the file with spaces in the place of some bytes; line ends remain.
    fn without(&mut self, spans: Vec<(usize, usize)>) -> Result<Attempt> {
        let mut source = self.source.to_vec();
        for &(start, end) in &spans {
            for byte in source[start..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
                *byte = b' ';
            }
        }
        let parsed = self.parser.parse(&source)?;
        let error = self.parser.kinds_mut().intern(ERROR);
        let Analysis { tree, incomplete, has_errors } = &parsed.analysis;
        let is_error = |node: u32| tree.kinds()[node as usize] == error;
        let n_nodes = tree.kinds().iter().filter(|&&kind| kind == error).count();
        let n_tokens = tree.token_parents().iter().filter(|&&parent| is_error(parent)).count();
        let n_errors = (n_nodes + n_tokens + incomplete.len()).max(usize::from(*has_errors));
        Ok(Attempt { spans, source, parsed, n_errors })
    }

    fn accept(&mut self, attempt: &Attempt) {
        self.spans.clone_from(&attempt.spans);
        self.n_errors = attempt.n_errors;
    }
}
