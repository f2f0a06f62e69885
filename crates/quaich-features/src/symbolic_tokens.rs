//! The token values of a sentence as numbers of texts, looked up once per sentence.

use quaich_treebank::symbols::{Symbol, Symbols};
use quaich_treebank::{Node, Sentence};

use crate::alphabet::{Lookup, code};
use crate::cells::{MISSING, Pieces, slice, value_of};
use crate::sets::{Element, sort_and_dedup};
use crate::symbolic::SymbolicProgram;
use crate::token_values::{CachedRowSpec, MergeSpec, Order};
use crate::value::Part;

/// The token values of all tokens of a sentence, of the root, and of the missing node.
#[derive(Clone, Debug, Default)]
pub struct SymbolicTokens {
    /// The row of the missing node, which is the last; node 0 has the first.
    none: usize,
    spec: CachedRowSpec,
    /// For each node: the values by number, and the parts of merges. `None` for a merge that the alphabet does not
    /// know.
    rows: Vec<Option<u32>>,
    /// By node and number: the range of the elements.
    spans: Vec<(usize, usize)>,
    elements: Vec<Element<u32>>,
    /// Texts that the alphabet does not know. Their numbers follow those of the alphabet, so that two tokens can agree
    /// in one.
    unknown: Symbols<Unknown>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Unknown(u32);

impl Symbol for Unknown {
    fn from_id(id: u32) -> Self {
        Self(id)
    }
    fn id(self) -> u32 {
        self.0
    }
}

impl SymbolicTokens {
    /// Looks up the values of a sentence, reusing memory.
    pub fn read<A: Lookup>(
        &mut self,
        sentence: &Sentence,
        program: &SymbolicProgram,
        order: Order,
        alphabet: &mut A,
    ) {
        self.spec.update(program.token_values(), sentence.layout());
        let Self { none, spec, rows, spans, elements, unknown } = self;
        let spec = spec.spec();
        *none = sentence.n_tokens() + 1;
        rows.clear();
        rows.resize(spec.width, Some(code::ROOT));
        spans.clear();
        spans.resize((*none + 1) * spec.width, (0, 0));
        elements.clear();
        *unknown = Symbols::new();
        for (index, token) in (1..).zip(order.tokens(sentence)) {
            let start = index * spec.width;
            rows.resize(start + spec.width, None);
            let row = &mut rows[start..];
            let mut text = |text: &str| {
                alphabet.text(text).unwrap_or_else(|| alphabet.n_texts() + unknown.intern(text).0)
            };
            for column in &spec.columns {
                let cell = column.position.map_or(MISSING, |position| sentence.cell(token, position));
                for (at, part) in &column.parts {
                    let separated;
                    let pieces = match part {
                        Part::Set => Some(&column.pieces),
                        Part::Split(separator) => {
                            separated = Pieces::Separated(separator.clone());
                            Some(&separated)
                        }
                        _ => None,
                    };
                    if let Some(pieces) = pieces {
                        let first = elements.len();
                        pieces.visit(cell, |name, piece| {
                            elements.push(Element { name: text(name), value: text(piece) });
                        });
                        sort_and_dedup(elements, first);
                        spans[start + at] = (first, elements.len());
                    } else {
                        row[*at] = Some(read_single(cell, part, &column.pieces, &mut text));
                    }
                }
            }
            for MergeSpec { number, parts } in &spec.merges {
                let tuple: Option<Vec<u32>> = parts.iter().map(|&part| row[part]).collect();
                let table = program.merge_tables()[*number];
                row[*number] = table
                    .zip(tuple)
                    .and_then(|(table, tuple)| alphabet.tuple(table, &tuple))
                    .map(|merge| code::FIRST_MERGE + merge);
            }
        }
        rows.resize((*none + 1) * spec.width, Some(code::NONE));
    }

    /// Returns the value of a node with this number, if the alphabet knows it.
    pub(crate) fn get(&self, node: Node, number: u16) -> Option<u32> {
        self.rows[self.place(node, number)]
    }

    /// Returns the elements of a set value as numbers of texts; none if the value with this number is not a set.
    pub(crate) fn set(&self, node: Node, number: u16) -> &[Element<u32>] {
        let (start, end) = self.spans[self.place(node, number)];
        &self.elements[start..end]
    }

    /// Returns the text for a number returned by [`get`](Self::get), if there is one; `_` for a missing value.
    pub(crate) fn text<'a, A: Lookup>(&'a self, number: u32, alphabet: &'a A) -> Option<&'a str> {
        if number == code::MISSING {
            return Some(MISSING);
        }
        let text = number.checked_sub(code::FIRST_TEXT)?;
        match text.checked_sub(alphabet.n_texts()) {
            None => Some(alphabet.known_text(text)),
            Some(unknown) if (unknown as usize) < self.unknown.len() => {
                Some(self.unknown.text(Unknown(unknown)))
            }
            Some(_) => None,
        }
    }

    fn place(&self, node: Node, number: u16) -> usize {
        node.index().min(self.none) * self.spec.spec().width + usize::from(number)
    }
}

/// Returns the code of a single value of a cell in tuples.
fn read_single(cell: &str, part: &Part, pieces: &Pieces, text: &mut impl FnMut(&str) -> u32) -> u32 {
    let found = match part {
        Part::Whole | Part::Set | Part::Split(_) => cell,
        Part::Slice { from, to } => slice(cell, *from, *to),
        Part::Feature(name) => {
            let mut found = None;
            pieces.visit(cell, |held, piece| {
                if held == name && found.is_none() {
                    found = Some(code::FIRST_TEXT + text(value_of(piece)));
                }
            });
            // A feature may have the value `_`, which is not a missing feature.
            return found.unwrap_or(code::MISSING);
        }
    };
    if found == MISSING { code::MISSING } else { code::FIRST_TEXT + text(found) }
}
