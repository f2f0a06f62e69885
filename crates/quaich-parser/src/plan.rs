//! The parsing plan: what is detected from the treebank if a setting is `auto`.

use quaich_features::Order;
use quaich_transform::{NamedText, Specification, Transform};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::modifiers::mirror;
use quaich_transition::oracle::derives;
use quaich_transition::spec::SystemSpec;
use quaich_transition::systems::{Options, System};
use quaich_treebank::shape::Shapes;
use quaich_treebank::{Label, Symbols, Tree};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::long_derivations::is_exhausted;
use crate::settings::{NONE, Settings};

/// The percentage of non-projective sentences from which marking lifted arcs pays off, so that they can be restored. With fewer, the
/// marks are too rare to learn and only add labels.
const MIN_NONPROJECTIVE: f64 = 4.0;

/// The maximum percentage of non-projective trees that a system may fail to derive without needing a transformation.
const MAX_UNDERIVABLE: f64 = 10.0;

/// The parsing plan, as stored in model files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The system with its modifiers.
    #[serde(with = "crate::settings::as_text")]
    pub system: SystemSpec,
    /// The position of the root node; `None` if the system determines it.
    #[serde(with = "root_position")]
    pub root: Option<RootPosition>,
    /// Whether the root has exactly one child.
    pub single_root: bool,
    /// The most frequent label of a root.
    pub root_label: String,
    /// The specification of the transformation, or `none`.
    pub transform: String,
    /// The files that the transformation reads, as names and texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transform_files: Vec<(String, String)>,
    /// The number of training trees.
    pub trees: usize,
    /// The number of transformed trees that the system cannot derive. The parser learns the trees that it derives instead.
    pub underivable: usize,
}

impl Plan {
    /// Makes a plan from the settings and the treebank.
    pub(crate) fn make(
        trees: &[&Tree],
        labels: &Symbols<Label>,
        system: SystemSpec,
        settings: &Settings,
    ) -> Result<Self> {
        let facts = Facts::of(trees, labels);
        let fixed = system.fixes_root();
        let undecided = Self {
            system,
            root: (!fixed).then(|| settings.root().unwrap_or(RootPosition::End)),
            // A few annotation errors among thousands of sentences do not count as several roots.
            single_root: !fixed
                && settings.single_root().unwrap_or_else(|| facts.percent(facts.single_rooted) >= 99.9),
            root_label: facts.root_label.map_or_else(String::new, |label| labels.text(label).to_owned()),
            transform: NONE.to_owned(),
            transform_files: Vec::new(),
            trees: trees.len(),
            underivable: 0,
        };
        let transform = match settings.transform() {
            Some(given) => given,
            None => undecided.transform_for(trees, &facts, labels)?.to_owned(),
        };
        let mut plan = undecided;
        if transform != NONE {
            let spec: Specification = transform.parse()?;
            let files = spec.read_files()?;
            plan.transform_files = files.into_iter().map(|file| (file.name, file.text)).collect();
            plan.transform = spec.without_folders().to_string();
        }
        Ok(plan)
    }

