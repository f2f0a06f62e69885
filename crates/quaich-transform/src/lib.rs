//! Tree transformations: training trees are changed into trees that are easier to parse, and what the
//! parser builds is changed back. What has to be remembered for the way back is written into the labels.
//!
//! ```
//! use quaich_transform::{Scratch, by_spec};
//! use quaich_treebank::{Label, Node, Sentence, Symbols, Tree};
//!
//! let transform = by_spec("pseudo-projective:head")?;
//! let mut labels = Symbols::<Label>::new();
//! let mut scratch = Scratch::default();
//! # let sentence = Sentence::empty(std::sync::Arc::new(quaich_treebank::formats::FORMATS[0].layout()));
//!
//! // Z nich je jen jedna na kvalitu .
//! let mut tree = Tree::new(8);
//! let arcs = [(5, "AuxP"), (1, "Atr"), (0, "Pred"), (5, "AuxZ"), (3, "Sb"), (3, "AuxP"), (6, "Adv"), (3, "AuxZ")];
//! for (token, (head, label)) in tree.tokens().zip(arcs) {
//!     tree.set(token, Node(head), labels.intern(label));
//! }
//! let gold = tree.clone();
//!
//! transform.apply(&sentence, &mut tree, &mut labels, &mut scratch)?;
//! assert_eq!((tree.head(Node(1)), labels.text(tree.label(Node(1)))), (Node(3), "AuxP↑Sb"));
//!
//! // Once the labels of all training trees are known, the way back is prepared once …
//! let inverse = transform.inverse(&mut labels);
//! // … and taken after every parse, without allocating.
//! inverse.invert(&sentence, &mut tree, &mut scratch);
//! assert_eq!(tree, gold);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To add one: write `NAME.rs` after `_template.rs`, and add its `mod` line and its entry in [`TRANSFORMS`]
//! here. Names, help, errors and conformance tests follow from the entry.
//!
//! Not here: the lifts themselves, which are a measure of shape as well and live in
//! [`quaich_treebank::shape`]; and the choice of a transformation, which is the parser's setting.

mod chain;
mod error;
pub mod pseudo_projective;
mod scratch;
mod transform;

use quaich_treebank::UnknownName;

pub use chain::Chain;
pub use error::{Error, Result};
pub use pseudo_projective::{Decoder, Encoding, PseudoProjective};
pub use scratch::Scratch;
pub use transform::{Inverse, Transform, frozen_inverse};

/// A row of the table of transformations.
#[derive(Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// What the inverse cannot bring back, in the words of the documentation.
    pub losses: &'static str,
    /// The variants, the default first; never empty.
    pub variants: &'static [Variant],
}

/// One way of doing a transformation, written after its name and a colon.
#[derive(Debug)]
pub struct Variant {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Makes the transformation.
    pub build: fn() -> Box<dyn Transform>,
}

/// The most transformations of a chain.
const MAX_LINKS: usize = 16;

/// Every transformation, in the order help shows them.
pub static TRANSFORMS: &[Entry] = &[pseudo_projective::ENTRY];

/// The transformation of a specification such as `pseudo-projective:head`; several are separated by
/// commas and applied from left to right. Without a colon the first variant is meant.
///
/// ```
/// # use quaich_transform::by_spec;
/// assert_eq!(by_spec("pseudo-projective")?.spec(), "pseudo-projective:head");
/// assert_eq!(
///     by_spec("pseudo-projective:heads").unwrap_err().to_string(),
///     "unknown variant `heads`; known: head, path, head+path, baseline"
/// );
/// # Ok::<(), quaich_transform::Error>(())
/// ```
pub fn by_spec(spec: &str) -> Result<Box<dyn Transform>> {
    if spec.contains(',') {
        let n_links = spec.split(',').count();
        if n_links > MAX_LINKS {
            return Err(Error::TooMany { found: n_links, expected: MAX_LINKS });
        }
        let links = spec.split(',').map(|one| by_spec(one.trim())).collect::<Result<_>>()?;
        return Ok(Box::new(Chain::new(links)));
    }
    let (name, variant) = match spec.split_once(':') {
        Some((name, variant)) => (name, Some(variant)),
        None => (spec, None),
    };
    let entry = TRANSFORMS
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| UnknownName::new("transformation", name, TRANSFORMS.iter().map(|entry| entry.name)))?;
    let Some(variant) = variant else { return Ok((entry.variants[0].build)()) };
    let found =
        entry.variants.iter().find(|known| known.name == variant).ok_or_else(|| {
            UnknownName::new("variant", variant, entry.variants.iter().map(|known| known.name))
        })?;
    Ok((found.build)())
}
