//! Edits of a text, and what of it remains.

/// The replacement of some bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    /// The first byte.
    pub(super) start: usize,
    /// The byte after the last.
    pub(super) end: usize,
    /// What is there instead.
    pub(super) text: Vec<u8>,
}

/// A piece of the original in the copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Where it was.
    pub(super) old: usize,
    /// Where it is.
    pub(super) new: usize,
    pub(super) length: usize,
}

/// A damaged copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damaged {
    source: Vec<u8>,
    pieces: Vec<Piece>,
    n_edits: usize,
}

impl Damaged {
    /// Applies edits. Of those that overlap, the first one is.
    pub(super) fn new(original: &[u8], mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| (edit.start, edit.end));
        let mut damaged = Self { source: Vec::with_capacity(original.len()), pieces: Vec::new(), n_edits: 0 };
        let mut at = 0;
        for edit in edits {
            if edit.start < at {
                continue;
            }
            damaged.keep(original, at, edit.start);
            damaged.source.extend(edit.text);
            damaged.n_edits += 1;
            at = edit.end;
        }
        damaged.keep(original, at, original.len());
        damaged
    }

    fn keep(&mut self, original: &[u8], start: usize, end: usize) {
        if start < end {
            self.pieces.push(Piece { old: start, new: self.source.len(), length: end - start });
            self.source.extend(&original[start..end]);
        }
    }

    /// Returns the bytes of the copy.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Returns the number of edits.
    pub fn n_edits(&self) -> usize {
        self.n_edits
    }

    /// Returns where bytes of the copy were in the original; `None` if they were not next to each other there.
    pub(super) fn old_span(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let after = self.pieces.partition_point(|piece| piece.new <= start);
        let piece = &self.pieces[after.checked_sub(1)?];
        (end <= piece.new + piece.length)
            .then(|| (start - piece.new + piece.old, end - piece.new + piece.old))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_order() {
        let edit = |start, end, text: &str| Edit { start, end, text: text.as_bytes().to_vec() };
        let edits = vec![edit(6, 6, "+"), edit(1, 3, "XYZ"), edit(2, 5, "never"), edit(8, 9, "")];
        let damaged = Damaged::new(b"abcdefghi", edits);
        assert_eq!(damaged.source(), b"aXYZdef+gh");
        assert_eq!(damaged.n_edits(), 3);
        assert_eq!(damaged.old_span(0, 1), Some((0, 1)));
        assert_eq!(damaged.old_span(4, 7), Some((3, 6)));
        assert_eq!(damaged.old_span(8, 10), Some((6, 8)));
        for (start, end) in [(0, 2), (1, 2), (3, 5), (6, 8), (7, 8)] {
            assert_eq!(damaged.old_span(start, end), None, "{start}");
        }
    }
}