    fn transform_for(&self, trees: &[&Tree], facts: &Facts, labels: &Symbols<Label>) -> Result<&'static str> {
        let crossing: Vec<&Tree> = facts.nonprojective.iter().map(|&at| trees[at]).collect();
        if crossing.is_empty() {
            return Ok(NONE);
        }
        let (lost, _) = derive_all(&*self.system(None)?, self.order(), crossing.iter().copied());
        #[allow(clippy::cast_precision_loss, reason = "counts of sentences")]
        let percent_lost = 100.0 * lost as f64 / crossing.len() as f64;
        Ok(if percent_lost <= MAX_UNDERIVABLE {
            NONE
        } else if facts.percent(crossing.len()) >= MIN_NONPROJECTIVE && !labels.is_empty() {
            "pseudo-projective:head"
        } else {
            // Marks need labels.
            "pseudo-projective:baseline"
        })
    }

    /// Counts the transformed trees that the system cannot derive. Returns the number of derivations that exceed the limit on training
    /// transitions.
    pub(crate) fn count<'t>(&mut self, trees: impl Iterator<Item = &'t Tree>, system: &dyn System) -> usize {
        // The trees are already in reading order.
        let (underivable, long) = derive_all(system, Order::LeftToRight, trees);
        self.underivable = underivable;
        long
    }

    /// Builds the system, given the label of roots after the transformation.
    pub fn system(&self, root_label: Option<Label>) -> Result<Box<dyn System>> {
        Ok(self.system.build(Options {
            root: self.root.unwrap_or_default(),
            single_root: self.single_root,
            root_label: root_label.unwrap_or(Label::NONE),
            ..Options::default()
        }))
    }

    /// The direction in which sentences are read.
    pub fn order(&self) -> Order {
        if self.system.is_right_to_left() { Order::RightToLeft } else { Order::LeftToRight }
    }

    /// Whether sentences are read from right to left.
    pub(crate) fn is_right_to_left(&self) -> bool {
        self.order() == Order::RightToLeft
    }

    /// Mirrors a tree if sentences are read from right to left; applying it twice restores the tree.
    pub fn in_reading_order(&self, tree: Tree) -> Tree {
        if self.order() == Order::RightToLeft { mirror(&tree) } else { tree }
    }

    /// The transformation, if there is one.
    pub fn transform(&self) -> Result<Option<Box<dyn Transform>>> {
        if self.transform == NONE {
            return Ok(None);
        }
        let spec: Specification = self.transform.parse()?;
        let file = |(name, text): &(String, String)| NamedText { name: name.clone(), text: text.clone() };
        let files: Vec<NamedText> = self.transform_files.iter().map(file).collect();
        Ok(Some(spec.build(&files)?))
    }

    /// A one-line summary for users.
    pub fn describe(&self) -> String {
        let roots = if self.single_root { "one root per sentence" } else { "any number of roots" };
        let root = match self.root {
            None => "root node as in MaltParser".to_owned(),
            Some(RootPosition::Stack) => format!("root node first on the stack, {roots}"),
            Some(RootPosition::End) => format!("root node last in the buffer, {roots}"),
            Some(RootPosition::None) => format!("no root node, {roots}"),
        };
        let transform = match &*self.transform {
            NONE => "no tree transformation".to_owned(),
            name => format!("tree transformation {name}"),
        };
        let lost = match self.underivable {
            0 => String::new(),
            lost => format!("; {lost} of {} trees cannot be derived", self.trees),
        };
        format!("{}, {root}, {transform}{lost}", self.system)
    }
}

/// Serialises an optional root position.
mod root_position {
    use quaich_transition::configuration::RootPosition;
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(super) fn serialize<S: Serializer>(
        root: &Option<RootPosition>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(root.map_or("auto", RootPosition::name))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<RootPosition>, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "auto" => Ok(None),
            name => name.parse().map(Some).map_err(|_| de::Error::custom("invalid position of the root")),
        }
    }
}

/// Statistics of the treebank.
struct Facts {
    n_trees: usize,
    single_rooted: usize,
    /// The indices of non-projective trees.
    nonprojective: Vec<usize>,
    root_label: Option<Label>,
}

impl Facts {
    fn of(trees: &[&Tree], labels: &Symbols<Label>) -> Self {
        let mut root_labels = vec![0u32; labels.len()];
        let mut facts =
            Self { n_trees: trees.len(), single_rooted: 0, nonprojective: Vec::new(), root_label: None };
        let mut shape = Shapes::default();
        for (at, tree) in trees.iter().enumerate() {
            let mut roots = 0;
            for arc in tree.arcs().filter(|arc| arc.head.is_root()) {
                roots += 1;
                if !arc.label.is_none() {
                    root_labels[arc.label.index()] += 1;
                }
            }
            facts.single_rooted += usize::from(roots == 1);
            if shape.read(tree).is_ok() && !shape.is_projective() {
                facts.nonprojective.push(at);
            }
        }
        let counted = (0u32..).map(Label).zip(&root_labels);
        let commonest = counted.max_by_key(|&(label, count)| (count, std::cmp::Reverse(label)));
        facts.root_label = commonest.map(|(label, _)| label);
        facts
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of sentences")]
    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.n_trees.max(1) as f64
    }
}

/// Counts the trees that the system cannot derive, and those whose derivations exceed the limit on training transitions.
fn derive_all<'t>(
    system: &dyn System,
    order: Order,
    trees: impl Iterator<Item = &'t Tree>,
) -> (usize, usize) {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    let (mut underivable, mut long) = (0, 0);
    for tree in trees {
        let exact = match order {
            Order::LeftToRight => derives(system, tree, &mut gold, &mut c, &mut ()),
            Order::RightToLeft => derives(system, &mirror(tree), &mut gold, &mut c, &mut ()),
        };
        underivable += usize::from(!exact);
        long += usize::from(is_exhausted(&c));
    }
    (underivable, long)
}
