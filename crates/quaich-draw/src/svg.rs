//! Arc diagrams as SVG: one sentence, or several below each other on a page.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::layout::{self, Sizes, is_between_words};
use crate::picture::Picture;

/// Pixels for a column of text in the words' size, and in the labels'. Fonts differ, so these are
/// on the wide side.
const WORD_COLUMN: usize = 9;
const LABEL_COLUMN: usize = 7;
const SIZES: Sizes = Sizes { gap: 14, side: 6, around_label: 10 };
/// Between two levels of arcs.
const LEVEL: usize = 22;
/// From the lowest level to the words' arrows.
const FOOT: usize = 10;
/// The radius of an arc's corners.
const CORNER: usize = 8;
const MARGIN: usize = 12;
/// Below the arcs: form, tag, number.
const TEXT: usize = 58;
const TITLE: usize = 24;

const HEADER: &str = "<style>\n\
    text { font-family: sans-serif; text-anchor: middle; fill: #222 }\n\
    .form { font-size: 15px }\n\
    .tag, .number { font-size: 10px; fill: #777 }\n\
    .label { font-size: 11px; fill: #06707c }\n\
    .title { font-size: 12px; fill: #777; text-anchor: start }\n\
    .arc { fill: none; stroke: #555; stroke-width: 1.2 }\n\
    .arrow { fill: #555 }\n\
    .paper { fill: #fff }\n\
    </style>\n";

/// A page of sentences, each with a title (which may be empty).
pub fn page(sentences: &[(String, Picture)]) -> String {
    let mut body = String::new();
    let (mut width, mut y) = (0, MARGIN);
    for (title, picture) in sentences {
        let (w, h) = draw_at(title, picture, y, &mut body);
        width = width.max(w);
        y += h + MARGIN;
    }
    let (width, height) = (width + 2 * MARGIN, y);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n{HEADER}\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n"
    )
}

/// Draws a sentence with its top at `y`; gives its width and height.
fn draw_at(title: &str, picture: &Picture, y: usize, svg: &mut String) -> (usize, usize) {
    let positions = layout::positions(
        picture,
        SIZES,
        |word| {
            let word = &picture.words[word];
            (word.form.width() * WORD_COLUMN).max(word.tag.width().max(word.number.width()) * LABEL_COLUMN)
        },
        |arc| picture.arcs[arc].label.width() * LABEL_COLUMN,
    );
    let levels = layout::levels(picture);
    let title_height = if title.is_empty() { 0 } else { TITLE };
    let base = y + title_height + levels.highest * LEVEL + FOOT;
    // Writing to a string cannot fail; the results are passed over.
    let _ = writeln!(svg, "<g>");
    if !title.is_empty() {
        let _ =
            writeln!(svg, "<text class=\"title\" x=\"{MARGIN}\" y=\"{}\">{}</text>", y + 12, escape(title));
    }
    let middle = |word: usize| MARGIN + positions.middles[word - 1];
    for (arc, &level) in picture.arcs.iter().zip(&levels.of_arc) {
        let into = middle(arc.dependent);
        let top = base - FOOT - level * LEVEL + LEVEL / 2;
        let label_x = if arc.head == 0 {
            let _ = writeln!(svg, "<path class=\"arc\" d=\"M{into} {} V{base}\"/>", top + 5);
            into
        } else if is_between_words(arc) {
            let side = if arc.dependent < arc.head {
                middle(arc.head) - SIZES.side
            } else {
                middle(arc.head) + SIZES.side
            };
            let (left, right) = (side.min(into), side.max(into));
            let corner = CORNER.min((right - left) / 2);
            let _ = writeln!(
                svg,
                "<path class=\"arc\" d=\"M{left} {base} V{} Q{left} {top} {} {top} H{} Q{right} {top} {right} {} V{base}\"/>",
                top + corner,
                left + corner,
                right - corner,
                top + corner
            );
            usize::midpoint(left, right)
        } else {
            continue;
        };
        let _ = writeln!(svg, "<path class=\"arrow\" d=\"M{} {} h6 l-3 6 z\"/>", into - 3, base - 2);
        if !arc.label.is_empty() {
            let width = arc.label.width() * LABEL_COLUMN + 4;
            let _ = writeln!(
                svg,
                "<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"12\"/>\
                 <text class=\"label\" x=\"{label_x}\" y=\"{}\">{}</text>",
                label_x - width / 2,
                top - 6,
                top + 4,
                escape(&arc.label)
            );
        }
    }
    for (node, word) in picture.numbered() {
        let x = middle(node.index());
        for (class, text, below) in
            [("form", &word.form, 20), ("tag", &word.tag, 35), ("number", &word.number, 48)]
        {
            if !text.is_empty() {
                let _ = writeln!(
                    svg,
                    "<text class=\"{class}\" x=\"{x}\" y=\"{}\">{}</text>",
                    base + below,
                    escape(text)
                );
            }
        }
    }
    let _ = writeln!(svg, "</g>");
    let width = positions.width.max(title.width() * LABEL_COLUMN);
    (width, base - y + TEXT)
}

/// Text as it may stand in XML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no way to write these.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                escaped.push('\u{fffd}');
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Word;

    #[test]
    fn text_is_escaped_and_every_arc_drawn() {
        let word = |form: &str| Word { form: form.into(), ..Word::default() };
        let mut picture = Picture { words: vec![word("<a>"), word("b&"), word("c")], arcs: Vec::new() };
        picture.arc(2, 1, "x\"");
        picture.arc(0, 2, "root");
        picture.arc(3, 3, "itself");
        let svg = page(&[("1 < 2".into(), picture)]);
        assert_eq!(svg.matches("class=\"arc\"").count(), 2);
        for part in ["&lt;a&gt;", "b&amp;", "x&quot;", "1 &lt; 2"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}
