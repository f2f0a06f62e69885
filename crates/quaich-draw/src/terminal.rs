//! Arc diagrams in characters, the arcs above the words.

use unicode_width::UnicodeWidthStr;

use crate::layout::{self, Levels, Positions, Sizes, is_between_words};
use crate::picture::{Arc, Picture, isolated};

/// Options of drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only ASCII characters.
    pub ascii: bool,
    /// Colours, as escape sequences.
    pub colour: bool,
}

const SIZES: Sizes = Sizes { gap: 1, side: 1, around_label: 2 };

/// The text of a word in one row below the arcs.
type Cell = fn(&crate::Word) -> &str;

/// Escape sequences, or empty strings.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) label: &'static str,
    pub(crate) faint: &'static str,
    pub(crate) strong: &'static str,
    pub(crate) end: &'static str,
}

impl Style {
    pub(crate) fn new(colour: bool) -> Self {
        if colour {
            Self { label: "\x1b[36m", faint: "\x1b[2m", strong: "\x1b[1m", end: "\x1b[0m" }
        } else {
            Self { label: "", faint: "", strong: "", end: "" }
        }
    }
}

/// Returns the number of columns of [`draw`].
pub fn width(picture: &Picture) -> usize {
    Drawing::new(picture).positions.width
}

/// Draws a sentence; every line ends with a newline.
pub fn draw(picture: &Picture, options: Options) -> String {
    let Drawing { positions, grid, labels } = Drawing::new(picture);
    let style = Style::new(options.colour);
    let mut text = String::new();
    for (row, labels) in labels.iter().enumerate() {
        grid.write_row(row, labels, options.ascii, style, &mut text);
    }
    let rows: [(&str, Cell); 3] = [
        (style.strong, |word| &word.form),
        (style.faint, |word| &word.tag),
        (style.faint, |word| &word.number),
    ];
    for (style_start, cell) in rows {
        if picture.words.iter().any(|word| !cell(word).is_empty()) {
            write_words(picture, &positions, cell, style_start, style.end, &mut text);
        }
    }
    text
}

/// The labels of every row with their columns, from left to right.
type Labels<'a> = Vec<Vec<(usize, &'a str)>>;

/// The complete layout.
struct Drawing<'a> {
    positions: Positions,
    grid: Grid,
    labels: Labels<'a>,
}

impl<'a> Drawing<'a> {
    /// Computes the layout; if crossing lines leave a label no room, computes it again with more room.
    fn new(picture: &'a Picture) -> Self {
        let levels = layout::levels(picture);
        let mut needed: Vec<usize> = picture.arcs.iter().map(|arc| arc.label.width()).collect();
        let (drawing, crowded) = Self::with_room(picture, &levels, &needed);
        if crowded.is_empty() {
            return drawing;
        }
        for i in crowded {
            let (left, right) = picture.arcs[i].span();
            let middles = &drawing.positions.middles;
            let distance = middles[right - 1] - middles[left - 1];
            needed[i] += distance.saturating_sub(SIZES.around_label + SIZES.side);
        }
        Self::with_room(picture, &levels, &needed).0
    }

    /// Computes the layout with at least this much room for the labels. Also returns the arcs without room for a label
    /// between crossing lines.
    fn with_room(picture: &'a Picture, levels: &Levels, needed: &[usize]) -> (Self, Vec<usize>) {
        let word_width = |word: usize| {
            let word = &picture.words[word];
            word.form.width().max(word.tag.width()).max(word.number.width())
        };
        let positions = layout::positions(picture, SIZES, word_width, |arc| needed[arc]);
        let mut grid = Grid::new(positions.width, levels.highest + 1);
        for (arc, &level) in picture.arcs.iter().zip(&levels.of_arc) {
            grid.draw_arc(arc, level, &positions);
        }
        let (labels, crowded) = place_labels(picture, levels, &positions, &grid);
        (Self { positions, grid, labels }, crowded)
    }
}

