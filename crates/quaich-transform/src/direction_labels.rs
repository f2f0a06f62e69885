//! Labels with the direction of their arcs (Gómez-Rodríguez and Fernández-González 2012, for undirected parsing): `X_r`
//! for an arc to the right, `X_l` for one to the left. Undirected systems do this in their transitions; this
//! transformation is for any parser.
//!
//! The inverse is exact: every label gets one mark, and the inverse removes one.

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::entry::Entry;
use crate::label_map::LabelMap;
use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

pub(crate) const ENTRY: Entry = Entry {
    name: "direction-labels",
    help: "adds the direction of the arc to labels: X_l to the left, X_r to the right",
    losses: "nothing",
    choices: &[],
    file: None,
    build: |_| Ok(Box::new(DirectionLabels)),
};

const LEFT: &str = "_l";
const RIGHT: &str = "_r";

/// Adds directions to labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectionLabels;

impl Transform for DirectionLabels {
    fn apply(
        &self,
        _sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        scratch.shapes.read(tree)?;
        for token in tree.tokens() {
            let (head, label) = (tree.head(token), tree.label(token));
            if !label.is_none() {
                scratch.text.clear();
                scratch.text.push_str(labels.text(label));
                scratch.text.push_str(if head < token { RIGHT } else { LEFT });
                tree.set(token, head, labels.intern(&scratch.text));
            }
        }
        Ok(())
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        let back =
            |text: &str| text.strip_suffix(LEFT).or_else(|| text.strip_suffix(RIGHT)).map(str::to_owned);
        Box::new(LabelMap::new(labels, back))
    }
}
