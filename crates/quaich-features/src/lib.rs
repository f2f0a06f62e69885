//! What a model may see of a configuration: one syntax tree of [`Address`], [`Value`] and [`Template`],
//! written down in a [`notation`] and gathered in a [`FeatureModel`], and two back ends.
//!
//! The hashed one ([`Program`]) turns a configuration into 64-bit hashes: words are hashed once a sentence
//! compare values and for export.
//!
//! Weights are nobody's business here.

mod address;
mod agreement;
mod cells;
pub mod hash;
mod hashed;
mod join;
mod known_cells;
pub mod model;
pub mod notation;
pub mod places;
mod sets;
mod steps;
pub mod template;
mod token_values;
mod tokens;
mod value;

pub use address::{Address, Step};
pub use hashed::{Program, Scratch};
pub use model::FeatureModel;
pub use places::{Focus, Places};
pub use sets::{Element, Sets};
pub use template::Template;
pub use token_values::{Order, TokenValues};
pub use tokens::Tokens;
pub use value::{ColumnName, Part, TokenValue, Value};
