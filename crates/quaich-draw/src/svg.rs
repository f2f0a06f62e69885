//! Arc diagrams as SVG: one sentence, or several on a page.
//!
//! Nothing overlaps: a label is in a gap of its own arc, next to every line that comes down through the arc, and there
//! is no box behind it, nor a background behind the drawing. Right-to-left scripts are drawn from right to left. In a
//! browser, an arc under the pointer is highlighted and shows its words.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::layout::{self, Sizes, is_between_words};
use crate::picture::{Arc, Picture, isolated};

/// The most words of a sentence: the drawing of a longer one would be wider than any viewer.
pub const MAX_WORDS: usize = 1000;

/// Pixels per column of text in the size of words, and of labels. Fonts differ, so these are generous.
const WORD_COLUMN: usize = 9;
const LABEL_COLUMN: usize = 7;
const SIZES: Sizes = Sizes { gap: 16, side: 6, around_label: 24 };
/// Between two levels of arcs.
const LEVEL: usize = 22;
/// From the lowest level to the arrows of the words.
const FOOT: usize = 10;
/// The radius of an arc's corners.
const CORNER: usize = 8;
/// Between a label and its own arc on either side, and between a label and any other line.
const AIR: usize = 5;
const MARGIN: usize = 14;
/// Below the arcs: form, tag, number.
const TEXT: usize = 60;
const TITLE: usize = 26;

/// The class of a fragment, before every rule of its style sheet: it has no effect on the rest of the page.
const SCOPE: &str = "quaich-arcs";

/// The drawing has no background. Embedded in HTML, text has the colour of the page's text; in a separate file it is
/// dark or light according to the user's colour scheme. The other colours are readable on both.
const HEADER: &str = "<style>\n\
    svg:root { color-scheme: light dark; color: #1b1f24 }\n\
    @media (prefers-color-scheme: dark) { svg:root { color: #e6e9ed } }\n\
    text { font-family: 'Noto Sans', 'Source Sans 3', 'Segoe UI', Helvetica, Arial, sans-serif; text-anchor: middle; fill: currentColor }\n\
    .form { font-size: 16px }\n\
    .tag { font-size: 10.5px; fill-opacity: .72; letter-spacing: .03em }\n\
    .number { font-size: 9.5px; fill-opacity: .5 }\n\
    .label { font-size: 11px; fill: #128a9c }\n\
    .root .label { fill: #d2553a }\n\
    .title { font-size: 12px; fill-opacity: .72; text-anchor: start }\n\
    .rtl .title { direction: rtl }\n\
    .arc { fill: none; stroke: #7a838f; stroke-width: 1.3; stroke-linejoin: round }\n\
    .arrow { fill: #7a838f }\n\
    .root .arc { stroke: #d2553a } .root .arrow { fill: #d2553a }\n\
    .dep:hover .arc { stroke: #e05a1a; stroke-width: 2.4 } .dep:hover .arrow { fill: #e05a1a }\n\
    .dep:hover .label { fill: #e05a1a; font-weight: bold }\n\
    </style>\n";

/// Draws a page of sentences, each with a title, which may be empty.
pub fn page(sentences: &[(String, Picture)]) -> String {
    let drawings: Vec<Drawing<'_>> =
        sentences.iter().map(|(title, picture)| Drawing::new(title, picture)).collect();
    let inner = drawings.iter().map(|drawing| drawing.width).max().unwrap_or(0);
    let mut body = String::new();
    let mut y = MARGIN;
    for drawing in &drawings {
        drawing.draw(y, inner, &mut body);
        y += drawing.height() + MARGIN;
    }
    let (width, height) = (inner + 2 * MARGIN, y);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n{HEADER}{body}</svg>\n"
    )
}

