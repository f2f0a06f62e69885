//! By projectivity: arcs over a token that their head does not dominate, and all others; determined on each side by its
//! own tree.

use quaich_treebank::Node;
use quaich_treebank::shape::Shapes;

use super::sided::{Sided, SidedTally};
use super::{Breakdown, Context, Tally};

/// The breakdown.
pub(super) struct ByProjectivity;

impl Breakdown for ByProjectivity {
    fn name(&self) -> &'static str {
        "projectivity"
    }

    fn about(&self) -> &'static str {
        "precision, recall and F of projective and of non-projective arcs"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(SidedTally::new(Projectivity::default()))
    }
}

#[derive(Default)]
struct Projectivity {
    shapes: Shapes,
    groups: Vec<usize>,
}

impl Sided<3> for Projectivity {
    fn names(&self) -> [&'static str; 3] {
        ["projective", "nonprojective", "no tree"]
    }

    fn read(&mut self, heads: &[Node]) {
        self.groups.clear();
        let is_tree = self.shapes.read_heads(heads).is_ok();
        self.groups.resize(heads.len(), if is_tree { 0 } else { 2 });
        if is_tree {
            for &token in self.shapes.nonprojective_arcs() {
                self.groups[token.index()] = 1;
            }
        }
    }

    fn group(&self, token: Node) -> usize {
        self.groups[token.index()]
    }
}
