//! A sentence's token values as numbers of texts: looked up once a sentence.

use quaich_treebank::symbols::{Symbol, Symbols};
use quaich_treebank::{Node, Sentence};

use crate::alphabet::{Lookup, code};
use crate::cells::{MISSING, slice, value_of};
use crate::sets::{Element, sort_and_dedup};
use crate::symbolic::SymbolicProgram;
use crate::token_values::{ColumnPlan, Order, PlanFor};
use crate::value::Part;

/// The token values of every token of a sentence, of the root, and of no node at all.
#[derive(Clone, Debug, Default)]
pub struct SymbolicTokens {
    /// The row of no node, which is the last; node 0 has the first.
    none: usize,
    /// How many values a node has.
    width: usize,
    plan: PlanFor,
    /// By node and number. Nothing for a merge that the alphabet does
    /// not know.
    rows: Vec<Option<u32>>,
    /// By node and number: where the elements end; they start where the ones before end.
    ends: Vec<usize>,
    elements: Vec<Element<u32>>,
    /// Texts that the alphabet does not know. They are told apart, so that two tokens can agree in one, by
    /// numbers that follow those of the alphabet.
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

/// What is known of a single value of a token.
#[derive(Clone, Debug)]
enum Single {
    Number(u32),
    Set(Vec<Element<u32>>),
}

impl SymbolicTokens {
    /// Looks up the values of a sentence, reusing the memory of the last.
    pub fn read<A: Lookup>(
        &mut self,
        sentence: &Sentence,
        program: &SymbolicProgram,
        order: Order,
        alphabet: &mut A,
    ) {
        self.plan.update(program.token_values(), sentence.layout());
        self.none = sentence.n_tokens() + 1;
        self.width = program.token_values().len();
        self.rows.clear();
        self.ends.clear();
        self.elements.clear();
        self.unknown = Symbols::new();
        let mut singles = vec![Single::Number(0); self.plan.plan().n_singles];
        self.push(code::ROOT);
        for token in order.tokens(sentence) {
            let Self { plan, unknown, .. } = self;
            let mut text = |text: &str| {
                alphabet.text(text).unwrap_or_else(|| alphabet.n_texts() + unknown.intern(text).0)
            };
            for column in &plan.plan().columns {
                let cell = column.position.map_or(MISSING, |position| sentence.cell(token, position));
                for (single, part) in &column.parts {
                    singles[*single] = read_part(cell, part, column, &mut text);
                }
            }
            self.put_together(program, &singles, alphabet);
        }
        self.push(code::NONE);
    }

    /// The value of a node with this number, if the alphabet knows it.
    pub(crate) fn get(&self, node: Node, number: u16) -> Option<u32> {
        self.rows[self.place(node, number)]
    }

    /// The elements of a set value, as numbers of texts; none if the value with this number is not a set.
    pub(crate) fn set(&self, node: Node, number: u16) -> &[Element<u32>] {
        let place = self.place(node, number);
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.elements[start..self.ends[place]]
    }

    fn place(&self, node: Node, number: u16) -> usize {
        node.index().min(self.none) * self.width + usize::from(number)
    }

    /// Adds the row of the root or of no node.
    fn push(&mut self, number: u32) {
        self.rows.extend(std::iter::repeat_n(Some(number), self.width));
        self.ends.extend(std::iter::repeat_n(self.elements.len(), self.width));
    }

    /// Adds a row made of single values.
    fn put_together<A: Lookup>(&mut self, program: &SymbolicProgram, singles: &[Single], alphabet: &mut A) {
        for (entry, merge_table) in self.plan.plan().entries.iter().zip(program.merge_tables()) {
            let number = match (merge_table, &singles[entry[0]]) {
                (Some(table), _) => {
                    let number = |&single: &usize| match singles[single] {
                        Single::Number(number) => number,
                        Single::Set(_) => code::MISSING,
                    };
                    let tuple: Vec<u32> = entry.iter().map(number).collect();
                    alphabet.tuple(*table, &tuple).map(|merge| code::FIRST_MERGE + merge)
                }
                (None, Single::Number(number)) => Some(*number),
                (None, Single::Set(elements)) => {
                    self.elements.extend_from_slice(elements);
                    None
                }
            };
            self.rows.push(number);
            self.ends.push(self.elements.len());
        }
    }
}

/// A part of a cell.
fn read_part(cell: &str, part: &Part, column: &ColumnPlan, text: &mut impl FnMut(&str) -> u32) -> Single {
    let mut number =
        |found: &str| if found == MISSING { code::MISSING } else { code::FIRST_TEXT + text(found) };
    match part {
        Part::Whole => Single::Number(number(cell)),
        Part::Slice { from, to } => Single::Number(number(slice(cell, *from, *to))),
        Part::Feature(name) => {
            let mut found = None;
            column.pieces.visit(cell, |held, piece| {
                if held == name && found.is_none() {
                    found = Some(code::FIRST_TEXT + text(value_of(piece)));
                }
            });
            Single::Number(found.unwrap_or(code::MISSING))
        }
        Part::Set => {
            let mut elements = Vec::new();
            column.pieces.visit(cell, |name, piece| {
                elements.push(Element { name: text(name), value: text(piece) });
            });
            sort_and_dedup(&mut elements, 0);
            Single::Set(elements)
        }
    }
}
