//! Interned strings: string ⇄ `u32`, with a different type for each kind of symbol.
//!
//! A growing table ([`Symbols`]) and a fixed one ([`FrozenSymbols`]) are different types, so parsing cannot change what
//! training has fixed. Ids are assigned in first-seen order: the same input always yields the same ids.

use std::hash::{BuildHasher, RandomState};
use std::marker::PhantomData;
use std::sync::OnceLock;

/// The id of an interned string. Implemented by [`Form`], [`Lemma`], [`Tag`] and [`Label`].
pub trait Symbol: Copy + Eq + Ord {
    /// Returns the symbol with this id.
    fn from_id(id: u32) -> Self;
    /// Returns the id, counted from 0 in first-seen order.
    fn id(self) -> u32;
}

macro_rules! symbol {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// No symbol: a missing value.
            pub const NONE: Self = Self(u32::MAX);

            /// Whether this is [`Self::NONE`].
            pub const fn is_none(self) -> bool {
                self.0 == u32::MAX
            }

            /// Returns the id as an array index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Symbol for $name {
            fn from_id(id: u32) -> Self {
                Self(id)
            }
            fn id(self) -> u32 {
                self.0
            }
        }
    };
}

symbol!(
    /// A word form.
    Form
);
symbol!(
    /// A lemma.
    Lemma
);
symbol!(
    /// A part-of-speech tag or a morphological feature.
    Tag
);
symbol!(
    /// A dependency label.
    Label
);

/// A growing table of strings of one kind.
#[derive(Clone, Debug)]
pub struct Symbols<S> {
    strings: Strings,
    /// Open addressing over ids; `EMPTY` marks a free slot. Length is a power of two.
    slots: Vec<u32>,
    kind: PhantomData<S>,
}

/// A table that does not grow.
#[derive(Clone, Debug)]
pub struct FrozenSymbols<S>(Symbols<S>);

/// All strings, concatenated.
#[derive(Clone, Debug, Default)]
struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    fn get(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.text[start..self.ends[id] as usize]
    }
}

const EMPTY: u32 = u32::MAX;

fn hash(text: &str) -> u64 {
    // Random, so that nobody can construct a file whose names all collide. Ids do not depend on it.
    static KEY: OnceLock<RandomState> = OnceLock::new();
    KEY.get_or_init(RandomState::new).hash_one(text)
}

impl<S: Symbol> Default for Symbols<S> {
    fn default() -> Self {
        Self { strings: Strings::default(), slots: vec![EMPTY; 64], kind: PhantomData }
    }
}

impl<S: Symbol> Symbols<S> {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the symbol of `text`, adding it if it is new.
    ///
    /// # Panics
    /// If the table would hold more than 4 GiB of text or more than 2³² − 2 strings.
    pub fn intern(&mut self, text: &str) -> S {
        let slot = match self.find(text) {
            Ok(id) => return S::from_id(id),
            Err(slot) => slot,
        };
        let id = u32::try_from(self.len()).ok().filter(|&id| id != EMPTY).expect("fewer than 2³² symbols");
        self.strings.text.push_str(text);
        let end = u32::try_from(self.strings.text.len()).expect("symbol text below 4 GiB");
        self.strings.ends.push(end);
        self.slots[slot] = id;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        S::from_id(id)
    }

    /// Returns the symbol of `text` if it is known.
    pub fn get(&self, text: &str) -> Option<S> {
        self.find(text).ok().map(S::from_id)
    }

    /// Returns the string of a symbol of this table.
    pub fn text(&self, symbol: S) -> &str {
        self.strings.get(symbol.id())
    }

    /// Returns the number of strings in the table.
    pub fn len(&self) -> usize {
        self.strings.ends.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.strings.ends.is_empty()
    }

    /// Iterates over all symbols and their strings, in first-seen order.
    pub fn iter(&self) -> impl Iterator<Item = (S, &str)> {
        (0u32..).take(self.len()).map(|id| (S::from_id(id), self.strings.get(id)))
    }

    /// Returns the same table as a fixed one.
    pub fn freeze(self) -> FrozenSymbols<S> {
        FrozenSymbols(self)
    }

    /// Returns the id of `text`, or the free slot where it belongs.
    fn find(&self, text: &str) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        // Truncation is intended: the low bits choose the slot.
        #[allow(clippy::cast_possible_truncation, reason = "only the low bits matter")]
        let mut slot = (hash(text) >> 20) as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(slot),
                id if self.strings.get(id) == text => return Ok(id),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for id in (0u32..).take(self.len()) {
            let slot = self.find(self.strings.get(id)).expect_err("strings in the table are distinct");
            self.slots[slot] = id;
        }
    }
}

impl<S: Symbol> FrozenSymbols<S> {
    /// Returns the symbol of `text` if it is known.
    pub fn get(&self, text: &str) -> Option<S> {
        self.0.get(text)
    }

    /// Returns the string of a symbol of this table.
    pub fn text(&self, symbol: S) -> &str {
        self.0.text(symbol)
    }

    /// Returns the number of strings in the table.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over all symbols and their strings, in id order.
    pub fn iter(&self) -> impl Iterator<Item = (S, &str)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_first_appearance_and_survive_growth() {
        let mut symbols = Symbols::<Label>::new();
        let words: Vec<String> = (0..1000).map(|i| format!("l{i}")).collect();
        for (id, word) in (0u32..).zip(&words) {
            assert_eq!(symbols.intern(word), Label(id));
        }
        for (id, word) in (0u32..).zip(&words) {
            assert_eq!(symbols.intern(word), Label(id));
            assert_eq!(symbols.text(Label(id)), word);
        }
        assert_eq!(symbols.get("absent"), None);
        let frozen = symbols.freeze();
        assert_eq!(frozen.len(), 1000);
        assert_eq!(frozen.iter().nth(7), Some((Label(7), "l7")));
    }

    #[test]
    fn the_empty_string_is_a_string() {
        let mut symbols = Symbols::<Form>::new();
        let empty = symbols.intern("");
        assert_eq!(symbols.text(empty), "");
        assert_eq!(symbols.intern(""), empty);
    }
}