/// The directions of lines from a character.
const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;
const ARROW: u8 = 16;

/// The lines, row 0 at the top. Level l is `rows - 1 - l`; the last row has the arrows.
struct Grid {
    width: usize,
    rows: usize,
    cells: Vec<u8>,
}

impl Grid {
    fn new(width: usize, rows: usize) -> Self {
        Self { width, rows, cells: vec![0; width * rows] }
    }

    fn row_of(&self, level: usize) -> usize {
        self.rows - 1 - level
    }

    fn add(&mut self, row: usize, x: usize, lines: u8) {
        self.cells[row * self.width + x] |= lines;
    }

    fn draw_arc(&mut self, arc: &Arc, level: usize, positions: &Positions) {
        let top = self.row_of(level);
        let bottom = self.rows - 1;
        let into = positions.middles[arc.dependent - 1];
        if arc.head == 0 {
            // The label is at the top.
            for row in top + 1..bottom {
                self.add(row, into, UP | DOWN);
            }
            self.add(bottom, into, ARROW);
        } else if is_between_words(arc) {
            let from = head_end(arc, positions);
            let (left, right) = (from.min(into), from.max(into));
            self.add(top, left, DOWN | RIGHT);
            self.add(top, right, DOWN | LEFT);
            for x in left + 1..right {
                self.add(top, x, LEFT | RIGHT);
            }
            for row in top + 1..bottom {
                self.add(row, left, UP | DOWN);
                self.add(row, right, UP | DOWN);
            }
            self.add(bottom, from, UP | DOWN);
            self.add(bottom, into, ARROW);
        }
    }