/// Draws one sentence as a fragment of an HTML page, such as a notebook. Its style applies to nothing else on the page, and its text has
/// the colour of the page's text, so that it can be read on light and dark pages.
///
/// ```
/// # use quaich_draw::{Picture, Word, svg};
/// let word = Word { form: "Hello".into(), ..Word::default() };
/// let html = svg::fragment("", &Picture { words: vec![word], arcs: Vec::new() });
/// assert!(html.starts_with("<svg class=\"quaich-arcs\"") && html.contains(".quaich-arcs .form {"));
/// ```
pub fn fragment(title: &str, picture: &Picture) -> String {
    let drawing = Drawing::new(title, picture);
    let mut body = String::new();
    drawing.draw(MARGIN, drawing.width, &mut body);
    let (width, height) = (drawing.width + 2 * MARGIN, drawing.height() + 2 * MARGIN);
    format!(
        "<svg class=\"{SCOPE}\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n{}{body}</svg>\n",
        scoped(HEADER)
    )
}

/// Returns the style sheet with every selector limited to a fragment. What concerns the document itself is left out.
fn scoped(header: &str) -> String {
    let mut scoped = String::new();
    for line in header.lines().filter(|line| !line.contains("svg:root")) {
        for rule in line.split_inclusive('}').map(str::trim) {
            let is_rule = !rule.is_empty() && !rule.starts_with('<');
            scoped
                .extend([if is_rule { format!(".{SCOPE} ") } else { String::new() }, rule.to_owned() + "\n"]);
        }
    }
    scoped
}

/// A sentence with its measurements. Positions count from its left edge, or from its right edge in a right-to-left
/// script: both are drawn in the same way, and the latter is mirrored at the end.
struct Drawing<'a> {
    title: &'a str,
    picture: &'a Picture,
    middles: Vec<usize>,
    levels: layout::Levels,
    /// For each arc its two ends, the left one first.
    ends: Vec<(usize, usize)>,
    width: usize,
    right_to_left: bool,
}

impl<'a> Drawing<'a> {
    fn new(title: &'a str, picture: &'a Picture) -> Self {
        let positions = layout::positions(
            picture,
            SIZES,
            |word| {
                let word = &picture.words[word];
                (word.form.width() * WORD_COLUMN)
                    .max(word.tag.width().max(word.number.width()) * LABEL_COLUMN)
            },
            |arc| label_width(&picture.arcs[arc]),
        );
        let right_to_left = picture.is_right_to_left();
        let (middles, levels) = (positions.middles, layout::levels(picture));
        let ends = ends(picture, &middles);
        let mut drawing =
            Self { title, picture, middles, levels, ends, width: positions.width, right_to_left };
        drawing.make_room();
        drawing.width = drawing.width.max(title.width() * LABEL_COLUMN);
        drawing
    }

    /// Moves words apart if lines come down so close to each other that no two of them have room for a label.
    fn make_room(&mut self) {
        for number in 0..self.picture.arcs.len() {
            if !is_between_words(&self.picture.arcs[number]) || self.room(number).is_some() {
                continue;
            }
            let needed = 2 * self.half_label(number);
            let lines = self.lines(number);
            let between_words = lines.windows(2).filter_map(|pair| {
                let (from, to) = (pair[0], pair[1]);
                // The first word after the one of the line; lines of one word stay together.
                let next = self.middles.partition_point(|middle| *middle <= from + SIZES.side);
                (*self.middles.get(next)? <= to + SIZES.side).then_some((to - from, next))
            });
            let Some((widest, next)) = between_words.max() else { continue };
            let more = needed.saturating_sub(widest);
            self.middles[next..].iter_mut().for_each(|middle| *middle += more);
            self.width += more;
            self.ends = ends(self.picture, &self.middles);
        }
    }

    fn title_height(&self) -> usize {
        if self.title.is_empty() { 0 } else { TITLE }
    }

    fn height(&self) -> usize {
        self.title_height() + self.levels.highest * LEVEL + FOOT + TEXT
    }

