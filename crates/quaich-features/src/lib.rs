//! Features of a configuration: syntax trees of [`Address`], [`Value`] and [`Template`], written in a [`notation`] and
//! collected in a [`FeatureModel`], and two back ends.
//!
//! The hashed back end ([`Program`]) maps a configuration to 64-bit hashes: words are hashed once per sentence
//! ([`Tokens`]), and computing a feature then needs no string, alphabet or multiplication. The symbolic back end
//! ([`SymbolicProgram`]) gives every value a dense number and a name, for learners that compare values and for export.
//!
//! Weights are not part of this crate.

mod address;
mod agreement;
pub mod alphabet;
mod bounds;
mod cell_cache;
mod cells;
pub mod hash;
mod hashed;
mod join;
mod joined;
pub mod limits;
pub mod model;
pub mod morphology;
mod named;
pub mod notation;
mod nulls;
pub mod places;
pub mod roles;
mod separator;
mod sets;
mod steps;
mod symbolic;
mod symbolic_tokens;
pub mod template;
mod token_values;
mod tokens;
mod tuples;
mod value;

pub use address::{Address, Step};
pub use alphabet::{Alphabet, AlphabetParts, FrozenAlphabet};
pub use bounds::Bounds;
pub use hashed::{Program, Scratch};
pub use model::FeatureModel;
pub use named::{FEATURE_MODELS, NamedModel};
pub use notation::{Input, MaltOptions, Notation};
pub use nulls::Nulls;
pub use places::{Focus, Places};
pub use roles::{RoleSet, Roles};
pub use separator::Separator;
pub use sets::{Element, Sets};
pub use symbolic::{SymbolicProgram, SymbolicScratch};
pub use symbolic_tokens::SymbolicTokens;
pub use template::Template;
pub use token_values::{Order, TokenValues};
pub use tokens::Tokens;
pub use value::{ColumnName, Dependents, Part, TokenValue, Value};
