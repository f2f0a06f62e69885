//! Treebank → surface tokens, the tokens of the text before multiword tokens are split.
//!
//! Spaces are determined by `SpaceAfter=No` on the line of the token, or of the range for multiword tokens. For treebanks that do not
//! record spaces (CoNLL-X, the first releases of UD), they are inferred by rules, see [`Spacing::Assumed`].

use quaich_treebank::{Line, Node, Role, Sentence};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// How the spaces of a treebank's text are determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spacing {
    /// The treebank records which tokens have no space after them.
    Recorded,
    /// The treebank does not record spaces. Tokens are assumed to be separated by spaces, except before closing punctuation, after
    /// opening punctuation and next to a character of a script without spaces.
    Assumed,
}

/// A surface token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurfaceToken<'s> {
    /// The form.
    pub form: &'s str,
    /// Whether this is a multiword token.
    pub is_multiword: bool,
    /// Whether a space follows the token.
    pub space_after: bool,
    /// Whether a paragraph begins here, inside a sentence (`NewPar=Yes`).
    pub starts_paragraph: bool,
    /// The MISC cell.
    pub misc: &'s str,
}

/// The largest unit that begins with a sentence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Start {
    /// Only the sentence.
    #[default]
    Sentence,
    /// A paragraph.
    Paragraph,
    /// A document, and therefore also a paragraph.
    Document,
}

impl Spacing {
    /// Detects the spacing of a treebank from some of its sentences.
    pub fn of<'s>(sentences: impl IntoIterator<Item = &'s Sentence>) -> Self {
        let is_recorded = |sentence: &Sentence| {
            sentence.layout().position(Role::Misc).is_some()
                && (sentence.comment("text").is_some()
                    || ["SpaceAfter=No", "SpacesAfter="].iter().any(|mark| sentence.text().contains(mark)))
        };
        if sentences.into_iter().any(is_recorded) { Self::Recorded } else { Self::Assumed }
    }
}

impl Start {
    /// Reads the `newdoc` and `newpar` comments of a sentence.
    pub fn of(sentence: &Sentence) -> Self {
        let start = |line: Line<'_>| match line {
            Line::Comment(comment) => {
                let word = comment.trim_start_matches(['#', '\u{feff}']).split_whitespace().next();
                match word {
                    Some("newdoc") => Self::Document,
                    Some("newpar") => Self::Paragraph,
                    _ => Self::Sentence,
                }
            }
            _ => Self::Sentence,
        };
        sentence.lines().map(start).max().unwrap_or_default()
    }
}

/// Collects the surface tokens of a sentence.
pub fn surface_tokens<'s>(sentence: &'s Sentence, spacing: Spacing, into: &mut Vec<SurfaceToken<'s>>) {
    into.clear();
    let mut covered = Node::NONE.index();
    let mut is_covered = false;
    for line in sentence.lines() {
        match line {
            Line::Extra(row) => {
                let mut cells = row.split('\t');
                let id = cells.next().unwrap_or_default();
                let Some((_, last)) = id.split_once('-') else { continue };
                let (Ok(last), Some(form)) = (last.parse::<usize>(), cells.next()) else { continue };
                (covered, is_covered) = (last, true);
                into.push(token(form, row.rsplit('\t').next().unwrap_or_default(), true));
            }
            Line::Token(node) if !is_covered || node.index() > covered => {
                into.push(token(sentence.form(node), sentence.value(node, Role::Misc), false));
            }
            _ => {}
        }
    }
    if spacing == Spacing::Assumed {
        assume_spaces(into);
    }
}

fn token<'s>(form: &'s str, misc: &'s str, is_multiword: bool) -> SurfaceToken<'s> {
    let has = |value: &str| misc.split('|').any(|part| part == value);
    SurfaceToken {
        form,
        is_multiword,
        space_after: !has("SpaceAfter=No"),
        starts_paragraph: has("NewPar=Yes"),
        misc,
    }
}

