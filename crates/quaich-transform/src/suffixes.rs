//! Marks at the ends of labels, distinguished from the labels' own endings.
//!
//! A label without a mark that ends in a mark or in a backslash gets a backslash at its end, so every label is
//! unambiguous.

use std::borrow::Cow;

/// Ends a label that could be read as a marked one.
const ESCAPE: &str = "\\";

/// The marks of a transformation; none is empty or ends in a backslash, and none ends in another.
#[derive(Clone, Debug)]
pub(crate) struct Suffixes(pub(crate) Vec<Cow<'static, str>>);

impl Suffixes {
    /// Returns a label without its mark, and the index of the mark.
    pub(crate) fn read<'a>(&self, text: &'a str) -> (&'a str, Option<usize>) {
        if self.0.is_empty() {
            return (text, None);
        }
        if let Some(plain) = text.strip_suffix(ESCAPE) {
            return (plain, None);
        }
        let mut marks = self.0.iter().enumerate();
        let found = marks.find_map(|(number, mark)| Some((text.strip_suffix(&**mark)?, Some(number))));
        found.unwrap_or((text, None))
    }

    /// Returns a label with a mark, or with none.
    pub(crate) fn spell<'a>(&self, plain: &'a str, mark: Option<usize>) -> Cow<'a, str> {
        match mark {
            Some(number) => Cow::Owned(format!("{plain}{}", self.0[number])),
            None if self.0.is_empty() => Cow::Borrowed(plain),
            None if plain.ends_with(ESCAPE) || self.0.iter().any(|mark| plain.ends_with(&**mark)) => {
                Cow::Owned(format!("{plain}{ESCAPE}"))
            }
            None => Cow::Borrowed(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn reading_undoes_writing(plain in "[a+!\\\\]{0,5}", mark in prop_oneof![Just(None), Just(Some(0)), Just(Some(1))]) {
            let suffixes = Suffixes(vec!["+".into(), "!".into()]);
            let text = suffixes.spell(&plain, mark).into_owned();
            prop_assert_eq!(suffixes.read(&text), (&*plain, mark));
        }
    }
}
