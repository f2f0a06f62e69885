//! Rules that find URLs and email addresses, which are single tokens in most treebanks, in linear time.

use std::ops::Range;

/// The kind of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Address {
    /// `https://…`, `www.…`
    Url,
    /// `name@host.org`
    Email,
}

/// Finds all addresses of a text as byte ranges, in order and without overlap.
pub(crate) fn find(text: &str, found: &mut Vec<(Range<usize>, Address)>) {
    found.clear();
    let bytes = text.as_bytes();
    if memchr::memchr2(b':', b'@', bytes).is_none() && !text.contains("www.") {
        return;
    }
    let mut done = 0;
    let mut at = 0;
    // Every address contains `://` or `@`, or begins with `www.`.
    while let Some(next) = memchr::memchr3(b':', b'@', b'w', &bytes[at..]) {
        at += next;
        let url = match bytes[at] {
            b':' if bytes[at..].starts_with(b"://") => {
                let start = run_start(bytes, done, at, |byte| byte.is_ascii_alphabetic());
                (start < at).then_some((start, at + 3))
            }
            b'w' if bytes[at..].starts_with(b"www.") => {
                let is_start = at == done || !bytes[at - 1].is_ascii_alphanumeric();
                is_start.then_some((at, at + 4))
            }
            _ => None,
        };
        let address = match url {
            Some((start, from)) => url_end(text, from).map(|end| (start..end, Address::Url)),
            None if bytes[at] == b'@' => email(bytes, done, at).map(|range| (range, Address::Email)),
            None => None,
        };
        match address {
            Some((range, kind)) => {
                (done, at) = (range.end, range.end);
                found.push((range, kind));
            }
            None => at += 1,
        }
    }
}

/// The end of a URL whose host begins at `from`; `None` if there is no host.
fn url_end(text: &str, from: usize) -> Option<usize> {
    let is_part = |c: char| match c {
        '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`' => false,
        c if c.is_ascii() => c.is_ascii_graphic(),
        c => c.is_alphanumeric() && !crate::surface::is_without_spaces(c),
    };
    let rest = &text[from..];
    let mut path = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    // A closing bracket at the end belongs to the URL only if the URL contains the opening one.
    let (mut round, mut square) = (0i64, 0i64);
    for byte in path.bytes() {
        match byte {
            b'(' => round += 1,
            b')' => round -= 1,
            b'[' => square += 1,
            b']' => square -= 1,
            _ => {}
        }
    }
    while let Some(last) = path.bytes().next_back() {
        match last {
            b')' if round < 0 => round += 1,
            b']' if square < 0 => square += 1,
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' => {}
            _ => break,
        }
        path = &path[..path.len() - 1];
    }
    (!path.is_empty()).then_some(from + path.len())
}

/// The email address around an `@`.
fn email(bytes: &[u8], done: usize, at: usize) -> Option<Range<usize>> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-');
    let start = run_start(bytes, done, at, is_name);
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let length = bytes[at + 1..].iter().take_while(|byte| is_host(byte)).count();
    let mut host = &bytes[at + 1..at + 1 + length];
    while let [rest @ .., b'.' | b'-'] = host {
        host = rest;
    }
    let is_address = start < at && host.contains(&b'.') && host[0].is_ascii_alphanumeric();
    is_address.then_some(start..at + 1 + host.len())
}

/// The start of the run of matching bytes before `at`, of at most 64 bytes.
fn run_start(bytes: &[u8], done: usize, at: usize, is_part: impl Fn(u8) -> bool) -> usize {
    at - bytes[done..at].iter().rev().take(64).take_while(|byte| is_part(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_before_punctuation() {
        let text = "See http://a.org/b_(c), (www.x.com/é?q=1). Write to a.b@c-d.org, or @me: a@b c://";
        let mut found = Vec::new();
        find(text, &mut found);
        let found: Vec<&str> = found.iter().map(|(range, _)| &text[range.clone()]).collect();
        assert_eq!(found, ["http://a.org/b_(c)", "www.x.com/é?q=1", "a.b@c-d.org"]);
    }

    #[test]
    fn search_takes_linear_time() {
        for part in ["@", "a@", ":", "://", "www.", "http://)", "a.", "w"] {
            let mut found = Vec::new();
            find(&part.repeat(200_000), &mut found);
        }
    }
}