/// Infers spaces by rules.
fn assume_spaces(tokens: &mut [SurfaceToken<'_>]) {
    let mut is_quoted = false;
    for i in 0..tokens.len() {
        let form = tokens[i].form;
        let opens = match form {
            "\"" | "''" | "``" => {
                is_quoted = !is_quoted;
                is_quoted
            }
            _ => is_punctuation(form) && form.chars().next_back().is_some_and(opens),
        };
        let next = tokens.get(i + 1).map_or("", |token| token.form);
        let closes = match next {
            "\"" | "''" | "``" => is_quoted,
            _ => is_punctuation(next) && next.chars().next().is_some_and(closes),
        };
        let joins = |c: Option<char>| c.is_some_and(is_without_spaces);
        let is_joined = joins(form.chars().next_back()) || joins(next.chars().next());
        tokens[i].space_after = !opens && !closes && !is_joined;
    }
}

fn is_punctuation(form: &str) -> bool {
    !form.is_empty() && form.chars().all(|c| c.general_category_group() == GeneralCategoryGroup::Punctuation)
}

fn opens(c: char) -> bool {
    use GeneralCategory::{InitialPunctuation, OpenPunctuation};
    matches!(c.general_category(), OpenPunctuation | InitialPunctuation) || matches!(c, '¿' | '¡')
}

fn closes(c: char) -> bool {
    use GeneralCategory::{ClosePunctuation, FinalPunctuation};
    matches!(c.general_category(), ClosePunctuation | FinalPunctuation)
        || matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | '…' | '।' | '॥' | '،' | '؛' | '؟')
}

/// Whether a character belongs to a script without spaces between words.
pub fn is_without_spaces(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff // Thai, Lao
        | 0x0f00..=0x0fff // Tibetan
        | 0x1000..=0x109f // Burmese
        | 0x1780..=0x17ff // Khmer
        | 0x3000..=0x30ff // CJK punctuation, Hiragana, Katakana
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff // Chinese characters
        | 0xff00..=0xff65) // fullwidth forms
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    fn text(conllu: &str) -> (Spacing, String) {
        let treebank = Treebank::from_text(conllu).unwrap();
        let spacing = Spacing::of(&treebank[..]);
        let (mut tokens, mut text) = (Vec::new(), String::new());
        for sentence in &treebank[..] {
            surface_tokens(sentence, spacing, &mut tokens);
            for token in &tokens {
                let (open, close) = if token.is_multiword { ("[", "]") } else { ("", "") };
                text.extend([open, token.form, close, if token.space_after { " " } else { "" }]);
            }
        }
        (spacing, text)
    }

    fn row(id: &str, form: &str, misc: &str) -> String {
        let head = if id.contains('-') { "_\t_" } else { "0\troot" };
        format!("{id}\t{form}\t_\t_\t_\t_\t{head}\t_\t{misc}\n")
    }

    #[test]
    fn multiword_tokens_and_recorded_spaces() {
        let rows = [
            row("1", "ich", "_"),
            row("2-3", "zum", "SpaceAfter=No"),
            row("2", "zu", "_"),
            row("3", "dem", "_"),
            row("4", "!", "A=b|SpaceAfter=No"),
            row("5", "?", "_"),
        ];
        assert_eq!(text(&(rows.concat() + "\n")), (Spacing::Recorded, "ich [zum]!? ".to_owned()));
    }

    #[test]
    fn assumed_spaces() {
        let sentence = |forms: &str| {
            let forms = forms.split(' ').enumerate();
            forms.map(|(i, form)| row(&(i + 1).to_string(), form, "_")).collect::<String>() + "\n"
        };
        let check = |forms: &str, expected: &str| {
            assert_eq!(text(&sentence(forms)), (Spacing::Assumed, expected.to_owned()));
        };
        check("Er ( sie ) sagte : \" nein \" .", "Er (sie) sagte: \"nein\". ");
        check("我 爱 Rust 。", "我爱Rust。");
    }
}