    /// Draws the sentence with its top at `y`, on a page of this inner width.
    fn draw(&self, y: usize, inner: usize, svg: &mut String) {
        let base = y + self.title_height() + self.levels.highest * LEVEL + FOOT;
        let x = |place: usize| MARGIN + if self.right_to_left { inner - place } else { place };
        // Writing to a string cannot fail; the results are ignored.
        let _ = writeln!(svg, "<g{}>", if self.right_to_left { " class=\"rtl\"" } else { "" });
        if !self.title.is_empty() {
            let _ = writeln!(
                svg,
                "<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>",
                x(0),
                y + 12,
                escape(self.title)
            );
        }
        for number in 0..self.picture.arcs.len() {
            self.draw_arc(number, base, &x, svg);
        }
        for (node, word) in self.picture.numbered() {
            let x = x(self.middles[node.index() - 1]);
            for (class, text, below) in
                [("form", &word.form, 20), ("tag", &word.tag, 36), ("number", &word.number, 50)]
            {
                if !text.is_empty() {
                    let y = base + below;
                    let _ =
                        writeln!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", written(text));
                }
            }
        }
        let _ = writeln!(svg, "</g>");
    }

    fn draw_arc(&self, number: usize, base: usize, x: &impl Fn(usize) -> usize, svg: &mut String) {
        let arc = &self.picture.arcs[number];
        let (left, right) = self.ends[number];
        let top = self.top(number, base);
        let into = self.middles[arc.dependent - 1];
        let from_root = arc.head == 0;
        if !from_root && !is_between_words(arc) {
            return;
        }
        let label_at = if from_root { into } else { self.label_place(number) };
        let class = if from_root { "dep root" } else { "dep" };
        let _ = write!(svg, "<g class=\"{class}\"><title>{}</title>", escape(&self.tooltip(arc)));
        if from_root {
            let _ = write!(svg, "<path class=\"arc\" d=\"M{} {} V{base}\"/>", x(into), top + 6);
        } else {
            let corner = CORNER.min((right - left) / 2);
            let half = if arc.label.is_empty() { 0 } else { label_width(arc) / 2 + AIR };
            // Two halves, each from a foot up to the label.
            for (foot, over, to) in [
                (left, left + corner, label_at.saturating_sub(half).max(left + corner)),
                (right, right - corner, (label_at + half).min(right - corner)),
            ] {
                let (foot, over, to) = (x(foot), x(over), x(to));
                let _ = write!(
                    svg,
                    "<path class=\"arc\" d=\"M{foot} {base} V{} Q{foot} {top} {over} {top} H{to}\"/>",
                    top + corner
                );
            }
        }
        let _ =
            write!(svg, "<path class=\"arrow\" d=\"M{} {} h7 l-3.5 7 z\"/>", float(x(into)) - 3.5, base - 3);
        if !arc.label.is_empty() {
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>",
                x(label_at),
                top + 4,
                written(&arc.label)
            );
        }
        let _ = writeln!(svg, "</g>");
    }

    /// Returns the height of an arc's line.
    fn top(&self, number: usize, base: usize) -> usize {
        base - FOOT - self.levels.of_arc[number] * LEVEL + LEVEL / 2
    }

    /// Returns the position of an arc's label: as near to the middle as lines that come down through the arc allow.
    fn label_place(&self, number: usize) -> usize {
        let (left, right) = self.ends[number];
        self.room(number).unwrap_or(usize::midpoint(left, right))
    }

    /// Returns half of the width of a label with its padding.
    fn half_label(&self, number: usize) -> usize {
        label_width(&self.picture.arcs[number]) / 2 + AIR
    }

    /// Returns the lines that come down through an arc, and its own two, from left to right.
    fn lines(&self, number: usize) -> Vec<usize> {
        let (left, right) = self.ends[number];
        let level = self.levels.of_arc[number];
        let mut lines: Vec<usize> = vec![left, right];
        for (other, &(from, to)) in self.ends.iter().enumerate() {
            if self.levels.of_arc[other] > level {
                lines.extend([from, to].into_iter().filter(|end| (left + 1..right).contains(end)));
            }
        }
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Returns the position nearest to the middle of an arc where its label has room.
    fn room(&self, number: usize) -> Option<usize> {
        let (left, right) = self.ends[number];
        let (middle, half, lines) =
            (usize::midpoint(left, right), self.half_label(number), self.lines(number));
        // Between two adjacent lines, the middle of the label can be anywhere in a range.
        let rooms = lines.windows(2).filter_map(|pair| {
            let (from, to) = (pair[0] + half, pair[1].checked_sub(half)?);
            (from <= to).then(|| middle.clamp(from, to))
        });
        rooms.min_by_key(|place| place.abs_diff(middle))
    }

    /// Returns the tooltip of an arc.
    fn tooltip(&self, arc: &Arc) -> String {
        let form = |word: usize| {
            self.picture.words.get(word.wrapping_sub(1)).map_or("ROOT", |word| word.form.as_str())
        };
        let (head, dependent) = (isolated(form(arc.head)), isolated(form(arc.dependent)));
        format!("{head} → {dependent} {}", isolated(&arc.label)).trim_end().to_owned()
    }
}

