//! Tree transformations: training trees are converted to trees that are easier to parse, and the parser's output is
//! converted back. The information for the inverse is encoded in the labels.
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
//! // Once the labels of all training trees are known, the inverse is prepared once …
//! let inverse = transform.inverse(&mut labels);
//! // … and applied after every parse, without allocating.
//! inverse.invert(&sentence, &mut tree, &mut scratch);
//! assert_eq!(tree, gold);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To add a transformation, write `NAME.rs` after `_template.rs`, and add its `mod` line and its entry in
//! [`TRANSFORMS`] here. Names, help, errors and conformance tests follow from the entry.
//!
//! The lifts themselves are in [`quaich_treebank::shape`]; the choice of a transformation is a setting of the parser.

#[cfg(test)]
#[allow(unreachable_pub, reason = "to be copied, and public then")]
mod _template;
mod chain;
mod children;
mod coordination;
mod direction_labels;
mod entry;
mod error;
mod flips;
mod label_map;
mod profile;
pub mod pseudo_projective;
mod relabel;
mod report;
mod rewriter;
mod scratch;
mod specification;
mod suffixes;
mod transform;

pub use chain::Chain;
pub use entry::{Choice, Chosen, Entry, FileUse, NamedText, Word};
pub use error::{Error, Result};
pub use pseudo_projective::{Decoder, Encoding, PseudoProjective};
pub use report::{Counts, Report, Reporter};
pub use rewriter::{Operation, Rewriter, Rewritten};
pub use scratch::Scratch;
pub use specification::Specification;
pub use transform::{Inverse, Transform, frozen_inverse};

/// All transformations, in the order of help.
pub static TRANSFORMS: &[Entry] = &[
    pseudo_projective::ENTRY,
    pseudo_projective::PROJECTIVIZE,
    coordination::ENTRY,
    flips::verb_groups::ENTRY,
    flips::function_heads::ENTRY,
    direction_labels::ENTRY,
    relabel::ENTRY,
];

/// Returns the transformation of a specification such as `pseudo-projective:head`; several are separated by commas and
/// applied from left to right. Options are written after colons and have defaults. Files named in the specification are
/// read.
///
/// ```
/// # use quaich_transform::{Specification, by_spec};
/// assert!(by_spec("pseudo-projective:head+path:deepest").is_ok());
/// assert_eq!("pseudo-projective".parse::<Specification>()?.to_string(), "pseudo-projective:head");
/// let error = by_spec("pseudo-projective:heads").unwrap_err();
/// assert!(error.to_string().starts_with("unknown variant `heads`; known: head, "));
/// # Ok::<(), quaich_transform::Error>(())
/// ```
pub fn by_spec(spec: &str) -> Result<Box<dyn Transform>> {
    let spec: Specification = spec.parse()?;
    spec.build(&spec.read_files()?)
}
