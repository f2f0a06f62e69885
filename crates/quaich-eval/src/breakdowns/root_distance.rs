//! By distance to the root: the number of arcs above a token. Errors near the root cause others (`McDonald` and Nivre
//! 2007).

use quaich_treebank::Node;
use quaich_treebank::shape::Shapes;

use super::sided::{Sided, SidedTally};
use super::{Breakdown, Context, Tally};

/// The breakdown.
pub(super) struct ByRootDistance;

impl Breakdown for ByRootDistance {
    fn name(&self) -> &'static str {
        "root-distance"
    }

    fn about(&self) -> &'static str {
        "precision, recall and F of tokens with 1, 2, … 6, 7 or more arcs between them and the root"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(SidedTally::new(Distances::default()))
    }
}

/// The last is for heads that do not form a tree.
const NAMES: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7+", "no tree"];

#[derive(Default)]
struct Distances {
    shapes: Shapes,
    is_tree: bool,
    /// 0 for the root.
    by_node: Vec<usize>,
}

impl Sided<8> for Distances {
    fn names(&self) -> [&'static str; 8] {
        NAMES
    }

    fn read(&mut self, heads: &[Node]) {
        self.by_node.clear();
        self.by_node.resize(heads.len(), 0);
        self.is_tree = self.shapes.read_heads(heads).is_ok();
        if self.is_tree {
            for &token in self.shapes.skeleton().preorder().iter().filter(|token| !token.is_root()) {
                self.by_node[token.index()] = self.by_node[heads[token.index()].index()] + 1;
            }
        }
    }

    fn group(&self, token: Node) -> usize {
        if self.is_tree { self.by_node[token.index()].clamp(1, 7) - 1 } else { NAMES.len() - 1 }
    }
}