    fn write_row(&self, row: usize, labels: &[(usize, &str)], ascii: bool, style: Style, text: &mut String) {
        let mut line = String::new();
        let mut labels = labels.iter().peekable();
        let mut x = 0;
        while x < self.width {
            if let Some((_, label)) = labels.next_if(|(start, _)| *start <= x) {
                line.extend([style.label, &isolated(label), style.end]);
                x += label.width().max(1);
            } else {
                line.push(character(self.cells[row * self.width + x], ascii));
                x += 1;
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// Returns where an arc leaves its head: on the side of the dependent.
fn head_end(arc: &Arc, positions: &Positions) -> usize {
    let middle = positions.middles[arc.head - 1];
    if arc.dependent < arc.head { middle - SIZES.side } else { middle + SIZES.side }
}

/// Returns the labels of every row, and the arcs that have no room for theirs. A label is in the middle of its arc, or
/// as near as crossing lines allow.
fn place_labels<'a>(
    picture: &'a Picture,
    levels: &Levels,
    positions: &Positions,
    grid: &Grid,
) -> (Labels<'a>, Vec<usize>) {
    let mut rows: Vec<Vec<(usize, &str)>> = vec![Vec::new(); grid.rows];
    let mut crowded = Vec::new();
    for (i, (arc, &level)) in picture.arcs.iter().zip(&levels.of_arc).enumerate() {
        let width = arc.label.width();
        if level == 0 || width == 0 {
            continue;
        }
        let row = grid.row_of(level);
        let into = positions.middles[arc.dependent - 1];
        let start = if arc.head == 0 {
            into.saturating_sub(width / 2)
        } else {
            let from = head_end(arc, positions);
            let (first, last) = (from.min(into) + 1, from.max(into).saturating_sub(width));
            let middle = usize::midpoint(first, last);
            let is_free = |start: &usize| {
                grid.cells[row * grid.width + start..][..width].iter().all(|&cell| cell == LEFT | RIGHT)
            };
            let free = (first..=last).filter(is_free).min_by_key(|start| start.abs_diff(middle));
            free.unwrap_or_else(|| {
                crowded.push(i);
                middle
            })
        };
        rows[row].push((start, &arc.label));
    }
    for row in &mut rows {
        row.sort_unstable();
    }
    (rows, crowded)
}

fn character(lines: u8, ascii: bool) -> char {
    let (unicode, plain) = match lines {
        0 => (' ', ' '),
        lines if lines & ARROW != 0 => ('▼', 'v'),
        lines if lines == LEFT | RIGHT => ('─', '-'),
        lines if lines == DOWN | RIGHT => ('╭', '.'),
        lines if lines == DOWN | LEFT => ('╮', '.'),
        lines if lines == UP | DOWN | RIGHT => ('├', '|'),
        lines if lines == UP | DOWN | LEFT => ('┤', '|'),
        // Crossing lines are not connected: the vertical one is in front.
        _ => ('│', '|'),
    };
    if ascii { plain } else { unicode }
}

fn write_words(
    picture: &Picture,
    positions: &Positions,
    cell: Cell,
    style_start: &str,
    style_end: &str,
    text: &mut String,
) {
    let mut line = String::new();
    let mut x = 0;
    for (word, &middle) in picture.words.iter().zip(&positions.middles) {
        let cell = cell(word);
        let start = middle.saturating_sub(cell.width() / 2).max(x);
        line.extend(std::iter::repeat_n(' ', start - x));
        line.push_str(&isolated(cell));
        x = start + cell.width();
    }
    text.extend([style_start, line.trim_end(), style_end, "\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Word;

    /// Checks the drawing of a sentence of `form,head,label`.
    fn check(short: &str, expected: &str) {
        let mut picture = Picture::default();
        for (i, token) in short.split(' ').enumerate() {
            let cells: Vec<&str> = token.split(',').collect();
            picture.words.push(Word { form: cells[0].into(), ..Word::default() });
            if let Ok(head) = cells[1].parse() {
                picture.arc(head, i + 1, cells[2]);
            }
        }
        let drawn = draw(&picture, Options::default());
        assert_eq!(drawn.trim_end(), expected.trim_start_matches('\n').trim_end(), "\n{drawn}");
        assert!(drawn.lines().all(|line| line.width() <= width(&picture)));
    }

    #[test]
    fn arcs_are_drawn_above_the_words() {
        check(
            "Economic,2,NMOD news,3,SBJ had,0,ROOT little,5,NMOD effect,3,OBJ",
            "
                 ROOT
                   │╭────OBJ─────╮
    ╭─NMOD─╮╭─SBJ─╮││    ╭─NMOD─╮│
    ▼      │▼     │▼│    ▼      │▼
Economic  news    had little  effect",
        );
    }

    #[test]
    fn crossing_lines_do_not_meet() {
        check(
            "Who,5,NMOD did,0,ROOT you,2,SUBJ send,2,VG to,4,OBJ",
            "
    ROOT
 ╭────│────NMOD──────────╮
 │    │╭────VG─────╮     │
 │    │├─SUBJ─╮    │╭─OBJ│╮
 ▼    ▼│      ▼    ▼│    │▼
Who  did     you send    to",
        );
    }

    #[test]
    fn words_from_right_to_left_are_set_apart() {
        // Without the isolates, a terminal would show the two words, and everything between them, from right to left.
        check(
            "שלום,2,נושא hi,0,root עולם,2,x",
            "
        root
  ╭─\u{2068}נושא\u{2069}─╮│╭─x─╮
  ▼      │▼│   ▼
\u{2068}שלום\u{2069}     hi  \u{2068}עולם\u{2069}",
        );
    }

    #[test]
    fn wide_characters_and_what_is_not_a_tree() {
        check(
            "她,2,nsubj 睡觉,0,root",
            "
        root
 ╭─nsubj─╮│
 ▼       │▼
她      睡觉",
        );
        check(
            "a,2,x b,1,y c,3,z d,-,-",
            "
  ╭─y─╮
 ╭│x─╮│
 ▼│  │▼
 a    b   c   d",
        );
    }
}
