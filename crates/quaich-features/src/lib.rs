//! What a model may see of a configuration: templates as data ([`template`]), compiled once into a
//! flat program ([`compile`]) that turns a configuration into one hash a template.
//!
//! Words become 64-bit hashes once a sentence ([`tokens`]); after that no string, no alphabet and
//! no multiplication is needed to name a feature.

pub mod compile;
pub mod hash;
pub mod model;
pub mod places;
pub mod template;
pub mod tokens;

pub use compile::{Program, Scratch};
pub use model::FeatureModel;
pub use places::{Focus, Places};
pub use template::{Address, Attribute, Template};
pub use tokens::{TokenAttribute, Tokens};
