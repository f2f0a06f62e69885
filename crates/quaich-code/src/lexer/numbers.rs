//! Numbers.

use super::Scanner;
use crate::language::Class;

impl Scanner<'_> {
    /// Returns the end and the class of the number that starts here, if one does.
    pub(super) fn scan_number(&self) -> Option<(usize, Class)> {
        let rules = &self.language.numbers;
        let byte = |at: usize| self.source.get(at).copied().unwrap_or(0);
        let is_digit = |at| byte(at).is_ascii_digit();
        let starts_with_dot = byte(self.at) == b'.' && is_digit(self.at + 1) && rules.dot_before_name;
        if !is_digit(self.at) && !starts_with_dot {
            return None;
        }
        if byte(self.at) == b'0'
            && let Some(found) = self.scan_prefixed()
        {
            return Some(found);
        }
        let mut at = self.digits_end(self.at, |digit| digit.is_ascii_digit());
        let (mut class, is_integer) = (Class::Integer, at);
        // Rust: `pair.0.1` has two indices, and `1..2` and `1.max(2)` have an integer.
        let after_dot =
            !rules.dot_before_name && self.tokens.last().is_some_and(|token| token.text(self.source) == b".");
        let is_name = byte(at + 1).is_ascii_alphabetic() || byte(at + 1) == b'_' || !byte(at + 1).is_ascii();
        if byte(at) == b'.' && byte(at + 1) != b'.' && !after_dot && (rules.dot_before_name || !is_name) {
            class = Class::Float;
            at = self.digits_end(at + 1, |digit| digit.is_ascii_digit());
        }
        if matches!(byte(at), b'e' | b'E') {
            let sign = usize::from(matches!(byte(at + 1), b'+' | b'-'));
            if is_digit(at + 1 + sign) {
                class = Class::Float;
                at = self.digits_end(at + 1 + sign, |digit| digit.is_ascii_digit());
            }
        }
        let digits = &self.source[self.at..is_integer];
        if class == Class::Integer && rules.leading_zero && digits.len() > 1 && digits[0] == b'0' {
            class = Class::Octal;
        }
        if matches!(byte(at), b'f' | b'F' | b'd' | b'D') && class == Class::Integer {
            class = Class::Float;
        }
        Some((self.suffix_end(at), class))
    }

    /// Returns a number with a prefix of its base.
    fn scan_prefixed(&self) -> Option<(usize, Class)> {
        let is_hexadecimal = |digit: u8| digit.is_ascii_hexdigit();
        let byte = |at: usize| self.source.get(at).copied().unwrap_or(0);
        let first = byte(self.at + 2);
        let (mut class, mut end) = match byte(self.at + 1) {
            b'x' | b'X'
                if is_hexadecimal(first) || first == self.language.numbers.separator || first == b'.' =>
            {
                (Class::Hexadecimal, self.digits_end(self.at + 2, is_hexadecimal))
            }
            b'b' | b'B' if first.is_ascii_digit() || first == self.language.numbers.separator => {
                (Class::Binary, self.digits_end(self.at + 2, |digit| digit.is_ascii_digit()))
            }
            b'o' | b'O' if first.is_ascii_digit() || first == self.language.numbers.separator => {
                (Class::Octal, self.digits_end(self.at + 2, |digit| digit.is_ascii_digit()))
            }
            _ => return None,
        };
        // Hexadecimal numbers with a point have a binary exponent.
        if class == Class::Hexadecimal {
            let mut at = end;
            if byte(at) == b'.' {
                at = self.digits_end(at + 1, is_hexadecimal);
            }
            if matches!(byte(at), b'p' | b'P') {
                let sign = usize::from(matches!(byte(at + 1), b'+' | b'-'));
                if byte(at + 1 + sign).is_ascii_digit() {
                    (class, end) =
                        (Class::Float, self.digits_end(at + 1 + sign, |digit| digit.is_ascii_digit()));
                }
            }
        }
        Some((self.suffix_end(end), class))
    }

    /// Returns the end of digits with separators. A separator that is a quote must be followed by a digit.
    fn digits_end(&self, mut at: usize, is_digit: impl Fn(u8) -> bool) -> usize {
        let separator = self.language.numbers.separator;
        while let Some(&byte) = self.source.get(at) {
            let follows = || self.source.get(at + 1).is_some_and(|&next| is_digit(next));
            if !(is_digit(byte) || byte == separator && (separator == b'_' || follows())) {
                break;
            }
            at += 1;
        }
        at
    }

    fn suffix_end(&self, at: usize) -> usize {
        let Some(&byte) = self.source.get(at) else { return at };
        match self.language.numbers.suffixes {
            Some(suffixes) => at + usize::from(suffixes.contains(&byte)),
            None => super::word_end(self.source, at, &[]),
        }
    }
}