/// Returns the ends of all arcs, the left one first.
fn ends(picture: &Picture, middles: &[usize]) -> Vec<(usize, usize)> {
    let middle = |word: usize| middles[word - 1];
    let ends = picture.arcs.iter().map(|arc| {
        let into = middle(arc.dependent);
        let side = match arc.head {
            0 => into,
            head if arc.dependent < head => middle(head) - SIZES.side,
            head => middle(head) + SIZES.side,
        };
        (side.min(into), side.max(into))
    });
    ends.collect()
}

fn label_width(arc: &Arc) -> usize {
    arc.label.width() * LABEL_COLUMN
}

#[allow(clippy::cast_precision_loss, reason = "a place on a page")]
fn float(place: usize) -> f64 {
    place as f64
}

/// Returns the text of a word or a label, in its own direction.
fn written(text: &str) -> String {
    escape(&isolated(text))
}

/// Escapes text for XML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML cannot represent these.
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
        // An arc between words has two halves, with its label between them.
        assert_eq!(svg.matches("class=\"arc\"").count(), 3);
        for part in ["&lt;a&gt;", "b&amp;", "x&quot;", "1 &lt; 2"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn the_style_of_a_fragment_applies_to_nothing_else() {
        let html = fragment("a title", &picture("word", &[(2, "det"), (0, "root")]));
        let (_, style) = html.split_once("<style>").unwrap();
        let (style, _) = style.split_once("</style>").unwrap();
        let rules: Vec<&str> = style.split('}').map(str::trim).filter(|rule| !rule.is_empty()).collect();
        assert!(rules.len() > 10 && rules.iter().all(|rule| rule.starts_with(".quaich-arcs ")), "{style}");
        assert!(rules.iter().all(|rule| rule.matches('{').count() == 1), "{style}");
        assert!(!html.contains("root {") && style.contains("fill: currentColor"));
    }

    /// Returns a picture of words called `form`, with heads and labels.
    fn picture(form: &str, arcs: &[(usize, &str)]) -> Picture {
        let word = Word { form: form.into(), ..Word::default() };
        let mut picture = Picture { words: vec![word; arcs.len()], arcs: Vec::new() };
        for (i, &(head, label)) in arcs.iter().enumerate() {
            picture.arc(head, i + 1, label);
        }
        picture
    }

    #[test]
    fn labels_keep_clear_of_every_line() {
        // 2 → 5 crosses 4 → 8 and 3 → 9, and the line of the root comes down through 2 → 5.
        let heads = [2, 3, 0, 3, 2, 7, 5, 4, 3];
        let arcs: Vec<(usize, &str)> = heads.iter().map(|&head| (head, "nmod:label")).collect();
        let picture = picture("word", &arcs);
        let drawing = Drawing::new("", &picture);
        let crossed = 4;
        let (place, half) = (drawing.label_place(crossed), label_width(&picture.arcs[crossed]) / 2);
        let (left, right) = drawing.ends[crossed];
        assert!(left < place - half && place + half < right);
        for (other, &(from, to)) in drawing.ends.iter().enumerate().filter(|&(other, _)| other != crossed) {
            let comes_down = drawing.levels.of_arc[other] > drawing.levels.of_arc[crossed];
            for end in [from, to].into_iter().filter(|_| comes_down) {
                assert!(end.abs_diff(place) > half, "{other} at {end} goes through the label at {place}");
            }
        }
    }

    /// Random trees, most of them with many crossing arcs: no line crosses a label, whatever its length.
    #[test]
    fn no_line_goes_through_a_label() {
        let mut state = 7u32;
        let mut chance = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % n
        };
        let labels = ["a", "nmod", "compound:preverb", "a:very:long:label:indeed"];
        for _ in 0..5000 {
            let n = 2 + chance(14);
            // Every word is attached to an earlier one in a random order.
            let mut order: Vec<usize> = (1..=n).collect();
            (1..n).for_each(|i| order.swap(i, chance(i + 1)));
            let mut arcs = vec![(0, "root"); n];
            for i in 1..n {
                arcs[order[i] - 1] = (order[chance(i)], labels[chance(4)]);
            }
            let picture = picture("w", &arcs);
            let drawing = Drawing::new("", &picture);
            for (number, arc) in picture.arcs.iter().enumerate().filter(|(_, arc)| arc.head != 0) {
                let (place, half) = (drawing.label_place(number), label_width(arc) / 2);
                for line in drawing.lines(number) {
                    assert!(line.abs_diff(place) > half, "{arcs:?}: {line} goes through {place} ± {half}");
                }
            }
            assert!(drawing.middles.iter().all(|middle| *middle < drawing.width));
        }
    }

    #[test]
    fn scripts_run_in_their_direction() {
        let place = |svg: &str, number: usize| -> usize {
            let texts = svg.split("<text class=\"form\" x=\"").nth(number).unwrap();
            texts.split('"').next().unwrap().parse().unwrap()
        };
        let arcs = [(2, "det"), (0, "root"), (2, "obj")];
        let latin = page(&[(String::new(), picture("word", &arcs))]);
        let hebrew = page(&[("1".into(), picture("מילה", &arcs))]);
        assert!(place(&latin, 1) < place(&latin, 2) && place(&latin, 2) < place(&latin, 3));
        assert!(place(&hebrew, 1) > place(&hebrew, 2) && place(&hebrew, 2) > place(&hebrew, 3));
        assert!(hebrew.contains("<g class=\"rtl\">") && !latin.contains("<g class=\"rtl\">"));
        // Every word is isolated: in its element, and next to the arrow of the tooltip.
        assert!(hebrew.contains(">\u{2068}מילה\u{2069}</text>") && !latin.contains('\u{2068}'));
        assert!(hebrew.contains("<title>\u{2068}מילה\u{2069} → \u{2068}מילה\u{2069} det</title>"));
    }

    /// Returns the contrast ratio of two colours, by the formula of the Web Content Accessibility Guidelines.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |at: usize| {
                let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4) + 0.05
        };
        let ratio = luminance(one) / luminance(other);
        ratio.max(1.0 / ratio)
    }

    #[test]
    fn drawings_have_no_page_and_can_be_read_on_any() {
        let svg = page(&[("1".into(), picture("word", &[(2, "det"), (0, "root")]))]);
        assert!(!svg.contains("<rect"), "{svg}");
        let (own, rules) = HEADER.split_once("text {").unwrap();
        assert!(own.contains("prefers-color-scheme: dark") && rules.contains("fill: currentColor"));
        let colours: Vec<&str> = rules.split('#').skip(1).map(|colour| &colour[..6]).collect();
        assert!(!colours.is_empty());
        for colour in colours {
            for page in ["ffffff", "14171b"] {
                assert!(contrast(colour, page) > 3.5, "#{colour} on #{page}");
            }
        }
    }
}
